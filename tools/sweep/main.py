# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-sweep: many runs of weir-lab, here or on a cluster; one table and one summary of them."""
import argparse
import contextlib
import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from reproduce.lab import Lab, LabError, Request, find_program, source_root
from weir_version import version_line

from . import parquet, pools, spec, table, worker
from .store import Store, key_of, write_json

PROGRESS_S = 1.0


def find_lab(given):
    """It finds installed scenarios, and those of WEIR_SCENARIOS, by itself."""
    return Lab(find_program(given, source_root()))


def option_text(name, value):
    return f"{name}={value if isinstance(value, str) else json.dumps(value)}"


def request_of(point):
    return Request(point.scenario, point.algorithm, tuple(option_text(*setting) for setting in point.settings),
                   tuple(option_text(*param) for param in point.params), point.duration_s)


class Plan:
    """The runs of a sweep: which there are, which are known already, which the lab refuses."""

    def __init__(self, lab, store, points):
        identity = worker.identity(lab.program)
        self.points, self.refused, self.tasks, self.order = points, {}, [], []
        with ThreadPoolExecutor(os.cpu_count() or 1) as executor:
            shown = list(executor.map(lambda point: self.show(lab, point), points))
        self.check(shown)
        for point, texts in zip(points, shown):
            for seed, text in zip(point.seeds, texts):
                task = {"scenario": text, "seed": seed, "series": point.series}
                task["key"] = key_of(task, identity)
                self.order.append((point, seed, task["key"]))
                self.tasks.append(task)
        self.tasks = self.distinct(task for task in self.tasks if not store.has(task["key"], task["series"]))

    def show(self, lab, point):
        """A text per seed: start times and delays are drawn with it. Empty when the lab refuses the point."""
        try:
            return [lab.scenario(request_of(point), seed) for seed in point.seeds]
        except LabError as error:
            self.refused[point] = str(error)
            return []

    def check(self, shown):
        """A run of which every point is refused is wrong; one that some algorithms cannot do is not."""
        for name in dict.fromkeys(point.run for point in self.points):
            own = [point for point in self.points if point.run == name]
            if all(point in self.refused for point in own):
                raise spec.Malformed(f"runs.{name}: {self.refused[own[0]]}")

    @staticmethod
    def distinct(tasks):
        """One of those with the same key, with series when one of them wants series."""
        out = {}
        for task in tasks:
            if task["key"] not in out or task["series"]:
                out[task["key"]] = task
        return list(out.values())


class Progress:
    """One line per second on a terminal."""

    def __init__(self, total, wanted):
        self.total, self.wanted, self.done, self.said_s = total, wanted, 0, time.monotonic()

    def step(self):
        self.done += 1
        if self.wanted and time.monotonic() - self.said_s >= PROGRESS_S:
            self.said_s = time.monotonic()
            print(f"weir-sweep: {self.done} of {self.total} runs", file=sys.stderr, flush=True)


def interrupted(_number, _frame):
    raise KeyboardInterrupt


def execute(tasks, pool, keep, progress):
    """keep(task, outcome) of each as it comes. What ended it early: KeyboardInterrupt, pools.Lost, or nothing."""
    try:
        with contextlib.closing(pool(tasks)) as ended:
            for task, outcome in ended:
                progress.step()
                keep(task, outcome)
    except (KeyboardInterrupt, pools.Lost) as error:
        return error
    return None


def collected(plan, store):
    """Rows of all runs that have ended, in the order of the sweep."""
    out = []
    for point, seed, key in plan.order:
        if store.has(key, False):
            out += table.rows(point, seed, key, store.load(key))
    return out


def troubles(plan, bad):
    """One entry per point, with the first reason."""
    out = {"refused": [{**table.condition(point), "why": why} for point, why in plan.refused.items()], "failed": []}
    for kind in bad:
        seen = set()
        for point, seed, key in plan.order:
            if key in bad[kind] and point not in seen:
                seen.add(point)
                out[kind].append({**table.condition(point), "seed": seed, "why": bad[kind][key]})
    return out


def write(folder, known, plan, store, bad, complete):
    """`known`: of about()."""
    rows = collected(plan, store)
    table.write_csv(os.path.join(folder, "flows.csv"), rows)
    summary = {**known, "complete": complete, "runs": len(plan.order),
               "done": sum(store.has(key, False) for _, _, key in plan.order), **troubles(plan, bad), "conditions": table.summarized(rows)}
    write_json(os.path.join(folder, "summary.json"), summary)
    return summary


