# SPDX-License-Identifier: LGPL-2.1-or-later
"""A WHIP endpoint (RFC 9725) for one sender, which another webrtcbin answers: `whip.py PORT` prints a line of JSON
per second, as receiver.py does, from when it listens."""
import asyncio
import sys

import receiver
from aiohttp import web
from gi.repository import Gst, GstWebRTC


class Endpoint(receiver.Receiver):
    def __init__(self):
        super().__init__(None)
        self.answered = self.loop.create_future()
        self.webrtc.connect("notify::ice-gathering-state", self.on_gathering)

    def say(self, _message):
        """Nothing before the answer is whole, with its candidates."""

    def on_gathering(self, webrtc, _property):
        if webrtc.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            answer = webrtc.get_property("local-description").sdp.as_text()
            self.loop.call_soon_threadsafe(self.on_answered, answer)

    def on_answered(self, answer):
        if not self.answered.done():
            self.answered.set_result(answer)

    async def post(self, request):
        self.answer(await request.text())
        return web.Response(status=201, text=await self.answered, content_type="application/sdp",
                            headers={"Location": "/whip/1"})


async def main(port):
    endpoint = Endpoint()
    application = web.Application()
    application.add_routes([web.post("/whip", endpoint.post),
                            web.delete("/whip/1", lambda _request: web.Response())])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "0.0.0.0", port).start()
    await endpoint.report()


if __name__ == "__main__":
    Gst.init(None)
    asyncio.run(main(int(sys.argv[1])))
