# SPDX-License-Identifier: LGPL-2.1-or-later
"""What packages say of the product is true: its version, and the functions of the library."""
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import tap  # noqa: E402


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Packages(unittest.TestCase):
    def test_all_are_of_the_same_version(self):
        version = read("VERSION").strip()
        for path, pattern in ((("debian", "changelog"), r"\Aweir \((\S+)-\d+\)"),
                              (("CHANGES.md",), r"(?m)^## (\S+)"), (("weir.spec",), r"(?m)^Version: +(\S+)")):
            self.assertEqual(re.search(pattern, read(*path))[1], version, path[-1])

    def test_each_tells_gst_inspect_the_package_and_where_it_is_described(self):
        for path, package in ((("debian", "rules"), "gstreamer1.0-weir"), (("weir.spec",), "gstreamer1-plugin-weir")):
            self.assertRegex(read(*path), rf"-Dpackage_name='{re.escape(package)} ", path[-1])
            self.assertRegex(read(*path), rf"-Dpackage_origin=file://\S+/{re.escape(package)}\n", path[-1])

    @unittest.skipUnless(shutil.which("nm"), "no nm")
    def test_the_list_of_symbols_is_that_of_the_library(self):
        """A program that uses a new function needs a library that has it; one that is gone breaks programs."""
        done = subprocess.run(["nm", "-D", "--defined-only", os.environ["WEIR_LIBRARY"]], capture_output=True, text=True, check=True)
        exported = {line.split()[-1].replace("@@", "@") for line in done.stdout.splitlines() if " weir_" in line}
        listed = set(re.findall(r"(?m)^ (weir_\S+) ", read("debian", "libweir0.symbols")))
        self.assertGreater(len(exported), 50)
        self.assertEqual(exported - listed, set(), "add them to debian/libweir0.symbols, with the version in VERSION")
        self.assertEqual(listed - exported, set(), "without them, soversion in lib/meson.build must rise")


if __name__ == "__main__":
    tap.main()
