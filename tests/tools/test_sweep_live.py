# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of the live cases: figures of made-up runs, and a quick sweep with the laboratory of WEIR_LAB."""
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import pandas as pd  # noqa: E402
import tap  # noqa: E402
from sweep import live, live_figure  # noqa: E402

LAB = os.environ.get("WEIR_LAB", "")
PROGRAM = os.path.join(ROOT, "tools", "sweep", "live.py")
HEAD = "run,scenario,algorithm,seed,group,tested,sent_bps,loss_ratio,link_utilization,link_rise_s_0,jain\n"


def table(text, head=HEAD):
    return pd.read_csv(io.StringIO(head + text))


class Figures(unittest.TestCase):
    def test_are_of_the_flows_that_they_name(self):
        rows = table("r,live/tcp1,a,1,media,true,1000000,0.1,0.9,1.5,0.8\n"
                     "r,live/tcp1,a,1,media,true,2000000,0.2,0.9,1.5,0.8\n"
                     "r,live/tcp1,a,1,reno,false,4000000,0.5,0.9,1.5,0.8\n"
                     "r,live/tcp1,a,1,upload,false,8000000,0,0.1,,0.8\n")
        self.assertAlmostEqual(live.MEDIA.value(rows), 0.9 + 1.6)
        self.assertAlmostEqual(live.TCP.value(rows), 2)
        self.assertAlmostEqual(live.used().value(rows), 0.9)
        self.assertAlmostEqual(live.loss().value(rows), 15)
        self.assertAlmostEqual(live.JAIN.value(rows), 0.8)
        self.assertAlmostEqual(live.rise("", 0, 1).value(rows), 1.5)

    def test_are_never_when_it_did_not_come_to_it(self):
        rows = table("r,live/const,a,1,media,true,1,0,0.5,,1\nr,live/const,a,2,media,true,1,0,0.5,2,1\n"
                     "r,live/const,a,3,media,true,1,0,0.5,,1\n")
        values = live.per_seed(live.rise("", 0, 3), rows)
        self.assertEqual(live.rise("", 0, 3).text(values), "never [2.00, never]")

    def test_are_medians_with_their_spread_and_bold_when_they_are_as_wanted(self):
        values = pd.Series([0.7, 0.8, 0.95])
        self.assertEqual(live.used(0.8).text(values), "**0.800 [0.700, 0.950]**")
        self.assertEqual(live.used(0.81).text(values), "0.800 [0.700, 0.950]")
        self.assertEqual(live.used().text(values), "0.800 [0.700, 0.950]")
        self.assertEqual(live.used(0.8).text(pd.Series([0.8])), "**0.800**")
        self.assertEqual(live.used(0.8).text(pd.Series([float("nan")])), "–")

    def test_of_each_run_are_as_wanted_in_all_or_not_at_all(self):
        self.assertTrue(live.MEDIA.is_met(pd.Series([1.6, 2.0, 2.4])))
        self.assertFalse(live.MEDIA.is_met(pd.Series([1.59, 2.0, 2.4])))
        self.assertFalse(live.MEDIA.is_met(pd.Series([1.6, 2.0, 2.41])))


class Tables(unittest.TestCase):
    def test_name_conditions_by_what_differs_between_them(self):
        rows = table("".join(f"r,live/shallow,{algorithm},1,media,true,1,0,{used},1,1,{queue},same\n"
                             for algorithm, used, queue in [("a", 0.5, 5), ("b", 0.99, 5), ("a", 0.7, 10)])
                     + "s,live/shallow,a,1,media,true,1,0,1,1,1,,\n", HEAD.strip() + ",set:vars.queue,set:vars.other\n")
        head, lines = live.lines(rows, False)
        self.assertEqual(head, ["scenario", "figure", "`a`", "`b`"])
        self.assertEqual([line[:2] for line in lines], [["r, queue 5", "used"], ["", "loss, %"],
                                                        ["r, queue 10", "used"], ["", "loss, %"],
                                                        ["s", "used"], ["", "loss, %"]])
        self.assertEqual(lines[0][2:], ["0.500", "0.990"])
        self.assertEqual(lines[2][2:], ["0.700", "–"])
        self.assertEqual(lines[4][0], "s")

    def test_compare_several_calls_whatever_the_scenario(self):
        row = "r,live/shallow,a,{},media,true,1,0.001,0.98,1,0.9\n"
        for rows, compared in [(row.format(1) * 2, True), (row.format(1) + row.format(2), False)]:
            self.assertEqual([line[1] for line in live.lines(table(rows), False)[1]],
                             ["used", "loss, %", *(["Jain's index"] if compared else [])])

    def test_say_what_is_wanted_of_the_scenarios_as_they_are(self):
        rows = table("r,live/shallow,a,1,media,true,1,0.001,0.98,1,1\n")
        head, lines = live.lines(rows, True)
        self.assertEqual(head, ["scenario", "figure", "target", "`a`"])
        self.assertEqual(lines, [["r", "used", "≥ 0.97", "**0.980**"], ["", "loss, %", "≤ 0.3", "**0.10**"]])


