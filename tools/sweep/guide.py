#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/guide.json and writes the numbers, the verdicts and the pictures of docs/choosing.md:
tools/sweep/guide.py [--quick] [--jobs N] [--algorithms A,B]."""
import argparse
import os
import sys

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from reproduce.lab import LabError  # noqa: E402
from sweep import guide_figure, page, pools, spec  # noqa: E402
from sweep.main import find_lab, report, run_sweep, source_root  # noqa: E402
from sweep.measures import Results, measured, tcp_over_hops  # noqa: E402


def arguments(argv):
    root = source_root()
    parser = argparse.ArgumentParser(prog="guide.py", description=__doc__.split(":\n", 1)[0] + ".")
    parser.add_argument("--quick", action="store_true", help="one seed, fewer points; into build/sweep/guide-quick")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="runs at a time")
    parser.add_argument("--algorithms", metavar="A,B", help="these only; default: all of the library")
    parser.add_argument("--results", metavar="DIR", help="of the sweep; default build/sweep/guide")
    parser.add_argument("--out", metavar="DIR", help="page and pictures; default docs")
    parser.add_argument("--lab", metavar="PROGRAM", help="the weir-lab to use")
    options = parser.parse_args(argv)
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: at least 1")
    if root is None:
        parser.error("it writes the documentation of a source tree, and this is none")
    name = "guide-quick" if options.quick else "guide"
    options.results = options.results or os.path.join(root, "build", "sweep", name)
    options.out = options.out or (options.results if options.quick else os.path.join(root, "docs"))
    return options


def sweep_of(options):
    sweep = spec.read_file(os.path.join(source_root(), "sweeps", "guide.json"))
    if options.algorithms:
        chosen = tuple(options.algorithms.split(","))
        for run in sweep["runs"]:
            run["algorithms"] = chosen if run["algorithms"] == "all" else run["algorithms"]
    return spec.shortened(sweep) if options.quick else sweep


def write_guide(options, summary):
    results = Results(options.results)
    generated = page.parts(measured(results), tcp_over_hops(results), summary)
    with open(os.path.join(source_root(), "docs", "choosing.md"), encoding="utf-8") as file:
        text = page.filled(file.read(), generated)
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "choosing.md"), "w", encoding="utf-8") as file:
        file.write(text)
    guide_figure.draw_measures(measured(results), os.path.join(options.out, "choosing.png"))
    guide_figure.draw_steps(results, os.path.join(options.out, "choosing-step.png"))


def main(argv=None):
    options = arguments(argv)
    try:
        lab = find_lab(options.lab)
        summary, new = run_sweep(sweep_of(options), "guide", options.results, lab,
                                 lambda tasks: pools.local(lab.program, tasks, options.jobs), sys.stderr.isatty())
    except (spec.Malformed, LabError) as error:
        print(f"guide.py: {error}", file=sys.stderr)
        return 2
    report(summary, new, options.results)
    if not summary["complete"]:
        return 130
    write_guide(options, summary)
    print(os.path.join(options.out, "choosing.md"))
    return 1 if summary["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
