#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# FEC and retransmission together. rtpulpfecdec repairs a packet when the jitter buffer before it gives that packet up,
# and the jitter buffer must wait longer than a packet that is sent again takes. So there are two here: a short one, whose
# FEC decoder gives what it repairs to a long one, which asks for packets and loses next to none. That one keeps the order
# and does not know what is of FEC, so it is told which packets need not be waited for. weirlink stands for a
# network with a round trip of 120 ms that loses 3 % of the packets.
#
# Run: GST_PLUGIN_PATH=build/gst examples/early_fec.py
import collections
import signal
import struct
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

MEDIA_PT, FEC_PT = 96, 122
# What is repaired may be lost as well, and would be waited for.
RTX = f'payload-type-map="application/x-rtp-pt-map,{MEDIA_PT}=(uint)97,{FEC_PT}=(uint)123"'
FEC_CAPS = f"application/x-rtp,media=video,clock-rate=90000,encoding-name=ULPFEC,payload={FEC_PT}"
# Counted from the fastest packet: a frame is paced over 33 ms at 30 frames/s, its repair packets as long again at the
# most, and the queue of the network takes its time. Before they are there nothing is repaired.
EARLY_MS = 100
# Several round trips. Packets in order wait for nothing.
LATENCY_MS = 1000
REMEMBERED = 1000  # packets; more than come in LATENCY_MS at the rates of this pipeline
# To be put before the depayloader. The last decoder numbers the media anew, without the packets of FEC between. The
# buffer takes what comes later than max-misorder-time for a new stream, and counts that in packets at an estimated rate,
# which is that of the frames or lower.
RECEIVE = f"""rtprtxreceive {RTX} ! rtpstorage name=storage size-time=1000000000 ! rtpssrcdemux ! tee name=came
      came. ! repaired.
      came. ! rtpjitterbuffer name=early latency={EARLY_MS} do-lost=true ! rtpulpfecdec name=early-fec pt={FEC_PT} ! repaired.
      funnel name=repaired forward-sticky-events=false
        ! rtpjitterbuffer name=jitter latency={LATENCY_MS} do-lost=true do-retransmission=true rtx-next-seqnum=false
          max-misorder-time=60000
        ! rtpulpfecdec name=fec pt={FEC_PT}"""
PIPELINE = f"""videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1
      ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=900 ! rtph264pay pt={MEDIA_PT} mtu=1200 config-interval=-1
      ! rtpulpfecenc pt={FEC_PT} ! rtprtxsend {RTX} max-size-time=1000 max-size-packets=0
      ! weirsend name=send repair=auto repair-wait=150000000 min-bitrate=150000 max-bitrate=1500000 ! sender.send_rtp_sink_0
      rtpbin name=sender rtp-profile=avpf
      sender.send_rtp_src_0 ! weirlink name=network capacity=2000000 delay=60000000 queue-time=100000000 loss=0.03
        ! capssetter caps="application/x-rtp,rtcp-fb-nack=(boolean)true,rtcp-fb-nack-pli=(boolean)true" ! weirrecv
        ! receiver.recv_rtp_sink
      rtpsession name=receiver rtp-profile=avpf
      receiver.recv_rtp_src ! {RECEIVE}
        ! rtph264depay request-keyframe=true wait-for-keyframe=true ! avdec_h264 ! videoconvert
        ! fpsdisplaysink name=screen text-overlay=false video-sink="autovideosink sync=false"
      sender.send_rtcp_src_0 ! receiver.recv_rtcp_sink
      receiver.send_rtcp_src ! weirlink delay=60000000 ! udpsink host=127.0.0.1 port=5005 sync=false async=false
      udpsrc port=5005 ! sender.recv_rtcp_sink_0"""


