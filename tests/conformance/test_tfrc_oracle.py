#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random lives of a flow: lib/controllers/tfrc.c and the naive tfrc_oracle.py must give the same
rate (1e-6) after every event. Usage: test_tfrc_oracle.py DRIVER [SCRIPTS [FIRST_SEED]]"""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tfrc_oracle import Tfrc  # noqa: E402

VARIANTS = [
    ({}, {}),
    ({"initial": 1}, {"start_rate": False}),
    ({"initial": 1, "cwv-decay": 1}, {"start_rate": False, "cwv": True}),
    ({"discount-threshold": 1}, {"threshold": 1.0}),
    ({"discount-threshold": 0.5, "loss-intervals": 5}, {"threshold": 0.5, "n": 5}),
    ({"profile": 1, "initial": 1}, {"rfc3448": True, "start_rate": False}),
    ({"profile": 1}, {"rfc3448": True}),
]


class Life:
    """A flow with phases: busy, data-limited, idle, lossy, silent. Yields events."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now = 0
        self.sent = []  # [sent_ns, size, fate: arrival or None, reported]
        self.steady_rtt = self.random.random() < 0.5
        self.delay = self.random.randrange(10_000_000, 200_000_000)
        self.lost_reported = []

    def packets_to_report(self):
        """What arrived by now, and losses with three later arrivals; late ones seldom."""
        chosen, later = [], 0
        horizon = self.now - self.delay
        for seq in range(len(self.sent) - 1, max(-1, len(self.sent) - 400), -1):
            packet = self.sent[seq]
            arrived = packet[2] is not None and packet[2] <= horizon
            later += arrived
            if not packet[3] and (arrived or (packet[2] is None and later >= 3)):
                packet[3] = True
                chosen.append((seq, packet[0], packet[2] if arrived else -1, packet[1],
                               0 if arrived else 1))
                if not arrived:
                    self.lost_reported.append(seq)
        if self.steady_rtt and self.lost_reported and self.random.random() < 0.05:
            seq = max(self.lost_reported)  # older losses can be out of reach of the controller
            self.lost_reported = []
            if all(seq != c[0] for c in chosen):
                packet = self.sent[seq]
                chosen.append((seq, packet[0], horizon, packet[1], 2))
        return sorted(chosen)

    def events(self):
        feedback_at = 0
        for _ in range(self.random.randrange(3, 12)):
            gap = self.delay // self.random.randrange(2, 7)  # few enough for an exact X_recv
            loss = self.random.choice([0, 0, 0.01, 0.05, 0.2])
            limited = self.random.random() < 0.6
            idle, silent = self.random.random() < 0.15, self.random.random() < 0.15
            interval = self.random.randrange(self.delay // 4, 3 * self.delay)
            for _ in range(self.random.randrange(5, 60)):
                self.now += gap + self.random.randrange(1, 1000)
                yield ("timer", self.now)
                if not idle:
                    yield self.send(loss, limited)
                if self.now >= feedback_at and not silent:
                    feedback_at = self.now + interval
                    packets = self.packets_to_report()
                    if packets:
                        yield ("feedback", self.now, self.rtt(), packets)

    def rtt(self):
        return 2 * self.delay + (0 if self.steady_rtt else self.random.randrange(self.delay))

    def send(self, loss, limited):
        size = self.random.choice([1000, 1000, 1000, 600, 1200])
        lost = self.random.random() < loss
        self.sent.append([self.now, size, None if lost else self.now + self.delay, False])
        return ("sent", self.now, len(self.sent) - 1, size, int(limited))


def as_text(event):
    if event[0] != "feedback":
        return " ".join(str(field) for field in event)
    lines = [f"feedback {event[1]} {event[2]} {len(event[3])}"]
    return "\n".join(lines + [" ".join(map(str, packet)) for packet in event[3]])


def apply(oracle, event):
    if event[0] == "sent":
        oracle.on_sent(event[1], event[3], bool(event[4]))
    elif event[0] == "timer":
        oracle.on_timer(event[1])
    else:
        oracle.on_feedback(event[1], event[2], event[3])
    return oracle.x, oracle.p


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def compare(driver, seed):
    """Number of events compared, or a sentence about the first difference."""
    params, options = VARIANTS[seed % len(VARIANTS)]
    events = list(Life(seed).events())
    text = [f"param {name} {value}" for name, value in params.items()] + ["start"]
    result = subprocess.run([driver], input="\n".join(text + [as_text(e) for e in events]) + "\n",
                            capture_output=True, text=True, check=True)
    answers = [tuple(map(float, line.split())) for line in result.stdout.splitlines()][1:]
    oracle = Tfrc(**options)
    for number, (event, answer) in enumerate(zip(events, answers, strict=True)):
        expected = apply(oracle, event)
        if not (close(answer[0], expected[0]) and close(answer[1], expected[1])):
            return f"seed {seed} {params} event {number} {event}: {answer}, expected {expected}"
    return len(events)


def main():
    driver = sys.argv[1]
    scripts = int(sys.argv[2]) if len(sys.argv) > 2 else 210
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    total = 0
    for seed in range(first, first + scripts):
        outcome = compare(driver, seed)
        if isinstance(outcome, str):
            print(outcome)
            return 1
        total += outcome
    print(f"{scripts} scripts, {total} events agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
