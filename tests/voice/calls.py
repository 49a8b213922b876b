# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voice calls side by side: one speaker, and for each call a weirsend, a weirlink and a receiver of its own. When each
packet came into weirsend, left it and arrived is recorded."""
import bisect
import dataclasses
import math
import statistics
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

import speech  # noqa: E402

FRAME_NS = 20_000_000
START_NS = 1_000_000_000  # the start of a talk spurt
LEAD_NS = 60_000_000  # encoders look ahead, and silence detection comes late
POLL_MS = 1000
WINDOW_S = 12  # after which the start of the call has left the ten seconds of the elements

TWCC = "extmap-3=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
SPEAKER = ("appsrc name=speech is-live=true format=time max-bytes=0 ! clocksync ! tee name=all allow-not-linked=true "
           "all. ! removesilence remove=true ! tee name=talk allow-not-linked=true "
           "talk. ! mulawenc ! rtppcmupay min-ptime=20000000 max-ptime=20000000 "
           "! tee name=g711 allow-not-linked=true")
# Beside the shared G.711: streams that carry transport-wide numbers, and Opus.
SOURCES = {
    "g711": "g711.",
    "g711+twcc": f"talk. ! queue ! mulawenc ! rtppcmupay min-ptime=20000000 max-ptime=20000000 ! application/x-rtp,{TWCC}",
    "opus": "all. ! queue ! opusenc audio-type=voice bitrate=24000 bitrate-type=vbr dtx=true ! rtpopuspay pt=96 dtx=true",
    "opus+twcc": "all. ! queue ! opusenc audio-type=voice bitrate=24000 bitrate-type=vbr dtx=true "
                 f"! rtpopuspay pt=96 dtx=true ! application/x-rtp,{TWCC}",
}
ELEMENTS = ("removesilence", "mulawenc", "rtppcmupay", "opusenc", "rtpopuspay", "rtpbin", "weirsend", "weirlink", "weirrecv")
DEPAYLOADERS = {"g711": "rtppcmudepay", "opus": "rtpopusdepay"}
LINK = "weirlink delay={delay_ns} queue-packets=1000"
END = "fakesink sync=false async=false"
PLAIN = ("{source} ! weirsend name=s{n} {settings} ! " + LINK + " name=l{n} loss={loss} seed={seed} "
         "! weirrecv name=r{n} feedback-format={feedback} ! " + END + " "
         "r{n}.rtcp_src ! " + LINK + " ! s{n}.rtcp_sink  s{n}.rtcp_src ! " + LINK + " ! r{n}.rtcp_sink")
SESSIONS = ("rtpbin name=a{n} rtpbin name=b{n} {source} ! weirsend name=s{n} {settings} ! a{n}.send_rtp_sink_0 "
            "a{n}.send_rtp_src_0 ! " + LINK + " name=l{n} loss={loss} seed={seed} ! weirrecv name=r{n} "
            "! b{n}.recv_rtp_sink_0 b{n}. ! {depay} ! " + END + " "
            "a{n}.send_rtcp_src_0 ! " + LINK + " ! b{n}.recv_rtcp_sink_0 "
            "b{n}.send_rtcp_src_0 ! " + LINK + " ! a{n}.recv_rtcp_sink_0")


def hush(_domain, _level, text, _user):
    """Feedback makes each call a loop, and GStreamer says so for each."""
    if "loop detected" not in text:
        print(text, file=sys.stderr)


def missing():
    """Why there can be no calls, or nothing."""
    Gst.init(None)
    GLib.log_set_handler("GStreamer", GLib.LogLevelFlags.LEVEL_WARNING, hush, None)
    lacking = [name for name in ELEMENTS if Gst.ElementFactory.find(name) is None]
    return f"no GStreamer element {', '.join(lacking)}" if lacking else ""


class Call:
    """feedback: a format of weirrecv, or "session" for stock sessions at both ends with weirrecv before the second."""

    def __init__(self, name, settings, one_way_ms, loss=0.0, seed=1, codec="g711", feedback="ccfb"):
        self.name, self.settings, self.one_way_ms, self.loss, self.seed = name, settings, one_way_ms, loss, seed
        self.codec, self.feedback = codec, feedback
        self.came, self.left, self.arrived = {}, {}, {}  # ns by time stamp
        self.stamps = {}  # by sequence number
        self.reports = []  # (r-score at the sender, at the receiver), every second
        self.targets, self.warnings, self.ceased = [], [], False

    def describe(self, n):
        numbered = self.feedback in ("session", "twcc")
        form = SESSIONS if self.feedback == "session" else PLAIN
        return form.format(n=n, source=SOURCES[self.codec + ("+twcc" if numbered else "")], settings=self.settings,
                           delay_ns=int(self.one_way_ms * 1e6), loss=self.loss, seed=self.seed,
                           feedback=self.feedback, depay=DEPAYLOADERS[self.codec])

    def attach(self, pipeline, n):
        self.send, self.recv = pipeline.get_by_name(f"s{n}"), pipeline.get_by_name(f"r{n}")
        for pad, probe in ((self.send.get_static_pad("sink"), note(self.came)),
                           (self.send.get_static_pad("src"), self.on_left),
                           (self.recv.get_static_pad("src"), self.on_arrived)):
            pad.add_probe(Gst.PadProbeType.BUFFER, probe)
        self.send.connect("notify::target-bitrate",
                          lambda send, _: self.targets.append(send.get_property("target-bitrate")))

    def on_left(self, _pad, info):
        buffer = info.get_buffer()
        self.stamps[buffer.extract_dup(2, 2)] = buffer.pts
        self.left[buffer.pts] = time.monotonic_ns()
        return Gst.PadProbeReturn.OK

    def on_arrived(self, _pad, info):
        """Known by its sequence number: sessions give packets the time of their arrival."""
        self.arrived[self.stamps[info.get_buffer().extract_dup(2, 2)]] = time.monotonic_ns()
        return Gst.PadProbeReturn.OK

    def poll(self):
        sent, received = self.send.get_property("stats"), self.recv.get_property("stats")
        self.ceased |= sent.get_value("ceased")
        if sent.has_field("r-score"):
            self.reports.append((sent.get_value("r-score"), received.get_value("r-score")))


def note(times):
    def on_packet(_pad, info):
        times[info.get_buffer().pts] = time.monotonic_ns()
        return Gst.PadProbeReturn.OK
    return on_packet


class Conversation:
    def __init__(self, calls, seed, duration_s, mean_silence_s=1.5):
        Gst.init(None)
        self.calls, self.errors = calls, []
        self.speech = speech.conversation(seed, duration_s, mean_silence_s)
        parts = [SPEAKER] + [call.describe(n) for n, call in enumerate(calls)]
        self.pipeline = Gst.parse_launch(" ".join(parts))
        source = self.pipeline.get_by_name("speech")
        source.set_property("caps", Gst.Caps.from_string(
            f"audio/x-raw,format=S16LE,layout=interleaved,rate={speech.RATE_HZ},channels=1"))
        self.spoken = {}
        self.pipeline.get_by_name("all").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, note(self.spoken))
        for n, call in enumerate(calls):
            call.attach(self.pipeline, n)

    def feed(self):
        """All at once: clocksync lets it through as it is spoken."""
        source, samples = self.pipeline.get_by_name("speech"), self.speech.samples
        for i in range(0, len(samples) - speech.FRAME + 1, speech.FRAME):
            buffer = Gst.Buffer.new_wrapped(samples[i:i + speech.FRAME].tobytes())
            buffer.pts, buffer.duration = i // speech.FRAME * FRAME_NS, FRAME_NS
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.ERROR:
            error, details = message.parse_error()
            self.errors.append(f"{error.message} ({details})")
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            for call in self.calls:
                if message.src == call.send:
                    call.warnings.append(message.parse_warning()[0].message)

    def poll(self):
        for call in self.calls:
            call.poll()
        return True

    def run(self):
        self.loop = GLib.MainLoop()
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)
        feeder = threading.Thread(target=self.feed)
        feeder.start()
        timer = GLib.timeout_add(POLL_MS, self.poll)
        try:
            self.pipeline.set_state(Gst.State.PLAYING)
            self.loop.run()
        finally:
            GLib.source_remove(timer)
            self.pipeline.set_state(Gst.State.NULL)
            feeder.join()
            bus.remove_signal_watch()
        if self.errors:
            raise RuntimeError(self.errors[0])

    def lateness_ms(self):
        """How much later than the most punctual frame of speech the latest of each hundred left the speaker: the
        machine, not the network."""
        lates = sorted(at - pts for pts, at in self.spoken.items())
        return (lates[len(lates) * 99 // 100] - lates[0]) / 1e6


@dataclasses.dataclass
class Outcome:
    """Of all packets after the first talk spurt, which is the start of the call; waits are those in the send queue of
    packets in the first second of a spurt."""
    packets: int
    wait_ms: float
    wait_p95_ms: float
    wait_typical_ms: float  # the longest at the start of a spurt, in the median of the spurts: a machine that stalls
                            # now and then does not show in it
    dropped: float  # in the send queue
    lost: float  # anywhere
    r_score: float
    r_sender: float  # what weirsend said, in the mean
    r_receiver: float


def r_score(lost, delay_ms):
    """The paper's equations 1 to 3, for G.711."""
    impaired = 30 * math.log1p(15 * lost) + 0.024 * delay_ms + 0.11 * max(delay_ms - 177.3, 0)
    return min(max(94.2 - impaired, 0.0), 94.2)


