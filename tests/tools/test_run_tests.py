# SPDX-License-Identifier: LGPL-2.1-or-later
"""The count at the end of tools/test: nothing that went wrong may be left out of it."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import long_tests  # noqa: E402
import run_tests  # noqa: E402
import tap  # noqa: E402

JUNIT = """<testsuites><testsuite name="weir.weir:lib / lib/a">
<testcase name="good"/><testcase name="bad"><failure/></testcase>
<testcase name="not here"><skipped/></testcase></testsuite>
<testsuite name="weir.weir:lib / lib/b"><testcase name="good"/></testsuite></testsuites>"""


class Results(unittest.TestCase):
    def read(self, results):
        with tempfile.TemporaryDirectory() as directory:
            logs = os.path.join(directory, "meson-logs")
            os.mkdir(logs)
            with open(os.path.join(logs, "testlog.junit.xml"), "w", encoding="utf-8") as out:
                out.write(JUNIT)
            with open(os.path.join(logs, "testlog.json"), "w", encoding="utf-8") as out:
                for name, result in results.items():
                    out.write(json.dumps({"name": f"weir:lib / {name}", "result": result}) + "\n")
            totals = run_tests.Totals()
            totals.read_results(directory, "plain")
            return totals

    def test_each_case_counts_once(self):
        totals = self.read({"lib/a": "FAIL", "lib/b": "OK"})
        self.assertEqual((totals.passed, len(totals.failures), len(totals.skipped)), (2, 1, 1))

    def test_a_program_that_ends_badly_counts_beside_other_failures(self):
        for result in ("ERROR", "FAIL", "TIMEOUT", "INTERRUPT"):
            totals = self.read({"lib/a": "FAIL", "lib/b": result})
            self.assertEqual(len(totals.failures), 2, result)
            self.assertIn("lib/b", totals.failures[1])


class LongTests(unittest.TestCase):
    def test_that_fail_or_cannot_be_made_are_told_from_those_that_pass(self):
        totals = run_tests.Totals()
        made_up = [long_tests.LongTest(f"status {status}", (sys.executable, "-c", f"raise SystemExit({status})"))
                   for status in (0, 1, 77)]
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):
                long_tests.run_long_tests(made_up, folder, dict(os.environ), totals)
            self.assertEqual(len(os.listdir(folder)), 3)
        self.assertEqual((totals.passed, len(totals.failures), len(totals.skipped)), (1, 1, 1))

    def test_are_there(self):
        for test in long_tests.long_tests(ROOT, os.path.join("build", "plain")):
            path = next(word for word in test.command if word != sys.executable)
            self.assertTrue(os.path.exists(path.replace(os.path.join("build", "plain"), ROOT)) or
                            os.path.exists(path.replace(os.path.join("build", "plain"), ROOT) + ".c"), path)


if __name__ == "__main__":
    tap.main()
