# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tools/faults makes of the figures: the worst seed counts, and nothing red is left out."""
import importlib.machinery
import importlib.util
import os
import sys
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
sys.dont_write_bytecode = True
import fault_page  # noqa: E402
import tap  # noqa: E402

loader = importlib.machinery.SourceFileLoader("faults", os.path.join(ROOT, "tools", "faults"))
faults = importlib.util.module_from_spec(importlib.util.spec_from_loader("faults", loader))
loader.exec_module(faults)

USE = fault_page.Demand("F01/loss/rr", "0", "use", "of the capacity", 60, 120, True, 0.5, "because")
GAP = fault_page.Demand("F01/loss/rr", "1", "gap", "s", 60, 120, False, 1.0, "so")
EXEMPT = fault_page.Exempt(("tfrc",), ("F0[1-3]/*",), "use", "the paper")


def judge(figures, exceptions=()):
    cells = {(d.row, d.index, a): found for (d, a), found in figures.items()}
    return list(faults.judge([USE, GAP], cells, exceptions))


class Judging(unittest.TestCase):
    def test_the_worst_seed_counts(self):
        judged = judge({(USE, "tfrc"): [(0.9, 1), (0.4, 2)], (GAP, "tfrc"): [(0.2, 1), (1.0, 2)]})
        self.assertEqual([("red", 0.4, 2), ("green", 1.0, 2)], [(c.verdict, c.figure, c.seed) for c in judged])
        self.assertEqual("tools/faults --row F01/loss/rr --algorithm tfrc --seed 2", faults.repeat(judged[0]))

    def test_an_exception_covers_its_algorithm_rows_and_figure_alone(self):
        judged = judge({(USE, "tfrc"): [(0.1, 1)], (USE, "gcc"): [(0.1, 1)], (GAP, "tfrc"): [(9, 1)]}, [EXEMPT])
        self.assertEqual(["excepted", "red", "red"], [c.verdict for c in judged])

    def test_a_row_is_found_by_its_whole_words(self):
        self.assertTrue(faults.is_in("F05/blackout/rr", ["F05"]))
        self.assertTrue(faults.is_in("F05/blackout/rr", [""]))
        self.assertFalse(faults.is_in("F05/blackout_5_min/rr", ["F05/blackout"]))

    def test_that_nothing_was_lived_is_an_error(self):
        program = mock.Mock(**{"demands.return_value": [USE], "figures.return_value": {}, "algorithms.return_value": ["tfrc"]})
        with mock.patch.object(faults, "Program", lambda path: program), \
                mock.patch.object(sys, "argv", ["faults", "--program", "-", "--algorithm", "tfcr"]):
            self.assertRaisesRegex(SystemExit, "one of tfrc", faults.main)

    def test_the_page_shows_red_and_excepted(self):
        judged = judge({(USE, "tfrc"): [(0.1, 1)], (USE, "gcc"): [(0.2, 1)], (GAP, "tfrc"): [(0.3, 1)]}, [EXEMPT])
        broken = fault_page.Demand("F01/loss/rr", "8", "broken", "invariants", 0, 0, False, 0, "all")
        judged += [fault_page.Cell(broken, a, 0, 1, "green") for a in ("tfrc", "gcc")]
        page = fault_page.page(judged, [EXEMPT], 20)
        self.assertIn("| use | 60 to 120 | ≥ 0.5 | a | **0.1** | ✗ 0.2 |", page)
        self.assertIn("| | gap | 60 to 120 | ≤ 1 | b | 0.3 | – |".replace("| |", "|  |"), page)
        self.assertIn("3 green, 1 excepted, 1 red", page)
        self.assertIn("tools/faults --seeds 20 --page docs/faults.md", page)
        self.assertIn("| tfrc | `F0[1-3]/*` | use | use 0.1 | the paper |", page)
        self.assertIn("| `F01/loss/rr` | use | gcc 0.2 |", page)


if __name__ == "__main__":
    tap.main()
