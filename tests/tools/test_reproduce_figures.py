# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures: every kind of panel can be drawn, whatever the numbers are."""
import math
import os
import sys
import tempfile
import types
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
os.environ.setdefault("MPLCONFIGDIR", tempfile.mkdtemp(prefix="weir-reproduce-"))
import tap  # noqa: E402
from reproduce import figures  # noqa: E402
from reproduce.expression import Unavailable  # noqa: E402


def made_up(value, seeds=3):
    """A target whose expressions come to value(seed, names)."""
    def evaluate(text, seeds, names):
        return value(seeds[0], names), []
    return types.SimpleNamespace(evaluate=evaluate, binding={}, seeds=list(range(1, 1 + seeds)),
                                 spec={"id": "made.up", "title": "t"},
                                 binder=types.SimpleNamespace(quick={}))


def missing(seed, names):
    raise Unavailable("arc: not available")


class Drawing(unittest.TestCase):
    def draw(self, kind, value, **panel):
        panel = {"kind": kind, "curves": ["TFRC", "ARC"], "y": "", **panel}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "figure.png")
            drawn = figures.draw(made_up(value), {"panels": [panel]}, path)
            self.assertEqual(os.path.exists(path), drawn)
            return drawn

    def test_sweeps_of_equal_odd_and_endless_numbers(self):
        values = (2e3 / 9, 0.1, 0.0, 1e-300, math.inf, math.nan)
        for kind in ("sweep", "bars"):
            self.assertTrue(self.draw(kind, lambda seed, names: values[names["x"]]
                                      if names["x"] < 4 else seed, x=[0, 1, 2, 3, 4]))
        self.assertTrue(self.draw("sweep", lambda seed, names: values[names["x"]], x=[0, 1, 4, 5]))
        self.assertFalse(self.draw("sweep", lambda seed, names: math.inf if seed == 2 else 1.0,
                                  x=[0, 1]))

    def test_curves_over_time_of_one_or_many_flows(self):
        time_s = np.arange(10.0)
        self.assertTrue(self.draw("time", lambda seed, names: (time_s, time_s)))
        self.assertTrue(self.draw("time", lambda seed, names: (time_s, np.outer(time_s, [1, 2, 3])),
                                  scale=1e-3))

    def test_marks_of_stated_numbers(self):
        marks = [{"y": 1, "text": "a"}, {"x": 0.5, "text": "b"}, {"x": 0.5, "y": 1, "text": "c"}]
        self.assertTrue(self.draw("sweep", lambda seed, names: 1.0, x=[0, 1], marks=marks))

    def test_nothing_is_written_when_nothing_is_known(self):
        for kind, more in (("sweep", {"x": [1, 2]}), ("bars", {"x": [1, 2]}), ("time", {})):
            self.assertFalse(self.draw(kind, missing, **more))

    def test_the_same_algorithm_has_the_same_colour(self):
        self.assertEqual(figures.colour("TFRC", 0), figures.colour("TFRC", 5))


if __name__ == "__main__":
    tap.main()
