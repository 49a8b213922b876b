# SPDX-License-Identifier: LGPL-2.1-or-later
"""The claims of a target in ns-2: the same expressions over the same scenarios. Of what ns-2 cannot run it is only
known that it is not negative; a claim may be false all the same, and only that is said of it then."""
import ast
import math

from . import ns2, tables
from .agreement import agree
from .expression import Comparison, Evaluator, Malformed, Unavailable
from .judge import SEEDS_THAT_MUST_HOLD, Target, finite, show

# The quantity of docs/ns2.md that a metric is.
QUANTITIES = {"G": "goodput_bps", "mean_G": "goodput_bps", "U": "goodput_bps", "nt": "goodput_bps",
              "loss": "loss_ratio", "bottleneck_loss": "loss_ratio", "cov": "cov", "mean_cov": "cov", "ijain_pct": "jain"}


class Bounds:
    """A number that is not known, but for what it is at least and at most. A comparison holds unless it cannot."""

    __array_ufunc__ = None  # a number of numpy's leaves the arithmetic to this class

    def __init__(self, low=0.0, high=math.inf):
        self.low, self.high = low, high

    def __float__(self):
        raise TypeError("not known")

    def __repr__(self):
        return "not known" if (self.low, self.high) == (0, math.inf) else f"{show(self.low)} to {show(self.high)}"

    def combined(self, other, function):
        ends = [function(mine, its) for mine in (self.low, self.high) for its in (low_of(other), high_of(other))]
        return Bounds(-math.inf, math.inf) if any(map(math.isnan, ends)) else Bounds(min(ends), max(ends))

    def __add__(self, other):
        return self.combined(other, lambda a, b: a + b)

    def __mul__(self, other):
        return self.combined(other, lambda a, b: 0.0 if 0 in (a, b) else a * b)

    def __neg__(self):
        return Bounds(-self.high, -self.low)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * inverse(other)

    def __rtruediv__(self, other):
        return inverse(self) * other

    def __abs__(self):
        if self.low >= 0 or self.high <= 0:
            return Bounds(*sorted((abs(self.low), abs(self.high))))
        return Bounds(0.0, max(-self.low, self.high))

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other):
        return self.low < high_of(other)

    def __le__(self, other):
        return self.low <= high_of(other)

    def __gt__(self, other):
        return self.high > low_of(other)

    def __ge__(self, other):
        return self.high >= low_of(other)


def low_of(value):
    return value.low if isinstance(value, Bounds) else value


def high_of(value):
    return value.high if isinstance(value, Bounds) else value


def inverse(value):
    """Of what is not negative."""
    low, high = low_of(value), high_of(value)
    if low < 0:
        return Bounds(-math.inf, math.inf)
    return Bounds(1 / high if high else math.inf, 1 / low if low else math.inf)


class TwinEvaluator(Evaluator):
    """Notes which figures each comparison is made of: `used`, of all that were asked for so far."""

    def __init__(self, *args):
        super().__init__(*args)
        self.used = []
        self.figures_of = []

    def on_Compare(self, node):
        before, first = len(self.used), len(self.comparisons)
        holds = super().on_Compare(node)
        holds = self.across(node) and holds
        self.figures_of += [self.used[before:]] * (len(self.comparisons) - first)
        return holds

    def across(self, node):
        """a < b < c, b not known: a < c. The chain has been evaluated, and its comparisons are the last ones."""
        chain = self.comparisons[-len(node.ops):]
        values = [chain[0].left, *(one.right for one in chain)]
        known = [i for i, value in enumerate(values) if not isinstance(value, Bounds)]
        holds = True
        for i, j in zip(known, known[1:]):
            ops = {type(op) for op in node.ops[i:j]}
            if j == i + 1 or not (ops <= {ast.Lt, ast.LtE} or ops <= {ast.Gt, ast.GtE}):
                continue
            op = ("<" if ops <= {ast.Lt, ast.LtE} else ">") + ("" if ops & {ast.Lt, ast.Gt} else "=")
            one = {"<": values[i] < values[j], ">": values[i] > values[j], "<=": values[i] <= values[j],
                   ">=": values[i] >= values[j]}[op]
            self.comparisons.append(Comparison(values[i], op, values[j], one, dict(self.bound)))
            holds = holds and one
        return holds

    def built_in(self, name, args, kwargs):
        values = args[0] if name in ("min", "max") and len(args) == 1 else args
        if name in ("min", "max") and any(isinstance(value, Bounds) for value in values):
            best = min if name == "min" else max
            return Bounds(best(map(low_of, values)), best(map(high_of, values)))
        return super().built_in(name, args, kwargs)


