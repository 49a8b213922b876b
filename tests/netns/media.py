# SPDX-License-Identifier: LGPL-2.1-or-later
"""One end of a media flow over UDP: `media.py send HOST ALGORITHM MAX_BPS` or `media.py receive HOST`.

The sender's source is no encoder: thirty times a second it makes a frame of exactly the size that
weirsend's target asks for. It uses its target always and at once, so that what is measured is the
algorithm, and it needs so little of the processor that several flows can run side by side. Prints a
line of JSON per second."""
import json
import struct
import sys
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import GLib, Gst, GstApp  # noqa: E402, F401

FRAMES_PER_SECOND = 30
PAYLOAD_BYTES = 1200
MIN_BPS = 100_000
RTP_PORT, RTCP_PORT = 5004, 5005  # the namespaces are our own
CAPS = "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"


def rtp_packet(sequence, timestamp, marker, size_bytes):
    return struct.pack("!BBHII", 0x80, 96 | marker << 7, sequence & 0xffff, timestamp & 0xffffffff, 0x77656972) \
        + bytes(size_bytes)


class Source:
    """Frames of the target's size; what does not fill a byte is kept for the next."""

    def __init__(self):
        self.sequence = 0
        self.frames = 0
        self.owed_bytes = 0.0
        self.made_bytes = 0

    def frame(self, target_bps):
        self.owed_bytes += target_bps / 8 / FRAMES_PER_SECOND
        left = max(int(self.owed_bytes), 1)
        self.owed_bytes -= left
        self.made_bytes += left
        timestamp = self.frames * 90000 // FRAMES_PER_SECOND
        self.frames += 1
        packets = []
        while left > 0:
            size = min(left, PAYLOAD_BYTES)
            left -= size
            packets.append(rtp_packet(self.sequence, timestamp, left == 0, size))
            self.sequence += 1
        return packets


def start(text):
    pipeline = Gst.parse_launch(text)
    bus = pipeline.get_bus()
    if pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
        fail(bus)
    return pipeline, bus


def fail(bus):
    message = bus.timed_pop_filtered(Gst.SECOND, Gst.MessageType.ERROR)
    text = message.parse_error()[0].message if message else "the pipeline does not start"
    print(f"media.py: {text}", file=sys.stderr)
    sys.exit(1)


def check(bus):
    if bus.have_pending():
        message = bus.pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING)
        if message and message.type == Gst.MessageType.ERROR:
            print(f"media.py: {message.parse_error()[0].message}", file=sys.stderr)
            sys.exit(1)
        if message:
            print(f"media.py: {message.parse_warning()[0].message}", file=sys.stderr)


def send(host, algorithm, max_bps):
    pipeline, bus = start(f"""
      appsrc name=source is-live=true do-timestamp=true format=time caps="{CAPS}"
        ! weirsend name=s algorithm={algorithm} encoders=none min-bitrate={MIN_BPS} max-bitrate={max_bps}
        ! udpsink host={host} port={RTP_PORT} sync=false async=false
      udpsrc port={RTCP_PORT} ! s.rtcp_sink""")
    appsrc, sender = pipeline.get_by_name("source"), pipeline.get_by_name("s")
    source, late_s, targets = Source(), 0.0, []
    begin = time.monotonic()
    while True:
        due = begin + source.frames / FRAMES_PER_SECOND
        wait = due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        late_s = max(late_s, time.monotonic() - due)
        targets.append(sender.get_property("target-bitrate"))
        for packet in source.frame(targets[-1]):
            appsrc.push_buffer(Gst.Buffer.new_wrapped(packet))
        if source.frames % FRAMES_PER_SECOND == 0:
            print(json.dumps({"frames": source.frames, "late_ms": round(1000 * late_s, 1), "made_bytes": source.made_bytes,
                              "target_bps": round(sum(targets) / len(targets))}), flush=True)
            late_s, targets = 0.0, []
            check(bus)


def receive(host):
    _pipeline, bus = start(f"""
      udpsrc port={RTP_PORT} buffer-size=1000000 caps="{CAPS}" ! weirrecv name=r ! fakesink sync=false async=false
      r.rtcp_src ! udpsink host={host} port={RTCP_PORT} sync=false async=false""")
    print(json.dumps({"ready": True}), flush=True)
    while True:
        time.sleep(1)
        check(bus)


def main():
    Gst.init(None)
    if sys.argv[1] == "send":
        send(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        receive(sys.argv[2])


if __name__ == "__main__":
    main()
