# SPDX-License-Identifier: LGPL-2.1-or-later
"""One target: which runs its checks need, and what they say once the runs are there."""
import math
import operator
from dataclasses import dataclass, field

import numpy as np

from . import exact
from .agreement import T_95
from .binding import MEASURES
from .expression import Evaluator, Malformed, Unavailable
from .lab import LabError, Request
from .metrics import METRICS, OF_ALL_RUNS, View

PASS, FAIL, OPEN = "PASS", "FAIL", "OPEN"
SEEDS_THAT_MUST_HOLD = 0.8
DEFAULT_SEEDS = 5
RESULTS_TO_SETTLE = 20   # for a claim that things are equal, where the usual number leaves it open


@dataclass
class Row:
    """One line of the report: a check, or a stated number."""
    text: str
    expr: str
    verdict: str
    stated: str = ""
    measured: str = ""
    reason: str = ""
    seeds: int = 0
    holds: int = 0
    comparisons: list = field(default_factory=list)
    each: list = field(default_factory=list)  # of each seed: its comparisons
    low: float = math.nan    # of what is measured: least and greatest over the seeds
    high: float = math.nan
    number: object = None    # of a stated number: what was measured, and what the paper says
    value: object = None
    unit: str = ""

    def as_json(self):
        out = {"text": self.text, "expr": self.expr, "stated": self.stated, "measured": self.measured,
               "verdict": self.verdict, "seeds": self.seeds, "seeds_holding": self.holds}
        if self.reason:
            out["reason"] = self.reason
        if self.value is not None:
            out.update(value=self.value, unit=self.unit, number=finite(self.number))
        if not math.isnan(self.low):
            out["min"], out["max"] = finite(self.low), finite(self.high)
        if self.comparisons:
            out["comparisons"] = [self.comparison_json(i, c) for i, c in enumerate(self.comparisons)]
        return out

    def comparison_json(self, i, c):
        out = {"left": finite(c.left), "op": c.op, "right": finite(c.right), "holds": c.holds,
               "at": {name: finite(value) for name, value in c.at.items()}}
        for side in ("left", "right"):
            low, high = self.spread(i, side)
            if low != high and not math.isnan(low):
                out[f"{side}_range"] = [finite(low), finite(high)]
        return out

    def spread(self, i, side):
        """Least and greatest over the seeds of one side of a comparison; NaN when it is no number."""
        values = [getattr(comparisons[i], side) for comparisons in self.each if i < len(comparisons)]
        if not values or not all(isinstance(value, (int, float, np.number)) for value in values):
            return math.nan, math.nan
        return float(min(values)), float(max(values))


