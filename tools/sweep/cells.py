# SPDX-License-Identifier: LGPL-2.1-or-later
"""The cells of sweeps/grid.json (capacity, RTT, buffer), each alone and beside a TCP: what is wanted of one, and what it got."""
from dataclasses import dataclass

import pandas as pd

LEAST_USED = 0.9
MOST_QUEUE_MS, MOST_QUEUE_PACKETS, PACKET_BYTES = 40, 4, 1228  # whichever is longer
LEAST_SHARE, MOST_SHARE = 1 / 2, 2
AXES = ("set:vars.capacity_bps", "set:vars.rtt_ms", "set:vars.buffer_ms")
RUNS = {"alone": "alone", "reno": "beside one Reno", "cubic": "beside one Cubic", "reno-first": "a Reno was first",
        "cubic-first": "a Cubic was first"}


@dataclass(frozen=True)
class Cell:
    """The medians of the seeds; `share` is of half the capacity."""
    used: float
    queue_ms: float
    share: float
    most_queue_ms: float
    alone: bool

    def has_too_little(self):
        return self.used < LEAST_USED if self.alone else self.share < LEAST_SHARE

    def has_too_much(self):
        return self.queue_ms > self.most_queue_ms if self.alone else self.share > MOST_SHARE

    def is_as_wanted(self):
        return not self.has_too_little() and not self.has_too_much()

    def text(self):
        """In bold when it is not as wanted."""
        text = f"used {self.used:.2f}, q95 {self.queue_ms:.1f} ms" if self.alone else f"{self.share:.3f} of its share"
        return text if self.is_as_wanted() else f"**{text}**"


def most_queue_ms(capacity_bps):
    return max(MOST_QUEUE_MS, MOST_QUEUE_PACKETS * PACKET_BYTES * 8e3 / capacity_bps)


def read(path):
    """The rows of the tested flow, a row per run."""
    table = pd.read_csv(path, dtype={"key": str}, low_memory=False)
    return table[table["tested"].astype(bool)]


def cell(rows, run, capacity_bps):
    middle = rows[["link_utilization", "link_queue_ms_p95", "goodput_bps"]].median()
    return Cell(middle["link_utilization"], middle["link_queue_ms_p95"], middle["goodput_bps"] / (capacity_bps / 2),
                most_queue_ms(capacity_bps), run == "alone")


def of(table, run, algorithm):
    return table[(table["run"] == run) & (table["algorithm"] == algorithm)]


def cells(table, run, algorithm):
    """{(capacity, RTT, buffer): Cell}"""
    return {place: cell(one, run, place[0]) for place, one in of(table, run, algorithm).groupby(list(AXES))}


def as_wanted(found):
    return sum(cell.is_as_wanted() for cell in found.values())


def per_seed(table, run, algorithm):
    """The cells of each seed."""
    return [cells(rows, run, algorithm) for _, rows in of(table, run, algorithm).groupby("seed")]


def with_every_seed(table, run, algorithm):
    """How many cells are as wanted whatever the seed."""
    seeds = per_seed(table, run, algorithm)
    return sum(all(place in seed and seed[place].is_as_wanted() for seed in seeds) for place in seeds[0])
