# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guide to choosing an algorithm: measures of made-up runs, verdicts of made-up measures, and the page of a quick
sweep with the laboratory of WEIR_LAB."""
import datetime
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import numpy as np  # noqa: E402
import tap  # noqa: E402
from sweep import guide_figure, live, measures, page, verdicts  # noqa: E402

LAB = os.environ.get("WEIR_LAB", "")
GUIDE = os.path.join(ROOT, "tools", "sweep", "guide.py")
TIMES = np.arange(1, 1201) / 10


def rate(*steps):
    """bit/s at each of TIMES: (from, rate) after (from, rate)."""
    out = np.zeros(len(TIMES))
    for from_s, bps in steps:
        out[TIMES > from_s] = bps
    return out


class Times(unittest.TestCase):
    def test_to_fall_last_until_no_more_than_the_capacity_is_sent(self):
        self.assertAlmostEqual(measures.fall_s(TIMES, rate((0, 2.5e6), (43, 1.0e6))), 3.1)
        self.assertAlmostEqual(measures.fall_s(TIMES, rate((0, 2.5e6), (42, 1.04e6))), 2.1)
        self.assertEqual(measures.fall_s(TIMES, rate((0, 2.5e6), (42, 1.06e6))), np.inf)
        self.assertEqual(measures.fall_s(TIMES, rate((0, 2.5e6), (80, 0.5e6))), np.inf, "the capacity is back")

    def test_to_fall_are_unknown_of_who_never_sent_more(self):
        self.assertTrue(math.isnan(measures.fall_s(TIMES, rate((0, 3e5)))))

    def test_to_rise_last_until_the_freed_capacity_is_used(self):
        self.assertAlmostEqual(measures.rise_s(TIMES, rate((0, 1e6), (85, 2.25e6))), 5.1)
        self.assertEqual(measures.rise_s(TIMES, rate((0, 2.5e6), (40, 1e6), (85, 2.2e6))), np.inf)


class Measures(unittest.TestCase):
    def results(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, "flows.csv"), "w", encoding="utf-8") as file:
            file.write("run,algorithm,set:vars.loss,seed,key,tested,goodput_bps,link_capacity_bps,jain\n" + text)
        return measures.Results(folder.name)

    def test_are_of_the_flows_under_test(self):
        results = self.results("reno,a,,1,k,true,1000,8000,0.9\nreno,a,,1,k,true,3000,8000,0.9\n"
                               "reno,a,,1,k,false,4000,8000,0.9\nreno,a,,2,l,true,1000,8000,0.8\n"
                               "reno,a,,2,l,false,1000,8000,0.8\n")
        self.assertEqual(measures.utilisation("reno")(results, "a").tolist(), [0.5, 0.125])
        self.assertEqual(measures.share("reno")(results, "a").tolist(), [0.5, 1])
        self.assertEqual(measures.of("reno", "jain")(results, "a").tolist(), [0.9, 0.8])

    def test_tell_settings_apart(self):
        results = self.results("loss,a,0.1,1,k,true,1000,8000,1\nloss,a,0.01,1,l,true,4000,8000,1\n")
        self.assertEqual(measures.utilisation("loss", loss=0.01)(results, "a").tolist(), [0.5])

    def test_are_medians_with_their_range(self):
        self.assertEqual(measures.spread(np.array([3.0, 1.0, np.nan, 2.0])), (2, 1, 3))
        self.assertTrue(math.isnan(measures.spread(np.array([np.nan]))[0]))

    def test_have_the_names_that_tables_verdicts_and_panels_use(self):
        known = set(measures.measures())
        wishes = [wish for use in verdicts.USES.values() for wish in use.wishes]
        wishes += [*verdicts.NEVER, *(wish for _, wish in verdicts.STRENGTHS + verdicts.WEAKNESSES)]
        used = {wish.measure for wish in wishes}
        used |= {panel[0] for panels in guide_figure.PICTURES.values() for panel in panels}
        used |= {name for names in page.TABLES.values() for name in names}
        self.assertEqual(used - known, set())


def values(**given):
    """All measures: 0 but for those given, with _ for the dot of their names."""
    out = {name: 0.0 for name in measures.measures()}
    out.update({name.replace("_", "."): value for name, value in given.items()})
    return {name: (value,) * 3 for name, value in out.items()}


class Verdicts(unittest.TestCase):
    def test_order_by_the_first_wish_who_meets_all(self):
        good = {"sack_share": 1.0, "steady_use": 0.9}
        found = {"slow": values(step_fall=1.9, **good), "fast": values(step_fall=0.5, **good),
                 "late": values(step_fall=2.1, **good), "bad": values(step_fall=9.0, sack_share=9.0, steady_use=0.9),
                 "unknown": values(step_fall=math.nan, **good), "never": values(step_fall=0.1, sack_share=1.0)}
        meet, near = verdicts.sort_out(verdicts.USES["video"], found)
        self.assertEqual(meet, ["fast", "slow"])
        self.assertEqual({wish.measure: names for wish, names in near.items()}, {"step.fall": ["late", "unknown"]})
        text = page.use_text(verdicts.USES["video"], found, list(found))
        self.assertIn("**`fast` (0.5), `slow` (1.9)**\n", text)
        self.assertIn("* Misses only seconds to follow a fall: `late` (2.1), `unknown` (-)\n", text)
        self.assertIn("utilisation at least 0.85; ", text)
        self.assertNotIn("research", text)
        text = page.use_text(verdicts.USES["video"], found, ["slow", "unknown"])
        self.assertIn("**`slow` (1.9)**\n\n* Of those for research: `fast` (0.5)\n", text)
        self.assertIn("* Misses only seconds to follow a fall: `unknown` (-), `late` (2.1)\n", text)
        self.assertIn("**None of those for live media.**", page.use_text(verdicts.USES["video"], found, ["bad"]))

    def test_say_who_is_never_for_live_media_and_why(self):
        found = {"good": values(sack_share=1.0, steady_use=0.9), "idle": values(sack_share=1.0, steady_use=0.1)}
        self.assertEqual({name: [wish.measure for wish in broken] for name, broken in verdicts.never(found).items()},
                         {"idle": ["steady.use"]})
        self.assertEqual(page.never_text({"good": found["good"]}), "None of them.\n")

    def test_are_numbers_as_people_write_them(self):
        self.assertEqual(verdicts.number("{:.1%}", 0.0123), "1.2")
        self.assertEqual(verdicts.number("{:.1f}", math.inf), "never")
        self.assertEqual(verdicts.number("{:.1f}", math.nan), "-")


    def test_say_of_what_day_they_are_where_all_of_a_page_is(self):
        summary = {"refused": [], "failed": [], "done": 3, "version": "1", "conditions": [{"seeds": 2}]}
        self.assertEqual(page.made_text(summary), "3 runs of weir-lab 1, medians of 2 seeds.\n")
        self.assertEqual(page.made_text(summary, datetime.date(2026, 1, 2)),
                         "3 runs of weir-lab 1, medians of 2 seeds. Measured on 2 January 2026.\n")


class Page(unittest.TestCase):
    def test_marks_are_replaced_and_the_rest_is_kept(self):
        text = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"
        self.assertEqual(page.filled(text, {"x": "new\n"}), "a\n<!-- begin x -->\nnew\n<!-- end x -->\nb\n")
        self.assertEqual(page.filled(page.filled(text, {"x": "1\n"}), {"x": "1\n"}), page.filled(text, {"x": "1\n"}))

    def test_marks_without_a_part_and_parts_without_a_mark_are_an_error(self):
        text = "<!-- begin x -->\n<!-- end x -->\n"
        for generated in ({}, {"x": "", "y": ""}, {"y": ""}):
            with self.assertRaises(ValueError):
                page.filled(text, generated)

    def test_parts_that_others_write_are_kept_and_must_be_there(self):
        text = "<!-- begin x -->\nold\n<!-- end x -->\n<!-- begin y -->\nold\n<!-- end y -->\n"
        self.assertEqual(page.filled(text, {"x": "new\n"}, ["y"]), text.replace("old", "new", 1))
        for others in ((), ["y", "z"], ["x", "y"]):
            with self.assertRaises(ValueError):
                page.filled(text, {"x": "new\n"}, others)

    def test_of_the_documentation_has_all_marks_and_the_pictures_it_shows(self):
        with open(os.path.join(ROOT, "docs", "choosing.md"), encoding="utf-8") as file:
            text = file.read()
        marks = {name for _, name, _ in page.MARK.findall(text)}
        self.assertEqual(marks, {"glance", "never", "tcp-over-hops", "made", *live.PARTS, *("use-" + use for use in verdicts.USES),
                                 *("table-" + table for table in page.TABLES)})
        for picture in re.findall(r"!\[[^]]*\]\(([^)]*)\)", text):
            self.assertTrue(os.path.exists(os.path.join(ROOT, "docs", picture)), picture)


class Sweep(unittest.TestCase):
    def test_of_the_guide_has_scenarios_of_its_own_that_are_all_used(self):
        with open(os.path.join(ROOT, "sweeps", "guide.json"), encoding="utf-8") as file:
            used = {run["scenario"] for run in json.load(file)["runs"]}
        there = {name.removesuffix(".json") for name in os.listdir(os.path.join(ROOT, "scenarios"))
                 if name.startswith("guide.")}
        self.assertEqual(used, there)

    @unittest.skipUnless(os.path.exists(LAB), "no weir-lab here")
    def test_when_quick_makes_a_page_with_every_algorithm_and_its_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, GUIDE, "--quick", "--algorithms", "fixed,tfrc", "--lab", LAB,
                                   "--results", os.path.join(folder, "r"), "--out", os.path.join(folder, "o"),
                                   "--jobs", "1"], capture_output=True, text=True, check=False, timeout=250,
                                  env={**os.environ, "MPLCONFIGDIR": folder})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(os.path.join(folder, "o", "choosing.md"), encoding="utf-8") as file:
                text = file.read()
            self.assertIn("one seed.", text)
            self.assertEqual([line for line in text.splitlines() if len(line) > 100 and line[0] not in "|!"], [])
            numbers = text[text.index("## The numbers"):]
            self.assertEqual(len(re.findall(r"^\| `tfrc` \|", numbers, re.MULTILINE)), len(page.TABLES))
            self.assertIn("`fixed`: utilisation of a steady link 0.11", text)
            for name in "choosing-alone.png", "choosing-hard.png", "choosing-step.png":
                with open(os.path.join(folder, "o", name), "rb") as file:
                    self.assertEqual(file.read(4), b"\x89PNG")


class Readme(unittest.TestCase):
    @staticmethod
    def table(path, after):
        """{algorithm: cells of its row}, of the first table after a text."""
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            rows = file.read().partition(after)[2].strip().partition("\n\n")[0].splitlines()
        named = [row for row in rows if row.startswith(("| [`", "| `"))]
        cells = [[cell.strip(" *") for cell in row.strip("|").split("|")] for row in named]
        return {re.match(r"\[?`([\w-]+)`", row[0])[1]: row[1:] for row in cells}

    def test_has_the_figures_of_the_guide(self):
        guide_has = self.table(os.path.join("docs", "choosing.md"), "medians of 8 seeds.\n")
        readme_has = self.table("README.md", "more in [docs/choosing.md](docs/choosing.md)):\n")
        self.assertIn("sluice", readme_has)
        for name, (_, alone, beside, lossy) in readme_has.items():
            _, const, _, _, cubic, loss, *_ = (re.sub(r"\*", "", cell) for cell in guide_has[name])
            used, queue_ms, _ = const.split(" / ")
            shown = [f"{float(figure):.2f}".lstrip("0") for figure in (used, cubic, loss)]
            shown[0] += f", {queue_ms} ms"
            self.assertEqual([alone, beside, lossy], shown, name)


if __name__ == "__main__":
    tap.main()
