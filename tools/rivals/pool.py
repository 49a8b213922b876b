# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs side by side, as many as the machine is said to bear, until each has its results."""
import concurrent.futures
import os
import threading
import time

import link
import live_scenarios
import programs
from . import plan, run, senders, store

MORE_TRIES = 2  # of a run that did not count
MOST_PER_SEAT = 2  # runs, when their senders cost little


class Seats:
    """As many as there are jobs; a run takes as many as its senders cost, in turn."""

    def __init__(self, number):
        self.number = self.free = number
        self.changed, self.turn = threading.Condition(), threading.Lock()

    def take(self, wanted):
        """How many it got; waits for them, and so do those who come later."""
        wanted = min(wanted, self.number)
        with self.turn, self.changed:
            self.changed.wait_for(lambda: self.free >= wanted)
            self.free -= wanted
        return wanted

    def give(self, number):
        with self.changed:
            self.free += number
            self.changed.notify_all()


def cost(cell):
    """In seats: runs with two media flows have twice the encoders."""
    return sum(senders.make(name).cost for name in cell.senders)


def length_s(cell, seconds):
    """Of a run, from the first program to the last."""
    lead_s = max(senders.make(name).lead_s for name in cell.senders)
    return plan.longest_s(cell, lead_s, seconds)


def is_done(results, cell, number, seconds):
    """Whether one of the results of that run counts."""
    duration_s = plan.scenario(cell, seconds).duration_s
    return any(store.counts(one) for one in results
               if one["seed"] == live_scenarios.FIRST_SEED + number
               and (one["scenario"], tuple(one["senders"])) == cell
               and one["seconds"] == duration_s)


class Pool:
    def __init__(self, arguments, kept, stop, source, versions):
        self.arguments, self.kept, self.stop = arguments, kept, stop
        self.source, self.versions = source, versions
        self.seats, self.results = Seats(arguments.jobs), kept.results()
        self.lock = threading.Lock()

    def run_all(self, wanted):
        """True when each of the runs (cell, number) has a result that counts."""
        with concurrent.futures.ThreadPoolExecutor(MOST_PER_SEAT * self.arguments.jobs) as pool:
            for future in [pool.submit(self.run_one, *one) for one in wanted]:
                future.result()
        missing = [one for one in wanted if not self.is_done(*one)]
        print(f"{len(wanted) - len(missing)} of {len(wanted)} runs count")
        return not missing

    def is_done(self, cell, number):
        with self.lock:
            return is_done(self.results, cell, number, self.arguments.seconds)

    def run_one(self, cell, number):
        """Until one counts, or MORE_TRIES in a row did not."""
        for _ in range(1 + MORE_TRIES):
            if self.is_done(cell, number) or self.stop.asked.is_set():
                return
            seats = self.seats.take(cost(cell))
            try:
                left_s = self.arguments.ends_s - time.monotonic()
                if length_s(cell, self.arguments.seconds) > left_s:
                    return
                self.keep(cell, number, self.result(cell, number))
            finally:
                self.seats.give(seats)

    def result(self, cell, number):
        """Of one try; None: told to stop."""
        scenario = plan.scenario(cell, self.arguments.seconds)
        seed, folder = live_scenarios.FIRST_SEED + number, None
        if self.arguments.keep:
            folder = os.path.join(self.arguments.keep,
                                  f"{cell.scenario}-{'+'.join(cell.senders)}-{seed}")
            os.makedirs(folder, exist_ok=True)
        try:
            found = run.run(self.arguments.program, scenario, cell.senders, seed, self.source,
                            self.stop.asked, folder)
        except (link.LinkError, programs.ProgramError, OSError) as error:
            found = {"error": str(error)}
        used = {name: self.versions[name] for name in cell.senders}
        about = {name: self.versions[name] for name in ("weir", "linux", "processors")}
        return found and {"scenario": cell.scenario, "senders": cell.senders, "seed": seed,
                          "seconds": scenario.duration_s, "versions": {**about, **used},
                          "jobs": self.arguments.jobs, **found}

    def keep(self, cell, number, result):
        if result is None:
            return
        with self.lock:
            self.kept.add(result)
            self.results.append(result)
            about = f"{cell.scenario} {'+'.join(cell.senders)} {number + 1}"
            print(f"{about}: {line(result)}", flush=True)


def line(result):
    """Of one run, for the terminal."""
    if "error" in result:
        return f"FAILED: {result['error']}"
    figures, machine = result["figures"], result["machine"]
    rates = ", ".join(f"{bps / 1e6:.2f}" for bps in figures["flow_bps"])
    tcp = f", TCP {figures['tcp_bps'] / 1e6:.2f}" if "tcp_bps" in figures else ""
    why = "" if store.counts(result) else f"  NOT COUNTED: {store.why_not(result)}"
    return (f"used {figures['used']:.2f}, q50 {figures['q50_ms']:.0f} ms, "
            f"q95 {figures['q95_ms']:.0f} ms, media {rates}{tcp} Mbit/s, "
            f"loss {100 * figures['loss']:.2f} %, gaps {figures['gaps_s']:.1f} s, "
            f"late {machine['late_ms_p99']:.2f}/{machine['source_late_ms']:.0f} ms, "
            f"processors {sum(machine['processors'].values()):.2f} of "
            f"{machine['own']:.2f}+{machine['foreign']:.2f}{why}")
