# SPDX-License-Identifier: LGPL-2.1-or-later
"""Made-up capacity traces."""
import contextlib
import io
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import make_trace  # noqa: E402
import tap  # noqa: E402


class Traces(unittest.TestCase):
    def printed(self, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            make_trace.main(list(args))
        return out.getvalue()

    def test_that_of_the_scenarios_can_be_made_again(self):
        with open(os.path.join(ROOT, "scenarios", "paths", "cell.trace"), encoding="ascii") as file:
            self.assertEqual(self.printed(), file.read())

    def test_are_ascending_and_as_long_as_asked(self):
        for seed in range(1, 20):
            found = make_trace.opportunities(5, seed)
            self.assertEqual(found, sorted(found))
            self.assertGreaterEqual(found[0], 1)
            self.assertEqual(found[-1], 5000)

    def test_have_the_rates_of_the_walk_and_one_handover(self):
        for seed in range(1, 6):
            found = make_trace.opportunities(100, seed)
            self.assertTrue(0.6e6 < len(found) * 12000 / 100 < 3.7e6, seed)
            gaps = [b - a for a, b in zip(found, found[1:])]
            self.assertGreaterEqual(max(gaps), make_trace.HANDOVER_MS)
            self.assertLess(sorted(gaps)[-2], make_trace.HANDOVER_MS)

    def test_another_seed_makes_another(self):
        self.assertNotEqual(self.printed("--seconds", "2"), self.printed("--seconds", "2", "--seed", "2"))

    def test_a_wrong_length_is_refused(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
            make_trace.main(["--seconds", "0"])
        self.assertIn("from 1 to 100000", said.getvalue())


class Walk(unittest.TestCase):
    def test_is_reflected_at_both_ends(self):
        self.assertEqual([make_trace.reflect(x, 3, 10) for x in (2, 3, 7, 10, 11)], [4, 3, 7, 10, 9])


if __name__ == "__main__":
    tap.main()
