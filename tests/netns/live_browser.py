# SPDX-License-Identifier: LGPL-2.1-or-later
"""A call from examples/webrtc/send.py to a headless Chromium, which tells when it showed a frame."""
import os
import sys
import time

import live_scenarios
from live_run import HERE, Call
from programs import ProgramError

sys.path.append(os.path.join(os.path.dirname(HERE), "webrtc"))
import chromium  # noqa: E402
import sender as senders  # noqa: E402

# The page asks for 300 ms in the jitter buffer; the other receivers wait for nothing either.
SCRIPT = """
Object.defineProperty(RTCRtpReceiver.prototype, "jitterBufferTarget", { set() {} });
window.renders = [];
document.addEventListener("DOMContentLoaded", () => {
  const video = document.getElementById("video");
  const note = (now, frame) => {
    renders.push([frame.rtpTimestamp, frame.presentationTime]);
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
});
"""


class BrowserCall(Call):
    """Its media begins when the page has been opened and the two have agreed."""

    sender = browser = None

    def start_media(self, _receiver, algorithm, source):
        self.sender = senders.Sender(
            self.link, "a", "--source", source, "--audio", "none", "--algorithm", algorithm,
            "--params", "params", "--min-bitrate", str(live_scenarios.MIN_BPS), "--max-bitrate",
            str(live_scenarios.MAX_BPS), program=os.path.join(HERE, "live_send.py"))
        self.browser = chromium.Chromium(self.link, "b")
        self.browser.before_each_page(SCRIPT)

    def play(self, stop):
        self.browser.open(self.sender.url)
        played = super().play(stop)
        if played:
            self.write("receiver-0", self.read_renders())
            self.write("sender-0", self.sender.said)
        return played

    def write(self, name, lines):
        """As a program of that name would have printed them."""
        with open(self.path(name, "out"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)

    def read_renders(self):
        """The page's clock is brought to ours by a look at both."""
        before_ms = time.monotonic_ns() / 1e6
        page_ms = self.browser.evaluate("performance.now()")
        offset_ms = (before_ms + time.monotonic_ns() / 1e6) / 2 - page_ms
        return [f"render {timestamp} {round(1e6 * (page_ms + offset_ms))}"
                for timestamp, page_ms in self.browser.evaluate("renders")
                if timestamp is not None]

    def check_feedback(self, _receiver):
        if self.sender.stats.get("feedback-twcc", 0) == 0:
            raise ProgramError(f"Chromium sends no TWCC; send.py said: {' / '.join(self.sender.said)}")

    def stop(self):
        for one in (self.browser, self.sender):
            if one:
                one.close()
        super().stop()
