# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the checks' words mean: every one that needs a simulation finds a scenario, settings and flows."""
import ast
import json
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce import figures  # noqa: E402
from reproduce.binding import Binder, binding_of, merge, number_text  # noqa: E402
from reproduce.exact import FORMULAS  # noqa: E402
from reproduce.expression import Unavailable, is_equality  # noqa: E402
from reproduce.judge import Target, is_number  # noqa: E402


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return json.load(file)


TARGETS = read("tools/reproduce/targets.json")
BINDINGS = read("tools/reproduce/bindings.json")
PROFILES = read("scenarios/profiles/papers.json")
SCENARIOS = {name[:-5] for name in os.listdir(os.path.join(ROOT, "scenarios")) if name.endswith(".json")}
BINDINGS["scenarios"] = SCENARIOS
EVERYTHING = {"tcp-reno", "tcp-newreno", "tcp-sack", "tcp-vegas", "tcp-westwood", "tcp-cubic", "tcp-prague", "udp",
              *(profile["algorithm"] for profile in PROFILES.values())}
NEEDS_NO_RUN = set(FORMULAS) | {"tcp_bound"}


class Configuration(dict):
    """A scenario in which every field is there."""

    def get(self, name, default=None):
        return self if name not in ("capacity_bps", "rate_bps", "packets") else 2.0

    def __truediv__(self, other):
        return 1.0

    __sub__ = __rsub__ = __rtruediv__ = __truediv__


class Lab:
    def __init__(self, available):
        self.available = available

    def show(self, request):
        return Configuration()

    def formula(self, name, *words):
        return 1.0


def make(spec, available=EVERYTHING, quick=False):
    binding = binding_of(BINDINGS, spec)
    return Target(spec, binding, Binder(binding, PROFILES, available, quick), Lab(available), [1], None)


class Data(unittest.TestCase):
    def test_has_every_target_and_check(self):
        self.assertEqual(len(TARGETS["targets"]), 91)
        self.assertEqual(sum(len(target["checks"]) for target in TARGETS["targets"]), 183)

    def test_speaks_only_of_targets_and_numbers_that_exist(self):
        specs = {spec["id"]: spec for spec in TARGETS["targets"]}
        shared = {entry["like"] for entry in BINDINGS["targets"].values() if "like" in entry}
        for name, entry in BINDINGS["targets"].items():
            self.assertTrue(name in specs or name in shared, name)
            stated = {number["what"] for number in specs.get(name, {"stated": []})["stated"]}
            self.assertLessEqual(set(entry.get("stated", {})), stated, name)

    def test_says_of_every_stated_number_how_it_is_measured_or_why_not(self):
        missing = []
        for spec in TARGETS["targets"]:
            bound = binding_of(BINDINGS, spec).get("stated", {})
            for number in spec["stated"]:
                known = set(bound.get(number["what"], {})) & {"expr", "exprs", "why"}
                if is_number(number["value"]) and not known:
                    missing.append(f"{spec['id']}: {number['what']}")
        self.assertEqual(missing, [])

    def test_has_a_profile_for_every_algorithm_of_the_papers(self):
        labels = {label for spec in TARGETS["targets"] for label in spec["algorithms"]} - {"metric", "all"}
        self.assertLessEqual(labels, set(PROFILES))

    def test_has_scenarios_whose_base_exists(self):
        for name in SCENARIOS:
            base = read("scenarios", name + ".json").get("base")
            # A base may be in a folder, as live/const is.
            self.assertTrue(base is None or os.path.isfile(os.path.join(ROOT, "scenarios", base + ".json")), name)


