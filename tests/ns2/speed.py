#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long 1000 s of twenty Reno flows and ten in the other direction take in ns-2 (without any tracing) and
in weir-lab (with all of its results): the least of three runs each, and their ratio.

    tests/ns2/speed.py [--lab PATH] [--runs N] [--json FILE]
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

import compare


def wall_seconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", help="the program weir-lab")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    lab = compare.find_lab(options.lab)
    if not lab or not shutil.which("ns"):
        print("skipped: there is no " + ("ns" if lab else "weir-lab"))
        return 77
    commands = {"ns2_s": ["ns", compare.HERE / "cases" / "speed.tcl", "1", "monitor=0"],
                "weir_s": [lab, "run", compare.HERE / "scenarios" / "speed.json", "--json"]}
    result = {name: min(wall_seconds(command) for _ in range(options.runs)) for name, command in commands.items()}
    result["ratio"] = result["ns2_s"] / result["weir_s"]
    print(f"ns-2 {result['ns2_s']:.2f} s, weir-lab {result['weir_s']:.2f} s: {result['ratio']:.1f} times as fast")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
