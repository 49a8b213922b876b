#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/queues.json and writes the table of docs/queues.md, published figures of queues beside the simulated ones:
tools/sweep/queues.py [--quick] [--jobs N]."""
import datetime
import gzip
import os
import sys
from dataclasses import dataclass, field
from typing import Callable

import pandas as pd

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from sweep import page, program  # noqa: E402

PACKET_BITS = 12112  # 1514 bytes
ON_THE_WAY_MS = 5 + 1.5 * PACKET_BITS / 100e3  # of queues.overload: propagation, the packet's own time, mean jitter
THIN_ON_THE_WAY_MS = 10 + 190 * 8 / 10e3  # of queues.flows
TO_MBPS = 1e-6


@dataclass(frozen=True)
class Figure:
    """`value` is of the rows (flows) of one run of the sweep."""
    queue: str
    setting: str
    title: str
    published: float
    decimals: int
    run: str
    value: Callable
    where: dict = field(default_factory=dict)  # settings of the run

    def per_seed(self, table):
        rows = table[table["run"] == self.run]
        for path, value in self.where.items():
            rows = rows[rows["set:" + path] == value]
        return pd.Series([self.value(one) for _, one in rows.groupby("seed")], dtype=float)

    def number(self, value):
        return f"{value:.{self.decimals}f}"

    def texts(self, table):
        """Title, published value, median of the seeds, and the second by the first."""
        median = self.per_seed(table).median()
        return self.title, self.number(self.published), self.number(median), f"{median / self.published:.2f}"


def of_group(name, column, less=0.0, scale=1.0):
    return lambda rows: (rows[rows["group"] == name][column].mean() - less) * scale


def wait_ms(name, measure="mean"):
    return of_group(name, "delay_ms_" + measure, ON_THE_WAY_MS)


def received(rows):
    return (rows["sent_bps"] * (1 - rows["loss_ratio"])).sum()


def share(name):
    """Of what the link delivers, in percent."""
    return lambda rows: 100 * received(rows[rows["group"] == name]) / received(rows)


def alone_ms(measure):
    """Wait of a flow that is alone on 20 Mbit/s; half of the round trip is propagation."""
    return lambda rows: (rows[f"delay_ms_{measure}"].iloc[0] - rows["set:vars.rtt_ms"].iloc[0] / 2
                         - PACKET_BITS / 20e3)


def ratio(rows):
    rates = rows.set_index("group")["goodput_bps"]
    return rates["prague"] / rates["cubic"]


def cycle_s(results):
    """Mean time between the ends of the spells in which the queue stays full, by series of a run."""
    def value(rows):
        with gzip.open(os.path.join(results, "runs", rows["key"].iloc[0] + ".links.csv.gz"), "rt") as file:
            link = pd.read_csv(file)
        link = link[link["link"] == "bottleneck"]
        full = (link["queue_ms"] > link["queue_ms"].max() / 2).tolist()
        ends = [time for time, before, now in zip(link["time_s"], full, full[1:]) if before and not now]
        return (ends[-1] - ends[0]) / (len(ends) - 1) if len(ends) > 1 else float("nan")
    return value


LOADS = {  # UDP's Mbit/s: published wait and P99 of UDP in ms, its share in percent; by the queue
    "pie": {50: (14.9, 22.7, 50.9), 70: (14.9, 24.2, 71.1), 100: (14.9, 21.4, 93.9), 140: (14.9, 24.2, 99.6),
            200: (14.9, 30.8, 100)},
    "codel": {50: (9.13, 16.8, 50.9), 70: (10.3, 21.4, 71.1), 100: (34.8, 259, 94.8), 140: (730, 876, 100),
              200: (572, 647, 100)},
    "dualpi2": {50: (14.9, 24.2, 51.1), 70: (14.9, 25.7, 71.5), 100: (14.9, 21.4, 90.8), 140: (14.9, 21.4, 99.6),
                200: (14.9, 20.1, 100)},
}
L4S = {50: (0.137, 22.0), 70: (0.114, 12.7), 100: (0.089, 6.6)}  # Prague's wait, and its share
ALONE = {5: (5.77, 8.09, 19.12), 20: (2.95, 6.55, 18.91), 40: (2.00, 5.87, 18.35), 80: (1.39, 5.31, 17.69)}
PRAGUE_ALONE = {5: (1.44, 19.12), 20: (1.44, 19.11), 40: (1.54, 18.90), 80: (1.34, 18.04)}
RATES = {10: (34.09 / 13.04 + 34.57 / 12.65) / 2, 20: (31.85 / 15.51 + 32.39 / 14.94) / 2,
         80: (29.92 / 17.48 + 29.58 / 17.85) / 2}  # Prague first, and Cubic first
NAMES = {"pie": "PIE", "codel": "CoDel", "dualpi2": "DualPI2"}


def loaded(run):
    for load, (wait, p99, part) in LOADS[run].items():
        def figure(title, published, decimals, value):
            return Figure(NAMES[run], f"UDP of {load} Mbit/s", title, published, decimals, run, value,
                          {"vars.udp_bps": load * 1000000})
        yield figure("mean wait, ms", wait, 1, wait_ms("udp"))
        yield figure("P99, ms", p99, 1, wait_ms("udp", "p99"))
        yield figure("UDP's share, %", part, 1, share("udp"))
        if run == "dualpi2" and load in L4S:
            yield figure("mean wait of L4S, ms", L4S[load][0], 3, wait_ms("probe"))
            yield figure("Pragues' share, %", L4S[load][1], 1, share("ecn"))


def rate(name):
    return of_group(name, "goodput_bps", scale=TO_MBPS)


def alone(queue, name, run, rtt_ms, values):
    def figure(title, published, value):
        return Figure(queue, f"a {name}, RTT {rtt_ms} ms", title, published, 2, run, value, {"vars.rtt_ms": rtt_ms})
    return [figure(title, published, value) for title, published, value in values]


def unshared(results):
    """Figures of one or two flows, and of the cycle."""
    yield Figure("CoDel", "UDP of 200 Mbit/s, on and on", "cycle, s", 106, 0, "cycle", cycle_s(results))
    for rtt_ms, (wait, p95, mbps) in ALONE.items():
        yield from alone("FQ-CoDel", "Cubic", "cubic", rtt_ms,
                         [("mean wait, ms", wait, alone_ms("mean")), ("P95, ms", p95, alone_ms("p95")),
                          ("goodput, Mbit/s", mbps, rate("flow"))])
    yield from alone("CoDel", "Cubic", "long", 160, [("goodput, Mbit/s", 16.86, rate("flow"))])
    for rtt_ms, (p95, mbps) in PRAGUE_ALONE.items():
        yield from alone("DualPI2", "Prague", "prague", rtt_ms,
                         [("P95 of the wait, ms", p95, of_group("flow", "link_queue_ms_p95")),
                          ("goodput, Mbit/s", mbps, rate("flow"))])
    for rtt_ms, published in RATES.items():
        yield Figure("DualPI2", f"Prague and Cubic, RTT {rtt_ms} ms", "Prague's rate / Cubic's", published, 2, "rates",
                     ratio, {"vars.prague_rtt_ms": rtt_ms})


# Of ns-3 3.44, five runs that differ by a packet
NS3 = (("near, Mbit/s", 5.72, 2, lambda rows: received(rows[rows["group"] == "near"]) * TO_MBPS),
       ("far, Mbit/s", 4.09, 2, lambda rows: received(rows[rows["group"] == "far"]) * TO_MBPS),
       ("near loses, packets", 324, 0, of_group("near", "lost_packets")),
       ("far loses, packets", 119, 0, of_group("far", "lost_packets")),
       ("thin waits, ms", 0.65, 2, of_group("thin", "delay_ms_mean", THIN_ON_THE_WAY_MS)))


def beside_ns3():
    return [Figure("FQ-CoDel", "three flows, beside ns-3", title, published, decimals, "flows", value)
            for title, published, decimals, value in NS3]


def figures(results):
    return [figure for run in LOADS for figure in loaded(run)] + list(unshared(results)) + beside_ns3()


def read(results):
    return pd.read_csv(os.path.join(results, "flows.csv"), dtype={"key": str}, low_memory=False)


def table_text(results):
    """A row per setting, with its figures side by side; settings that the sweep left out are not there."""
    table, rows = read(results), {}
    for figure in figures(results):
        if not figure.per_seed(table).empty:
            rows.setdefault((figure.queue, figure.setting), []).append(figure.texts(table))
    return page.grid(["queue", "setting", "figures", "published", "here", "here / published"],
                     [[*place, *("; ".join(texts) for texts in zip(*found))] for place, found in rows.items()])


def spread_text(results):
    """How far the seeds are from their median, at most."""
    table, found = read(results), []
    for figure in figures(results):
        values = figure.per_seed(table)
        if len(values) > 1:
            found.append(max(values.max() / values.median(), values.median() / values.min()) - 1)
    return f"The seeds are within {100 * max(found):.0f} % of these medians." if found else "One seed."


def write(options, summary):
    written = os.path.join(options.out, "queues.md")
    program.fill(program.of_tree("docs", "queues.md"), written,
                 {"made": page.made_text(summary, datetime.date.today()), "figures": table_text(options.results),
                  "spread": spread_text(options.results) + "\n"})
    return written


if __name__ == "__main__":
    sys.exit(program.document("queues", __doc__, write))
