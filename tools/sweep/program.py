# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the programs here that write pages share: options, the sweep that they choose, its run, and the page."""
import argparse
import os
import sys

from reproduce.lab import LabError

from . import page, pools, spec
from .main import find_lab, report, run_sweep, source_root


def parser(name, text):
    """`text`: the program's docstring."""
    out = argparse.ArgumentParser(prog=name, description=text.split(":\n", 1)[0] + ".")
    out.add_argument("--quick", action="store_true", help="one seed, first and last value of each list")
    out.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="runs at a time")
    out.add_argument("--algorithms", metavar="A,B", help="these only; default: those of the sweep")
    out.add_argument("--results", metavar="DIR", help="of the sweep; default build/sweep/NAME, NAME-quick")
    out.add_argument("--lab", metavar="PROGRAM", help="the weir-lab to use")
    return out


def parsed(program, argv, sweep=None):
    """The options, with the sweep (default: `sweep`, of the source tree), its name and the folder of its results."""
    options, root = program.parse_args(argv), source_root()
    if options.jobs < 1:
        program.error(f"--jobs {options.jobs}: at least 1")
    options.sweep = sweep or options.sweep
    if root is None and not (options.sweep and options.results):
        program.error("outside of a source tree it needs a sweep and --results")
    options.name = os.path.basename(options.sweep).removesuffix(".json") + ("-quick" if options.quick else "")
    options.results = options.results or os.path.join(root, "build", "sweep", options.name)
    return options


def of_tree(*parts):
    """A path in the source tree, None when installed."""
    return os.path.join(source_root(), *parts) if source_root() else None


def sweep_of(options):
    sweep = spec.read_file(options.sweep)
    if options.algorithms:
        for run in sweep["runs"]:
            run["algorithms"] = tuple(options.algorithms.split(","))
    return spec.shortened(sweep) if options.quick else sweep


def run(options, sweep):
    """The summary. Malformed or LabError when it cannot run."""
    lab = find_lab(options.lab)
    summary, new = run_sweep(sweep, options.name, options.results, lab,
                             lambda tasks: pools.local(lab.program, tasks, options.jobs), sys.stderr.isatty())
    report(summary, new, options.results)
    return summary


def status(summary):
    return 130 if not summary["complete"] else 1 if summary["failed"] else 0


def fill(source, target, generated, others=()):
    """Writes the page `source` with its generated parts to `target`."""
    with open(source, encoding="utf-8") as file:
        text = page.filled(file.read(), generated, others)
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


def document(name, text, write, choose=sweep_of):
    """The whole program `name`.py: runs sweeps/`name`.json; `write(options, summary)` writes the page, whose path it gives."""
    known = parser(f"{name}.py", text)
    known.add_argument("--out", metavar="DIR", help="page and pictures; default docs, with --quick the results' folder")
    if source_root() is None:
        known.error("it writes the documentation of a source tree, and this is none")
    options = parsed(known, None, of_tree("sweeps", f"{name}.json"))
    options.out = options.out or (options.results if options.quick else of_tree("docs"))
    try:
        summary = run(options, choose(options))
    except (spec.Malformed, LabError) as error:
        print(f"{name}.py: {error}", file=sys.stderr)
        return 2
    if summary["complete"]:
        print(write(options, summary))
    return status(summary)
