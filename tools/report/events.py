# SPDX-License-Identifier: LGPL-2.1-or-later
"""A trace as other tools read it: qlog, for qvis, and the JSON of Chrome's traces, for Perfetto. Both are written event by
event, whatever the length of the trace."""
import json
import os

import traces

CHANGES = ("allowed_wire_bps", "target_media_bps", "pacing_wire_bps")
# of what holds in a bin: (track in Perfetto, column)
TRACKS = (("allowed, wire (bit/s)", "allowed_bps"), ("target, media (bit/s)", "target_bps"), ("round trip (ms)", "rtt_ms"),
          ("queueing delay (ms)", "queueing_ms"), ("send queue (ms)", "send_queue_ms"))
PROCESS, LOSSES, CAUSES = 1, 1, 2  # ids in Perfetto


def ranges(numbers):
    """Ascending numbers as [first, last]."""
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


class Qlog:
    """Version 0.3 of qlog (draft-ietf-quic-qlog-main-schema-02, -quic-events-01), which qvis reads. An RTP packet is told of as a packet
    of QUIC: its number counts from 0 as in the trace, and a feedback is a packet that acknowledges. What QUIC has not is
    named weir:..."""

    def __init__(self, path):
        self.start_ns = None
        self.feedbacks = 0
        self.missing = 0  # records of packets of the feedback at hand
        self.acked = []
        self.told = {}  # the metrics, as last told
        self.head = {"qlog_version": "0.3", "qlog_format": "JSON", "title": os.path.basename(path), "traces": []}
        self.trace = {"title": "media", "vantage_point": {"type": "server", "name": "weirsend"},
                      "common_fields": {"time_format": "relative", "reference_time": 0, "ODCID": "weir"}, "events": []}

    def frame(self):
        """What is before the events, between them and behind."""
        outer, inner = json.dumps(self.head), json.dumps(self.trace)
        return outer[:-2] + inner[:-2] + "\n", ",\n", "\n" + inner[-2:] + outer[-2:] + "\n"

    def event(self, name, data):
        return {"time": (self.now_ns - self.start_ns) / 1e6, "name": name, "data": data}

    def take(self, record):
        """The events of a record."""
        if record["kind"] == "part":
            return []
        self.now_ns = int(record["now_ns"])
        if self.start_ns is None:
            self.start_ns = self.now_ns
        return getattr(self, "on_" + record["kind"], lambda _: [])(record)

    def end(self):
        return []

    def on_start(self, record):
        yield self.event("weir:algorithm_started", {"algorithm": record["algorithm"]})

    @staticmethod
    def header(number):
        return {"packet_type": "1RTT", "packet_number": number}

    def on_sent(self, record):
        yield self.event("transport:packet_sent", {"header": self.header(record["seq"]), "raw": {"length": record["wire_bytes"]}})
        yield from self.metrics({"bytes_in_flight": record["in_flight_bytes"]})

    def metrics(self, known):
        """Those that have changed."""
        news = {name: value for name, value in known.items() if value not in (None, self.told.get(name))}
        self.told |= news
        if news:
            yield self.event("recovery:metrics_updated", news)

    def on_feedback(self, record):
        self.acked, self.missing = [], record["n_packets"]
        rtt_ns = record["rtt_ns"]
        yield from self.metrics({"latest_rtt": None if rtt_ns is None else rtt_ns / 1e6, "bytes_in_flight": record["in_flight_bytes"]})

    def on_packet(self, record):
        if record["status"] == "lost":
            yield self.event("recovery:packet_lost", {"header": self.header(record["seq"])})
        else:
            self.acked.append(+record["seq"])
        self.missing -= 1
        if self.missing == 0 and self.acked:
            frames = [{"frame_type": "ack", "acked_ranges": ranges(self.acked)}]
            yield self.event("transport:packet_received", {"header": self.header(self.feedbacks), "frames": frames})
            self.feedbacks += 1

    def on_report(self, record):
        yield self.event("weir:receiver_report", {"expected_packets": record["expected_packets"],
                                                  "lost_packets": record["lost_packets"]})

    def on_output(self, record):
        rtt_ns = record["rtt_ns"]
        yield from self.metrics({"smoothed_rtt": None if rtt_ns is None else rtt_ns / 1e6, "congestion_window": record["window_bytes"],
                            "pacing_rate": record["pacing_wire_bps"]})
        yield self.event("weir:rate_updated", {name: record[name] for name in CHANGES})

    def on_figures(self, record):
        yield self.event("weir:figures_updated", {name: record[name] for name in ("limited_by", "queueing_ns", "send_queue_ns")})


class Perfetto(traces.Bins):
    """Counters ten times a second, losses as instants, and as slices what limited the rate."""

    def __init__(self, path):
        super().__init__()
        self.events = [self.name("process_name", 0, os.path.basename(path)), self.name("thread_name", LOSSES, "losses"),
                       self.name("thread_name", CAUSES, "what limits the rate")]
        self.cause = None

    @staticmethod
    def frame():
        return '{"displayTimeUnit":"ms","traceEvents":[\n', ",\n", "\n]}\n"

    @staticmethod
    def name(kind, thread, text):
        return {"ph": "M", "name": kind, "pid": PROCESS, "tid": thread, "args": {"name": text}}

    def take(self, record):
        super().take(record)
        taken, self.events = self.events, []
        return taken

    def end(self):
        self.end_bins(self.index + 1)
        if self.cause:
            self.add("E", self.cause, CAUSES, self.BIN_NS * self.index)
        return self.events

    def add(self, phase, name, thread, at_ns, **more):
        self.events.append({"ph": phase, "name": name, "pid": PROCESS, "tid": thread, "ts": at_ns / 1e3, **more})

    def on_bin(self):
        end_ns = self.BIN_NS * self.index
        seconds = self.BIN_NS / 1e9
        values = {"sent, wire (bit/s)": 8 * self.bin.sent_bytes / seconds,
                  "delivered, wire (bit/s)": 8 * self.bin.delivered_bytes / seconds}
        values |= {track: self.held[column] for track, column in TRACKS if column in self.held}
        values |= {column: value for column, value in self.held.items() if "." in column}
        for track, value in values.items():
            self.add("C", track, 0, end_ns, args={"value": value})

    def on_packet(self, record):
        super().on_packet(record)
        if record["status"] == "lost":
            self.add("i", "lost", LOSSES, int(record["now_ns"]) - self.start_ns, s="t", args={"seq": record["seq"]})

    def on_figures(self, record):
        super().on_figures(record)
        cause, at_ns = self.held["limit"], int(record["now_ns"]) - self.start_ns
        if cause != self.cause:
            if self.cause:
                self.add("E", self.cause, CAUSES, at_ns)
            self.add("B", cause, CAUSES, at_ns)
            self.cause = cause


def texts(path, form):
    """The file of a trace, event by event. Raises traces.Problem."""
    taker = form(path)
    first, between, last = taker.frame()
    yield first
    separator = ""
    record = None
    for where, record in traces.records(path):
        try:
            events = list(taker.take(record))
        except (ValueError, KeyError, TypeError):
            raise traces.Problem(f"{where}: a record \"{record['kind']}\" lacks a field") from None
        for event in events:
            yield separator + json.dumps(event, separators=(",", ":"))
            separator = between
    if record is None:
        raise traces.Problem(f"{path}: an empty trace")
    for event in taker.end():
        yield separator + json.dumps(event, separators=(",", ":"))
        separator = between
    yield last
