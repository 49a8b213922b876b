# SPDX-License-Identifier: LGPL-2.1-or-later
"""An SFU at the far end of examples/webrtc/send.py: `sfu.py URL` brings the sender into a room of the Janus on this
machine, which forwards the room's video to a port of ours, and prints a line of JSON per second: what came so far."""
import asyncio
import itertools
import json
import socket
import sys
import time

import aiohttp

PATIENCE_S = 60
JANUS = "http://127.0.0.1:8088/janus"
ROOM = {"request": "create", "room": 1, "bitrate": 0, "videocodec": "h264", "audiocodec": "opus"}
JOIN = {"request": "joinandconfigure", "room": 1, "ptype": "publisher"}


class Janus:
    """A session with the plugin for rooms, over HTTP."""

    def __init__(self, http):
        self.http, self.url, self.number = http, JANUS, itertools.count()

    async def ask(self, janus, **more):
        message = {"janus": janus, "transaction": str(next(self.number)), **more}
        async with self.http.post(self.url, json=message) as reply:
            found = await reply.json()
        if "error" in found or "error" in found.get("plugindata", {}).get("data", {}):
            raise SystemExit(f"janus: {janus}: {found}")
        return found

    async def start(self):
        """A session, once Janus listens."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                return await self.ask("create")
            except aiohttp.ClientConnectorError:
                await asyncio.sleep(0.1)
        raise SystemExit(f"janus does not listen after {PATIENCE_S} s")

    async def open(self):
        self.session_url = self.url = f"{JANUS}/{(await self.start())['data']['id']}"
        handle = (await self.ask("attach", plugin="janus.plugin.videoroom"))["data"]["id"]
        self.url = f"{self.session_url}/{handle}"
        await self.ask("message", body=ROOM)

    async def answer(self, offer):
        """Joins with an offer; the answer, and the publisher's number."""
        await self.ask("message", body=JOIN, jsep={"type": "offer", "sdp": offer})
        while True:
            async with self.http.get(self.session_url) as reply:
                event = await reply.json()
            if "jsep" in event:
                return event["jsep"]["sdp"], event["plugindata"]["data"]["id"]

    async def forward(self, publisher, mid, port):
        await self.ask("message", body={"request": "rtp_forward", "room": 1, "publisher_id": publisher, "host": "127.0.0.1",
                                        "streams": [{"mid": mid, "port": port}]})


class Forwarded(asyncio.DatagramProtocol):
    def __init__(self):
        self.pictures = self.bytes = 0

    def datagram_received(self, data, _address):
        self.pictures += data[1] >> 7  # the RTP marker
        self.bytes += len(data)

    async def report(self):
        while True:
            print(json.dumps({"time": time.monotonic(), "pictures": self.pictures, "bytes": self.bytes}), flush=True)
            await asyncio.sleep(1)


def video_mid(sdp):
    section = next(part for part in sdp.split("m=")[1:] if part.startswith("video"))
    return next(line[len("a=mid:"):].strip() for line in section.splitlines() if line.startswith("a=mid:"))


async def negotiate(janus, signalling, port):
    async for message in signalling:
        content = message.json()
        if "offer" in content:
            answer, publisher = await janus.answer(content["offer"])
            await signalling.send_str(json.dumps({"answer": answer}))
            await janus.forward(publisher, video_mid(answer), port)
        elif content.get("candidate"):
            await janus.ask("trickle", candidate={"candidate": content["candidate"], "sdpMLineIndex": content["line"]})


async def main(url):
    receiving = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiving.bind(("127.0.0.1", 0))
    _, forwarded = await asyncio.get_running_loop().create_datagram_endpoint(Forwarded, sock=receiving)
    async with aiohttp.ClientSession() as http:
        janus = Janus(http)
        await janus.open()
        async with http.ws_connect(url + "signalling") as signalling:
            await asyncio.wait({asyncio.create_task(negotiate(janus, signalling, receiving.getsockname()[1])),
                                asyncio.create_task(forwarded.report())}, return_when=asyncio.FIRST_EXCEPTION)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
