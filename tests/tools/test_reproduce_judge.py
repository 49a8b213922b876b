# SPDX-License-Identifier: LGPL-2.1-or-later
"""When a claim passes, fails or stays open, and how close a measured number must be to a stated one."""
import math
import os
import sys
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce import conclusions, report, tables  # noqa: E402
from reproduce.binding import Binder  # noqa: E402
from reproduce.expression import Comparison  # noqa: E402
from reproduce.judge import Target, finite, is_number, margin, show, stated_text, within  # noqa: E402
from reproduce.lab import LabError, Run  # noqa: E402

SPEC = {"id": "made.up", "paper": "made", "repro": "numeric", "algorithms": ["TFRC"], "checks": [],
        "stated": []}
PROFILES = {"TFRC": {"algorithm": "tfrc"}, "ARC": {"algorithm": "arc"}}


def made_up(goodputs, stated=None, repro="numeric"):
    """A target whose run with seed i + 1 gives goodputs[i]."""
    def runs(request, seed):
        if goodputs[seed - 1] is None:
            raise LabError("it did not run")
        flow = {"name": "f", "group": "tested", "goodput_bps": goodputs[seed - 1]}
        return Run({"flows": [flow], "links": [{"name": "bottleneck", "capacity_bps": 100.0}]})
    binding = {"scenario": "made.up", "stated": stated or {}}
    binder = Binder(binding, PROFILES, {"tfrc"})
    return Target({**SPEC, "repro": repro}, binding, binder, types.SimpleNamespace(available={"tfrc"}),
                  list(range(1, 1 + len(goodputs))), runs)


def verdict(goodputs, expr):
    return made_up(goodputs).check({"text": "", "expr": expr})


