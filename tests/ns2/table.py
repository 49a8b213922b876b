#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the table of docs/ns2.md from what compare.py --json wrote; later files replace cases of earlier ones.

    tests/ns2/table.py FILE.json ..."""
import json
import sys


def read(paths):
    """Rows by (case, group), each a mapping from quantity to row."""
    by_case = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        for case in {row["case"] for row in rows}:
            by_case[case] = [row for row in rows if row["case"] == case]
    table = {}
    for case in sorted(by_case):
        for row in by_case[case]:
            table.setdefault((case, row["group"]), {})[row["quantity"]] = row
    return table


def difference(row):
    percent = "" if row["difference_percent"] is None else f"{row['difference_percent']:+.1f}"
    mark = "" if not row["beyond"] else " **!**" if row["significant"] else " ~"
    return percent + mark


def pair(row, scale, digits):
    return f"{scale * row['weir']:.{digits}f} / {scale * row['ns2']:.{digits}f}"


def flow_line(case, group, rows):
    cells = [case, group]
    for quantity, scale, digits in (("goodput_bps", 1e-3, 1), ("loss_ratio", 100, 3), ("cov", 1, 3)):
        cells += [pair(rows[quantity], scale, digits), difference(rows[quantity])]
    return "| " + " | ".join(cells) + " |"


def main(paths):
    table = read(paths)
    print("| case | flows | goodput, kbit/s: weir-lab / ns-2 | % | loss, % | % | CoV | % |")
    print("|---|---|---|---|---|---|---|---|")
    for (case, group), rows in table.items():
        if "goodput_bps" in rows:
            print(flow_line(case, group, rows))
    queues = [f"{case} {pair(rows['queue_packets'], 1, 2)}" for (case, _), rows in table.items()
              if "queue_packets" in rows]
    print(f"\nMean queue, packets (weir-lab / ns-2): {', '.join(queues)}.")


if __name__ == "__main__":
    main(sys.argv[1:])
