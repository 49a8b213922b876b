# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metrics, on rates whose figures are known beforehand."""
import math
import os
import sys
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce import quality  # noqa: E402
from reproduce.binding import Measured  # noqa: E402
from reproduce.expression import Unavailable  # noqa: E402
from reproduce.lab import Lab, Request, Run, Series  # noqa: E402
from reproduce.metrics import METRICS, View, tcp_bound  # noqa: E402

LAB = os.environ.get("WEIR_LAB", os.path.join(ROOT, "build", "plain", "tools", "lab", "weir-lab"))


def made_up(rates_bps, step=0.5, binding=None, groups=("tested",), lost=0.0, total=False, allowed=None,
            variables=None, queue=None, **fields):
    """A run whose flows send at rates_bps[bin][flow]; all of it arrives."""
    rates = np.array(rates_bps, dtype=float)
    n_bins, n_flows = rates.shape
    size = rates * step / 8
    zero = np.zeros_like(size)
    columns = {"sent_bytes": size, "received_bytes": size, "goodput_bytes": size, "sent_packets": size / 1000,
               "lost_packets": size / 1000 * lost, "window_packets": zero, "rtt_ms": zero, "allowed_bps": zero
               if allowed is None else np.array(allowed, dtype=float)}
    for name, values in (variables or {}).items():
        columns[name] = np.array(values, dtype=float).reshape(n_bins, 1).repeat(n_flows, axis=1)
    names = [f"f{i}" for i in range(n_flows)]
    flows = [{"name": name, "group": "tested", "goodput_bps": rates[:, i].mean(),
              "sent_bps": rates[:, i].mean(),
              "sent_packets": 1000, "lost_packets": 1000 * lost, "cov_sent": 0.25, **fields} for i,
             name in enumerate(names)]
    link = {"name": "bottleneck", "capacity_bps": 1e6, "loss_ratio": 0.05, "queue_packets": {"mean": 12.5}}
    offered = np.full((n_bins, 1), 100.0)
    links = Series(step * (np.arange(n_bins) + 1), ["bottleneck"],
                   {"offered_packets": offered, "dropped_packets": offered * 0.1,
                    "lost_packets": offered * 0.1,
                    "queue_packets": np.array(queue if queue is not None else [0] * n_bins, dtype=float)[:, None]})
    run = Run({"flows": flows, "links": [link], "bin_s": 1},
              Series(step * (np.arange(n_bins) + 1), names, columns), links)
    return View(run, Measured(Request("made-up"), groups, total), binding or {})


def step_at(t0, before, after, seconds=60, step=0.5):
    return [[before if (i + 0.5) * step < t0 else after] for i in range(round(seconds / step))]


