# SPDX-License-Identifier: LGPL-2.1-or-later
"""One live run: a scenario, an algorithm and a kind of receiver; what came of it."""
import json
import os
import sys
import tempfile
import time

import live_figures
import live_machine
import live_scenarios
from link import Link
from programs import ProgramError, Programs

HERE = os.path.dirname(os.path.abspath(__file__))
MEDIA = os.path.join(HERE, "live_media.py")
LEAD_S = {"chromium": 15}  # for the programs to come up before the first media flow begins
USUAL_LEAD_S = 6
LOG_MS = 10
TCP_PORT = 5201  # iperf3's own; more have the next ones
FEEDBACK = {"weirrecv": "feedback-ccfb", "twcc": "feedback-twcc", "twcc-throttled": "feedback-twcc",
            "rr": "feedback-rr"}  # what weirsend must have counted
RECEIVERS = (*FEEDBACK, "chromium")
# What may follow the name of an algorithm, as in sluice+scale: weirscale, FEC with repair=auto, and ecn=auto
# with weirudpsrc at the far end.
EXTRAS = ("scale", "repair", "ecn")


def schedule_text(steps, lead_s):
    first, *others = steps
    return ",".join([f"0:{first[1]}", *(f"{lead_s + at_s:g}:{bps}" for at_s, bps in others)])


def link_options(scenario, seed, lead_s, folder):
    delay = f"{scenario.rtt_ms / 2:g}ms"
    queue_option, queue = scenario.queue
    loss, burst = scenario.forward_loss or (scenario.loss, 1)
    options = ["--schedule", schedule_text(scenario.steps(seed), lead_s), "--delay", delay,
               "--reverse-delay", delay, f"--{queue_option}", queue, "--loss", str(loss), "--loss-burst", str(burst),
               "--reverse-loss", str(scenario.loss), "--seed", str(seed), "--reverse-seed",
               str(seed + 1000), "--log", os.path.join(folder, "queue.csv"), "--log-interval",
               f"{LOG_MS}ms", "--packet-log", os.path.join(folder, "packets.csv"),
               "--stats-interval", "1000000s"]  # which leaves the line at the end
    if scenario.marks:
        options += ["--discipline", scenario.marks, "--ecn", "on"]
    if scenario.reverse:
        bps, queue_option, queue = scenario.reverse
        options += ["--reverse-capacity", str(bps), f"--reverse-{queue_option}", queue]
    return options


class Call(Programs):
    """The media flows and TCP flows of a run. zero_ns: when the first media flow begins."""

    def __init__(self, link, folder, scenario, zero_ns):
        super().__init__(link, folder)
        self.scenario, self.zero_ns = scenario, zero_ns
        self.tcp = []  # names of what ends by itself

    def now_s(self):
        return (time.monotonic_ns() - self.zero_ns) / 1e9

    def at_ns(self, at_s):
        return self.zero_ns + int(1e9 * at_s)

    def start_flow(self, flow, receiver, algorithm, source, program=MEDIA):
        """`program` sends. Returns the names of both."""
        limits = live_scenarios
        port = str(live_figures.ports_of(flow)[0])
        common = ["--port", port, "--receiver", receiver, *(["--fec"] if "+repair" in algorithm else []),
                  *(["--ecn"] if "+ecn" in algorithm else [])]
        send = ["--source", source, "--algorithm", algorithm, "--min-bitrate",
                str(limits.MIN_BPS), "--max-bitrate", str(limits.MAX_BPS), "--start-bitrate",
                str(limits.START_BPS), "--start-ns", str(self.at_ns(self.scenario.media_at_s[flow]))]
        if self.scenario.silence_s:
            send += ["--silence-ns", *(str(self.at_ns(s)) for s in self.scenario.silence_s)]
        self.start(f"receiver-{flow}", "b", sys.executable, MEDIA, "receive", self.link.address("a"), *common)
        self.start(f"sender-{flow}", "a", sys.executable, program, "send", self.link.address("b"), *common, *send)
        return f"receiver-{flow}", f"sender-{flow}"

    def start_media(self, receiver, algorithm, source):
        flows = range(len(self.scenario.media_at_s))
        for names in [self.start_flow(flow, receiver, algorithm, source) for flow in flows]:
            for name in names:
                self.wait_for_output(name)

    def start_tcp_servers(self):
        if self.scenario.marks:
            for end in "ab":
                self.link.start(end, "sysctl", "-qw", "net.ipv4.tcp_ecn=1").wait()
        for k, tcp in enumerate(self.scenario.tcp):
            self.start(f"iperf3-server-{k}", "a" if tcp.reverse else "b", "iperf3", "-s", "-1",
                       "--forceflush", "-p", str(TCP_PORT + k))
            self.wait_for_output(f"iperf3-server-{k}")
            self.tcp.append(f"iperf3-server-{k}")

    def start_tcp(self, k):
        tcp = self.scenario.tcp[k]
        here, there = "ba" if tcp.reverse else "ab"
        self.start(f"iperf3-{k}", here, "iperf3", "-c", self.link.address(there), "-p",
                   str(TCP_PORT + k), "-C", tcp.name, "-P", str(tcp.flows), "-t",
                   str(max(1, round(tcp.until_s - tcp.at_s))))
        self.tcp.append(f"iperf3-{k}")

    def wait_until(self, at_s, stop):
        """FALSE when it was told to stop before."""
        while (left_s := at_s - self.now_s()) > 0:
            self.check(self.tcp)
            if stop and stop.wait(min(left_s, 0.5)):
                return False
            if not stop:
                time.sleep(min(left_s, 0.5))
        return True

    def play(self, stop):
        """From the first media flow to the end. False: told to stop."""
        for k in sorted(range(len(self.scenario.tcp)), key=lambda k: self.scenario.tcp[k].at_s):
            if not self.wait_until(self.scenario.tcp[k].at_s, stop):
                return False
            self.start_tcp(k)
        return self.wait_until(self.scenario.duration_s, stop)

    def frames(self):
        """Of each media flow; the programs have ended."""
        return [live_figures.read_frames(self.read(f"sender-{flow}").splitlines(),
                                         self.read(f"receiver-{flow}").splitlines(), self.zero_ns)
                for flow in range(len(self.scenario.media_at_s))]

    def check_feedback(self, receiver):
        """The receiver was what it was meant to be."""
        for flow in range(len(self.scenario.media_at_s)):
            lines = [line for line in self.read(f"sender-{flow}").splitlines() if line[:1] == "{"]
            if not lines or json.loads(lines[-1]).get(FEEDBACK[receiver], 0) == 0:
                raise ProgramError(f"weirsend has got no {FEEDBACK[receiver]}: {lines[-1:]}")


