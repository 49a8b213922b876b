# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-reproduce: runs targets, prints a row per check, draws the figures, writes the pages."""
import argparse
import contextlib
import fnmatch
import json
import os
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from types import MappingProxyType

from sweep.store import write_json
from weir_version import version_line

from . import conclusions, figures, findings, ns2, report, sensitivity, twins
from .binding import Binder, binding_of, merge
from .expression import Malformed
from .judge import Target, runs_of, seeds_of
from .lab import Lab, LabError, Request, find_program, source_root

HERE = os.path.dirname(os.path.abspath(__file__))


class Wrong(Exception):
    """What was asked for or what the data files say cannot be done: one line, exit 2."""


def read_json(path, missing=None):
    """`missing`: what stands for a file that is not there."""
    if missing is not None and not os.path.exists(path):
        return missing
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Wrong(f"{path}: {error}") from None


def read_targets(path):
    data = read_json(path)
    try:
        for target in data["targets"]:
            for name in ("id", "paper", "ref", "repro", "title", "algorithms", "stated"):
                target[name]
            for check in target["checks"]:
                check["text"], check["expr"]
            if target["paper"] not in data["papers"]:
                raise Wrong(f"{path}: {target['id']}: unknown paper {target['paper']}")
    except (KeyError, TypeError) as error:
        raise Wrong(f"{path}: malformed: {error} is missing or no list") from None
    return data


def choose(targets, globs):
    chosen = []
    for glob in globs:
        found = [target for target in targets if fnmatch.fnmatchcase(target["id"], glob)]
        if not found:
            papers = ", ".join(dict.fromkeys(target["paper"] + ".*" for target in targets))
            raise Wrong(f"no target matches {glob!r} (there are {papers})")
        chosen += found
    return [target for target in targets if not globs or target in chosen]


class Pool:
    """Runs each distinct simulation once, in the order in which it was asked for, several at a time. `lab` resolves
    the scenarios, `simulator` runs them."""

    def __init__(self, lab, jobs, simulator=None):
        self.lab = lab
        self.simulator = simulator or lab
        self.executor = ThreadPoolExecutor(jobs)
        self.futures = {}
        self.users = {}
        self.lock = threading.Lock()

    def ask_all(self, wanted):
        """The keys of the runs that each of `wanted` ({request: seeds}) needs."""
        resolved = resolve_all(self.lab, wanted, self.executor)
        return [[self.ask(request, seed) for request, seeds in runs.items() for seed in seeds]
                for runs in with_series(resolved, self.lab)]

    def ask(self, request, seed):
        key = self.lab.scenario(request, seed), seed
        with self.lock:
            self.users[key] = self.users.get(key, 0) + 1
            if key not in self.futures:
                self.futures[key] = self.executor.submit(self.simulator.run, request, seed)
        return key

    def get(self, request, seed):
        future = self.futures.get((self.lab.scenario(request, seed), seed))
        return future.result() if isinstance(future, Future) else self.simulator.run(request, seed)

    def release(self, keys):
        """What no later target needs is forgotten."""
        for key in keys:
            self.users[key] -= 1
            if not self.users[key]:
                self.futures.pop(key, None)

    def close(self):
        self.executor.shutdown(wait=False, cancel_futures=True)


def wanted_runs(target, with_figure):
    """{request: seeds}."""
    wanted = {request: target.seeds for text in target.all_expressions() for request in target.requests(text)}
    if with_figure and "figure" in target.binding:
        for request, seeds in figures.requests_of(target, target.binding["figure"]):
            if len(seeds) > len(wanted.get(request, ())):
                wanted[request] = seeds
    return wanted


def with_series(wanted, lab):
    """A simulation that two targets share records what both of them need."""
    needs = {}
    for request in (request for runs in wanted for request in runs if request.series):
        needs.setdefault(lab.scenario(request), set()).update(request.variables)

    def one(request):
        variables = needs.get(lab.scenario(request))
        return Request(**{**vars(request), "series": variables is not None,
                          "variables": tuple(sorted(variables or ()))})

    return [{one(request): seeds for request, seeds in runs.items()} for runs in wanted]


