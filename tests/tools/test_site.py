# SPDX-License-Identifier: LGPL-2.1-or-later
"""tools/site: each page of the tree has its place in the site, and links that lead nowhere are found."""
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
import tap  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("site_tool", str(ROOT / "tools" / "site"))
SITE = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_tool", LOADER))
LOADER.exec_module(SITE)


class Navigation(unittest.TestCase):
    def test_has_each_page_once(self):
        named = re.findall(r": (\S+\.md)$", (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
        made = ["docs/controllers/README.md", "reference/c.md", *(f"reference/{name}.md" for name in SITE.ELEMENTS)]
        pages = SITE.PAGES + [f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")]
        self.assertEqual(sorted(named), sorted([*pages, "docs/reproduction/README.md", "examples/README.md", *made]))

    def test_has_each_element_of_the_plugin(self):
        plugin = (ROOT / "gst" / "plugin.c").read_text(encoding="utf-8")
        self.assertEqual(sorted(SITE.ELEMENTS), sorted(re.findall(r"ELEMENT_REGISTER \((\w+), plugin\)", plugin)))


class Tables(unittest.TestCase):
    def test_keep_a_text_in_its_cell(self):
        self.assertEqual(SITE.table(["a", "b"], [("x|y", "two\n lines <b>")]),
                         "| a | b |\n|---|---|\n| x\\|y | two lines &lt;b> |\n")

    def test_have_the_parameters_of_each_algorithm(self):
        class Spec:
            blurb = "Parameters; each algorithm has these: sluice (none); tfrc (profile, initial)"
        self.assertEqual(SITE.choices(Spec), [("sluice", "none"), ("tfrc", "profile, initial")])


class Kind:
    def __init__(self, name):
        self.name = name


class Query:
    """As GObject has it."""

    def __init__(self, name, flags, returns, *kinds):
        self.signal_name, self.signal_flags = name, flags
        self.return_type, self.param_types = Kind(returns), [Kind(kind) for kind in kinds]


class Signals(unittest.TestCase):
    WORDS = {"add": ({"element": "what to add", "min": "bit/s"}, "Adds one."), "gone": ({}, "It has gone.")}

    def test_have_the_words_of_their_comment(self):
        source = ("  /**\n   * GstX::add:\n   * @element: what to add\n   * @min: bit/s\n   *\n   * Adds\n   * one.\n   */\n"
                  "/* GstX::no: */\n/**\n * GstX::gone:\n *\n * It has gone.\n */\n/**\n * GstY::add:\n */\n")
        self.assertEqual(SITE.signal_words(source, "GstX"), self.WORDS)

    def test_have_parameters_and_types_and_those_of_the_application_come_last(self):
        queries = [Query("add", 1 << 5 | 2, "gboolean", "GstElement", "guint64"), Query("gone", 2, "void")]
        text = SITE.signals_text(queries, self.WORDS)
        self.assertEqual(text, "\n## Signals\n\n\n### gone\n\nIt has gone.\n\nReturns void.\n\n"
                               "\n## Action signals\n\n\n### add\n\nAdds one.\n\nReturns gboolean.\n\n"
                               "| parameter | type | what |\n|---|---|---|\n| `element` | GstElement | what to add |\n"
                               "| `min` | guint64 | bit/s |\n")
        self.assertEqual(SITE.signals_text([], self.WORDS), "")

    def test_whose_comment_names_other_parameters_are_an_error(self):
        with self.assertRaises(SystemExit) as ended:
            SITE.signals_text([Query("add", 0, "void", "GstElement")], self.WORDS)
        self.assertIn("add has 1 parameters, its comment names 2", str(ended.exception))

    def test_of_weirsend_are_described_in_its_source(self):
        source = (ROOT / "gst" / "send" / "weirsend.c").read_text(encoding="utf-8")
        self.assertEqual({name: list(words[0]) for name, words in SITE.signal_words(source, "GstWeirSend").items()},
                         {"add-encoder": ["element", "weight", "min", "max"], "remove-encoder": ["element"]})


class Links(unittest.TestCase):
    def test_that_lead_nowhere_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            html = pathlib.Path(folder).resolve()
            (html / "a.html").write_text('<h1 id="x"></h1><a href="b.html#y"></a><a href="b.html#z"></a><img src="c.png">'
                                         '<a href="#x"></a><a href="https://example.org/"></a>', encoding="utf-8")
            (html / "b.html").write_text('<h2 id="y"></h2>', encoding="utf-8")
            self.assertEqual(list(SITE.dead_links(html)), ["a.html: b.html#z", "a.html: c.png"])

    def test_to_a_header_lead_to_its_page_in_the_reference(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = pathlib.Path(folder)
            (pages / "docs").mkdir()
            for page, text in (("a.md", "[x](lib/weir/x_y.h)"), ("docs/b.md", "[y](../lib/weir/y.h), [z](z.md)")):
                (pages / page).write_text(text, encoding="utf-8")
            SITE.lead_to_reference(pages)
            self.assertEqual([(pages / page).read_text(encoding="utf-8") for page in ("a.md", "docs/b.md")],
                             ["[x](reference/c/x__y_8h.html)", "[y](../reference/c/y_8h.html), [z](z.md)"])


if __name__ == "__main__":
    tap.main()