class LostRepair:
    """Which of the missing packets are of FEC? rtpulpfecenc sends them behind the frame, and the first of them names the
    first packet of the frame. So what is missing between the end of a frame and its repair is repair, and so is what is
    missing before the first packet of the next frame; unless a whole frame is missing, and is asked for. There is none
    where two follow one another as closely as ever. tell(number, buffer at hand) is called for each."""

    def __init__(self, tell):
        self.tell, self.kinds = tell, collections.OrderedDict()  # of the packets that came, by their numbers
        self.newest, self.step = None, 1 << 31  # time stamp, and the least between two frames

    def on_packet(self, _pad, info):
        buffer = info.get_buffer()
        head = buffer.extract_dup(0, 256)
        number, timestamp = struct.unpack("!HI", head[2:8])
        is_fec, is_end = head[1] & 0x7f == FEC_PT, head[1] >> 7
        self.kinds[number] = "repair" if is_fec else "end" if is_end else "media", timestamp
        if len(self.kinds) > REMEMBERED:
            self.kinds.popitem(last=False)
        if self.newest is None or 0 < (timestamp - self.newest) & 0xffffffff < 1 << 31:
            self.step = min(self.step, (timestamp - self.newest) & 0xffffffff) if self.newest is not None else self.step
            self.newest = timestamp
        if is_fec:
            is_first = self.kinds.get((number - 1) & 0xffff) == ("end", timestamp)
            self.look_before(number, buffer, timestamp, 1)
            at = 12 + 4 * (head[0] & 0xf)
            at += 4 + 4 * struct.unpack("!H", head[at + 2:at + 4])[0] if head[0] & 0x10 else 0
            if is_first:
                self.look_before(struct.unpack("!H", head[at + 2:at + 4])[0], buffer, timestamp, 1.5 * self.step)
        return Gst.PadProbeReturn.OK

    def look_before(self, first, buffer, timestamp, least):
        """They are repair if what came before them is an end, or repair, less than so long before."""
        missing = []
        while len(missing) < REMEMBERED and (first - 1 - len(missing)) & 0xffff not in self.kinds:
            missing.append((first - 1 - len(missing)) & 0xffff)
        kind, before = self.kinds.get((first - 1 - len(missing)) & 0xffff, ("", 0))
        if kind in ("end", "repair") and (timestamp - before) & 0xffffffff < least:
            for number in missing:
                self.kinds[number] = "repair", before
                self.tell(number, buffer)


class EarlyFec:
    """Of a pipeline with RECEIVE: only what the first decoder has repaired leaves it, with the sequence number that was
    missing, in place of the decoder's own. In the place of lost repair come empty packets."""

    def __init__(self, pipeline):
        self.missing, self.buffer_pad = None, pipeline.get_by_name("jitter").get_static_pad("sink")
        self.lost_repair = LostRepair(self.fill)
        pipeline.get_by_name("came").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.lost_repair.on_packet)
        early, last = pipeline.get_by_name("early-fec"), pipeline.get_by_name("fec")
        early.get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.on_event)
        early.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, self.on_unrepaired)
        early.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.on_buffer)
        last.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.on_packet)
        for decoder in (early, last):
            decoder.set_property("storage", pipeline.get_by_name("storage").get_property("internal-storage"))
        caps = Gst.Caps.from_string(FEC_CAPS)
        for name in ("early", "jitter"):
            pipeline.get_by_name(name).connect("request-pt-map", lambda _buffer, pt: caps if pt == FEC_PT else None)

    def on_event(self, _pad, info):
        structure = info.get_event().get_structure()
        if structure and structure.get_name() == "GstRTPPacketLost":
            self.missing = structure.get_value("seqnum")
        return Gst.PadProbeReturn.OK

    def on_unrepaired(self, _pad, info):
        structure = info.get_event().get_structure()
        if structure and structure.get_name() == "GstRTPPacketLost":
            self.missing = None
            return Gst.PadProbeReturn.DROP
        return Gst.PadProbeReturn.OK

    def on_buffer(self, pad, info):
        """The decoder pushes what it repairs while it is told that it is missing."""
        missing, self.missing = self.missing, None
        if missing is not None:
            buffer = info.get_buffer()
            packet = bytearray(buffer.extract_dup(0, buffer.get_size()))
            packet[2:4] = struct.pack("!H", missing & 0xffff)
            repaired = Gst.Buffer.new_wrapped(bytes(packet))
            repaired.pts = buffer.pts
            pad.get_peer().chain(repaired)
        return Gst.PadProbeReturn.DROP

    def fill(self, number, buffer):
        head = bytearray(buffer.extract_dup(0, 12))
        head[0], head[1], head[2:4] = 0x80, FEC_PT, struct.pack("!H", number)
        empty = Gst.Buffer.new_wrapped(bytes(head))
        empty.pts, empty.dts = buffer.pts, buffer.dts
        self.buffer_pad.chain(empty)

    @staticmethod
    def on_packet(_pad, info):
        """The storage has what is of FEC."""
        is_fec = info.get_buffer().extract_dup(1, 1)[0] & 0x7f == FEC_PT
        return Gst.PadProbeReturn.DROP if is_fec else Gst.PadProbeReturn.OK


def say(pipeline):
    sent = pipeline.get_by_name("send").get_property("stats")
    buffer = pipeline.get_by_name("jitter").get_property("stats")
    print(f"repair {sent.get_value('repair-percentage')} % ({sent.get_value('repair-reason')}): "
          f"{buffer.get_uint64('rtx-count')[1]} packets asked for, {buffer.get_uint64('num-lost')[1]} given up; "
          f"{pipeline.get_by_name('screen').get_property('frames-rendered')} frames shown", flush=True)
    return True


def main():
    Gst.init(None)
    loop, pipeline = GLib.MainLoop(), Gst.parse_launch(PIPELINE)
    EarlyFec(pipeline)
    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message::error", lambda _bus, message: (print("ERROR:", message.parse_error()[0].message), loop.quit()))
    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, loop.quit)
    GLib.timeout_add_seconds(1, say, pipeline)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
