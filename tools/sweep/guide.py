#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/guide.json and writes the numbers, the verdicts and the pictures of docs/choosing.md, but not its tables of live/* and
paths/*, which live.py writes:
tools/sweep/guide.py [--quick] [--jobs N] [--algorithms A,B]."""
import os
import sys

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from reproduce.lab import LabError  # noqa: E402
from sweep import guide_figure, live, page, program, spec  # noqa: E402
from sweep.main import source_root  # noqa: E402
from sweep.measures import Results, measured, tcp_over_hops  # noqa: E402


def arguments(argv):
    known = program.parser("guide.py", __doc__)
    known.add_argument("--out", metavar="DIR", help="page and pictures; default docs, with --quick the results' folder")
    if source_root() is None:
        known.error("it writes the documentation of a source tree, and this is none")
    options = program.parsed(known, argv, program.of_tree("sweeps", "guide.json"))
    options.out = options.out or (options.results if options.quick else program.of_tree("docs"))
    return options


def sweep_of(options):
    """Runs with algorithms of their own, for comparison, keep them."""
    sweep = spec.read_file(options.sweep)
    if options.algorithms:
        chosen = tuple(options.algorithms.split(","))
        for run in sweep["runs"]:
            run["algorithms"] = chosen if run["algorithms"] == "all" else run["algorithms"]
    return spec.shortened(sweep) if options.quick else sweep


def write_guide(options, summary):
    results = Results(options.results)
    found = measured(results)
    program.fill(program.of_tree("docs", "choosing.md"), os.path.join(options.out, "choosing.md"),
                 page.parts(found, tcp_over_hops(results), summary), live.PARTS)
    for name, panels in guide_figure.PICTURES.items():
        guide_figure.draw_measures(found, panels, os.path.join(options.out, f"choosing-{name}.png"))
    guide_figure.draw_steps(results, os.path.join(options.out, "choosing-step.png"))


def main(argv=None):
    options = arguments(argv)
    try:
        summary = program.run(options, sweep_of(options))
    except (spec.Malformed, LabError) as error:
        print(f"guide.py: {error}", file=sys.stderr)
        return 2
    if summary["complete"]:
        write_guide(options, summary)
        print(os.path.join(options.out, "choosing.md"))
    return program.status(summary)


if __name__ == "__main__":
    sys.exit(main())
