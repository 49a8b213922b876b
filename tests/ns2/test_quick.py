# SPDX-License-Identifier: LGPL-2.1-or-later
"""The simulator agrees with ns-2 where runs vary little from seed to seed."""
import pathlib
import shutil
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import compare  # noqa: E402
import tap  # noqa: E402

SEEDS = [1, 2, 3]
# (case, flows, quantity) that do differ, and why: docs/ns2.md. Reported, not passed.
KNOWN = {("cbr-reno", "cbr", "loss_ratio")}


class Comparison(unittest.TestCase):
    def test_every_case_has_its_twin(self):
        twins = sorted(path.stem for path in (HERE / "scenarios").glob("*.json"))
        self.assertEqual(compare.cases(), twins)


class Ns2(unittest.TestCase):
    def agrees(self, case):
        lab = compare.find_lab()
        if not shutil.which("ns") or not lab:
            self.skipTest("no ns" if lab else "no weir-lab")
        with ThreadPoolExecutor(compare.JOBS) as pool:
            rows = compare.compare_case(lab, case, SEEDS, pool)
        far = {(row["case"], row["group"], row["quantity"]): f"{row['weir']:.6g}, ns-2 {row['ns2']:.6g}"
               for row in rows if row["beyond"]}
        self.assertEqual({key: value for key, value in far.items() if key not in KNOWN}, {})
        if far:
            self.skipTest(f"known difference: {far}")


def add_cases():
    for case in compare.QUICK:
        name = "test_" + case.replace("-", "_").replace(".", "_")
        setattr(Ns2, name, lambda self, case=case: self.agrees(case))


add_cases()

if __name__ == "__main__":
    tap.main()
