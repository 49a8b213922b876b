#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# An RTSP server whose video follows the network: weirsend between the payloader and the server's
# own RTP session. The profile AVPF and the header extension in the caps make any player that is
# built on rtspsrc report each packet (TWCC). Needs gir1.2-gst-rtsp-server-1.0.
#
# Run: GST_PLUGIN_PATH=build/gst examples/rtsp_server.py
# Run: gst-launch-1.0 rtspsrc location=rtsp://127.0.0.1:8554/camera latency=100 ! decodebin ! videoconvert ! autovideosink
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

CAMERA = ("videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1 "
          "! x264enc tune=zerolatency speed-preset=superfast")
STREAM = ("rtph264pay pt=96 mtu=1200 config-interval=-1 ! application/x-rtp,"
          "extmap-3=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01 "
          "! weirsend name=weirsend max-bitrate=4000000")


class Camera(GstRtspServer.RTSPMediaFactory):
    """The server looks for elements pay0, pay1, ... with a pad src: here a bin around both."""

    def do_create_element(self, _url):
        media = Gst.Bin()
        camera = Gst.parse_bin_from_description(CAMERA, True)
        stream = Gst.parse_bin_from_description(STREAM, True)
        stream.set_name("pay0")
        media.add(camera)
        media.add(stream)
        camera.link(stream)
        self.weirsend = stream.get_by_name("weirsend")
        return media


def say(camera):
    stats = camera.weirsend.props.stats if hasattr(camera, "weirsend") else None
    if stats and stats.has_field("delivered-bitrate"):
        names = ["target-bitrate", "delivered-bitrate", "rtt", "feedback-twcc"]
        print(", ".join(f"{name} {stats.get_value(name)}" for name in names if stats.has_field(name)), flush=True)
    return True


def main():
    Gst.init(None)
    if not Gst.ElementFactory.find("weirsend"):
        sys.exit("weirsend is not found: set GST_PLUGIN_PATH to the folder of libgstweir.so")
    server, camera = GstRtspServer.RTSPServer(service="8554"), Camera(shared=True, profiles=GstRtsp.RTSPProfile.AVPF)
    server.get_mount_points().add_factory("/camera", camera)
    if not server.attach(None):
        sys.exit("port 8554 cannot be used: does another program have it?")
    print("rtsp://127.0.0.1:8554/camera", flush=True)
    GLib.timeout_add_seconds(1, say, camera)
    try:
        GLib.MainLoop().run()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
