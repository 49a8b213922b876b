#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast an encoder's frames follow the target bitrate, and how much they vary: the figures behind the encoder of
live/* (docs/scenarios.md), and those of docs/encoders.md. Encodes the demo's clip with targets that alternate every
5 s, as fast as the machine can, and prints a table."""
import itertools
import os
import sys

import numpy

import clip

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WIDTH, HEIGHT, FPS = 640, 360, 30
PERIOD = 5 * FPS      # frames with one target
STEPS = 24            # periods, low and high in turns
SETTLED = PERIOD // 2  # frames until a period is steady
FITTED = 2 * FPS      # frames from a step on that the lag is fitted to
CASES = [("x264enc", 500, 2000, {}), ("x264enc", 750, 1500, {}), ("x264enc", 1000, 1300, {}),
         ("x264enc", 500, 2000, {"speed-preset": "ultrafast"}), ("x264enc", 500, 2000, {"speed-preset": "veryfast"}),
         ("x264enc", 500, 2000, {"vbv-buf-capacity": "600"}), ("vp8enc", 500, 2000, {}), ("vp8enc", 750, 1500, {}),
         ("vp9enc", 500, 2000, {}), ("vp9enc", 750, 1500, {})]
VPX = {"end-usage": "cbr", "buffer-size": "300", "buffer-initial-size": "150", "buffer-optimal-size": "200",
       "deadline": "1", "cpu-used": "8", "keyframe-max-dist": "900"}
# What weirsend sets, what a live program sets besides, and no cuts.
SETTINGS = {"x264enc": {"tune": "zerolatency", "speed-preset": "superfast", "vbv-buf-capacity": "120",
                        "key-int-max": "900", "option-string": "scenecut=0"},
            "vp8enc": VPX, "vp9enc": {**VPX, "lag-in-frames": "0"}}
# The property of the bitrate, its unit in kbit/s, and what comes out.
ENCODERS = {"x264enc": ("bitrate", 1, "video/x-h264,profile=constrained-baseline,stream-format=byte-stream,alignment=au"),
            "vp8enc": ("target-bitrate", 1000, "video/x-vp8"), "vp9enc": ("target-bitrate", 1000, "video/x-vp9")}


def frame_sizes(raw, name, low_kbps, high_kbps, settings):
    """Bytes of each frame that the encoder of this name makes."""
    import gi  # pylint: disable=import-outside-toplevel
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst  # pylint: disable=import-outside-toplevel
    Gst.init(None)
    bitrate, per_kbps, caps = ENCODERS[name]
    encoder = " ".join(f"{key}={value}" for key, value in {**SETTINGS[name], **settings}.items())
    pipeline = Gst.parse_launch(
        f'multifilesrc location="{raw}" loop=true ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} '
        f"framerate={FPS}/1 ! identity name=tick eos-after={PERIOD * STEPS} ! {name} name=encoder "
        f"{bitrate}={low_kbps * per_kbps} {encoder} ! {caps} ! fakesink name=sink sync=false signal-handoffs=true")
    sizes, count = [], itertools.count()

    def on_frame(_pad, _info):
        period, inside = divmod(next(count), PERIOD)
        if inside == 0:
            kbps = high_kbps if period % 2 else low_kbps
            pipeline.get_by_name("encoder").set_property(bitrate, kbps * per_kbps)
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("tick").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, on_frame)
    pipeline.get_by_name("sink").connect("handoff", lambda _sink, buffer, _pad: sizes.append(buffer.get_size()))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        raise OSError(message.parse_error()[0].message)
    return sizes[:PERIOD * STEPS]


def periods(sizes, high):
    """[period, frame] of those with the high or the low target, but for the one at the start."""
    return numpy.reshape(sizes, (-1, PERIOD))[1 if high else 2::2]


def lag_s(sizes, up):
    """Time constant of the exponential that is next to the mean of the steps."""
    curve = periods(sizes, up).mean(axis=0)
    before, after = periods(sizes, not up)[:, SETTLED:].mean(), curve[SETTLED:].mean()
    gaps = (after - curve[:FITTED]) / (after - before)
    lags_s = numpy.arange(1, 200)[:, None] / 100
    errors = (gaps - numpy.exp(-numpy.arange(1, FITTED + 1) / FPS / lags_s))**2
    return lags_s[errors.sum(axis=1).argmin(), 0]


def noise(sizes, high):
    """Mean of the relative error of the frames of steady periods: the scale of Laplace noise."""
    steady = periods(sizes, high)[:, SETTLED:]
    return numpy.abs(steady / steady.mean(axis=1, keepdims=True) - 1).mean()


def main():
    raw = clip.decode(os.path.join(ROOT, "build", "demo"), WIDTH, HEIGHT)
    print("| encoder | target, Mbit/s | time constant up, s | down, s | mean relative error, steady |\n|---|---|---|---|---|")
    for encoder, low_kbps, high_kbps, settings in CASES:
        sizes = frame_sizes(raw, encoder, low_kbps, high_kbps, settings)
        name = ", ".join([f"{low_kbps / 1000:g}, {high_kbps / 1000:g}", *(f"`{key}={settings[key]}`" for key in settings)])
        print(f"| {encoder} | {name} | {lag_s(sizes, True):.2f} | {lag_s(sizes, False):.2f} "
              f"| {noise(sizes, False):.2f}, {noise(sizes, True):.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
