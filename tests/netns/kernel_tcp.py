# SPDX-License-Identifier: LGPL-2.1-or-later
"""Races a live weirsend against the kernel's TCP through weir-link, and says who got what.

One media flow and one TCP flow (iperf3) share a bottleneck of real packets between two network
namespaces. Needs root, iperf3 and the kernel's TCP variants. Without options nine short races at
4 Mbit/s; --full makes the 54 of docs/kernel-tcp.md, which takes about 20 minutes, and --page
writes that page. Exit status 77: the machine lacks something, which is said."""
import argparse
import concurrent.futures
import json
import os
import sys
import tempfile
import time

import kernel_tcp_page as page
import link
import needs
import programs
import race
import workbench

ALGORITHMS = ["tfrc", "warc", "arc"]
TCP = ["reno", "cubic", "bbr"]
FULL = {"capacity": [2, 4, 10], "rtt": [40, 100], "measure": 60}
SHORT = {"capacity": [4], "rtt": [40], "measure": 15}


def numbers(least, most):
    def read(text):
        values = [float(word) for word in workbench.names(text)]
        if not values or not all(least <= value <= most for value in values):
            raise argparse.ArgumentTypeError(f"'{text}' is not numbers from {least} to {most}, as in 2,4")
        return values
    return read


def parse_arguments(words):
    parser = argparse.ArgumentParser(prog="kernel_tcp.py", description=__doc__.split("\n\n")[0],
                                     epilog=__doc__.split("\n\n")[1])
    parser.add_argument("--full", action="store_true", help="all capacities and round trips, 60 s each")
    parser.add_argument("--algorithms", type=workbench.names, default=ALGORITHMS, metavar="A,B")
    parser.add_argument("--tcp", type=workbench.names, default=TCP, metavar="A,B")
    parser.add_argument("--capacity", type=numbers(0.2, 100), metavar="MBPS,...", help="Mbit/s, 0.2 to 100")
    parser.add_argument("--rtt", type=numbers(2, 2000), metavar="MS,...", help="without queue, 2 to 2000 ms")
    parser.add_argument("--measure", type=float, metavar="S", help="seconds after the first %d, 5 to 3600" % race.START_S)
    parser.add_argument("--jobs", type=int, default=4, metavar="N", help="races side by side, 1 to 16 (default 4)")
    parser.add_argument("--json", metavar="FILE", help="write the results")
    parser.add_argument("--from", dest="source", metavar="FILE", help="read the results of --json instead of racing")
    parser.add_argument("--page", metavar="FILE.md", help="write the page, and its picture beside it")
    arguments = parser.parse_args(words)
    for name, value in (FULL if arguments.full else SHORT).items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    if not 5 <= arguments.measure <= 3600:
        parser.error(f"--measure {arguments.measure:g} is out of range: 5 to 3600 seconds")
    if not 1 <= arguments.jobs <= 16:
        parser.error(f"--jobs {arguments.jobs} is out of range: 1 to 16")
    return arguments


def all_races(arguments):
    return [race.Race(algorithm, tcp, round(1e6 * capacity), rtt)
            for capacity in arguments.capacity for rtt in arguments.rtt
            for algorithm in arguments.algorithms for tcp in arguments.tcp]


def run_all(races, arguments, program, stop):
    """{race: result or the sentence why there is none}"""
    results = {}

    def one(a_race):
        if stop.asked.is_set():
            return None
        return race.run(a_race, program, arguments.measure, stop=stop.asked)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = {pool.submit(one, a_race): a_race for a_race in races}
        for future in concurrent.futures.as_completed(futures):
            a_race = futures[future]
            try:
                results[a_race] = future.result()
            except (link.LinkError, programs.ProgramError, OSError) as error:
                results[a_race] = str(error)
            if results[a_race] is not None:
                print(f"{len(results):3}/{len(races)} {race.name_of(a_race)}: {page.line(a_race, results[a_race])}", flush=True)
    return {a_race: results[a_race] for a_race in races if results[a_race] is not None}


def save(path, results, about):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"about": about, "races": [{"race": r._asdict(), "result": x if isinstance(x, str) else x._asdict()}
                                             for r, x in results.items()]}, file, indent=1)


def load(path):
    with open(path, encoding="utf-8") as file:
        saved = json.load(file)
    return {race.Race(**one["race"]): one["result"] if isinstance(one["result"], str) else race.Result(**one["result"])
            for one in saved["races"]}, saved["about"]


def missing(arguments, program):
    return needs.missing_link(program) or needs.missing_tcp(arguments.tcp) or needs.missing_media()


def compete(arguments):
    """Results and what is said about them; ends the program when it cannot."""
    stop = workbench.Stop()
    program = workbench.build_weir()
    with tempfile.TemporaryDirectory(prefix="weir-kernel-tcp-") as folder:
        os.environ["GST_REGISTRY"] = os.path.join(folder, "registry.bin")
        reason = missing(arguments, program)
        if reason:
            print(f"kernel_tcp.py: SKIP: {reason}", file=sys.stderr)
            sys.exit(workbench.NOT_PERMITTED)
        unknown = [name for name in arguments.algorithms if name not in workbench.known_algorithms()]
        if unknown:
            print(f"kernel_tcp.py: no algorithm {unknown[0]}; there are: {', '.join(workbench.known_algorithms())}", file=sys.stderr)
            sys.exit(2)
        began, before = time.monotonic(), os.getloadavg()[0]
        results = run_all(all_races(arguments), arguments, program, stop)
        about = workbench.machine([before, os.getloadavg()[0]])
        about.update(day=time.strftime("%-d %B %Y"), jobs=arguments.jobs, measure_s=arguments.measure, took_s=round(time.monotonic() - began))
    if stop.asked.is_set():
        print("kernel_tcp.py: interrupted", file=sys.stderr)
        sys.exit(130)
    return results, about


def main():
    arguments = parse_arguments(sys.argv[1:])
    results, about = load(arguments.source) if arguments.source else compete(arguments)
    if arguments.json:
        save(arguments.json, results, about)
    if arguments.page:
        page.write(arguments.page, results, about)
    failed = [result for result in results.values() if isinstance(result, str)]
    print(page.closing(results, about))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
