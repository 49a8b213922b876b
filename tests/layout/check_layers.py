# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shape of the tree: who may include what, tests beside code, sizes, and what lib/ and sim/ must not do.

Arrows point down:  gst, tools/lab, tools/link  ->  sim  ->  session  ->  control, codec, quality
                    ->  estimators  ->  base  ->  lib/weir (public headers)
Inside sim:         path  ->  traffic  ->  tcp  ->  network  ->  base
Beside them:        controllers  ->  the contract (control/controller.h), estimators; control knows their list
Inside the lab:     commands  ->  run, replay  ->  scenario, text
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIB = ROOT / "lib"
SIM = ROOT / "sim"
GST = ROOT / "gst"
LAB = ROOT / "tools/lab"
LINK = ROOT / "tools/link"
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

C11_HEADERS = {"assert.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdarg.h",
               "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"}
CONTRACT = "control/controller.h"
CONTROLLER_LIST = "controllers/controllers.def"

# What the files of a folder of lib/ may include, besides the C11 library: folders and files.
LAYERS = {
    "weir": ({"weir"}, set()),
    "base": ({"weir", "base"}, set()),
    "codec": ({"weir", "base", "codec"}, set()),
    "estimators": ({"weir", "base", "estimators"}, set()),
    "picture": ({"weir", "picture"}, set()),
    "quality": ({"weir", "quality"}, set()),
    "control": ({"weir", "base", "estimators", "control"}, {CONTROLLER_LIST}),
    "controllers": ({"weir", "base", "estimators", "controllers"}, {CONTRACT}),
    "session": ({"weir", "base", "codec", "estimators", "quality", "control", "session"}, set()),
}
# The contract knows one estimator, which is part of what the path is.
CONTRACT_KNOWS = "estimators/rtt.h"
# The folders of sim/, and the folders and files of lib/, that the files of a folder of sim/ may include. Its media flows
# know sessions by their public headers, but for what these will need of the processor's cache, and the codec for RTP headers.
SIM_LAYERS = {
    "base": ({"base"}, {"weir", "base/prefetch.h"}),
    "network": ({"base", "network"}, {"weir"}),
    "tcp": ({"base", "network", "tcp"}, {"weir"}),
    "traffic": ({"base", "network", "tcp", "traffic"}, {"weir", "codec", "session/prefetch.h"}),
    "path": ({"base", "network", "tcp", "traffic", "path"}, {"weir"}),
}

# The folders of the lab that a file of each may include; a command ("") may use all of them.
LAB_LAYERS = {
    "": {"", "replay", "run", "scenario", "text"},
    "replay": {"replay", "text"},
    "run": {"run", "scenario", "text"},
    "scenario": {"scenario"},
    "text": {"text"},
}
# The lab reads no wire formats and steers nothing: it builds simulations, lists algorithms, replays traces.
LAB_FROM_LIB = re.compile(r"^((?:weir|sim/\w+|quality)/\w+\.h|control/controller\.h|control/replay\.h|session/trace\.h|loader/loader\.h)$")
# One command computes the papers' formulas, with the functions that the algorithms use.
LAB_FORMULAS = "formula.c"
FORMULAS_FROM_LIB = re.compile(r"^(controllers/\w+_law\.h|estimators/\w+\.h)$")
LAB_SYSTEM_HEADERS = C11_HEADERS | {"locale.h", "signal.h", "unistd.h", "glib.h", "glib/gstdio.h",
                                    "jansson.h"}

LINK_FROM_LIB = re.compile(r"^(weir/\w+\.h|sim/path/path\.h|sim/base/datagram_pool\.h)$")

GST_FROM_LIB = re.compile(r"^(weir/\w+\.h|sim/path/path\.h|loader/loader\.h)$")

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)
ALLOCATION = re.compile(r"\b(?:malloc|calloc|realloc|strdup)\s*\(")
FORBIDDEN_CALL = re.compile(
    r"(?<!\w)(clock|clock_gettime|gettimeofday|time|localtime|gmtime|rand|srand|random|drand48|"
    r"printf|fprintf|vfprintf|puts|fputs|putchar|perror|fopen|open|getenv|abort|exit|system|"
    r"usleep|sleep|nanosleep|pthread_\w+|mtx_\w+|thrd_\w+)\s*\(")
