# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every example runs by the lines its header gives ("Run: ..."), and media and reports flow.

The lines are run as they stand, from a tree whose `build` is the build that is tested: those of one example at the same time,
each in a terminal of its own, as a reader would. Those of add_a_controller.c: test_add_a_controller.py.
"""
import fcntl
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

START_S = 1.5
END_S = 20
FLOW_S = 60  # until media flow; a few seconds where the machine has time
ISOLATED = "WEIR_EXAMPLES_ISOLATED"
FIELD = re.compile(r"([a-z0-9-]+)=\((?:gint64|guint64|double)\)(-?[0-9.e+-]+)")
# gst-launch-1.0 as the user has it, but with the bus messages on its output.
LAUNCHER = '#!/bin/sh\nexec {} -m "$@"\n'


def isolate():
    """Starts this program again where no other has its ports, if the machine lets it; else waits until no
    other part of this test has them."""
    unshare = shutil.which("unshare")
    command = [unshare, "--net", "sh", "-c", "ip link set lo up"]
    if ISOLATED not in os.environ and unshare and shutil.which("ip") \
            and subprocess.run(command, capture_output=True).returncode == 0:
        os.environ[ISOLATED] = "1"
        os.execv(unshare, [unshare, "--net", "sh", "-c", 'ip link set lo up; exec "$0" "$@"',
                           sys.executable, *sys.argv])
    if ISOLATED not in os.environ:
        fcntl.flock(os.open(os.environ["WEIR_BUILD"], os.O_RDONLY), fcntl.LOCK_EX)


def run_lines(example):
    """The lines of an example's header, without the comment's marks."""
    text = (EXAMPLES / example).read_text(encoding="utf-8")
    return re.findall(r"^(?: \*|#) Run: (.*)$", text, re.M)


def last_stats(text):
    """The figures of the sender's last statistics message."""
    found = {}
    for line in text.splitlines():
        if "weir-stats, " in line and "target-bitrate=" in line:
            found = {name: float(value) for name, value in FIELD.findall(line)}
    return found


