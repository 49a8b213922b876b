# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tables of docs/ecn.md: of made-up runs, and that the sweep, the page and the tables go together."""
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import pandas as pd  # noqa: E402
import tap  # noqa: E402
from sweep import ecn, page, spec  # noqa: E402


def rows(run, *pairs, **settings):
    """What two flows get, kbit/s, and what the first loses, for each seed."""
    return pd.DataFrame([{"run": run, "seed": seed, "goodput_bps": kbps * 1e3, "lost_packets": lost,
                          "link_utilization": 0.95, "link_queue_ms_p95": 10.04, **settings}
                         for seed, (first, second, lost) in enumerate(pairs, 1) for kbps in (first, second)])


class Tables(unittest.TestCase):
    def test_shares_are_the_median_of_the_seeds(self):
        runs = ecn.Runs(rows("a", (1000, 1000, 0), (3000, 1000, 0), (1000, 2000, 0)), "a")
        self.assertEqual(runs.ratio(), "1.00 (0.50 to 3.00)")

    def test_shares_have_a_row_per_path(self):
        settings = {ecn.DELAY: 25, ecn.CAPACITY: 4e6}
        table = pd.concat([rows(name, (2000, 1000, 0), **settings) for name in
                           ("call-prague", "prague-prague", "call-cubic", "prague-cubic")])
        self.assertEqual(ecn.shares(table).splitlines()[2:], ["| 50 | 4 |" + " 2.00 (2.00 to 2.00) |" * 4])

    def test_losses_are_the_most_of_the_seeds(self):
        settings = {ecn.DELAY: 25, ecn.CAPACITY: 4e6}
        table = pd.concat([rows(name, (1, 1, 0), (1, 1, 7), **settings) for name in ("call-alone", "call-steps")])
        self.assertEqual(ecn.alone(table).splitlines()[2:],
                         [f"| {words} | 50 | 4 | 0.950 | 10.0 | 7 | 1 of 2 |" for words in ("none", "down by half")])


class Sweep(unittest.TestCase):
    def test_has_the_runs_of_the_tables(self):
        with open(ecn.__file__, encoding="utf-8") as file:
            text = file.read()
        for run in spec.read_file(os.path.join(ROOT, "sweeps", "ecn.json"))["runs"]:
            self.assertIn(f'"{run["name"]}"', text)

    def test_fills_all_that_the_page_has_marked(self):
        with open(os.path.join(ROOT, "docs", "ecn.md"), encoding="utf-8") as file:
            self.assertEqual([name for _, name, _ in page.MARK.findall(file.read())], list(ecn.PARTS))


if __name__ == "__main__":
    tap.main()
