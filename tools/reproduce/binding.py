# SPDX-License-Identifier: LGPL-2.1-or-later
"""From the words of a check to simulations: which scenario, which settings, whose flows. All of it is
data, in bindings.json."""
import copy
import json
from dataclasses import dataclass
from types import MappingProxyType

from .expression import Unavailable
from .lab import Request

# Arguments that say what is measured, not under which conditions.
MEASURES = ("t", "bin", "t0", "until", "late", "after", "alg")


@dataclass(frozen=True)
class Measured:
    request: Request
    groups: tuple
    total: bool = False   # sum over the flows instead of their mean


def merge(base, over):
    """Objects field by field, all else as a whole."""
    out = copy.deepcopy(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = merge(out[key], value) if both else value
    return out


def binding_of(bindings, target):
    """What bindings.json says of a target: its paper's entry, what it is `like`, and its own."""
    own = bindings["targets"].get(target["id"], {})
    chain = [own]
    while "like" in chain[0]:
        chain.insert(0, bindings["targets"][chain[0]["like"]])
    out = bindings["papers"].get(target["paper"], {})
    for entry in chain:
        out = merge(out, {key: value for key, value in entry.items() if key != "like"})
    if "scenario" not in own and target["id"] in bindings.get("scenarios", ()):
        out["scenario"] = target["id"]
    return out


def number_text(value):
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return repr(value) if isinstance(value, float) and not value.is_integer() else \
        str(int(value)) if isinstance(value, (int, float)) else str(value)


class Binder:
    """Of one target. `available` are the lab's algorithms, `profiles` the labels' (papers.json)."""

    def __init__(self, binding, profiles, available, quick=False):
        self.binding = binding
        self.profiles = profiles
        self.available = available
        self.quick = binding.get("quick", {}) if quick else {}

    def translate(self, value):
        """The profile of an algorithm's label, as this paper means it."""
        return self.binding.get("labels", {}).get(value, value) if isinstance(value, str) else value

    def require(self, label):
        algorithm = self.profiles.get(label, {}).get("algorithm", label)
        if algorithm not in self.available:
            raise Unavailable(f"{algorithm}: not available")

    def bind(self, label, conditions):
        """Which run answers a metric of `label` under `conditions`, and whose flows in it."""
        if not self.binding.get("scenario"):
            raise Unavailable("no simulation is bound to this target")
        rule = self.rule(label, conditions)
        words = {"label": label, **conditions}
        plain = rule.get("algorithm", "{label}").format(**words)
        algorithm = self.translate(plain)
        sets = dict(self.binding.get("set", {}))
        sets.update(self.of_label("label_sets", plain))
        for path, value in rule.get("set", {}).items():
            sets[path] = self.translate(value.format(**words)) if isinstance(value, str) else value
        params = dict(self.of_label("label_params", plain))
        for name, value in conditions.items():
            if name not in rule.get("when", {}):
                self.apply_condition(name, value, sets, params)
        for path, value in self.quick.get("set", {}).items():
            sets[path] = value
        for name in [algorithm, *(v for v in sets.values() if isinstance(v, str) and v in self.profiles)]:
            self.require(name)
        request = Request(
            scenario=rule.get("scenario", self.binding["scenario"]), algorithm=algorithm,
            sets=tuple(f"{path}={number_text(value)}" for path, value in sorted(sets.items())),
            params=tuple(f"{path}={number_text(value)}" for path, value in sorted(params.items())),
            duration_s=self.quick.get("duration_s", self.binding.get("duration_s", 0)),
            series=bool(self.binding.get("series")),
            variables=tuple(self.of_label("variables", plain, ())))
        groups = rule.get("group", self.binding.get("group", "tested"))
        groups = [groups] if isinstance(groups, str) else groups
        return Measured(request, tuple(group.format(**words) for group in groups), bool(rule.get("total")))

    def rule(self, label, conditions):
        for rule in self.binding.get("rules", ()):
            if all(self.matches(wanted, label if name == "label" else conditions.get(name))
                   for name, wanted in rule.get("when", {}).items()):
                return rule
        return {}

    def matches(self, wanted, value):
        if wanted == "*":
            return value is not None
        return value in wanted if isinstance(wanted, list) else value == wanted

    def of_label(self, name, label, nothing=MappingProxyType({})):
        """What goes with an algorithm: settings (when it starts, say), parameters, variables to record."""
        table = self.binding.get(name, {})
        return table.get(label, table.get("*", nothing))

    def apply_condition(self, name, value, sets, params):
        how = self.binding.get("conditions", {}).get(name, f"vars.{name}")
        if isinstance(how, dict):
            if number_text(value) not in how:
                raise Unavailable(f"{name}={value} is not bound")
            sets.update(how[number_text(value)])
        elif how.startswith("param:"):
            params[how[len("param:"):]] = value
        elif how:
            sets[how] = value
