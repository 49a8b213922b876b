#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sends live video and audio to a browser by WebRTC, at the rate the network carries.

    GST_PLUGIN_PATH=build/gst python3 examples/webrtc/send.py --port 8080

Then open the page it names. weirsend is webrtcbin's "aux sender": it finds webrtcbin's RTP session
and the encoders by itself, reads the browser's transport-wide feedback and drives the encoders."""
import argparse
import asyncio
import json
import os
import signal
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstSdp", "1.0")
    gi.require_version("GstWebRTC", "1.0")
    from gi.repository import Gst, GstSdp, GstWebRTC
    from aiohttp import web
except (ImportError, ValueError) as missing:
    sys.exit(f"send.py: {missing}; install what tools/setup demo names, for {sys.executable}")

TWCC = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
AUX_SENDER = "request-aux-sender"  # the signal that asks for an element before the RTP session
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "index.html")
SOURCES = {
    "test": "videotestsrc is-live=true pattern=smpte ! video/x-raw,width=1280,height=720,"
            "framerate=30/1 ! timeoverlay halignment=center valignment=center font-desc=\"Sans 48\"",
    "camera": "v4l2src ! decodebin",
}
AUDIO = {"none": None, "test": "audiotestsrc is-live=true wave=ticks", "microphone": "autoaudiosrc"}
ENCODERS = {
    # No key frames except on request: at a low rate each holds up the frames behind it.
    "h264": ("H264", "x264enc name=encoder tune=zerolatency speed-preset=superfast key-int-max=900 "
                     "option-string=\"scenecut=0\" ! video/x-h264,profile=constrained-baseline "
                     "! rtph264pay mtu=1200 config-interval=-1 aggregate-mode=zero-latency"),
    "vp8": ("VP8", "vp8enc name=encoder deadline=1 cpu-used=8 threads=2 keyframe-max-dist=900 "
                   "! rtpvp8pay picture-id-mode=15-bit mtu=1200"),
}
# At most one and a half times what arrives, and while packets are lost at most what arrives: TFRC
# as in the RFC takes several round trips to follow a fall of the capacity, and the video freezes
# meanwhile.
PARAMS = {"tfrc": "params,self-clocked=true"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--port", type=int, default=8080, help="of the page (default 8080; 0: any)")
    parser.add_argument("--source", default="test", metavar="SOURCE",
                        help="test (default), camera, or a gst-launch text that gives raw video")
    parser.add_argument("--audio", default="test", choices=AUDIO)
    parser.add_argument("--codec", default="h264", choices=ENCODERS)
    parser.add_argument("--algorithm", default="sluice", help="of weirsend (default sluice)")
    parser.add_argument("--params", help="of the algorithm; see gst-inspect-1.0 weirsend")
    parser.add_argument("--min-bitrate", type=int, default=100000, metavar="BIT/S")
    parser.add_argument("--max-bitrate", type=int, default=4000000, metavar="BIT/S")
    parser.add_argument("--stun", metavar="stun://HOST:PORT", help="needed to cross NATs")
    parser.add_argument("--turn", metavar="turn://USER:PASSWORD@HOST:PORT",
                        help="send by this relay where no other way is open")
    parser.add_argument("--relay-only", action="store_true", help="send by the relay in any case")
    parser.add_argument("--stats", action="store_true",
                        help="print weirsend's statistics each second, one JSON object per line")
    parser.add_argument("--trace", metavar="FILE", help="write weirsend's trace, for weir-report")
    arguments = parser.parse_args()
    if not 0 <= arguments.port <= 65535:
        parser.error(f"--port {arguments.port} is out of range: 0 (any) to 65535")
    if arguments.relay_only and not arguments.turn:
        parser.error("--relay-only needs a relay: --turn turn://USER:PASSWORD@HOST:PORT")
    if arguments.min_bitrate > arguments.max_bitrate:
        parser.error(f"--min-bitrate {arguments.min_bitrate} is above "
                     f"--max-bitrate {arguments.max_bitrate}")
    return arguments


def pipeline_text(arguments):
    """The caps behind a payloader become the lines of the offer."""
    name, encoder = ENCODERS[arguments.codec]
    video = SOURCES.get(arguments.source, arguments.source)
    audio = AUDIO[arguments.audio]
    text = (f"webrtcbin name=webrtc bundle-policy=max-bundle {video} ! videoconvert ! "
            f"video/x-raw,format=I420 ! queue max-size-buffers=3 leaky=downstream ! {encoder} ! "
            f"application/x-rtp,media=video,encoding-name={name},payload=96,clock-rate=90000,"
            f"extmap-3=(string){TWCC},rtcp-fb-transport-cc=(boolean)true,"
            "rtcp-fb-nack-pli=(boolean)true ! webrtc. ")
    if audio:
        text += (f"{audio} ! audioconvert ! audioresample ! queue ! opusenc bitrate=32000 ! "
                 "rtpopuspay ! application/x-rtp,media=audio,encoding-name=OPUS,payload=97,"
                 f"clock-rate=48000,extmap-3=(string){TWCC},rtcp-fb-transport-cc=(boolean)true "
                 "! webrtc. ")
    return text


def plain(structure):
    """A GstStructure's numbers and words, for JSON."""
    values = {}
    for name in (structure.nth_field_name(i) for i in range(structure.n_fields())):
        try:
            value = structure.get_value(name)
        except TypeError:  # a list
            continue
        if isinstance(value, Gst.Structure):
            values[name] = plain(value)
        else:
            values[name] = value if isinstance(value, (bool, int, float)) else str(value)
    return values


class Peer:
    """One browser: a pipeline of its own, for as long as its websocket lives. GStreamer calls from
    its own threads; what it says is handed to the event loop."""

    def __init__(self, arguments, socket):
        self.socket, self.arguments = socket, arguments
        self.loop = asyncio.get_running_loop()
        self.pipeline = Gst.parse_launch(pipeline_text(arguments))
        self.weirsend = Gst.ElementFactory.make("weirsend")
        self.weirsend.set_property("min-bitrate", arguments.min_bitrate)
        self.weirsend.set_property("max-bitrate", arguments.max_bitrate)
        if arguments.trace:
            self.weirsend.set_property("trace-location", arguments.trace)
        Gst.util_set_object_arg(self.weirsend, "algorithm", arguments.algorithm)
        if params := arguments.params or PARAMS.get(arguments.algorithm):
            Gst.util_set_object_arg(self.weirsend, "params", params)
        self.webrtc = self.pipeline.get_by_name("webrtc")
        if arguments.stun:
            self.webrtc.set_property("stun-server", arguments.stun)
        if arguments.turn:
            self.webrtc.set_property("turn-server", arguments.turn)
        if arguments.relay_only:
            Gst.util_set_object_arg(self.webrtc, "ice-transport-policy", "relay")
        self.webrtc.connect(AUX_SENDER, lambda _webrtc, _transport: self.weirsend)
        self.webrtc.connect("on-negotiation-needed", self.on_negotiation_needed)
        self.webrtc.connect("on-ice-candidate", self.on_ice_candidate)
        index = 0
        while transceiver := self.webrtc.emit("get-transceiver", index):
            transceiver.set_property("direction", GstWebRTC.WebRTCRTPTransceiverDirection.SENDONLY)
            transceiver.set_property("do-nack", index == 0)  # video is repeated, audio is not
            index += 1

    def say(self, message):
        """To the page, from any thread."""
        asyncio.run_coroutine_threadsafe(self.socket.send_str(json.dumps(message)), self.loop)

    def on_negotiation_needed(self, webrtc):
        webrtc.emit("create-offer", None, Gst.Promise.new_with_change_func(self.on_offer))

    def on_offer(self, promise):
        reply = promise.get_reply()
        offer = reply.get_value("offer") if reply else None
        if offer:
            self.webrtc.emit("set-local-description", offer, Gst.Promise.new())
            self.say({"offer": offer.sdp.as_text()})

    def on_ice_candidate(self, _webrtc, line, candidate):
        self.say({"candidate": candidate, "line": line})

    def hear(self, message):
        """What the page says."""
        if "answer" in message:
            sdp = GstSdp.SDPMessage.new_from_text(message["answer"])[1]
            answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, sdp)
            self.webrtc.emit("set-remote-description", answer, Gst.Promise.new())
            if TWCC not in message["answer"]:
                print("The browser gives no transport-wide feedback (its answer has no "
                      "transport-cc): weirsend goes by its receiver reports, and reacts later.",
                      flush=True)
        elif message.get("candidate"):
            self.webrtc.emit("add-ice-candidate", message["line"], message["candidate"])

    async def watch(self):
        """Prints what the pipeline has to say, until it has failed. A line per second."""
        bus, second = self.pipeline.get_bus(), 0.0
        while True:
            while message := bus.pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING):
                is_error = message.type == Gst.MessageType.ERROR
                details = message.parse_error() if is_error else message.parse_warning()
                print(f"{message.src.get_name()}: {details[0].message}", flush=True)
                if is_error:
                    return
            await asyncio.sleep(0.1)
            if (second := second + 0.1) >= 1:
                second = 0.0
                self.report()

    def report(self):
        stats = plain(self.weirsend.get_property("stats"))
        if self.arguments.stats:
            print(json.dumps(stats), flush=True)
        self.say({"target": stats.get("target-bitrate"), "sent": stats.get("sent-bitrate")})

    async def listen(self):
        async for message in self.socket:
            self.hear(message.json())

    async def run(self):
        """Until the page closes its socket, or the pipeline fails."""
        print("A browser has come.", flush=True)
        self.pipeline.set_state(Gst.State.PLAYING)
        tasks = {asyncio.create_task(self.listen()), asyncio.create_task(self.watch())}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done.pop().result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.to_thread(self.pipeline.set_state, Gst.State.NULL)
            await self.socket.close()
            print("The browser has left.", flush=True)