class Claims(unittest.TestCase):
    def test_must_hold_for_the_mean(self):
        self.assertEqual(verdict([10, 10, 10, 10, 100], "G('TFRC') < 20").verdict, "FAIL", "the mean is 28")

    def test_must_hold_for_four_fifths_of_the_seeds(self):
        self.assertEqual(verdict([1, 1, 1, 1, 4], "G('TFRC') < 3").verdict, "PASS")
        self.assertEqual(verdict([1, 1, 1, 4, 4], "G('TFRC') < 3").verdict, "FAIL",
                         "the mean is 2.2, but 3 of 5 hold")

    def test_of_a_paper_that_averages_runs_are_judged_on_such_means(self):
        target = made_up([1, 1, 4, 4, 1, 1])
        target.spec["runs"] = 2
        row = target.check({"text": "", "expr": "G('TFRC') < 3"})
        self.assertEqual((row.verdict, row.seeds, row.holds, row.low, row.high), ("FAIL", 3, 2, 1, 4))
        target.spec["runs"] = 3
        row = target.check({"text": "", "expr": "G('TFRC') < 3.1"})
        self.assertEqual((row.verdict, row.seeds, row.low, row.high), ("PASS", 2, 2, 2))

    def test_a_time_that_never_comes_counts_by_its_rank(self):
        never = [7, 5, 6, math.inf, 8]
        row = verdict(never, "G('TFRC') < 8.5")
        self.assertEqual((row.verdict, row.holds, row.measured), ("PASS", 4, "7"), "the median is 7, there is no mean")
        self.assertEqual(verdict(never, "G('TFRC') < 8").verdict, "FAIL", "3 of 5 hold")

    def test_that_things_are_equal_rest_on_the_confidence_interval(self):
        """Of 20 results with a spread of 1 the interval is 0.51 wide on either side."""
        near, spread = "abs(G('TFRC') - 10) <= {}", [9, 11] * 10
        for values, tolerance, expected in ((spread, 1, "PASS"), (spread, 0.4, "OPEN"), ([9.9] * 4, 0.05, "FAIL"),
                                            ([9.9] * 4, 0.2, "PASS"), ([x + 2 for x in spread], 1, "FAIL"),
                                            ([x - 2 for x in spread], 1, "FAIL"), ([x + 1 for x in spread], 1, "OPEN"),
                                            ([9, 11], 1, "PASS"), ([9], 1, "PASS"), ([8], 1, "FAIL")):
            self.assertEqual(verdict(values, near.format(tolerance)).verdict, expected, (values, tolerance))
        self.assertEqual(verdict(spread, near.format(0.4)).reason,
                         "20 results do not settle it: -0.5111 to 0.5111 (95 %), of which +-0.4 is no difference")

    def test_that_things_are_equal_are_judged_by_20_results_where_the_usual_ones_leave_it_open(self):
        near, noisy, calm = {"text": "", "expr": "abs(G('TFRC') - 10) <= 1"}, [9, 11] * 10, [10] * 5 + [90] * 15
        for goodputs, usual, runs, expected in ((noisy, 5, 1, ("PASS", 20)), (calm, 5, 1, ("PASS", 5)),
                                                (noisy[:10] + [17] * 10, 5, 1, ("FAIL", 20)),
                                                ([x for x in noisy for _ in range(2)], 10, 2, ("PASS", 20))):
            target = made_up(goodputs)
            target.seeds, target.spec["runs"] = target.seeds[:usual], runs
            row = target.check(near)
            self.assertEqual((row.verdict, row.seeds), expected, goodputs)

    def test_that_things_are_equal_and_more_need_all_of_it(self):
        equal = "abs(G('TFRC') - 10) <= 1 and "
        self.assertEqual(verdict([9, 11] * 5, equal + "G('TFRC') > 8").verdict, "PASS")
        self.assertEqual(verdict([9, 11] * 5, equal + "G('TFRC') > 9.5").verdict, "FAIL", "half of the seeds hold")
        self.assertEqual(verdict([9, 11] * 5, equal + "all(abs(G('TFRC') - x) <= 0.5 for x in (10, 13))").verdict,
                         "FAIL", "one is settled, and outside")

    def test_count_the_seeds_that_hold(self):
        row = verdict([1, 1, 1, 4, 4], "G('TFRC') < 3")
        self.assertEqual((row.seeds, row.holds), (5, 3))

    def test_stay_open_when_any_part_is_missing(self):
        for expr, reason in (("G('TFRC') > 0 and G('ARC') > 0", "arc: not available"),
                             ("G('TFRC') > w0", "w0 is not bound"),
                             ("unheard_of('TFRC') > 0", "unheard_of: not written"),
                             ("R('TFRC') > 0", "no r_score in the result"),
                             ("arc_w(B=1,rttmin=2) > 0", "arc: not available")):
            row = verdict([1, 2], expr)
            self.assertEqual((row.verdict, row.reason), ("OPEN", reason))

    def test_stay_open_when_a_run_fails(self):
        row = verdict([1, None], "G('TFRC') > 0")
        self.assertEqual((row.verdict, row.reason), ("OPEN", "it did not run"))

    def test_show_how_far_the_seeds_are_apart(self):
        row = verdict([10, 12, 11], "G('TFRC') < 20 and G('TFRC') < 13")
        self.assertEqual((row.measured, row.stated, row.low, row.high), ("11", "< 13", 10, 12))
        self.assertEqual(row.as_json()["comparisons"][0]["left_range"], [10, 12])
        self.assertNotIn("right_range", row.as_json()["comparisons"][0])

    def test_show_the_comparison_that_is_closest_to_failing(self):
        row = verdict([10], "all(G('TFRC') < x for x in (20, 11, 500))")
        self.assertEqual((row.measured, row.stated), ("10 (x=11)", "< 11"))
        row = verdict([10], "all(G('TFRC') < x for x in (20, 9, 5))")
        self.assertEqual((row.verdict, row.measured, row.stated), ("FAIL", "10 (x=5)", "< 5"))

    def test_margins_are_relative_and_signed(self):
        self.assertAlmostEqual(margin(Comparison(9, "<", 10, True)), 0.1)
        self.assertAlmostEqual(margin(Comparison(10, "<", 9, False)), -0.1)
        self.assertEqual(margin(Comparison(math.nan, "<", 9, False)), -math.inf)


