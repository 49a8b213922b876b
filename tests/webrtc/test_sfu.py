# SPDX-License-Identifier: LGPL-2.1-or-later
"""The feedback of an SFU (Janus) steers weirsend, and what it forwards follows the capacity."""
import shutil
import subprocess
import unittest

import flow
import machine
import tap

MISSING = machine.missing() or (None if shutil.which("janus") else "needs janus: apt-get install janus")
HERE = machine.ROOT / "tests" / "webrtc"
PROGRAM = str(HERE / "sfu.py")


@unittest.skipIf(MISSING, MISSING)
class Sfu(unittest.TestCase):
    def setUp(self):
        import link
        import sender
        import watch
        self.link = link.Link(machine.link_program(), *watch.link_options(flow.HIGH_BPS))
        self.addCleanup(self.link.close)
        janus = self.link.start("b", "janus", "-F", str(HERE / "janus"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(janus.wait)
        self.addCleanup(janus.kill)
        self.sender = sender.Sender(self.link, "a", "--source", sender.MOVING)
        self.addCleanup(self.sender.close)
        self.received = flow.start(self, self.link, "b", self.sender.url, program=PROGRAM, sender=self.sender)

    def test_is_followed_when_the_capacity_falls(self):
        self.received.check(self, lambda capacity_bps: self.link.order(f"capacity {capacity_bps}"))


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