class Scoreboard(unittest.TestCase):
    ROWS = "".join(f"shallow,live/shallow,{algorithm},{seed},media,true,1,{loss},{used},1,1\n"
                   for algorithm, seed, loss, used in [("a", 1, 0.01, 0.99), ("a", 2, 0.01, 0.9), ("a", 3, 0.01, 0.98),
                                                       ("b", 1, 0.001, 0.99), ("b", 2, 0, 0.5), ("b", 3, 0, 0.98)])

    def test_begins_with_who_is_as_wanted_on_most_paths(self):
        head, rows = live.scoreboard(table(self.ROWS), ["a", "b"])
        self.assertEqual(head, ["algorithm", "met", "shallow"])
        self.assertEqual(rows, [["target", "of 1", "used ≥ 0.97 / loss ≤ 0.3 %"], ["`b`", "1", "**0.980** / **0.00**"],
                                ["`a`", "0", "**0.980** / 1.00"]])

    def test_has_those_for_live_media_first(self):
        _, rows = live.scoreboard(table(self.ROWS), ["a"])
        self.assertEqual([row[0] for row in rows], ["target", "`a`", "*research:*", "`b`"])
        self.assertEqual({len(row) for row in rows}, {3})

    def test_says_what_is_wanted_with_the_unit(self):
        self.assertEqual(live.MEDIA.wish(), "media ≥ 1.6, ≤ 2.4 Mbit/s in each run")
        self.assertEqual(live.JAIN.wish(), "Jain's index ≥ 0.97")

    def test_goes_into_the_page_with_the_figures_of_the_leading_algorithms(self):
        summary = {"refused": [], "failed": [], "done": 3, "version": "1", "live": ["a", "sluice"],
                   "conditions": [{"seeds": 3}]}
        rows = table(self.ROWS.replace(",b,", ",sluice,"))
        written = live.parts("live", rows, summary)
        self.assertEqual(set(written) | set(live.parts("paths", rows, summary)), set(live.PARTS))
        self.assertIn("3 runs of weir-lab 1, medians of 3 seeds.", written["live"])
        self.assertIn("| `a` | 0 |", written["live"])
        self.assertNotIn("`a`", written["live-figures"])
        self.assertIn("| scenario | figure | target | `sluice` |", written["live-figures"])
        self.assertEqual(live.parts("other", rows, summary), {})


class Picture(unittest.TestCase):
    HEAD = "scenario,algorithm,seed,group,tested,sent_bps,loss_ratio,link_utilization,link_queue_ms_p95\n"

    def test_has_a_share_and_a_queue_for_each_situation(self):
        rows = table("".join(f"{name},sluice,{seed},media,true,{seed}000000,0,0.{seed},{seed}00\n"
                             for _, name, _ in live_figure.SITUATIONS for seed in (1, 2, 3)), self.HEAD)
        found = live_figure.points(rows, "sluice", live.MEDIA.value, live.q95().value)
        self.assertEqual(found, [(1.0 if whole else 0.2, 200) for _, _, whole in live_figure.SITUATIONS])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.png")
            live_figure.draw(rows, live.MEDIA.value, live.q95().value, path)
            self.assertGreater(os.path.getsize(path), 10000)

    def test_shows_what_the_sweep_has(self):
        self.assertLessEqual({name for _, name, _ in live_figure.SITUATIONS}, set(live.NAMES))


class Sweeps(unittest.TestCase):
    def test_of_variations_change_what_there_is(self):
        with open(os.path.join(ROOT, "sweeps", "live-variations.json"), encoding="utf-8") as file:
            runs = json.load(file)["runs"]
        with open(os.path.join(ROOT, "scenarios", "live", "const.json"), encoding="utf-8") as file:
            variables = set(json.load(file)["vars"]) | {"queue_packets"}  # of live/shallow
        for run in runs:
            self.assertTrue(run["name"].startswith(run["scenario"].removeprefix("live/") + ", "), run)
            changed = {path.removeprefix("vars.") for path in run["set"] if path.startswith("vars.")}
            self.assertLessEqual(changed, variables)

    def test_have_all_live_scenarios_and_no_others(self):
        with open(os.path.join(ROOT, "sweeps", "live.json"), encoding="utf-8") as file:
            used = [run["scenario"] for run in json.load(file)["runs"]]
        there = {"live/" + name.removesuffix(".json") for name in os.listdir(os.path.join(ROOT, "scenarios", "live"))}
        self.assertEqual(set(used), there)
        self.assertEqual(used, ["live/" + name for name in live.SCENARIOS])

    def test_have_all_paths_and_no_others(self):
        with open(os.path.join(ROOT, "sweeps", "paths.json"), encoding="utf-8") as file:
            used = [run["scenario"] for run in json.load(file)["runs"]]
        there = {"paths/" + name.removesuffix(".json") for name in os.listdir(os.path.join(ROOT, "scenarios", "paths"))
                 if name.endswith(".json")}
        self.assertEqual(set(used), there)
        self.assertEqual(used, ["paths/" + name for name in live.PATHS])

    def run_program(self, folder, *args):
        return subprocess.run([sys.executable, PROGRAM, "--quick", "--jobs", "1", "--results", os.path.join(folder, "r"),
                               *args], capture_output=True, text=True, check=False, timeout=100)

    @unittest.skipUnless(os.path.exists(LAB), "no weir-lab here")
    def test_of_every_scenario_give_every_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_program(folder, "--algorithms", "tfrc", "--lab", LAB)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
        self.assertEqual(len(rows), 1 + sum(len(figures) for figures in live.SCENARIOS.values()))
        for row in rows[1:]:
            self.assertRegex(row[-1], r"^(\*\*)?(\d+(\.\d+)?|never)(\*\*)? \|$", row)

    @unittest.skipUnless(os.path.exists(LAB), "no weir-lab here")
    def test_of_other_scenarios_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"runs": [{"scenario": "guide.loss"}]}, file)
            done = self.run_program(folder, path, "--lab", LAB)
        self.assertEqual(done.returncode, 2)
        self.assertIn('runs.guide.loss.scenario = "guide.loss": must be one of live/const', done.stderr)


if __name__ == "__main__":
    tap.main()
