# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend follows the capacity of a path that goes by a TURN relay, which stands at the far end."""
import re
import shutil
import subprocess
import time
import unittest

import flow
import machine
import tap

MISSING = machine.missing() or (None if shutil.which("turnserver") else "needs turnserver: apt-get install coturn")
PORT = 3478
PATIENCE_S = 60


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
        self.link = link.Link(machine.link_program(), *watch.link_options(flow.HIGH_BPS))
        self.addCleanup(self.link.close)
        address = self.link.address("b")
        relay = self.link.start("b", *relay_command(address), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(relay.wait)
        self.addCleanup(relay.kill)
        self.wait_for_relay()
        self.sender = sender.Sender(self.link, "a", "--source", sender.MOVING, "--relay-only",
                                    "--turn", f"turn://weir:secret@{address}:{PORT}")
        self.addCleanup(self.sender.close)
        self.received = flow.start(self, self.link, "b", self.sender.url, sender=self.sender)

    def read_proc(self, name):
        return self.link.start("b", "cat", f"/proc/net/{name}", stdout=subprocess.PIPE).communicate(timeout=30)[0]

    def wait_for_relay(self):
        """A sender that asks before the relay listens may never have an answer."""
        deadline = time.monotonic() + PATIENCE_S
        while f":{PORT:04X} " not in self.read_proc("udp"):
            self.assertLess(time.monotonic(), deadline, "turnserver does not listen")
            time.sleep(0.1)

    def relayed_bytes(self):
        """What the relay and the receiver, which have one address, passed to each other: their loopback
        device's count. The relay's own comes every 2048 packets."""
        return int(re.search(r"\blo:\s*(\d+)", self.read_proc("dev"))[1])

    def test_is_followed_when_the_capacity_falls(self):
        high, _ = self.received.check(self, lambda capacity_bps: self.link.order(f"capacity {capacity_bps}"))
        relayed_bytes = self.relayed_bytes()
        print(f"# the relay passed on {relayed_bytes} bytes")
        self.assertGreater(relayed_bytes, high.received_bps / 8 * flow.WINDOW_S)


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