async def serve(arguments):
    async def page(_request):
        return web.FileResponse(PAGE)

    async def websocket(request):
        socket = web.WebSocketResponse(heartbeat=5)  # a page that vanishes is noticed
        await socket.prepare(request)
        await Peer(arguments, socket).run()
        return socket

    application = web.Application()
    application.add_routes([web.get("/", page), web.get("/signalling", websocket)])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "0.0.0.0", arguments.port, shutdown_timeout=2).start()
    print(f"Open http://localhost:{runner.addresses[0][1]}/ in a browser.", flush=True)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    await runner.cleanup()


def main():
    arguments = parse_arguments()
    Gst.init(None)
    missing = [name for name in ("weirsend", "webrtcbin", "nicesink", "vp8enc", "x264enc")
               if not Gst.ElementFactory.find(name)]
    if missing:
        sys.exit(f"send.py: GStreamer has no {', '.join(missing)}; set GST_PLUGIN_PATH to the "
                 "folder of libgstweir.so, and install what tools/setup demo names")
    try:
        Gst.parse_launch(pipeline_text(arguments))
        asyncio.run(serve(arguments))
    except OSError as error:
        sys.exit(f"send.py: port {arguments.port} cannot be used: {error.strerror}; "
                 "choose another with --port")
    except gi.repository.GLib.Error as error:
        sys.exit(f"send.py: the source cannot be used: {error.message}")


if __name__ == "__main__":
    main()
