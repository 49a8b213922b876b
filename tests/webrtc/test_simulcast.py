# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulcast as an SFU takes it (a=simulcast, RFC 8853): two layers on one m-line of webrtcbin, told apart by the header
extension of RFC 8852, through one weirsend. The far end is another webrtcbin of this process."""
import collections
import time
import unittest

import machine
import tap

MISSING = machine.missing_modules()
PATIENCE_S = 60
LAYERS = {"low": "width=160,height=90", "high": "width=640,height=360"}
EXTENSIONS = {1: ("rtphdrextmid", "mid", "urn:ietf:params:rtp-hdrext:sdes:mid"),
              2: ("rtphdrextstreamid", "rid", "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"),
              3: ("rtphdrexttwcc", None,
                  "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01")}
BRANCH = ("camera. ! queue ! videoscale ! video/x-raw,{size} ! vp8enc name={rid} deadline=1 cpu-used=8 "
          "! rtpvp8pay name=pay-{rid} ssrc={ssrc} mtu=1200 picture-id-mode=15-bit ! funnel. ")
PIPELINE = ("webrtcbin name=webrtc bundle-policy=max-bundle rtpfunnel name=funnel ! capsfilter name=layers ! webrtc. "
            "videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=15/1 ! tee name=camera "
            + "".join(BRANCH.format(rid=rid, size=size, ssrc=ssrc)
                      for ssrc, (rid, size) in enumerate(LAYERS.items(), 1)))


def caps(direction):
    """Of which webrtcbin makes the lines of the m-line, a=rid and a=simulcast among them."""
    rids = "".join(f"rid-{rid}=(string){direction}," for rid in LAYERS)
    extensions = ",".join(f"extmap-{number}=(string){uri}" for number, (_, _, uri) in EXTENSIONS.items())
    return (f"application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000,"
            f"rtcp-fb-transport-cc=(boolean)true,{rids}"
            f"a-simulcast=(string)\"{direction} {';'.join(LAYERS)}\",{extensions}")


def missing():
    from gi.repository import Gst
    absent = [name for name in ("vp8enc", "rtpvp8pay", "rtpfunnel", *(entry[0] for entry in EXTENSIONS.values()))
              if not Gst.ElementFactory.find(name)]
    return f"GStreamer has no {', '.join(absent)}" if absent else None


@unittest.skipIf(MISSING, MISSING)
class Simulcast(unittest.TestCase):
    def setUp(self):
        import gi
        gi.require_version("GstRtp", "1.0")
        from gi.repository import Gst, GstRtp, GstWebRTC  # noqa: F401  GstRtp: set_id() of the extensions
        if why := missing():
            self.skipTest(why)
        self.Gst, self.packets, self.sdp = Gst, collections.Counter(), {}
        self.near, self.far = Gst.parse_launch(PIPELINE), Gst.Pipeline()
        self.near.get_by_name("layers").set_property("caps", Gst.Caps.from_string(caps("send")))
        for rid in LAYERS:
            for number, (name, field, _) in EXTENSIONS.items():
                extension = Gst.ElementFactory.make(name)
                extension.set_id(number)
                if field:
                    extension.set_property(field, {"mid": "video0", "rid": rid}[field])
                self.near.get_by_name("pay-" + rid).emit("add-extension", extension)
        self.weirsend = Gst.ElementFactory.make("weirsend")
        self.weirsend.set_property("min-bitrate", 100000)
        self.sender, self.receiver = self.near.get_by_name("webrtc"), Gst.ElementFactory.make("webrtcbin")
        self.receiver.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.far.add(self.receiver)
        self.sender.emit("get-transceiver", 0).set_property("direction", GstWebRTC.WebRTCRTPTransceiverDirection.SENDONLY)
        self.connect()
        self.addCleanup(self.near.set_state, Gst.State.NULL)
        self.addCleanup(self.far.set_state, Gst.State.NULL)

    def connect(self):
        self.sender.connect("request-aux-sender", lambda *_: self.weirsend)
        self.sender.connect("on-negotiation-needed", lambda _: self.describe(self.sender, "offer", self.receiver))
        self.sender.connect("on-ice-candidate", lambda _, *candidate: self.receiver.emit("add-ice-candidate", *candidate))
        self.receiver.connect("on-ice-candidate", lambda _, *candidate: self.sender.emit("add-ice-candidate", *candidate))
        self.receiver.connect("on-new-transceiver", lambda _, transceiver: transceiver.set_property(
            "codec-preferences", self.Gst.Caps.from_string(caps("recv"))))
        self.receiver.connect("pad-added", self.on_pad)

    def describe(self, teller, kind, listener):
        """teller's offer or answer, to both; an offer is answered."""
        def told(promise):
            reply = promise.get_reply()  # which owns the description
            description = reply.get_value(kind)
            self.sdp[kind] = description.sdp.as_text()
            teller.emit("set-local-description", description, self.Gst.Promise.new())
            listener.emit("set-remote-description", description, self.Gst.Promise.new_with_change_func(
                lambda _: kind == "offer" and self.describe(listener, "answer", teller)))

        teller.emit("create-" + kind, None, self.Gst.Promise.new_with_change_func(told))

    def on_pad(self, _webrtcbin, pad):
        if pad.get_direction() != self.Gst.PadDirection.SRC:
            return
        ssrc = pad.get_current_caps().get_structure(0).get_uint("ssrc")[1]
        sink = self.Gst.ElementFactory.make("fakesink")
        sink.set_property("async", False)
        self.far.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))
        pad.add_probe(self.Gst.PadProbeType.BUFFER, lambda *_: self.count(ssrc))

    def count(self, ssrc):
        self.packets[ssrc] += 1
        return self.Gst.PadProbeReturn.OK

    def encoders(self):
        """What weirsend has told each."""
        return {rid: self.near.get_by_name(rid).get_property("target-bitrate") for rid in LAYERS}

    def test_two_layers_of_one_line_are_steered_by_one_weirsend(self):
        self.far.set_state(self.Gst.State.PLAYING)
        self.near.set_state(self.Gst.State.PLAYING)
        ends_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends_s:
            encoders, stats = self.encoders(), self.weirsend.get_property("stats")
            reports, target_bps = stats.get_uint64("feedback-twcc")[1], stats.get_int64("target-bitrate")[1]
            shared = 0.9 * target_bps < sum(encoders.values()) < 1.1 * target_bps
            if min(self.packets[1], self.packets[2]) > 100 and reports > 20 and shared:
                break
            time.sleep(0.2)
        print(f"# packets {dict(self.packets)}, {reports} reports, target {target_bps}, encoders {encoders}")
        for direction, kind in (("send", "offer"), ("recv", "answer")):
            for line in (f"a=simulcast:{direction} low;high", f"a=rid:low {direction}", f"a=rid:high {direction}"):
                self.assertIn(line, self.sdp[kind])
        self.assertEqual(self.sdp["offer"].count("m="), 1)
        self.assertGreater(min(self.packets[1], self.packets[2]), 100, "each layer arrives as a stream")
        self.assertGreater(reports, 20)
        self.assertTrue(shared, "the encoders share the target")


if __name__ == "__main__":
    machine.end_in_order()
    tap.main()