def figure_text(name, args, kwargs):
    words = [repr(arg) for arg in args] + [f"{key}={value!r}" for key, value in kwargs.items()]
    return f"{name}({','.join(words)})".replace("'", "")


class Twin(Target):
    """A target over the runs of one simulator, with what only ns-2 can run."""

    def __init__(self, *args):
        super().__init__(*args)
        self.twins = {}

    def has_twin(self, request):
        if request not in self.twins:
            try:
                scenario = self.lab.show(request, self.seeds[0])
                ns2.script(scenario, ns2.grid_of(scenario, request.series))
                self.twins[request] = True
            except ns2.Refused:
                self.twins[request] = False
        return self.twins[request]

    def wanted(self):
        """The runs that the claims need and ns-2 has."""
        return dict.fromkeys(request for check in self.spec["checks"] for request in self.requests(check["expr"]))

    def evaluator(self, text, call, names=None):
        made = TwinEvaluator(text, call, {**self.binding.get("names", {}), **(names or {})})
        made.call = self.noting(made, call)
        return made

    def noting(self, evaluator, call):
        def noted(name, args, kwargs):
            if self.direct(name, args, kwargs)[0]:
                return call(name, args, kwargs)
            label, conditions, _, _ = self.split(name, args, kwargs)
            if not all(self.has_twin(one.request) for one in self.measured(name, label, conditions)):
                return Bounds()
            evaluator.used.append((name, args, kwargs))
            return call(name, args, kwargs)
        return noted

    def evaluated(self, text, seeds=None):
        """(value, comparisons, the figures of each)."""
        evaluator = self.evaluator(text, self.metric(seeds or self.seeds))
        return evaluator.run(), evaluator.comparisons, evaluator.figures_of

    def of_seeds(self, figure):
        name, args, kwargs = figure
        return [float(self.metric([seed])(name, args, kwargs)) for seed in self.seeds]


def judged(twin, text):
    """{"verdict", "holds": seeds that do, "comparisons": [(text, false in the mean and in four fifths of the seeds,
    its figures)], "shown"}; a claim of which something is not known does not pass."""
    value, comparisons, figures = twin.evaluated(text)
    seeds = [twin.evaluated(text, seeds)[:2] for seeds in twin.results]
    holds = sum(bool(one) for one, _ in seeds)
    enough = SEEDS_THAT_MUST_HOLD * len(seeds)
    known = not any(isinstance(side, Bounds) for c in comparisons for side in (c.left, c.right))
    rows = [{"text": written(c), "figures": figures[i], "holds": c.holds,
             "false": not c.holds and sum(not own[i].holds for _, own in seeds) >= enough}
            for i, c in enumerate(comparisons)]
    verdict = ("PASS" if value and holds >= enough else "FAIL") if known else "not judged" if value else "FAIL"
    shown = next((row["text"] for row, c in zip(rows, comparisons) if not c.holds), rows[-1]["text"] if rows else "")
    return {"verdict": verdict, "holds": holds, "seeds": len(seeds), "false": not value, "rows": rows, "shown": shown}


def written(comparison):
    at = ", ".join(f"{name}={show(value)}" for name, value in comparison.at.items())
    left, right = (repr(side) if isinstance(side, Bounds) else show(side)
                   for side in (comparison.left, comparison.right))
    return f"{left}{f' ({at})' if at else ''} {comparison.op} {right}"