class OfRates(unittest.TestCase):
    def test_means_are_taken_over_the_window_and_the_flows(self):
        view = made_up([[1e6, 3e6]] * 20 + [[2e6, 6e6]] * 20)
        self.assertAlmostEqual(METRICS["rate"](view, t=(0, 10)), 2e6)
        self.assertAlmostEqual(METRICS["G"](view, t=(10, 20)), 4e6)
        self.assertAlmostEqual(METRICS["G"](view), 3e6)
        self.assertAlmostEqual(METRICS["G"](made_up([[1e6, 3e6]] * 4, total=True)), 4e6)
        self.assertAlmostEqual(METRICS["arrival"](view, t=(0, 10)), 2.5e5)

    def test_a_window_without_samples_leaves_the_check_open(self):
        with self.assertRaises(Unavailable):
            METRICS["rate"](made_up([[1e6]] * 4), t=(100, 200))

    def test_variation_is_deviation_over_mean(self):
        view = made_up([[1e6], [3e6]] * 20)
        self.assertAlmostEqual(METRICS["cov"](view, bin=0.5), 0.5)
        self.assertAlmostEqual(METRICS["cov"](view, t=(0, 10), bin=1), 0.0)
        self.assertAlmostEqual(METRICS["cov"](view), 0.25, msg="without a window the summary's")

    def test_what_is_sent_again_does_not_count_where_the_paper_counts_new_data(self):
        tcp = {"cov_new": 0.5, "resent_packets": 100}
        for binding, rate, cov in (({}, 2e6, 0.25), ({"rates": "new"}, 1.8e6, 0.5)):
            view = made_up([[2e6]] * 4, binding=binding, **tcp)
            self.assertAlmostEqual(METRICS["rate"](view), rate)
            self.assertAlmostEqual(METRICS["cov"](view), cov)
            self.assertAlmostEqual(METRICS["G"](view), 2e6)
        media = made_up([[2e6]] * 4, binding={"rates": "new"})
        self.assertAlmostEqual(METRICS["rate"](media), 2e6)
        self.assertAlmostEqual(METRICS["cov"](media), 0.25)

    def test_jain(self):
        self.assertAlmostEqual(METRICS["jain"](made_up([[1e6, 1e6]] * 4)), 1)
        self.assertAlmostEqual(METRICS["jain"](made_up([[1e6, 0]] * 4), t=2), 0.5)
        view = made_up([[1e6, 1e6]] * 38 + [[1e6, 0]] * 2)
        self.assertAlmostEqual(METRICS["ijain_pct"](view, 50, t=(0, 20)), 1)
        self.assertAlmostEqual(METRICS["ijain_pct"](view, 0, t=(0, 20)), 0.5)
        self.assertGreater(METRICS["ijain_pct"](view, 0, t=(0, 20), bin=20), 0.5, "of means the least is higher")

    def test_the_measures_of_quality_are_those_of_the_library(self):
        """Which weir-lab prints: of the goodputs, and of the rates in its bins."""
        run = Lab(LAB).run(Request("dumbbell", sets=("measure.from_s=10",), duration_s=30, series=True), 1)
        view = View(run, Measured(None, ("tested",)), {})
        self.assertAlmostEqual(METRICS["jain"](view), run.result["jain"], places=9)
        bins = view.rates("goodput_bytes", (10, 30), run.result["bin_s"])
        self.assertAlmostEqual(np.median([quality.jain(row) for row in bins]), run.result["jain_instantaneous"]["p50"], places=9)
        for i, flow in enumerate(view.flows):
            self.assertAlmostEqual(quality.cov(view.sending_rates((10, 30), run.result["bin_s"])[:, i]), flow["cov_sent"], places=9)

    def test_of_nothing_the_measures_of_quality_are_those_of_the_header(self):
        for values, jain, cov in (([], 1, 0), ([0, 0], 1, 0), ([1e300, 1e300], 1, 0), ([2, 0], 0.5, 1)):
            self.assertAlmostEqual(quality.jain(np.array(values, dtype=float)), jain)
            self.assertAlmostEqual(quality.cov(np.array(values, dtype=float)), cov)

    def test_transmission_rates_are_what_is_allowed_or_the_window_over_the_rtt(self):
        binding = {"rates": "transmission", "packet_bytes": 1000}
        media = made_up([[1e6, 1e6]] * 4, binding=binding, allowed=[[1e6, 3e6]] * 4)
        self.assertAlmostEqual(METRICS["ijain_pct"](media, 50, t=(0, 2)), 0.8)
        tcp = made_up([[1e6]] * 4, binding=binding, recoveries=0,
                      variables={"window_packets": [5, 5, 15, 15], "rtt_ms": [math.nan, 100, 100, 100]})
        np.testing.assert_allclose(tcp.transmission_rates()[:, 0], [0, 4e5, 12e5, 12e5])
        self.assertAlmostEqual(METRICS["cov"](tcp, t=(1, 2), bin=0.5), 0)
        for column in ("window_packets", "rtt_ms"):  # ns-2's series do without: what is allowed is cwnd/RTT there
            del media.run.flow_series.columns[column]
        self.assertAlmostEqual(METRICS["ijain_pct"](media, 50, t=(0, 2)), 0.8)
        self.assertAlmostEqual(METRICS["rate_range"](tcp, t=(0, 2)), 10e5, msg="of means over 1 s")

    def test_a_flow_rises_and_falls_to_its_own_level(self):
        view = made_up(step_at(20, 1e6, 3e6))
        self.assertAlmostEqual(METRICS["own_rise"](view, t0=20, until=60), 2.5)
        self.assertEqual(METRICS["own_fall"](view, t0=20, until=60), 40, "it never falls")
        self.assertAlmostEqual(METRICS["own_fall"](made_up(step_at(20, 3e6, 1e6)), t0=20, until=60), 2.5)
        self.assertEqual(METRICS["own_rise"](made_up(step_at(70, 1e6, 3e6)), t0=20, until=60), 40)
        early, late = made_up(step_at(20, 1e6, 3e6)), made_up(step_at(24, 1e6, 3e6))
        self.assertAlmostEqual(METRICS["own_rise"](early, late, t0=20, until=60), 4.5, msg="of the mean curve")

    def test_the_rate_after_a_departure(self):
        view = made_up(step_at(30, 1e6, 3e6), binding={"departing_s": {"tested": 10}}, completed_s=15)
        self.assertAlmostEqual(METRICS["rate_after"](view, "tested", t=(5, 20)), 3e6)
        self.assertAlmostEqual(METRICS["rate_after"](view, "tested", t=(0, 10)), 2e6)
        with self.assertRaises(Unavailable):
            METRICS["rate_after"](made_up([[1e6]] * 9, binding={"departing_s": {"tested": 1}}), "tested", t=(0, 1))

    def test_spread_range_and_dips(self):
        self.assertAlmostEqual(METRICS["spread"](made_up([[1e6, 3e6, 2e6]] * 4), t=(0, 2)), 2e6)
        view = made_up([[1e6]] * 60 + [[4e5]] * 2 + [[1e6]] * 60 + [[6e5]] * 2 + [[1e6]] * 10)
        self.assertAlmostEqual(METRICS["rate_range"](view, t=(0, 67)), 6e5)
        self.assertEqual(METRICS["dips"](view, t=(0, 67)), 1, "0.4 is below half, 0.6 is not")
        self.assertEqual(METRICS["dips"](view, t=(0, 67), below=0.7), 2)

    def test_loss_of_flows_and_of_the_link(self):
        self.assertAlmostEqual(METRICS["loss"](made_up([[1e6]] * 4, lost=0.02)), 0.02)
        self.assertAlmostEqual(METRICS["loss"](made_up([[1e6]] * 4, lost=0.02), t=(0, 1)), 0.02)
        link = made_up([[1e6]] * 4, binding={"loss_of": "link"})
        self.assertAlmostEqual(METRICS["loss"](link), 0.05)
        self.assertAlmostEqual(METRICS["loss"](link, t=(0, 2)), 0.2)

    def test_utilisation_counts_all_forward_flows(self):
        self.assertAlmostEqual(METRICS["U"](made_up([[2e5, 3e5]] * 4)), 0.5)

    def test_normalised_to_the_share_or_to_a_reference(self):
        self.assertAlmostEqual(METRICS["nt"](made_up([[5e5, 4e5]] * 4)), 0.9)
        self.assertAlmostEqual(METRICS["nt"](made_up([[5e5]] * 4), made_up([[1e6]] * 4)), 0.5)