# A simulation grows while it is set up; its functions that may say so by their name.
SIM_ALLOCATES = re.compile(r"(create|init|reserve|grow|add|read)")
MARKERS = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|^\s*#\s*if\s+0\b", re.M)
LOCAL_PATHS = re.compile(r"(?<![\w.])/(?:home|work|root|Users|mnt)/\w")
REGISTRIES = re.compile(r"\b(?:registry|mirror|proxy|snapshot|packages)\.[\w-]+\.[a-z]{2,}\b|"
                        r"\.internal\b|\.corp\b|\blocalhost:\d", re.I)

LONGEST_FUNCTION = {"lib": 60, "gst": 70, "tools": 60}
LONGEST_FILE = 800


def sources(folder, *suffixes):
    return sorted(p for p in folder.rglob("*") if p.suffix in suffixes)


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def tracked_files():
    """All files of the project: by git, or without it all that are not built."""
    git = shutil.which("git")
    listed = git and subprocess.run([git, "-C", str(ROOT), "ls-files", "-z"], capture_output=True)
    if listed and listed.returncode == 0 and listed.stdout:
        return [ROOT / n for n in listed.stdout.decode().split("\0") if n and (ROOT / n).is_file()]
    return [p for p in ROOT.rglob("*") if p.is_file() and ".git" not in p.parts
            and "build" not in p.relative_to(ROOT).parts[0]]


def blank(match):
    """Spaces of the same shape, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", match.group())


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)


def code_only(text):
    """Without comments, strings and characters."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text,
                  flags=re.S)
    return text


def includes(text):
    """(name, is_system) of each include."""
    return [(quoted or system, not quoted) for quoted, system in
            INCLUDE.findall(without_comments(text))]


def include_errors(relative, text):
    """What a file of lib/ includes against the arrows. relative: its path below lib/."""
    errors = []
    folder = relative.split("/")[0] if "/" in relative else ""
    for name, is_system in includes(text):
        if is_system:
            good = name in C11_HEADERS
        elif folder == "weir":
            good = "/" not in name and (LIB / "weir" / name).exists()
        elif not (LIB / name).exists():
            good = False
        elif relative == CONTRACT:
            good = name.startswith("weir/") or name == CONTRACT_KNOWS
        elif folder in LAYERS:
            folders, files = LAYERS[folder]
            good = name in files or ("/" in name and name.split("/")[0] in folders)
        else:
            good = False  # lib/ has folders only
        if not good:
            errors.append(f"lib/{relative} includes {name}")
    return errors


def sim_include_errors(name, text):
    """What a file of sim/ includes against the arrows."""
    errors = []
    below, from_lib = SIM_LAYERS.get(name.split("/")[1], ((), ()))
    for included, is_system in includes(text):
        if is_system:
            good = included in C11_HEADERS
        elif included.startswith("sim/"):
            good = (ROOT / included).exists() and included.split("/")[1] in below
        else:
            good = (LIB / included).exists() and bool({included, included.split("/")[0]} & set(from_lib))
        if not good:
            errors.append(f"{name} includes {included}")
    return errors


def gst_include_errors(name, text):
    return [f"{name} includes {included}" for included, is_system in includes(text)
            if not is_system and not (GST / included).exists() and not GST_FROM_LIB.match(included)]


def link_include_errors(name, text):
    return [f"{name} includes {included}" for included, is_system in includes(text)
            if not is_system and not (LINK / included).exists() and not LINK_FROM_LIB.match(included)]


def lab_include_errors(relative, text):
    """What a file of the lab includes against the arrows. relative: its path below tools/lab/."""
    errors = []
    folder = relative.split("/")[0] if "/" in relative else ""
    for included, is_system in includes(text):
        if is_system:
            good = included in LAB_SYSTEM_HEADERS
        elif (LAB / included).exists():
            good = (included.split("/")[0] if "/" in included else "") in LAB_LAYERS[folder]
        else:
            good = LAB_FROM_LIB.match(included) or \
                (relative == LAB_FORMULAS and FORMULAS_FROM_LIB.match(included))
        if not good:
            errors.append(f"tools/lab/{relative} includes {included}")
    return errors


