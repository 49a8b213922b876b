# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sweep too large for one file or for memory: its rows go to Parquet files of RUNS_PER_PART runs each. A part is
written when all its runs have ended, or with those that have when the sweep is ended; the next run does what is missing."""
import collections
import hashlib
import itertools
import json
import math
import os
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from reproduce.lab import LabError

from . import pools, spec, table, worker
from .store import key_of, write

VERSION = b"1"  # of the schema: names, types and what the metadata say
RUNS_PER_PART = 1000
TEXTS = ("scenario", "algorithm", "key", "flow", "group", "flow_algorithm", "feedback", "link")
FIRST = ("number", "scenario", "algorithm", "seed", "key", "flow", "group", "tested", "flow_algorithm")
NAMED = 100  # conditions with refused or failed runs that the summary names


def arrow():
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise pools.Unavailable(f"--parquet needs pyarrow: pip install pyarrow ({error})") from None
    return pyarrow


@dataclass(eq=False)
class Part:
    path: str
    identity: str
    runs: dict                  # number in the sweep's run: (point, seed)
    missing: set = field(default_factory=set)
    left: int = 0               # runs that have not ended, well or badly
    rows: list = field(default_factory=list)


def count(run, listed):
    """How many runs there are in one of the sweep's."""
    algorithms = listed["algorithms"] if run["algorithms"] == "all" else run["algorithms"]
    values = (*run["set"].values(), *run["params"].values())
    return len(algorithms) * len(run["seeds"]) * math.prod(len(one) for one in values)


def part_path(folder, name, number):
    return os.path.join(folder, "run=" + urllib.parse.quote(name, safe=""), f"part-{number:05}.parquet")


def kind_of(arrow_of, name, values):
    """One type for a name in all parts, whatever their values happen to be."""
    if name in ("number", "seed"):
        return arrow_of.int64()
    known = [value for value in values if value is not None]
    if name in TEXTS or any(not isinstance(value, (bool, int, float)) for value in known):
        return arrow_of.string()
    is_switch = name == "tested" or (known and all(isinstance(value, bool) for value in known))
    return arrow_of.bool_() if is_switch else arrow_of.float64()


def cell(kind, value):
    if value is None or kind in ("bool", "int64"):
        return value
    if kind == "double":
        return float(value)
    return value if isinstance(value, str) else json.dumps(value)


