# SPDX-License-Identifier: LGPL-2.1-or-later
"""The far end of examples/webrtc/send.py without a browser: another webrtcbin. `receiver.py URL`
prints a line of JSON per second: pictures and bytes so far. With --with-sender PORT send.py runs in
this process too."""
import argparse
import asyncio
import json
import pathlib
import re
import sys
import time

import aiohttp
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import Gst, GstSdp, GstWebRTC  # noqa: E402

TWCC = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
PREFERENCES = {"video": "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000",
               "audio": "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000"}


class Receiver:
    def __init__(self, socket):
        self.socket, self.loop = socket, asyncio.get_running_loop()
        self.pictures = self.bytes = 0
        self.extension = None
        self.pipeline = Gst.Pipeline()
        self.webrtc = Gst.ElementFactory.make("webrtcbin")
        self.webrtc.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.pipeline.add(self.webrtc)
        self.webrtc.connect("on-new-transceiver", self.on_new_transceiver)
        self.webrtc.connect("pad-added", self.on_pad)
        self.webrtc.connect("on-ice-candidate", lambda _webrtc, line, candidate: self.say(
            {"candidate": candidate, "line": line}))
        self.pipeline.set_state(Gst.State.PLAYING)

    def say(self, message):
        asyncio.run_coroutine_threadsafe(self.socket.send_str(json.dumps(message)), self.loop)

    def on_new_transceiver(self, _webrtc, transceiver):
        """Without these webrtcbin leaves the extension out of its answer, and sends no feedback."""
        kind = transceiver.get_property("kind")
        name = "audio" if kind == GstWebRTC.WebRTCKind.AUDIO else "video"
        caps = Gst.Caps.from_string(f"{PREFERENCES[name]},extmap-{self.extension}=(string){TWCC}")
        transceiver.set_property("codec-preferences", caps)

    def on_pad(self, _webrtc, pad):
        if pad.get_direction() != Gst.PadDirection.SRC:
            return
        is_video = pad.get_current_caps().get_structure(0).get_string("media") == "video"
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        sink.set_property("async", False)
        self.pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))
        pad.add_probe(Gst.PadProbeType.BUFFER, self.on_packet, is_video)

    def on_packet(self, _pad, info, is_video):
        buffer = info.get_buffer()
        self.bytes += buffer.get_size()
        self.pictures += is_video and buffer.extract_dup(1, 1)[0] >> 7  # the RTP marker
        return Gst.PadProbeReturn.OK

    def answer(self, text):
        self.extension = re.search(rf"a=extmap:(\d+)\S* {TWCC}", text)[1]
        sdp = GstSdp.SDPMessage.new_from_text(text)[1]
        offer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.OFFER, sdp)
        self.webrtc.emit("set-remote-description", offer, Gst.Promise.new_with_change_func(
            lambda _promise: self.webrtc.emit("create-answer", None, Gst.Promise.new_with_change_func(
                self.on_answer))))

    def on_answer(self, promise):
        reply = promise.get_reply()
        answer = reply.get_value("answer")
        self.webrtc.emit("set-local-description", answer, Gst.Promise.new())
        self.say({"answer": answer.sdp.as_text()})

    async def listen(self):
        async for message in self.socket:
            content = message.json()
            if "offer" in content:
                self.answer(content["offer"])
            elif "candidate" in content:
                self.webrtc.emit("add-ice-candidate", content["line"], content["candidate"])

    async def report(self):
        while True:
            print(json.dumps({"time": time.monotonic(), "pictures": self.pictures,
                              "bytes": self.bytes}), flush=True)
            await asyncio.sleep(1)


async def receive(url):
    async with aiohttp.ClientSession() as session, session.ws_connect(url + "signalling") as socket:
        receiver = Receiver(socket)
        await asyncio.wait({asyncio.create_task(receiver.listen()),
                            asyncio.create_task(receiver.report())},
                           return_when=asyncio.FIRST_COMPLETED)
        receiver.pipeline.set_state(Gst.State.NULL)


async def receive_from_here(url, options):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "webrtc"))
    import send
    sys.argv[1:] = options
    sender = asyncio.create_task(send.serve(send.parse_arguments()))
    await asyncio.sleep(0.5)
    await asyncio.wait({sender, asyncio.create_task(receive(url))},
                       return_when=asyncio.FIRST_COMPLETED)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--with-sender", nargs=argparse.REMAINDER, metavar="OPTION")
    arguments = parser.parse_args()
    Gst.init(None)
    if arguments.with_sender is None:
        asyncio.run(receive(arguments.url))
    else:
        asyncio.run(receive_from_here(arguments.url, arguments.with_sender))


if __name__ == "__main__":
    main()
