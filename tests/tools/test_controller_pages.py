# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the algorithms say what the library says: names, ranges, defaults, variables."""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

LAB = os.environ.get("WEIR_LAB", str(ROOT / "build/tools/lab/weir-lab"))
PAGES = ROOT / "docs/controllers"
LINK = re.compile(r"\]\(([\w-]+)\.md\)")
NUMBER = r"-?\d+(?:\.\d+)?|10\^\d+"
RANGE = re.compile(rf"({NUMBER}) (?:to|or) ({NUMBER})(?: (.+))?")


def lab(*arguments):
    return json.loads(subprocess.run([LAB, *arguments, "--json"], check=True, stdout=subprocess.PIPE).stdout)


@functools.lru_cache(None)
def algorithms():
    """{algorithm: {parameter: what the library says of it}}"""
    return {a["name"]: {p["name"]: p for p in a["params"]} for a in lab("list", "algorithms")["algorithms"]}


@functools.lru_cache(None)
def variables(algorithm):
    """Names of what an algorithm shows of itself, from one second of a run."""
    run = lab("run", "dumbbell", "--algorithm", algorithm, "--duration", "1", "--set", "measure.from_s=0")
    return frozenset(next(f for f in run["flows"] if f["tested"])["variables"])


@functools.lru_cache(None)
def section(name, title):
    """The text under the heading that begins with this word."""
    text = (PAGES / (name + ".md")).read_text(encoding="utf-8")
    found = re.search(rf"^## {title}.*?$(.*?)(?=^## |\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def rows(text):
    """The cells of the rows of tables, headings included."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def parameters(name):
    """{parameter: (range, default)} of the table of one page."""
    return {row[0]: (row[1], row[2]) for row in rows(section(name, "Parameters"))[2:]}


def named(name):
    """What the Variables of one page name: words in backticks, and first cells of tables."""
    text = section(name, "Variables")
    return set(re.findall(r"`([a-z][a-z0-9_]*)`", text)) | {row[0] for row in rows(text)[2:]}


def pages(name, title):
    """The page, and those its section refers to, nearest first."""
    order = [name]
    for page in order:
        order += [link for link in LINK.findall(section(page, title)) if link not in order]
    return order


def number(text):
    return 10.0 ** int(text[3:]) if text.startswith("10^") else float(text)


def disagreement(param, cells):
    """What of a row of a page is not as the library has it, or None."""
    where, default = cells
    if param["kind"] == "bool":
        wanted, given = ("bool", param["default"]), (where, {"true": True, "false": False}.get(default))
    elif param["kind"] == "choice":
        wanted, given = (param["choices"], param["default"]), (where.split(", "), default)
    else:
        found = RANGE.fullmatch(where)
        unit = "" if param["unit"] == "1" else param["unit"]
        wanted = (param["min"], param["max"], unit, param["default"])
        given = (number(found[1]), number(found[2]), found[3] or "",
                 number(default) if re.fullmatch(NUMBER, default) else default) if found else where
    return None if wanted == given else f"the page says {given}, the library {wanted}"


class Pages(unittest.TestCase):
    def test_there_is_one_for_each_algorithm_and_no_other(self):
        self.assertEqual({page.stem for page in PAGES.glob("*.md")}, set(algorithms()))

    def test_name_every_parameter_with_its_range_and_default(self):
        wrong = []
        for name, params in algorithms().items():
            known = {}
            for page in pages(name, "Parameters"):
                known = parameters(page) | known
            for param in params.values():
                problem = disagreement(param, known[param["name"]]) if param["name"] in known else "in no table"
                wrong += [f"{name}: {param['name']}: {problem}"] if problem else []
        self.assertEqual(wrong, [])

    def test_name_no_parameter_that_does_not_exist(self):
        self.assertEqual({name: set(parameters(name)) - set(params) for name, params in algorithms().items()},
                         {name: set() for name in algorithms()})

    def test_name_every_variable(self):
        self.assertEqual({name: variables(name) - set().union(*map(named, pages(name, "Variables")))
                          for name in algorithms()}, {name: set() for name in algorithms()})

    def test_name_no_variable_that_does_not_exist(self):
        self.assertEqual({name: named(name) - variables(name) for name in algorithms()},
                         {name: set() for name in algorithms()})


class Lists(unittest.TestCase):
    def test_in_the_readme_have_every_algorithm(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r"\[`([\w-]+)`\]\(docs/controllers/\1\.md\)", text)), sorted(algorithms()))
        listed = lab("list", "algorithms")["algorithms"]
        self.assertEqual(re.findall(r"^\| \[`([\w-]+)`\]\(docs/controllers/", text, re.M),
                         [a["name"] for a in listed if a["for_live_media"]])

    def test_in_the_guide_have_every_algorithm(self):
        text = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
        glance = re.search(r"<!-- begin glance -->(.*?)<!-- end glance -->", text, re.S).group(1)
        self.assertEqual(re.findall(r"\[`([\w-]+)`\]", glance), list(algorithms()))


class ThisTest(unittest.TestCase):
    """A comparison that finds nothing must be able to find something."""
    PARAM = {"name": "x", "kind": "number", "unit": "ms", "min": 0, "max": 1e9, "default": 20}

    def test_agrees_with_what_is_right(self):
        self.assertIsNone(disagreement(self.PARAM, ("0 to 10^9 ms", "20")))

    def test_sees_a_wrong_bound_unit_or_default(self):
        for cells in (("1 to 10^9 ms", "20"), ("0 to 10^8 ms", "20"), ("0 to 10^9", "20"), ("0 to 10^9 s", "20"),
                      ("0 to 10^9 ms", "21"), ("0 to 10^9 ms", "auto"), ("any", "20")):
            self.assertIsNotNone(disagreement(self.PARAM, cells), cells)

    def test_sees_a_wrong_choice_or_switch(self):
        choice = {"name": "x", "kind": "choice", "choices": ["a", "b"], "default": "a"}
        switch = {"name": "x", "kind": "bool", "default": True}
        self.assertIsNone(disagreement(choice, ("a, b", "a")))
        self.assertIsNone(disagreement(switch, ("bool", "true")))
        for param, cells in ((choice, ("a, b", "b")), (choice, ("a", "a")), (switch, ("bool", "false"))):
            self.assertIsNotNone(disagreement(param, cells), cells)


if __name__ == "__main__":
    tap.main()
