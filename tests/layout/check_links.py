# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the pages point at exists: files, headings, and the paths they name. docs/encoders.md has each row of the table."""
import functools
import glob
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

LINK = re.compile(r"\]\(([^)\s]+)\)")
TOP = "docs|examples|gst|lib|scenarios|sim|sweeps|tests|tools"
PATH = re.compile(rf"`((?:{TOP})/[\w./*-]+)`")
EXAMPLE = re.compile(r"\b(?:\w*_)?foo\b|NAME")
MADE = {"docs/reproduction"} # by weir-reproduce, when it is asked to


@functools.lru_cache(None)
def pages():
    """The Markdown files of the tree, without those of build folders and of the folders Git keeps."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "subprojects"
                            and not os.path.exists(os.path.join(folder, f, "build.ninja"))
                            and not (folder == str(ROOT) and f.startswith("build")))
        found += [pathlib.Path(folder, file) for file in sorted(files) if file.endswith(".md")]
    return found


def prose(text):
    """A page without its blocks of code, where brackets mean something else."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return "\n".join(line for line in text.splitlines() if not line.startswith("    "))


@functools.lru_cache(None)
def headings(page):
    """The fragments of a page, as GitHub and GitLab make them."""
    titles = re.findall(r"^#+ (.+)$", prose(page.read_text(encoding="utf-8")), re.M)
    return {re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def dead(page, text):
    """The links of a page that lead nowhere, and the paths in backticks that are none."""
    for target in LINK.findall(prose(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        if not to.exists() or fragment and fragment not in headings(to):
            yield target
    for path in PATH.findall(prose(text)):
        if not EXAMPLE.search(path) and path not in MADE and not glob.glob(str(ROOT / path)):
            yield path


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        self.assertGreater(len(pages()), 20)
        self.assertEqual([f"{page.relative_to(ROOT)}: {target}" for page in pages()
                          for target in dead(page, page.read_text(encoding="utf-8"))], [])

    def test_reach_every_page_from_the_readme(self):
        reached, todo = set(), [ROOT / "README.md"]
        while todo:
            page = todo.pop()
            reached.add(page)
            targets = [t.partition("#")[0] for t in LINK.findall(prose(page.read_text(encoding="utf-8")))]
            ways = [(page.parent / t).resolve() for t in targets if t.endswith(".md")]
            todo += [way for way in ways if way.exists() and way not in reached]
        self.assertEqual([str(p.relative_to(ROOT)) for p in pages() if ROOT / "docs" in p.parents
                          and p not in reached], [])


def encoders(source):
    """Of gst/encoder/encoder_table.c: {pattern: (what a change costs as docs/encoders.md has it, the settings of its profile)}."""
    found = {}
    for pattern, cost, rest in re.findall(r'\{ ENCODER \("([^"]+)",[^)]*\), (CHEAP|COSTLY)(.*?)\},\n', source, re.S):
        live = re.search(r"GST_WEIR_LIVE_(\w+)", rest)
        words = {"NO": "it cannot", "IF_FLAGGED": "if it can"}.get(live[1] if live else "")
        profile = re.search(r'\.profile = "([^"]+)"', rest)
        found[pattern] = words or {"CHEAP": "nothing", "COSTLY": "a key frame"}[cost], profile[1].split() if profile else []
    return found


class Encoders(unittest.TestCase):
    maxDiff = None

    def test_have_a_row_with_what_is_set_and_what_a_change_costs(self):
        there = encoders((ROOT / "gst/encoder/encoder_table.c").read_text(encoding="utf-8"))
        self.assertGreater(len(there), 25)
        rows = [line.strip("| ").split(" | ") for line in (ROOT / "docs/encoders.md").read_text(encoding="utf-8").splitlines()
                if line.startswith("| `")]
        named = {name: row for row in rows for name in re.findall(r"`([^`]+)`", row[0])}
        self.assertEqual(list(named), list(there), "in the order in which they are tried")
        self.assertEqual({name: row[2].partition(",")[0] for name, row in named.items()},
                         {name: cost for name, (cost, _) in there.items()})
        self.assertEqual([f"{name}: {setting}" for name, (_, settings) in there.items() for setting in settings
                          if f"`{setting}`" not in named[name][1]], [])


class ThisTest(unittest.TestCase):
    def test_sees_what_is_dead(self):
        page = ROOT / "docs/lab.md"
        text = ("[a](lab.md) [b](nowhere.md) [c](#no-such-heading) [d](https://example.org/) `tests/tap.py` "
                "`tools/nothing.py`\n\n    [in](code.md)\n")
        self.assertEqual(list(dead(page, text)), ["nowhere.md", "#no-such-heading", "tools/nothing.py"])


if __name__ == "__main__":
    tap.main()