def circle_errors(included_by):
    """Headers that include themselves by way of others. included_by: {name: names it includes}."""
    errors, done = [], set()

    def visit(name, way):
        if name in way:
            errors.append(" -> ".join(way[way.index(name):] + [name]))
        elif name not in done:
            for other in sorted(included_by.get(name, ())):
                visit(other, way + [name])
            done.add(name)

    for name in sorted(included_by):
        visit(name, [])
    return errors


def functions(text):
    """(name, first line, lines) of each function definition; braces stand in the first column."""
    found = []
    lines = code_only(text).split("\n")
    for i, line in enumerate(lines):
        if line.rstrip() != "{" or i == 0:
            continue
        head = i - 1
        while head > 0 and not re.match(r"^\w.*\(", lines[head]):
            head -= 1
        if not lines[i - 1].rstrip().endswith(")"):
            continue
        end = next((k for k in range(i, len(lines)) if lines[k].rstrip() == "}"), len(lines) - 1)
        name = re.search(r"(\w+)\s*\(", lines[head])
        found.append((name.group(1) if name else "?", i + 1, end - i + 1))
    return found


def function_at(text, line):
    for name, first, count in functions(text):
        if first <= line < first + count:
            return name
    return ""


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def allocation_errors(name, text):
    """Calls of malloc and its kin outside the functions that may."""
    errors = []
    code = code_only(text)
    for match in ALLOCATION.finditer(code):
        line = line_of(code, match.start())
        function = function_at(text, line)
        allowed = SIM_ALLOCATES.search(function) if name.startswith("sim/") else \
            function.endswith("_create")
        if not allowed:
            errors.append(f"{name}:{line} allocates in {function or 'no function'}")
    return errors


def call_errors(name, text):
    code = code_only(text)
    return [f"{name}:{line_of(code, m.start())} calls {m.group(1)}"
            for m in FORBIDDEN_CALL.finditer(code)]


def long_function_errors(name, text, limit):
    return [f"{name}:{first} {function} has {count} lines, {limit} are allowed"
            for function, first, count in functions(text) if count > limit]


# The one thing that a process has once: the algorithms that it registered.
MUTABLE = {"lib/control/registry.c"}


def mutable_errors(name, text):
    """Variables of file scope that are not const."""
    errors = []
    if name in MUTABLE:
        return errors
    depth = 0
    for number, line in enumerate(code_only(text).split("\n"), 1):
        if depth == 0 and re.match(r"^static\s+(?!const\b|inline\b)[\w\s\*]*\w+(\[[^\]]*\])*\s*(=|;)",
                                   line) and "const" not in line:
            errors.append(f"{name}:{number} is mutable data of file scope")
        depth += line.count("{") - line.count("}")
    return errors


def twin_errors(folder, tests):
    errors = []
    for path in sources(folder, ".c"):
        wanted = f"test_{path.stem}.c"
        twin = tests / path.relative_to(folder).parent / wanted
        others = [p for p in tests.rglob(wanted) if p != twin
                  and not (folder / p.relative_to(tests).parent / path.name).exists()]
        if not twin.exists() or others:
            errors.append(f"{name_of(path)}: {'no' if not twin.exists() else 'a second'} twin "
                          f"{name_of(others[0] if others else twin)}")
    return errors


def compile_header(compiler, language, standard, header):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / ("alone." + language)
        source.write_text(f'#include "weir/{header}"\nextern int not_empty;\n')
        return subprocess.run(
            compiler + [f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                        "-fsyntax-only", "-I", str(LIB), str(source)],
            capture_output=True, text=True)


def compiler_for(variable, fallback):
    return os.environ.get(variable, fallback).split()


