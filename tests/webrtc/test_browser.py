# SPDX-License-Identifier: LGPL-2.1-or-later
"""A real browser at the far end: its feedback steers, the picture goes on when the capacity falls,
what it does not offer is done without, and nothing is left behind. tests/webrtc/run --full is the
longer run."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import machine
import tap

MISSING = machine.missing_browser()
RUN = pathlib.Path(__file__).resolve().parent / "run"
# The browser looks at an offer without the extension, and so cannot accept it.
WITHOUT_TRANSPORT_CC = """
const set = RTCPeerConnection.prototype.setRemoteDescription;
RTCPeerConnection.prototype.setRemoteDescription = function (description) {
  const lines = description.sdp.split("\\r\\n").filter(line => !/transport-(wide-)?cc/.test(line));
  return set.call(this, { type: description.type, sdp: lines.join("\\r\\n") });
};"""


def traces(directory):
    """What a run might leave behind: namespaces whose weir-link (weir-PID-a) has gone, and what it has in its own directory."""
    names = os.listdir("/run/netns") if os.path.isdir("/run/netns") else []
    found = [re.fullmatch(r"weir-(\d+)-[ab]", name) for name in names]  # other tests have other names
    orphans = [match[0] for match in found if match and not os.path.exists("/proc/" + match[1])]
    return sorted(orphans), sorted(os.listdir(directory))


def start_run(directory, *options):
    """In a directory for temporary files of its own."""
    out = os.path.join(directory, "out")
    return out, subprocess.Popen([sys.executable, str(RUN), "--out", out, *options], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 env=dict(os.environ, TMPDIR=directory))


@unittest.skipIf(MISSING, MISSING)
class Browser(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="weir-test-webrtc-")
        self.addCleanup(self.directory.cleanup)
        self.before = traces(self.directory.name)

    def check_nothing_is_left(self):
        spaces, files = traces(self.directory.name)
        self.assertEqual(spaces, self.before[0])
        self.assertEqual([name for name in files if name != "out"], [])

    def test_the_picture_goes_on_when_the_capacity_falls(self):
        out, run = start_run(self.directory.name)
        text = run.communicate()[0]
        print("# " + text.replace("\n", "\n# "))
        with open(os.path.join(out, "browser.json"), encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(run.returncode, 0 if result["passed"] else 1)
        self.assertEqual(result["samples"][-1]["unsent"], 0)  # feedback on packets nobody sent
        self.assertGreater(result["samples"][-1]["feedback_twcc"], 0)
        # What holds on a busy machine too; the figures of a quiet one are in docs/webrtc.md.
        for phase in result["phases"]:
            self.assertTrue(0.5 <= phase["use"] <= 1.02, result["phases"])
        self.assertLess(result["freezes_s"], 3.6)  # a tenth of the time
        for name in ("browser.png", "phase-1.png", "phase-2.png"):
            self.assertGreater(os.path.getsize(os.path.join(out, name)), 10000)
        self.check_nothing_is_left()

    def test_it_ends_in_order_when_it_is_told_to(self):
        runs = [(number, start_run(self.directory.name)[1])
                for number in (signal.SIGINT, signal.SIGTERM)]
        for number, run in runs:
            run.stdout.readline()
            time.sleep(0.5)
            run.send_signal(number)
        for number, run in runs:
            text = run.communicate(timeout=60)[0]
            self.assertNotEqual(run.returncode, 0, text)
            self.assertNotIn("passed", text)
        self.check_nothing_is_left()


@unittest.skipIf(MISSING, MISSING)
class Peer(unittest.TestCase):
    def setUp(self):
        import chromium
        import link
        import sender
        import watch
        self.watch = watch
        self.link = link.Link(machine.link_program(), *watch.link_options(2_500_000))
        self.addCleanup(self.link.close)
        self.sender = sender.Sender(self.link, "a", "--source", sender.MOVING)
        self.addCleanup(self.sender.close)
        self.browser = chromium.Chromium(self.link, "b")
        self.addCleanup(self.browser.close)

    def test_a_browser_without_transport_cc_is_served_by_receiver_reports(self):
        self.browser.before_each_page(WITHOUT_TRANSPORT_CC)
        self.browser.open(self.sender.url)
        self.watch.wait_for_pictures(self.browser, self.sender)
        self.sender.wait_for("gives no transport-wide feedback")
        # Its estimate (REMB) limits the rate, and grows slowly from the least, 100 kbit/s, if it does.
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not (self.sender.stats.get("feedback-rr", 0) >= 5 and
                                                   self.sender.stats["target-bitrate"] > 150_000):
            time.sleep(0.5)
        figures = self.browser.evaluate("measure()")
        print(f"# {self.sender.stats}")
        self.assertEqual(self.sender.stats["feedback-twcc"], 0)
        self.assertGreaterEqual(self.sender.stats["feedback-rr"], 5)
        self.assertTrue(self.sender.stats["reports-only"])
        self.assertGreater(figures["video"]["framesDecoded"], 20)

    def test_a_browser_that_vanishes_is_missed(self):
        self.browser.open(self.sender.url)
        self.watch.wait_for_pictures(self.browser, self.sender)
        self.link.order("capacity 0")
        self.sender.wait_for("No feedback from the receiver for")
        self.sender.wait_for("The browser has left.")
        self.assertIsNone(self.sender.process.poll())  # and waits for the next one


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
