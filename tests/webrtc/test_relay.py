# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend follows the capacity of a path that goes by a TURN relay, which stands at the far end."""
import re
import shutil
import subprocess
import unittest

import flow
import machine
import tap

MISSING = machine.missing() or (None if shutil.which("turnserver") else "needs turnserver: apt-get install coturn")
HIGH_BPS, LOW_BPS = 1_500_000, 500_000
PORT = 3478


def relay_command(address):
    return ["turnserver", "-n", "--listening-ip", address, "--relay-ip", address, "--listening-port", str(PORT),
            "--lt-cred-mech", "--user", "weir:secret", "--realm", "weir", "--no-tls", "--no-dtls", "--no-cli",
            "--log-file", "/dev/null", "--pidfile", "/dev/null"]


@unittest.skipIf(MISSING, MISSING)
class Relay(unittest.TestCase):
    def setUp(self):
        import link
        import sender
        import watch
        self.link = link.Link(machine.link_program(), *watch.link_options(HIGH_BPS))
        self.addCleanup(self.link.close)
        address = self.link.address("b")
        relay = self.link.start("b", *relay_command(address), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(relay.wait)
        self.addCleanup(relay.kill)
        self.sender = sender.Sender(self.link, "a", "--source", sender.MOVING, "--relay-only",
                                    "--turn", f"turn://weir:secret@{address}:{PORT}")
        self.addCleanup(self.sender.close)
        self.received = flow.start(self, self.link, "b", self.sender.url)

    def relayed_bytes(self):
        """What the relay and the receiver, which have one address, passed to each other: their loopback
        device's count. The relay's own comes every 2048 packets."""
        reader = self.link.start("b", "cat", "/proc/net/dev", stdout=subprocess.PIPE)
        devices = reader.communicate(timeout=30)[0]
        return int(re.search(r"\blo:\s*(\d+)", devices)[1])

    def test_is_followed_when_the_capacity_falls(self):
        high = self.received.until(lambda window: window.received_bps > 1.5 * LOW_BPS)
        self.link.order(f"capacity {LOW_BPS}")
        low = self.received.until(lambda window: 0.3 * LOW_BPS < window.received_bps < LOW_BPS
                                  and self.sender.stats["target-bitrate"] < 1.3 * LOW_BPS)
        stats, relayed_bytes = self.sender.stats, self.relayed_bytes()
        print(f"# {high.received_bps / 1e6:.2f}, then {low.received_bps / 1e6:.2f} Mbit/s; target {stats.get('target-bitrate')}, "
              f"rtt {stats.get('rtt')}, limited by {stats.get('limited-by')}; lost {stats.get('packets-lost')} of "
              f"{stats.get('packets-sent')}; the relay passed on {relayed_bytes} bytes")
        self.assertGreater(high.received_bps, 1.5 * LOW_BPS)
        self.assertTrue(0.3 * LOW_BPS < low.received_bps < LOW_BPS)
        self.assertLess(stats["target-bitrate"], 1.3 * LOW_BPS)
        self.assertGreater(stats["feedback-twcc"], 20)
        self.assertGreater(relayed_bytes, high.received_bps / 8 * flow.WINDOW_S)


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
