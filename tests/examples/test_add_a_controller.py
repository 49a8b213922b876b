# SPDX-License-Identifier: LGPL-2.1-or-later
"""The lines of add_a_controller.c's header ("Run: ..."), which also take add_a_controller_answers.c, one
after the other in a copy of the sources."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from test_examples import run_lines

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402


class AddAController(unittest.TestCase):
    def test_add_a_controller(self):
        """add_a_controller.c: one file, its known answers and one line, and it is in the lab and passes the conformance tests."""
        build = pathlib.Path(os.environ["WEIR_BUILD"])
        with tempfile.TemporaryDirectory(prefix="controller-", dir=build) as folder:
            tree = pathlib.Path(folder) / "tree"
            shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns("build", ".git", "reproduction"))
            env = dict(os.environ, PATH="/usr/bin:" + os.environ["PATH"])
            setup = ["meson", "setup", "build", "-Dgst=disabled", "-Dbench=false", "-Doptimization=0"]
            subprocess.run(setup, cwd=tree, env=env, check=True, stdout=subprocess.DEVNULL)
            for line in run_lines("add_a_controller.c"):
                done = subprocess.run(line, shell=True, cwd=tree, env=env, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                if "weir-lab run" in line:
                    self.assertRegex(done.stdout, r"call +example +\d{3,4}\.\d")


if __name__ == "__main__":
    tap.main()
