# SPDX-License-Identifier: LGPL-2.1-or-later
"""One race: a media flow and a kernel TCP flow through one bottleneck, and what came of it."""
import collections
import csv
import json
import os
import sys
import tempfile
import time

from arithmetic import quantile, ratio
from link import Link
from programs import ProgramError, Programs

HERE = os.path.dirname(os.path.abspath(__file__))
QUEUE_MS = 150  # one of 2 Mbit/s x 40 ms would hold 7 packets, less than a frame of video
START_S = 15  # for both to leave slow start and meet
BEHIND_S = 1  # TCP starts this long after the media flow
LOG_MS = 10

# A race to run. algorithm None: TCP alone; tcp None: the media flow alone.
Race = collections.namedtuple("Race", "algorithm tcp capacity_bps rtt_ms")

# What came of it. Shares and losses are ratios, None where there is nothing to share.
Result = collections.namedtuple(
    "Result", "media_bps tcp_bps share utilisation queue_p50_ms queue_p95_ms media_loss loss late_p99_ms "
              "source_late_ms")


def name_of(race):
    flows = " against ".join(name for name in (race.algorithm, race.tcp) if name)
    return f"{flows} at {race.capacity_bps / 1e6:g} Mbit/s, {race.rtt_ms:g} ms"


def difference(first, last, kind, field):
    return last["forward"][kind][field] - first["forward"][kind][field]


def read_queue_ms(path, from_s, to_s):
    with open(path, encoding="ascii") as file:
        return [float(row["queue_ms"]) for row in csv.DictReader(file)
                if from_s <= float(row["time_s"]) <= to_s and row["queue_ms"]]


def judge(race, lines, queue_ms, source):
    """lines: of weir-link, the first and the last of the time to measure. source: lines of the sender."""
    first, last = lines[0], lines[-1]
    duration_s = last["time_s"] - first["time_s"]
    bps = {kind: 8 * difference(first, last, kind, "delivered_bytes") / duration_s for kind in ("tcp", "udp")}
    offered = {kind: difference(first, last, kind, "offered_packets") for kind in ("tcp", "udp")}
    dropped = {kind: difference(first, last, kind, "dropped_packets") for kind in ("tcp", "udp")}
    both = race.algorithm and race.tcp
    return Result(
        media_bps=round(bps["udp"]), tcp_bps=round(bps["tcp"]),
        share=ratio(bps["udp"], bps["udp"] + bps["tcp"]) if both else None,
        utilisation=(bps["udp"] + bps["tcp"]) / race.capacity_bps,
        queue_p50_ms=quantile(queue_ms, 0.5), queue_p95_ms=quantile(queue_ms, 0.95),
        media_loss=ratio(dropped["udp"], offered["udp"]) if race.algorithm else None,
        loss=ratio(sum(dropped.values()), sum(offered.values())),
        late_p99_ms=last["forward"]["late_ms_p99"],
        source_late_ms=max((line["late_ms"] for line in source), default=None))


class RacePrograms(Programs):
    def __init__(self, link, race, duration_s, folder):
        super().__init__(link, folder)
        self.race, self.duration_s = race, duration_s
        if race.algorithm:
            self.start_media()
        if race.tcp:
            self.start_tcp()

    def start_media(self):
        media = os.path.join(HERE, "media.py")
        self.start("receiver", "b", sys.executable, media, "receive", self.link.address("a"))
        self.wait_for_output("receiver")
        self.start("sender", "a", sys.executable, media, "send", self.link.address("b"), self.race.algorithm,
                   str(2 * self.race.capacity_bps))
        self.wait_for_output("sender")

    def start_tcp(self):
        self.start("iperf3-server", "b", "iperf3", "-s", "-1", "--forceflush")
        self.wait_for_output("iperf3-server")
        time.sleep(BEHIND_S if self.race.algorithm else 0)
        self.start("iperf3", "a", "iperf3", "-c", self.link.address("b"), "-C", self.race.tcp, "-t",
                   str(self.duration_s + 60))

    def source(self):
        text = self.read("sender") if self.race.algorithm else ""
        return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


def run(race, weir_link, measure_s, start_s=START_S, stop=None):
    """The result; None when the event `stop` ended it. Raises LinkError or ProgramError with a sentence."""
    with tempfile.TemporaryDirectory(prefix="weir-race-") as folder:
        log = os.path.join(folder, "link.csv")
        options = ["--capacity", str(race.capacity_bps), "--delay", f"{race.rtt_ms / 2:g}ms", "--queue-time",
                   f"{QUEUE_MS}ms", "--stats-interval", "1s", "--log", log, "--log-interval", f"{LOG_MS}ms"]
        with Link(weir_link, *options) as link:
            programs = RacePrograms(link, race, start_s + measure_s, folder)
            lines = []
            begin_s = None
            for line in link.lines():
                if stop and stop.is_set():
                    return None
                programs.check()
                begin_s = line["time_s"] + start_s if begin_s is None else begin_s
                if line["time_s"] >= begin_s:
                    lines.append(line)
                if lines and line["time_s"] >= begin_s + measure_s - 0.01:
                    break
            else:
                raise ProgramError("weir-link ended early")
            source = programs.source()[-int(measure_s):]
            programs.stop()
        queue_ms = read_queue_ms(log, lines[0]["time_s"], lines[-1]["time_s"])
        return judge(race, lines, queue_ms, source)
