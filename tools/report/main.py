# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws a lab run (the directory of weir-lab run --out), a trace of weirsend, or the demo (build/demo).

The ending of FILE says what is written: .png or .svg is one picture (rates, queueing delay, loss,
shares of the flows, distributions), .html one page with pictures and tables that needs nothing else."""
import argparse
import contextlib
import os
import sys

from traces import Problem
from weir_version import version_line

from . import lab_run, trace_file

ENDINGS = (".html", ".png", ".svg")


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(f"{message} (weir-report --help)")


def parse_arguments(arguments):
    head, _, rest = __doc__.partition("\n\n")
    parser = OneLineParser(prog="weir-report", description=head, epilog=rest)
    parser.add_argument("--version", action="version", version=version_line("weir-report"))
    parser.add_argument("input", metavar="TRACE|DIR", help="what to draw")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="a .html, .png or .svg")
    parsed = parser.parse_args(arguments)
    if os.path.splitext(parsed.output)[1].lower() not in ENDINGS:
        raise Problem(f"-o {parsed.output}: must end in .html, .png or .svg")
    return parsed


def read(path):
    if os.path.isdir(path):
        return lab_run.read(path)
    if not os.path.exists(path):
        raise Problem(f"{path}: there is no such file or directory")
    return trace_file.read(path)


def write(recording, path):
    from . import draw, page  # pyplot takes a second to load
    recording = recording.focus()
    try:
        if path.lower().endswith(".html"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(page.build(recording))
        else:
            figure = draw.whole(recording)
            figure.savefig(path, metadata={"Date": None} if path.lower().endswith(".svg") else None)
    except OSError as error:
        with contextlib.suppress(OSError):
            if os.path.isfile(path):
                os.remove(path)  # what is there is no picture
        raise Problem(f"-o {path}: {error.strerror}") from None


def main(arguments):
    try:
        parsed = parse_arguments(arguments)
        recording = read(parsed.input)
        if not any(len(flow.time_s) for flow in recording.flows):
            raise Problem(f"{parsed.input}: nothing to draw: no flow has a time series")
        write(recording, parsed.output)
    except Problem as problem:
        print(f"weir-report: {problem}", file=sys.stderr)
        return 2
    return 0
