#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/ecn.json and writes the tables of docs/ecn.md:
tools/sweep/ecn.py [--quick] [--jobs N] [--algorithms A,B]."""
import os
import sys

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import pandas as pd  # noqa: E402
from sweep import page, program  # noqa: E402

QUEUES = {"red": "RED", "codel": "CoDel", "fq_codel": "FQ-CoDel", "pie": "PIE"}
CAPACITY, DELAY, ECN = "set:vars.capacity_bps", "set:vars.delay_ms", "set:vars.ecn"
DISCIPLINE, FLOOR = "set:vars.discipline", "set:links.bottleneck.queue.step_packets"
SIZE = "set:flows.call.packet_bytes"


class Runs:
    """Those of one name, and of some settings: a row per flow."""

    def __init__(self, table, name):
        self.rows = table[table["run"] == name]

    def where(self, column, value):
        out = Runs.__new__(Runs)
        out.rows = self.rows[self.rows[column] == value]
        return out

    def values(self, column):
        return list(dict.fromkeys(self.rows[column].dropna()))

    def of(self, number, column):
        """Of the flow of that number, by seed."""
        numbers = self.rows.groupby("seed").cumcount()
        return self.rows[numbers == number].set_index("seed")[column]

    def text(self, number, column, decimals=0, scale=1.0, most=False):
        found = self.of(number, column)
        if found.isna().all():
            return ""
        return f"{(found.max() if most else found.median()) * scale:.{decimals}f}"

    def ratio(self):
        """What the first has to what the second has: median (least to greatest)."""
        found = self.of(0, "goodput_bps") / self.of(1, "goodput_bps")
        return f"{found.median():.2f} ({found.min():.2f} to {found.max():.2f})" if len(found) else ""


def mbps(value):
    return f"{value / 1e6:g}"


def with_and_without(table):
    out = []
    for tcps, company in ((0, "none"), (1, "Cubic")):
        for queue, words in QUEUES.items():
            for algorithm in ("sluice", "tfrc"):
                for name, ecn in (("drops", "no"), ("marks", "yes")):
                    runs = Runs(table, name).where("set:vars.tcps", tcps).where(DISCIPLINE, queue)
                    runs = runs.where("algorithm", algorithm)
                    if runs.rows.empty:
                        continue
                    out.append([company, words, f"`{algorithm}`", ecn, runs.text(0, "link_utilization", 3),
                                runs.text(0, "goodput_bps", scale=1e-3), runs.text(1, "goodput_bps", scale=1e-3),
                                runs.text(0, "link_queue_ms_p95", 1), runs.text(0, "lost_packets"),
                                runs.text(1, "lost_packets"), runs.text(0, "marked_packets") or "0"])
    return page.grid(["company", "queue", "algorithm", "ECN", "use", "goodput, kbit/s", "TCP's", "queue p95, ms", "lost",
                      "TCP's", "marked"], out)


def tfrc_by_capacity(table):
    drops, marks = Runs(table, "rates-drops"), Runs(table, "rates-marks")
    out = []
    for capacity in drops.values(CAPACITY):
        both = [runs.where(CAPACITY, capacity) for runs in (drops, marks)]
        out.append([mbps(capacity), *(runs.text(0, column, decimals)
                                      for column, decimals in (("link_utilization", 3), ("variables_loss_events", 0),
                                                               ("link_queue_ms_p95", 1)) for runs in both)])
    return page.grid(["capacity, Mbit/s", "use with drops", "with marks", "loss events", "with marks",
                      "queue p95, ms", "with marks"], out)


def l4s(table):
    out = []
    for capacity in Runs(table, "alone").values(CAPACITY):
        for algorithm in ("sluice", "scream"):
            for company in ("alone", "steps", "Prague", "Cubic"):
                for ecn, words in (("off", "no"), ("ect1", "ECT(1)")):
                    runs = Runs(table, company).where(CAPACITY, capacity).where("algorithm", algorithm).where(ECN, ecn)
                    if runs.rows.empty:
                        continue
                    own_ms = runs.of(0, "delay_ms_p95").median() - 25
                    out.append([mbps(capacity), company, f"`{algorithm}`", words, runs.text(0, "link_utilization", 3),
                                runs.text(0, "goodput_bps", scale=1e-3), runs.text(1, "goodput_bps", scale=1e-3),
                                runs.text(0, "link_queue_ms_p95", 1), f"{own_ms:.1f}",
                                runs.text(0, "lost_packets", most=True)])
    return page.grid(["Mbit/s", "company", "algorithm", "ECN", "use", "goodput, kbit/s", "TCP's", "link's queue p95, ms",
                      "call's", "lost"], out)


def shares(table):
    names = ("call-prague", "prague-prague", "call-cubic", "prague-cubic")
    first, out = Runs(table, names[0]), []
    for delay in first.values(DELAY):
        for capacity in first.values(CAPACITY):
            out.append([f"{2 * delay:g}", mbps(capacity),
                        *(Runs(table, name).where(DELAY, delay).where(CAPACITY, capacity).ratio() for name in names)])
    return page.grid(["RTT, ms", "Mbit/s", "call beside Prague", "Prague beside Prague", "call beside Cubic",
                      "Prague beside Cubic"], out)


def floors(table):
    first, out = Runs(table, "call-floor"), []
    for capacity in first.values(CAPACITY):
        out.append([mbps(capacity), *(Runs(table, name).where(FLOOR, floor).where(CAPACITY, capacity).ratio()
                                      for floor in first.values(FLOOR) for name in ("call-floor", "prague-floor"))])
    head = [f"{who}, {floor:g} behind" for floor in first.values(FLOOR) for who in ("call", "Prague")]
    return page.grid(["Mbit/s", *head], out)


def alone(table):
    out = []
    for name, words in (("call-alone", "none"), ("call-steps", "down by half")):
        runs = Runs(table, name)
        for delay in runs.values(DELAY):
            for capacity in runs.values(CAPACITY):
                one = runs.where(DELAY, delay).where(CAPACITY, capacity)
                lost = one.of(0, "lost_packets")
                out.append([words, f"{2 * delay:g}", mbps(capacity), one.text(0, "link_utilization", 3),
                            one.text(0, "link_queue_ms_p95", 1), f"{lost.max():.0f}",
                            f"{(lost > 0).sum()} of {len(lost)}"])
    return page.grid(["steps", "RTT, ms", "Mbit/s", "use", "queue p95, ms", "most lost", "runs that lose"], out)


def sizes(table):
    out = []
    for name, company in (("size-cubic", "Cubic"), ("size-prague", "Prague")):
        runs = Runs(table, name)
        for capacity in runs.values(CAPACITY):
            one = runs.where(CAPACITY, capacity)
            out.append([mbps(capacity), company, *(one.where(SIZE, size).ratio() for size in runs.values(SIZE))])
    return page.grid(["Mbit/s", "company", *(f"{size:g} bytes" for size in Runs(table, "size-cubic").values(SIZE))], out)


def classic(table):
    runs, out = Runs(table, "classic"), []
    for capacity in runs.values(CAPACITY):
        for queue in runs.values(DISCIPLINE):
            one = runs.where(CAPACITY, capacity).where(DISCIPLINE, queue)
            out.append([mbps(capacity), QUEUES[queue],
                        *(", ".join(one.where(ECN, ecn).text(number, "goodput_bps", scale=1e-3) for number in (0, 1))
                          for ecn in ("ect0", "ect1"))])
    return page.grid(["Mbit/s", "queue", "ECT(0)", "ECT(1)"], out)


PARTS = {"with-and-without": with_and_without, "tfrc-by-capacity": tfrc_by_capacity, "l4s": l4s, "shares": shares,
         "floors": floors, "alone": alone, "sizes": sizes, "classic": classic}


def write(options, summary):
    del summary
    table = pd.read_csv(os.path.join(options.results, "flows.csv"), low_memory=False)
    written = os.path.join(options.out, "ecn.md")
    program.fill(program.of_tree("docs", "ecn.md"), written, {name: part(table) for name, part in PARTS.items()})
    return written


if __name__ == "__main__":
    sys.exit(program.document("ecn", __doc__, write))
