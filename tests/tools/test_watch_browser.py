# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-watch in a real browser, beside a real pipeline whose capacity falls: the page shows what the elements say."""
import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "tools"), os.path.join(ROOT, "tools")]
import browser  # noqa: E402
import tap  # noqa: E402
from watch import messages, structure, uplot  # noqa: E402

STEP_S, END_S = 5, 11
PATIENCE_S = 40
LINE = f"""videotestsrc is-live=true pattern=snow num-buffers={30 * END_S} ! video/x-raw,width=320,height=240,framerate=30/1
    ! x264enc tune=zerolatency speed-preset=ultrafast ! rtph264pay
    ! weirsend name=camera max-bitrate=4000000 stats-interval=200000000 trace-location=TRACE
    ! weirlink name=path schedule=0:2500k,{STEP_S}:600k delay=25000000 stats-interval=200000000
    ! weirrecv name=r ! fakesink sync=false async=false
    r.rtcp_src ! weirlink delay=25000000 stats-interval=0 ! camera.rtcp_sink"""
# The last point of a curve, and what was fed to it.
LAST = """const {state, charts} = window.weirWatch, track = state.tracks[state.sender];
    if (!track || !track.t.length) return null;
    const index = charts[arguments[0]].series.findIndex(s => s.label === arguments[1]), data = charts[arguments[0]].data;
    let at = data[0].length - 1;
    while (at > 0 && data[index][at] == null) at--;
    return [data[0][at], data[index][at]];"""
HIGHEST = """const chart = window.weirWatch.charts[arguments[0]], index = chart.series.findIndex(s => s.label === arguments[1]);
    return Math.max(...chart.data[index].filter(value => value != null));"""
CURVES = (("rates", "target", "target_bps"), ("rates", "sent", "sent_bps"), ("rates", "delivered", "delivered_bps"),
          ("delays", "round trip", "rtt_ms"), ("delays", "queueing delay", "queueing_ms"), ("losses", "loss", "loss_percent"))


