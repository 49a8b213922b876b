# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is drawn: the time series of flows and links, whatever they came from."""
import dataclasses
import warnings

import numpy

MOST_FLOWS = 8  # drawn one by one


def empty():
    return numpy.zeros(0)


@dataclasses.dataclass
class Flow:
    """Series of one flow, one value per bin; a series that nobody measured is empty."""
    name: str
    group: str = ""
    links: list = None  # names of the links it crosses; None = all
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

    def crossing(self, link):
        """The flows that cross a link; all, when there is none or nobody says."""
        if link is None:
            return self.flows
        return [flow for flow in self.flows if flow.links is None or link.name in flow.links]

    def bottleneck(self):
        """The link that is shown: the one used most."""
        def use(link):
            capacity = link.capacity_bps.mean() if len(link.capacity_bps) else 0.0
            return link.delivered_bps.mean() / capacity if capacity > 0 else 0.0
        return max(self.links, key=use, default=None)


    def focus(self):
        """What is drawn: the link used most and the flows that cross it, many of them as groups."""
        link = self.bottleneck()
        flows = self.crossing(link) or self.flows
        title = self.title
        if link is not None and len(self.links) > 1:
            title += f" (link {link.name})"
        if len(flows) > MOST_FLOWS and 1 < len({flow.group for flow in flows}) <= MOST_FLOWS:
            flows = grouped(flows)
        return dataclasses.replace(self, title=title, flows=flows, links=[link] if link else [])


def grouped(flows):
    """One flow per group: rates and losses summed, delays averaged."""
    groups = {}
    for flow in flows:
        groups.setdefault(flow.group, []).append(flow)
    return [joined(name, members) for name, members in groups.items()]


def joined(name, members):
    length = max(len(flow.time_s) for flow in members)
    whole = [flow for flow in members if len(flow.time_s) == length]
    total = lambda series: sum(numpy.nan_to_num(getattr(flow, series)) for flow in whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # bins in which nobody heard anything
        delay_ms = numpy.nanmean([flow.delay_ms for flow in whole], axis=0)
    return Flow(name=f"{name} ({len(members)})", group=name, time_s=whole[0].time_s,
                sent_bps=total("sent_bps"), delivered_bps=total("delivered_bps"),
                lost_packets=total("lost_packets"), delay_ms=delay_ms)


def has(series):
    """Whether somebody measured it."""
    return len(series) > 0 and bool(numpy.isfinite(series).any()) and bool(numpy.nanmax(series) > 0)
