# SPDX-License-Identifier: LGPL-2.1-or-later
"""What receiver.py prints, read as a flow. The encoder shares the machine with other work: a test waits
for what must come and judges no moment of real time."""
import json
import subprocess
import sys
import time
import typing

import machine

PROGRAM = str(machine.ROOT / "tests" / "webrtc" / "receiver.py")
WINDOW_S, PATIENCE_S = 4, 100
HIGH_BPS, LOW_BPS = 1_500_000, 500_000

SAID = ("feedback-twcc", "target-bitrate", "encoder-bitrate", "rtt", "limited-by", "packets-lost", "packets-sent")


class Window(typing.NamedTuple):
    """WINDOW_S seconds of a flow, and the newest statistics of weirsend."""
    received_bps: float
    pictures_per_s: float
    stats: dict


class Flow:
    """`sender` has the statistics where the receiver's lines do not."""

    def __init__(self, lines, sender=None):
        self.lines, self.sender, self.counts, self.stats = lines, sender, [], {}

    def windows(self):
        for line in self.lines:
            content = json.loads(line) if line.startswith("{") else {}
            if "target-bitrate" in content:
                self.stats = content
            if "pictures" in content:
                self.counts = (self.counts + [content])[-1 - WINDOW_S:]
                if len(self.counts) > WINDOW_S:
                    yield self.window()

    def window(self):
        first, last = self.counts[0], self.counts[-1]
        passed_s = last["time"] - first["time"]
        return Window(8 * (last["bytes"] - first["bytes"]) / passed_s,
                      (last["pictures"] - first["pictures"]) / passed_s,
                      self.sender.stats if self.sender else self.stats)

    def until(self, holds):
        """The first window of which `holds` is true; after PATIENCE_S the one there is."""
        deadline = time.monotonic() + PATIENCE_S
        for window in self.windows():
            if holds(window) or time.monotonic() >= deadline:
                return window
        raise AssertionError("the receiver ended")


    def check(self, test, limit, also=lambda window: True):
        """It follows when `limit` lowers the capacity to LOW_BPS. `also`: what else must come. Returns the
        windows before and after."""
        high = self.until(lambda window: window.received_bps > 1.5 * LOW_BPS)
        limit(LOW_BPS)
        low = self.until(lambda window: 0.3 * LOW_BPS < window.received_bps < LOW_BPS
                         and window.stats["target-bitrate"] < 1.3 * LOW_BPS
                         and window.stats["feedback-twcc"] > 20 and also(window))
        print(f"# {high.received_bps / 1e6:.2f} Mbit/s, {high.pictures_per_s:.0f} pictures/s; then "
              f"{low.received_bps / 1e6:.2f} Mbit/s, {low.pictures_per_s:.0f} pictures/s; "
              + ", ".join(f"{name} {low.stats.get(name)}" for name in SAID))
        test.assertGreater(high.received_bps, 1.5 * LOW_BPS)
        test.assertTrue(0.3 * LOW_BPS < low.received_bps < LOW_BPS)
        test.assertLess(low.stats["target-bitrate"], 1.3 * LOW_BPS)
        test.assertGreater(low.stats["feedback-twcc"], 20)
        test.assertTrue(also(low), low)
        return high, low


def start(test, link, end, *options, program=PROGRAM, sender=None):
    process = link.start(end, sys.executable, program, *options, stdout=subprocess.PIPE)
    test.addCleanup(process.stdout.close)
    test.addCleanup(process.wait)
    test.addCleanup(process.kill)
    return Flow(process.stdout, sender)
