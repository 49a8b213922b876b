# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend as webrtcbin's auxiliary sender, towards another webrtcbin: in another namespace, and in
the same process. Its feedback steers, and the encoders follow when the capacity falls."""
import json
import pathlib
import subprocess
import sys
import time
import unittest

import machine
import tap

MISSING = machine.missing()
RECEIVER = str(pathlib.Path(__file__).resolve().parent / "receiver.py")
HIGH_BPS, LOW_BPS = 1_500_000, 500_000
SETTLED_S, MEASURED_S = 12, 4


class Flow:
    """The lines of a receiver, and of a sender in the same process."""

    def __init__(self, process):
        self.process = process

    def read_for(self, duration_s):
        """Bit/s and pictures per second of the last MEASURED_S of that time, and the sender's
        newest statistics if they come this way too."""
        deadline, counts, stats = time.monotonic() + duration_s, [], {}
        for line in self.process.stdout:
            content = json.loads(line) if line.startswith("{") else {}
            if "pictures" in content:
                counts.append(content)
            stats = content if "target-bitrate" in content else stats
            if time.monotonic() >= deadline:
                break
        first, last = counts[-1 - MEASURED_S], counts[-1]
        passed_s = last["time"] - first["time"]
        return (8 * (last["bytes"] - first["bytes"]) / passed_s,
                (last["pictures"] - first["pictures"]) / passed_s, stats)


@unittest.skipIf(MISSING, MISSING)
class Peers(unittest.TestCase):
    def setUp(self):
        import link
        import sender
        import watch
        self.senders, self.source = sender, sender.MOVING
        self.link = link.Link(machine.link_program(), *watch.link_options(HIGH_BPS))
        self.addCleanup(self.link.close)

    def start_receiver(self, end, *options):
        process = self.link.start(end, sys.executable, RECEIVER, *options, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return Flow(process)

    def check(self, high, low, stats):
        print(f"# {high[0] / 1e6:.2f} Mbit/s, {high[1]:.0f} pictures/s; then {low[0] / 1e6:.2f} Mbit/s, "
              f"{low[1]:.0f} pictures/s; {stats.get('feedback-twcc')} reports; target "
              f"{stats.get('target-bitrate')}, encoder {stats.get('encoder-bitrate')}, rtt {stats.get('rtt')}; limited by "
              f"{stats.get('limited-by')}")
        self.assertGreater(high[0], 0.5 * HIGH_BPS)
        self.assertLess(low[0], LOW_BPS)
        self.assertGreater(low[0], 0.3 * LOW_BPS)
        self.assertGreater(low[1], 15)
        self.assertGreater(stats["feedback-twcc"], 20)
        self.assertEqual(stats["results-unsent"], 0)
        self.assertTrue(stats["rtp-session"])
        self.assertLess(stats["encoders"]["measured-bitrate"], 1.3 * LOW_BPS)

    def test_in_two_namespaces(self):
        sender = self.senders.Sender(self.link, "a", "--source", self.source)
        self.addCleanup(sender.close)
        flow = self.start_receiver("b", sender.url)
        high = flow.read_for(SETTLED_S + MEASURED_S)
        self.link.order(f"capacity {LOW_BPS}")
        low = flow.read_for(SETTLED_S + MEASURED_S)
        self.check(high, low, sender.stats)

    def test_in_one_process(self):
        """Between addresses of one machine packets take its loopback device: that is limited."""
        port = str(self.senders.PORT)
        self.run_inside("ip", "link", "set", "lo", "mtu", "1500")
        self.limit_loopback(HIGH_BPS)
        flow = self.start_receiver("a", f"http://127.0.0.1:{port}/", "--with-sender", "--port", port,
                                   "--stats", "--source", self.source)
        high = flow.read_for(SETTLED_S + MEASURED_S)
        self.limit_loopback(LOW_BPS)
        low = flow.read_for(SETTLED_S + MEASURED_S)
        self.check(high, low, low[2])

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
