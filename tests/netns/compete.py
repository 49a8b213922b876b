# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs whole video calls through weir-link, alone and beside the kernel's TCP, in real time.

Twelve scenarios (live_scenarios.py), each with a real encoder and decoder at its ends. Needs root,
iperf3, x264enc and avdec_h264, Chromium for --receivers chromium, and a machine that does nothing
else: a run in which it was busy is marked, repeated, and not judged. --full makes the tables of
docs/live.md, --page writes that page. With --json a run that is there is not repeated, so that a
measurement can go on after an interruption. Exit status 1: runs are missing, because they failed or
the machine was busy; 77: the machine lacks something."""
import argparse
import concurrent.futures
import json
import os
import sys
import tempfile
import threading

import footage
import link
import live_page
import live_run
import live_scenarios
import needs
import programs
import workbench

ELEMENTS = ("x264enc", "avdec_h264", "rtph264pay", "rtph264depay", "rtprtxsend", "rtpbin",
            "rtpjitterbuffer", "udpsrc", "udpsink", "weirsend", "weirrecv")
OTHERS = ("twcc", "twcc-throttled", "rr", "chromium")
MORE_TRIES = 2  # when runs meet a busy machine
USUAL = live_scenarios.SCENARIOS + live_scenarios.VARIATIONS
ALL = {one.name: one for one in USUAL + live_scenarios.LONG + live_scenarios.ECN}


def parse_arguments(words):
    parser = argparse.ArgumentParser(prog="compete.py", description=__doc__.split("\n\n", maxsplit=1)[0],
                                     epilog=__doc__.split("\n\n")[1])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(ALL))
    parser.add_argument("--algorithms", type=workbench.names, metavar="A,B",
                        help="default: weirsend's default, and tfrc")
    parser.add_argument("--receivers", type=workbench.names, metavar="R,S",
                        help=f"of {', '.join(live_run.RECEIVERS)} (default weirrecv)")
    parser.add_argument("--full", action="store_true",
                        help="all scenarios with weirrecv; with the other receivers "
                             f"{', '.join(live_scenarios.OF_OTHER_RECEIVERS)} of the first algorithm")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each, 1 to 100 (default 3)")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="length of each run, 5 to 600, instead of the scenario's own: a trial")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="runs side by side, 1 to 8 (default 1); a run takes a third of a processor")
    parser.add_argument("--json", metavar="FILE", help="read what it has, add each run to it")
    parser.add_argument("--page", metavar="FILE.md", help="write the page")
    parser.add_argument("--keep", metavar="DIR", help="keep the logs of each run in a folder there")
    arguments = parser.parse_args(words)
    for name in arguments.scenarios:
        if name not in ALL:
            parser.error(f"no scenario '{name}'; there are: {', '.join(ALL)}")
    for name in arguments.receivers or ():
        if name not in live_run.RECEIVERS:
            parser.error(f"no receiver '{name}'; there are: {', '.join(live_run.RECEIVERS)}")
    if not 1 <= arguments.runs <= 100:
        parser.error(f"--runs {arguments.runs} is out of range: 1 to 100")
    if not 1 <= arguments.jobs <= 8:
        parser.error(f"--jobs {arguments.jobs} is out of range: 1 to 8")
    if arguments.seconds is not None and not 5 <= arguments.seconds <= 600:
        parser.error(f"--seconds {arguments.seconds:g} is out of range: 5 to 600")
    if arguments.full and (arguments.scenarios or arguments.receivers):
        parser.error("--full says which scenarios and receivers; leave them out")
    return arguments


def plan(arguments, algorithms):
    """(receiver, scenario name, algorithm), ... in the order in which they run."""
    few, usual = live_scenarios.OF_OTHER_RECEIVERS, [one.name for one in live_scenarios.SCENARIOS]
    if arguments.full:
        return [("weirrecv", one.name, algorithm) for one in USUAL for algorithm in algorithms] \
            + [(receiver, name, algorithms[0]) for receiver in OTHERS for name in few]
    return [(receiver, name, algorithm) for receiver in arguments.receivers or ("weirrecv",)
            for name in arguments.scenarios or (usual if receiver == "weirrecv" else few)
            for algorithm in algorithms]


def unsuited(receiver, scenario):
    """Why the pair cannot be measured; None: it can."""
    if receiver == "chromium" and (len(scenario.media_at_s) > 1 or scenario.silence_s):
        return "one steady call is all that a browser gets here"
    return None


def missing(program, receivers, scenarios):
    tcp = {one.name for scenario in scenarios for one in scenario.tcp}
    absent = needs.missing_link(program) or needs.missing_media(ELEMENTS) \
        or (needs.missing_tcp(sorted(tcp)) if tcp else None)
    if not absent and "chromium" in receivers:
        sys.path.append(os.path.join(workbench.ROOT, "tests", "webrtc"))
        import machine
        absent = machine.missing_browser()
    return absent


def scenario_of(name, arguments):
    return ALL[name].scaled(arguments.seconds) if arguments.seconds else ALL[name]


class Measurement:
    """Runs cells (receiver, scenario name, algorithm) until each has its runs."""

    def __init__(self, arguments, program, source, about, stop):
        self.arguments, self.program, self.source = arguments, program, source
        self.about, self.stop = about, stop
        self.results, self.lock = load(arguments.json), threading.Lock()

    def good_runs(self, cell):
        """How many runs of this length count."""
        seconds = scenario_of(cell[1], self.arguments).duration_s
        with self.lock:
            return sum(live_page.is_good(r) for r in self.results if r["seconds"] == seconds
                       and (r["receiver"], r["scenario"], r["algorithm"]) == cell)

    def run_all(self, cells):
        """True when each has its runs."""
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            for future in [pool.submit(self.run_cell, cell) for cell in cells]:
                future.result()
        return all(self.good_runs(cell) >= self.arguments.runs for cell in cells)

    def run_cell(self, cell):
        """Runs that failed or were disturbed are repeated, MORE_TRIES at most, with their seed."""
        spare, good = MORE_TRIES, self.good_runs(cell)
        while good < self.arguments.runs and spare >= 0 and not self.stop.asked.is_set():
            result = self.run_one(cell, good)
            if result is None:
                return
            with self.lock:
                self.results.append(result)
                print(f"{' '.join(cell)} {good + 1}: {live_page.line(result)}", flush=True)
                if self.arguments.json:
                    save(self.arguments.json, self.results, self.about)
            spare, good = spare - (not live_page.is_good(result)), self.good_runs(cell)

    def run_one(self, cell, number):
        """The result of the run, or why there is none; None: told to stop."""
        receiver, name, algorithm = cell
        scenario, seed, folder = scenario_of(name, self.arguments), live_scenarios.FIRST_SEED + number, None
        if self.arguments.keep:
            folder = os.path.join(self.arguments.keep, f"{name}-{receiver}-{algorithm}-{seed}")
            os.makedirs(folder, exist_ok=True)
        try:
            played = live_run.run(self.program, scenario, receiver, algorithm, seed, self.source,
                                  self.stop.asked, folder)
        except (link.LinkError, programs.ProgramError, OSError) as error:
            played = {"error": str(error)}
        return played and {"receiver": receiver, "scenario": name, "algorithm": algorithm,
                           "seed": seed, "seconds": scenario.duration_s, **played}


def save(path, results, about):
    """Whole or not at all."""
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump({"about": about, "results": results}, file, indent=1)
    os.replace(path + ".part", path)


def load(path):
    if not path or not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return json.load(file)["results"]


def default_algorithms():
    from gi.repository import Gst
    usual = Gst.ElementFactory.make("weirsend").get_property("algorithm").value_nick
    return list(dict.fromkeys([usual, "tfrc"]))


def end(status, words):
    print(f"compete.py: {words}", file=sys.stderr)
    sys.exit(status)


def compete(arguments, stop):
    """The results, old and new, what is said about them, and whether they are all there."""
    program = workbench.build_weir()
    with tempfile.TemporaryDirectory(prefix="weir-compete-") as folder:
        os.environ["GST_REGISTRY"] = os.path.join(folder, "registry.bin")
        reason = needs.missing_media(ELEMENTS)
        if reason:
            end(workbench.NOT_PERMITTED, f"SKIP: {reason}")
        algorithms, known = arguments.algorithms or default_algorithms(), workbench.known_algorithms()
        unknown = [name for name in algorithms if name.split("+")[0] not in known]
        extras = {extra for name in algorithms for extra in name.split("+")[1:]} - set(live_run.EXTRAS)
        if unknown:
            end(2, f"no algorithm {unknown[0]}; there are: {', '.join(known)}")
        if extras:
            end(2, f"+{min(extras)}: after an algorithm there may be +{', +'.join(live_run.EXTRAS)}")
        cells = plan(arguments, algorithms)
        for receiver, name, _ in cells:
            if unsuited(receiver, ALL[name]):
                end(2, f"{receiver} and {name}: {unsuited(receiver, ALL[name])}")
        reason = missing(program, {r for r, _, _ in cells}, [ALL[name] for _, name, _ in cells])
        if reason:
            end(workbench.NOT_PERMITTED, f"SKIP: {reason}")
        clip = footage.real(640, 360, 30)
        about = workbench.machine([os.getloadavg()[0]])
        about["source"] = "the demo's clip, looped" if clip else "`videotestsrc` with a moving zone plate"
        about["command"] = " ".join(["/usr/bin/python3", "tests/netns/compete.py", *sys.argv[1:]])
        about["jobs"] = arguments.jobs
        measurement = Measurement(arguments, program, clip or footage.moving(640, 360, 30), about, stop)
        complete = measurement.run_all(cells)
    return measurement.results, about, complete


def main():
    arguments, stop = parse_arguments(sys.argv[1:]), workbench.Stop()
    results, about, complete = compete(arguments, stop)
    if stop.asked.is_set():
        end(130, "interrupted")
    print(live_page.tables(results))
    print(live_page.closing(results, about))
    if arguments.page:
        live_page.write(arguments.page, results, about)
    sys.exit(0 if complete else 1)


if __name__ == "__main__":
    main()
