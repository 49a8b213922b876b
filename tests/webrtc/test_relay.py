# SPDX-License-Identifier: LGPL-2.1-or-later
"""weirsend follows the capacity of a path that goes by a TURN relay, which stands at the far end."""
import json
import re
import shutil
import subprocess
import sys
import time
import unittest

import machine
import tap

MISSING = machine.missing() or (None if shutil.which("turnserver") else "needs turnserver: apt-get install coturn")
HIGH_BPS, LOW_BPS = 1_500_000, 500_000
SETTLED_S, MEASURED_S = 12, 4
PORT = 3478


def relay_command(address):
    return ["turnserver", "-n", "--listening-ip", address, "--relay-ip", address, "--listening-port", str(PORT),
            "--lt-cred-mech", "--user", "weir:secret", "--realm", "weir", "--no-tls", "--no-dtls", "--no-cli",
            "--log-file", "stdout", "--simple-log", "--verbose", "--pidfile", "/dev/null"]


@unittest.skipIf(MISSING, MISSING)
class Relay(unittest.TestCase):
    def setUp(self):
        import link
        import sender
        import watch
        self.link = link.Link(machine.link_program(), *watch.link_options(HIGH_BPS))
        self.addCleanup(self.link.close)
        address = self.link.address("b")
        self.relay = self.start("b", *relay_command(address), stderr=subprocess.STDOUT)
        self.sender = sender.Sender(self.link, "a", "--source", sender.MOVING, "--relay-only",
                                    "--turn", f"turn://weir:secret@{address}:{PORT}")
        self.addCleanup(self.sender.close)
        receiver = str(machine.ROOT / "tests" / "webrtc" / "receiver.py")
        self.receiver = self.start("b", sys.executable, receiver, self.sender.url)

    def start(self, end, *words, **options):
        process = self.link.start(end, *words, stdout=subprocess.PIPE, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def received_bps(self):
        """In the last MEASURED_S of SETTLED_S + MEASURED_S seconds."""
        deadline, counts = time.monotonic() + SETTLED_S + MEASURED_S, []
        for line in self.receiver.stdout:
            counts.append(json.loads(line))
            if time.monotonic() >= deadline:
                break
        first, last = counts[-1 - MEASURED_S], counts[-1]
        return 8 * (last["bytes"] - first["bytes"]) / (last["time"] - first["time"])

    def relayed_bytes(self):
        """What the relay passed on to its peers, by its own count; it is ended for it."""
        self.sender.close()
        self.relay.terminate()
        said = self.relay.communicate(timeout=20)[0]
        return sum(int(sent) for sent in re.findall(r"peer usage:.* sp=\d+, sb=(\d+)", said))

    def test_is_followed_when_the_capacity_falls(self):
        high_bps = self.received_bps()
        self.link.order(f"capacity {LOW_BPS}")
        low_bps = self.received_bps()
        stats, relayed_bytes = dict(self.sender.stats), self.relayed_bytes()
        print(f"# {high_bps / 1e6:.2f}, then {low_bps / 1e6:.2f} Mbit/s; target {stats.get('target-bitrate')}, rtt {stats.get('rtt')}, limited by {stats.get('limited-by')}; "
              f"lost {stats.get('packets-lost')} of {stats.get('packets-sent')}; the relay passed on {relayed_bytes} bytes")
        self.assertGreater(high_bps, LOW_BPS)
        self.assertLess(stats["target-bitrate"], 1.3 * LOW_BPS)  # low_bps cannot exceed what the link passes on
        self.assertGreater(low_bps, 0.3 * LOW_BPS)
        self.assertGreater(stats["feedback-twcc"], 20)
        self.assertGreater(relayed_bytes, high_bps / 8 * MEASURED_S)


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
