#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random lives of a flow: lib/controllers/NAME.c and the naive NAME_oracle.py must give the same
rate and variables (1e-6) after every event.
Usage: test_oracle.py DRIVER NAME [SCRIPTS [FIRST_SEED]]

An oracle's module has
  VARIANTS   list of (algorithm, parameters as the controller has them, arguments of oracle())
  VARIABLES  names of the variables to compare, besides the rate; members of the output too
  FORMS      "packets", "reports", or both: the feedback it understands
  oracle()   gives an object with on_sent(now_ns, size, in_flight, limited), on_timer(now_ns) and
             answer() -> (rate in bit/s, variables...), and, by its forms,
             on_feedback(now_ns, rtt_ns, in_flight, packets) with packets (seq, sent_ns, arrived_ns,
             size, status, ce), status 0 received, 1 lost, 2 late; and
             on_report(now_ns, rtt_ns, interval_ns, expected, lost, size, sent_bytes, limited,
             newest_age_ns, missing_age_ns);
             and on_probe(now_ns, asked_bytes, asked_bps, sent_bytes, received_bytes,
             sent_bps, delivered_bps) if the controller asks for probes, right after the event that ends one;
             and on_path(now_ns) if PATHS, the chance that a phase begins on a new path, is not 0.
  MARKS      chance that a packet that arrives is marked; like PATHS 0 where missing
  L4S        chance that in a phase packets leave as ECT(1), and ten times as many are marked; 0
             where missing. ce is then 2 of those that are not marked
  QUEUES     chance that in a phase packets queue before they arrive, up to 0.2 s; 0 where missing
  SCRIPTS    how many lives, unless told; 210 where missing
  life(seed) events of a life of its own, or None for one of those here"""
import importlib
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


class Life:
    """A flow with phases: busy, data-limited, idle, lossy, silent. Yields events."""

    def __init__(self, seed, module):
        self.random = random.Random(seed)
        self.form = module.FORMS[seed // len(module.VARIANTS) % len(module.FORMS)]
        self.marks = getattr(module, "MARKS", 0.0)
        self.paths = getattr(module, "PATHS", 0.0)
        self.l4s, self.is_l4s = getattr(module, "L4S", 0.0), False
        self.queues = getattr(module, "QUEUES", 0.0)
        self.queue = self.queue_growth = 0  # ns, and per packet
        self.now = 0
        self.sent = []  # [sent_ns, size, fate: arrival or None, reported, limited]
        self.steady_rtt = self.random.random() < 0.5
        self.knows_ages = seed % 3 > 0
        self.delay = self.random.randrange(10_000_000, 200_000_000)
        self.lost_reported = []
        self.in_flight = 0
        self.report_ns, self.counted, self.bytes_sent = 0, 0, 0

    def packets_to_report(self):
        """What arrived by now, and losses with three later arrivals; late ones seldom."""
        chosen, later = [], 0
        horizon = self.now - self.delay
        for seq in range(len(self.sent) - 1, max(-1, len(self.sent) - 250), -1):
            packet = self.sent[seq]
            arrived = packet[2] is not None and packet[2] <= horizon
            later += arrived
            if not packet[3] and (arrived or (packet[2] is None and later >= 3)):
                packet[3] = True
                self.in_flight -= packet[1]
                marks = self.marks * (10 if self.is_l4s else 1)
                marked = arrived and self.random.random() < marks
                ecn = 1 if marked else 2 * (arrived and self.is_l4s)
                chosen.append((seq, packet[0], packet[2] if arrived else -1, packet[1],
                               int(not arrived), ecn))
                if not arrived:
                    self.lost_reported.append(seq)
        if self.steady_rtt and self.lost_reported and self.random.random() < 0.05:
            seq = max(self.lost_reported)  # older losses can be out of reach of the controller
            self.lost_reported = []
            if all(seq != c[0] for c in chosen):
                packet = self.sent[seq]
                chosen.append((seq, packet[0], horizon, packet[1], 2, 0))
        return sorted(chosen)

    def events(self):
        feedback_at = 0
        for _ in range(self.random.randrange(3, 12)):
            gap = self.delay // self.random.randrange(2, 7)  # few enough for an exact X_recv
            loss = self.random.choice([0, 0, 0.01, 0.05, 0.2])
            limited = self.random.random() < 0.6
            idle, silent = self.random.random() < 0.15, self.random.random() < 0.15
            interval = self.random.randrange(self.delay // 4, 3 * self.delay)
            interval *= 1 if self.form == "packets" else self.random.randrange(1, 10)
            if self.random.random() < self.paths:
                self.delay = self.random.randrange(self.delay // 2, self.delay * 5 // 4)
                yield ("path", self.now)
            self.choose_queue()
            self.is_l4s = self.l4s > 0 and self.random.random() < self.l4s
            for _ in range(self.random.randrange(5, 60)):
                self.now += gap + self.random.randrange(1, 1000)
                yield ("timer", self.now)
                if not idle:
                    yield self.send(loss, limited)
                if self.now >= feedback_at and not silent:
                    feedback_at = self.now + interval
                    yield from self.feedback()

    def choose_queue(self):
        if self.queues:
            grows = self.random.random() < self.queues
            self.queue_growth = self.random.randrange(-6_000_000, 9_000_000) if grows else 0
            self.queue = self.queue if grows else 0

    def feedback(self):
        if self.form == "packets":
            packets = self.packets_to_report()
            if packets:
                yield ("feedback", self.now, self.rtt(), self.in_flight, packets)
        else:
            yield self.report()

    def report(self):
        """The counters of a receiver: what was sent up to the last that arrived."""
        horizon = self.now - self.delay
        arrived = [i for i, p in enumerate(self.sent) if p[2] is not None and p[2] <= horizon]
        end = max(arrived + [self.counted - 1]) + 1
        new = self.sent[self.counted:end]
        lost = sum(p[2] is None for p in new)
        since = [p for p in self.sent if p[0] > self.report_ns]
        rtt = self.rtt() if self.random.random() < 0.9 else -1
        size = max(1, sum(p[1] for p in since) // max(1, len(since)))
        event = ("report", self.now, rtt, self.now - self.report_ns, len(new), lost, size,
                 sum(p[1] for p in since), int(any(p[4] for p in since)), *self.ages(end))
        self.report_ns, self.counted = self.now, end
        return event

    def ages(self, end):
        """Of the last packet that a report tells of, and of the one after it; 0: not known"""
        if end == 0 or not self.knows_ages:
            return 0, 0
        return tuple(self.now - p[0] for p in self.sent[end - 1:end + 1]) + (0,) * (end == len(self.sent))

    def rtt(self):
        return 2 * self.delay + (0 if self.steady_rtt else self.random.randrange(self.delay))

    def send(self, loss, limited):
        size = self.random.choice([1000, 1000, 1000, 600, 1200])
        lost = self.random.random() < loss
        self.queue = min(max(self.queue + self.queue_growth, 0), 200_000_000)
        arrival = None if lost else self.now + self.delay + self.queue
        self.sent.append([self.now, size, arrival, False, limited])
        self.in_flight += size
        return ("sent", self.now, len(self.sent) - 1, size, self.in_flight, int(limited))


def as_text(event):
    if event[0] != "feedback":
        return " ".join(map(str, event))
    lines = [" ".join(map(str, event[:4])) + f" {len(event[4])}"]
    return "\n".join(lines + [" ".join(map(str, packet)) for packet in event[4]])


def apply(oracle, event, probe):
    name, *fields = event
    if name == "sent":
        now_ns, _, size, in_flight, limited = fields
        oracle.on_sent(now_ns, size, in_flight, bool(limited))
    else:
        getattr(oracle, "on_" + name)(*fields)
    if probe:
        oracle.on_probe(fields[0], *map(int, probe.split()))
    return oracle.answer()


WHOLE = ("rate", "pacing_bps", "source_bps", "window_bytes")  # numbers: to 1 besides


def close(names, answer, expected):
    return all(abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + (1 if name in WHOLE else 1e-12)
               for name, a, b in zip(names, answer, expected, strict=True))


def compare(driver, module, seed):
    """Number of events compared, or a sentence about the first difference."""
    algorithm, params, options = module.VARIANTS[seed % len(module.VARIANTS)]
    own = module.life(seed) if hasattr(module, "life") else None
    events = own or list(Life(seed, module).events())
    text = [f"param {name} {value}" for name, value in params.items()] + ["start"]
    result = subprocess.run([driver, algorithm, *module.VARIABLES],
                            input="\n".join(text + [as_text(e) for e in events]) + "\n",
                            capture_output=True, text=True, check=True)
    lines = [line.partition(" probe ") for line in result.stdout.splitlines()][1:]
    oracle = module.oracle(**options)
    for number, (event, (answer, _, probe)) in enumerate(zip(events, lines, strict=True)):
        answer, expected = tuple(map(float, answer.split())), apply(oracle, event, probe)
        if not close(["rate", *module.VARIABLES], answer, expected):
            return (f"{algorithm}, seed {seed}, {params}, event {number} {event}: rate, "
                    f"{', '.join(module.VARIABLES)} are {answer}, expected {expected}")
    return len(events)


def main():
    driver, name = sys.argv[1:3]
    module = importlib.import_module(f"{name}_oracle")
    scripts = int(sys.argv[3]) if len(sys.argv) > 3 else getattr(module, "SCRIPTS", 210)
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    total = 0
    for seed in range(first, first + scripts):
        outcome = compare(driver, module, seed)
        if isinstance(outcome, str):
            print(outcome)
            return 1
        total += outcome
    print(f"{scripts} scripts, {total} events agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
