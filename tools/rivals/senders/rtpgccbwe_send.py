# SPDX-License-Identifier: LGPL-2.1-or-later
"""tests/netns/live_media.py's sender with rtpgccbwe instead of weirsend; the same options. The
encoder gets the whole estimate, and the buffer that weirsend and webrtcsink give it (120 ms)."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "netns"))
import live_media  # noqa: E402
from live_media import GLib, Gst  # noqa: E402


def send_text(arguments):
    port, host = arguments.port, arguments.host
    encoder = live_media.ENCODER.replace("name=encoder", "name=encoder vbv-buf-capacity=120 "
                                         f"bitrate={arguments.start_bitrate // 1000}")
    return f"""rtpbin name=rb {arguments.source} ! videoconvert ! video/x-raw,format=I420
      ! {encoder} ! application/x-rtp,payload=96{live_media.extension(arguments.receiver)}
      ! rtprtxsend {live_media.RTX} max-size-time=1000 max-size-packets=0
      ! rtpgccbwe name=s min-bitrate={arguments.min_bitrate} max-bitrate={arguments.max_bitrate}
          estimated-bitrate={arguments.start_bitrate} ! rb.send_rtp_sink_0
      rb.send_rtp_src_0 ! udpsink host={host} port={port} sync=false async=false
      rb.send_rtcp_src_0 ! udpsink host={host} port={port + 1} sync=false async=false
      udpsrc port={port + 2} ! rb.recv_rtcp_sink_0"""


class Follower:
    """Gives the encoder each new estimate, and counts."""

    def __init__(self, pipeline):
        self.encoder, self.estimator = pipeline.get_by_name("encoder"), pipeline.get_by_name("s")
        self.made_bytes, self.reports = 0, 0
        self.estimator.connect("notify::estimated-bitrate", self.on_estimate)
        self.estimator.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_UPSTREAM,
                                                       self.on_event)
        self.encoder.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.on_frame)

    def on_estimate(self, estimator, _property):
        self.encoder.set_property("bitrate", estimator.get_property("estimated-bitrate") // 1000)

    def on_event(self, _pad, info):
        structure = info.get_event().get_structure()
        self.reports += structure is not None and structure.get_name() == "RTPTWCCPackets"
        return Gst.PadProbeReturn.OK

    def on_frame(self, _pad, info):
        self.made_bytes += info.get_buffer().get_size()
        return Gst.PadProbeReturn.OK

    def say(self):
        """Once a second."""
        made_bytes, self.made_bytes = self.made_bytes, 0
        live_media.note(json.dumps({
            "target_bps": self.estimator.get_property("estimated-bitrate"),
            "made_bps": 8 * made_bytes, "reports": self.reports}))
        sys.stdout.flush()
        return True


def main():
    arguments = live_media.parse_arguments()
    Gst.init(None)
    end = live_media.End(send_text(arguments), arguments.start_ns)
    find = end.pipeline.get_by_name
    live_media.Captures(find("encoder"), find("payloader"), arguments.silence_ns or (0, 0))
    GLib.timeout_add(1000, Follower(end.pipeline).say)
    return end.run()


if __name__ == "__main__":
    sys.exit(main())
