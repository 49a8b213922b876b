# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live part of docs/repair.md is made of what tools/race wrote."""
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from report import repair_live  # noqa: E402
from rivals import plan  # noqa: E402


def result(scenario, sender, frames_per_s, busy=()):
    return {"scenario": scenario, "senders": [sender], "seed": 7, "seconds": plan.EVERY[scenario].duration_s,
            "versions": {}, "busy": list(busy), "dead": [],
            "figures": {"frames_per_s": frames_per_s, "frozen_s": 0.5, "used": 0.9, "media_bps": 1.8e6}}


class Section(unittest.TestCase):
    def read(self, results):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(one) + "\n" for one in results)
            return repair_live.read(path)

    def test_a_row_has_the_median_of_the_runs_that_count(self):
        runs = self.read([result("bursty3", "sluice", value) for value in (28, 29, 22)]
                         + [result("bursty3", "sluice", 1, ["frames were late"])])
        self.assertIn("| 3 % in bursts of 5 | sluice, sent again | 28.0 [22.0, 29.0] | 0.5 |  | 0.90 | 1.80 | 3 |",
                      repair_live.table(runs))

    def test_the_rows_are_those_that_were_run(self):
        runs = self.read([result(name, sender, 30) for name in repair_live.names() for sender in repair_live.SENDERS])
        self.assertEqual(repair_live.table(runs).count("\n"), 2 + 7 * len(repair_live.SENDERS))
        self.assertEqual(repair_live.table(self.read([])).count("\n"), 2)
        self.assertIn("is the median of 1 runs", repair_live.section(runs))

    def test_the_command_names_what_the_race_knows(self):
        self.assertLessEqual(set(repair_live.names()), set(plan.EVERY))
        self.assertEqual(len(repair_live.names()), 7)


if __name__ == "__main__":
    tap.main()