def mos(r):
    return min(max(1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r), 1.0), 4.5)


def outcome(conversation, call):
    """The talk of a call: silence and its comfort noise is nobody's loss."""
    begins = [begin for begin, _ in conversation.speech.spurts]
    talk, starts, longest = [], [], {}
    for pts in sorted(call.came):
        at = bisect.bisect_right(begins, pts + LEAD_NS) - 1
        begin, end = conversation.speech.spurts[max(at, 0)]
        if at > 0 and pts < end:
            talk.append(pts)
            starts += [(at, pts)] if pts - begin < START_NS and pts in call.left else []
    for at, pts in starts:
        longest[at] = max(longest.get(at, 0.0), (call.left[pts] - call.came[pts]) / 1e6)
    waits = sorted((call.left[pts] - call.came[pts]) / 1e6 for _, pts in starts)
    heard = [pts for pts in talk if pts in call.arrived]
    delay_ms = statistics.fmean((call.arrived[pts] - call.came[pts]) / 1e6 for pts in heard)
    lost = 1 - len(heard) / len(talk)
    said = call.reports[WINDOW_S:] or [(math.nan, math.nan)]
    return Outcome(len(talk), statistics.fmean(waits), waits[len(waits) * 95 // 100],
                   statistics.median(longest.values()),
                   sum(pts not in call.left for pts in talk) / len(talk), lost, r_score(lost, delay_ms),
                   statistics.fmean(sender for sender, _ in said), statistics.fmean(receiver for _, receiver in said))