class OfTransients(unittest.TestCase):
    SHARE = {"share_bps": {"rise": 1e6, "fall": 3e5}}

    def test_rise_ends_when_the_five_second_mean_reaches_nine_tenths(self):
        view = made_up(step_at(20, 3e5, 1e6), binding=self.SHARE)
        self.assertAlmostEqual(METRICS["rise"](view, t0=20),
                               4.5)  # 0.3 + 0.7 t/5 = 0.9 at t = 4.29, the next bin is 4.5

    def test_rise_of_a_part_of_the_step_and_of_each_flow_to_its_own_level(self):
        view = made_up(step_at(60, 3e5, 1e6, 120), binding=self.SHARE)
        self.assertAlmostEqual(METRICS["rise"](view, t0=60, low=0.1), 4.0)  # 0.37 Mbit/s at 0.5 s, 0.93 at 4.5 s
        apart = [[fast[0], slow[0]] for fast, slow in zip(step_at(60, 3e5, 2e6, 120), step_at(70, 1e5, 4e5, 120))]
        view = made_up(apart, binding=self.SHARE)
        self.assertAlmostEqual(METRICS["rise"](view, t0=60), 4.5, msg="of the mean, to 0.9 of the share")
        self.assertAlmostEqual(METRICS["rise"](view, t0=60, until=120), (4.5 + 14.5) / 2)
        self.assertAlmostEqual(METRICS["rise"](view, t0=60, until=120, low=0.1), (4.0 + 4.0) / 2)
        self.assertEqual(METRICS["rise"](made_up(step_at(60, 1e5, 2e5, 120), binding=self.SHARE), t0=60, low=0.1), math.inf)

    def test_fall_ends_within_a_tenth(self):
        view = made_up(step_at(20, 1e6, 3e5), binding=self.SHARE)
        self.assertAlmostEqual(METRICS["fall"](view, t0=20), 5.0)
        view = made_up(step_at(60, 1e6, 6e5, 120), binding={})
        self.assertAlmostEqual(METRICS["fall"](view, t0=60, until=120), 4.5, msg="1 - 0.4 t/5 = 0.66 at t = 4.25")

    def test_convergence_must_last(self):
        rates = step_at(20, 3e5, 1e6, 26) + step_at(0, 1e5, 1e5, 10) + step_at(0, 1e6, 1e6, 30)
        view = made_up(rates, binding=self.SHARE)
        self.assertAlmostEqual(METRICS["rise"](view, t0=20), 4.5)
        self.assertAlmostEqual(METRICS["conv"](view, t0=20), 21.0 - 0.5)
        view = made_up(step_at(60, 3e5, 6e5, 120), binding={})
        self.assertAlmostEqual(METRICS["conv"](view, t0=60, until=120), 4.0, msg="to 0.9 of its own new level")

    def test_what_never_happens_takes_for_ever(self):
        view = made_up(step_at(20, 3e5, 8e5), binding=self.SHARE)
        self.assertEqual(METRICS["rise"](view, t0=20), math.inf)

    def test_without_a_share_the_check_is_open(self):
        with self.assertRaises(Unavailable):
            METRICS["rise"](made_up([[1e6]] * 30), t0=0)


