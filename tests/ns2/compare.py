#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the same scenarios in ns-2 and in weir-lab and prints goodput, loss ratio, CoV of the received
rate and mean queue side by side.

    tests/ns2/compare.py [--lab PATH] [--seeds N] [--quick] [--json FILE] [CASE ...]

A case is cases/NAME.tcl and its twin scenarios/NAME.json. Differences beyond the limits (5 % of the goodput,
20 % of loss ratio and CoV) are marked: "!" when they are significant, "~" when the seeds spread so widely
that nothing can be said. Exit status: 0, 1 with significant differences beyond the limits, 77 without ns.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
from reproduce.agreement import compare_quantity  # noqa: E402

QUICK = ["single-reno", "single-newreno", "single-sack", "single-vegas", "single-reno-small", "tfrc-single",
         "cbr-reno", "loss-reno-1", "loss-sack-5", "loss-tfrc-1"]
JOBS = 2


def cases():
    return sorted(path.stem for path in (HERE / "cases").glob("*.tcl"))


def find_lab(path=None):
    return path or os.environ.get("WEIR_LAB") or shutil.which("weir-lab")


def run_json(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()[-500:]}")
    return json.loads(done.stdout)


def coefficient_of_variation(series):
    mean = statistics.fmean(series) if series else 0
    return statistics.pstdev(series) / mean if mean > 0 else 0.0


def summarise(flows, queue_packets):
    """{group: {quantity: value}} of flows (group, goodput_bps, sent, dropped, cov)."""
    groups = {}
    for group, *values in flows:
        groups.setdefault(group, []).append(values)
    result = {}
    for group, rows in groups.items():
        goodput, sent, dropped, cov = (list(column) for column in zip(*rows))
        result[group] = {"goodput_bps": sum(goodput), "loss_ratio": sum(dropped) / max(1, sum(sent)),
                         "cov": statistics.fmean(cov)}
    result["queue"] = {"queue_packets": queue_packets}
    return result


def run_ns(case, seed):
    result = run_json(["ns", HERE / "cases" / f"{case}.tcl", str(seed)])
    flows = [(f["name"].split(".")[0], f["goodput_bps"], f["sent"], f["dropped"],
              coefficient_of_variation(f["bins"])) for f in result["flows"]]
    return summarise(flows, result["queues"][0]["mean_packets"])


def run_weir(lab, case, seed):
    result = run_json([lab, "run", HERE / "scenarios" / f"{case}.json", "--seed", str(seed), "--json"])
    flows = [(f["name"].split(".")[0], f["goodput_bps"], f["sent_packets"], f["lost_packets"], f["cov"])
             for f in result["flows"]]
    return summarise(flows, result["links"][0]["queue_packets"]["mean"])


def compare_case(lab, case, seeds, pool):
    """[{case, group, quantity, weir, ns2, ...}] over all groups of flows."""
    theirs = [pool.submit(run_ns, case, seed) for seed in seeds]
    ours = [pool.submit(run_weir, lab, case, seed) for seed in seeds]
    theirs = [future.result() for future in theirs]
    ours = [future.result() for future in ours]
    rows = []
    for group in theirs[0]:
        for quantity in theirs[0][group]:
            row = compare_quantity(quantity, [run[group][quantity] for run in ours],
                                   [run[group][quantity] for run in theirs])
            rows.append({"case": case, "group": group, "quantity": quantity, **row})
    return rows


def mark(row):
    if not row["beyond"]:
        return ""
    return "!" if row["significant"] else "~"


def print_row(row):
    def value(x):
        return f"{x:.0f}" if row["quantity"] == "goodput_bps" else f"{x:.4f}"
    percent = row["difference_percent"]
    print(f"{row['case']:20} {row['group']:8} {row['quantity']:13} "
          f"{value(row['weir']):>9} +-{value(row['weir_spread']):>8} "
          f"{value(row['ns2']):>9} +-{value(row['ns2_spread']):>8} "
          f"{'' if percent is None else f'{percent:+.1f} %':>9} {mark(row)}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CASE", help="default: all")
    parser.add_argument("--lab", help="the program weir-lab")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a few cases that vary little")
    parser.add_argument("--json", metavar="FILE", help="write the comparison there")
    return parser.parse_args()


def main():
    options = arguments()
    lab = find_lab(options.lab)
    if not shutil.which("ns"):
        print("skipped: there is no ns (package ns2)")
        return 77
    unknown = set(options.names) - set(cases())
    if unknown or not lab:
        print("no such case: " + ", ".join(sorted(unknown)) if unknown else "no weir-lab: name it with --lab",
              file=sys.stderr)
        return 2
    names = options.names or (QUICK if options.quick else cases())
    print(f"{'case':20} {'flows':8} {'quantity':13} {'weir-lab':>9} {'spread':>10} {'ns-2':>9} "
          f"{'spread':>10} {'difference':>10}")
    rows = []
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for name in names:
            found = compare_case(lab, name, range(1, options.seeds + 1), pool)
            rows += found
            for row in found:
                print_row(row)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    beyond = [row for row in rows if row["beyond"]]
    significant = sum(row["significant"] for row in beyond)
    print(f"{len(rows)} figures, {len(beyond)} beyond the limits, {significant} of them significant")
    return 1 if significant else 0


if __name__ == "__main__":
    sys.exit(main())
