# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend in the pipelines of docs/live.md, towards a stock RTP session that sends TWCC."""
import json

import live_figures
import live_run
import needs
from ..alive import Sample

ELEMENTS = ("x264enc", "avdec_h264", "rtph264pay", "rtph264depay", "rtprtxsend", "rtpbin",
            "rtpjitterbuffer", "udpsrc", "udpsink")
RECEIVER = "twcc"
FEC_ELEMENTS = ("rtpulpfecenc", "rtpulpfecdec", "rtpstorage")


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
    program = live_run.MEDIA
    fields = ("target-bitrate", "encoder-bitrate", "feedback-twcc")

    def __init__(self, name):
        self.name = name

    def start(self, race, flow, _at_s):
        for name in race.start_flow(flow, RECEIVER, self.name, race.source, self.program):
            race.wait_for_output(name)

    def stop(self):
        pass

    def samples(self, race, flow):
        target, made, reports = self.fields
        return [Sample(at_s, said.get(target, 0), said.get(made, 0), frames, said.get(reports, 0))
                for at_s, frames, said in timed_lines(race.read(f"sender-{flow}"), race.zero_ns)]

    def frames(self, race, flow):
        return live_figures.read_frames(race.read(f"sender-{flow}").splitlines(),
                                        race.read(f"receiver-{flow}").splitlines(), race.zero_ns)

    def ports(self, _race, flow):
        return live_figures.ports_of(flow)


class Weir(Pipelines):
    words = "`weirsend` before an RTP session, as in docs/live.md; a stock session sends TWCC"

    def __init__(self, name):
        super().__init__(name)
        self.has_fec = "+repair" in name
        if self.has_fec:
            self.words += "; ULPFEC by `repair=auto` beside the retransmissions that all have"

    def missing(self):
        fec = FEC_ELEMENTS if self.has_fec else ()
        return needs.missing_media((*ELEMENTS, *fec, "weirsend"))

    def version(self):
        from gi.repository import Gst
        return "weirsend " + Gst.ElementFactory.find("weirsend").get_plugin().get_version()
