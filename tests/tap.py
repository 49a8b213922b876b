# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a unittest module and prints TAP, one line per test, for Meson to count.

With --part 2/3 each third test from the second on: parts may run at the same time."""
import argparse
import sys
import traceback
import unittest


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.count = 0

    def line(self, ok, test, directive=""):
        self.count += 1
        print(f"{'ok' if ok else 'not ok'} {self.count} {test.id().split('.', 1)[-1]}{directive}",
              flush=True)

    def addSuccess(self, test):
        self.line(True, test)

    def addSkip(self, test, reason):
        self.line(True, test, f" # SKIP {reason}")

    def failed(self, test, error):
        self.line(False, test)
        for text in traceback.format_exception(*error):
            print("# " + text.rstrip().replace("\n", "\n# "))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.failed(test, err)


def tests_of(suite):
    """All of them, in the order of the module."""
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from tests_of(entry)
        else:
            yield entry


def read_part(text):
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", type=read_part, default=(1, 1), metavar="N/PARTS")
    part, parts = parser.parse_args().part
    result = TapResult()
    module = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    unittest.TestSuite(list(tests_of(module))[part - 1::parts]).run(result)
    print(f"1..{result.count}")
    sys.exit(0 if result.wasSuccessful() else 1)
