#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Agreement of weir-lab with ns-2 over a grid of scenarios: schemes alone and beside as many SACK flows; drop-tail and
RED; 1 to 16 flows; two capacities, two RTTs. Prints the tables of docs/ns2.md.

    tests/ns2/wide.py [--lab PATH] [--seeds N] [--jobs N] [--with-rtcp] [--cache FOLDER] [--json FILE] [--picture FILE]
                      [PART ...]

The grid was chosen before its first run; PARTs are of names such as TFRC-droptail-beside-8-1500-50 (scheme, queue,
alone or beside, flows, kbit/s, ms), and select. Exit status: 0, 77 without ns.
"""
import argparse
import concurrent.futures
import json
import pathlib
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
from reproduce import ns2, tables  # noqa: E402
from reproduce.agreement import LIMITS_PERCENT, compare_quantity  # noqa: E402
from reproduce.lab import Lab, Request, find_program, source_root  # noqa: E402

SCHEMES = ["TCP-Reno", "tcp-newreno", "TCP-SACK", "tcp-vegas", "TFRC", "TFRC/self-clocked"]
NAMES = dict(zip(SCHEMES, ["Reno", "NewReno", "SACK", "Vegas", "TFRC", "TFRC, self-clocked"]))
FLOWS = [1, 2, 4, 8, 16]
CAPACITIES_BPS = [1500000, 10000000]
RTTS_MS = [50, 200]
RED = {"discipline": "red", "packets": "=2*buffer", "min_packets": "=buffer/4", "max_packets": "=3*buffer/4",
       "max_p": 0.1, "weight": 0.002, "mean_packet_bytes": 1500}
# ns-2's TFRC sends one report per RTT and no RTCP besides: no compounds between, a sender report a minute at most.
RTCP = ("flows.scheme.{i}.feedback.extra_compounds=false", "flows.scheme.{i}.feedback.sender_report_ms=60000")
QUEUES = {"droptail": (), "red": (f"links.bottleneck.queue={json.dumps(RED)}",)}
QUANTITIES = {"goodput_bps": "goodput", "loss_ratio": "loss", "cov": "CoV"}


@dataclass(frozen=True)
class Case:
    scheme: str
    queue: str
    flows: int       # of all
    beside: bool     # half of them are SACK
    capacity_bps: int
    rtt_ms: int

    def name(self):
        return (f"{self.scheme}-{self.queue}-{'beside' if self.beside else 'alone'}-{self.flows}-"
                f"{self.capacity_bps // 1000}-{self.rtt_ms}")

    def request(self, with_rtcp):
        n = self.flows // 2 if self.beside else self.flows
        values = {"scheme": self.scheme, "n": n, "beside": int(self.beside), "capacity_bps": self.capacity_bps,
                  "rtt_ms": self.rtt_ms}
        rtcp = RTCP if self.scheme.startswith("TFRC") and not with_rtcp else ()
        return Request("wide", sets=(*(f"vars.{name}={value}" for name, value in values.items()), *QUEUES[self.queue],
                                     *rtcp))


def grid():
    return [Case(scheme, queue, flows, beside, capacity_bps, rtt_ms)
            for scheme in SCHEMES for queue in QUEUES for beside in (False, True) for flows in FLOWS
            if not beside or (flows > 1 and scheme != "TCP-SACK")
            for capacity_bps in CAPACITIES_BPS for rtt_ms in RTTS_MS]


def figures_of(run):
    """{group: {quantity: value}} of one run."""
    groups = {}
    for flow in run.result["flows"]:
        groups.setdefault(flow["group"], []).append(flow)
    return {group: {"goodput_bps": sum(flow["goodput_bps"] for flow in flows),
                    "loss_ratio": sum(flow["lost_packets"] for flow in flows) /
                    max(1, sum(flow["sent_packets"] for flow in flows)),
                    "cov": statistics.fmean(flow["cov_sent"] for flow in flows)} for group, flows in groups.items()}


def compare(case, lab, twin, seeds, with_rtcp):
    """[{case, group, quantity, weir, ns2, ...}]"""
    request = case.request(with_rtcp)
    ours, theirs = ([figures_of(side.run(request, seed)) for seed in seeds] for side in (lab, twin))
    return [{"case": case.name(), "scheme": case.scheme, "queue": case.queue, "beside": case.beside, "group": group,
             "quantity": quantity, **compare_quantity(quantity, [run[group][quantity] for run in ours],
                                                      [run[group][quantity] for run in theirs])}
            for group in theirs[0] for quantity in QUANTITIES]


def share(rows):
    """Within the limits; within them or the seeds' spread."""
    if not rows:
        return ""
    strict = sum(not row["beyond"] for row in rows) / len(rows)
    spread = sum(not (row["beyond"] and row["significant"]) for row in rows) / len(rows)
    return f"{100 * strict:.0f}, {100 * spread:.0f}"


