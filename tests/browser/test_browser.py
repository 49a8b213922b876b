# SPDX-License-Identifier: LGPL-2.1-or-later
"""Headless Chromium receives examples/webrtc/send.py through a bottleneck, and its own transport-wide feedback steers."""
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("tests", "tests/browser", "tests/netns"):
    sys.path.insert(0, str(ROOT / folder))
import needs  # noqa: E402
import tap  # noqa: E402

PROGRAM = os.environ.get("WEIR_LINK")
SENDER = ROOT / "examples/webrtc/send.py"
PHASE_S = 20
FEEDBACK_TWCC = 2


def missing():
    """Why this machine cannot do it, or None."""
    for name in ("chromium", "bash"):
        if not shutil.which(name):
            return f"{name} is not installed"
    sender = subprocess.run([sys.executable, str(SENDER), "--help"], capture_output=True, text=True)
    if sender.returncode:
        return sender.stderr.strip().splitlines()[-1]
    return needs.missing_link(PROGRAM)


MISSING = missing()
if not MISSING:
    import link
    import steps


@unittest.skipIf(MISSING, MISSING)
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = steps.run(PROGRAM, PHASE_S, options=["--codec", "h264"])
        print(f"# phases: {cls.result['phases']}, frozen {cls.result['freeze_s']:.2f} s")

    def test_its_own_feedback_steers(self):
        stats = self.result["sender"]
        self.assertGreater(stats["feedback-twcc"], 100, stats)
        self.assertGreater(stats["packets-received"], 1000, stats)

    def test_the_rate_follows_the_capacity(self):
        """Half of it at the least: what a quiet machine comes to stands in docs/webrtc.md."""
        for phase in self.result["phases"]:
            self.assertTrue(0.5 <= phase["utilization"] <= 1.0, self.result["phases"])

    def test_pictures_arrive(self):
        seconds = len(steps.CAPACITIES_BPS) * PHASE_S
        self.assertGreater(self.result["frames"], 0.85 * seconds * 25, self.result["frames"])
        self.assertLess(self.result["freeze_s"], 0.1 * seconds)

    def test_nothing_is_left_behind(self):
        for started in link.Link.started:
            for end in "ab":
                self.assertFalse(os.path.exists(f"/run/netns/weir-{started.process.pid}-{end}"))


@unittest.skipIf(MISSING, MISSING)
class BadInput(unittest.TestCase):
    def run_sender(self, *arguments):
        return subprocess.run([sys.executable, str(SENDER), *arguments], capture_output=True, text=True, timeout=30)

    def test_a_port_in_use_is_named(self):
        first = subprocess.Popen([sys.executable, str(SENDER), "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            port = first.stdout.readline().split(":")[-1].split("/")[0]
            second = self.run_sender("--port", port)
        finally:
            first.terminate()
            first.communicate()
        self.assertNotEqual(second.returncode, 0)
        self.assertIn(port, second.stdout + second.stderr)
        self.assertRegex(second.stdout + second.stderr, "in use")

    def test_limits_that_contradict_each_other_are_refused(self):
        done = self.run_sender("--min-bitrate", "2000000", "--max-bitrate", "1000000")
        self.assertEqual(done.returncode, 2)
        self.assertIn("above", done.stderr)


if __name__ == "__main__":
    tap.main()
