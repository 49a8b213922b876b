# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traces of weirsend (docs/trace.md) as the Python programs read them: records of a file, its old parts first, and
sums of them over bins of time."""
import json
import os

VERSION = 3
OLD_PARTS = 4
KINDS = {"start", "param", "sent", "feedback", "packet", "report", "timer", "limits", "output", "path", "control", "part",
         "figures", "variable"}


LARGEST = 1e100  # far beyond what is written, and products of two are still finite


class Problem(Exception):
    """Wrong input, in words for the user."""


def parts_of(path):
    """The older parts of a trace, oldest first: FILE.4 ... FILE.1, what there is of them."""
    names = [f"{path}.{age}" for age in range(OLD_PARTS, 0, -1)]
    return [name for name in names if os.path.isfile(name)]


def is_plain(value):
    """A text, nothing, or a number that can be reckoned with; NaN is none."""
    return value is None or isinstance(value, str) or (isinstance(value, (int, float)) and abs(value) <= LARGEST)


def record_of(line):
    """The record of a line, None when it is none. Raises Problem at another version."""
    try:
        record = json.loads(line)
        kind = record["kind"]
        if kind not in KINDS or not all(map(is_plain, record.values())):
            return None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if kind in ("start", "part") and record.get("version") != VERSION:
        raise Problem(f"a trace of version {record.get('version')}; this program reads {VERSION}")
    return record


def records(path):
    """(where, record) of each line of a trace that is over. Raises Problem."""
    for name in [*parts_of(path), path]:
        try:
            file = open(name, encoding="utf-8", errors="replace")
        except OSError as error:
            raise Problem(f"{name}: {error.strerror}") from None
        with file:
            for number, line in enumerate(file, 1):
                where = f"{name}, line {number}"
                try:
                    record = record_of(line)
                except Problem as problem:
                    raise Problem(f"{where}: {problem}") from None
                if record is None:
                    raise Problem(f"{where}: not a record of a trace" if line.endswith("\n") else
                                  f"{where}: the trace is cut off in the middle of a line")
                yield where, record


class Bin:
    __slots__ = ("sent_bytes", "delivered_bytes", "received", "lost", "delays", "delay_sum_ns")

    def __init__(self):
        self.sent_bytes = self.delivered_bytes = self.received = self.lost = self.delays = self.delay_sum_ns = 0


class Bins:
    """Takes the records of one trace; on_bin() is called as each bin ends, which is the index-th. `held` has what holds until it
    changes. KeyError or TypeError: a record lacks a field, or it is no number."""
    BIN_NS = 100_000_000
    MOST_EMPTY = 600  # at the end of a silence; of a longer one those after its first are left out

    def __init__(self):
        self.bin = Bin()
        self.held = {}
        self.start_ns = None
        self.index = 0
        self.algorithm = None

    def on_bin(self):
        raise NotImplementedError

    def take(self, record):
        if record["kind"] == "part":
            return
        now_ns = int(record["now_ns"])
        if self.start_ns is None:
            self.start_ns = now_ns
        self.end_bins((now_ns - self.start_ns) // self.BIN_NS)
        take = getattr(self, "on_" + record["kind"], None)
        if take:
            take(record)

    def end_bins(self, index):
        """Those before the index-th."""
        first_empty = self.index + 1
        while self.index < index:
            if self.index == first_empty + 1:
                self.index = max(self.index, index - self.MOST_EMPTY)
            self.index += 1
            self.on_bin()
            self.bin = Bin()

    def hold(self, column, value, factor=1):
        if value is None:
            self.held.pop(column, None)
        else:
            self.held[column] = +value * factor  # of a text: TypeError

    def on_start(self, record):
        self.algorithm = str(record["algorithm"])
        self.held = {name: value for name, value in self.held.items() if "." not in name}
        self.held["algorithm"] = self.algorithm

    def on_sent(self, record):
        self.bin.sent_bytes += record["wire_bytes"]

    def on_packet(self, record):
        if record["status"] == "lost":
            self.bin.lost += 1
            return
        self.bin.delivered_bytes += record["wire_bytes"]
        self.bin.received += 1
        self.bin.lost -= record["status"] == "late"
        if record.get("arrived_ns") is not None:
            self.on_delay(record["arrived_ns"] - record["sent_ns"])

    def on_delay(self, delay_ns):
        """One-way; the clocks of both ends are not compared."""
        self.bin.delays += 1
        self.bin.delay_sum_ns += delay_ns

    def on_report(self, record):
        received = record["expected_packets"] - record["lost_packets"]
        self.bin.received += received
        self.bin.lost += record["lost_packets"]
        self.bin.delivered_bytes += received * record["packet_bytes"]

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
