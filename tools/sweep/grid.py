#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/grid.json and writes the numbers and the picture of docs/grid.md:
tools/sweep/grid.py [--quick] [--jobs N] [--algorithms A,B]."""
import datetime
import os
import sys

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from sweep import cells, grid_figure, page, program  # noqa: E402


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
    written = os.path.join(options.out, "grid.md")
    program.fill(program.of_tree("docs", "grid.md"), written,
                 {"made": page.made_text(summary, datetime.date.today()), "counts": counts(table, algorithms),
                  "misses": misses(table, algorithms)})
    grid_figure.draw(table, algorithms, os.path.join(options.out, "grid.png"))
    return written


if __name__ == "__main__":
    sys.exit(program.document("grid", __doc__, write))
