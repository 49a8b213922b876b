#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sends a test picture with webrtcsink, or with whipclientsink or whipsink to a WHIP server, and weirsend in
the place of rtpgccbwe: one for each consumer, which drives that consumer's encoder.

    GST_PLUGIN_PATH=build/gst:DIRECTORY_OF_libgstrswebrtc.so python3 examples/webrtc/webrtcsink.py
    gst-launch-1.0 webrtcsrc connect-to-first-producer=true ! decodebin ! videoconvert ! autovideosink"""
import argparse
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtp", "1.0")
from gi.repository import GLib, Gst, GstRtp  # noqa: E402

TWCC = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
SOURCE = "videotestsrc is-live=true pattern=snow ! video/x-raw,width=640,height=360,framerate=30/1 ! queue"
ENCODER = ("x264enc tune=zerolatency speed-preset=superfast key-int-max=900 ! video/x-h264,profile=constrained-baseline "
           "! rtph264pay mtu=1200 config-interval=-1 aggregate-mode=zero-latency ! application/x-rtp,media=video,"
           "encoding-name=H264,payload=96,clock-rate=90000,rtcp-fb-transport-cc=(boolean)true,"
           f"rtcp-fb-nack-pli=(boolean)true,extmap-1=(string){TWCC}")
# Its own congestion control is off, and so is what goes with it: half as many bits again for FEC.
SINK = "name=sink congestion-control=disabled do-fec=false stun-server=NULL video-caps=video/x-h264"


def on_payloader(_sink, _consumer, _pad, payloader):
    """Without congestion control the sink leaves this extension out, and no prompt feedback comes."""
    extension = GstRtp.RTPHeaderExtension.create_from_uri(TWCC)
    extension.set_id(1)
    payloader.emit("add-extension", extension)
    return False  # the sink sets the rest


def on_aux_sender(_webrtcbin, _transport, consumer):
    weirsend = Gst.ElementFactory.make("weirsend")
    weirsend.set_property("min-bitrate", 150000)
    weirsend.set_property("max-bitrate", 3000000)
    GLib.timeout_add_seconds(1, report, consumer, weirsend)
    return weirsend


def report(consumer, weirsend):
    """Until it has left its consumer's pipeline."""
    if weirsend.get_parent():
        print(f"{consumer}: {weirsend.get_property('stats').to_string()}", flush=True)
    return bool(weirsend.get_parent())


def description(name, endpoint):
    if name == "whipsink":
        return f"{ENCODER} ! whipsink name=sink whip-endpoint={endpoint}"
    return f"{name} {SINK} " + (f"signaller::whip-endpoint={endpoint}" if endpoint else "run-signalling-server=true")


def connect(name, sink):
    if name == "whipsink":
        sink.get_by_name("whip-webrtcbin").connect("request-aux-sender", on_aux_sender, name)
        return
    sink.connect("payloader-setup", on_payloader)
    sink.connect("consumer-added", lambda _sink, consumer, webrtcbin:
                 webrtcbin.connect("request-aux-sender", on_aux_sender, consumer))


def on_error(_bus, message, loop):
    print(message.parse_error()[0].message, file=sys.stderr)
    loop.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--whip", metavar="URL", help="of a WHIP endpoint")
    parser.add_argument("--whipsink", action="store_true", help="the older element, which takes RTP")
    arguments = parser.parse_args()
    if arguments.whipsink and not arguments.whip:
        parser.error("--whipsink needs an endpoint: --whip URL")
    Gst.init(None)
    name = "whipsink" if arguments.whipsink else "whipclientsink" if arguments.whip else "webrtcsink"
    missing = [element for element in (name, "weirsend") if not Gst.ElementFactory.find(element)]
    if missing:
        sys.exit(f"webrtcsink.py: GStreamer has no {', '.join(missing)}: set GST_PLUGIN_PATH to the folders of "
                 "libgstrswebrtc.so, libgstwebrtchttp.so and libgstweir.so")
    pipeline = Gst.parse_launch(f"{SOURCE} ! {description(name, arguments.whip)}")
    connect(name, pipeline.get_by_name("sink"))
    loop = GLib.MainLoop()
    pipeline.get_bus().add_signal_watch()
    pipeline.get_bus().connect("message::error", on_error, loop)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main()