def against(ours, theirs, agrees):
    """[(number, texts)] of the comparisons that are false in both simulators, and whose figures agree: what refutes a
    claim."""
    if not ours["false"] or not theirs["false"]:
        return []
    return [(i, {"weir": mine["text"], "ns2": its["text"]})
            for i, (mine, its) in enumerate(zip(ours["rows"], theirs["rows"])) if mine["false"] and its["false"]
            and mine["figures"] and all(agrees(figure_text(*figure)) for figure in mine["figures"])]


class Sides:
    """One target in weir-lab and, with each setting, in ns-2."""

    def __init__(self, ours, theirs):
        self.ours = ours
        self.theirs = theirs   # {setting: Twin}
        self.figures = {}      # text: {"quantity", "weir": [of each seed], setting: [...]}

    def note(self, figure):
        text = figure_text(*figure)
        if text not in self.figures:
            self.figures[text] = {"quantity": QUANTITIES.get(figure[0], figure[0]), "weir": self.ours.of_seeds(figure),
                                  **{name: twin.of_seeds(figure) for name, twin in self.theirs.items()}}

    def agrees(self, text):
        entry = self.figures[text]
        return agree(entry["quantity"], entry["weir"], entry[next(iter(self.theirs))])

    def check(self, text):
        """None when ns-2 has nothing to say of a claim."""
        try:
            ours = judged(self.ours, text)
            asked = [figure for row in ours["rows"] for figure in row["figures"]]
            if not asked:
                return None
            theirs = {name: judged(twin, text) for name, twin in self.theirs.items()}
            for figure in asked:
                self.note(figure)
        except (Unavailable, Malformed, TypeError, IndexError) as error:
            return {"reason": str(error)}
        first = next(iter(theirs.values()))
        refuting = against(ours, first, self.agrees)
        return {"expr": text, "weir": short(ours), **{name: short(one) for name, one in theirs.items()},
                "against": [both for _, both in refuting],
                # Where one of these comparisons is true: known to make the claim hold, or in doubt.
                "doubts": [name for name, one in theirs.items() if any(one["rows"][i]["holds"] for i, _ in refuting)],
                "settings": [name for name, one in theirs.items() if one["verdict"] == "PASS"]}

    def result(self, spec, rows):
        """`rows`: the claims as weir-lab alone judges them, those not asked for too."""
        checks = {}
        for check in spec["checks"]:
            found = self.check(check["expr"])
            if found:
                checks[str(check["number"])] = {**found, "row": rows[check["number"] - 1]}
        return {"id": spec["id"], "paper": spec["paper"], "seeds": len(self.ours.seeds), "checks": checks,
                "figures": {text: {key: finite(value) if key == "quantity" else [finite(one) for one in value]
                                   for key, value in entry.items()} for text, entry in self.figures.items()}}


def short(judgement):
    if judgement["verdict"] == "not judged":
        return "not judged"
    return f"{judgement['verdict']}: {judgement['shown']}, {judgement['holds']}/{judgement['seeds']} seeds"


def percent(entry, setting):
    ours, theirs = (sum(entry[side]) / len(entry[side]) for side in ("weir", setting))
    return f"{100 * (ours / theirs - 1):+.1f} %" if theirs and math.isfinite(ours) and math.isfinite(theirs) else ""


def page(result):
    """The section of a target: its claims and their figures in the paper, in ns-2, in weir-lab."""
    settings = list(ns2.SETTINGS)
    head = ["", "paper", *settings, "weir-lab", "difference", "agree"]
    lines = []
    for number, check in result["checks"].items():
        if "reason" not in check:
            judgements = [check[name] for name in (*settings, "weir")]
            lines.append([f"claim {number}", "holds", *judgements, "", ""])
    for text, entry in result["figures"].items():
        values = [[float(one) for one in entry[name]] for name in (*settings, "weir")]
        numeric = {"quantity": entry["quantity"], **dict(zip((*settings, "weir"), values))}
        means = [show(sum(each) / len(each)) for each in values]
        lines.append([text, "", *means, percent(numeric, settings[0]),
                      "yes" if agree(entry["quantity"], values[-1], values[0]) else "no"])
    return ["", "Beside ns-2 ([how](../ns2.md#the-papers-claims)):", "", *tables.grid(head, lines)]