class Tree(unittest.TestCase):
    maxDiff = None

    def check(self, errors):
        self.assertEqual([], sorted(errors))

    def check_files(self, paths, rule):
        self.check([e for p in paths for e in rule(name_of(p), p.read_text())])

    def test_a_file_of_lib_includes_only_what_is_below_it(self):
        self.check([e for p in sources(LIB, ".c", ".h", ".def")
                    for e in include_errors(p.relative_to(LIB).as_posix(), p.read_text())])

    def test_every_file_of_lib_is_in_a_folder_of_its_layer(self):
        self.check([name_of(p) for p in sources(LIB, ".c", ".h", ".def")
                    if p.relative_to(LIB).parts[0] not in LAYERS or p.parent.parent != LIB])

    def test_a_file_of_sim_includes_only_what_is_below_it(self):
        self.check_files(sources(SIM, ".c", ".h"), sim_include_errors)

    def test_elements_know_public_headers_and_the_path_only(self):
        self.check_files(sources(GST, ".c", ".h"), gst_include_errors)

    def test_the_lab_knows_the_simulator_its_measures_and_public_headers_only(self):
        self.check([e for p in sources(LAB, ".c", ".h")
                    for e in lab_include_errors(p.relative_to(LAB).as_posix(), p.read_text())])

    def test_the_link_knows_public_headers_the_path_and_the_datagrams_only(self):
        self.check_files(sources(LINK, ".c", ".h"), link_include_errors)

    def test_no_header_includes_itself_by_way_of_others(self):
        for folder, below in ((LIB, LIB), (SIM, ROOT), (GST, GST), (LAB, LAB), (LINK, LINK)):
            self.check(circle_errors({p.relative_to(below).as_posix():
                                      {name for name, _ in includes(p.read_text())}
                                      for p in sources(folder, ".h")}))

    def test_every_file_of_lib_has_one_test_beside_it(self):
        self.check(twin_errors(LIB, ROOT / "tests/lib"))

    def test_every_file_of_sim_has_one_test_beside_it(self):
        self.check(twin_errors(SIM, ROOT / "tests/sim"))

    def test_every_file_of_gst_has_one_test_beside_it(self):
        self.check(twin_errors(GST, ROOT / "tests/gst"))

    def test_every_file_of_the_lab_has_one_test_beside_it(self):
        self.check(twin_errors(LAB, ROOT / "tests/tools/lab"))

    def test_every_file_of_the_link_has_one_test_beside_it(self):
        self.check(twin_errors(LINK, ROOT / "tests/tools/link"))

    def test_functions_of_lib_and_sim_have_60_lines_at_most(self):
        self.check_files(sources(LIB, ".c", ".h") + sources(SIM, ".c", ".h"), lambda name, text: long_function_errors(
            name, text, LONGEST_FUNCTION["lib"]))

    def test_functions_of_gst_have_70_lines_at_most(self):
        self.check_files(sources(GST, ".c", ".h"), lambda name, text: long_function_errors(
            name, text, LONGEST_FUNCTION["gst"]))

    def test_functions_of_tools_have_60_lines_at_most(self):
        self.check_files(sources(ROOT / "tools", ".c", ".h"), lambda name, text:
                         long_function_errors(name, text, LONGEST_FUNCTION["tools"]))

    def test_no_source_file_has_more_than_800_lines(self):
        files = [p for p in tracked_files() if p.suffix in {".c", ".h", ".py"}]
        self.check([f"{name_of(p)} has {len(lines)} lines" for p in files
                    if len(lines := p.read_text().splitlines()) > LONGEST_FILE])

    def test_nothing_is_left_to_do_in_comments(self):
        files = [p for p in tracked_files() if p.suffix in {".c", ".h", ".py", ".build", ".def"}
                 and p != pathlib.Path(__file__).resolve()]
        self.check([f"{name_of(p)}:{line_of(text, m.start())} {m.group().strip()}"
                    for p in files for text in [p.read_text()] for m in MARKERS.finditer(text)])

    def test_no_file_names_a_machine_or_a_registry(self):
        errors = []
        for path in tracked_files():
            if path == pathlib.Path(__file__).resolve():
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            errors += [f"{name_of(path)}:{line_of(text, m.start())} {m.group()}"
                       for rule in (LOCAL_PATHS, REGISTRIES) for m in rule.finditer(text)]
        self.check(errors)

    def test_lib_and_sim_allocate_only_in_functions_that_say_so(self):
        self.check_files(sources(LIB, ".c") + sources(SIM, ".c"), allocation_errors)

    def test_lib_and_sim_ask_the_world_for_nothing(self):
        self.check_files(sources(LIB, ".c", ".h") + sources(SIM, ".c", ".h"), call_errors)

    def test_lib_and_sim_have_no_mutable_data_of_file_scope(self):
        self.check_files(sources(LIB, ".c") + sources(SIM, ".c"), mutable_errors)

    def test_every_source_names_its_licence_first(self):
        files = sources(LIB, ".c", ".h") + sources(SIM, ".c", ".h") + sources(GST, ".c", ".h") + \
            sources(ROOT / "tools", ".c", ".h") + sources(ROOT / "tests", ".c", ".h")
        self.check([name_of(p) for p in files if "SPDX-License-Identifier: LGPL-2.1-or-later"
                    not in p.read_text().split("\n", 1)[0]])

    def test_every_public_header_is_installed(self):
        build = (LIB / "meson.build").read_text()
        self.check([name_of(p) for p in sources(LIB / "weir", ".h")
                    if f"'weir/{p.name}'" not in build])


