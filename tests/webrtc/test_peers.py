# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend as webrtcbin's auxiliary sender, towards another webrtcbin: in another namespace, and in
the same process. Its feedback steers, and the encoders follow when the capacity falls."""
import subprocess
import sys
import unittest

import flow
import machine
import tap

MISSING = machine.missing()
HIGH_BPS, LOW_BPS = 1_500_000, 500_000


@unittest.skipIf(MISSING, MISSING)
class Peers(unittest.TestCase):
    def setUp(self):
        import link
        import sender
        import watch
        self.senders, self.source = sender, sender.MOVING
        self.link = link.Link(machine.link_program(), *watch.link_options(HIGH_BPS))
        self.addCleanup(self.link.close)

    def check(self, received, limit, sender=None):
        """`sender` has the statistics where the receiver's lines do not."""
        stats = lambda window: sender.stats if sender else window.stats  # noqa: E731
        high = received.until(lambda window: window.received_bps > 1.5 * LOW_BPS)
        limit(LOW_BPS)
        low = received.until(lambda window: 0.3 * LOW_BPS < window.received_bps < LOW_BPS and window.pictures_per_s > 15
                             and stats(window)["target-bitrate"] < 1.3 * LOW_BPS
                             and stats(window)["encoders"]["measured-bitrate"] < 1.3 * LOW_BPS)
        seen = stats(low)
        print(f"# {high.received_bps / 1e6:.2f} Mbit/s, {high.pictures_per_s:.0f} pictures/s; then {low.received_bps / 1e6:.2f} "
              f"Mbit/s, {low.pictures_per_s:.0f} pictures/s; {seen.get('feedback-twcc')} reports; target "
              f"{seen.get('target-bitrate')}, encoder {seen.get('encoder-bitrate')}, rtt {seen.get('rtt')}; limited by "
              f"{seen.get('limited-by')}")
        self.assertGreater(high.received_bps, 1.5 * LOW_BPS)
        self.assertTrue(0.3 * LOW_BPS < low.received_bps < LOW_BPS)
        self.assertGreater(low.pictures_per_s, 15)
        self.assertLess(seen["target-bitrate"], 1.3 * LOW_BPS)
        self.assertLess(seen["encoders"]["measured-bitrate"], 1.3 * LOW_BPS)
        self.assertGreater(seen["feedback-twcc"], 20)
        self.assertEqual(seen["results-unsent"], 0)
        self.assertTrue(seen["rtp-session"])

    def test_in_two_namespaces(self):
        sender = self.senders.Sender(self.link, "a", "--source", self.source)
        self.addCleanup(sender.close)
        received = flow.start(self, self.link, "b", sender.url)
        self.check(received, lambda capacity_bps: self.link.order(f"capacity {capacity_bps}"), sender)

    def test_in_one_process(self):
        """Between addresses of one machine packets take its loopback device: that is limited."""
        port = str(self.senders.PORT)
        self.run_inside("ip", "link", "set", "lo", "mtu", "1500")
        self.limit_loopback(HIGH_BPS)
        received = flow.start(self, self.link, "a", f"http://127.0.0.1:{port}/", "--with-sender", "--port", port,
                              "--stats", "--source", self.source)
        self.check(received, self.limit_loopback)

    def limit_loopback(self, capacity_bps):
        self.run_inside("tc", "qdisc", "replace", "dev", "lo", "root", "handle", "1:", "tbf", "rate",
                        f"{capacity_bps}bit", "burst", "5kb", "latency", "150ms")

    def run_inside(self, *command):
        self.assertEqual(self.link.start("a", *command).wait(), 0, command)

    def test_a_port_in_use_is_said(self):
        sender = self.senders.Sender(self.link, "a", "--source", self.source)
        self.addCleanup(sender.close)
        second = self.link.start("a", sys.executable, str(self.senders.PROGRAM), "--port", str(self.senders.PORT),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = second.communicate(timeout=30)[1]
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"port {self.senders.PORT} cannot be used", said)
        self.assertEqual(said.count("\n"), 1, said)


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
