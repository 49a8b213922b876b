# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/webrtc/webrtcsink.py towards webrtcsrc: the feedback of a webrtcsink's consumer steers weirsend, and
the encoder that the sink made follows. Where gst-plugin-webrtc of gst-plugins-rs is installed."""
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

import machine
import tap

HIGH_BPS, LOW_BPS = 1_500_000, 500_000
READY_S, PHASE_S, MEASURED = 30, 22, 4
PROGRAM = machine.ROOT / "examples" / "webrtc" / "webrtcsink.py"
RECEIVE = ("gst-launch-1.0 webrtcsrc stun-server=NULL connect-to-first-producer=true signaller::uri=ws://{}:8443 "
           "! fakesink sync=false")


def missing():
    if found := machine.missing():
        return found
    from gi.repository import Gst
    absent = [name for name in ("webrtcsink", "webrtcsrc") if not Gst.ElementFactory.find(name)]
    return f"GStreamer has no {', '.join(absent)}: gst-plugin-webrtc is not installed" if absent else None


MISSING = missing()


def figures(line):
    """Of a line of statistics, by name."""
    return {name: int(number) for name, number in re.findall(r"([\w-]+)=\(g?u?int64\)(\d+)", line)}


class Figures(unittest.TestCase):
    def test_are_read(self):
        self.assertEqual(figures("c: weir-stats, rtt=(gint64)5, feedback-twcc=(guint64)7, mos=(double)4.1;"), {"rtt": 5, "feedback-twcc": 7})


@unittest.skipIf(MISSING, MISSING)
class WebrtcSink(unittest.TestCase):
    def setUp(self):
        import link
        import watch
        self.link = link.Link(machine.link_program(), *watch.link_options(HIGH_BPS))
        self.addCleanup(self.link.close)
        self.log = tempfile.TemporaryFile()
        self.addCleanup(self.log.close)

    def start(self, end, *words):
        process = self.link.start(end, *words, stdout=self.log, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def lines(self):
        """Read without moving the processes' place in the file."""
        return os.pread(self.log.fileno(), 1 << 24, 0).decode(errors="replace").splitlines()

    def wait_for(self, word):
        """What the sink says when its signalling knows it: before that it looks for encoders."""
        deadline = time.monotonic() + READY_S
        while not any(word in line for line in self.lines()):
            self.assertLess(time.monotonic(), deadline, "\n".join(self.lines()[-20:]))
            time.sleep(0.1)

    def read_phase(self):
        """The statistics of each second so far, once it is over."""
        time.sleep(PHASE_S)
        lines = self.lines()
        found = [seen for line in lines if ": weir-stats, " in line and "encoder-bitrate" in (seen := figures(line))]
        self.assertGreater(len(found), MEASURED, "\n".join(lines[-20:]))
        print("# target, encoder, delivered:", *(found[-1][f"{name}-bitrate"] for name in ("target", "encoder", "delivered")))
        return found

    def test_follows_the_capacity(self):
        self.start("a", sys.executable, str(PROGRAM))
        self.wait_for("Producer")
        self.start("b", *RECEIVE.format(self.link.address("a")).split())
        high = self.read_phase()
        self.link.order(f"capacity {LOW_BPS}")
        low = self.read_phase()
        # No least rate is asked for at the end: the encoder shares the machine with others.
        self.assertGreater(max(sample["delivered-bitrate"] for sample in high), 1.5 * LOW_BPS)
        self.assertLess(sum(sample["encoder-bitrate"] for sample in low[-MEASURED:]) / MEASURED, LOW_BPS)
        self.assertGreater(low[-1]["feedback-twcc"], 100)
        self.assertEqual(low[-1]["results-unsent"], 0)


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
