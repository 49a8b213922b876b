# SPDX-License-Identifier: LGPL-2.1-or-later
"""One end of a live video call over UDP, with a real encoder or decoder and an RTP session.

`live_media.py send HOST --source TEXT ...` and `live_media.py receive HOST ...` print a line when
they are ready, the sender its statistics each second, `frame NS` for each frame that comes to the
encoder and `capture TIMESTAMP NS` for each that goes into it, `render TIMESTAMP NS` for each that
comes out of the decoder: its RTP timestamp, and the time on CLOCK_MONOTONIC. SIGTERM ends them."""
import argparse
import collections
import json
import os
import signal
import struct
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "examples"))
import early_fec  # noqa: E402

CLOCK_RATE_HZ = 90000
TWCC = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
RTX = 'payload-type-map="application/x-rtp-pt-map,96=(uint)97"'
# As examples/webrtc/send.py: no key frames but those that are asked for.
ENCODER = ("x264enc name=encoder tune=zerolatency speed-preset=superfast key-int-max=900 "
           "option-string=\"scenecut=0\" ! video/x-h264,profile=constrained-baseline "
           "! rtph264pay name=payloader mtu=1200 config-interval=-1 aggregate-mode=zero-latency "
           "timestamp-offset=0")
# Settings of the receiver's session, and whether each packet has a transport-wide number.
RECEIVERS = {
    "weirrecv": ("rtp-profile=avpf", False),
    "twcc": ("rtp-profile=avpf rtcp-fraction=0.5", True),
    "twcc-throttled": ("", True),
    "rr": ("rtcp-min-interval=100000000 rtcp-fraction=0.5", False),
}
# That long a lost packet is waited for, several round trips, before a key frame is asked for; packets
# in order wait for nothing. A key frame for each loss that a full queue makes would make the next.
JITTER_BUFFER_MS = early_fec.LATENCY_MS
PLAIN = f"""rtprtxreceive {RTX} ! rtpssrcdemux ! rtpjitterbuffer name=jitter latency={JITTER_BUFFER_MS} do-lost=true
          do-retransmission=true rtx-next-seqnum=false"""


def extension(receiver):
    return f",extmap-3=(string){TWCC}" if RECEIVERS[receiver][1] else ""


def send_text(arguments):
    port, host = arguments.port, arguments.host
    algorithm, *extras = arguments.algorithm.split("+")
    scale = "! weirscale" if "scale" in extras else ""
    fec = f"! rtpulpfecenc pt={early_fec.FEC_PT}" if arguments.fec else ""
    settings = " ".join(["repair=auto repair-wait=150000000"] * arguments.fec + ["ecn=auto"] * arguments.ecn)
    return f"""rtpbin name=rb {arguments.source} ! videoconvert ! video/x-raw,format=I420 {scale}
      ! {ENCODER}
      ! application/x-rtp,payload=96{extension(arguments.receiver)}
      {fec} ! rtprtxsend {early_fec.RTX if arguments.fec else RTX} max-size-time=1000 max-size-packets=0
      ! weirsend name=s algorithm={algorithm} min-bitrate={arguments.min_bitrate}
          max-bitrate={arguments.max_bitrate} start-bitrate={arguments.start_bitrate} {settings}
      ! rb.send_rtp_sink_0
      rb.send_rtp_src_0 ! udpsink host={host} port={port} sync=false async=false
      rb.send_rtcp_src_0 ! udpsink host={host} port={port + 1} sync=false async=false
      udpsrc port={port + 2} ! rb.recv_rtcp_sink_0"""


def receive_text(arguments):
    port, host = arguments.port, arguments.host
    source = "weirudpsrc" if arguments.ecn else "udpsrc"
    ours = "! weirrecv" if arguments.receiver == "weirrecv" else ""
    return f"""rtpsession name=rs {RECEIVERS[arguments.receiver][0]}
      {source} port={port} buffer-size=1000000 caps="application/x-rtp,media=video,
          clock-rate={CLOCK_RATE_HZ},encoding-name=H264,payload=96,rtcp-fb-nack=(boolean)true,
          rtcp-fb-nack-pli=(boolean)true{extension(arguments.receiver)}"
        {ours} ! rs.recv_rtp_sink
      rs.recv_rtp_src ! {early_fec.RECEIVE if arguments.fec else PLAIN} ! rtpptdemux
        ! rtph264depay name=depay request-keyframe=true wait-for-keyframe=true
        ! avdec_h264 name=decoder max-threads=1 ! fakesink sync=false async=false
      udpsrc port={port + 1} ! rs.recv_rtcp_sink
      rs.send_rtcp_src ! udpsink host={host} port={port + 2} sync=false async=false"""


