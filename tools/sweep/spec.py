# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sweep files: what may stand in them, and the points (scenario, algorithm, settings) that they stand for."""
import difflib
import itertools
import json
import os
from dataclasses import dataclass

MAX_SEED = 2**53 - 1


class Malformed(Exception):
    """One line for the user: where, what, and what is right."""


@dataclass(frozen=True, eq=False)  # each is only itself: values of settings may be objects
class Point:
    """One condition; each seed of it is a run."""
    run: str
    scenario: str
    algorithm: str           # "" = the scenario's
    settings: tuple          # (path, value)
    params: tuple            # (name, value)
    duration_s: float        # 0 = the scenario's
    seeds: tuple
    series: bool


def say(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def fail(path, value, right):
    raise Malformed(f"{path} = {say(value)}: {right}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_text(path, value):
    if not isinstance(value, str) or not value:
        fail(path, value, "must be a text")
    return value


def read_switch(path, value):
    if not isinstance(value, bool):
        fail(path, value, "must be true or false")
    return value


def read_duration(path, value):
    if not is_number(value) or value <= 0:
        fail(path, value, "must be a number of seconds above 0")
    return value


def is_whole(value, least, most):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def read_seeds(path, value):
    """A number of seeds from 1 on, or the seeds."""
    if is_whole(value, 1, 10**6):
        return tuple(range(1, value + 1))
    if isinstance(value, list) and value and all(is_whole(seed, 0, MAX_SEED) for seed in value) \
            and len(set(value)) == len(value):
        return tuple(value)
    return fail(path, value, "must be a number of seeds, or a list of different ones from 0 to 2^53 - 1")


def read_algorithms(path, value):
    if value == "all":
        return value
    if isinstance(value, list) and value and all(isinstance(name, str) and name for name in value):
        return tuple(dict.fromkeys(value))
    return fail(path, value, 'must be a list of names, or "all"')


def read_axes(path, value):
    """{name: values}: a list is the values that the name goes through."""
    if not isinstance(value, dict):
        fail(path, value, "must be an object")
    axes = {name: one if isinstance(one, list) else [one] for name, one in value.items()}
    for name, values in axes.items():
        if not values:
            fail(f"{path}.{name}", values, "must have values")
    return axes


FIELDS = {"scenario": read_text, "algorithms": read_algorithms, "set": read_axes, "params": read_axes,
          "seeds": read_seeds, "duration_s": read_duration, "series": read_switch}
DEFAULTS = {"algorithms": ("",), "set": {}, "params": {}, "seeds": (1,), "duration_s": 0, "series": False}
TOP = {"description": read_text}


def read_fields(where, content, readers, others=()):
    """Each field through its reader."""
    out = {}
    for name, value in content.items():
        path = f"{where}.{name}" if where else name
        if name in readers:
            out[name] = readers[name](path, value)
        elif name not in others:
            known = sorted({*readers, *others})
            near = difflib.get_close_matches(name, known, 1)
            fail(path, value, f"unknown field; did you mean {near[0]}?" if near
                 else f"unknown field; there are {', '.join(known)}")
    return out


def read_run(number, content, common):
    name = content.get("name", content.get("scenario")) if isinstance(content, dict) else None
    where = f"runs.{name}" if isinstance(name, str) and name else f"runs.{number}"
    if not isinstance(content, dict):
        fail(where, content, "must be an object")
    own = read_fields(where, content, {"name": read_text, **FIELDS})
    if "scenario" not in {**common, **own}:
        raise Malformed(f"{where}: scenario is missing")
    merged = {**DEFAULTS, **common, **own}
    for axes in ("set", "params"):
        merged[axes] = {**common.get(axes, {}), **own.get(axes, {})}
    merged.setdefault("name", merged["scenario"])
    return merged


def read_sweep(content):
    """A checked sweep: {"description", "runs"}; fields beside "runs" are defaults of each run."""
    if not isinstance(content, dict):
        fail("the file", content, "must be an object")
    common = read_fields("", content, {**TOP, **FIELDS}, ("runs",))
    description = common.pop("description", "")
    runs = content.get("runs")
    if not isinstance(runs, list) or not runs:
        fail("runs", runs, "must be a list of runs")
    read = [read_run(number, run, common) for number, run in enumerate(runs)]
    names = [run["name"] for run in read]
    for name in names:
        if names.count(name) > 1:
            fail(f"runs.{name}.name", name, "two runs have this name")
    return {"description": description, "runs": read}


def located(scenario, folder):
    """A file is relative to the folder; an installed scenario, "live/const", stays a name."""
    beside = os.path.join(folder, scenario)
    is_file = scenario.endswith(".json") or ("/" in scenario and os.path.isfile(beside))
    return beside if is_file else scenario


def read_file(path):
    """A sweep; scenarios that are files are relative to it."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as error:
        raise Malformed(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Malformed(f"{path}: {error}") from None
    try:
        sweep = read_sweep(content)
    except Malformed as error:
        raise Malformed(f"{path}: {error}") from None
    for run in sweep["runs"]:
        run["scenario"] = located(run["scenario"], os.path.dirname(os.path.abspath(path)))
    return sweep


def shortened(sweep):
    """The same sweep with one seed, and the first and the last value of each list."""
    def ends(axes):
        return {name: [values[0], values[-1]] if len(values) > 1 else values for name, values in axes.items()}

    return {**sweep, "runs": [{**run, "seeds": run["seeds"][:1], "set": ends(run["set"]),
                               "params": ends(run["params"])} for run in sweep["runs"]]}


def combinations(axes):
    return (tuple(zip(axes, values)) for values in itertools.product(*axes.values()))


def check_algorithms(run, listed):
    known = listed["algorithms"] + listed["competitors"] + listed["profiles"]
    for name in run["algorithms"]:
        if name and name not in known:
            near = difflib.get_close_matches(name, known, 1)
            fail(f"runs.{run['name']}.algorithms", name, "there is no such algorithm or profile; "
                 + (f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"))


def points_of(run, listed):
    """The points of one run, in the order of the file, one at a time. `listed`: names by kind, as weir-lab lists them."""
    if run["algorithms"] == "all":
        run = {**run, "algorithms": tuple(listed["algorithms"])}
    check_algorithms(run, listed)
    for algorithm in run["algorithms"]:
        for settings in combinations(run["set"]):
            for params in combinations(run["params"]):
                yield Point(run["name"], run["scenario"], algorithm, settings, params, run["duration_s"], run["seeds"],
                            run["series"])


def points(sweep, listed):
    """All points, in the order of the file."""
    return [point for run in sweep["runs"] for point in points_of(run, listed)]
