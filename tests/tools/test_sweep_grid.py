# SPDX-License-Identifier: LGPL-2.1-or-later
"""The grid of capacity, RTT and buffer: cells of made-up runs, and a quick sweep with the laboratory of WEIR_LAB."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import pandas as pd  # noqa: E402
import tap  # noqa: E402
from sweep import cells, grid, spec  # noqa: E402

LAB = os.environ.get("WEIR_LAB", "")
PROGRAM = os.path.join(ROOT, "tools", "sweep", "grid.py")
MBPS, RTT_MS, BUFFER_MS = 1e6, 50, 100


def rows(*runs):
    """(run, algorithm, seed, used, queue in ms, goodput in Mbit/s) of a path of 1 Mbit/s."""
    return pd.DataFrame([{"run": run, "algorithm": algorithm, "seed": seed, "tested": True,
                          "link_utilization": used, "link_queue_ms_p95": queue_ms, "goodput_bps": goodput * MBPS,
                          **dict(zip(cells.AXES, (MBPS, RTT_MS, BUFFER_MS)))}
                         for run, algorithm, seed, used, queue_ms, goodput in runs])


def only_cell(run, used, queue_ms, goodput):
    return cells.cells(rows((run, "a", 1, used, queue_ms, goodput)), run, "a")[MBPS, RTT_MS, BUFFER_MS]


class Cells(unittest.TestCase):
    def test_alone_want_a_used_link_and_a_short_queue(self):
        for used, queue_ms, little, much in ((0.9, 40, False, False), (0.89, 40, True, False), (0.9, 41, False, True),
                                             (0.5, 90, True, True)):
            cell = only_cell("alone", used, queue_ms, 0.01)
            self.assertEqual((cell.has_too_little(), cell.has_too_much()), (little, much))
            self.assertEqual(cell.is_as_wanted(), not little and not much)

    def test_beside_a_tcp_want_between_half_and_twice_the_half_of_the_capacity(self):
        for goodput, little, much in ((0.25, False, False), (0.24, True, False), (1.0, False, False), (1.01, False, True)):
            cell = only_cell("reno", 0.1, 900, goodput)
            self.assertEqual((cell.has_too_little(), cell.has_too_much()), (little, much))

    def test_allow_a_queue_of_four_packets(self):
        self.assertEqual(cells.most_queue_ms(5e6), 40)
        self.assertAlmostEqual(cells.most_queue_ms(200e3), 196.48)

    def test_are_the_medians_of_the_seeds(self):
        table = rows(("alone", "a", 1, 0.99, 20, 0.9), ("alone", "a", 2, 0.95, 90, 0.9), ("alone", "a", 3, 0.5, 30, 0.9))
        self.assertEqual(cells.as_wanted(cells.cells(table, "alone", "a")), 1)
        self.assertEqual([cells.as_wanted(seed) for seed in cells.per_seed(table, "alone", "a")], [1, 0, 0])
        self.assertEqual(cells.with_every_seed(table, "alone", "a"), 0)
        self.assertEqual(cells.with_every_seed(table[table["seed"] == 1], "alone", "a"), 1)

    def test_are_counted_by_path_and_by_what_is_wrong(self):
        table = pd.concat([rows(("alone", "a", 1, 0.99, 20, 0.9), ("alone", "a", 2, 0.99, 90, 0.9)),
                           rows(("reno", "a", 1, 1, 90, 0.1)), rows(("cubic", "a", 1, 1, 90, 0.9)),
                           rows(("reno-first", "a", 1, 1, 90, 0.2)), rows(("cubic-first", "a", 1, 1, 90, 1.1))])
        self.assertEqual([line.split(" | ")[1:] for line in grid.counts(table, ["a"]).splitlines()[2:]],
                         [["as wanted", "**0 of 1** [0, 1] |"], ["with every seed", "0 |"], ["too little", "0 |"],
                          ["too much", "1 |"], ["as wanted", "**0 of 1** [0, 0] |"], ["with every seed", "0 |"],
                          ["too little", "1 |"], ["too much", "0 |"], ["as wanted", "**1 of 1** [1, 1] |"],
                          ["with every seed", "1 |"], ["too little", "0 |"], ["too much", "0 |"],
                          ["as wanted", "**0 of 1** [0, 0] |"], ["with every seed", "0 |"], ["too little", "1 |"],
                          ["too much", "0 |"], ["as wanted", "**0 of 1** [0, 0] |"], ["with every seed", "0 |"],
                          ["too little", "0 |"], ["too much", "1 |"]])


class Misses(unittest.TestCase):
    def test_are_those_of_the_first_beside_what_the_others_get(self):
        table = rows(("alone", "a", 1, 0.99, 20, 0.9), ("alone", "b", 1, 0.5, 20, 0.9),
                     ("cubic", "a", 1, 1, 90, 0.1), ("cubic", "b", 1, 1, 90, 0.5))
        self.assertEqual(grid.misses(table, ["a", "b"]).splitlines()[2:],
                         ["| beside one Cubic | 1 | 50 | 100 | **0.200 of its share** | 1.000 of its share |"])
        self.assertEqual(grid.misses(table[table["run"] == "alone"], ["a", "b"]), "None.\n")


class Sweep(unittest.TestCase):
    def test_has_at_least_two_hundred_cells_per_run(self):
        sweep = spec.read_file(os.path.join(ROOT, "sweeps", "grid.json"))
        self.assertEqual([run["name"] for run in sweep["runs"]], list(cells.RUNS))
        for run in sweep["runs"]:
            count = 1
            for axis in cells.AXES:
                count *= len(run["set"][axis.removeprefix("set:")])
            self.assertEqual(count, 240)

    @unittest.skipUnless(os.path.exists(LAB), "no weir-lab here")
    def test_when_quick_makes_the_page_and_its_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, PROGRAM, "--quick", "--algorithms", "fixed", "--lab", LAB, "--jobs", "1",
                                   "--results", os.path.join(folder, "r"), "--out", os.path.join(folder, "o")],
                                  capture_output=True, text=True, check=False, timeout=100,
                                  env={**os.environ, "MPLCONFIGDIR": folder})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(os.path.join(folder, "o", "grid.md"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("40 runs of weir-lab", text)
            self.assertEqual(len(re.findall(r"of 8\*\*", text)), len(cells.RUNS))
            with open(os.path.join(folder, "o", "grid.png"), "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")


if __name__ == "__main__":
    tap.main()