class OfAlgorithms(unittest.TestCase):
    def test_the_backlog_of_a_step_is_the_difference_of_the_queues(self):
        """Bins of 0.5 s: the step is between 1.5 and 2 s; 1 s later the queues are 5 and 12 packets."""
        before = made_up([[1e6]] * 10, variables={"window_bytes": [100] * 10}, queue=[5] * 10)
        after = made_up([[1e6]] * 10, variables={"window_bytes": [100] * 3 + [200] * 7},
                        queue=[5] * 4 + [9, 12, 13, 13, 13, 13])
        self.assertAlmostEqual(METRICS["backlog"](after, before, t=1), 7)
        with self.assertRaises(Unavailable):
            METRICS["backlog"](before, before, t=1)

    def test_what_is_outstanding_is_compared_while_the_window_does_not_shrink(self):
        variables = {"window_bytes": [1000, 2000, 2000, 500, 500], "outstanding_bytes": [0, 1500, 1900, 1900, 300],
                     "packet_bytes": [100] * 5}
        view = made_up([[1e6]] * 5, variables=variables)
        self.assertAlmostEqual(METRICS["max_over_time"](view, "outstanding - w"), -1)

    def test_the_first_reset_after_a_moment(self):
        view = made_up([[1e6]] * 6, variables={"history_resets": [0, 1, 1, 1, 2, 3]})
        self.assertEqual(METRICS["first_hr"](view, after=1), 2.5)
        self.assertEqual(METRICS["first_hr"](view, after=3), math.inf)
        with self.assertRaises(Unavailable):
            METRICS["first_hr"](made_up([[1e6]] * 6), after=1)

    def test_counts_of_the_algorithm_are_those_at_the_end(self):
        view = made_up([[1e6]] * 4, variables=None, generated_packets=990)
        self.assertEqual(METRICS["retransmissions"](view), 10)
        view.flows[0]["variables"] = {"loss_events": 1, "timeouts": 0}
        self.assertEqual((METRICS["reductions"](view), METRICS["timeouts"](view)), (1, 0))
        with self.assertRaises(Unavailable):
            METRICS["timeouts"](made_up([[1e6]] * 4))


