# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/webrtc/send.py, which also says when each frame went into the encoder."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "examples", "webrtc"))
import live_media  # noqa: E402
import live_scenarios  # noqa: E402
import send  # noqa: E402


class TimedPeer(send.Peer):
    def __init__(self, arguments, socket):
        super().__init__(arguments, socket)
        self.weirsend.set_property("start-bitrate", live_scenarios.START_BPS)
        payloader = self.pipeline.get_by_name("payloader")
        payloader.set_property("timestamp-offset", 0)
        self.captures = live_media.Captures(self.pipeline.get_by_name("encoder"), payloader,
                                            say=self.note)

    def note(self, *words):
        """Where send.py prints, too: lines of two threads would mix."""
        self.loop.call_soon_threadsafe(live_media.note, *words)


if __name__ == "__main__":
    send.Peer = TimedPeer
    send.ENCODERS["h264"] = ("H264", send.ENCODERS["h264"][1].replace("! rtph264pay",
                                                                       "! rtph264pay name=payloader"))
    send.main()
