# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is drawn: the time series of flows and links, whatever they came from."""
import dataclasses

import numpy


class Problem(Exception):
    """Wrong input, in words for the user."""


def empty():
    return numpy.zeros(0)


@dataclasses.dataclass
class Flow:
    """Series of one flow, one value per bin; a series that nobody measured is empty."""
    name: str
    group: str = ""
    time_s: numpy.ndarray = dataclasses.field(default_factory=empty)  # end of the bin
    sent_bps: numpy.ndarray = dataclasses.field(default_factory=empty)  # wire rates
    delivered_bps: numpy.ndarray = dataclasses.field(default_factory=empty)
    target_bps: numpy.ndarray = dataclasses.field(default_factory=empty)
    allowed_bps: numpy.ndarray = dataclasses.field(default_factory=empty)
    lost_packets: numpy.ndarray = dataclasses.field(default_factory=empty)
    delay_ms: numpy.ndarray = dataclasses.field(default_factory=empty)
    delay_is_queueing: bool = False  # delay_ms has the smallest taken off: clocks not compared
    rtt_ms: numpy.ndarray = dataclasses.field(default_factory=empty)


@dataclasses.dataclass
class Link:
    name: str
    time_s: numpy.ndarray = dataclasses.field(default_factory=empty)
    capacity_bps: numpy.ndarray = dataclasses.field(default_factory=empty)
    delivered_bps: numpy.ndarray = dataclasses.field(default_factory=empty)
    queue_ms: numpy.ndarray = dataclasses.field(default_factory=empty)
    dropped_packets: numpy.ndarray = dataclasses.field(default_factory=empty)


@dataclasses.dataclass
class Span:
    """A stretch of time with a remark."""
    from_s: float
    to_s: float
    text: str


@dataclasses.dataclass
class Recording:
    title: str
    flows: list
    links: list = dataclasses.field(default_factory=list)
    spans: list = dataclasses.field(default_factory=list)
    tables: list = dataclasses.field(default_factory=list)  # (heading, columns, rows of texts)
    note: str = ""

    def end_s(self):
        ends = [part.time_s[-1] for part in self.flows + self.links if len(part.time_s)]
        return max(ends, default=1.0)

    def bottleneck(self):
        """The link whose capacity is shown: the one used most."""
        def use(link):
            capacity = link.capacity_bps.mean() if len(link.capacity_bps) else 0.0
            return link.delivered_bps.mean() / capacity if capacity > 0 else 0.0
        return max(self.links, key=use, default=None)


def has(series):
    """Whether somebody measured it."""
    return len(series) > 0 and bool(numpy.isfinite(series).any()) and bool(numpy.nanmax(series) > 0)