def about(sweep, name, lab):
    return {"sweep": name, "description": sweep["description"], "version": worker.version(lab.program),
            "live": lab.listed["live"]}


def run_sweep(sweep, name, folder, lab, pool, progress=False):
    """(summary, how many of its runs were not known before). `pool` is a function of tasks, as in pools.py."""
    os.makedirs(folder, exist_ok=True)
    store, bad = Store(folder), {"failed": {}, "refused": {}}
    plan = Plan(lab, store, spec.points(sweep, lab.listed))

    def keep(task, outcome):
        for kind in bad.keys() & outcome.keys():
            bad[kind][task["key"]] = outcome[kind]
        if "result" in outcome:
            store.save(task["key"], outcome)

    early = execute(plan.tasks, pool, keep, Progress(len(plan.tasks), progress))
    summary = write(folder, about(sweep, name, lab), plan, store, bad, early is None)
    if isinstance(early, pools.Lost):
        raise early
    return summary, len(plan.tasks)


def run_large(sweep, name, folder, lab, pool, progress=False):
    """The same with Parquet files, in parts, for what is too much for memory."""
    known = about(sweep, name, lab)
    rows = parquet.Table(os.path.join(folder, "flows"), sweep, lab, known["version"])
    rows.check()
    new = rows.total - rows.done
    try:
        early = execute(rows.tasks(), pool, rows.ended, Progress(new, progress))
    finally:
        rows.close()
    summary = {**known, "complete": early is None, "runs": rows.total, "done": rows.done,
               **{kind: list(found.values()) for kind, found in rows.bad.items()}}
    write_json(os.path.join(folder, "summary.json"), summary)
    if isinstance(early, pools.Lost):
        raise early
    return summary, new


def report(summary, new, folder, tables="flows.csv"):
    for kind in ("refused", "failed"):
        for entry in summary[kind]:
            print(f"weir-sweep: {kind}: {entry['run']}, {entry['algorithm']}: {entry['why']}", file=sys.stderr)
    print(f"{summary['done']} of {summary['runs']} runs ({new} of them not known before), "
          f"{len(summary['refused'])} conditions refused, {len(summary['failed'])} failed; "
          f"{folder}/{tables}, {folder}/summary.json")


def arguments(argv):
    parser = argparse.ArgumentParser(prog="weir-sweep", description=__doc__.split(": ", 1)[1])
    parser.add_argument("--version", action="version", version=version_line("weir-sweep"))
    parser.add_argument("sweep", metavar="SWEEP.json", help="what to run (docs/sweep.md)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="runs at a time here; jobs on a Slurm cluster")
    parser.add_argument("--out", metavar="DIR", help="results; default sweep-NAME, of the file's name")
    parser.add_argument("--cluster", metavar="WHERE", help="tcp://ADDRESS of a Dask scheduler, ssh:HOST,HOST or slurm")
    parser.add_argument("--parquet", action="store_true", help="results as Parquet files, for very large sweeps")
    parser.add_argument("--quick", action="store_true", help="one seed, first and last value of each list")
    parser.add_argument("--lab", metavar="PROGRAM", help="the weir-lab to use")
    options = parser.parse_args(argv)
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: at least 1")
    return options


def sweep_of(options):
    sweep = spec.read_file(options.sweep)
    if options.quick:
        sweep = spec.shortened(sweep)
    name = os.path.basename(options.sweep).removesuffix(".json")
    lab = find_lab(options.lab)

    def pool(tasks):
        if options.cluster:
            return pools.cluster(options.cluster, lab.program, tasks, options.jobs)
        return pools.local(lab.program, tasks, options.jobs)

    folder = options.out or f"sweep-{name}"
    execution, tables = (run_large, "flows/") if options.parquet else (run_sweep, "flows.csv")
    summary, new = execution(sweep, name, folder, lab, pool, sys.stderr.isatty())
    report(summary, new, folder, tables)
    return 130 if not summary["complete"] else 1 if summary["failed"] else 0


def error_text(error):
    return f"{error.filename}: {error.strerror}" if getattr(error, "filename", None) else str(error)


def main(argv=None):
    signal.signal(signal.SIGTERM, interrupted)
    try:
        return sweep_of(arguments(argv))
    except (spec.Malformed, LabError, pools.Unavailable) as error:
        print(f"weir-sweep: {error}", file=sys.stderr)
        return 2
    except (pools.Lost, OSError) as error:
        print(f"weir-sweep: {error_text(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
