# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend in the pipelines of docs/live.md, towards a stock RTP session that sends TWCC."""
import json
import os
import sys

import live_figures
import live_scenarios
import needs
from ..alive import Sample

NETNS = os.path.dirname(os.path.abspath(live_figures.__file__))
ELEMENTS = ("x264enc", "avdec_h264", "rtph264pay", "rtph264depay", "rtprtxsend", "rtpbin",
            "rtpjitterbuffer", "udpsrc", "udpsink")
RECEIVER = "twcc"


def timed_lines(text, zero_ns):
    """(second, object) for each line of JSON: that of the last frame before it, and how many."""
    at_s, frames = None, 0
    for line in text.splitlines():
        if line.startswith("capture "):
            at_s, frames = (int(line.split()[2]) - zero_ns) / 1e9, frames + 1
        elif line.startswith("{") and line.endswith("}") and at_s is not None:
            yield at_s, frames, json.loads(line)


class Pipelines:
    """A flow of GStreamer: `program` sends, tests/netns/live_media.py receives."""

    cost, lead_s = 1, 6
    program = os.path.join(NETNS, "live_media.py")
    fields = ("target-bitrate", "encoder-bitrate", "feedback-twcc")

    def __init__(self, name):
        self.name = name

    def start(self, race, flow, at_s):
        port = live_figures.FIRST_PORT + live_figures.PORTS_PER_FLOW * flow
        common = ["--port", str(port), "--receiver", RECEIVER]
        send = ["--source", race.source, "--algorithm", self.name, "--min-bitrate",
                str(live_scenarios.MIN_BPS), "--max-bitrate", str(live_scenarios.MAX_BPS),
                "--start-bitrate", str(live_scenarios.START_BPS),
                "--start-ns", str(race.at_ns(at_s))]
        if race.scenario.silence_s:
            send += ["--silence-ns", *(str(race.at_ns(s)) for s in race.scenario.silence_s)]
        race.start(f"receiver-{flow}", "b", sys.executable, os.path.join(NETNS, "live_media.py"),
                   "receive", race.link.address("a"), *common)
        race.start(f"sender-{flow}", "a", sys.executable, self.program, "send",
                   race.link.address("b"), *common, *send)
        race.wait_for_output(f"receiver-{flow}")
        race.wait_for_output(f"sender-{flow}")

    def stop(self):
        pass

    def samples(self, race, flow):
        target, made, reports = self.fields
        return [Sample(at_s, said.get(target, 0), said.get(made, 0), frames, said.get(reports, 0))
                for at_s, frames, said in timed_lines(race.read(f"sender-{flow}"), race.zero_ns)]

    def frames(self, race, flow):
        return live_figures.read_frames(race.read(f"sender-{flow}").splitlines(),
                                        race.read(f"receiver-{flow}").splitlines(), race.zero_ns)

    def captures(self, race, flow):
        return list(self.frames(race, flow).captures.values())

    def ports(self, _race, flow):
        return live_figures.ports_of(flow)


class Weir(Pipelines):
    words = "`weirsend` before an RTP session, as in docs/live.md; a stock session sends TWCC"

    def missing(self):
        return needs.missing_media((*ELEMENTS, "weirsend"))

    def version(self):
        from gi.repository import Gst
        return "weirsend " + Gst.ElementFactory.find("weirsend").get_plugin().get_version()
