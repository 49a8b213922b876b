# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs Weir and other senders through weir-link, alone, against each other and beside kernel TCP.

In real time, on the scenarios of scenarios/live/, measured at the link by one meter. Needs root,
and tools/setup race for the rivals; one that is missing is skipped by name. Runs that are in the
file of results are not repeated, so a race goes on after an interruption. A run on a machine that
was busy, or with a sender that was not alive, does not count: it is repeated, and named. Exit
status 1: runs are missing; 77: the machine lacks something."""
import argparse
import os
import subprocess
import sys
import tempfile
import time

from . import FETCHED, ROOT, plan, senders, store
import live_scenarios
import needs
import workbench

DEFAULT = ("sluice", "tfrc", "rtpgccbwe", "pion", "chromium")


def parse_arguments(words):
    parser = argparse.ArgumentParser(prog="tools/race", description=__doc__.split("\n\n")[0],
                                     epilog=__doc__.split("\n\n")[1])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO",
                        help=f"default: {', '.join(plan.ALL)}; by name alone: "
                             f"{', '.join(plan.BY_NAME)}")
    parser.add_argument("--senders", type=workbench.names, metavar="A,B", default=usual(),
                        help=f"of {', '.join(senders.MAKERS)} (default "
                             f"{','.join(usual())}); the first is compared with the others")
    parser.add_argument("--runs", type=int, default=3, metavar="N",
                        help="of each, 1 to 20 (default 3)")
    parser.add_argument("--no-pairs", action="store_true", help="nobody meets another sender")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="runs side by side, 1 to 8 (default 1); one with Chromium is several")
    parser.add_argument("--budget-minutes", type=float, metavar="M",
                        help="begin no run that would end later, 1 to 1440")
    parser.add_argument("--seconds", type=float, metavar="S",
                        help="length of each run, 20 to 600: a trial, which no page shows")
    parser.add_argument("--results", metavar="FILE", default=str(FETCHED / "results.jsonl"),
                        help="default build/race/results.jsonl")
    parser.add_argument("--page", metavar="FILE.md", help="write it, with pictures, of all results")
    parser.add_argument("--no-runs", action="store_true", help="with --page: make none")
    parser.add_argument("--dry-run", action="store_true",
                        help="only say what would be run, and how long it takes")
    parser.add_argument("--keep", metavar="DIR", help="keep the logs of each run in a folder there")
    arguments = parser.parse_args(words)
    for name in arguments.scenarios:
        if name not in plan.KNOWN:
            parser.error(f"no scenario '{name}'; there are: {', '.join(plan.KNOWN)}")
    for name in arguments.senders:
        if name not in senders.MAKERS:
            parser.error(f"no sender '{name}'; there are: {', '.join(senders.MAKERS)}")
    if not arguments.senders or len(set(arguments.senders)) < len(arguments.senders):
        parser.error("--senders wants each name once, and at least one")
    for option, value, least, most in (
            ("--runs", arguments.runs, 1, 20), ("--jobs", arguments.jobs, 1, 8),
            ("--seconds", arguments.seconds, 20, 600),
            ("--budget-minutes", arguments.budget_minutes, 1, 1440)):
        if value is not None and not least <= value <= most:
            parser.error(f"{option} {value:g} is out of range: {least} to {most}")
    if arguments.no_runs and not arguments.page:
        parser.error("--no-runs without --page does nothing")
    if arguments.page and not os.path.isdir(os.path.dirname(os.path.abspath(arguments.page))):
        parser.error(f"--page {arguments.page}: there is no such folder")
    return arguments


def usual():
    return [name for name in DEFAULT if name in senders.MAKERS]


def use_plugins():
    """Weir's, built if need be, and what tools/setup race has made. Returns weir-link."""
    program = workbench.build_weir()
    paths = [os.environ.get("GST_PLUGIN_PATH", ""), str(FETCHED / "plugins")]
    os.environ["GST_PLUGIN_PATH"] = ":".join(path for path in paths if path)
    return program


def find_missing(names):
    """{name: why it cannot run here}, which is said as well."""
    reasons = {name: senders.make(name).missing() for name in names}
    absent = {name: reason for name, reason in reasons.items() if reason}
    for name, reason in absent.items():
        print(f"tools/race: {name} is skipped: {reason}", file=sys.stderr)
    return absent


def weir_version():
    found = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--tags", "--dirty"],
                           capture_output=True, text=True, check=False)
    return found.stdout.strip() or (ROOT / "VERSION").read_text().strip()


def versions(names):
    return {"weir": weir_version(), **workbench.machine([]),
            **{name: senders.make(name).version() for name in names}}


def end(status, words):
    print(f"tools/race: {words}", file=sys.stderr)
    return status


def hold(arguments, names, stop):
    """Runs what is missing; its status."""
    import footage
    from . import pool
    cells = plan.tiers(names, arguments.scenarios, not arguments.no_pairs)
    wanted = plan.in_order(cells, arguments.runs)
    kept = store.Store(arguments.results)
    if arguments.dry_run:
        results = kept.results()
        wanted = [one for one in wanted if not pool.is_done(results, *one, arguments.seconds)]
        for cell, number in wanted:
            print(cell.scenario, "+".join(cell.senders), live_scenarios.FIRST_SEED + number)
        lengths = [(pool.cost(cell), pool.length_s(cell, arguments.seconds)) for cell, _ in wanted]
        print(f"{len(wanted)} runs, {plan.minutes(lengths, arguments.jobs):.0f} minutes")
        return 0
    source = footage.real(640, 360, 30)
    if not source:
        return end(workbench.NOT_PERMITTED, "the clip of tools/demo cannot be had")
    runs = pool.Pool(arguments, kept, stop, source, versions(names))
    complete = runs.run_all(wanted)
    if arguments.scenarios:
        print_rows([cell for tier in cells for cell in tier], kept.results(), arguments.runs)
    return 0 if complete else 1


def print_rows(cells, results, runs):
    """As docs/rivals.md has them."""
    from . import page
    found = page.group(results, plan.KNOWN)
    rows = [((cell.scenario, " then ".join(cell.senders)), found.get(cell, [])) for cell in cells]
    print("\n" + page.table(["scenario", "senders"], rows, runs))


def main(words):
    arguments = parse_arguments(words)
    with tempfile.TemporaryDirectory(prefix="weir-race-") as scratch:
        os.environ["GST_REGISTRY"] = os.path.join(scratch, "registry.bin")
        return race(arguments, workbench.Stop())


def race(arguments, stop):
    """The exit status."""
    began_s = time.monotonic()
    arguments.program = use_plugins()
    tcp = sorted({one.name for name in arguments.scenarios or plan.ALL
                  for one in plan.KNOWN[name].tcp})
    reason = needs.missing_link(arguments.program) or (needs.missing_tcp(tcp) if tcp else None)
    absent = {} if reason else find_missing(arguments.senders)
    names = [] if reason else [name for name in arguments.senders if name not in absent]
    if not names and not arguments.no_runs:
        return end(workbench.NOT_PERMITTED, f"SKIP: {reason or 'no sender can run here'}")
    arguments.ends_s = began_s + 60 * (arguments.budget_minutes or 1e6)
    try:
        status = 0 if arguments.no_runs else hold(arguments, names, stop)
        if arguments.page and not arguments.dry_run:
            from . import page
            results = store.Store(arguments.results).results()
            page.write(arguments.page, results, arguments.senders, arguments.runs, absent)
    except store.StoreError as error:
        return end(2, str(error))
    return end(130, "interrupted") if stop.asked.is_set() else status
