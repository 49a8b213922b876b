#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A browser receives a live stream while the capacity between it and the sender steps 2.5, 0.8, 2.5 Mbit/s.

    meson devenv -C build -w . tests/browser/steps.py --out build/browser

Needs root (two network namespaces, a bottleneck of weir-link between them), Chromium, and the clip of tools/demo. Prints one line
per second; --out gets result.json, steps.png and a screenshot at the end of each phase."""
import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("tests/browser", "tests/netns", "tools/demonstrate"):
    sys.path.insert(0, str(ROOT / folder))
import chromium  # noqa: E402
import clip  # noqa: E402
import link  # noqa: E402

CAPACITIES_BPS = (2_500_000, 800_000, 2_500_000)
LINK = ("--delay", "20ms", "--reverse-delay", "20ms", "--queue-time", "80ms")
LAST_S = 8
START_S = 20


@dataclasses.dataclass
class Second:
    """What one second brought; counters are since the beginning."""
    time_s: float
    capacity_bps: float
    received_bps: float
    frames: int
    freezes: int
    freeze_s: float
    lost: int
    retransmitted: int
    delay_ms: float  # in the browser's jitter buffer, of this second's frames
    rtt_ms: float
    target_bps: float
    sent_bps: float


class InBrowser:
    """Where chromium.py starts its browser: one end of the link."""

    def __init__(self, bottleneck):
        self.command = ["ip", "netns", "exec", bottleneck.ends["b"]["netns"]]

    def start(self, *words, **options):
        return subprocess.Popen([*self.command, *words], **options)


class Sender:
    """examples/webrtc/send.py at the other end; its statistics as they come."""

    def __init__(self, bottleneck, directory, options):
        raw = clip.decode(directory)
        source = (f"multifilesrc location={raw} loop=true ! rawvideoparse format=i420 width={clip.WIDTH} height={clip.HEIGHT}"
                  f" framerate={clip.FRAMES_PER_SECOND}/1 ! clocksync")
        self.latest, self.said = {}, []
        self.ready = threading.Event()
        self.process = bottleneck.start("a", sys.executable, str(ROOT / "examples/webrtc/send.py"), "--port", "0", "--stats",
                                        "--source", source, *options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        threading.Thread(target=self.read, daemon=True).start()
        if not self.ready.wait(START_S):
            raise RuntimeError("the sender did not start: " + " ".join(self.said))

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.latest = json.loads(line)
            else:
                self.said.append(line.strip())
                found = re.search(r"http://[^:]+:(\d+)", line)
                if found:
                    self.port = int(found[1])
                    self.ready.set()
        self.ready.set()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def difference(before, now, sender, time_s, capacity_bps):
    """One second from two measurements of the page."""
    seconds = now["time"] - before["time"]
    video, former = now["video"], before["video"]
    rate = 8 * (now["pair"]["bytesReceived"] - before["pair"]["bytesReceived"]) / seconds
    emitted = video["jitterBufferEmittedCount"] - former["jitterBufferEmittedCount"]
    delay_s = (video["jitterBufferDelay"] - former["jitterBufferDelay"]) / max(emitted, 1)
    return Second(time_s, capacity_bps, rate, video["framesDecoded"], video["freezeCount"], video["totalFreezesDuration"],
                  video["packetsLost"], video.get("retransmittedPacketsReceived", 0), 1000 * delay_s,
                  1000 * now["pair"].get("currentRoundTripTime", 0), sender.get("target-bitrate", 0),
                  sender.get("sent-bitrate", 0))


def watch(page, sender, bottleneck, phase_s, out, show):
    """Seconds, one by one, while the capacity steps."""
    seconds, before = [], page.evaluate("measure()")
    start_s = time.monotonic()
    for number in range(len(CAPACITIES_BPS) * phase_s):
        capacity_bps = CAPACITIES_BPS[number // phase_s]
        if number % phase_s == 0:
            bottleneck.order(f"capacity {capacity_bps}")
        time.sleep(max(0.0, start_s + number + 1 - time.monotonic()))
        now = page.evaluate("measure()")
        if "video" in now and "video" in before:
            seconds.append(difference(before, now, sender.latest, number + 1, capacity_bps))
            if show:
                print_second(seconds[-1])
        before = now
        if out and number % phase_s == phase_s - 1:
            page.screenshot(os.path.join(out, f"phase{number // phase_s + 1}.png"))
    return seconds


def print_second(second):
    print(f"{second.time_s:3.0f} s  capacity {second.capacity_bps / 1e6:4.2f}  target {second.target_bps / 1e6:4.2f}"
          f"  sent {second.sent_bps / 1e6:4.2f}  received {second.received_bps / 1e6:4.2f} Mbit/s  frames {second.frames:5d}"
          f"  freezes {second.freezes} ({second.freeze_s:.2f} s)  lost {second.lost}  sent again {second.retransmitted}"
          f"  jitter buffer {second.delay_ms:4.0f} ms", flush=True)


def phases_of(seconds, phase_s):
    """Of each phase: what the browser received of the capacity in its last seconds, and how long it froze."""
    phases, frozen_s = [], 0.0
    for number, capacity_bps in enumerate(CAPACITIES_BPS):
        own = [s for s in seconds if number * phase_s < s.time_s <= (number + 1) * phase_s]
        last = own[-min(LAST_S, phase_s // 2):]
        phases.append({"capacity_bps": capacity_bps, "freeze_s": round(own[-1].freeze_s - frozen_s, 3),
                       "utilization": round(sum(s.received_bps for s in last) / len(last) / capacity_bps, 3)})
        frozen_s = own[-1].freeze_s
    return phases


def run(program, phase_s=20, out=None, options=(), show=False):
    """The result as a dictionary. Whatever happens, nothing is left behind."""
    with contextlib.ExitStack() as stack:
        directory = out or stack.enter_context(tempfile.TemporaryDirectory(prefix="weir-browser-"))
        os.makedirs(directory, exist_ok=True)
        bottleneck = stack.enter_context(link.Link(program, "--capacity", str(CAPACITIES_BPS[0]), *LINK))
        sender = Sender(bottleneck, str(ROOT / "build/demo"), options)
        stack.callback(sender.close)
        page = chromium.Chromium(InBrowser(bottleneck))
        stack.callback(page.close)
        open_page(page, f"http://{bottleneck.address('a')}:{sender.port}/", sender)
        seconds = watch(page, sender, bottleneck, phase_s, out, show)
        return {"phases": phases_of(seconds, phase_s), "freeze_s": seconds[-1].freeze_s, "freezes": seconds[-1].freezes,
                "frames": seconds[-1].frames, "seconds": [dataclasses.asdict(s) for s in seconds], "sender": sender.latest,
                "said": sender.said}


def shows_video(page, seconds):
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        if page.evaluate("typeof measure == 'function' ? measure() : {}").get("video", {}).get("framesDecoded", 0) > 0:
            return True
        time.sleep(0.1)
    return False


def open_page(page, url, sender):
    """Again when nothing comes: a browser that has just started may miss the first answer."""
    for _ in range(3):
        page.call("Page.navigate", url=url)
        if shows_video(page, START_S / 2):
            return
    raise RuntimeError(f"no picture in the browser; the sender said: {' '.join(sender.said)}")


def draw(result, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    seconds = result["seconds"]
    at = [s["time_s"] for s in seconds]
    figure, (rates, pictures) = plt.subplots(2, 1, figsize=(9, 5), sharex=True, height_ratios=(2, 1))
    rates.step(at, [s["capacity_bps"] / 1e6 for s in seconds], color="grey", label="capacity")
    rates.plot(at, [s["target_bps"] / 1e6 for s in seconds], color="tab:red", label="target (media)")
    rates.plot(at, [s["received_bps"] / 1e6 for s in seconds], color="tab:blue", label="received by the browser")
    rates.set_ylabel("Mbit/s")
    rates.legend(loc="lower right")
    pictures.plot(at, [s["delay_ms"] for s in seconds], color="tab:purple", label="jitter buffer, ms")
    pictures.plot(at, [1000 * s["freeze_s"] for s in seconds], color="tab:orange", label="frozen so far, ms")
    pictures.set_xlabel("seconds")
    pictures.legend(loc="upper left")
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--phase", type=int, default=20, metavar="S", help="length of each of the three phases (default 20)")
    parser.add_argument("--out", metavar="DIR", help="for result.json, steps.png and screenshots")
    parser.add_argument("--link", default=os.environ.get("WEIR_LINK", str(ROOT / "build/tools/link/weir-link")), metavar="FILE",
                        help="the program weir-link")
    parser.add_argument("options", nargs="*", help="for examples/webrtc/send.py, after --")
    arguments = parser.parse_args()
    try:
        result = run(arguments.link, arguments.phase, arguments.out, arguments.options or ["--codec", "h264"], show=True)
    except (OSError, RuntimeError, link.LinkError) as error:
        sys.exit(f"steps.py: {error}")
    for phase in result["phases"]:
        print(f"{phase['capacity_bps'] / 1e6:.1f} Mbit/s: {100 * phase['utilization']:.0f} % used in the last seconds,"
              f" frozen {phase['freeze_s']:.2f} s")
    print(f"frozen {result['freeze_s']:.2f} s in all ({result['freezes']} times)")
    if arguments.out:
        with open(os.path.join(arguments.out, "result.json"), "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
        draw(result, os.path.join(arguments.out, "steps.png"))


if __name__ == "__main__":
    main()
