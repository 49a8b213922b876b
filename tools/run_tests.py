# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds Weir (plain, and with ASan and UBSan), runs every test, ends with "N passed, M failed".

tools/test installs what is missing first and then runs this.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

from long_tests import long_tests, run_long_tests

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:fast_unwind_on_malloc=0:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "LSAN_OPTIONS": "suppressions=" + os.path.join(ROOT, "tests/lsan.supp")
    + ":print_suppressions=0",
}
# Optimised little: that takes a third of the time to compile, and nothing is optimised away that a
# sanitizer would have seen. Of what a debugger needs, the lines are enough for a stack.
SANITIZE_OPTIONS = ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dwerror=true",
                    "-Dbench=false", "-Doptimization=g", "-Ddebug=false", "-Dc_args=-g1"]
# One more than processors: some tests of elements wait a while.
AT_ONCE = str((os.cpu_count() or 1) + 1)
LIVE_AT_ONCE = "4"


def clean_environment():
    """A pyenv or virtualenv in front of Debian's Python hides Debian's modules from Meson."""
    env = dict(os.environ)
    env["PATH"] = "/usr/local/bin:/usr/bin:/bin:" + env.get("PATH", "")
    return env


def run(command, **kwargs):
    return subprocess.run(command, cwd=ROOT, **kwargs).returncode


class Totals:
    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skipped = []

    def check(self, name, ok):
        if ok:
            self.passed += 1
        else:
            self.failures.append(name)

    def add(self, other):
        self.passed += other.passed
        self.failures += other.failures
        self.skipped += other.skipped

    def read_results(self, directory, build, log="testlog"):
        """Every test case counts; so does a program that ends badly after cases that passed."""
        logs = os.path.join(ROOT, directory, "meson-logs")
        if not os.path.exists(os.path.join(logs, log + ".json")):
            self.check(f"{build}: meson test wrote no {log}.json", False)
            return
        self.read_cases(os.path.join(logs, log + ".junit.xml"), build)
        failed_cases = "\n".join(self.failures)
        with open(os.path.join(logs, log + ".json"), encoding="utf-8") as lines:
            for line in lines:
                test = json.loads(line)
                name = test["name"].split(" / ")[-1]
                if test["result"] not in ("OK", "SKIP") and f" {name} " not in failed_cases:
                    self.check(f"{build}: {name} ended badly, see {directory}/meson-logs", False)

    def read_cases(self, path, build):
        for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
            cases = list(suite.iter("testcase"))
            for case in cases:
                name = f"{build}: {suite.get('name')} {case.get('name')}"
                if case.find("skipped") is not None:
                    self.skipped.append(name)
                else:
                    self.check(name, case.find("failure") is None and case.find("error") is None)


def build(name, options, env, targets=(), wrap=list):
    """The directory of what is built, None when it fails."""
    directory = os.path.join("build", name)
    if not os.path.exists(os.path.join(ROOT, directory, "build.ninja")):
        if run(["meson", "setup", directory, *options], env=env, stdout=subprocess.DEVNULL):
            return None
    ninja = wrap(["ninja", "-C", directory, *targets])
    if run(ninja, env=env, stdout=subprocess.DEVNULL):
        run(ninja, env=env)  # again, to be read
        return None
    return directory


def at_idle_priority(command):
    """Runs only on processors that nobody else wants: tests in real time do not notice it."""
    idle = ["chrt", "-i", "0"]  # which a container may forbid
    is_allowed = shutil.which("chrt") and run([*idle, "true"], stderr=subprocess.DEVNULL) == 0
    return [*(idle if is_allowed else ["nice", "-n", "19"]), *command]


class Build:
    """A build of everything and what its tests said, in totals of its own."""

    def __init__(self, name, options, env, wrap=list):
        self.name, self.options, self.env, self.wrap = name, options, env, wrap
        self.totals = Totals()
        self.directory = None

    def make(self):
        with timed(f"{self.name}: build"):
            self.directory = build(self.name, self.options, self.env, wrap=self.wrap)
        self.totals.check(f"{self.name}: build", self.directory is not None)

    def test(self, log, *arguments):
        """One `meson test`; its log has a name of its own."""
        if self.directory is None:
            return
        path = os.path.join(ROOT, self.directory, "meson-logs", log + ".json")
        if os.path.exists(path):
            os.remove(path)
        with timed(f"{self.name}: {log}"):
            status = run(self.wrap(["meson", "test", "-C", self.directory, "--no-rebuild", "--quiet",
                                    "--print-errorlogs", "--logbase", log, *arguments]), env=self.env)
        if status != 0 or os.path.exists(path):  # else there was none to run
            self.totals.read_results(self.directory, self.name, log)


