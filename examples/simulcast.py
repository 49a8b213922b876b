#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Simulcast: one camera, three encoders, one weirsend, as for an SFU. The budget goes to the layers in order: each its
# minimum as long as there is enough, then more, from the lowest on. A layer that cannot have its minimum is paused, and
# comes back with a key frame. weirlink stands for the network, which falls from 4 Mbit/s to 0.3 and returns.
#
# Run: GST_PLUGIN_PATH=build/gst examples/simulcast.py
import collections
import signal
import sys
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo  # noqa: E402

Layer = collections.namedtuple("Layer", "name size min_bps max_bps")
LAYERS = (Layer("low", "width=320,height=180", 80000, 200000),
          Layer("middle", "width=640,height=360", 200000, 700000),
          Layer("high", "width=1280,height=720", 700000, 2500000))
# A layer returns when there is more than its minimum, or a rate that swings would switch it on and off; and after a
# return that did not last, not for twice as long.
RETURNS_AT = 1.25
LASTS_S, MOST_WAIT_S = 10, 8
NETWORK = 'schedule="0:4M,20:1500k,40:600k,60:300k,80:4M" queue-time=200000000 delay=25000000'

BRANCH = ("camera. ! queue max-size-buffers=2 leaky=downstream ! valve name=valve-{0.name} ! videoscale "
          "! video/x-raw,{0.size} ! x264enc name={0.name} tune=zerolatency speed-preset=ultrafast vbv-buf-capacity=120 "
          "key-int-max=900 ! rtph264pay config-interval=-1 mtu=1200 ssrc={1} ! funnel. ")
PIPELINE = ("videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1 "
            "! video/x-raw,width=1280,height=720,framerate=30/1 ! tee name=camera "
            + "".join(BRANCH.format(layer, number) for number, layer in enumerate(LAYERS, 1)) +
            f"rtpfunnel name=funnel ! weirsend name=send encoders=none min-bitrate={LAYERS[0].min_bps} "
            f"max-bitrate={sum(layer.max_bps for layer in LAYERS)} ! weirlink name=network {NETWORK} "
            "! weirrecv name=receive ! fakesink sync=false async=false "
            "receive.rtcp_src ! weirlink delay=25000000 ! udpsink host=127.0.0.1 port=5005 sync=false async=false "
            "udpsrc port=5005 ! send.rtcp_sink")


def split(budget_bps, layers, running, may_return=True):
    """What each layer gets of the budget; 0: it is paused. running: those that are not paused now."""
    rates, left_bps = [], budget_bps
    for number, layer in enumerate(layers):
        needs_bps = layer.min_bps if running[number] else RETURNS_AT * layer.min_bps
        may_run = running[number] or may_return
        fits = number == 0 or (rates[-1] > 0 and may_run and left_bps >= needs_bps)
        rates.append(layer.min_bps if fits else 0)
        left_bps -= rates[-1]
    for number, layer in enumerate(layers):
        more_bps = max(0, min(left_bps, layer.max_bps - layer.min_bps)) if rates[number] else 0
        rates[number] += more_bps
        left_bps -= more_bps
    return rates


class Layers:
    """Who gets what, as time goes on."""

    def __init__(self, layers):
        self.layers, self.rates = layers, [0] * len(layers)
        self.wait_s = self.returned_s = self.returns_from_s = 0

    def follow(self, budget_bps, now_s):
        running = [bps > 0 for bps in self.rates]
        self.rates = split(budget_bps, self.layers, running, now_s >= self.returns_from_s)
        more = sum(bps > 0 for bps in self.rates) - sum(running)
        if more > 0:
            self.returned_s = now_s
        elif more < 0:
            lasted = now_s - self.returned_s >= LASTS_S
            self.wait_s = 1 if lasted else min(max(1, 2 * self.wait_s), MOST_WAIT_S)
            self.returns_from_s = now_s + self.wait_s
        return self.rates


class Simulcast:
    def __init__(self):
        self.pipeline = Gst.parse_launch(PIPELINE)
        self.send = self.pipeline.get_by_name("send")
        self.layers, self.budget_bps = Layers(LAYERS), 0
        self.send.connect("notify::target-bitrate", lambda *_: self.follow())
        self.follow()

    def follow(self):
        """In whatever thread tells of a new target: at most 20 times a second."""
        before = self.layers.rates
        self.budget_bps = self.send.get_property("target-bitrate")
        after = self.layers.follow(self.budget_bps, time.monotonic())
        for layer, was_bps, now_bps in zip(LAYERS, before, after):
            encoder = self.pipeline.get_by_name(layer.name)
            self.pipeline.get_by_name("valve-" + layer.name).set_property("drop", now_bps == 0)
            if now_bps > 0:
                encoder.set_property("bitrate", max(1, now_bps // 1000))
            if now_bps > 0 and was_bps == 0:
                event = GstVideo.video_event_new_upstream_force_key_unit(Gst.CLOCK_TIME_NONE, True, 0)
                encoder.get_static_pad("src").send_event(event)

    def say(self):
        stats = self.send.get_property("stats")
        layers = ", ".join(f"{layer.name} {bps // 1000}" if bps else f"{layer.name} paused"
                           for layer, bps in zip(LAYERS, self.layers.rates))
        delivered_bps = stats.get_int64("delivered-bitrate")[1]
        print(f"target {self.budget_bps // 1000} kbit/s: {layers}; "
              f"delivered {delivered_bps // 1000}, lost {stats.get_uint64('packets-lost')[1]}", flush=True)
        return True


def main():
    Gst.init(None)
    loop, call = GLib.MainLoop(), Simulcast()
    bus = call.pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message::error", lambda _bus, message: (print("ERROR:", message.parse_error()[0].message), loop.quit()))
    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, loop.quit)
    GLib.timeout_add_seconds(1, call.say)
    call.pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    call.pipeline.set_state(Gst.State.NULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
