# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/webrtc/webrtcsink.py: the feedback of a consumer of webrtcsink, whipclientsink and whipsink steers weirsend,
and the encoder follows. Where the plugins of gst-plugins-rs are installed, or tools/setup sinks has built them."""
import os
import re
import subprocess
import sys
import threading
import time
import unittest

import flow
import machine
import tap

BUILT = machine.ROOT / "build" / "race" / "sinks"
os.environ["GST_PLUGIN_PATH"] = ":".join(filter(None, (os.environ.get("GST_PLUGIN_PATH"), str(BUILT))))
MISSING = machine.missing()
PORT = 8080  # the namespace is our own
PROGRAM = machine.ROOT / "examples" / "webrtc" / "webrtcsink.py"
ENDPOINT = str(machine.ROOT / "tests" / "webrtc" / "whip.py")
RECEIVE = ("gst-launch-1.0 webrtcsrc stun-server=NULL connect-to-first-producer=true signaller::uri=ws://{}:8443 "
           "! fakesink sync=false")


def figures(line):
    """Of a line of statistics, by name."""
    return {name: int(number) for name, number in re.findall(r"([\w-]+)=\(g?u?int64\)(\d+)", line)}


class Figures(unittest.TestCase):
    def test_are_read(self):
        self.assertEqual(figures("c: weir-stats, rtt=(gint64)5, feedback-twcc=(guint64)7, mos=(double)4.1;"), {"rtt": 5, "feedback-twcc": 7})


class Program:
    """webrtcsink.py at one end of a link, what it says, and the newest statistics."""

    def __init__(self, test, link, *options):
        self.said, self.stats = [], {}
        self.process = link.start("a", sys.executable, str(PROGRAM), *options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        test.addCleanup(self.close)

    def read(self):
        for line in self.process.stdout:
            if ": weir-stats, " in line:
                self.stats = figures(line)
            else:
                self.said.append(line.strip())

    def wait_for(self, holds):
        deadline = time.monotonic() + flow.PATIENCE_S
        while not holds(self):
            if time.monotonic() > deadline or not self.reader.is_alive():
                raise AssertionError(f"webrtcsink.py: {self.stats}; {' / '.join(self.said[-20:])}")
            time.sleep(0.1)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.reader.join(5)
        self.process.stdout.close()


@unittest.skipIf(MISSING, MISSING)
class Sinks(unittest.TestCase):
    def start(self, *names):
        """A link, where GStreamer has what is named."""
        from gi.repository import Gst
        absent = [name for name in names if not Gst.ElementFactory.find(name)]
        if absent:
            self.skipTest(f"GStreamer has no {', '.join(absent)}: tools/setup sinks builds them")
        import link
        import watch
        self.link = link.Link(machine.link_program(), *watch.link_options(flow.HIGH_BPS))
        self.addCleanup(self.link.close)

    def test_webrtcsink_follows_the_capacity(self):
        self.start("webrtcsink", "webrtcsrc")
        program = Program(self, self.link)
        program.wait_for(lambda program: any("Producer" in line for line in program.said))
        consumer = self.link.start("b", *RECEIVE.format(self.link.address("a")).split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(consumer.wait)
        self.addCleanup(consumer.terminate)
        # Of delivered-bitrate alone the first report may count a burst.
        program.wait_for(lambda program: min(program.stats.get("encoder-bitrate", 0), program.stats.get("delivered-bitrate", 0)) > 1.5 * flow.LOW_BPS)
        self.link.order(f"capacity {flow.LOW_BPS}")
        program.wait_for(lambda program: 0 < program.stats.get("encoder-bitrate", 0) < flow.LOW_BPS and program.stats["feedback-twcc"] > 100)
        print("# " + ", ".join(f"{name} {program.stats.get(name)}" for name in (*flow.SAID, "delivered-bitrate")))
        self.assertEqual(program.stats["results-unsent"], 0)

    def check_whip(self, *options):
        received = flow.start(self, self.link, "b", str(PORT), program=ENDPOINT)
        next(received.lines)
        received.sender = Program(self, self.link, "--whip", f"http://{self.link.address('b')}:{PORT}/whip", *options)
        received.check(self, lambda capacity_bps: self.link.order(f"capacity {capacity_bps}"),
                       lambda window: 0 < window.stats.get("encoder-bitrate", 0) < 1.3 * flow.LOW_BPS)
        self.assertEqual(received.sender.stats["results-unsent"], 0)

    def test_whipclientsink_follows_the_capacity(self):
        self.start("whipclientsink")
        self.check_whip()

    def test_whipsink_follows_the_capacity(self):
        self.start("whipsink")
        self.check_whip("--whipsink")


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
