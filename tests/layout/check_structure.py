# SPDX-License-Identifier: LGPL-2.1-or-later
"""What keeps the structure readable: no circles of calls, one type per name, small objects, private headers."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402
import check_layers  # noqa: E402
import structure  # noqa: E402

# Fields of a struct of the elements. A reader keeps about seven things in mind at once; 25 are three or four
# groups of that size, and fit on a screen with their comments. What has more is several objects.
MOST_FIELDS = 25

# Files that may know the inside of what they share, directly or by way of other headers: each pair of them
# can disturb the other, and five have ten pairs. What more files need is an interface, with functions.
MOST_READERS = 5
# What sessions and algorithms tell each other, and a source and its kinds: whoever is called through such a
# table reads it.
CONTRACTS = {"lib/control/controller.h", "sim/traffic/source_kind.h"}


def excess(found, limit):
    return [f"{name} has {count}, {limit} are allowed" for name, count in found.items() if count > limit]


def circle_errors(calls):
    """A shortest way round each circle."""
    return [f"{len(circle)} files: " + "; ".join(structure.one_way_round(calls, circle[0]))
            for circle in structure.circles(calls)]


class Structure(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.files = structure.read_sources()
        cls.build = pathlib.Path(os.environ["WEIR_BUILD"])

    def check(self, errors):
        self.assertEqual([], sorted(errors))

    def test_every_file_and_test_is_built(self):
        names = [p.relative_to(ROOT).as_posix() for p in check_layers.tracked_files() if p.suffix == ".c"]
        built = {name for _, name in structure.built_objects(self.build)}
        self.check(structure.unbuilt([n for n in names if not n.startswith("examples/")], built))

    def test_no_files_call_each_other_in_a_circle(self):
        calls = structure.read_calls(self.build, structure.objects_of(self.build))
        structure.add_inline_calls(calls, self.files)
        self.assertGreater(len(calls), 100)
        self.check(circle_errors(calls))

    def test_a_name_stands_for_one_type(self):
        found = structure.twice_named(self.files)
        self.check([f"{name}: {' '.join(paths)}" for name, paths in found.items()])

    def test_a_struct_of_the_elements_has_25_fields_at_most(self):
        found = {f"{name} of {path}": count for (path, name), count in structure.structs(self.files).items()
                 if path.startswith("gst/")}
        self.check(excess(found, MOST_FIELDS))

    def test_a_private_header_is_included_by_5_files_at_most(self):
        readers = structure.readers(structure.read_includes())
        found = {pathlib.Path(path).name: len(readers[path])
                 for path in structure.private_headers(self.files) - CONTRACTS}
        self.check(excess(found, MOST_READERS))


class Rules(unittest.TestCase):
    """Each rule catches what it is there for, in a small tree made up here."""

    def calls_of(self, sources):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "sim").mkdir()
            commands = []
            for name, text in sources.items():
                (root / name).write_text(text)
                subprocess.run([*os.environ.get("CC", "cc").split(), "-c", name, "-o", name + ".o"], cwd=root, check=True)
                commands.append({"directory": folder, "file": name, "output": name + ".o"})
            (root / "compile_commands.json").write_text(json.dumps(commands))
            return structure.read_calls(root, structure.objects_of(root, root))

    def test_circles_of_calls_are_caught(self):
        sources = {"sim/a.c": "void b(void); void a(void) { b(); }", "sim/b.c": "void c(void); void b(void) { c(); }",
                   "sim/c.c": "void a(void); void b(void); void c(void) { a(); b(); }",
                   "sim/d.c": "void a(void); void d(void) { a(); }"}
        calls = self.calls_of(sources)
        self.assertEqual([("sim/a.c", "sim/b.c", "sim/c.c")], structure.circles(calls))
        self.assertEqual(["3 files: sim/a.c calls b of sim/b.c; sim/b.c calls c of sim/c.c; sim/c.c calls a of sim/a.c"],
                         circle_errors(calls))
        sources["sim/c.c"] = "void c(void (*a)(void)) { a(); }"
        self.assertEqual([], circle_errors(self.calls_of(sources)))

    def test_files_that_are_not_built_are_caught(self):
        self.assertEqual(["tests/test_b.c"], structure.unbuilt(["tests/test_a.c", "tests/test_b.c", "gst/a.c"],
                                                               {"tests/test_a.c"}))

    def test_calls_of_inline_functions_are_seen(self):
        files = {"a.h": "static inline int\na (void) {", "a.c": "a ();", "b.c": "a ();", "c.h": "a ();", "c.c": "", "d.h": "a ();"}
        calls = structure.add_inline_calls(collections.defaultdict(lambda: collections.defaultdict(set)), files)
        self.assertEqual({"b.c": {"a.c": {"a"}}, "c.c": {"a.c": {"a"}}}, calls)

    def test_names_of_two_types_are_caught(self):
        first = "struct weir__a {\n    int x;\n};\n"
        for other in ["enum weir__a { X };", "struct weir__a *make(void);\nunion weir__a {\n};"]:
            self.assertEqual({"weir__a": ["a.h", "b.c"]}, structure.twice_named({"a.h": first, "b.c": other}), other)
        alias = "typedef struct\n{\n  int x;\n} GstA;\n"
        self.assertTrue(structure.twice_named({"a.h": alias, "b.h": alias}))
        self.assertEqual({}, structure.twice_named({"a.c": first, "b.c": first, "c.h": "void f(int weir__a);"}))
        self.assertEqual({}, structure.twice_named({"a.h": "typedef struct _GstA GstA;", "b.h": "typedef struct _GstA GstA;"}))

    def test_fields_are_counted(self):
        for count, body in [(1, "int a;"), (3, "int a, *b; struct c c[4];"), (2, "void (*f)(int a, int b); int a;"),
                            (2, "union { int a; struct { int b; } s; } u;"), (1, "enum { A, B, C } kind;"),
                            (2, "unsigned a : 1;\n\n  const char *const b;"), (0, "")]:
            found = structure.structs({"a.h": "struct x {" + body + "};"})
            self.assertEqual(count, found["a.h", "x"], body)
        self.assertEqual({("a.h", "GstX"): 1}, structure.structs({"a.h": "typedef struct\n{\n  int a;\n} GstX;"}))

    def test_private_headers_and_who_includes_them_are_found(self):
        files = {"sim/a_state.h": "struct a {int x;};", "sim/b.h": "struct b {int x;};", "sim/b.c": "",
                 "lib/weir/a.h": "struct c {int x;};", "gst/e.h": "G_DECLARE_FINAL_TYPE (GstE, gst_e, GST, E, X)"
                 "\nstruct _GstE {int x;};", "gst/e.c": ""}
        self.assertEqual({"sim/a_state.h", "gst/e.h"}, structure.private_headers(files))
        self.assertEqual({"a.h": {"a.c", "b.c"}, "b.h": {"b.c"}},
                         structure.readers({"a.c": {"a.h"}, "b.c": {"b.h"}, "b.h": {"a.h"}}))

    def test_more_than_the_limit_is_caught(self):
        self.assertEqual(["b has 6, 5 are allowed"], excess({"a": 5, "b": 6}, 5))


if __name__ == "__main__":
    tap.main()
