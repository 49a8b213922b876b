# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/repair.md is written from runs of weir-lab, and says what they showed."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from report import repair_page  # noqa: E402


def cells(lost_with, lost_without=0.1):
    cell = {"shown_delay_p95_ms": 150.0, "frozen_s": 2.7, "sent_bps": 1e6, "goodput_bps": 9e5,
            "generated_packets": 1350.0}
    has = {mode: {"repair_packets": 350.0 if mode in (repair_page.FEC, repair_page.BOTH) else 0.0,
                  "resent_packets": 50.0 if mode in (repair_page.AGAIN, repair_page.BOTH) else 0.0,
                  "lost_frames_ratio": lost_without if mode == repair_page.NONE else lost_with}
           for mode in repair_page.MODES}
    return {(capacity, burst, loss, mode): {**cell, **has[mode]}
            for capacity in repair_page.CAPACITIES for burst in repair_page.BURSTS
            for loss in repair_page.LOSSES for mode in repair_page.MODES}


class Page(unittest.TestCase):
    def test_a_row_is_of_one_mode(self):
        rows = {repair_page.NONE: "| 3 % | none | 10.00 | 150 | 1.0 | 1.00 | 0.90 | 0 | 0 |",
                repair_page.FEC: "| 3 % | FEC | 0.50 | 150 | 1.0 | 1.00 | 0.90 | 35 | 0 |",
                repair_page.AGAIN: "| 3 % | again | 0.50 | 150 | 1.0 | 1.00 | 0.90 | 0 | 4 |",
                repair_page.BOTH: "| 3 % | both | 0.50 | 150 | 1.0 | 1.00 | 0.90 | 37 | 5 |"}
        for mode, text in rows.items():
            cell = cells(0.005)[1_000_000, 1, 0.03, mode]
            self.assertEqual(repair_page.row(cell, "3 %", mode, 270), text)

    def test_what_is_seen_is_counted(self):
        self.assertIn("in 9 rows of 9", repair_page.tail(cells(0.01)))
        self.assertIn("in 0 rows of 9", repair_page.tail(cells(0.02)))
        self.assertIn("leaves 20.0 to 20.0 %", repair_page.tail(cells(0.02)))

    def test_every_table_has_a_line_for_each_loss_and_mode(self):
        all_cells = cells(0.005)
        late = {("50 ms", mode): (all_cells[1_000_000, 1, 0.01, mode], 270) for mode in repair_page.MODES}
        page = repair_page.page(all_cells, late, 5, 300)
        self.assertEqual(page.count("\n| 50 ms |"), len(repair_page.MODES))
        for loss in repair_page.LOSSES:
            tables = len(repair_page.CAPACITIES) * len(repair_page.BURSTS)
            self.assertEqual(page.count(f"\n| {100 * loss:g} % |"), tables * len(repair_page.MODES))


class Program(unittest.TestCase):
    def write(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = repair_page.main(arguments)
        return status, errors.getvalue()

    def test_page_and_picture_are_written(self):
        with tempfile.TemporaryDirectory() as directory:
            arguments = ("--lab", os.environ["WEIR_LAB"], "--seeds", "1", "--seconds", "35", "-o", directory)
            self.assertEqual(self.write(*arguments), (0, ""))
            self.assertTrue(1000 < os.path.getsize(os.path.join(directory, "repair.png")) < 80000)
            with open(os.path.join(directory, "repair.md"), encoding="utf-8") as file:
                self.assertIn("of 35 s", file.read())

    def test_wrong_input_is_one_line(self):
        for arguments, says in ((("--lab", "/nowhere"), "/nowhere is no program"),
                                (("--lab", "/bin/false"), "repair: the run failed")):
            status, errors = self.write(*arguments)
            self.assertEqual((status, errors.count("\n")), (1, 1))
            self.assertIn(says, errors)


if __name__ == "__main__":
    tap.main()
