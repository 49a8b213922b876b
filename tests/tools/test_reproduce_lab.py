# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the reproduction reads of weir-lab's series, from memory and from its cache."""
import io
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce.lab import NEEDED, Lab, LabError, Request, read_series  # noqa: E402

LAB = os.environ.get("WEIR_LAB", os.path.join(ROOT, "build", "plain", "tools", "lab", "weir-lab"))
COLUMNS = ["time_s", "flow", *NEEDED["flow"]]


def csv(rows):
    """(time, flow, sent_bytes) each; the other columns are zero."""
    lines = [",".join(COLUMNS)] + [f"{t},{name},{sent}" + ",0" * (len(COLUMNS) - 3) for t, name, sent in rows]
    return io.StringIO("\n".join(lines) + "\n")


class ReadSeries(unittest.TestCase):
    def test_a_row_per_bin_and_flow(self):
        series = read_series(csv([(1, "a", 10), (1, "b", 20), (2, "a", 11), (2, "b", 21)]), "flow")
        self.assertEqual(series.names, ["a", "b"])
        self.assertEqual(series.time_s.tolist(), [1, 2])
        self.assertEqual(series["sent_bytes"].tolist(), [[10, 20], [11, 21]])

    def test_no_flows(self):
        self.assertEqual(read_series(csv([]), "flow").names, [])

    def test_others_are_refused(self):
        for rows in ([(1, "a", 0), (1, "b", 0), (2, "a", 0)],
                     [(1, "a", 0), (1, "b", 0), (2, "b", 0), (2, "a", 0)],
                     [(1, "a", 0), (1, "b", 0), (2, "a", 0), (2, "a", 0)],
                     [(1, "a", 0), (2, "b", 0), (1, "a", 0), (2, "b", 0)]):
            with self.subTest(rows=rows), self.assertRaisesRegex(LabError, "flows.csv: not one row per bin and flow"):
                read_series(csv(rows), "flow")


class Cache(unittest.TestCase):
    def test_the_same_comes_back(self):
        """As simulated, as kept, and as simulated without a cache."""
        request = Request("bench.flows", sets=("vars.N=2",), duration_s=2, series=True)
        with tempfile.TemporaryDirectory() as folder:
            runs = [Lab(LAB, cache=cache).run(request, 1) for cache in (folder, folder, None)]
        for run in runs[1:]:
            self.assertEqual(run.result, runs[0].result)
            for column, values in runs[0].flow_series.columns.items():
                self.assertEqual(str(run.flow_series[column].tolist()), str(values.tolist()))


if __name__ == "__main__":
    tap.main()