class PublicHeaders(unittest.TestCase):
    """One test per header and language, made below."""


def add_header_tests():
    languages = {"c11": (compiler_for("CC", "cc"), "c", "c11"),
                 "cxx": (compiler_for("CXX", "c++"), "cpp", "c++11")}
    for path in sources(LIB / "weir", ".h"):
        for label, (compiler, language, standard) in languages.items():
            def test(self, path=path, compiler=compiler, language=language, standard=standard):
                try:
                    result = compile_header(compiler, language, standard, path.name)
                except FileNotFoundError:
                    self.skipTest(f"no {compiler[0]}")
                self.assertEqual(0, result.returncode, result.stderr)
            setattr(PublicHeaders, f"test_{path.stem}_compiles_alone_as_{label}", test)


class Rules(unittest.TestCase):
    """Each rule catches what it is there for."""

    def test_includes_against_the_arrows_are_caught(self):
        bad = [("codec/a.c", '#include "control/controller.h"'), ("codec/a.c", '#include "sim/path/path.h"'),
               ("estimators/a.c", '#include "codec/rtcp.h"'),
               ("base/unwrap.c", '#include "session/pacer.h"'),
               ("controllers/a.c", '#include "codec/rtcp.h"'),
               ("controllers/a.c", '#include "session/history.h"'),
               ("controllers/a.c", '#include "control/driver.h"'),
               ("control/controller.h", '#include "control/path.h"'),
               ("control/driver.c", '#include "session/history.h"'),
               ("control/driver.c", '#include "controllers/window.h"'),
               ("quality/voice.c", '#include "session/history.h"'),
               ("session/sender.c", '#include "controllers/window.h"'), ("a.c", '#include "base/unwrap.h"'),
               ("session/receiver.c", '#include "sim/path/path.h"'), ("session/receiver.c", '#include <glib.h>'),
               ("session/receiver.c", '#include <time.h>'), ("weir/a.h", '#include "../base/unwrap.h"'),
               ("session/receiver.c", '#include "../gst/encoder/encoder.h"')]
        for relative, text in bad:
            self.assertTrue(include_errors(relative, text), (relative, text))
        for relative, text in [("codec/a.c", '#include "base/unwrap.h"'),
                               ("session/receiver.c", '#include "codec/rtcp.h"'),
                               ("session/sender.c", '#include "control/driver.h"'),
                               ("control/registry.c", '#include "controllers/controllers.def"'),
                               ("codec/a.c", '/* #include "sim/path/path.h" */')]:
            self.assertEqual([], include_errors(relative, text))
        for name, text in [("sim/traffic/a.c", '#include "controllers/tfrc_rate.h"'),
                           ("sim/traffic/a.c", '#include "session/receiver_state.h"'),
                           ("sim/network/a.c", '#include "codec/rtp.h"'), ("sim/network/a.c", '#include "sim/tcp/tcp.h"'),
                           ("sim/tcp/a.c", '#include "sim/traffic/source.h"'), ("sim/base/a.c", '#include "sim/base/nothing.h"'),
                           ("sim/path/a.c", "#include <time.h>"), ("sim/a.c", '#include "sim/base/event.h"')]:
            self.assertTrue(sim_include_errors(name, text), text)
        for text in ['#include "sim/network/link.h"', '#include "weir/sender.h"', '#include "codec/rtp.h"']:
            self.assertEqual([], sim_include_errors("sim/traffic/a.c", text), text)
        for text in ['#include "codec/rtp.h"', '#include "estimators/rtt.h"',
                     '#include "controllers/tfrc_rate.h"', '#include "sim/network/link.h"',
                     '#include "session/history.h"']:
            self.assertTrue(gst_include_errors("gst/send/a.c", text), text)
        for text in ['#include "sim/network/link.h"', '#include "sim/network/loss.h"', '#include "session/history.h"', '#include "codec/rtp.h"']:
            self.assertTrue(link_include_errors("tools/link/a.c", text), text)
        self.assertEqual([], link_include_errors("tools/link/a.c", '#include "sim/path/path.h"\n#include "direction.h"\n#include <glib.h>'))
        for relative, text in [("run/a.c", '#include "command.h"'), ("run/a.c", "#include <gst/gst.h>"),
                               ("scenario/a.c", '#include "run/world.h"'),
                               ("text/a.c", '#include "scenario/json.h"'),
                               ("replay/a.c", '#include "run/figures.h"'),
                               ("a.c", '#include "codec/rtcp.h"'), ("a.c", '#include "session/sender_internal.h"'),
                               ("a.c", '#include "estimators/rtt.h"'),
                               ("formula.c", '#include "controllers/window.h"')]:
            self.assertTrue(lab_include_errors(relative, text), (relative, text))
        for relative, text in [("run/a.c", '#include "scenario/link.h"'), ("a.c", '#include "control/replay.h"'),
                               ("scenario/a.c", '#include "sim/network/link.h"'),
                               ("formula.c", '#include "estimators/tcp_equation.h"'),
                               ("formula.c", '#include "controllers/arc_law.h"')]:
            self.assertEqual([], lab_include_errors(relative, text))

    def test_circles_of_headers_are_caught(self):
        self.assertEqual(["b -> c -> b"], circle_errors({"a": {"b"}, "b": {"c", "x"}, "c": {"b"}}))
        self.assertEqual([], circle_errors({"a": {"b", "c"}, "b": {"c"}, "c": set()}))

    def test_long_functions_are_caught(self):
        body = "    x();\n"
        for lines, caught in [(58, False), (59, True)]:
            text = "static int f(int a,\n             int b)\n{\n" + body * lines + "}\n"
            self.assertEqual(caught, bool(long_function_errors("a.c", text, 60)))
        self.assertEqual("f", functions("int\nf (void)\n{\n}\n")[0][0])

    def test_allocation_outside_create_is_caught(self):
        text = "void weir_a_push(int n)\n{\n    malloc(n);\n}\n"
        self.assertTrue(allocation_errors("lib/a.c", text))
        self.assertEqual([], allocation_errors("lib/a.c", text.replace("push", "create")))
        self.assertEqual([], allocation_errors("lib/a.c", "/* malloc(1) */\n"))

    def test_calls_of_the_world_are_caught(self):
        for call in ["printf(", "clock(", "rand(", "time(", "fprintf (", "pthread_create("]:
            self.assertTrue(call_errors("a.c", f"void f(void)\n{{\n    {call}0);\n}}\n"), call)
        for call in ["snprintf(", "media_time(", "weir__random(", "send_time("]:
            self.assertEqual([], call_errors("a.c", f"    {call}0);\n"), call)

    def test_mutable_data_is_caught(self):
        for text in ["static int n;\n", "static struct a b = {0};\n", "static int x[4];\n"]:
            self.assertTrue(mutable_errors("a.c", text), text)
        for text in ["static const int n = 1;\n", "static int f(void)\n{\n}\n",
                     "static int f(void);\n", "static const char *const names[] = {0};\n"]:
            self.assertEqual([], mutable_errors("a.c", text), text)

    def test_paths_and_markers_are_caught(self):
        for text in ["see /home/me/x", "in /root/y"]:
            self.assertTrue(LOCAL_PATHS.search(text))
        self.assertFalse(LOCAL_PATHS.search("https://example.org/home/x and lib/work/x"))
        self.assertTrue(MARKERS.search("/* TO" + "DO */"))
        self.assertTrue(MARKERS.search("#if 0\n"))


if __name__ == "__main__":
    add_header_tests()
    tap.main()