def make_call(link, folder, scenario, receiver, zero_ns):
    if receiver != "chromium":
        return Call(link, folder, scenario, zero_ns)
    import live_browser
    return live_browser.BrowserCall(link, folder, scenario, zero_ns)


def hold(call, start_media, stop):
    """What the call did with the machine; None when it was told to stop."""
    try:
        call.start_tcp_servers()
        start_media()
        if call.now_s() > 0:
            raise ProgramError(f"the programs came up {call.now_s():.1f} s too late")
        if not call.wait_until(0, stop):
            return None
        live_machine.adopt_orphans()
        before, own_s, began_s = live_machine.times(), live_machine.own_s(), call.now_s()
        if not call.play(stop):
            return None
        return live_machine.use(before, live_machine.times(), live_machine.own_s() - own_s,
                                call.now_s() - began_s)
    finally:
        call.stop()


def play(link, folder, scenario, receiver, algorithm, source, lead_s, stop):
    """Frames per flow and what the run did with the machine; None when it was told to stop."""
    zero_ns = time.monotonic_ns() + int(1e9 * lead_s)
    call = make_call(link, folder, scenario, receiver, zero_ns)
    machine = hold(call, lambda: call.start_media(receiver, algorithm, source), stop)
    if not machine:
        return None
    call.check_feedback(receiver)
    frames = call.frames()
    machine["source_late_ms"] = max(live_machine.source_late_ms(f.sources) for f in frames)
    return frames, machine


def read_logs(link, folder, scenario, lead_s):
    """Of the link, which has ended: its last line, the packets, the queue."""
    return json.loads(link.last_words.splitlines()[-1]), \
        live_figures.read_packets(os.path.join(folder, "packets.csv"), lead_s, scenario.rtt_ms / 2000), \
        live_figures.read_queue(os.path.join(folder, "queue.csv"), lead_s)


def reverse_tcp_bps(scenario, last_line, lead_s):
    """What TCP got on the way back, where no log tells the times."""
    length_s = last_line["time_s"] - lead_s - min(tcp.at_s for tcp in scenario.tcp)
    return 8 * last_line["reverse"]["tcp"]["delivered_bytes"] / length_s


def run(program, scenario, receiver, algorithm, seed, source, stop=None, folder=None):
    """{"figures", "machine", "busy"}; None when it was told to stop. Logs go to `folder` and stay.
    Raises LinkError or ProgramError with a sentence."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="weir-live-") as own:
            return run(program, scenario, receiver, algorithm, seed, source, stop, own)
    lead_s = LEAD_S.get(receiver, USUAL_LEAD_S)
    with Link(program, *link_options(scenario, seed, lead_s, folder)) as link:
        played = play(link, folder, scenario, receiver, algorithm, source, lead_s, stop)
    if not played:
        return None
    frames, machine = played
    last_line, packets, queue = read_logs(link, folder, scenario, lead_s)
    machine["late_ms_p99"] = last_line["forward"]["late_ms_p99"]
    figures = live_figures.all_figures(scenario, scenario.steps(seed), packets, queue, frames)
    if any(tcp.reverse for tcp in scenario.tcp):
        figures["tcp_bps"] = reverse_tcp_bps(scenario, last_line, lead_s)
    return {"figures": figures, "machine": machine, "busy": live_machine.why_busy(machine)}
