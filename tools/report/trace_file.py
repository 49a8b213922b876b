# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads a trace of weirsend (docs/trace.md), its old parts first."""
import json
import os

import numpy

from recording import Flow, Problem, Recording

VERSION = 3
BIN_NS = 100_000_000
BIN_S = BIN_NS / 1e9
OLD_PARTS = 4


def part_files(path):
    """FILE.4 ... FILE.1, FILE: what there is of them."""
    names = [f"{path}.{age}" for age in range(OLD_PARTS, 0, -1)]
    return [name for name in names if os.path.isfile(name)] + [path]


def check_version(record, where):
    if record.get("version") != VERSION:
        raise Problem(f"{where}: a trace of version {record.get('version')}; this program reads {VERSION}")


def lines(path):
    """(where, record) of each line. Raises Problem."""
    for name in part_files(path):
        try:
            file = open(name, encoding="utf-8", errors="replace")
        except OSError as error:
            raise Problem(f"{name}: {error.strerror}") from None
        with file:
            for number, line in enumerate(file, 1):
                where = f"{name}, line {number}"
                try:
                    record = json.loads(line)
                    kind = record["kind"]
                except (ValueError, KeyError, TypeError):
                    raise Problem(f"{where}: not a record of a trace" if line.endswith("\n") else
                                  f"{where}: the trace is cut off in the middle of a line") from None
                if kind in ("start", "part"):
                    check_version(record, where)
                yield where, record


class Series:
    """Collects the records of a trace into bins of BIN_S seconds."""

    def __init__(self):
        self.start_ns = None
        self.algorithms = []
        self.end_bin = 0
        self.sums = {"sent": {}, "delivered": {}, "lost": {}}
        self.delays = {}
        self.outputs = {}
        self.limits = {}  # how often each was seen, ten times a second

    def bin_of(self, now_ns):
        if self.start_ns is None:
            self.start_ns = now_ns
        index = max(0, (now_ns - self.start_ns) // BIN_NS)
        self.end_bin = max(self.end_bin, index + 1)
        return index

    def add(self, what, index, value):
        sums = self.sums[what]
        sums[index] = sums.get(index, 0) + value

    def on_packet(self, index, record):
        if record["status"] == "lost":
            self.add("lost", index, 1)
            return
        self.add("delivered", index, record["wire_bytes"])
        if record["arrived_ns"] is not None:
            self.delays.setdefault(index, []).append((record["arrived_ns"] - record["sent_ns"]) / 1e6)

    def on_record(self, record):
        kind = record["kind"]
        if kind == "part":
            return
        index = self.bin_of(record["now_ns"])
        if kind == "sent":
            self.add("sent", index, record["wire_bytes"])
        elif kind == "packet":
            self.on_packet(index, record)
        elif kind == "output":
            self.outputs[index] = record
        elif kind == "figures":
            self.limits[record["limited_by"]] = self.limits.get(record["limited_by"], 0) + 1
        elif kind == "start":
            self.algorithms.append(record["algorithm"])

    def summed(self, what):
        values = numpy.zeros(self.end_bin)
        for index, value in self.sums[what].items():
            values[index] = value
        return values

    def held(self, field, scale=1.0):
        """The answer that held at the end of each bin."""
        values = numpy.full(self.end_bin, numpy.nan)
        for index, record in self.outputs.items():
            if record.get(field) is not None:
                values[index] = record[field] * scale
        for index in range(1, self.end_bin):
            if numpy.isnan(values[index]):
                values[index] = values[index - 1]
        return values

    def queueing_ms(self):
        """One-way delays above the smallest: the clocks of both ends are not compared."""
        values = numpy.full(self.end_bin, numpy.nan)
        least = min((min(d) for d in self.delays.values()), default=0.0)
        for index, delays in self.delays.items():
            values[index] = sum(delays) / len(delays) - least
        return values

    def limit_table(self):
        """What limited the rate, longest first."""
        total = sum(self.limits.values())
        rows = [[name, f"{100 * count / total:.0f} %"] for name, count in sorted(self.limits.items(), key=lambda item: -item[1])]
        return "What limited the rate", ["cause", "of the time"], rows

    def flow(self):
        return Flow(name="media", time_s=BIN_S * numpy.arange(1, self.end_bin + 1),
                    sent_bps=8 * self.summed("sent") / BIN_S,
                    delivered_bps=8 * self.summed("delivered") / BIN_S,
                    target_bps=self.held("target_media_bps"),
                    allowed_bps=self.held("allowed_wire_bps"), lost_packets=self.summed("lost"),
                    delay_ms=self.queueing_ms(), delay_is_queueing=True,
                    rtt_ms=self.held("rtt_ns", 1e-6))


def read(path):
    """The Recording of a trace. Raises Problem."""
    series = Series()
    where = path
    for where, record in lines(path):
        try:
            series.on_record(record)
        except (KeyError, TypeError):
            raise Problem(f"{where}: a record \"{record['kind']}\" lacks a field") from None
    if series.start_ns is None:
        raise Problem(f"{path}: an empty trace")
    algorithms = list(dict.fromkeys(series.algorithms)) or ["beginning not recorded"]
    return Recording(title=f"{os.path.basename(path)}: {', '.join(algorithms)}", flows=[series.flow()],
                     tables=[series.limit_table()] if series.limits else [])
