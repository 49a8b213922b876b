# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-link with real packets between two namespaces: what comes through, when, and what is left behind."""
import collections
import ctypes
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/netns")]
import link  # noqa: E402
import needs  # noqa: E402
import tap  # noqa: E402

PROGRAM = os.environ["WEIR_LINK"]
MISSING = needs.missing_link(PROGRAM)
NETNS = pathlib.Path("/run/netns")
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
OWN = open("/proc/self/ns/net", "rb")  # to come back


def enter(path):
    with open(path, "rb") as namespace:
        if LIBC.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"setns {path}")


def socket_in(name):
    """A UDP socket in the namespace; it stays there when we go back."""
    enter(NETNS / name)
    try:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    finally:
        LIBC.setns(OWN.fileno(), CLONE_NEWNET)
    udp.settimeout(2)
    return udp


def our_spaces():
    return {path.name for path in NETNS.glob("weir-*")} if NETNS.exists() else set()


def namespaces_of(pid):
    return {name for name in our_spaces() if name.startswith(f"weir-{pid}-")}


@unittest.skipIf(MISSING, MISSING)
class Packets(unittest.TestCase):
    def connect(self, *options):
        """Sockets at both ends of a new link, the first connected to the second."""
        self.link = link.Link(PROGRAM, *options)
        self.addCleanup(self.link.close)
        self.a, self.b = (socket_in(self.link.ends[end]["netns"]) for end in "ab")
        self.addCleanup(self.a.close)
        self.addCleanup(self.b.close)
        self.b.bind((self.link.address("b"), 0))
        self.a.connect(self.b.getsockname())

    def send(self, n, size_bytes=100):
        """n numbered packets with the time."""
        for number in range(n):
            self.a.send(struct.pack("!Id", number, time.monotonic()) + bytes(size_bytes - 12))

    def receive(self, n=10 ** 6):
        """(number, delay in seconds, arrival) of what comes, until n are there or nothing has come for a while."""
        got = []
        try:
            while len(got) < n:
                packet = self.b.recv(2000)
                now = time.monotonic()
                number, sent = struct.unpack("!Id", packet[:12])
                got.append((number, now - sent, now))
        except TimeoutError:
            pass
        return got

    def test_a_packet_takes_the_delay_and_its_answer_too(self):
        self.connect("--delay", "50ms", "--reverse-delay", "20ms")
        delays, returns = [], []
        for _ in range(20):
            self.send(1)
            delays.append(self.receive(1)[0][1])
        self.b.connect(self.a.getsockname())
        for _ in range(20):
            begin = time.monotonic()
            self.b.send(b"x")
            self.a.recv(10)
            returns.append(time.monotonic() - begin)
        # Never early; and not twice the delay, however busy the machine is, in the best of 20.
        self.assertTrue(0.050 <= min(delays) < 0.100, delays)
        self.assertTrue(0.020 <= min(returns) < 0.040, returns)

    def wait_for(self, reached):
        """The first statistics of UDP forward that are so."""
        return next(line["forward"]["udp"] for line in self.link.lines() if reached(line["forward"]["udp"]))

    def cross(self, n):
        """Sends n packets; what arrived when the link has nothing left."""
        self.send(n)
        self.wait_for(lambda udp: udp["offered_packets"] == n == udp["delivered_packets"] + udp["lost_packets"])
        self.b.settimeout(0.3)
        return self.receive()

    def drain(self, n, size_bytes, capacity):
        """Packets that came in an outage, so that it does not matter how long sending took, cross after it."""
        self.send(n, size_bytes)
        self.wait_for(lambda udp: udp["offered_packets"] == n)
        self.opened = time.monotonic()
        self.link.order(f"capacity {capacity}")
        return self.receive()

    def marks(self, tos, *more):
        """How 200 packets with that TOS byte arrive that wait in a queue of CoDel for up to 1.6 s: {TOS: how many}"""
        self.connect("--capacity", "0", "--queue-packets", "1000", "--discipline", "codel", "--stats-interval", "20ms", *more)
        self.a.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
        self.b.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        counts = collections.Counter()
        self.send(200, 972)
        self.wait_for(lambda udp: udp["offered_packets"] == 200)
        self.link.order("capacity 1M")
        try:
            while True:
                counts[self.b.recvmsg(2000, 100)[1][0][2][0]] += 1  # the kernel has seen the checksum
        except TimeoutError:
            return counts

    def test_a_queue_marks_what_is_ecn_capable(self):
        ef = 0xb8
        marked = self.marks(ef | 2, "--ecn", "on")
        self.assertEqual(sum(marked.values()), 200)
        self.assertEqual(set(marked), {ef | 2, ef | 3})
        for tos, more in ((ef | 2, ()), (ef, ("--ecn", "on"))):
            dropped = self.marks(tos, *more)
            self.assertEqual(set(dropped), {tos})
            self.assertLess(dropped[tos], 200)

    def test_the_capacity_spaces_packets_and_the_queue_drops_what_does_not_fit(self):
        self.connect("--capacity", "0", "--queue-packets", "60", "--stats-interval", "20ms")
        got = self.drain(100, 972, "1M")  # 1000 bytes with headers: 8 ms each
        self.assertEqual([number for number, _, _ in got], list(range(60)))
        for number, _, arrival in got:  # a busy machine makes packets late, never early
            self.assertGreaterEqual(arrival - self.opened, 0.008 * (number + 1))

    def test_losses_are_as_many_as_asked_for_and_seeded(self):
        lost = []
        for _ in range(2):
            self.connect("--loss", "0.3", "--seed", "5", "--stats-interval", "20ms")
            lost.append({number for number, _, _ in self.cross(200)})
            self.link.close()
        self.assertEqual(lost[0], lost[1])
        self.assertTrue(110 <= len(lost[0]) <= 170, len(lost[0]))

    def test_duplicates_arrive_twice_and_damaged_packets_not_at_all(self):
        self.connect("--duplicate", "1")
        self.send(20)
        self.assertEqual(sorted(number for number, _, _ in self.receive(40)), sorted(2 * list(range(20))))
        self.connect("--corrupt", "1", "--stats-interval", "20ms")
        self.assertLess(len(self.cross(50)), 5)  # what is not covered by a checksum

    def test_lines_on_stdin_change_the_running_link(self):
        self.connect("--stats-interval", "100ms")
        self.link.order("delay 80ms")
        self.link.order("capacity 800k")
        for line in self.link.lines():
            if line["forward"]["capacity_bps"] == 800000:
                break
        self.send(1)
        self.assertGreaterEqual(self.receive(1)[0][1], 0.080)
        self.link.order("capacity 0")
        self.link.order("nonsense")
        self.assertIn("nonsense", self.link.close())

    def test_the_statistics_count_each_packet_once(self):
        self.connect("--capacity", "0", "--queue-packets", "10", "--stats-interval", "20ms")
        self.assertEqual(len(self.drain(30, 72, "800k")), 10)  # 100 bytes with headers
        line = next(line for line in self.link.lines() if line["forward"]["udp"]["delivered_packets"] == 10)
        udp = line["forward"]["udp"]
        self.assertEqual((udp["offered_packets"], udp["dropped_packets"], udp["lost_packets"]), (30, 20, 0))
        self.assertEqual(udp["delivered_bytes"], 1000)
        self.assertEqual(line["forward"]["other"]["offered_packets"], 0)  # nobody else talks

    def test_packets_larger_than_the_mtu_come_in_fragments(self):
        self.connect("--mtu", "600")
        self.a.send(bytes(1400))
        self.assertEqual(len(self.b.recv(2000)), 1400)


