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


class Window(typing.NamedTuple):
    """WINDOW_S seconds of a flow, and the sender's newest statistics if they come this way too."""
    received_bps: float
    pictures_per_s: float
    stats: dict


class Flow:
    def __init__(self, lines):
        self.lines, self.counts, self.stats = lines, [], {}

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
                      (last["pictures"] - first["pictures"]) / passed_s, self.stats)

    def until(self, holds):
        """The first window of which `holds` is true; after PATIENCE_S the one there is."""
        deadline = time.monotonic() + PATIENCE_S
        for window in self.windows():
            if holds(window) or time.monotonic() >= deadline:
                return window
        raise AssertionError("the receiver ended")


def start(test, link, end, *options, program=PROGRAM):
    process = link.start(end, sys.executable, program, *options, stdout=subprocess.PIPE)
    test.addCleanup(process.stdout.close)
    test.addCleanup(process.wait)
    test.addCleanup(process.kill)
    return Flow(process.stdout)