@contextlib.contextmanager
def timed(what):
    started = time.monotonic()
    yield
    print(f"tools/test: {what}: {time.monotonic() - started:.0f} s", flush=True)


def run_sanitized(sanitized):
    sanitized.make()
    sanitized.test("testlog", "--timeout-multiplier", "4", "--num-processes", AT_ONCE)


def run_plain(plain):
    """Tests in real time mostly wait: more of them than processors at the same time."""
    plain.make()
    plain.test("testlog", "--no-suite", "live", "--num-processes", AT_ONCE)
    plain.test("testlog-live", "--suite", "live", "--num-processes", LIVE_AT_ONCE)


def run_builds(env, fast):
    """Both builds at the same time. The sanitized one, with no test in real time, has the processors
    that the other leaves over, which are most while that waits for its tests in real time."""
    plain = Build("plain", ["-Dwerror=true"], env)
    if fast:
        run_plain(plain)
        return [plain]
    sanitized = Build("sanitize", SANITIZE_OPTIONS, dict(env, **SANITIZERS), at_idle_priority)
    with concurrent.futures.ThreadPoolExecutor(1) as background:
        done = background.submit(run_sanitized, sanitized)
        run_plain(plain)
        done.result()
    return [plain, sanitized]


def c_files():
    """The product's C files. Walks the folders: a bare machine, or an archive, has no git."""
    return sorted(os.path.join(d, f) for top in ("lib", "sim", "gst", "tools", "tests", "examples")
                  for d, _, names in os.walk(os.path.join(ROOT, top))
                  for f in names if f.endswith((".c", ".h")))


def style(totals):
    clang_format = shutil.which("clang-format")
    if not clang_format:
        totals.skipped.append("style: clang-format is not installed")
        return
    totals.check("style: clang-format changes nothing",
                 run([clang_format, "--dry-run", "-Werror", "-ferror-limit=5", *c_files()]) == 0)


def coverage(totals, env):
    directory = build("coverage", ["-Db_coverage=true", "-Dbench=false", "-Doptimization=0"], env)
    if directory is None:
        totals.check("coverage: build", False)
        return
    run(["meson", "test", "-C", directory, "--no-rebuild", "--quiet"], env=env,
        stdout=subprocess.DEVNULL)
    for part in ("lib", "lib/codec", "lib/session", "sim", "gst"):
        text = subprocess.run(["gcovr", "-r", ROOT, "--filter", f"{part}/", "--branches", "-s", directory],
                              cwd=ROOT, env=env, capture_output=True, text=True).stdout
        name = f"coverage-{part.replace('/', '-')}.txt"
        with open(os.path.join(ROOT, directory, name), "w", encoding="utf-8") as out:
            out.write(text)
        found = re.findall(r"(?:lines|branches): [0-9.]+% \(\d+ out of \d+\)", text)
        print(f"tools/test: coverage of {part}/: {', '.join(found) or 'unknown'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fast", action="store_true", help="the plain build only")
    parser.add_argument("--no-install", action="store_true", help="install no packages")
    parser.add_argument("--coverage", action="store_true", help="print the coverage of lines and branches too")
    parser.add_argument("--full", action="store_true", help="then what takes hours: see tools/long_tests.py")
    arguments = parser.parse_args()
    env = clean_environment()
    totals = Totals()
    style(totals)
    for done in run_builds(env, arguments.fast):
        totals.add(done.totals)
    if arguments.coverage:
        coverage(totals, env)
    if arguments.full:
        plain = os.path.join(ROOT, "build", "plain")
        run_long_tests(long_tests(ROOT, plain), os.path.join(plain, "long"), env, totals)
    for name in totals.skipped:
        print("skipped:", name)
    for name in totals.failures:
        print("FAILED:", name)
    print(f"{totals.passed} passed, {len(totals.failures)} failed")
    return 1 if totals.failures else 0


if __name__ == "__main__":
    sys.exit(main())