def missing():
    if not importlib.util.find_spec("aiohttp"):
        return "python3-aiohttp is not installed"
    if not any(uplot.is_whole(place) for place in uplot.places()):
        return "uPlot is not here: tools/setup watch"
    if not os.environ.get("GST_PLUGIN_PATH") or not shutil.which("gst-launch-1.0"):
        return "no GStreamer plugin to test"
    for element in ("x264enc", "weirsend"):
        if subprocess.run(["gst-inspect-1.0", element], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
            return f"no {element}"
    return browser.missing()


class Watch:
    """weir-watch; remembers what passes through it."""

    def __init__(self, *arguments):
        self.lines = []
        self.process = subprocess.Popen([os.path.join(ROOT, "tools", "weir-watch"), "--port", "0", *arguments], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in self.process.stderr:
            found = re.search(r"http://\S+", line)
            if found:
                self.url = found[0]
                break
        else:
            raise RuntimeError("weir-watch did not start")
        self.readers = [threading.Thread(target=self.lines.extend, args=(stream,)) for stream in (self.process.stdout, self.process.stderr)]
        for reader in self.readers:
            reader.start()

    def rows(self):
        """{time: row} of the sender, as its messages said."""
        found = [structure.read_stats(line) for line in list(self.lines)]
        return {fields["time"] / 1e9: messages.picked(messages.SENDER, fields)
                for element, fields in filter(None, found) if element == "camera"}

    def row_at(self, time_s):
        """The page may be ahead of our own reading."""
        until = time.monotonic() + 5
        while time_s not in self.rows() and time.monotonic() < until:
            time.sleep(0.1)
        return self.rows()[time_s]

    def end(self, number=signal.SIGTERM):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode


class Page(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="weir-watch-")
        self.addCleanup(self.directory.cleanup)
        self.trace = os.path.join(self.directory.name, "trace.jsonl")
        self.page = browser.Browser(height=1400)
        self.page.__enter__()
        self.addCleanup(self.page.close)

    def start(self, *arguments):
        watch = Watch(*arguments)
        self.addCleanup(watch.end)
        return watch

    def check_curves(self, watch):
        """Each curve ends with what the element said at that time."""
        for chart, label, column in CURVES:
            time_s, value = self.page.run(LAST, chart, label)
            self.assertEqual(value, watch.row_at(time_s)[column], f"{label} at {time_s} s")
            self.assertLess(max(watch.rows()) - time_s, 5)

    def watch_live(self, watch):
        """The sentences seen until the pipeline has ended."""
        seen = []
        until = time.monotonic() + PATIENCE_S + END_S
        while time.monotonic() < until:
            sentence, state = self.page.run("return [document.getElementById('limit').textContent, document.getElementById('connection').textContent]")
            if sentence not in seen:
                seen.append(sentence)
            if state != "live":
                return seen
            time.sleep(0.1)
        raise AssertionError("the pipeline did not end")

    def test_a_live_pipeline_and_its_trace(self):
        line = LINE.replace("TRACE", self.trace).split()
        watch = self.start("--", "gst-launch-1.0", "-m", *line)
        time.sleep(1.5)  # a page that is opened late has the beginning too
        self.page.go(watch.url)
        self.page.wait("const track = window.weirWatch && weirWatch.state.tracks.camera; return track && track.t.length > 10;",
                       PATIENCE_S, "rows of the sender")
        self.assertLess(self.page.run("return weirWatch.state.tracks.camera.t[0]"), 1)
        self.check_curves(watch)
        self.assertEqual(self.page.run(HIGHEST, "rates", "capacity"), 2.5e6)  # which is the past if this comes late
        self.assertGreater(self.page.run("return document.querySelectorAll('.variable canvas').length"), 5)
        seen = self.watch_live(watch)
        self.assertGreaterEqual(len(seen), 2, seen)
        self.assertTrue(any(sentence.startswith(("Loss", "Send queue", "Delay", "Minimum")) for sentence in seen), seen)
        self.assertEqual(self.page.run(LAST, "rates", "capacity")[1], 6e5)
        self.check_curves(watch)
        self.page.screenshot(os.environ.get("WEIR_WATCH_PICTURE", os.path.join(self.directory.name, "live.png")))
        self.assertEqual(watch.process.wait(PATIENCE_S), 0)  # by itself, as its command did
        self.assertEqual(self.complaints(), [])
        self.check_past()

    def complaints(self):
        """Of the page itself; that its server has gone is none."""
        return [entry for entry in self.page.console() if "/events" not in entry["message"] and "ERR_CONNECTION" not in entry["message"]]

    def recorded_target(self, end_s):
        """What held at a time after the beginning, by the file."""
        with open(self.trace, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        return [r["target_media_bps"] for r in records
                if r["kind"] == "output" and (r["now_ns"] - records[0]["now_ns"]) / 1e9 < end_s - 1e-9][-1]

    def check_past(self):
        """The trace of the same run, opened after it."""
        os.utime(self.trace, (0, 0))
        past = self.start(self.trace)
        self.page.go(past.url)
        self.page.wait("const track = window.weirWatch && weirWatch.state.tracks['trace.jsonl']; return track && track.t.length > 40;",
                       PATIENCE_S, "rows of the trace")
        self.page.wait("return weirWatch.charts.rates.data[0].length > 40", PATIENCE_S, "curves of the trace")
        end_s, target = self.page.run(LAST, "rates", "target")
        self.assertGreater(end_s, END_S - 2)
        self.assertEqual(target, self.recorded_target(end_s))
        self.assertNotEqual(self.page.run("return document.getElementById('limit').dataset.limit"), "")
        self.assertEqual(self.complaints(), [])
        self.assertEqual(past.end(signal.SIGINT), 0)


if __name__ == "__main__":
    why = missing()
    if why:
        print(f"1..0 # SKIP {why}")
    else:
        tap.main()