class Display:
    """An X server nobody sees, so that lines with autovideosink run as they stand. One of another network
    namespace would choose the same number, and take the socket in /tmp."""

    def __init__(self):
        read, write = os.pipe()
        number = 100 + os.getpid() % 50000
        self.server = subprocess.Popen(["Xvfb", f":{number}", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp",
                                        "-noreset"],
                                       pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as numbers:
            self.name = ":" + numbers.readline().strip()

    def close(self):
        self.server.terminate()
        self.server.wait()


class Terminals(unittest.TestCase):
    """A tree to run lines in."""

    @classmethod
    def setUpClass(cls):
        cls.build = pathlib.Path(os.environ["WEIR_BUILD"]).resolve()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="examples-", dir=cls.build))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.tree = cls.folder / "tree"
        cls.tree.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in ("build", ".git"):
                (cls.tree / entry.name).symlink_to(entry)
        (cls.tree / "build").symlink_to(cls.build)
        # autovideosink tries DirectFB first, whose processes meet in /tmp and crash one another, and KMS, which
        # waits for udev some ten thousand times where there is no /dev/dri.
        cls.env = dict(os.environ, PATH=f"{cls.folder / 'bin'}:/usr/bin:{os.environ['PATH']}", LC_ALL="C", PYTHONUNBUFFERED="1",
                       GST_PLUGIN_FEATURE_RANK="dfbvideosink:NONE,kmssink:NONE")
        (cls.folder / "bin").mkdir()
        launcher = cls.folder / "bin/gst-launch-1.0"
        launcher.write_text(LAUNCHER.format(shutil.which("gst-launch-1.0") or "/usr/bin/gst-launch-1.0"))
        launcher.chmod(0o755)
        if shutil.which("Xvfb"):
            display = Display()
            cls.addClassCleanup(display.close)
            cls.env["DISPLAY"] = display.name

    def start(self, line, **env):
        log = tempfile.TemporaryFile("w+", dir=self.folder, encoding="utf-8", errors="replace")
        self.addCleanup(log.close)
        process = subprocess.Popen(line, shell=True, cwd=self.tree, env=dict(self.env, **env), stdout=log,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
        process.log = log
        self.addCleanup(self.kill, process)
        return process

    @staticmethod
    def kill(process):
        """Nothing is left behind, whatever went wrong."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()

    @staticmethod
    def said(process):
        """Until now. Read without moving its place in the file, which is the process's too."""
        return os.pread(process.log.fileno(), 1 << 24, 0).decode(errors="replace")

    def wait_for(self, process, pattern):
        """Until it has said so."""
        deadline = time.monotonic() + END_S
        while not re.search(pattern, self.said(process), re.M):
            self.assertTrue(process.poll() is None and time.monotonic() < deadline, f"{pattern}: {self.said(process)[-2000:]}")
            time.sleep(0.1)

    def finish(self, process):
        """Ctrl-C, as a user would; what it said."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(END_S)
        process.log.seek(0)
        return process.log.read()


class Examples(Terminals):
    def run_example(self, name, flows):
        """Runs its lines side by side until flows(their texts) is true, which it has to become; then ends them. Their texts."""
        if "DISPLAY" not in self.env:
            self.skipTest("there is no Xvfb to show pictures on")
        lines = run_lines(name)
        self.assertTrue(lines, f"{name} gives no line that starts with Run:")
        processes = []
        for line in lines:
            processes.append(self.start(line))
            time.sleep(START_S)
        deadline, flowed = time.monotonic() + FLOW_S, False
        while not flowed and time.monotonic() < deadline and any(process.poll() is None for process in processes):
            time.sleep(0.2)
            flowed = flows([self.said(process) for process in processes])
        texts = [self.finish(process) for process in reversed(processes)][::-1]
        for line, text in zip(lines, texts):
            self.assertNotRegex(text, r"(?m)^ERROR|erroneous pipeline|Segmentation fault", f"{line}\n{text[-2000:]}")
        self.assertTrue(flowed, "\n".join(text[-2000:] for text in texts))
        return texts

    def check_pipelines(self, name, least_bps, senders=1):
        """All who send are told of least_bps and of a round trip."""
        def flows(texts):
            sending = [figures for figures in map(last_stats, texts) if figures.get("packets-sent", 0) > 0]
            return len(sending) == senders and all(figures.get("delivered-bitrate", 0) > least_bps and figures.get("rtt", 0) > 0
                                                   for figures in sending)
        self.run_example(name, flows)

    def test_video(self):
        self.check_pipelines("gst-launch/video.sh", 500000)

    def test_voice(self):
        self.check_pipelines("gst-launch/voice.sh", 1000)

    def test_both_directions(self):
        # Two encoders share the machine with other tests: that both flow is what is asked.
        self.check_pipelines("gst-launch/both-directions.sh", 250000, senders=2)

    def test_srtp(self):
        self.check_pipelines("gst-launch/srtp.sh", 500000)

    def test_rtpbin(self):
        self.check_pipelines("gst-launch/rtpbin.sh", 500000)

    def test_twcc_with_a_stock_receiver(self):
        self.check_pipelines("gst-launch/twcc-stock-receiver.sh", 500000)

    def test_receiver_reports_only(self):
        self.check_pipelines("gst-launch/rr-only.sh", 500000)

    def test_tee(self):
        self.run_example("gst-launch/tee.sh", lambda texts: all(last_stats(text).get("delivered-bitrate", 0) > 100000 for text in texts))

    def test_simulcast(self):
        def told(text):
            return re.findall(r"^target (\d+) kbit/s: low (\d+), middle (\w+), high (\w+); delivered (\d+)", text, re.M)
        text = self.run_example("simulcast.py", lambda texts: any(int(line[4]) > 50 for line in told(texts[0])))[0]
        for target, *layers, _delivered in told(text):
            self.assertLessEqual(sum(int(kbps) for kbps in layers if kbps != "paused"), int(target), text[-2000:])

    def test_early_fec(self):
        """3 % are lost, and shown all the same."""
        def flows(texts):
            told = re.findall(r"^repair .*: (\d+) packets asked for, (\d+) given up; (\d+) frames shown", texts[0], re.M)
            return bool(told) and int(told[-1][0]) > 5 and int(told[-1][2]) > 100
        self.run_example("early_fec.py", flows)

    def test_call(self):
        def flows(texts):
            return all(re.search(r"^video: .*delivered ([3-9]\d\d|\d{4,}) kbit/s", text, re.M)
                       and re.search(r"^voice: target \d\d kbit/s", text, re.M) for text in texts)
        self.run_example("call.c", flows)

    def test_minimal_sender(self):
        def flows(texts):
            late_ms = [int(ns) / 1e6 for ns in re.findall(r"delay-variation=\(gint64\)(\d+)", texts[0])]
            delivered_kbps = [int(kbps) for kbps in re.findall(r"delivered +(\d+) kbit/s", texts[1])]
            # Its media does not wait.
            return bool(late_ms and delivered_kbps) and late_ms[-1] < 400 and delivered_kbps[-1] > 500
        self.run_example("minimal_sender.c", flows)
        source = (EXAMPLES / "minimal_sender.c").read_text(encoding="utf-8")
        self.assertLessEqual(len(source.splitlines()), 150)

    def test_rtsp_server(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"],
                          capture_output=True).returncode != 0:
            self.skipTest("gir1.2-gst-rtsp-server-1.0 is not installed")
        if "DISPLAY" not in self.env:
            self.skipTest("there is no Xvfb to show pictures on")
        serve, play = run_lines("rtsp_server.py")
        server = self.start(serve)
        self.wait_for(server, r"^rtsp://")
        self.start(play)
        self.wait_for(server, r"delivered-bitrate [1-9]\d{4}.*feedback-twcc [1-9]\d")

    def test_lines_of_every_example_are_run_here(self):
        """An example that no test runs is not one."""
        tested = "".join(path.read_text(encoding="utf-8") for path in pathlib.Path(__file__).parent.glob("*.py"))
        names = [path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*")
                 if path.suffix in (".c", ".sh", ".py") and path.is_file()]
        for name in names:
            # Run by minimal_sender.c; built by tests/tools/test_install.py; run by tests/webrtc/ and tests/python/.
            self.assertTrue(name in tested or name in ("gst-launch/minimal_receiver.sh", "program/program.c", "webrtc/send.py", "webrtc/webrtcsink.py",
                                                "python/aimd.py"), name)


class Simulcast(unittest.TestCase):
    """The rule of examples/simulcast.py."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(EXAMPLES))
        import simulcast  # pylint: disable=import-outside-toplevel
        cls.simulcast = simulcast

    def rates(self, budget_kbps, running=(True, True, True)):
        rates = self.simulcast.split(budget_kbps * 1000, self.simulcast.LAYERS, running)
        return [bps / 1000 for bps in rates]

    def test_each_gets_its_minimum_in_order_then_more_in_order(self):
        for budget_kbps, rates in ((50, [80, 0, 0]), (150, [150, 0, 0]), (250, [200, 0, 0]), (280, [80, 200, 0]),
                                   (350, [150, 200, 0]), (600, [200, 400, 0]), (979, [200, 700, 0]), (980, [80, 200, 700]),
                                   (1500, [200, 600, 700]), (3000, [200, 700, 2100]), (9000, [200, 700, 2500])):
            self.assertEqual(self.rates(budget_kbps), rates, budget_kbps)

    def test_a_paused_layer_needs_more_to_return(self):
        for running, budget_kbps, rates in (((True, False, False), 320, [200, 0, 0]), ((True, False, False), 330, [130, 200, 0]),
                                            ((True, True, False), 1100, [200, 700, 0]), ((True, True, False), 1155, [200, 255, 700]),
                                            ((False, False, False), 1500, [200, 600, 700])):
            self.assertEqual(self.rates(budget_kbps, running), rates, (running, budget_kbps))

    def test_a_rate_that_swings_around_a_minimum_switches_seldom(self):
        layers, switches, before = self.simulcast.Layers(self.simulcast.LAYERS), 0, None
        for tenth in range(1200):
            rates = layers.follow(340000 if tenth // 10 % 2 else 260000, tenth / 10)
            switches += before is not None and (rates[1] > 0) != before
            before = rates[1] > 0
        self.assertLessEqual(switches, 2 * (120 // 8 + 4))  # on and off once in 8 s; without the wait 120 times

    def test_a_layer_returns_at_once_after_one_that_lasted(self):
        layers = self.simulcast.Layers(self.simulcast.LAYERS)
        layers.follow(3000000, 0)
        self.assertEqual(layers.follow(300000, 100)[2], 0)
        self.assertEqual(layers.follow(3000000, 100.5)[2], 0)
        self.assertGreater(layers.follow(3000000, 101.5)[2], 0)


class EarlyFec(unittest.TestCase):
    """What receives in examples/early_fec.py."""

    def test_what_fec_repairs_is_not_waited_for(self):
        sys.path.insert(0, str(EXAMPLES))
        import early_fec  # pylint: disable=import-outside-toplevel
        gst = early_fec.Gst
        gst.init(None)
        pipeline = gst.parse_launch(
            "videotestsrc is-live=true num-buffers=120 ! video/x-raw,width=128,height=96,framerate=30/1 ! rtpvrawpay mtu=6000 "
            f"! application/x-rtp,payload=96 ! rtpulpfecenc name=sender pt={early_fec.FEC_PT} percentage=100 "
            f"! identity name=network ! {early_fec.RECEIVE} ! fakesink name=sink sync=false async=false")
        early_fec.EarlyFec(pipeline)
        media, frames, came, late_ms = [], {}, [], []

        def lose(_pad, info):
            """Of every third frame the second packet, and of every third the second of its repair."""
            head = info.get_buffer().extract_dup(0, 8)
            is_media, frame = head[1] & 0x7f == 96, frames.setdefault(head[4:8], [len(frames), 0, 0])
            if is_media:
                media.append(time.monotonic())
            frame[1 + is_media] += 1
            is_second = frame[1 + is_media] == 2 and 40 <= frame[0] < 100
            return gst.PadProbeReturn.DROP if is_second and frame[0] % 3 == is_media else gst.PadProbeReturn.OK

        def arrive(_pad, info):
            late_ms.append(1000 * (time.monotonic() - media[len(came)]))
            came.append(int.from_bytes(info.get_buffer().extract_dup(2, 2), "big"))
            return gst.PadProbeReturn.OK

        pipeline.get_by_name("network").get_static_pad("src").add_probe(gst.PadProbeType.BUFFER, lose)
        pipeline.get_by_name("sink").get_static_pad("sink").add_probe(gst.PadProbeType.BUFFER, arrive)
        pipeline.set_state(gst.State.PLAYING)
        self.addCleanup(pipeline.set_state, gst.State.NULL)
        message = pipeline.get_bus().timed_pop_filtered(20 * gst.SECOND, gst.MessageType.EOS | gst.MessageType.ERROR)
        self.assertTrue(message and message.type == gst.MessageType.EOS)
        self.assertGreater(len(came), 600)
        self.assertEqual(len(came), len(media))
        self.assertEqual(came, [(came[0] + k) & 0xffff for k in range(len(came))])
        self.assertEqual(pipeline.get_by_name("jitter").get_property("stats").get_uint64("num-lost")[1], 0)
        self.assertLess(max(late_ms[len(late_ms) // 3:]), early_fec.LATENCY_MS)

    def told(self, lost, extension=False, first=65530, frames=6):
        """Which of the lost packets are said to be repair: frames of 4 packets and 2 of repair, numbered from 0."""
        sys.path.insert(0, str(EXAMPLES))
        import early_fec  # pylint: disable=import-outside-toplevel
        early_fec.Gst.init(None)
        found = []
        lost_repair = early_fec.LostRepair(lambda number, _buffer: found.append((number - first) & 0xffff))
        for number in sorted(set(range(6 * frames)) - set(lost)):
            frame, place = divmod(number, 6)
            kind = early_fec.FEC_PT if place > 3 else 96 | (0x80 if place == 3 else 0)
            base = 6 * frame + (0 if place == 4 else 2)
            packet = struct.pack("!BBHII", 0x90 if extension else 0x80, kind, (first + number) & 0xffff, 3000 * frame, 7) \
                + (struct.pack("!HHI", 0xbede, 1, 0) if extension else b"") + struct.pack("!HHQ", 0, (first + base) & 0xffff, 0)
            buffer = early_fec.Gst.Buffer.new_wrapped(packet)
            lost_repair.on_packet(None, types.SimpleNamespace(get_buffer=lambda one=buffer: one))
        return sorted(found)

    def test_lost_repair_is_told_from_lost_media(self):
        for lost, wanted in (((), []), ([16], [16]), ([17], [17]), ([16, 17], [16, 17]),
                             ([17, 18, 19], [17]),  # with what follows
                             ([12], []), ([12, 16], [16]),  # media
                             ([15, 16], []), ([15, 16, 17], []),  # the end of a frame: where does its repair begin?
                             ([16, 17, 21], []), ([16, 17, 22], [22]),  # nothing says where the next frame begins
                             ([17, *range(18, 24)], []), (list(range(18, 24)), [])):  # a whole frame
            for extension in (False, True):
                with self.subTest(lost=lost, extension=extension):
                    self.assertEqual(self.told(lost, extension), wanted)


class BadInput(Terminals):
    def fails(self, line, pattern):
        process = self.start(line)
        process.wait(END_S)
        text = self.finish(process)
        self.assertNotEqual(process.returncode, 0, text)
        self.assertRegex(text, pattern)

    def test_scripts_say_how_they_are_used(self):
        for script in sorted((EXAMPLES / "gst-launch").glob("*.sh")):
            if script.name != "minimal_receiver.sh":
                self.fails(f"examples/gst-launch/{script.name}", "^usage: ")

    def test_a_key_of_the_wrong_length_is_named(self):
        self.fails("KEY=0011 GST_PLUGIN_PATH=build/gst examples/gst-launch/srtp.sh send 127.0.0.1", "srtp-key has 2 bytes, which is too short.* needs 30")
        self.fails("GST_PLUGIN_PATH=build/gst build/examples/call --test --key 00zz 127.0.0.1", "60 hexadecimal digits")

    def test_a_number_out_of_range_is_an_error(self):
        self.fails("build/examples/call --test --here 99999 127.0.0.1", "--here and --there must be 1 to 65532")
        self.fails("build/examples/minimal_sender 127.0.0.1 5004 soon", "^usage: ")

    def test_a_port_in_use_is_an_error(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("0.0.0.0", 5005))
            self.fails("build/examples/minimal_sender 127.0.0.1 5004 1", "PORT \\+ 1 must be free")
            self.fails("GST_PLUGIN_PATH=build/gst build/examples/call --test --here 5004 127.0.0.1", "Address already in use")

    def test_the_minimal_sender_says_how_it_is_used(self):
        self.fails("build/examples/minimal_sender 127.0.0.1 0 1", "^usage: ")


if __name__ == "__main__":
    isolate()
    tap.main()
