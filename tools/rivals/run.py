# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run: a scenario and a sender for each of its media flows; what came of it at the link."""
import os
import tempfile
import time

import live_figures
import live_machine
import live_run
from arithmetic import ratio
from link import Link
from . import alive, senders, wire


class Race(live_run.Call):
    """The flows of one run; source: a gst-launch text that gives raw video."""

    def __init__(self, link, folder, scenario, zero_ns, chosen, source):
        super().__init__(link, folder, scenario, zero_ns)
        self.chosen, self.source, self.processors = chosen, source, {}

    def start_senders(self):
        for flow, (sender, at_s) in enumerate(zip(self.chosen, self.scenario.media_at_s)):
            sender.start(self, flow, at_s)

    def adopt(self, name, process):
        """A program that a sender has started by itself, and ends."""
        for kind in ("out", "err"):
            open(self.path(name, kind), "w", encoding="utf-8").close()
        self.running[name] = process

    def stop(self):
        try:
            for sender in self.chosen:
                sender.stop()
        finally:
            super().stop()

    def told(self, question):
        """The answers of all senders."""
        return [getattr(sender, question)(self, flow) for flow, sender in enumerate(self.chosen)]

    def play(self, stop):
        played = super().play(stop)
        self.processors = self.used_processors()
        return played

    def used_processors(self):
        """By each program so far, of those that still run."""
        found, ticks = live_machine.processes(), os.sysconf("SC_CLK_TCK")
        return {name: round(live_machine.spent_s(found, one.pid, ticks) / self.now_s(), 3)
                for name, one in self.running.items() if one.pid in found}


def dead(race, flow_packets):
    """Sentences about senders that were not alive."""
    scenario = race.scenario
    rows = zip(race.chosen, race.told("samples"), flow_packets, scenario.media_at_s)
    return [f"{sender.name}: {problem}" for sender, samples, packets, at_s in rows
            for problem in alive.problems(samples, packets, at_s, scenario.silence_s)]


def frame_figures(race):
    """From the encoder's input to the decoder's output, if all tell; of the worst."""
    frames = race.told("frames")
    found = live_figures.worst_frame_figures(frames, *race.scenario.window_s)
    counted = ("frozen_s", "shown") if all(one.captures or one.counts for one in frames) else ("frozen_s",)
    told = found if all(one.captures for one in frames) else counted
    return {name: found[name] for name in told if found[name] is not None}


def made_bps(race):
    """What the encoders say that they made, all together."""
    from_s, to_s = race.scenario.window_s
    each = [[one.made_bps for one in samples if from_s <= one.at_s < to_s] for samples in race.told("samples")]
    return sum(ratio(sum(made), len(made)) for made in each)


def measure(race, machine, link, folder, seed, lead_s):
    scenario = race.scenario
    machine["processors"] = race.processors
    machine["source_late_ms"] = max(live_machine.source_late_ms(one.sources)
                                    for one in race.told("frames"))
    last_line, packets, queue = live_run.read_logs(link, folder, scenario, lead_s)
    machine["late_ms_p99"] = last_line["forward"]["late_ms_p99"]
    ports, steps = race.told("ports"), scenario.steps(seed)
    found = {**wire.all_figures(scenario, steps, packets, queue, ports), **frame_figures(race),
             "made_bps": made_bps(race)}
    if any(tcp.reverse for tcp in scenario.tcp):
        found["tcp_bps"] = live_run.reverse_tcp_bps(scenario, last_line, lead_s)
    delivered = [sum(one.fate == "delivered" for one in live_figures.of_ports(packets, flow))
                 for flow in ports]
    return {"figures": found, "machine": machine, "busy": live_machine.why_busy(machine),
            "dead": dead(race, delivered)}


def run(program, scenario, names, seed, source, stop=None, folder=None):
    """{"figures", "machine", "busy", "dead"}; None when it was told to stop. names: of
    the senders, one for each media flow. Raises LinkError or ProgramError with a sentence."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="weir-race-") as own:
            return run(program, scenario, names, seed, source, stop, own)
    chosen = [senders.make(name) for name in names]
    lead_s = max(sender.lead_s for sender in chosen)
    with Link(program, *live_run.link_options(scenario, seed, lead_s, folder)) as link:
        zero_ns = time.monotonic_ns() + int(1e9 * lead_s)
        race = Race(link, folder, scenario, zero_ns, chosen, source)
        machine = live_run.hold(race, race.start_senders, stop)
    return machine and measure(race, machine, link, folder, seed, lead_s)