def note(*words):
    """A line, whole: several threads write."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def rtp_timestamp(info):
    """Of the packet, or the first of a list."""
    is_list = info.type & Gst.PadProbeType.BUFFER_LIST
    buffer = info.get_buffer_list().get(0) if is_list else info.get_buffer()
    return struct.unpack("!I", buffer.extract_dup(4, 4))[0]


def running_ns(pad, info):
    """Of the buffer, or the first of a list: encoders may shift time stamps, with their segment."""
    is_list = info.type & Gst.PadProbeType.BUFFER_LIST
    buffer = info.get_buffer_list().get(0) if is_list else info.get_buffer()
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    return segment.to_running_time(Gst.Format.TIME, buffer.pts)


class Captures:
    """When frames came to an encoder: at once, and again by the RTP timestamp that they have behind
    the payloader, but for those that were left out. With a silence none come meanwhile."""

    def __init__(self, encoder, payloader, silence_ns=(0, 0), say=note):
        self.silence_ns, self.say = silence_ns, say
        self.waiting = collections.OrderedDict()
        encoder.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.on_frame)
        payloader.get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, self.on_packets)

    def on_frame(self, pad, info):
        now_ns = time.monotonic_ns()
        if self.silence_ns[0] <= now_ns < self.silence_ns[1]:
            return Gst.PadProbeReturn.DROP
        self.say("frame", now_ns)
        self.waiting[running_ns(pad, info)] = now_ns
        if len(self.waiting) > 1000:
            self.waiting.popitem(last=False)
        return Gst.PadProbeReturn.OK

    def on_packets(self, pad, info):
        came_ns = self.waiting.pop(running_ns(pad, info), None)
        if came_ns is not None:
            self.say("capture", rtp_timestamp(info), came_ns)
        return Gst.PadProbeReturn.OK


class Renders:
    """When frames come out of a decoder, which knows them by the time stamp of the buffer."""

    def __init__(self, depayloader, decoder):
        self.timestamps = collections.OrderedDict()
        depayloader.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.on_packet)
        decoder.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, self.on_frame)

    def on_packet(self, _pad, info):
        buffer = info.get_buffer()
        if buffer.pts not in self.timestamps:
            self.timestamps[buffer.pts] = rtp_timestamp(info)
            if len(self.timestamps) > 1000:
                self.timestamps.popitem(last=False)
        return Gst.PadProbeReturn.OK

    def on_frame(self, _pad, info):
        note("render", self.timestamps.get(info.get_buffer().pts, "unknown"), time.monotonic_ns())
        return Gst.PadProbeReturn.OK


class End:
    """A pipeline, until SIGTERM or an error."""

    def __init__(self, text, start_ns=0):
        self.loop, self.failed = GLib.MainLoop(), False
        self.pipeline = Gst.parse_launch(text)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, self.loop.quit)
        GLib.timeout_add(1000, self.every_second)
        wait_ms = max(0, start_ns - time.monotonic_ns()) // 1_000_000
        GLib.timeout_add(wait_ms, self.play)

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        return False

    def every_second(self):
        sys.stdout.flush()
        return True

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            print(f"live_media.py: {message.parse_error()[0].message}", file=sys.stderr)
            self.failed = True
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            print(f"live_media.py: {message.parse_warning()[0].message}", file=sys.stderr)

    def run(self):
        """The pipeline stays as it is: to stop it in order would need the peer."""
        print("ready", flush=True)
        self.loop.run()
        sys.stdout.flush()
        return 1 if self.failed else 0


def say_stats(sender):
    """What weirsend does and has counted, as a line of JSON."""
    stats = sender.get_property("stats")
    values = {}
    for name in (stats.nth_field_name(i) for i in range(stats.n_fields())):
        try:
            values[name] = stats.get_value(name)
        except TypeError:  # a list
            continue
    plain = {name: value for name, value in values.items() if isinstance(value, (int, float, str))}
    note(json.dumps(plain))
    sys.stdout.flush()
    return True


def send(arguments):
    end = End(send_text(arguments), arguments.start_ns)
    silence_ns = arguments.silence_ns or (0, 0)
    Captures(end.pipeline.get_by_name("encoder"), end.pipeline.get_by_name("payloader"), silence_ns)
    sender = end.pipeline.get_by_name("s")
    GLib.timeout_add(1000, say_stats, sender)
    status = end.run()
    say_stats(sender)
    return status


def receive(arguments):
    end = End(receive_text(arguments))
    Renders(end.pipeline.get_by_name("depay"), end.pipeline.get_by_name("decoder"))
    if arguments.fec:
        early_fec.EarlyFec(end.pipeline)
    return end.run()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("role", choices=("send", "receive"))
    parser.add_argument("host", help="of the other end")
    parser.add_argument("--port", type=int, default=5004, help="of RTP; RTCP has the next two")
    parser.add_argument("--receiver", choices=RECEIVERS, default="weirrecv")
    parser.add_argument("--fec", action="store_true", help="ULPFEC, as much as weirsend finds right")
    parser.add_argument("--ecn", action="store_true", help="packets are ECN-capable; the far end sees it by weirudpsrc")
    parser.add_argument("--source", help="gst-launch text that gives raw video")
    parser.add_argument("--algorithm")
    parser.add_argument("--min-bitrate", type=int)
    parser.add_argument("--max-bitrate", type=int)
    parser.add_argument("--start-bitrate", type=int)
    parser.add_argument("--start-ns", type=int, default=0, help="on CLOCK_MONOTONIC")
    parser.add_argument("--silence-ns", type=int, nargs=2, metavar=("FROM", "TO"),
                        help="the camera gives nothing meanwhile")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    Gst.init(None)
    return send(arguments) if arguments.role == "send" else receive(arguments)


if __name__ == "__main__":
    sys.exit(main())