class OfMedia(unittest.TestCase):
    def test_the_allowed_rate_against_what_is_sent(self):
        view = made_up([[1e6]] * 20, allowed=[[2e6]] * 20)
        self.assertAlmostEqual(METRICS["allowed"](view, t=(0, 10)), 2e6)
        self.assertAlmostEqual(METRICS["allowed_over_sent"](view, t=(0, 10)), 2)

    def test_time_until_the_media_rate_is_allowed(self):
        allowed = [[1e4 * 2 ** (i / 4)] for i in range(40)]
        binding = {"media_bps": 64000, "restart_s": 0, "start_s": 0}
        view = made_up([[1e4]] * 40, allowed=allowed, binding=binding)
        self.assertAlmostEqual(METRICS["t_rec"](view), 6.0)
        self.assertEqual(METRICS["t_start"](view), METRICS["t_rec"](view))

    def test_the_least_of_an_expression_over_time(self):
        allowed = [[2e6]] * 10 + [[1.9e6]] + [[3e6]] * 9
        view = made_up([[1e6]] * 20, allowed=allowed, binding={"min_window": [1, 10], "recv_s": 0.5})
        self.assertAlmostEqual(METRICS["min_over_time"](view, "allowed/(2*recv)"), 0.95)

    def test_a_rate_that_no_report_has_told_is_not_compared(self):
        received = [[1e6]] * 10 + [[2e6]] * 10
        for report_s, least in ((0, 0.5), (0.2, 0.5), (0.5, 1.0)):
            binding = {"min_window": [0, 10], "recv_s": 0.5, "report_s": report_s}
            allowed = [[2e6]] * 11 + [[4e6]] * 9
            view = made_up(received, allowed=allowed, binding=binding)
            self.assertAlmostEqual(METRICS["min_over_time"](view, "allowed/(2*recv)"), least)

    def test_the_smallest_prebuffer_with_few_late_packets(self):
        view = made_up([[1e6]] * 4, late_ratio={"0.1": 0.2, "1": 0.009, "2.5": 0.001, "0.5": 0.011})
        self.assertEqual(METRICS["prebuffer"](view, late=0.01), 1)
        self.assertEqual(METRICS["prebuffer"](view, late=0.0001), math.inf)
        worse = made_up([[1e6]] * 4, late_ratio={"0.1": 0.4, "1": 0.02, "2.5": 0.012, "0.5": 0.011})
        self.assertEqual(METRICS["prebuffer"](view, worse, late=0.01), 2.5, "of the mean of both, not the mean of both")

    def test_late_packets_by_prebuffer_or_by_ratio(self):
        view, worse = (made_up([[1e6]] * 4, late_ratio=ratios) for ratios in
                       ({"0": 0.5, "1": 0.25, "4": 0.0}, {"0": 0.7, "1": 0.35, "4": 0.0}))
        self.assertEqual(METRICS["lateness"](view, late=0.3), 1)
        self.assertAlmostEqual(METRICS["lateness"](view, until=[1, 1]), 0.25)
        self.assertAlmostEqual(METRICS["lateness"](view, worse, until=[1, 1]), 0.3, msg="of the mean of both")
        self.assertAlmostEqual(METRICS["lateness"](view, until=[0, 4]), (0.375 + 3 * 0.125) / 4, places=3)

    def test_a_missing_figure_leaves_the_check_open(self):
        for name in ("R", "D", "rtt", "prebuffer"):
            with self.assertRaises(Unavailable):
                METRICS[name](made_up([[1e6]] * 4), **({"late": 0.01} if name == "prebuffer" else {}))

    def test_the_bound_of_tcp(self):
        self.assertAlmostEqual(tcp_bound(B=1000, R=0.2, p=0.05), 27386.13, places=2)
        view = made_up([[1e6]] * 4, binding={"bound": {"packet_bytes": 1000, "rtt_s": 0.2}})
        self.assertAlmostEqual(METRICS["bound_T"](view), 27386.13, places=2)
        self.assertEqual(tcp_bound(1000, 0.2, 0), math.inf)


if __name__ == "__main__":
    tap.main()
