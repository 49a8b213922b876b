#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a call looks like in its first five seconds, by the rate at which it starts: the table of docs/start.md.
The lab says which targets the encoder gets on an idle path (live/const with another capacity and 100 ms of buffer);
x264 encodes the demo's clip with them, as fast as the machine can. Prints the time to 90 % of the capacity, the queue,
what was lost, and the SSIM of the pictures of the first second and of all five."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy

import clip
from encoder_lag import FPS, SETTINGS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAB = os.path.join(ROOT, "build", "tools", "lab", "weir-lab")
WIDTH, HEIGHT = 640, 360
SECONDS = 5
DEFAULT_BPS = 300000
CAPACITIES_BPS = (1000000, 2500000, 8000000)
STORED_BPS = (None, 1000000, 2500000, 8000000)
MAX_BPS = 10000000
BLOCK = 8


def start_bps(stored_bps):
    """Half of what was stored, which leaves out headers: docs/elements.md has the recipe."""
    return DEFAULT_BPS if stored_bps is None else max(DEFAULT_BPS, int(0.95 * stored_bps / 2))


def course(capacity_bps, first_bps):
    """The lab's result, and the target of each frame in bit/s."""
    flow = "flows.media-{i}."
    values = {"measure.from_s": 0, "measure.to_s": SECONDS, "sample_s": 1 / FPS, "vars.capacity_bps": capacity_bps,
              "vars.queue_bytes": capacity_bps // 80, flow + "limits.start_bps": first_bps,
              flow + "limits.max_bps": MAX_BPS, flow + "source.max_bps": MAX_BPS}
    with tempfile.TemporaryDirectory() as folder:
        command = [LAB, "run", "live/const", "--duration", "10", "--json", "--out", folder]
        for name, value in values.items():
            command += ["--set", f"{name}={value}"]
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        with open(os.path.join(folder, "flows.csv"), encoding="utf-8", newline="") as file:
            targets = [int(row["target_bps"]) for row in csv.DictReader(file) if row["flow"].startswith("media")]
    return result, [first_bps] + targets[:SECONDS * FPS - 1]


def ssim(one, other):
    """Mean over blocks of 8x8 of two luma planes (Wang et al. 2004, with blocks in place of a Gaussian window)."""
    def blocks(plane):
        height, width = (side - side % BLOCK for side in plane.shape)
        parts = plane[:height, :width].astype(float).reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK)
        return parts.swapaxes(1, 2).reshape(-1, BLOCK * BLOCK)
    a, b = blocks(one), blocks(other)
    mean_a, mean_b = a.mean(axis=1), b.mean(axis=1)
    covariance = (a * b).mean(axis=1) - mean_a * mean_b
    c1, c2 = (0.01 * 255)**2, (0.03 * 255)**2
    return float(((2 * mean_a * mean_b + c1) * (2 * covariance + c2)
                  / ((mean_a**2 + mean_b**2 + c1) * (a.var(axis=1) + b.var(axis=1) + c2))).mean())


def encode(raw, targets):
    """The SSIM of each frame, encoded with these targets."""
    import gi  # pylint: disable=import-outside-toplevel
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst  # pylint: disable=import-outside-toplevel
    Gst.init(None)
    settings = " ".join(f"{name}={value}" for name, value in SETTINGS["x264enc"].items())
    pipeline = Gst.parse_launch(
        f'multifilesrc location="{raw}" loop=true ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} '
        f"framerate={FPS}/1 ! identity name=tick eos-after={len(targets) + 1} ! x264enc name=encoder {settings} ! avdec_h264 "
        "! videoconvert ! video/x-raw,format=I420 ! fakesink name=sink sync=false signal-handoffs=true")
    encoder, luma, originals, found = pipeline.get_by_name("encoder"), WIDTH * HEIGHT, [], []

    def plane(buffer):
        return numpy.frombuffer(buffer.extract_dup(0, luma), numpy.uint8).reshape(HEIGHT, WIDTH)

    def on_frame(_pad, info):
        if len(originals) < len(targets):
            encoder.set_property("bitrate", max(1, round(targets[len(originals)] / 1000)))
        originals.append(plane(info.get_buffer()))
        return Gst.PadProbeReturn.OK

    def on_decoded(_sink, buffer, _pad):
        found.append(ssim(originals[len(found)], plane(buffer)))
        originals[len(found) - 1] = None

    pipeline.get_by_name("tick").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, on_frame)
    pipeline.get_by_name("sink").connect("handoff", on_decoded)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        raise OSError(message.parse_error()[0].message)
    return found[:len(targets)]


def row(raw, capacity_bps, stored_bps):
    first_bps = start_bps(stored_bps)
    result, targets = course(capacity_bps, first_bps)
    link, quality = result["links"][0], encode(raw, targets)
    stored = "nothing" if stored_bps is None else f"{stored_bps / 1e6:g}"
    return (f"| {capacity_bps / 1e6:g} | {stored} | {first_bps / 1e6:.2f} | {link['rise_s']['0']:.1f} "
            f"| {100 * link['loss_ratio']:.1f} | {link['queue_ms']['p95']:.0f}, {link['queue_ms']['max']:.0f} "
            f"| {numpy.mean(quality[:FPS]):.3f} | {numpy.mean(quality):.3f} |")


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    raw = clip.decode(os.path.join(ROOT, "build", "demo"), WIDTH, HEIGHT)
    print("| path, Mbit/s | stored | start | 90 % after, s | lost, % | queue p95, max, ms | SSIM of the first second | of five |"
          "\n|---|---|---|---|---|---|---|---|")
    for capacity_bps in CAPACITIES_BPS:
        for stored_bps in STORED_BPS:
            print(row(raw, capacity_bps, stored_bps), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
