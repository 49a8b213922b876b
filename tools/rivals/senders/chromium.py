# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chromium to Chromium: the clip is the sender's camera. chromium.html is the page of both."""
import json
import os
import subprocess
import threading
import time

import chromium
import clip
import live_figures
import live_scenarios
from programs import ProgramError
from .. import FETCHED, HERE, ROOT
from ..alive import Sample

PAGE = (HERE / "senders" / "chromium.html").as_uri()
CONNECT_S = 8
MAKING = threading.Lock()


def camera():
    """The clip as a file that Chromium takes for a camera."""
    path = FETCHED / "clip.y4m"
    with MAKING:
        if not path.exists():
            raw, part = clip.decode(str(ROOT / "build" / "demo"), 640, 360), f"{path}.part"
            words = (f"filesrc location={raw} ! rawvideoparse format=i420 width=640 height=360 "
                     f"framerate=30/1 ! y4menc ! filesink location={part}")
            subprocess.run(["gst-launch-1.0", "-q", *words.split()], check=True)
            os.replace(part, path)
    return path


def call(function, *arguments):
    """A call of JavaScript."""
    return f"{function}({', '.join(map(json.dumps, arguments))})"


class Chromium:
    """A sender at end a and a receiver at end b, each a browser of its own."""

    name, cost, lead_s = "chromium", 2, 15
    words = ("Chromium's own sender to Chromium, VP8, the clip in the place of the camera; its "
             "limits by `x-google-` parameters of the answer")

    def __init__(self):
        self.browsers, self.port = [], None
        self.offsets_ns = [0, 0]  # from the clock of each page to CLOCK_MONOTONIC
        self.said, self.renders, self.decoded = [], [], []  # what the pages have told

    def missing(self):
        return None if chromium.find() else "chromium is not installed: tools/setup race"

    def version(self):
        found = subprocess.run([chromium.find(), "--version"], capture_output=True, text=True,
                               check=False)
        return " ".join(found.stdout.split()[:2])

    def browser(self, race, end, flow):
        switches = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
                    f"--use-file-for-fake-video-capture={camera()}"] if end == "a" else []
        one = chromium.Chromium(race.link, end, switches)
        self.browsers.append(one)
        race.adopt(f"chromium-{end}-{flow}", one.process)
        one.open(PAGE)
        return one

    def start(self, race, flow, at_s):
        try:
            self.connect(race, flow, at_s)
        except chromium.ChromiumError as error:
            raise ProgramError(f"chromium: {error}") from None

    def connect(self, race, flow, at_s):
        sender, receiver = (self.browser(race, end, flow) for end in "ab")
        limits = live_scenarios.MIN_BPS, live_scenarios.START_BPS, live_scenarios.MAX_BPS
        answer = receiver.evaluate(call("answer", sender.evaluate(call("offer", limits[2]))))
        self.offsets_ns = [time.monotonic_ns() - 1e6 * one.evaluate("performance.now()")
                           for one in (sender, receiver)]
        times = [at_s, *(race.scenario.silence_s or ())]
        sender.evaluate(call("accept", answer, *limits,
                             [(race.at_ns(one) - self.offsets_ns[0]) / 1e6 for one in times]))
        deadline = time.monotonic() + CONNECT_S
        while (port := receiver.evaluate("port()")) is None:
            if time.monotonic() > deadline:
                raise ProgramError("chromium: the two do not connect")
            time.sleep(0.1)
        self.port = port

    def stop(self):
        try:
            if self.port:
                sender, receiver = self.browsers
                self.said = sender.evaluate("samples")
                self.renders, self.decoded = receiver.evaluate("[renders, decoded]")
        except (OSError, chromium.ChromiumError):
            pass  # it has said nothing, so it was not alive
        finally:
            for one in self.browsers:
                one.close()
            self.browsers = []

    def second(self, race, page, at_ms):
        """Of the run; page: the sender's is the first."""
        return (1e6 * at_ms + self.offsets_ns[page] - race.zero_ns) / 1e9

    def samples(self, race, _flow):
        found, before = [], None
        for one in self.said:
            at_s = self.second(race, 0, one["at_ms"])
            bits = 8 * (one["made_bytes"] - before["made_bytes"]) if before else 0
            length_s = (one["at_ms"] - before["at_ms"]) / 1000 if before else 1
            found.append(Sample(at_s, one["target_bps"], bits / length_s, one["frames"],
                                one["reports"]))
            before = one
        return found

    def frames(self, race, _flow):
        """When they were shown, and how many there were; nobody tells when they were captured."""
        counts = ([(self.second(race, 0, one["at_ms"]), one["frames"]) for one in self.said],
                  [(self.second(race, 1, at_ms), frames) for at_ms, frames in self.decoded])
        return live_figures.Frames({}, [(k, self.second(race, 1, at_ms))
                                        for k, at_ms in enumerate(self.renders)], counts=counts)

    def ports(self, _race, _flow):
        return range(self.port, self.port + 1)
