#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/guide.json and writes the numbers, the verdicts and the pictures of docs/choosing.md, but not its tables of live/* and
paths/*, which live.py writes:
tools/sweep/guide.py [--quick] [--jobs N] [--algorithms A,B]."""
import os
import sys

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from sweep import guide_figure, live, page, program, spec  # noqa: E402
from sweep.measures import Results, measured, tcp_over_hops  # noqa: E402


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
    written = os.path.join(options.out, "choosing.md")
    program.fill(program.of_tree("docs", "choosing.md"), written,
                 page.parts(found, tcp_over_hops(results), summary), live.PARTS)
    for name, panels in guide_figure.PICTURES.items():
        guide_figure.draw_measures(found, panels, os.path.join(options.out, f"choosing-{name}.png"))
    guide_figure.draw_steps(results, os.path.join(options.out, "choosing-step.png"))
    return written


if __name__ == "__main__":
    sys.exit(program.document("guide", __doc__, write_guide, sweep_of))
