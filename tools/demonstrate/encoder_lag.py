#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast x264's frames follow the target bitrate, and how much they vary: the figures behind the encoder of live/*
(docs/scenarios.md). Encodes the demo's clip with targets that alternate every 5 s, as fast as the machine can, and
prints a table."""
import itertools
import math
import os
import sys

import clip

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WIDTH, HEIGHT, FPS = 640, 360, 30
PERIOD = 5 * FPS      # frames with one target
STEPS = 24            # periods, low and high in turns
SETTLED = PERIOD // 2  # frames until a period is steady
FITTED = 2 * FPS      # frames from a step on that the lag is fitted to
CASES = [(500, 2000, {}), (750, 1500, {}), (1000, 1300, {}), (500, 2000, {"speed-preset": "ultrafast"}),
         (500, 2000, {"speed-preset": "veryfast"}), (500, 2000, {"vbv-buf-capacity": "600"})]
SETTINGS = {"tune": "zerolatency", "speed-preset": "superfast", "vbv-buf-capacity": "120", "key-int-max": "900",
            "option-string": "scenecut=0"}


def mean(values):
    return sum(values) / len(values)


def frame_sizes(raw, low_kbps, high_kbps, settings):
    """Bytes of each frame."""
    import gi  # pylint: disable=import-outside-toplevel
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst  # pylint: disable=import-outside-toplevel
    Gst.init(None)
    encoder = " ".join(f"{name}={value}" for name, value in {**SETTINGS, **settings}.items())
    pipeline = Gst.parse_launch(
        f'multifilesrc location="{raw}" loop=true ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} '
        f"framerate={FPS}/1 ! identity name=tick eos-after={PERIOD * STEPS} ! x264enc name=encoder bitrate={low_kbps} "
        f"{encoder} ! video/x-h264,profile=constrained-baseline,stream-format=byte-stream,alignment=au "
        "! fakesink name=sink sync=false signal-handoffs=true")
    sizes, count = [], itertools.count()

    def on_frame(_pad, _info):
        period, inside = divmod(next(count), PERIOD)
        if inside == 0:
            pipeline.get_by_name("encoder").set_property("bitrate", high_kbps if period % 2 else low_kbps)
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("tick").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, on_frame)
    pipeline.get_by_name("sink").connect("handoff", lambda _sink, buffer, _pad: sizes.append(buffer.get_size()))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        raise OSError(message.parse_error()[0].message)
    return sizes[:PERIOD * STEPS]


def periods(sizes, first):
    """Every second one from this on, but the one at the start."""
    return [sizes[k * PERIOD:(k + 1) * PERIOD] for k in range(first, len(sizes) // PERIOD, 2) if k > 0]


def lag_s(sizes, up):
    """Time constant of the exponential that is next to the mean of the steps."""
    curve = [mean(frames) for frames in zip(*periods(sizes, 1 if up else 2))]
    before = mean([mean(period[SETTLED:]) for period in periods(sizes, 2 if up else 1)])
    after = mean(curve[SETTLED:])
    gaps = [(after - size) / (after - before) for size in curve[:FITTED]]

    def error(tau_s):
        return sum((gap - math.exp(-(frame + 1) / FPS / tau_s))**2 for frame, gap in enumerate(gaps))

    return min((step / 100 for step in range(1, 200)), key=error)


def noise(sizes, high):
    """Mean of the relative error of the frames of steady periods: the scale of Laplace noise."""
    errors = []
    for period in periods(sizes, 1 if high else 2):
        level = mean(period[SETTLED:])
        errors += [abs(size / level - 1) for size in period[SETTLED:]]
    return mean(errors)


def main():
    raw = clip.decode(os.path.join(ROOT, "build", "demo"), WIDTH, HEIGHT)
    print("| target, Mbit/s | time constant up, s | down, s | mean relative error, steady |\n|---|---|---|---|")
    for low_kbps, high_kbps, settings in CASES:
        sizes = frame_sizes(raw, low_kbps, high_kbps, settings)
        name = ", ".join([f"{low_kbps / 1000:g}, {high_kbps / 1000:g}", *(f"`{key}={settings[key]}`" for key in settings)])
        print(f"| {name} | {lag_s(sizes, True):.2f} | {lag_s(sizes, False):.2f} "
              f"| {noise(sizes, False):.2f}, {noise(sizes, True):.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