class Table:
    """The files of a sweep. `lab`: whose results they are."""

    def __init__(self, folder, sweep, lab, version):
        self.arrow, self.folder, self.sweep, self.lab, self.version = arrow(), folder, sweep, lab, version
        self.build = worker.identity(lab.program)
        self.kinds = {}  # of settings: a list of values has one type, in whatever part they are
        for run in sweep["runs"]:
            for prefix, axes in (("set:", run["set"]), ("param:", run["params"])):
                for name, values in axes.items():
                    self.kinds[prefix + name] = self.kinds.get(prefix + name, []) + values
        self.kinds = {name: kind_of(self.arrow, name, values) for name, values in self.kinds.items()}
        self.total = sum(count(run, lab.listed) for run in sweep["runs"])
        self.done = 0
        self.open = set()  # parts of which runs are under way
        self.bad = {"refused": {}, "failed": {}}

    def check(self):
        """Before anything is simulated: a run that the lab refuses wholly, files of others, a folder that is not
        for writing."""
        known = set()
        for run in self.sweep["runs"]:
            if run["series"]:
                raise spec.Malformed(f"runs.{run['name']}.series = true: --parquet keeps no time series")
            why = None
            for point in spec.points_of(run, self.lab.listed):
                why = self.why_refused(point)
                if why is None:
                    break
            if why is not None:
                raise spec.Malformed(f"runs.{run['name']}: {why}")
            n_parts = -(-count(run, self.lab.listed) // RUNS_PER_PART)
            known.update(part_path(self.folder, run["name"], number) for number in range(n_parts))
            os.makedirs(os.path.dirname(part_path(self.folder, run["name"], 0)), exist_ok=True)
        for folder, _, names in os.walk(self.folder):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if path not in known and name.endswith(".parquet"):
                    self.refuse(path, "is no part of this sweep")
        trial = os.path.join(self.folder, "trial")
        write(trial, b"")
        os.remove(trial)
        self.done = sum(len(part.runs) - len(part.missing) for part in self.parts())

    def why_refused(self, point):
        try:
            self.shown(point, point.seeds[0])
        except LabError as error:
            return str(error)
        return None

    def refuse(self, path, why):
        raise spec.Malformed(f"{path} {why}: choose another --out, or move {self.folder} away")

    def shown(self, point, seed):
        """The text of one run; the lab keeps what it was asked for, and a million of them are not for memory."""
        from .main import request_of
        text = self.lab.scenario(request_of(point), seed)
        self.lab.resolved.clear()
        return text

    def parts(self):
        """One after the other, with what they have already."""
        for run in self.sweep["runs"]:
            numbered = enumerate((point, seed) for point in spec.points_of(run, self.lab.listed) for seed in point.seeds)
            for number in itertools.count():
                runs = dict(itertools.islice(numbered, RUNS_PER_PART))
                if not runs:
                    break
                part = Part(part_path(self.folder, run["name"], number), self.identity(runs), runs)
                self.resume(part)
                yield part

    def identity(self, runs):
        """Of what a part depends on: its conditions and seeds, the scenario, the build. The scenario is that of its
        first run, resolved: to resolve them all is half of the work."""
        point, seed = next(iter(runs.values()))
        why = self.why_refused(point)
        known = [self.build, why or self.shown(point, seed), point.duration_s,
                 [[table.condition(point), seed] for point, seed in runs.values()]]
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()

    def resume(self, part):
        """What a file of an earlier run has."""
        part.missing = set(part.runs)
        if os.path.exists(part.path):
            try:
                read = self.arrow.parquet.read_schema(part.path).metadata or {}
            except self.arrow.ArrowInvalid as error:
                self.refuse(part.path, f"is no Parquet file ({error})")
            if read.get(b"weir.table") != VERSION:
                has = read.get(b"weir.table", b"none").decode(errors="replace")
                self.refuse(part.path, f"has version {has} of weir-sweep's table, and this writes {VERSION.decode()}")
            if read.get(b"weir.part") != part.identity.encode():
                self.refuse(part.path, f"is of another sweep or build (weir-lab {read[b'weir.version'].decode()})")
            part.missing = set(json.loads(read[b"weir.missing"]))
            if part.missing:
                part.rows = self.arrow.parquet.read_table(part.path, partitioning=None).to_pylist()
        part.left = len(part.missing)

    def write(self, part):
        part.rows.sort(key=lambda row: row["number"])
        names = {name for row in part.rows for name in row} - {"run"}
        order = [*(name for name in FIRST if name in names), *(name for name in self.kinds if name in names)]
        columns, fields = [], []
        for name in order + sorted(names.difference(order)):
            values = [row.get(name) for row in part.rows]
            kind = self.kinds.get(name) or kind_of(self.arrow, name, values)
            columns.append(self.arrow.array([cell(str(kind), value) for value in values], kind))
            fields.append(self.arrow.field(name, kind))
        about = {"weir.table": VERSION, "weir.version": self.version, "weir.part": part.identity,
                 "weir.missing": json.dumps(sorted(part.missing))}
        sink = self.arrow.BufferOutputStream()
        self.arrow.parquet.write_table(self.arrow.table(columns, self.arrow.schema(fields, about)), sink,
                                       compression="zstd")
        write(part.path, sink.getvalue())
        part.rows = []

    def tasks(self):
        """What is missing, resolved."""
        def resolved(place):
            part, number = place
            point, seed = part.runs[number]
            try:
                task = {"scenario": self.shown(point, seed), "seed": seed, "series": False}
            except LabError as error:
                return {"place": place}, {"refused": str(error)}
            return {**task, "key": key_of(task, self.build), "place": place}, None

        missing = ((part, number) for part in self.parts() for number in sorted(part.missing))
        for task, refused in ahead(resolved, missing, os.cpu_count() or 1):
            self.open.add(task["place"][0])
            if refused:
                self.ended(task, refused)
            else:
                yield task

    def ended(self, task, outcome):
        part, number = task["place"]
        point, seed = part.runs[number]
        for kind in self.bad.keys() & outcome.keys():
            if len(self.bad[kind]) < NAMED:
                self.bad[kind].setdefault(point, {**table.condition(point), "seed": seed, "why": outcome[kind]})
        if "result" in outcome:
            part.rows += [{**row, "number": number} for row in table.rows(point, seed, task["key"], outcome["result"])]
        if "failed" not in outcome:
            part.missing.remove(number)
            self.done += 1
        part.left -= 1
        if part.left == 0:
            self.close(part)

    def close(self, part=None):
        """Writes a part; without one, all that are under way."""
        for one in [part] if part else list(self.open):
            self.write(one)
            self.open.remove(one)


def ahead(function, items, n_threads):
    """function(item) of each, in order, a few computed before they are asked for."""
    with ThreadPoolExecutor(n_threads) as executor:
        waiting = collections.deque()
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) > 4 * n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