def resolve_all(lab, wanted, executor):
    """weir-lab show for each distinct request and its seeds, several at a time. What does not resolve is left
    out: its checks say why."""
    seeds = {}
    for runs in wanted:
        for request, own in runs.items():
            seeds.setdefault(request, set()).update(own)

    def resolves(request):
        try:
            return all(lab.show(request, seed) for seed in seeds[request])
        except LabError:
            return False

    distinct = list(seeds)
    good = {request for request, ok in zip(distinct, executor.map(resolves, distinct)) if ok}
    return [{request: seeds for request, seeds in runs.items() if request in good} for runs in wanted]


def judge(target, folder, quick):
    spec = target.spec
    out = {"id": spec["id"], "paper": spec["paper"], "title": spec["title"], "ref": spec["ref"],
           "repro": spec["repro"],
           "checks": [target.check(check).as_json() for check in spec["checks"]],
           "stated": [row.as_json() for stated in spec["stated"] for row in target.stated(stated)]}
    if quick:
        out["quick"] = True
    if runs_of(spec) > 1:
        out["runs"] = runs_of(spec)
    if "kind" in spec:
        out["kind"] = spec["kind"]
    if "note" in target.binding:
        out["note"] = target.binding["note"]
    if folder and "figure" in target.binding:
        path = os.path.join(folder, spec["id"] + ".png")
        if figures.draw(target, target.binding["figure"], path):
            out["figure"] = os.path.basename(path)
    return out


def arguments(argv):
    parser = argparse.ArgumentParser(prog="weir-reproduce", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--version", action="version", version=version_line("weir-reproduce"))
    parser.add_argument("ids", nargs="*", metavar="ID-GLOB",
                        help="targets, for example 'simd.*'; all without any; with --ns2 ID#N too, its Nth claim")
    parser.add_argument("--quick", action="store_true",
                        help="one seed, shorter runs, fewer points; into build/reproduce/quick")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="simulations at a time")
    parser.add_argument("--json", metavar="FILE", help="the results; - is stdout, without the table")
    parser.add_argument("--out", metavar="DIR", help="pages and figures; default docs/reproduction")
    parser.add_argument("--no-cache", action="store_true", help="simulate again what is known already")
    parser.add_argument("--no-figures", action="store_true", help="do not draw")
    parser.add_argument("--list", action="store_true", help="print the targets and end")
    parser.add_argument("--sensitivity", action="append", metavar="ID",
                        help="instead: what alternatives give for what the papers leave open; all of them: '*'")
    parser.add_argument("--ns2", action="store_true",
                        help="instead: the claims of the targets in ns-2 beside those known, as far as it can run them")
    parser.add_argument("--seeds", type=int, metavar="N", help="with --ns2: so many there, instead of weir-lab's")
    parser.add_argument("--lab", metavar="PROGRAM", help="the weir-lab to use")
    parser.add_argument("--targets", default=os.path.join(HERE, "targets.json"), metavar="FILE",
                        help=argparse.SUPPRESS)
    parser.add_argument("--bindings", default=os.path.join(HERE, "bindings.json"), metavar="FILE",
                        help=argparse.SUPPRESS)
    parser.add_argument("--findings", default=os.path.join(HERE, "findings.json"), metavar="FILE",
                        help=argparse.SUPPRESS)
    parser.add_argument("--scenarios", metavar="DIR", help=argparse.SUPPRESS)
    parser.add_argument("--cache", metavar="DIR",
                        help="results of earlier runs; default build/reproduce/cache")
    options = parser.parse_args(argv)
    if options.jobs < 1:
        parser.error("--jobs: at least 1")
    if options.seeds is not None and (options.seeds < 1 or not options.ns2):
        parser.error("--seeds: at least 1, and only with --ns2")
    return options


def places(options):
    """(folder of the pages, folder of the cache, folder of the scenarios or None)."""
    root = source_root()
    base = root or os.getcwd()
    out = options.out or os.path.join(base, "build/reproduce/quick" if options.quick else "docs/reproduction")
    scenarios = options.scenarios or (os.path.join(root, "scenarios") if root else None)
    if scenarios is None:
        scenarios = os.path.join(os.path.dirname(HERE), "scenarios")
    own = os.path.join(root, "build") if root else \
        os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "weir")
    cache = None if options.no_cache else options.cache or os.path.join(own, "reproduce", "cache")
    return out, cache, scenarios


