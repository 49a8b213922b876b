# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages: the papers' numbers beside ours, a paragraph for every claim that fails, sensitivities; and that
what was written by hand fits what came out."""
import json
import os
import sys
import tempfile
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce import conclusions, findings, report, sensitivity, tables  # noqa: E402


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return json.load(file)


def check(verdict, **fields):
    return {"text": "a claim", "expr": "", "stated": "> 1", "measured": "0.5", "verdict": verdict, "seeds": 5,
            "seeds_holding": 1, "min": 0.25, "max": 0.75, **fields}


def number(text, value, measured, unit="bit/s"):
    return {"text": text, "expr": "", "stated": f"{value} {unit}", "measured": str(measured), "verdict": "PASS",
            "seeds": 5, "seeds_holding": 5, "value": value, "number": measured, "unit": unit,
            "min": 0.9 * measured, "max": 1.1 * measured}


def target(name="p.fig1", checks=(), stated=(), **fields):
    return {"id": name, "paper": name.split(".")[0], "title": "Title", "ref": "fig. 1", "repro": "numeric",
            "checks": list(checks), "stated": list(stated), **fields}


FINDING = {"p.fig1#2": {"text": "It was tried.", "cause": "the paper"}}


class Findings(unittest.TestCase):
    def test_stand_below_the_claims_that_fail(self):
        lines = report.page_of_target(target(checks=[check("PASS"), check("FAIL")]), FINDING)
        self.assertIn("**Claim 2.** It was tried. *Likely cause: the paper.*", lines)

    def test_of_what_the_paper_leaves_open_begin_with_its_words(self):
        finding = {"p.fig1#1": {"says": "it is so", "text": "It was tried.", "cause": "a setting"}}
        lines = report.page_of_target(target(checks=[check("FAIL", conclusion="underdetermined")]), finding)
        self.assertIn('**Claim 1.** The paper: "it is so". It was tried. *What this leaves open: a setting.*', lines)

    def test_that_are_missing_are_seen_on_the_page_and_in_the_overview(self):
        targets = [target(checks=[check("FAIL"), check("FAIL")])]
        self.assertIn("**Claim 1: not explained yet.**", report.page_of_target(targets[0], FINDING))
        overview = "\n".join(report.overview(targets, {"p": "P"}, FINDING))
        self.assertIn("* p.fig1#1 fails, and findings.json does not say why", overview)
        self.assertNotIn("p.fig1#2 fails", overview)

    def test_of_claims_that_pass_or_do_not_exist_are_complained_about(self):
        complaints = findings.complaints([target(checks=[check("PASS"), check("PASS")])], FINDING)
        self.assertEqual(complaints, ["p.fig1#2 does not fail (PASS), and findings.json says why it does"])
        complaints = findings.complaints([target(checks=[check("PASS")])], FINDING)
        self.assertEqual(complaints, ["findings.json speaks of p.fig1#2, which does not exist"])

    def test_are_not_asked_for_by_quick_runs(self):
        self.assertEqual(findings.complaints([target(checks=[check("FAIL")], quick=True)], FINDING), [])

    def test_speak_of_claims_that_exist_and_name_a_cause(self):
        specs = {spec["id"]: spec for spec in read("tools/reproduce/targets.json")["targets"]}
        for name, finding in read("tools/reproduce/findings.json").items():
            place, claim = name.split("#")
            self.assertLessEqual(1, int(claim), name)
            self.assertLessEqual(int(claim), len(specs[place]["checks"]), name)
            self.assertTrue(finding["text"].endswith("."), name)
            self.assertTrue(finding["cause"], name)

    def test_are_complete_for_the_report_of_this_tree(self):
        stored = os.path.join(ROOT, "docs", "reproduction", "results.json")
        if not os.path.exists(stored):
            self.skipTest("no report was written yet")
        results, known = read("docs/reproduction/results.json")["targets"], read("tools/reproduce/findings.json")
        self.assertEqual(findings.complaints(results, known), [])
        for result in results:
            for i, row in enumerate(result["checks"], 1):
                if row["conclusion"] == conclusions.UNDERDETERMINED:
                    self.assertTrue(known[findings.key(result["id"], i)]["says"], findings.key(result["id"], i))


class Conclusions(unittest.TestCase):
    ROW = {"seeds_holding": 0, "comparisons": [{"holds": False}]}
    TABLE = {"id": "t", "columns": ["p.fig1#1: a claim"], "rows": {
        "as reported": ["FAIL: 0.5 > 1, 0/5 seeds"], "other": ["PASS: 2 > 1, 5/5 seeds"]}}

    def conclude(self, row, table):
        conclusions.conclude([target(checks=[row])], [table])
        return row["conclusion"], row.get("evidence", [])

    def test_is_underdetermined_what_an_open_setting_makes_hold(self):
        self.assertEqual(self.conclude(check("FAIL", **self.ROW), self.TABLE),
                         ("underdetermined", ["with 'other' PASS: 2 > 1, 5/5 seeds (table [t](#t))"]))

    def test_is_not_what_the_paper_settles_or_other_runs_say(self):
        settled = [{**self.TABLE, "settled": {name: "the paper says so"}} for name in ("*", "other")]
        for row, table in ((self.ROW, settled[0]), (self.ROW, settled[1]), ({**self.ROW, "measured": "0.6"}, self.TABLE)):
            self.assertEqual(self.conclude(check("FAIL", **row), table), ("fails", []))

    def test_needs_every_seed_where_only_seeds_are_against_the_claim(self):
        only_seeds = {"seeds_holding": 0, "comparisons": [{"holds": True}]}
        for seeds, conclusion in ((5, "underdetermined"), (4, "fails")):
            rows = {**self.TABLE["rows"], "other": [f"PASS: 2 > 1, {seeds}/5 seeds"]}
            self.assertEqual(self.conclude(check("FAIL", **only_seeds), {**self.TABLE, "rows": rows})[0], conclusion)

    def test_without_evidence_are_those_of_the_check(self):
        self.assertEqual([self.conclude(check(verdict), self.TABLE)[0] for verdict in ("PASS", "FAIL", "OPEN")],
                         ["holds", "fails", ""])

    def test_are_counted_and_stand_in_the_table(self):
        claims = [check("FAIL", **self.ROW), check("PASS"), check("FAIL"), check("OPEN", reason="a drawing")]
        targets = [target(checks=claims)]
        conclusions.conclude(targets, [self.TABLE])
        self.assertEqual(report.summary(targets, 0)["conclusions"],
                         {"holds": 1, "refuted": 0, "underdetermined": 1, "fails": 1})
        self.assertEqual(report.summary_table({"p": "P"}, targets)[-1],
                         "| [P](p.md) | 1 | 1 | 0 | 1 | 1 | 1 | 0 | 0 | 0 |")
        self.assertIn("**Underdetermined**: with 'other' PASS: 2 > 1, 5/5 seeds (table [t](#t)).",
                      report.page_of_target(targets[0], {}))


class SideBySide(unittest.TestCase):
    def test_tables_have_the_rows_and_columns_of_the_paper(self):
        stated = [number("TCP goodput", 100, 110), number("TCP cov", 0.5, 0.25, ""), number("SIMD goodput", 200, 150)]
        lines = tables.of_paper(target(stated=stated))
        self.assertEqual(lines[0], "|  | goodput (bit/s): paper | measured | difference | cov: paper | measured "
                                   "| difference |")
        self.assertEqual(lines[2], "| TCP | 100 | 110 (99 to 121) | +10 % | 0.5 | 0.25 (0.225 to 0.275) | -50 % |")
        self.assertEqual(lines[3], "| SIMD | 200 | 150 (135 to 165) | -25 % |  |  |  |")

    def test_papers_without_tables_have_a_list(self):
        lines = tables.page("p", [target(stated=[number("share", 2.0, 1.9, "Mbps")])])
        self.assertIn("| p.fig1 | share | 2.0 Mbps | 1.9 (1.71 to 2.09) | -5 % | PASS |", lines)
        self.assertEqual(tables.page("p", [target()]), [])

    def test_every_table_of_the_simd_paper_is_there(self):
        specs = [spec for spec in read("tools/reproduce/targets.json")["targets"]
                 if spec["paper"] == "simd" and spec["kind"] == "table"]
        results = [target(spec["id"], kind="table", ref=spec["ref"], stated=[
            {**number(stated["what"], 1.0, 1.0), "value": stated["value"]} for stated in spec["stated"]])
            for spec in specs]
        page = "\n".join(tables.page("simd", results))
        for name in ("II", "III", "IV", "V", "VI", "VIII", "IX", "X", "XI"):
            self.assertIn(f"**Table {name}**", page)


class Sensitivity(unittest.TestCase):
    def test_speaks_of_claims_and_targets_that_exist(self):
        specs = {spec["id"]: spec for spec in read("tools/reproduce/targets.json")["targets"]}
        for entry in read("tools/reproduce/sensitivity.json"):
            self.assertEqual(specs[sensitivity.looked_at(entry, specs)[0][0]["id"]]["paper"], entry["paper"])
            self.assertGreater(len(entry["alternatives"]), 1, entry["id"])
            self.assertTrue(entry["question"].endswith("."), entry["id"])

    def test_gives_a_row_per_alternative_and_a_column_per_claim(self):
        entry = {"id": "e", "paper": "p", "question": "Which?", "alternatives": {"one": {"n": 1}, "two": {"n": 2}},
                 "of": ["p.fig1#1", {"target": "p.fig1", "text": "a number", "expr": "x"}]}
        specs = {"p.fig1": {"id": "p.fig1", "checks": [{"text": "a claim", "expr": "x > 1"}]}}

        def make(spec, change):
            row = types.SimpleNamespace(verdict="PASS", measured=str(change["n"]), stated="> 1", holds=2, seeds=2)
            return types.SimpleNamespace(check_over=lambda seeds, spec: row, seeds=(1, 2), results=[[1], [2]],
                                         evaluate=lambda text, seeds=(0,): (change["n"] + seeds[0], []))
        result = sensitivity.judge(entry, sensitivity.plan(entry, specs, make))
        self.assertEqual(result["columns"], ["p.fig1#1: a claim", "a number"])
        self.assertEqual(result["rows"], {"one": ["PASS: 1 > 1, 2/2 seeds", "1 (2 to 3)"],
                                          "two": ["PASS: 2 > 1, 2/2 seeds", "2 (3 to 4)"]})
        self.assertIn("| one | PASS: 1 > 1, 2/2 seeds | 1 (2 to 3) |", sensitivity.page("p", [result]))
        self.assertEqual(sensitivity.page("other", [result]), [])


class Pages(unittest.TestCase):
    def test_lead_to_each_target_from_the_index(self):
        with tempfile.TemporaryDirectory() as folder:
            report.write_pages(folder, [target(title="A, b (c) - d")], {"p": "Paper"})
            with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
                self.assertIn("[p.fig1](p.md#pfig1-a-b-c---d)", file.read())

    def test_say_why_claims_cannot_be_judged(self):
        lines = report.overview([target(checks=[check("OPEN", reason="a drawing")])], {"p": "Paper"}, {})
        self.assertIn("| p.fig1#1 | a claim | a drawing |", lines)


if __name__ == "__main__":
    tap.main()