def line(label, rows):
    columns = [[row for row in rows if row["quantity"] == quantity] for quantity in QUANTITIES]
    queues = [[row for row in rows if row["queue"] == queue] for queue in QUEUES]
    return [label, str(len(rows)), *map(share, columns), *map(share, queues), share(rows)]


def parts(rows):
    """[(label, rows)]: each scheme alone and beside SACK, and the SACK flows beside it."""
    found = []
    for scheme, name in NAMES.items():
        for label, beside, group in ((f"{name} alone", False, "scheme"), (f"{name} beside SACK", True, "scheme"),
                                     (f"SACK beside {name}", True, "beside")):
            mine = [row for row in rows if (row["scheme"], row["beside"], row["group"]) == (scheme, beside, group)]
            found += [(label, mine)] if mine else []
    return found


def print_tables(rows):
    head = ["", "figures", *QUANTITIES.values(), *QUEUES, "all"]
    lines = [line(label, mine) for label, mine in parts(rows)] + [line("**all**", rows)]
    print("\n".join(tables.grid(head, lines)))
    print("\nThe largest significant differences:\n")
    for row in sorted((row for row in rows if row["beyond"] and row["significant"]),
                      key=lambda row: -abs(row["difference_percent"] or 1e9))[:40]:
        print(f"{row['case']:44} {row['group']:7} {row['quantity']:11} {row['weir']:12.6g} {row['ns2']:12.6g} "
              f"{row['difference_percent'] or float('nan'):+8.1f} %")


def draw(rows, path):
    """Weir's figure over ns-2's, a dot each; the limits of agreement are grey."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    names = [label for label, _ in parts(rows)]
    figure, panels = pyplot.subplots(1, len(QUANTITIES), figsize=(11, 5.5), sharey=True)
    for panel, (quantity, title) in zip(panels, QUANTITIES.items()):
        limit = LIMITS_PERCENT[quantity]
        panel.axvspan(-limit, limit, color="0.9")
        for i, (_, mine) in enumerate(parts(rows)):
            mine = [row for row in mine if row["quantity"] == quantity and row["difference_percent"] is not None]
            for k, row in enumerate(mine):
                far = row["beyond"] and row["significant"]
                panel.plot(max(-100, min(100, row["difference_percent"])), i + 0.6 * (k / len(mine) - 0.5), ".",
                           markersize=3, color="tab:red" if far else "tab:orange" if row["beyond"] else "tab:blue")
        panel.set_title(title)
        panel.set_xscale("symlog", linthresh=limit)
        panel.set_xlim(-110, 110)
        panel.set_xticks([-100, -20, -5, 0, 5, 20, 100], ["-100", "-20", "-5", "0", "5", "20", "≥100"], fontsize=8)
        panel.set_xlabel("weir-lab above ns-2, %")
    panels[0].set_yticks(range(len(names)), names)
    panels[0].invert_yaxis()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="only cases with one of these in their names")
    parser.add_argument("--lab", help="the program weir-lab")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--with-rtcp", action="store_true", help="TFRC as weirsend and weirrecv speak it")
    parser.add_argument("--cache", metavar="FOLDER", help="keeps runs there, and takes them from there")
    parser.add_argument("--json", metavar="FILE", help="write the comparison there")
    parser.add_argument("--picture", metavar="FILE", help="draw it")
    return parser.parse_args()


def main():
    options = arguments()
    if not shutil.which("ns"):
        print("skipped: there is no ns (package ns2)")
        return 77
    cases = [case for case in grid() if not options.parts or any(part in case.name() for part in options.parts)]
    rows = []
    with tempfile.TemporaryDirectory(prefix="weir-ns2-") as folder:
        lab = Lab(find_program(options.lab, source_root()), str(HERE), options.cache or folder)
        twin = ns2.Ns2(lab, options.cache or folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for found in pool.map(lambda case: compare(case, lab, twin, range(1, options.seeds + 1), options.with_rtcp),
                                  cases):
                rows += found
    print(f"{len(cases)} scenarios, {len(rows)} figures\n")
    print_tables(rows)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    if options.picture:
        draw(rows, options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
