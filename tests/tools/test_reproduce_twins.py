# SPDX-License-Identifier: LGPL-2.1-or-later
"""Claims in ns-2: what it cannot run leaves a claim open unless it is false in any case; a claim is refuted only by
figures on which both simulators agree, and only if no setting that the papers may have had makes it hold."""
import math
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce import agreement, conclusions, ns2, twins  # noqa: E402
from reproduce.twins import Bounds, TwinEvaluator  # noqa: E402


def evaluated(text, known):
    evaluator = TwinEvaluator(text, lambda name, args, kwargs: known.get(args[0], Bounds()))
    return evaluator.run(), evaluator.comparisons


class Unknown(unittest.TestCase):
    def test_numbers_make_a_claim_false_only_in_any_case(self):
        known = {"TFRC": 8.0, "Reno": 2.0}
        for text, may_hold in (
                ("G('TFRC') < G('ARC')", True), ("G('ARC') <= 0", True), ("G('ARC') < 0", False),
                ("G('TFRC') <= 0.5 * min(G('Reno'), G('ARC'))", False),
                ("G('TFRC') <= 0.5 * max(G('Reno'), G('ARC'))", True),
                ("G('Reno') / (1 + G('ARC')) > 3", False), ("abs(G('ARC') / G('Reno') - 1) <= 0.1", True),
                ("abs(0 - 3 - G('ARC')) < 3", False), ("G('Reno') - G('ARC') > 2", False),
                ("G('TFRC') < G('ARC') < G('Reno')", False), ("G('Reno') < G('ARC') <= G('TFRC')", True),
                ("all(G(a) < 5 for a in ('ARC', 'TFRC'))", False), ("any(G(a) < 5 for a in ('ARC', 'TFRC'))", True)):
            self.assertEqual(bool(evaluated(text, known)[0]), may_hold, text)

    def test_in_the_middle_of_a_chain_leave_its_ends_to_compare(self):
        comparison = evaluated("G('TFRC') < G('ARC') <= G('Reno')", {"TFRC": 8.0, "Reno": 2.0})[1][-1]
        self.assertEqual((comparison.left, comparison.op, comparison.right, comparison.holds), (8.0, "<", 2.0, False))


class FakeTwin:
    """`values`: per label, of each seed; None = has no twin."""

    def __init__(self, **values):
        self.values = values
        self.seeds = [0, 1, 2, 3, 4]
        self.results = [[seed] for seed in self.seeds]

    def evaluated(self, text, seeds=None):
        def call(name, args, kwargs):
            each = self.values[args[0]]
            if each is None:
                return Bounds()
            evaluator.used.append((name, args, kwargs))
            return sum(each) / len(each) if seeds is None else each[seeds[0]]
        evaluator = TwinEvaluator(text, call)
        return evaluator.run(), evaluator.comparisons, evaluator.figures_of

    def of_seeds(self, figure):
        return self.values[figure[1][0]]


def sides(weir, *others):
    return twins.Sides(FakeTwin(**weir), dict(zip(ns2.SETTINGS, (FakeTwin(**other) for other in others))))


HIGH, LOW, MIXED = [9, 9.1, 9.2, 9, 9.1], [1, 1.1, 1, 1, 1.1], [9, 9, 9, 1, 1]


