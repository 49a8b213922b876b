# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws a lab run (the directory of weir-lab run --out), a trace of weirsend, or the demo (build/demo).

The ending of FILE says what is written: .png or .svg is one picture (what each flow got, and the
queue), .html one page with more pictures, distributions and tables that needs nothing else. A trace
also becomes a .qlog for qvis or a .json for Perfetto."""
import argparse
import contextlib
import os
import sys

from traces import Problem
from weir_version import version_line

from . import events, lab_run, trace_file

ENDINGS = (".html", ".png", ".svg", ".qlog", ".json")
FORMS = {".qlog": events.Qlog, ".json": events.Perfetto}  # of traces alone


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(f"{message} (weir-report --help)")


def parse_arguments(arguments):
    head, _, rest = __doc__.partition("\n\n")
    parser = OneLineParser(prog="weir-report", description=head, epilog=rest)
    parser.add_argument("--version", action="version", version=version_line("weir-report"))
    parser.add_argument("input", metavar="TRACE|DIR", help="what to draw")
    parser.add_argument("-o", "--output", required=True, metavar="FILE",
                        help="a .html, .png or .svg; of a trace a .qlog or .json too")
    parsed = parser.parse_args(arguments)
    parsed.ending = os.path.splitext(parsed.output)[1].lower()
    if parsed.ending not in ENDINGS:
        raise Problem(f"-o {parsed.output}: must end in .html, .png, .svg, .qlog or .json")
    return parsed


def read(path):
    recording = lab_run.read(path) if os.path.isdir(path) else trace_file.read(path)
    if not any(len(flow.time_s) for flow in recording.flows):
        raise Problem(f"{path}: nothing to draw: no flow has a time series")
    return recording


def check(parsed):
    """Nothing is written before what is to be drawn is known to be good."""
    if not os.path.exists(parsed.input):
        raise Problem(f"{parsed.input}: there is no such file or directory")
    if parsed.ending in FORMS and os.path.isdir(parsed.input):
        raise Problem(f"-o {parsed.output}: is made of a trace, and {parsed.input} is a directory; of it: .html, .png or .svg")
    if os.path.exists(parsed.output) and os.path.samefile(parsed.input, parsed.output):
        raise Problem(f"-o {parsed.output}: is what is to be read")


def picture(recording, path):
    from . import draw, page  # pyplot takes a second to load
    recording = recording.focus()
    if path.lower().endswith(".html"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.build(recording))
    else:
        figure = draw.summary(recording)
        figure.savefig(path, metadata={"Date": None} if path.lower().endswith(".svg") else None)


def convert(trace, path, form):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(events.texts(trace, form))


def write(parsed):
    """A file that is not whole is removed."""
    recording = None if parsed.ending in FORMS else read(parsed.input)
    whole = False
    try:
        if parsed.ending in FORMS:
            convert(parsed.input, parsed.output, FORMS[parsed.ending])
        else:
            picture(recording, parsed.output)
        whole = True
    except OSError as error:
        raise Problem(f"-o {parsed.output}: {error.strerror}") from None
    finally:
        if not whole and os.path.isfile(parsed.output):
            with contextlib.suppress(OSError):
                os.remove(parsed.output)


def main(arguments):
    try:
        parsed = parse_arguments(arguments)
        check(parsed)
        write(parsed)
    except Problem as problem:
        print(f"weir-report: {problem}", file=sys.stderr)
        return 2
    return 0
