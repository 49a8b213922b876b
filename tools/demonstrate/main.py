# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams a real clip through an emulated bottleneck in real time, and reports how the sender adapted.

Writes build/demo/demo.png and build/demo/received.mp4, the clip as the receiver saw it.
Exit status 0 only if media arrived, the target followed the capacity, and use, queue and the share
beside TCP are as wanted."""
import argparse
import json
import os
import subprocess
import sys

import clip
import files
import scenario

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tools"))
import run_tests  # noqa: E402

OUT = os.path.join(ROOT, "build", "demo")
SAMPLE_S = 0.1


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/demo", description=__doc__.split("\n\n")[0])
    parser.add_argument("--duration", type=float, default=60, metavar="S",
                        help="length of the run in seconds, 8 to 86400 (default 60)")
    parser.add_argument("--algorithm", default="sluice", metavar="NAME",
                        help="weirsend's algorithm (default sluice)")
    parser.add_argument("--json", metavar="FILE", help="write the figures to FILE")
    parser.add_argument("--no-install", action="store_true", help="install no packages")
    arguments = parser.parse_args()
    if not 8 <= arguments.duration <= 86400:
        parser.error(f"--duration {arguments.duration:g} is out of range: 8 to 86400 seconds")
    return arguments


def build_weir():
    """Builds the library and the plugin, and lets GStreamer find them."""
    directory = os.path.join(ROOT, "build", "plain")
    if not os.path.exists(directory):
        print("demo: building", flush=True)
    if run_tests.build("plain", [], run_tests.clean_environment(), ["gst/libgstweir.so"]) is None:
        sys.exit("demo: the plugin cannot be built")
    os.environ["GST_PLUGIN_PATH"] = os.path.join(directory, "gst")
    os.environ["GST_REGISTRY"] = os.path.join(OUT, "gst-registry.bin")


def quiet_loop_warning(glib):
    """GStreamer warns of pipelines with a loop. Feedback is one, and meant to be."""
    def handler(domain, level, message, _data):
        if "loop detected" not in message:
            glib.log_default_handler(domain, level, message, None)

    glib.log_set_handler("GStreamer", glib.LogLevelFlags.LEVEL_WARNING, handler, None)


def check_algorithm(gst, name):
    """Ends the program with the names there are when `name` is none of them."""
    values = type(gst.ElementFactory.make("weirsend").get_property("algorithm")).__enum_values__
    names = sorted(value.value_nick for value in values.values())
    if name not in names:
        print(f"tools/demo: no algorithm '{name}'; there are: {', '.join(names)}",
              file=sys.stderr)
        sys.exit(2)


def pipeline_text(raw, duration_s, algorithm):
    """The whole demo as one gst-launch line: a sender, the network both ways, a receiver.

    mode=none: both ends have one clock. Otherwise the frames that arrive at once after the machine has
    stood still get one time, h264parse leaves all but the first without, and mp4mux ends the run."""
    delay = f"delay={scenario.DELAY_NS}"
    return f"""
      multifilesrc location="{raw}" loop=true
        ! rawvideoparse format=i420 width={clip.WIDTH} height={clip.HEIGHT}
            framerate={clip.FRAMES_PER_SECOND}/1
        ! clocksync name=source ! x264enc tune=zerolatency speed-preset=superfast
        ! rtph264pay config-interval=-1 mtu=1200 ! weirsend name=s algorithm={algorithm}
            min-bitrate=150000 max-bitrate=4000000
        ! weirlink name=l {delay} queue-time={scenario.QUEUE_NS} seed=1
            schedule="{scenario.schedule_text(duration_s)}"
            cross-traffic="{scenario.cross_traffic_text(duration_s)}"
        ! weirrecv name=r ! rtpjitterbuffer latency=1000 mode=none ! rtph264depay name=depay
            request-keyframe=true ! h264parse ! mp4mux
        ! filesink location="{os.path.join(OUT, 'received.mp4')}" sync=false async=false
      r.rtcp_src ! weirlink {delay} ! s.rtcp_sink
    """


class Run:
    """One run of the pipeline, sampled ten times a second."""

    def __init__(self, gst, glib, raw, duration_s, algorithm):
        self.gst, self.glib = gst, glib
        self.duration_s = duration_s
        self.samples = []
        self.error = None
        self.frames_received = 0
        self.frames_sent = 0
        self.last = None
        self.loop = glib.MainLoop()
        self.pipeline = gst.parse_launch(pipeline_text(raw, duration_s, algorithm))
        self.sender = self.pipeline.get_by_name("s")
        self.link = self.pipeline.get_by_name("l")
        self.count_frames("s", "sink", "frames_sent")
        self.count_frames("depay", "src", "frames_received")
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def count_frames(self, element, pad, attribute):
        """Counts access units: buffers that end a frame, by their time stamps."""
        seen = [None]

        def note(time):
            if time != seen[0]:
                seen[0] = time
                setattr(self, attribute, getattr(self, attribute) + 1)

        def probe(_pad, info):
            if info.type & self.gst.PadProbeType.BUFFER_LIST:
                note(info.get_buffer_list().get(0).pts)
            else:
                note(info.get_buffer().pts)
            return self.gst.PadProbeReturn.OK

        self.pipeline.get_by_name(element).get_static_pad(pad).add_probe(
            self.gst.PadProbeType.BUFFER | self.gst.PadProbeType.BUFFER_LIST, probe)

    def on_message(self, _bus, message):
        kind = message.type
        if kind == self.gst.MessageType.EOS:
            self.loop.quit()
        elif kind == self.gst.MessageType.ERROR:
            error, debug = message.parse_error()
            self.error = f"{message.src.get_name()}: {error.message} ({(debug or '').rpartition(chr(10))[2]})"
            self.loop.quit()
        elif kind == self.gst.MessageType.WARNING:
            warning, _debug = message.parse_warning()
            print(f"demo: {message.src.get_name()}: {warning.message}", flush=True)

    def sample(self):
        """Reads both ends of the bottleneck; called every SAMPLE_S by the main loop."""
        time_s = self.link.get_property("stats").get_value("time") / 1e9
        now = {name: self.link.get_property("stats").get_value(name) for name in (
            "capacity", "offered-bytes", "delivered-bytes", "offered-packets", "lost-packets",
            "cross-bytes", "queue-delay")}
        now["time_s"] = time_s
        if self.last and time_s > self.last["time_s"]:
            self.samples.append(self.difference(self.last, now))
            if int(time_s) > int(self.last["time_s"]):
                self.print_line()
        if not self.last or time_s > self.last["time_s"]:
            self.last = now
        if time_s >= self.duration_s:
            self.pipeline.get_by_name("source").send_event(self.gst.Event.new_eos())
            return False
        return True

    def difference(self, before, now):
        interval_s = now["time_s"] - before["time_s"]
        rate = lambda name: 8 * (now[name] - before[name]) / interval_s
        return scenario.Sample(
            time_s=now["time_s"], capacity_bps=now["capacity"],
            target_bps=self.sender.get_property("target-bitrate"),
            sent_bps=rate("offered-bytes"), delivered_bps=rate("delivered-bytes"),
            cross_bps=rate("cross-bytes"), queue_ms=now["queue-delay"] / 1e6,
            sent_packets=now["offered-packets"] - before["offered-packets"],
            lost_packets=now["lost-packets"] - before["lost-packets"])

    def print_line(self):
        second = self.samples[-10:]
        mean = lambda field: scenario.mean(getattr(s, field) for s in second) / 1e6
        print(f"{second[-1].time_s:5.0f} s  capacity {second[-1].capacity_bps / 1e6:5.2f}"
              f"  target {mean('target_bps'):5.2f}  sent {mean('sent_bps'):5.2f}"
              f"  delivered {mean('delivered_bps'):5.2f}  tcp {mean('cross_bps'):5.2f} Mbit/s"
              f"  queue {scenario.mean(s.queue_ms for s in second):4.0f} ms"
              f"  loss {100 * scenario.loss_ratio(second):4.1f} %", flush=True)

    def go(self):
        self.pipeline.set_state(self.gst.State.PLAYING)
        self.glib.timeout_add(int(1000 * SAMPLE_S), self.sample)
        # The end takes a moment (the file is finished); a pipeline that stalls is an error.
        self.glib.timeout_add(int(1000 * (self.duration_s + 30)), self.give_up)
        try:
            self.loop.run()
        finally:
            self.pipeline.set_state(self.gst.State.NULL)

    def give_up(self):
        self.error = "the pipeline stalled"
        self.loop.quit()
        return False


def draw_report():
    subprocess.run([os.path.join(ROOT, "tools", "weir-report"), OUT, "-o",
                    os.path.join(OUT, "demo.png")], check=True)


def print_phases(result):
    print("\n  seconds       capacity  TCP   used   media   queue p50/p95      loss")
    for p in result["phases"]:
        print(f"  {p['start_s']:4.0f} to {p['end_s']:4.0f}  {p['capacity_bps'] / 1e6:5.2f} Mbit/s"
              f"  {p['competitors']:2d}  {100 * p['utilization']:4.0f} %  {100 * p['media_share']:4.0f} %"
              f"  {p['queue_ms_p50']:5.0f} /{p['queue_ms_p95']:5.0f} ms  {100 * p['loss_ratio']:6.2f} %")
    print(f"  wanted alone: used {100 * scenario.LEAST_USED:g} %, p95 {scenario.MOST_QUEUE_MS:g} ms;"
          f" after a change {100 * scenario.LEAST_USED_CHANGED:g} %, {scenario.MOST_QUEUE_CHANGED_MS:g} ms;"
          " beside TCP half to twice the fair share")
    below = result["seconds_to_below_capacity"]
    print(f"  frames {result['frames_received']} of {result['frames_sent']}, packets lost "
          f"{100 * result['loss_ratio']:.2f} %, target below the reduced capacity after "
          f"{'%.1f s' % below if below is not None else 'no time in that phase'}")


def main():
    arguments = parse_arguments()
    os.makedirs(OUT, exist_ok=True)
    build_weir()
    raw = clip.decode(OUT)

    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
    Gst.init(None)
    quiet_loop_warning(GLib)
    check_algorithm(Gst, arguments.algorithm)
    run = Run(Gst, GLib, raw, arguments.duration, arguments.algorithm)
    run.go()

    result = {"algorithm": arguments.algorithm}
    result.update(scenario.judge(run.samples, arguments.duration, run.frames_sent,
                                 run.frames_received))
    if run.error:
        result["passed"] = False
        result["problems"].insert(0, run.error)
    if run.samples:
        files.write(OUT, run.samples, result)
        draw_report()
        print_phases(result)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=2)
            out.write("\n")
    for problem in result["problems"]:
        print("demo:", problem)
    print(f"demo: {'passed' if result['passed'] else 'FAILED'}; see build/demo/demo.png and "
          "build/demo/received.mp4")
    return 0 if result["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
