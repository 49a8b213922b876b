# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend as webrtcbin's auxiliary sender, towards another webrtcbin: in another namespace, and in
the same process. Its feedback steers, and the encoders follow when the capacity falls. So they do where weirsend
stands behind webrtcbin's RTP session."""
import subprocess
import sys
import unittest

import flow
import machine
import tap

MISSING = machine.missing()
BEHIND = str(machine.ROOT / "tests" / "webrtc" / "send_behind.py")


def missing_signal():
    from gi.repository import GObject, Gst
    webrtcbin = Gst.ElementFactory.make("webrtcbin")
    there = GObject.signal_lookup("request-post-rtp-aux-sender", webrtcbin.__gtype__)
    return None if there else f"webrtcbin of {Gst.version_string()} has no request-post-rtp-aux-sender; that of 1.26 has"


@unittest.skipIf(MISSING, MISSING)
class Peers(unittest.TestCase):
    def setUp(self):
        import link
        import sender
        import watch
        self.senders, self.source = sender, sender.MOVING
        self.link = link.Link(machine.link_program(), *watch.link_options(flow.HIGH_BPS))
        self.addCleanup(self.link.close)

    def check(self, received, limit):
        """The encoders follow too, and the pictures go on."""
        _, low = received.check(self, limit, lambda window: window.pictures_per_s > 15
                                and window.stats["encoders"]["measured-bitrate"] < 1.3 * flow.LOW_BPS)
        self.assertTrue(low.stats["rtp-session"])
        return low.stats

    def test_in_two_namespaces(self):
        sender = self.senders.Sender(self.link, "a", "--source", self.source)
        self.addCleanup(sender.close)
        received = flow.start(self, self.link, "b", sender.url, sender=sender)
        stats = self.check(received, lambda capacity_bps: self.link.order(f"capacity {capacity_bps}"))
        self.assertEqual(stats["results-unsent"], 0)

    def test_behind_the_session(self):
        """Where what weirsend drops has a number already: the receiver reports on packets that were not sent."""
        if why := missing_signal():
            self.skipTest(why)
        sender = self.senders.Sender(self.link, "a", "--source", self.source, program=BEHIND)
        self.addCleanup(sender.close)
        received = flow.start(self, self.link, "b", sender.url, sender=sender)
        stats = self.check(received, lambda capacity_bps: self.link.order(f"capacity {capacity_bps}"))
        print(f"# {stats['results-unsent']} results on packets that were not sent")

    def test_in_one_process(self):
        """Between addresses of one machine packets take its loopback device: that is limited."""
        port = str(self.senders.PORT)
        self.run_inside("ip", "link", "set", "lo", "mtu", "1500")
        self.limit_loopback(flow.HIGH_BPS)
        received = flow.start(self, self.link, "a", f"http://127.0.0.1:{port}/", "--with-sender", "--port", port,
                              "--stats", "--source", self.source)
        stats = self.check(received, self.limit_loopback)
        self.assertEqual(stats["results-unsent"], 0)

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
