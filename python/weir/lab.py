# SPDX-License-Identifier: LGPL-2.1-or-later
"""`weir-lab run` as a function, with results as data frames."""
import json
import os
import tempfile

from . import controller
from ._weir import ffi, lib


class LabError(ValueError):
    """What is wrong with the scenario or the options, as weir-lab says it."""


class Result:
    """`json`: what `weir-lab run --json` prints (docs/lab.md). `flows` and `links` are data frames with a row for
    each; `flow_series` and `link_series` have one for each bin of time, or are None if they were not asked for."""

    def __init__(self, text, folder):
        self.json = json.loads(text)
        self._series = {name: self._read(folder, name) for name in ("flows", "links")}

    @staticmethod
    def _read(folder, name):
        if folder is None:
            return None
        import pandas
        return pandas.read_csv(os.path.join(folder, f"{name}.csv"))

    @staticmethod
    def _frame(rows):
        import pandas
        return pandas.json_normalize(rows)

    @property
    def flows(self):
        return self._frame(self.json["flows"])

    @property
    def links(self):
        return self._frame(self.json["links"])

    @property
    def flow_series(self):
        return self._series["flows"]

    @property
    def link_series(self):
        return self._series["links"]


def words(values, keep):
    """A NULL-terminated array of strings."""
    strings = [ffi.new("char[]", value.encode()) for value in values]
    keep += strings
    keep.append(ffi.new("char *[]", [*strings, ffi.NULL]))
    return keep[-1]


def text(value, keep):
    if value is None:
        return ffi.NULL
    keep.append(ffi.new("char[]", str(value).encode()))
    return keep[-1]


def simulate(fields):
    """The result, or raises what went wrong. Objects of the algorithms live as long as the run."""
    wrong = ffi.new("char **")
    controller.alive.clear()
    controller.errors.clear()
    answer = ffi.gc(lib.weir_lab_simulate(fields, wrong), lib.weir_lab_free)
    problem = ffi.gc(wrong[0], lib.weir_lab_free)
    controller.alive.clear()
    if controller.errors:
        raise controller.errors[0]
    if not answer:
        raise LabError(ffi.string(problem).decode())
    return ffi.string(answer).decode()


def run(scenario, algorithm=None, params=None, sets=None, seed=None, duration_s=None, series=False, variables=()):
    """Simulates a scenario: a name (`weir-lab list scenarios`), a file, or a dictionary (docs/scenarios.md).

    algorithm  of the tested flows: a subclass of Controller, or a name of algorithms()
    params     {name: value} of it;  sets  {path: value}, any other field of the scenario
    series     keep time series, too;  variables  names that flow_series has a column of

    Raises LabError with a sentence, or what a Controller raised. One run at a time in a process."""
    keep = []
    if isinstance(algorithm, type):
        algorithm = controller.register(algorithm)
    with tempfile.TemporaryDirectory(prefix="weir-") as folder:
        if isinstance(scenario, dict):
            path = os.path.join(folder, "scenario.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scenario, file)
            scenario = path
        out = os.path.join(folder, "out") if series or variables else None
        fields = ffi.new("struct weir_lab_run *", {
            "scenario": text(scenario, keep), "algorithm": text(algorithm, keep), "seed": text(seed, keep),
            "params": words([f"{k}={json.dumps(v) if isinstance(v, bool) else v}" for k, v in (params or {}).items()],
                            keep),
            "sets": words([f"{k}={json.dumps(v)}" for k, v in (sets or {}).items()], keep),
            "duration_s": duration_s or 0.0, "out": text(out, keep), "variables": words(variables, keep)})
        result = Result(simulate(fields), out)
    for name in variables:
        if not any(name in flow.get("variables", {}) for flow in result.json["flows"]):
            raise LabError(f"variables: no algorithm of the scenario has {name}")
    return result


def algorithms():
    """The names of all, with those that were written in Python and have run."""
    return [ffi.string(lib.weir_algorithm_name(i)).decode() for i in range(lib.weir_algorithm_count())]