class Reproduction:
    """What the options choose: the targets and all that is known of them, the lab, the folders."""

    def __init__(self, options):
        self.options = options
        self.data = read_targets(options.targets)
        self.specs = choose(self.data["targets"], [name.partition("#")[0] for name in options.ids])
        self.out, self.cache, scenarios = places(options)
        self.bindings = read_json(options.bindings)
        self.bindings["scenarios"] = {name[:-5] for name in os.listdir(scenarios) if name.endswith(".json")}
        self.profiles = read_json(os.path.join(scenarios, "profiles", "papers.json"))
        for folder in filter(None, (self.out, self.cache)):
            os.makedirs(folder, exist_ok=True)
        self.lab = Lab(find_program(options.lab, source_root()), scenarios, self.cache)

    def pool(self, simulator=None):
        return contextlib.closing(Pool(self.lab, self.options.jobs, simulator))

    def target(self, spec, pool, change=MappingProxyType({}), kind=Target, n_results=None):
        """`change`: of its binding. `n_results`: the first ones, instead of all seeds."""
        binding = merge(binding_of(self.bindings, spec), change)
        binder = Binder(binding, self.profiles, self.lab.available, self.options.quick)
        seeds = seeds_of(spec, binding, self.options.quick)
        return kind(spec, binding, binder, self.lab, seeds[:n_results and n_results * runs_of(spec)], pool.get)

    def path(self, name):
        return os.path.join(self.out, name)

    def stored_sensitivities(self):
        """Their rows as they were run, with the words of today."""
        entries = {entry["id"]: entry for entry in read_json(os.path.join(HERE, "sensitivity.json"))}
        return [{**result, "question": entries[result["id"]]["question"],
                 "settled": entries[result["id"]].get("settled", {})}
                for result in read_json(self.path("sensitivity.json"), []) if result["id"] in entries]

    def conclude_and_write(self, result):
        """results.json and the pages, from the results of all targets and what else is known of their claims."""
        sensitivities, twins_of = self.stored_sensitivities(), read_json(self.path("ns2.json"), [])
        targets = result["targets"]
        conclusions.conclude(targets, sensitivities, twins_of)
        write_json(self.path("results.json"),
                   {**result, "summary": report.summary(targets, result["summary"]["wall_s"])})
        report.write_pages(self.out, targets, self.data["papers"], read_json(self.options.findings), sensitivities,
                           twins_of)

    def report_sensitivity(self):
        """Runs what is asked for, prints the tables, keeps them for the pages."""
        entries = read_json(os.path.join(HERE, "sensitivity.json"))
        chosen = [entry for entry in entries
                  if any(fnmatch.fnmatchcase(entry["id"], glob) for glob in self.options.sensitivity)]
        if not chosen:
            raise Wrong(f"no sensitivity {self.options.sensitivity[0]!r}; there are: "
                        f"{', '.join(entry['id'] for entry in entries)}")
        specs = {spec["id"]: spec for spec in self.data["targets"]}
        results = {result["id"]: result for result in self.stored_sensitivities()}
        with self.pool() as pool:
            for entry in chosen:
                planned = sensitivity.plan(entry, specs, lambda spec, change: self.target(spec, pool, change))
                pool.ask_all([{request: target.seeds for request in target.requests(expr)}
                              for _, _, target, expr, _ in planned])
                results[entry["id"]] = sensitivity.judge(entry, planned)
                print("\n".join(["", entry["id"], entry["question"], *sensitivity.table(results[entry["id"]])]),
                      flush=True)
        write_json(self.path("sensitivity.json"), [results[entry["id"]] for entry in entries if entry["id"] in results])
        if os.path.exists(self.path("results.json")):
            self.conclude_and_write(read_json(self.path("results.json")))
        return 0

    def asked(self, spec):
        """The target with the claims that are asked for: each with its number, and of ID#N the Nth alone."""
        asked = [name.partition("#") for name in self.options.ids]
        numbers = [number for glob, _, number in asked if fnmatch.fnmatchcase(spec["id"], glob)]
        checks = [{**check, "number": i} for i, check in enumerate(spec["checks"], 1)]
        whole = not numbers or "" in numbers
        return {**spec, "checks": [one for one in checks if whole or str(one["number"]) in numbers]}

    def report_twins(self):
        """The claims of the chosen targets in ns-2 too, as far as it can run them: kept for the pages, and printed."""
        result = read_json(self.path("results.json"), {})
        if not result:
            raise Wrong(f"{self.path('results.json')}: there is none; run weir-reproduce without --ns2 first")
        rows = {target["id"]: [conclusions.cell_of(row) for row in target["checks"]] for target in result["targets"]}
        found = {twin["id"]: twin for twin in read_json(self.path("ns2.json"), [])}
        specs = [self.asked(spec) for spec in self.specs if spec["id"] in rows]
        bins = any("cov(" in check["expr"] for spec in specs for check in spec["checks"])
        simulators = {"weir": None, **{name: ns2.Ns2(self.lab, self.cache, commands, bins)
                                       for name, commands in ns2.SETTINGS.items()}}
        with contextlib.ExitStack() as stack:
            pools = {name: stack.enter_context(self.pool(one)) for name, one in simulators.items()}
            for spec in specs:
                sides = {name: self.target(spec, pool, kind=twins.Twin,
                                           n_results=None if name == "weir" else self.options.seeds)
                         for name, pool in pools.items()}
                wanted = sides["weir"].wanted()
                if wanted:
                    for name, pool in pools.items():
                        pool.ask_all([{request: sides[name].seeds for request in wanted}])
                    found[spec["id"]] = twins.Sides(sides.pop("weir"), sides).result(spec, rows[spec["id"]])
                    print("\n".join([spec["id"], *twins.page(found[spec["id"]])]), flush=True)
                else:
                    print(f"{spec['id']}: nothing that ns-2 has", flush=True)
                in_order = [found[one["id"]] for one in self.data["targets"] if one["id"] in found]
                write_json(self.path("ns2.json"), in_order)
        self.conclude_and_write(result)
        return 0

    def results(self, say):
        """The results, in order, each as soon as its runs are there."""
        folder = None if self.options.no_figures else self.out
        with self.pool() as pool:
            targets = [self.target(spec, pool) for spec in self.specs]
            keys = pool.ask_all([wanted_runs(target, folder is not None) for target in targets])
            for target, used in zip(targets, keys):
                result = judge(target, folder, self.options.quick)
                pool.release(used)
                target.memory.clear()
                for row in result["checks"] + result["stated"]:
                    say(report.table_row(result["id"], row))
                yield result

    def report_targets(self):
        begin, results, status = time.monotonic(), [], 0
        say = (lambda text: None) if self.options.json == "-" else (lambda text: print(text, flush=True))
        try:
            for result in self.results(say):
                results.append(result)
        except KeyboardInterrupt:
            status = 130
        self.write_results(results, time.monotonic() - begin, status, say)
        return status

    def write_results(self, results, wall_s, status, say):
        options = self.options
        conclusions.conclude(results, self.stored_sensitivities(), read_json(self.path("ns2.json"), []))
        result = {"summary": report.summary(results, wall_s), "complete": status == 0, "quick": options.quick,
                  "targets": results}
        if options.json == "-":
            print(json.dumps(result, indent=1, ensure_ascii=False))
        elif options.json:
            write_json(options.json, result)
        if results:
            before = read_json(self.path("results.json"), {})
            all_targets = report.merged(before, result, [target["id"] for target in self.data["targets"]])
            self.conclude_and_write({**result, "targets": all_targets})
            if not options.quick:
                for complaint in findings.complaints(all_targets, read_json(options.findings)):
                    print(f"weir-reproduce: {complaint}", file=sys.stderr)
        total, stated = result["summary"], result["summary"]["stated"]
        say(f"{total['pass']} PASS, {total['fail']} FAIL, {total['open']} OPEN of the claims; "
            f"{stated['pass']} PASS, {stated['fail']} FAIL, {stated['open']} OPEN of the stated numbers; "
            f"{wall_s:.0f} s; {self.out}")


def reproduce(options):
    if options.list:
        for spec in choose(read_targets(options.targets)["targets"], options.ids):
            print(f"{spec['id']:<14} {spec['repro']:<12} {spec['title']}")
        return 0
    reproduction = Reproduction(options)
    if options.sensitivity:
        return reproduction.report_sensitivity()
    return reproduction.report_twins() if options.ns2 else reproduction.report_targets()


def main(argv=None):
    try:
        return reproduce(arguments(argv))
    except (Wrong, Malformed, LabError) as error:
        print(f"weir-reproduce: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