class Claims(unittest.TestCase):
    def against(self, text, weir, theirs):
        return sides(weir, theirs, theirs, theirs).check(text)["against"]

    def test_are_refuted_by_figures_on_which_both_agree(self):
        both = {"a": HIGH, "b": LOW, "c": None}
        self.assertEqual(self.against("G('a') < G('b')", both, both), [{"weir": "9.08 < 1.04", "ns2": "9.08 < 1.04"}])
        self.assertEqual(len(self.against("G('a') < G('c') < G('b')", both, both)), 1)

    def test_are_not_refuted_otherwise(self):
        both = {"a": HIGH, "b": LOW, "c": None, "m": MIXED}
        for text, theirs in (("G('b') < G('a')", both), ("G('a') < G('b')", {**both, "a": LOW}),
                             ("G('a') < G('b')", {**both, "a": [20] * 5}), ("G('a') < G('c')", both),
                             ("G('m') < 5", both)):
            self.assertEqual(self.against(text, both, theirs), [], text)

    def test_that_ns2_cannot_run_at_all_are_not_spoken_of(self):
        self.assertIsNone(sides({"c": None}, {"c": None}).check("G('c') < 1"))

    def test_name_the_settings_of_ns2_that_make_them_hold(self):
        found = sides({"a": HIGH}, {"a": HIGH}, {"a": LOW}, {"a": HIGH}).check("G('a') < 5")
        self.assertEqual(found["settings"], ["older"])
        self.assertEqual(found["older"], "PASS: 1.04 < 5, 5/5 seeds")

    def test_are_in_doubt_where_what_refutes_them_is_true(self):
        found = sides({"a": HIGH, "c": None}, {"a": HIGH, "c": None}, {"a": HIGH, "c": None},
                      {"a": LOW, "c": None}).check("all(G(x) < 5 for x in ('a', 'c'))")
        self.assertEqual((found["settings"], found["doubts"]), ([], ["ticks of 0.5 s"]))
        row = {"text": "", "expr": found["expr"], "verdict": "FAIL", "measured": "9.08", "stated": "< 5", "seeds": 5,
               "seeds_holding": 0, "comparisons": [{"holds": False}]}
        twin = {"id": "p.fig1", "checks": {"1": {**found, "row": conclusions.cell_of(row)}}}
        conclusions.conclude([{"id": "p.fig1", "checks": [row]}], [], [twin])
        self.assertEqual(row["conclusion"], "fails")

    def test_come_to_a_conclusion_only_as_they_are_judged_now(self):
        row = {"text": "a claim", "expr": "G('a') < 5", "verdict": "FAIL", "measured": "9.08", "stated": "< 5",
               "seeds": 5, "seeds_holding": 0, "comparisons": [{"holds": False}]}
        for settings, change, conclusion in (((HIGH, HIGH, HIGH), {}, "refuted"),
                                             ((HIGH, LOW, HIGH), {}, "underdetermined"),
                                             ((LOW, LOW, LOW), {}, "fails"),
                                             ((HIGH, HIGH, HIGH), {"measured": "9.09"}, "fails"),
                                             ((HIGH, HIGH, HIGH), {"expr": "G('a') < 6"}, "fails")):
            made = sides({"a": HIGH}, *({"a": each} for each in settings))
            made.ours.spec = {}
            twin = made.result({"id": "p.fig1", "paper": "p", "checks": [{"expr": row["expr"], "number": 1}]},
                               [conclusions.cell_of(row)])
            now = {**row, **change}
            conclusions.conclude([{"id": "p.fig1", "checks": [now]}], [], [twin])
            self.assertEqual(now["conclusion"], conclusion)
            page = "\n".join(twins.page(twin))
            self.assertIn("| G(a) |  | ", page)


class Agreement(unittest.TestCase):
    def test_differences_are_told_from_noise(self):
        self.assertTrue(agreement.is_significant([1.0, 1.0], [1.1, 1.1]))
        self.assertFalse(agreement.is_significant([1.0, 1.0], [1.0, 1.0]))
        self.assertFalse(agreement.is_significant([1.0, 2.0, 3.0], [1.5, 2.5, 3.5]))
        self.assertTrue(agreement.is_significant([1.0, 1.1, 0.9], [2.0, 2.1, 1.9]))

    def test_is_that_of_the_comparison(self):
        ours = [1.0, 1.001, 0.999]
        for quantity, factor, agrees in (("goodput_bps", 1.04, True), ("goodput_bps", 1.06, False), ("cov", 1.15, True),
                                         ("loss_ratio", 1.3, False), ("rise", 1.01, False), ("rise", 1.0, True)):
            self.assertEqual(agreement.agree(quantity, ours, [factor * one for one in ours]), agrees, quantity)
        self.assertFalse(agreement.agree("rise", [math.inf] * 3, [math.inf] * 3))

    def test_of_fairness_is_that_of_the_cov_it_stands_for(self):
        ours = [0.8] * 3  # CoV 0.5
        for theirs, agrees in ((0.75, True), (0.70, False), (0.84, True), (0.90, False), (1.0, False)):
            self.assertEqual(agreement.agree("jain", ours, [theirs] * 3), agrees, theirs)


if __name__ == "__main__":
    tap.main()