def finite(value):
    """For JSON, which has neither infinities nor NaN."""
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, (tuple, list)):
        return [finite(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def show(value):
    """A number for people."""
    if isinstance(value, (tuple, list)):
        return ", ".join(show(part) for part in value)
    if isinstance(value, (bool, str)) or value is None:
        return str(value)
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:.0f}" if abs(value) >= 10000 else f"{value:.4g}"


def margin(comparison):
    """How clearly a comparison holds, relative to its numbers; negative when it does not."""
    try:
        left, right = float(comparison.left), float(comparison.right)
    except (TypeError, ValueError):
        return 1.0 if comparison.holds else -1.0
    size = abs(right - left) / max(abs(left), abs(right), 1e-300)
    if math.isnan(size):
        size = math.inf
    return size if comparison.holds else -size


class Target:
    """A target with its binding; `runs(request, seed)` gives a finished run."""

    def __init__(self, spec, binding, binder, lab, seeds, runs):
        self.spec = spec
        self.binding = binding
        self.binder = binder
        self.lab = lab
        self.seeds = seeds
        self.runs = runs
        self.last_label = None
        self.memory = {}

    # What a call asks for.

    def split(self, name, args, kwargs):
        """(label, conditions, positional arguments of the metric, its named ones)."""
        kwargs = dict(kwargs)
        label, rest = kwargs.pop("alg", self.binding.get("label_of", {}).get(name)), list(args)
        if name == "bound_T":
            label = self.last_label
        elif label is None and rest and isinstance(rest[0], str):
            label = rest.pop(0)
        if label is None:
            raise Unavailable(f"{name} names no algorithm")
        self.last_label = label
        conditions = {k: v for k, v in kwargs.items() if k not in MEASURES}
        conditions.update(self.binding.get("implied", {}).get(name, {}))
        measures = dict(self.binding.get("defaults", {}).get(name, {}))
        measures.update({k: v for k, v in kwargs.items() if k in MEASURES})
        if "t_offset_s" in self.binding and isinstance(kwargs.get("t"), tuple):
            measures["t"] = tuple(edge + self.binding["t_offset_s"] for edge in kwargs["t"])
        return label, conditions, rest, measures

    def measured(self, name, label, conditions):
        """The runs a metric looks at: one, and for a normalised one perhaps that of the reference."""
        out = [self.binder.bind(label, conditions)]
        reference = self.binding.get("reference", {}).get(name)
        if reference:
            out.append(self.binder.bind(reference, conditions))
        return out

    def direct(self, name, args, kwargs):
        """(True, value) of what needs no run."""
        if name == "flows":
            return True, tuple(self.binding.get("flows", ()))
        if name == "field":
            return True, self.field(*args)
        if name == "rel_err":
            return True, abs(args[0] / args[1] - 1)
        if exact.knows(name):
            return True, exact.call(self.lab, name, args, kwargs)
        if name not in METRICS:
            raise Unavailable(f"{name}: not written")
        return False, None

    def field(self, path):
        """A value of the target's scenario as it resolves: a configuration number."""
        try:
            found = self.lab.show(Request(self.binding.get("scenario", self.spec["id"])))
        except LabError as error:
            raise Unavailable(str(error)) from None
        for part in path.split("."):
            if isinstance(found, list):
                named = [entry for entry in found if isinstance(entry, dict) and entry.get("name") == part]
                found = named[0] if named else found[int(part)] if part.isdigit() else None
            else:
                found = found.get(part) if isinstance(found, dict) else None
            if found is None:
                raise Unavailable(f"the scenario has no {path}")
        return found

    # Planning.

    def requests(self, text, names=None):
        """What an expression needs; empty when it cannot be judged anyway."""
        wanted = []

        def call(name, args, kwargs):
            done, value = self.direct(name, args, kwargs)
            if done:
                return value
            label, conditions, _, _ = self.split(name, args, kwargs)
            wanted.extend(measured.request for measured in self.measured(name, label, conditions))
            return 1.0

        try:
            self.evaluator(text, call, names).run()
        except (Unavailable, TypeError, IndexError):
            return []
        return wanted

    def evaluator(self, text, call, names=None):
        return Evaluator(text, call, {**self.binding.get("names", {}), **(names or {})},
                         self.binder.quick.get("keep"))

    # Judging.

    @property
    def results(self):
        """The seeds of each result: one, or as many as the paper averages."""
        return self.in_results(self.seeds)

    def in_results(self, seeds):
        runs = runs_of(self.spec)
        return [seeds[i:i + runs] for i in range(0, len(seeds), runs)]

    def metric(self, seeds):
        """The call function of an evaluator: means over the seeds."""
        def call(name, args, kwargs):
            done, value = self.direct(name, args, kwargs)
            if done:
                return value
            label, conditions, rest, measures = self.split(name, args, kwargs)
            measured = self.measured(name, label, conditions)
            key = (name, label, repr(conditions), repr(rest), repr(measures))
            if name in OF_ALL_RUNS:
                return self.once(key, name, measured, rest, measures, *seeds)
            return mean([self.once(key, name, measured, rest, measures, seed) for seed in seeds])
        return call

    def once(self, key, name, measured, rest, measures, *seeds):
        if (key, seeds) not in self.memory:
            try:
                views = [View(self.runs(one.request, seed), one, self.binding)
                         for seed in seeds for one in measured]
            except LabError as error:
                raise Unavailable(str(error)) from None
            self.memory[key, seeds] = METRICS[name](*views, *rest, **measures)
        return self.memory[key, seeds]

    def evaluate(self, text, seeds=None, names=None):
        evaluator = self.evaluator(text, self.metric(seeds or self.seeds), names)
        return evaluator.run(), evaluator.comparisons

    def check(self, spec):
        """That things are equal may be open with the usual results: then it is judged by RESULTS_TO_SETTLE, once."""
        row = self.check_over(self.seeds, spec)
        unsettled = row.verdict == OPEN and row.each
        if unsettled and row.seeds < RESULTS_TO_SETTLE:
            return self.check_over(range(1, 1 + RESULTS_TO_SETTLE * runs_of(self.spec)), spec)
        return row

    def check_over(self, seeds, spec):
        row = Row(spec["text"], spec["expr"], OPEN)
        try:
            holds, row.comparisons = self.evaluate(spec["expr"], seeds)
            of_seeds = [self.evaluate(spec["expr"], result) for result in self.in_results(seeds)]
        except (Unavailable, Malformed) as error:
            row.reason = str(error)
            return row
        except (TypeError, IndexError, ValueError) as error:
            row.reason = f"cannot be computed: {error}"
            return row
        row.each = [comparisons for _, comparisons in of_seeds]
        row.seeds, row.holds = len(of_seeds), sum(bool(one) for one, _ in of_seeds)
        row.verdict = PASS if holds and row.holds >= SEEDS_THAT_MUST_HOLD * row.seeds else FAIL
        if row.seeds > 2 and any(comparison.signed is not None for comparison in row.comparisons):
            row.verdict, row.reason = judge_equality(row)
        self.describe(row)
        return row

    def describe(self, row):
        """The comparison that is closest to failing, or fails most clearly, stands for all."""
        if not row.comparisons:
            return
        number = min(range(len(row.comparisons)), key=lambda i: margin(row.comparisons[i]))
        worst = row.comparisons[number]
        at = ", ".join(f"{name}={show(value)}" for name, value in worst.at.items())
        where = f" ({at})" if at else ""
        row.measured = f"{show(worst.left)}{where}"
        row.stated = f"{worst.op} {show(worst.right)}"
        row.low, row.high = row.spread(number, "left")

    def stated(self, spec):
        """The rows of a stated number: one, or one per algorithm that it speaks of; none for a text."""
        if not is_number(spec["value"]):
            return []
        bound = self.binding.get("stated", {}).get(spec["what"], {})
        if "exprs" not in bound:
            return [self.stated_row(spec, bound, spec["what"], bound.get("expr", ""))]
        return [self.stated_row(spec, bound, f"{spec['what']} ({label})", expr) for label,
                expr in bound["exprs"].items()]

    def stated_row(self, spec, bound, text, expr):
        row = Row(text, expr, OPEN, stated_text(spec), value=spec["value"], unit=spec["unit"])
        if not row.expr:
            row.reason = bound.get("why", "not measured")
            return row
        try:
            measured = self.evaluate(row.expr)[0]
            each = [self.evaluate(row.expr, seeds)[0] for seeds in self.results]
        except (Unavailable, Malformed) as error:
            row.reason = str(error)
            return row
        row.seeds = len(each)
        if not isinstance(measured, (tuple, list)):
            row.low, row.high = min(each), max(each)
        row.measured, row.number = show(measured), measured
        holds = within(measured, spec, bound, self.spec)
        if holds is None:
            row.reason = "the paper gives no tolerance"
            return row
        row.holds = sum(bool(within(one, spec, bound, self.spec)) for one in each)
        row.verdict = PASS if holds else FAIL
        return row

    def all_expressions(self):
        texts = [check["expr"] for check in self.spec["checks"]]
        for bound in self.binding.get("stated", {}).values():
            texts += bound.get("exprs", {"": bound.get("expr")}).values()
        return [text for text in texts if text]


def interval(row, number):
    """(low, high) of the 95 % confidence interval of the difference in a comparison that says two things are equal."""
    middle = row.comparisons[number].signed
    values = [comparisons[number].signed for comparisons in row.each]
    half = T_95[min(len(values) - 1, len(T_95)) - 1] * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return middle - half, middle + half


def judge_equality(row):
    """(verdict, reason) of a claim that things are equal: it passes when the confidence interval of each difference is
    within the tolerance, fails when one is outside, and is open when the seeds are too few to tell. What else it says
    must hold as ever. Claims of this kind join comparisons with `and` and all()."""
    equal = [number for number, comparison in enumerate(row.comparisons) if comparison.signed is not None]
    others = [all(comparison.holds for number, comparison in enumerate(comparisons) if number not in equal)
              for comparisons in [row.comparisons, *row.each]]
    if not others[0] or sum(others[1:]) < SEEDS_THAT_MUST_HOLD * row.seeds:
        return FAIL, ""
    unsettled = ""
    for number in equal:
        (low, high), tolerance = interval(row, number), row.comparisons[number].right
        if not low <= tolerance or not high >= -tolerance:
            return FAIL, ""
        if low < -tolerance or high > tolerance:
            unsettled = f"{row.seeds} results do not settle it: {show(low)} to {show(high)} (95 %), " \
                        f"of which +-{show(tolerance)} is no difference"
    return (OPEN, unsettled) if unsettled else (PASS, "")


def runs_of(spec):
    """How many runs the paper averages for a result."""
    runs = spec.get("runs")
    return runs if isinstance(runs, int) else 1


def seeds_of(spec, binding, quick):
    """Enough for `seeds` results."""
    if quick:
        return list(range(1, 1 + binding.get("quick", {}).get("seeds", 1)))
    return list(range(1, 1 + binding.get("seeds", DEFAULT_SEEDS) * runs_of(spec)))


def mean(values):
    if isinstance(values[0], (tuple, list)) or any(isinstance(value, np.ndarray) for value in values):
        return values[0]
    if any(value == math.inf for value in values):  # a time that never comes has no mean
        return float(np.median(values))
    return float(np.mean(values))


def is_number(value):
    if isinstance(value, list):
        return bool(value) and all(is_number(part) for part in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def stated_text(spec):
    tolerance = f" +-{show(spec['tol_abs'])}" if "tol_abs" in spec else \
        f" +-{show(100 * spec['tol_rel'])} %" if "tol_rel" in spec else ""
    bound = spec["op"] + " " if "op" in spec else ""
    return f"{bound}{show(spec['value'])} {spec['unit']}".rstrip() + tolerance


def last_digit(value):
    """Half a unit of the last printed digit."""
    text = repr(value)
    if "." not in text or "e" in text:
        return 1e-9 * max(1, abs(value))
    return 0.5 * 10.0 ** -len(text.split(".")[1])


def tolerance_of(value, spec, bound, target):
    if "tol_abs" in spec:
        return spec["tol_abs"]
    if "tol_rel" in spec:
        return spec["tol_rel"] * abs(value)
    if bound.get("configuration") or spec.get("source") == "computed" or target["repro"] == "exact":
        return last_digit(value) * 1.0001
    return None


def within(measured, spec, bound, target):
    """Does the measured number agree with the stated one? None: nothing says how close is close."""
    value = spec["value"]
    parts = list(measured) if isinstance(measured, (tuple, list)) else [measured]
    if "op" in spec:
        compare = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}[spec["op"]]
        return all(compare(part, value) for part in parts)
    if isinstance(value, list) and bound.get("as") != "list":
        slack = tolerance_of(max(value, key=abs), spec, bound, target) or 0.0
        return all(min(value) - slack <= part <= max(value) + slack for part in parts)
    values = value if isinstance(value, list) else [value] * len(parts)
    slacks = [tolerance_of(one, spec, bound, target) for one in values]
    if None in slacks:
        return None
    return len(values) == len(parts) and all(abs(part - one) <= slack
                                             for part, one, slack in zip(parts, values, slacks))
