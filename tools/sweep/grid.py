#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/grid.json and writes the numbers and the picture of docs/grid.md:
tools/sweep/grid.py [--quick] [--jobs N] [--algorithms A,B]."""
import os
import sys

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from reproduce.lab import LabError  # noqa: E402
from sweep import cells, grid_figure, page, program, spec  # noqa: E402
from sweep.main import source_root  # noqa: E402

def as_wanted_text(table, run, algorithm):
    """Of the medians [least, greatest of the seeds]."""
    found = cells.cells(table, run, algorithm)
    seeds = [cells.as_wanted(seed) for seed in cells.per_seed(table, run, algorithm)]
    return f"**{cells.as_wanted(found)} of {len(found)}** [{min(seeds)}, {max(seeds)}]"


def counted(holds):
    return lambda table, run, algorithm: str(sum(map(holds, cells.cells(table, run, algorithm).values())))


ROWS = {"as wanted": as_wanted_text, "with every seed": lambda *what: str(cells.with_every_seed(*what)),
        "too little": counted(cells.Cell.has_too_little), "too much": counted(cells.Cell.has_too_much)}


def counts(table, algorithms):
    rows = [[words if title == "as wanted" else "", title, *(text(table, run, algorithm) for algorithm in algorithms)]
            for run, words in cells.RUNS.items() for title, text in ROWS.items()]
    return page.grid(["path", "cells", *(f"`{name}`" for name in algorithms)], rows)


def misses(table, algorithms):
    """The cells in which the first algorithm is not as wanted, and what the others get there."""
    rows = []
    for run, words in cells.RUNS.items():
        found = [cells.cells(table, run, algorithm) for algorithm in algorithms]
        rows += [[words, f"{place[0] / 1e6:g}", *(f"{value:g}" for value in place[1:]),
                  *(one[place].text() for one in found)]
                 for place, first in found[0].items() if not first.is_as_wanted()]
    head = ["path", "Mbit/s", "RTT, ms", "buffer, ms", *(f"`{name}`" for name in algorithms)]
    return page.grid(head, rows) if rows else "None.\n"


def write(options, summary):
    table = cells.read(os.path.join(options.results, "flows.csv"))
    algorithms = list(dict.fromkeys(table["algorithm"]))
    program.fill(program.of_tree("docs", "grid.md"), os.path.join(options.out, "grid.md"),
                 {"made": page.made_text(summary), "counts": counts(table, algorithms),
                  "misses": misses(table, algorithms)})
    grid_figure.draw(table, algorithms, os.path.join(options.out, "grid.png"))


def arguments(argv):
    known = program.parser("grid.py", __doc__)
    known.add_argument("--out", metavar="DIR", help="page and picture; default docs, with --quick the results' folder")
    if source_root() is None:
        known.error("it writes the documentation of a source tree, and this is none")
    options = program.parsed(known, argv, program.of_tree("sweeps", "grid.json"))
    options.out = options.out or (options.results if options.quick else program.of_tree("docs"))
    return options


def main(argv=None):
    options = arguments(argv)
    try:
        summary = program.run(options, program.sweep_of(options))
    except (spec.Malformed, LabError) as error:
        print(f"grid.py: {error}", file=sys.stderr)
        return 2
    if summary["complete"]:
        write(options, summary)
        print(os.path.join(options.out, "grid.md"))
    return program.status(summary)


if __name__ == "__main__":
    sys.exit(main())
