# SPDX-License-Identifier: LGPL-2.1-or-later
"""The feedback of an SFU (Janus) steers weirsend, and what it forwards follows the capacity."""
import shutil
import subprocess
import unittest

import flow
import machine
import tap

MISSING = machine.missing() or (None if shutil.which("janus") else "needs janus: apt-get install janus")
HIGH_BPS, LOW_BPS = 1_500_000, 500_000
PROGRAM = str(machine.ROOT / "tests" / "webrtc" / "sfu.py")


@unittest.skipIf(MISSING, MISSING)
class Sfu(unittest.TestCase):
    def setUp(self):
        import link
        import sender
        import watch
        self.link = link.Link(machine.link_program(), *watch.link_options(HIGH_BPS))
        self.addCleanup(self.link.close)
        janus = self.link.start("b", "janus", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(janus.wait)
        self.addCleanup(janus.kill)
        self.sender = sender.Sender(self.link, "a", "--source", sender.MOVING)
        self.addCleanup(self.sender.close)
        self.received = flow.start(self, self.link, "b", self.sender.url, program=PROGRAM)

    def test_is_followed_when_the_capacity_falls(self):
        high = self.received.until(lambda window: window.received_bps > 1.5 * LOW_BPS)
        self.link.order(f"capacity {LOW_BPS}")
        low = self.received.until(lambda window: 0.3 * LOW_BPS < window.received_bps < LOW_BPS
                                  and self.sender.stats["target-bitrate"] < 1.3 * LOW_BPS)
        stats = self.sender.stats
        print(f"# {high.received_bps / 1e6:.2f}, then {low.received_bps / 1e6:.2f} Mbit/s; target {stats.get('target-bitrate')}, "
              f"rtt {stats.get('rtt')}, limited by {stats.get('limited-by')}; lost {stats.get('packets-lost')} of "
              f"{stats.get('packets-sent')}")
        self.assertGreater(high.received_bps, 1.5 * LOW_BPS)
        self.assertTrue(0.3 * LOW_BPS < low.received_bps < LOW_BPS)
        self.assertLess(stats["target-bitrate"], 1.3 * LOW_BPS)
        self.assertGreater(stats["feedback-twcc"], 20)


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
