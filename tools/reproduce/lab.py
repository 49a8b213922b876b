# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-lab, as the reproduction uses it: what exists, what a scenario resolves to, and runs, with a cache."""
import io
import json
import math
import os
import shutil
import subprocess
from dataclasses import dataclass

from sweep.store import Store, key_of
from sweep.worker import SERIES, identity, simulate


class LabError(Exception):
    """One line for the user."""


@dataclass(frozen=True)
class Request:
    """What is to be simulated, but for the seed."""
    scenario: str
    algorithm: str = ""      # a profile or an algorithm, of the tested flows
    sets: tuple = ()         # "PATH=VALUE"
    params: tuple = ()       # "K=V"
    duration_s: float = 0    # 0 = the scenario's
    series: bool = False     # flows.csv and links.csv too
    variables: tuple = ()    # of the algorithms, as columns of flows.csv

    def arguments(self):
        out = [self.scenario]
        if self.algorithm:
            out += ["--algorithm", self.algorithm]
        for text in self.sets:
            out += ["--set", text]
        for text in self.params:
            out += ["--param", text]
        if self.duration_s:
            out += ["--duration", repr(self.duration_s)]
        return out


class Series:
    """A CSV of the lab as arrays [bin, thing]: series["sent_bytes"][:, series.index("tcp")]."""

    def __init__(self, time_s, names, columns):
        self.time_s = time_s
        self.names = list(names)
        self.columns = columns

    def __getitem__(self, column):
        return self.columns[column]

    def pick(self, column, names):
        """One column of some of the things: [bin, len(names)]."""
        return self.columns[column][:, [self.names.index(name) for name in names]]

    def bin_s(self):
        return float(self.time_s[0]) if len(self.time_s) else 0.0

    def within(self, t):
        """Which bins are from t[0] to t[1], or from 0 to t."""
        first, last = t if isinstance(t, (tuple, list)) else (0, t)
        return (self.time_s > first + self.bin_s() / 2) & (self.time_s < last + self.bin_s() / 2)


NEEDED = {"flow": ["sent_bytes", "received_bytes", "goodput_bytes", "sent_packets", "lost_packets",
                   "allowed_bps", "window_packets", "rtt_ms"],
          "link": ["offered_packets", "dropped_packets", "lost_packets", "queue_packets"]}


def read_series(source, thing, variables=()):
    """source: the path of a CSV, or an open text."""
    import pandas  # takes half a second to load, and few runs have series
    table = pandas.read_csv(source, usecols=["time_s", thing, *NEEDED[thing], *variables])
    names = list(dict.fromkeys(table[thing]))
    width = max(1, len(names))
    where = source if isinstance(source, str) else thing + "s.csv"
    if len(table) % width != 0 or (table[thing].to_numpy().reshape(-1, width) != names).any():
        raise LabError(f"{where}: not one row per bin and {thing}")
    columns = {name: table[name].to_numpy(dtype=float).reshape(-1, width)
               for name in table.columns if name != thing}
    time_s = columns.pop("time_s")
    if (time_s != time_s[:, :1]).any():
        raise LabError(f"{where}: not one row per bin and {thing}")
    return Series(time_s[:, 0], names, columns)


class Run:
    """The result of one simulation."""

    def __init__(self, result, flows=None, links=None):
        self.result = result
        self.flow_series = flows
        self.link_series = links

    def flows(self, groups):
        return [flow for flow in self.result["flows"] if flow.get("group", flow["name"]) in groups]

    def link(self, name):
        for link in self.result["links"]:
            if link["name"] == name:
                return link
        raise LabError(f"no link {name} in {self.result.get('scenario')}")


def read_run(request, result, series):
    """series: paths of the lab's CSV, or open texts."""
    if not request.series:
        return Run(result)
    return Run(result, read_series(series["flows.csv"], "flow", request.variables),
               read_series(series["links.csv"], "link"))


def source_root():
    """The top of the source tree, None when installed."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return root if os.path.exists(os.path.join(root, "meson_options.txt")) else None


def find_program(given, root):
    """The weir-lab to use: the one named, one built here, an installed one."""
    candidates = [given] if given else []
    if not given and root:
        for build in ("build/reproduce/build", "build/plain", "build", "builddir"):
            candidates.append(os.path.join(root, build, "tools/lab/weir-lab"))
    for path in candidates:
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    found = None if given else shutil.which("weir-lab")
    if found:
        return found
    where = f"{given} is no program" if given else "weir-lab was not found"
    raise LabError(f"{where}; build it: meson setup build && ninja -C build tools/lab/weir-lab")


class Lab:
    def __init__(self, program, scenarios=None, cache=None):
        self.program = program
        self.scenarios = scenarios
        self.cache = cache
        self.identity = identity(program)  # results of another build are not reused
        self.listed = self.list_algorithms()
        self.available = {*self.listed["algorithms"], *self.listed["competitors"]}
        self.resolved = {}
        self.computed = {}

    def formula(self, name, *words):
        """What `weir-lab formula` says."""
        if (name, words) not in self.computed:
            answer = json.loads(self.command("formula", name, *words, "--json"))
            self.computed[name, words] = math.nan if answer["value"] is None else answer["value"]
        return self.computed[name, words]

    def command(self, *arguments):
        environment = dict(os.environ)
        if self.scenarios:
            environment["WEIR_SCENARIOS"] = self.scenarios
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, env=environment,
                              check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise LabError(lines[-1].removeprefix("weir-lab: "))
        return done.stdout

    def list_algorithms(self):
        """Names by kind; `live`: of the algorithms those for live media."""
        listed = json.loads(self.command("list", "algorithms", "--json"))
        listed["live"] = [entry for entry in listed["algorithms"] if entry["for_live_media"]]
        return {kind: [entry["name"] for entry in entries] for kind, entries in listed.items()}

    def named(self, request):
        """The request with the scenario as the program finds it."""
        path = os.path.join(self.scenarios or "", request.scenario + ".json")
        return [path if self.scenarios and os.path.exists(path) else request.scenario,
                *request.arguments()[1:]]

    def show(self, request, seed=None):
        """What the request resolves to; its parts that do not change results are gone. seed: whose draws (start
        times, delays) it has; None = the scenario's own."""
        words = (*self.named(request), *(() if seed is None else ("--seed", str(seed))))
        if words not in self.resolved:
            shown = json.loads(self.command("show", *words))
            for irrelevant in ("description", "seed", "name", "scenario"):
                shown.pop(irrelevant, None)
            self.resolved[words] = shown
        return self.resolved[words]

    def scenario(self, request, seed=None):
        """The text of what the request resolves to: requests with the same are the same simulation."""
        return json.dumps(self.show(request, seed), sort_keys=True)

    def run(self, request, seed):
        """From the cache when it is there; without a cache from nowhere."""
        task = {"scenario": self.scenario(request, seed), "seed": seed, "series": request.series,
                "variables": request.variables}
        key = key_of(task, self.identity)
        store = Store(self.cache) if self.cache else None
        if store and store.has(key, request.series):
            return read_run(request, store.load(key), {name: store.series_path(key, name) for name in SERIES})
        outcome = simulate(self.program, task)
        if "result" not in outcome:
            raise LabError(outcome.get("refused") or outcome.get("failed"))
        if store:
            store.save(key, outcome)
        return read_run(request, outcome["result"],
                        {name: io.StringIO(text) for name, text in outcome["series"].items()})
