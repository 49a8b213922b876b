# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a trace of weirsend (docs/trace.md) to rows, five a second; rates are means over a second and losses over ten, as
in the element's statistics."""
import collections
import json

from problem import Problem

VERSION = 3
BIN_NS = 200_000_000
RATE_BINS = 5
LOSS_BINS = 50
KINDS = {"start", "param", "sent", "feedback", "packet", "report", "timer", "limits", "output", "path", "control", "part",
         "figures", "variable"}


class Bin:
    """Sums of one fifth of a second."""
    __slots__ = ("sent_bytes", "delivered_bytes", "received", "lost")

    def __init__(self):
        self.sent_bytes = self.delivered_bytes = self.received = self.lost = 0


class Rows:
    """Takes the records of one trace, gives rows to a store."""

    def __init__(self, store, name):
        self.store = store
        self.name = name
        self.bins = collections.deque(maxlen=LOSS_BINS)
        self.held = {}  # columns whose last value holds
        self.start_ns = None
        self.index = 0
        self.algorithm = None

    def restart(self):
        self.store.forget(self.name)
        self.__init__(self.store, self.name)

    def take_line(self, line):
        """False for a line that is no record of a trace. Raises Problem at another version."""
        try:
            record = json.loads(line)
            if record["kind"] not in KINDS:
                return False
            self.take(record)
        except (ValueError, KeyError, TypeError):
            return False
        return True

    def take(self, record):
        kind = record["kind"]
        if kind in ("start", "part") and record.get("version") != VERSION:
            raise Problem(f"a trace of version {record.get('version')}; this program reads {VERSION}")
        now_ns = int(record["now_ns"])
        if self.start_ns is None:
            self.start_ns = now_ns
            self.bins.append(Bin())
        while now_ns - self.start_ns >= (self.index + 1) * BIN_NS:
            self.finish_bin(now_ns)
        take = getattr(self, "on_" + kind, None)
        if take:
            take(record)

    def finish_bin(self, now_ns):
        self.index += 1
        self.store.add("sender", self.name, self.index * BIN_NS / 1e9, self.row())
        skipped = (now_ns - self.start_ns) // BIN_NS - self.index
        if skipped > LOSS_BINS:  # nothing happened for long
            self.index += skipped - LOSS_BINS
        self.bins.append(Bin())

    def row(self):
        recent = list(self.bins)[-RATE_BINS:]
        seconds = len(recent) * BIN_NS / 1e9
        received = sum(b.received for b in self.bins)
        lost = sum(b.lost for b in self.bins)
        return {**self.held, "sent_bps": 8 * sum(b.sent_bytes for b in recent) / seconds,
                "delivered_bps": 8 * sum(b.delivered_bytes for b in recent) / seconds,
                "loss_percent": 100 * lost / (received + lost) if received + lost > 0 else 0}

    def hold(self, column, value, factor=1):
        if value is None:
            self.held.pop(column, None)
        else:
            self.held[column] = value * factor

    def on_start(self, record):
        self.algorithm = str(record["algorithm"])
        self.held = {name: value for name, value in self.held.items() if "." not in name}
        self.held["algorithm"] = self.algorithm

    def on_sent(self, record):
        self.bins[-1].sent_bytes += record["wire_bytes"]

    def on_packet(self, record):
        if record["status"] == "lost":
            self.bins[-1].lost += 1
            return
        self.bins[-1].delivered_bytes += record["wire_bytes"]
        self.bins[-1].received += 1
        self.bins[-1].lost -= record["status"] == "late"

    def on_report(self, record):
        received = record["expected_packets"] - record["lost_packets"]
        self.bins[-1].received += received
        self.bins[-1].lost += record["lost_packets"]
        self.bins[-1].delivered_bytes += received * record["packet_bytes"]

    def on_output(self, record):
        self.hold("target_bps", record["target_media_bps"])
        self.hold("allowed_bps", record["allowed_wire_bps"])
        self.hold("rtt_ms", record["rtt_ns"], 1e-6)

    def on_figures(self, record):
        self.held["limit"] = str(record["limited_by"])
        self.hold("queueing_ms", record["queueing_ns"], 1e-6)
        self.hold("send_queue_ms", record["send_queue_ns"], 1e-6)

    def on_variable(self, record):
        self.hold(f"{self.algorithm}.{record['name']}", record["value"])