class Checks(unittest.TestCase):
    def test_that_things_are_equal_are_joined_by_and(self):
        """As judge_equality() takes them to be."""
        for spec in TARGETS["targets"]:
            for check in spec["checks"]:
                nodes = list(ast.walk(ast.parse(check["expr"], mode="eval")))
                others = [node for node in nodes if isinstance(node, (ast.Or, ast.Not, ast.IfExp))
                          or getattr(getattr(node, "func", None), "id", "") == "any"]
                if any(isinstance(node, ast.Compare) and is_equality(node) for node in nodes):
                    self.assertEqual(others, [], check["expr"])

    def test_each_finds_its_simulations_once_every_algorithm_exists(self):
        for spec in TARGETS["targets"]:
            for check in spec["checks"]:
                if any(name + "(" in check["expr"] for name in NEEDS_NO_RUN):
                    continue
                target = make(spec)
                requests = target.requests(check["expr"])
                if check["expr"].startswith(("abs((7/9)", "ceil(")):
                    continue
                self.assertTrue(requests, f"{spec['id']}: {check['expr']}")
                for request in requests:
                    self.assertIn(request.scenario, SCENARIOS)

    def test_need_the_same_simulation_for_the_same_condition(self):
        by_id = {spec["id"]: spec for spec in TARGETS["targets"]}
        five = make(by_id["arc.fig6"]).requests("U('TFRC',rev='on')")
        eight = make(by_id["arc.fig8"]).requests("loss('TFRC',rev='on')")
        self.assertEqual({(r.algorithm, r.sets) for r in five}, {(r.algorithm, r.sets) for r in eight})

    def test_a_missing_algorithm_leaves_them_without_runs_and_says_which(self):
        spec = next(spec for spec in TARGETS["targets"] if spec["id"] == "arc.fig7")
        target = make(spec, EVERYTHING - {"arc"})
        self.assertEqual(target.requests(spec["checks"][0]["expr"]), [])
        row = target.check(spec["checks"][0])
        self.assertEqual((row.verdict, row.reason), ("OPEN", "arc: not available"))

    def test_as_competitor_measure_the_others_flows(self):
        spec = next(spec for spec in TARGETS["targets"] if spec["id"] == "arc.fig25")
        binder = make(spec).binder
        reno = binder.bind("TCP-Reno", {"comp": "TFRC"})
        tfrc = binder.bind("TFRC", {"comp": "TCP-Reno"})
        self.assertEqual(reno.request, tfrc.request)
        self.assertEqual((reno.groups, tfrc.groups), (("reno",), ("tested",)))
        self.assertEqual(tfrc.request.algorithm, "TFRC/self-clocked")
        self.assertEqual(binder.bind("total", {"comp": "TFRC"}).groups, ("tested", "reno"))

    def test_conditions_become_settings(self):
        spec = next(spec for spec in TARGETS["targets"] if spec["id"] == "simd.tab6")
        request = make(spec).binder.bind("SimdNR", {"beta": 0.8, "cap": 15e6}).request
        self.assertEqual((request.params, request.sets), (("keep=0.8",), ("vars.cap=15000000",)))
        voice = make(next(spec for spec in TARGETS["targets"] if spec["id"] == "bursty.fig5")).binder
        self.assertEqual(voice.bind("TFRC-SP/RFC5348", {"pad": True}).request.sets,
                         ("flows.voice.source.padded=true",))
        with self.assertRaises(Unavailable):
            voice.bind("TFRC-SP/RFC5348", {"pad": "half"})

    def test_settings_parameters_and_variables_may_go_with_an_algorithm(self):
        by_id = {spec["id"]: spec for spec in TARGETS["targets"]}
        request = make(by_id["simd.tab8"]).binder.bind("SimdNR", {"beta": 0.8}).request
        self.assertEqual(request.params, ("alpha-i=0.757758", "keep=0.8"))
        self.assertEqual(make(by_id["simd.tab8"]).binder.bind("TCP-SACK", {}).request.params, ())
        nine = make(by_id["warc.fig9"]).binder
        self.assertEqual(nine.bind("WARC", {}).request.variables, ("history_resets",))
        self.assertEqual(nine.bind("TCP", {}).request.variables, ())

    def test_a_normalised_metric_needs_the_run_of_its_reference(self):
        target = make(next(spec for spec in TARGETS["targets"] if spec["id"] == "warc.fig4"))
        self.assertEqual([r.algorithm for r in target.requests("nt('TFRC',cv=1)")], ["TFRC", "TCP"])

    def test_a_rule_may_choose_another_scenario(self):
        spec = next(spec for spec in TARGETS["targets"] if spec["id"] == "simd.fig10")
        chosen = [make(spec).binder.bind("SimdNR", {"n": 4, "queue": q}).request.scenario
                  for q in ("RED", "DropTail")]
        self.assertEqual(chosen, ["simd.load-red", "simd.load"])

    def test_of_a_quick_run_are_a_subset_of_the_same_kind(self):
        for spec in TARGETS["targets"]:
            for check in spec["checks"]:
                full = make(spec).requests(check["expr"])
                quick = make(spec, quick=True).requests(check["expr"])
                self.assertLessEqual({(r.scenario, r.algorithm) for r in quick},
                                     {(r.scenario, r.algorithm) for r in full})


class Figures(unittest.TestCase):
    def test_of_every_figure_target_find_their_simulations(self):
        for spec in TARGETS["targets"]:
            target = make(spec)
            if "figure" in target.binding:
                for panel in target.binding["figure"]["panels"]:
                    x = panel["x"][0] if "x" in panel else None
                    requests = [r for label in panel["curves"]
                                for r in target.requests(panel["y"], {"a": label, "x": x})]
                    self.assertTrue(requests, f"{spec['id']}: {panel['y']}")
                self.assertTrue(figures.requests_of(target, target.binding["figure"]))

    def test_exist_for_every_figure_with_results(self):
        for spec in TARGETS["targets"]:
            if spec["kind"] == "figure" and spec["repro"] in ("numeric", "qualitative"):
                self.assertIn("figure", BINDINGS["targets"].get(spec["id"], {}), spec["id"])


class Merging(unittest.TestCase):
    def test_goes_field_by_field_into_objects(self):
        base = {"a": {"b": 1, "c": [1]}, "d": 2}
        self.assertEqual(merge(base, {"a": {"c": [2], "e": 3}}), {"a": {"b": 1, "c": [2], "e": 3}, "d": 2})
        self.assertEqual(base["a"]["c"], [1])

    def test_numbers_are_written_as_the_lab_reads_them(self):
        self.assertEqual([number_text(v) for v in (True, False, 20, 1.0, 0.25, 15e6, "red", [4, 5])],
                         ["1", "0", "20", "1", "0.25", "15000000", "red", "[4, 5]"])


if __name__ == "__main__":
    tap.main()
