# SPDX-License-Identifier: LGPL-2.1-or-later
"""The simulated queues beside published figures (docs/queues.md): the arithmetic, and short runs with the laboratory of
WEIR_LAB."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import pandas as pd  # noqa: E402
import tap  # noqa: E402
from sweep import queues  # noqa: E402

LAB = os.environ.get("WEIR_LAB", "")

# As sweeps/queues.json, but shorter, with one seed.
UDP = {"vars.udp_bps": 50000000, "measure.from_s": 20}
SHORT = {"description": "test", "runs": [
    {"name": "pie", "scenario": "queues.overload", "duration_s": 60, "set": UDP},
    {"name": "codel", "scenario": "queues.overload.codel", "duration_s": 60, "set": UDP},
    {"name": "dualpi2", "scenario": "queues.overload.dualpi2", "duration_s": 60, "set": UDP},
    {"name": "cubic", "scenario": "queues.cubic", "set": {"vars.rtt_ms": [5, 20, 40, 80]}},
    {"name": "prague", "scenario": "queues.prague", "set": {"vars.rtt_ms": [5, 20, 40, 80]}},
    {"name": "flows", "scenario": "queues.flows"}]}

# (run, title): how far from the published figure, as a share of it. A pixel of the published bars is 6 %, and the bars
# of packets that share a queue differ by one. Each of the other figures is of one run: without its first 10 s in place
# of 5 s waits differ by 7 %, goodputs by 1 %. The far Cubic of ns-3 has 17 % less than the half that FQ-CoDel grants it.
# What does not agree (docs/queues.md says what) is not among them.
NEAR = {("pie", "mean wait, ms"): 0.12, ("dualpi2", "mean wait, ms"): 0.12, ("codel", "mean wait, ms"): 0.12,
        ("cubic", "mean wait, ms"): 0.1, ("cubic", "P95, ms"): 0.1, ("cubic", "goodput, Mbit/s"): 0.02,
        ("prague", "goodput, Mbit/s"): 0.02, ("flows", "near, Mbit/s"): 0.17, ("flows", "far, Mbit/s"): 0.17,
        ("flows", "thin waits, ms"): 0.1}


class Figures(unittest.TestCase):
    def test_are_of_their_run_and_setting(self):
        table = pd.DataFrame({"run": ["cubic", "cubic", "long"], "set:vars.rtt_ms": [20, 40, 20], "seed": 1,
                              "group": "flow", "goodput_bps": [18e6, 17e6, 16e6]})
        figure = queues.Figure("Q", "", "goodput", 20.0, 1, "cubic", queues.rate("flow"), {"vars.rtt_ms": 20})
        self.assertEqual(figure.texts(table), ("goodput", "20.0", "18.0", "0.90"))

    def test_shares_are_of_what_arrives(self):
        rows = pd.DataFrame({"group": ["udp", "cubic"], "sent_bps": [200, 60], "loss_ratio": [0.5, 0.0]})
        self.assertAlmostEqual(queues.share("udp")(rows), 62.5)

    def test_waits_are_without_the_way(self):
        rows = pd.DataFrame({"group": ["udp"], "delay_ms_mean": [queues.ON_THE_WAY_MS + 15]})
        self.assertAlmostEqual(queues.wait_ms("udp")(rows), 15)

    def test_a_cycle_is_from_one_drain_to_the_next(self):
        waits = [600, 600, 100, 600, 600, 600, 100, 600, 600, 600, 100]
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "runs"))
            with gzip.open(os.path.join(folder, "runs", "k.links.csv.gz"), "wt") as file:
                file.write("time_s,link,queue_ms\n")
                file.writelines(f"{i},bottleneck,{wait}\n{i},bottleneck.reverse,0\n" for i, wait in enumerate(waits))
            self.assertEqual(queues.cycle_s(folder)(pd.DataFrame({"key": ["k"]})), 4)


class Published(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not LAB:
            raise unittest.SkipTest("no weir-lab")
        with tempfile.TemporaryDirectory() as folder:
            sweep = os.path.join(folder, "short.json")
            with open(sweep, "w", encoding="utf-8") as file:
                json.dump(SHORT, file)
            subprocess.run([sys.executable, os.path.join(ROOT, "tools", "weir-sweep"), sweep, "--lab", LAB, "--out", folder],
                           check=True, capture_output=True)
            cls.table = queues.read(folder)

    def test_figures_are_near(self):
        far, met = [], set()
        for figure in queues.figures(""):
            near = NEAR.get((figure.run, figure.title))
            values = figure.per_seed(self.table) if near else []
            if len(values) > 0:
                met.add((figure.run, figure.title))
                if abs(values[0] / figure.published - 1) > near:
                    far.append((figure.run, figure.setting, figure.title, figure.published, values[0]))
        self.assertEqual(far, [])
        self.assertEqual(met, set(NEAR))

    def test_an_l4s_packet_waits_for_a_packet_or_two(self):
        """Published: 0.14 ms, P99 0.44 ms. A packet takes 0.12 ms."""
        rows = self.table[self.table["run"] == "dualpi2"]
        self.assertLess(queues.wait_ms("probe")(rows), 0.14)
        self.assertLess(queues.wait_ms("probe", "p99")(rows), 0.44)


if __name__ == "__main__":
    tap.main()
