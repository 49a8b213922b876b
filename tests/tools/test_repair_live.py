# SPDX-License-Identifier: LGPL-2.1-or-later
"""The section of docs/repair.md about live runs: its table, what it says of it, and its place on the page."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from rivals import plan  # noqa: E402
from report import repair_live, repair_page  # noqa: E402

PLAIN, WITH_FEC, OTHER = repair_live.SENDERS
USUAL = {"shown": 0.99, "frozen_s": 1.0, "held_frozen_s": 0.2, "latency_p95_ms": 240.0, "made_bps": 1.6e6, "used": 0.9}


def result(scenario, sender, seed=7, **figures):
    told = {**USUAL, **figures}
    if sender == OTHER:
        del told["latency_p95_ms"], told["held_frozen_s"]
    return {"scenario": scenario, "senders": [sender], "seed": seed, "seconds": plan.BY_NAME[scenario].duration_s,
            "versions": {}, "figures": told, "busy": [], "dead": []}


def every(of_sender):
    """Three runs of each; of_sender: {name: figures}."""
    return [result(scenario, sender, seed, **of_sender.get(sender, {}))
            for scenario in plan.BY_NAME for sender in repair_live.SENDERS for seed in (7, 8, 9)]


class Section(unittest.TestCase):
    def section(self, results):
        return repair_live.section(results, 1000, 100)

    def said(self, results):
        return " ".join(self.section(results).split())

    def test_each_loss_has_a_row_for_each_sender(self):
        text = self.section([result("repair_burst3", PLAIN, seed, shown=shown)
                             for seed, shown in ((7, 0.97), (8, 0.99), (9, 0.98))] + [result("repair_loss1", OTHER)])
        self.assertIn("| 3 % in bursts of 5 | sluice | 98.0 [97.0, 99.0] | 1.0 | 0.2 | 240 | 1.60 | 0.90 | 3 |", text)
        self.assertIn("| 1 % | chromium | 99.0 | 1.0 |  |  | 1.60 | 0.90 | 1 of 3 |", text)
        self.assertEqual(text.count("| not run |"), len(plan.BY_NAME) * len(repair_live.SENDERS) - 2)

    def test_a_run_that_does_not_count_is_in_no_figure(self):
        text = self.section([result("repair_loss1", PLAIN), {**result("repair_loss1", PLAIN, shown=0.1), "busy": ["x"]}])
        self.assertIn("| 1 % | sluice | 99.0 | 1.0 | 0.2 | 240 | 1.60 | 0.90 | 1 of 3, 1 busy |", text)

    def test_what_is_seen_is_counted(self):
        text = self.said(every({WITH_FEC: {"frozen_s": 0.5, "made_bps": 1.2e6}, OTHER: {"frozen_s": 2.0, "shown": 1.0}}))
        self.assertIn("`sluice` 99.0 % and 1.0 s, `sluice+repair` 99.0 % and 0.5 s, `chromium` 100.0 % and 2.0 s; the "
                      "encoder of `sluice+repair` makes 75 % of that of `sluice`.", text)
        self.assertIn("`sluice+repair` beside `sluice`: **shown** better in 0, worse in 0 of 6; **frozen** better in 6, worse "
                      "in 0 of 6; **delay p95** better in 0, worse in 0 of 6.", text)
        self.assertIn("`sluice` beside `chromium`: **shown** better in 0, worse in 6 of 6; **frozen** better in 6, worse in 0 "
                      "of 6.", text)

    def test_nothing_is_said_of_what_was_not_run(self):
        text = self.said([result("repair_loss0", PLAIN)])
        self.assertNotIn("better in", text)
        self.assertNotIn("* Packets", text)

    def test_lines_are_short(self):
        prose = [line for line in self.section(every({})).splitlines() if not line.startswith(("|", "!["))]
        self.assertEqual([line for line in prose if len(line) > 100], [])


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.results, self.page = self.folder / "repair.jsonl", self.folder / "repair.md"

    def write(self, *results):
        self.results.write_text("".join(json.dumps(one) + "\n" for one in results))
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = repair_page.main(["--live-only", "--results", str(self.results), "-o", str(self.folder)])
        return status, errors.getvalue()

    def test_what_the_lab_said_stays(self):
        lab = "# Repair\n\nThe lab.\n"
        self.page.write_text(lab)
        self.assertEqual(self.write(*every({})), (0, ""))
        first = self.page.read_text()
        self.assertTrue(first.startswith(lab + "\n" + repair_live.HEADING + "\n"))
        self.assertTrue(1000 < (self.folder / "repair-live.png").stat().st_size < 80000)
        self.assertEqual(self.write(*every({PLAIN: {"shown": 0.5}})), (0, ""))
        second = self.page.read_text()
        self.assertEqual((second.count(repair_live.HEADING), second.startswith(lab)), (1, True))
        self.assertNotEqual(first, second)

    def test_runs_that_are_missing_can_be_drawn(self):
        self.page.write_text("# Repair\n")
        self.assertEqual(self.write(result("repair_loss1", OTHER)), (0, ""))

    def test_wrong_input_is_one_line(self):
        for results, says in (((), "no run of full length"), ((result("repair_loss1", PLAIN),), "repair.md: No such file"),
                              (({"x": 1},), "repair.jsonl, line 1")):
            status, errors = self.write(*results)
            self.assertEqual((status, errors.count("\n")), (1, 1))
            self.assertIn(says, errors)
        self.assertFalse(self.page.exists())


if __name__ == "__main__":
    tap.main()
