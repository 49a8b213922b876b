# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds Weir (plain, and with ASan and UBSan), runs every test, ends with "N passed, M failed".

tools/test installs what is missing first and then runs this.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:fast_unwind_on_malloc=0:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "LSAN_OPTIONS": "suppressions=" + os.path.join(ROOT, "tests/lsan.supp")
    + ":print_suppressions=0",
}


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

    def read_results(self, directory, build):
        """Every test case counts; so does a program that ends badly after cases that passed."""
        logs = os.path.join(ROOT, directory, "meson-logs")
        self.read_cases(os.path.join(logs, "testlog.junit.xml"), build)
        failed_cases = "\n".join(self.failures)
        with open(os.path.join(logs, "testlog.json"), encoding="utf-8") as lines:
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


def build(name, options, env, compiler=None):
    directory = os.path.join("build", name)
    if compiler:
        env = dict(env, CC=compiler)
    if not os.path.exists(os.path.join(ROOT, directory, "build.ninja")):
        if run(["meson", "setup", directory, *options], env=env, stdout=subprocess.DEVNULL):
            return None
    if run(["ninja", "-C", directory], env=env, stdout=subprocess.DEVNULL):
        run(["ninja", "-C", directory], env=env)  # again, to be read
        return None
    return directory


def meson_tests(totals, name, options, env, arguments=()):
    started = time.monotonic()
    directory = build(name, options, env)
    totals.check(f"{name}: build", directory is not None)
    if directory is None:
        return
    built = time.monotonic()
    run(["meson", "test", "-C", directory, "--no-rebuild", "--print-errorlogs", "--quiet",
         *arguments], env=env)
    totals.read_results(directory, name)
    print(f"tools/test: {name}: built in {built - started:.0f} s, "
          f"tested in {time.monotonic() - built:.0f} s", flush=True)


def c_files():
    """The product's C files. Walks the folders: a bare machine, or an archive, has no git."""
    return sorted(os.path.join(d, f) for top in ("lib", "gst", "tests", "examples")
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
    for part in ("lib", "gst"):
        text = subprocess.run(["gcovr", "-r", ROOT, "--filter", f"{part}/", "-s", directory],
                              cwd=ROOT, env=env, capture_output=True, text=True).stdout
        with open(os.path.join(ROOT, directory, f"coverage-{part}.txt"), "w",
                  encoding="utf-8") as out:
            out.write(text)
        found = re.search(r"lines: ([0-9.]+)% \((\d+) out of (\d+)\)", text)
        print(f"tools/test: line coverage of {part}/: {found.group(0) if found else 'unknown'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fast", action="store_true", help="the plain build only")
    parser.add_argument("--no-install", action="store_true", help="install no packages")
    parser.add_argument("--coverage", action="store_true", help="print line coverage too")
    arguments = parser.parse_args()
    env = clean_environment()
    totals = Totals()
    style(totals)
    meson_tests(totals, "plain", ["-Dwerror=true"], env)
    if not arguments.fast:
        meson_tests(totals, "sanitize", ["-Db_sanitize=address,undefined", "-Db_lundef=false",
                                         "-Dwerror=true", "-Dbench=false"],
                    dict(env, **SANITIZERS), ["--timeout-multiplier", "4"])
    if arguments.coverage:
        coverage(totals, env)
    for name in totals.skipped:
        print("skipped:", name)
    for name in totals.failures:
        print("FAILED:", name)
    print(f"{totals.passed} passed, {len(totals.failures)} failed")
    return 1 if totals.failures else 0


if __name__ == "__main__":
    sys.exit(main())
