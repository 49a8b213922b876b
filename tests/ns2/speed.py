#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long 1000 s of twenty Reno flows and ten in the other direction take in ns-2 (without any tracing) and
in weir-lab (with all of its results): the least of three alternating runs each, and their ratio, on the
wall's clock and in processor time, which a busy machine disturbs less.

    tests/ns2/speed.py [--lab PATH] [--runs N] [--json FILE]
"""
import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import compare


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command):
    """(wall, processor) seconds of one run."""
    begin, before = time.perf_counter(), processor_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin, processor_seconds() - before


def measure(lab, runs):
    commands = {"ns2": ["ns", compare.HERE / "cases" / "speed.tcl", "1", "monitor=0"],
                "weir": [lab, "run", compare.HERE / "scenarios" / "speed.json", "--json"]}
    taken = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            taken[name].append(seconds(command))
    result = {}
    for i, clock in enumerate(("wall", "processor")):
        least = {name: min(run[i] for run in times) for name, times in taken.items()}
        result[clock] = {"ns2_s": least["ns2"], "weir_s": least["weir"], "ratio": least["ns2"] / least["weir"]}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", help="the program weir-lab")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    lab = compare.find_lab(options.lab)
    if not lab or not shutil.which("ns"):
        print("skipped: there is no " + ("ns" if lab else "weir-lab"))
        return 77
    result = measure(lab, options.runs)
    for clock, row in result.items():
        print(f"{clock:9}: ns-2 {row['ns2_s']:.2f} s, weir-lab {row['weir_s']:.2f} s, ratio {row['ratio']:.1f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