class StatedNumbers(unittest.TestCase):
    NUMERIC = {"repro": "numeric"}

    def agrees(self, measured, value, bound=None, repro="numeric", **spec):
        return within(measured, {"value": value, "unit": "", **spec}, bound or {}, {"repro": repro})

    def test_are_judged_by_their_tolerance(self):
        self.assertTrue(self.agrees(0.54, 0.57, tol_abs=0.03001))
        self.assertFalse(self.agrees(0.53, 0.57, tol_abs=0.03))
        self.assertTrue(self.agrees(90, 100, tol_rel=0.11))
        self.assertFalse(self.agrees(-0.09, -0.07, tol_rel=0.1))

    def test_without_tolerance_are_open_unless_exact(self):
        self.assertIsNone(self.agrees(3, 3.0))
        self.assertTrue(self.agrees(0.7577575, 0.757758, repro="exact"))
        self.assertFalse(self.agrees(0.757757, 0.757758, repro="exact"))
        self.assertTrue(self.agrees(1.2701, 1.27, source="computed")
                        and not self.agrees(1.28, 1.27, source="computed"))
        self.assertTrue(self.agrees(200, 200, {"configuration": True})
                        and not self.agrees(208, 200, {"configuration": True}))

    def test_ranges_hold_everything_measured(self):
        self.assertTrue(self.agrees([0.92, 0.99], [0.9, 1.0]))
        self.assertFalse(self.agrees([0.92, 0.85], [0.9, 1.0]))
        self.assertTrue(self.agrees(530, [550, 560], tol_abs=40))

    def test_lists_are_compared_one_by_one(self):
        self.assertTrue(self.agrees([70, 75, 210], [70, 70, 220], {"as": "list"}, tol_rel=0.15))
        self.assertFalse(self.agrees([220, 70, 70], [70, 70, 220], {"as": "list"}, tol_rel=0.15))

    def test_bounds_are_bounds(self):
        self.assertTrue(self.agrees(0.995, 0.99, op=">"))
        self.assertFalse(self.agrees(0.3, 0.2, op="<"))

    def test_give_a_row_per_algorithm_that_they_speak_of(self):
        stated = {"both": {"exprs": {"TFRC": "G('TFRC')", "ARC": "G('ARC')"}}, "one": {"expr": "G('TFRC')"},
                  "why": {"why": "because"}}
        target = made_up([9, 11], stated)
        rows = target.stated({"what": "both", "value": 10, "unit": "bit/s", "tol_rel": 0.05})
        self.assertEqual([(row.text, row.verdict) for row in rows],
                         [("both (TFRC)", "PASS"), ("both (ARC)", "OPEN")])
        self.assertEqual((rows[0].low, rows[0].high, rows[0].measured, rows[0].stated),
                         (9, 11, "10", "10 bit/s +-5 %"))
        self.assertEqual(target.stated({"what": "why", "value": 1, "unit": ""})[0].reason, "because")
        self.assertEqual(target.stated({"what": "other", "value": 1, "unit": ""})[0].reason, "not measured")
        self.assertEqual(target.stated({"what": "text", "value": "1:3", "unit": ""}), [])

    def test_are_written_with_unit_and_tolerance(self):
        self.assertEqual(stated_text({"value": 0.99, "unit": "fraction", "op": ">"}), "> 0.99 fraction")
        self.assertEqual(stated_text({"value": [3, 8], "unit": ""}), "3, 8")
        self.assertTrue(is_number([1, 2.5]) and not is_number({"s": 160}) and not is_number(None)
                        and not is_number(True))


class Reports(unittest.TestCase):
    def result(self, name, verdicts):
        rows = [{"text": "t", "expr": "", "stated": "", "measured": "", "verdict": v, "seeds": 1,
                 "seeds_holding": 1} for v in verdicts]
        return {"id": name, "paper": "p", "title": "T", "ref": "fig. 1", "repro": "numeric", "checks": rows,
                "stated": []}

    def test_count_checks_and_stated_numbers_apart(self):
        total = report.summary([self.result("a", ["PASS", "PASS", "FAIL"]), self.result("b", ["OPEN"])],
                               12.34)
        stated = {"pass": 0, "fail": 0, "open": 0}
        self.assertEqual(total, {"pass": 2, "fail": 1, "open": 1, "wall_s": 12.3, "stated": stated,
                                 "conclusions": dict.fromkeys(conclusions.CONCLUSIONS, 0)})

    def test_keep_earlier_targets_that_were_not_run(self):
        before = {"targets": [self.result("a", ["FAIL"]), self.result("b", ["FAIL"])]}
        after = {"targets": [self.result("b", ["PASS"])]}
        merged = report.merged(before, after, ["b", "a", "c"])
        self.assertEqual([(t["id"], t["checks"][0]["verdict"]) for t in merged],
                         [("b", "PASS"), ("a", "FAIL")])

    def test_json_has_no_infinities(self):
        self.assertEqual(finite((1.5, math.inf, "a", math.nan)), [1.5, "inf", "a", "nan"])

    def test_pages_can_hold_what_never_happened(self):
        row = {"text": "t", "stated": "4 s", "measured": "inf", "verdict": "FAIL", "seeds": 2, "seeds_holding": 0,
               "min": 3.25, "max": "inf"}
        self.assertEqual(report.markdown_table([row], "x")[2], "| t | 4 s | inf (3.25 to inf) | 0/2 | FAIL |")
        self.assertEqual(report.markdown_table([row], "claim")[2][:8], "| 1 | t ")

    def test_numbers_are_short(self):
        self.assertEqual([show(v) for v in (0.123456, 123456.7, 0, math.inf, (1, 2.5), True)],
                         ["0.1235", "123457", "0", "inf", "1, 2.5", "True"])

    def test_cells_do_not_break_the_table(self):
        self.assertEqual(tables.cell("a|b\nc"), "a\\|b c")


if __name__ == "__main__":
    tap.main()