@unittest.skipIf(MISSING, MISSING)
class Ends(unittest.TestCase):
    """Whatever the end is, nothing is left behind."""

    def start(self, *words):
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.communicate)
        self.assertIn("ready", json.loads(process.stdout.readline()))
        self.assertEqual(len(namespaces_of(process.pid)), 2)
        return process

    def check_gone(self, process, status):
        self.assertEqual(process.wait(20), status)
        self.assertEqual(namespaces_of(process.pid), set())

    def test_signals_and_the_end_of_stdin_and_the_duration(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start()
            process.send_signal(number)
            self.check_gone(process, 0)
        process = self.start()
        process.stdin.close()
        self.check_gone(process, 0)
        process.stdin = None
        self.check_gone(self.start("--duration", "50ms"), 0)

    def test_programs_inside_end_with_it(self):
        process = self.start()
        inside = subprocess.Popen(["ip", "netns", "exec", f"weir-{process.pid}-a", "sleep", "100"])
        while subprocess.run(["ip", "netns", "pids", f"weir-{process.pid}-a"], capture_output=True).stdout == b"":
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.check_gone(process, 0)
        self.assertEqual(inside.wait(5), -signal.SIGTERM)

    def test_the_commands_end_and_status(self):
        script = "echo $WEIR_LINK_A; ip netns exec $WEIR_LINK_A true && ip netns list | grep -q $WEIR_LINK_B && exit 7"
        result = subprocess.run([PROGRAM, "--", "sh", "-c", script], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        self.assertNotIn(result.stdout.strip(), our_spaces())
        result = subprocess.run([PROGRAM, "--", "weir-no-such-program"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("weir-no-such-program", result.stderr)

    def test_a_signal_ends_the_command_too(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = pathlib.Path(folder) / "pid"
            process = subprocess.Popen([PROGRAM, "--", "sh", "-c", f"echo $$ > {mark}; exec sleep 100"])
            while not mark.exists() or not mark.read_text():
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            self.check_gone(process, 0)
            self.assertFalse(pathlib.Path(f"/proc/{mark.read_text().strip()}").exists())

    def test_names_that_are_taken_stay_as_they_are(self):
        process = self.start()
        name = f"weir-{process.pid}-b"
        result = subprocess.run([PROGRAM, "--netns", f"weir-{process.pid}-x,{name}"], capture_output=True, text=True,
                                stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"already a network namespace '{name}'", result.stderr)
        self.assertEqual(namespaces_of(process.pid), {f"weir-{process.pid}-a", name})
        result = subprocess.run([PROGRAM, "--tun", f"lo,wt{process.pid}"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 1)
        self.assertIn("'lo'", result.stderr)
        process.send_signal(signal.SIGTERM)
        self.check_gone(process, 0)

    def test_devices_without_namespaces(self):
        names = [f"wt{os.getpid()}{end}" for end in "ab"]
        with link.Link(PROGRAM, "--tun", ",".join(names)) as tuns:
            self.assertEqual(tuns.ends, {"a": {"device": names[0]}, "b": {"device": names[1]}})
            self.assertTrue(set(names) <= {name for _, name in socket.if_nameindex()})
        self.assertFalse(set(names) & {name for _, name in socket.if_nameindex()})


class Permission(unittest.TestCase):
    @unittest.skipIf(os.getuid() != 0, "only root can become somebody else")
    def test_without_root_it_says_what_it_needs(self):
        for words, needed in (([], "CAP_SYS_ADMIN, CAP_NET_ADMIN"), (["--", "true"], "CAP_SYS_ADMIN, CAP_NET_ADMIN"),
                              (["--tun", "a,b"], "CAP_NET_ADMIN")):
            try:
                result = subprocess.run([PROGRAM, *words], user="nobody", capture_output=True, text=True,
                                        stdin=subprocess.DEVNULL)
            except PermissionError:
                self.skipTest("nobody may not reach the program")
            self.assertEqual((result.returncode, result.stdout), (77, ""))
            self.assertIn(f"needs root ({needed}): ", result.stderr)

    def test_root_of_a_user_namespace_alone_is_told_the_same(self):
        alone = ["unshare", "--user", "--map-root-user"]
        if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("no user namespaces")
        result = subprocess.run([*alone, PROGRAM, "--", "true"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual((result.returncode, result.stdout), (77, ""))
        self.assertIn("needs root (CAP_SYS_ADMIN, CAP_NET_ADMIN): ", result.stderr)


if __name__ == "__main__":
    tap.main()
