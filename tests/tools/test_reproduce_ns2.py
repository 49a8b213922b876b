# SPDX-License-Identifier: LGPL-2.1-or-later
"""The twin of a scenario in ns-2: the script says what the scenario says, what has no twin is refused by name, and
what ns-2 counts is reported as weir-lab reports it."""
import math
import os
import shutil
import sys
import types
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce import ns2  # noqa: E402
from reproduce.lab import Request  # noqa: E402

TFRC = {"algorithm": "tfrc", "params": {"profile": "ns2", "initial": "rfc", "nofeedback-min": 0, "self-clocked": True},
        "feedback": {"max_interval_ms": 10000}}

SIMDNR = {"algorithm": "simdnr", "feedback": {"per_packet": True}, "tcp": {"delayed_ack_ms": 0, "rto_min_ms": 1000},
          "params": {"initial": "paper", "clocking": "ack", "alpha": "paper", "min-rto": 1000, "keep": 0.8,
                     "whole-packets": True}}


def scenario(flow=None, **fields):
    link = {"name": "bottleneck", "from": "R1", "to": "R2", "capacity_bps": 1000000, "delay_ms": 10,
            "queue": {"packets": 20}}
    flow = {"name": "flow", "algorithm": "tcp-reno", "from": "R1", "to": "R2", "rtt_ms": 100, "header_bytes": 0,
            "packet_bytes": 1000, "receiver_access_share": 0.25, **(flow or {})}
    return {"duration_s": 20, "measure": {"from_s": 5, "bin_s": 0.5}, "links": [{**link, **fields}],
            "flows": [flow, {"name": "none", "count": 0}]}


def script(described):
    return ns2.script(described, ns2.grid_of(described, False))[0].splitlines()


class Scripts(unittest.TestCase):
    def test_say_what_the_scenario_says(self):
        self.assertEqual(script(scenario({"start_s": 2, "tcp": {"rto_min_ms": 1000, "delayed_ack_ms": 0}}))[1:], [
            "use duration 20 from 5 bin 0.5", "begin", "use queue droptail", "bottleneck bottleneck R1 R2 1000000 0.01 20",
            "$ns queue-limit [node R2] [node R1] [expr {20 + [setting spare]}]", "Agent/TCP set minrto_ 1",
            "Agent/TCPSink set packetSize_ 40", "Agent/TCPSink/DelAck set interval_ 100ms",
            "use window 1000 delayed_ack 0 jitter 0", "use bytes 1000 far_delay 0.01",
            "flow flow reno {R1 R2} rtt 0.1 on {2}", "run_recorded"])

    def test_know_red_and_losses_in_both_directions(self):
        lines = script(scenario(queue={"discipline": "red", "packets": 50, "min_packets": 10, "max_packets": 40,
                                       "weight": 0.002, "max_p": 0.02},
                                reverse={"queue": {"packets": 200}}, loss={"model": "bernoulli", "p": 0.01}))
        for line in ("use queue red", "use red_min 10 red_max 40 red_weight 0.002", "Queue/RED set linterm_ 50",
                     "$ns queue-limit [node R2] [node R1] [expr {200 + [setting spare]}]", "lossy bottleneck 0.01",
                     "lossy bottleneck.reverse 0.01"):
            self.assertIn(line, lines)

    def test_know_tfrc_and_constant_rates_on_and_off(self):
        self.assertIn("Agent/TFRC set conservative_ 1", script(scenario(TFRC)))
        cbr = {"algorithm": "udp", "source": {"kind": "cbr", "rate_bps": 300000, "on_s": 5, "off_s": 5, "begin": "off"}}
        self.assertIn("flow flow cbr {R1 R2} rtt 0.1 rate 300000 on {5 10 15 20}", script(scenario(cbr)))

    def test_let_steady_media_use_the_tfrc_that_ns2_has(self):
        media = {"algorithm": "tfrc", "params": {**TFRC["params"], "profile": "rfc5348", "first-interval": "recent"},
                 "feedback": {"max_interval_ms": 10000}, "source": {"kind": "video", "rate_bps": 512000},
                 "buffer": {"packets": 180}}
        self.assertIn("flow flow tfrc-media {R1 R2} rtt 0.1 rate 512000 on {0}", script(scenario(media)))
        for change in ({"source": {"kind": "cbr", "rate_bps": 1000, "on_s": 1, "off_s": 1}},
                       {"params": {**media["params"], "sp": True}}):
            with self.assertRaises(ns2.Refused):
                script(scenario({**media, **change}))

    def test_put_the_window_law_of_simd_on_a_tcp(self):
        lines = script(scenario(SIMDNR))
        self.assertIn("use keep 0.8 alpha_i 0 per_ack 0 whole_packets 1", lines)
        self.assertIn("Agent/TCP set minrto_ 1", lines)
        self.assertIn("flow flow simdnr {R1 R2} rtt 0.1 on {0}", lines)
        for change in ({"feedback": {}}, {"tcp": {}}, {"params": {**SIMDNR["params"], "alpha": "derived"}},
                       {"params": {**SIMDNR["params"], "initial-ssthresh": 20}}):
            with self.assertRaises(ns2.Refused):
                script(scenario({**SIMDNR, **change}))

    def test_take_the_way_with_the_fewest_links(self):
        links = [{"name": name, "from": name[0], "to": name[1]} for name in ("ab", "bc", "cd", "ad", "de")]
        self.assertEqual(ns2.route(links, "e", "a"), (["e", "d", "a"], ["de", "ad"]))

    def test_refuse_what_is_set_for_some_flows_of_a_class_only(self):
        described = scenario({"tcp": {"rto_min_ms": 1000}})
        described["flows"].append({**described["flows"][0], "name": "second", "tcp": {}})
        with self.assertRaises(ns2.Refused) as caught:
            script(described)
        self.assertIn("rto_min_ms", str(caught.exception))

    def test_refuse_by_name_what_has_no_twin(self):
        for described, said in (
                (scenario({"algorithm": "arc", "label": "ARC"}), "ARC"),
                (scenario({**TFRC, "params": {**TFRC["params"], "profile": "rfc5348"}}), "tfrc"),
                (scenario({**TFRC, "feedback": {}}), "flows.flow.feedback"),
                (scenario({"source": {"kind": "video"}}), "flows.flow.source"),
                (scenario({"tcp": {"cwv": True}}), "flows.flow.tcp.cwv"),
                (scenario({"via": ["R3"]}), "flows.flow.via"),
                (scenario(policer={}), "links.bottleneck.policer"),
                (scenario(queue={"discipline": "codel", "packets": 9}), "links.bottleneck.queue"),
                (scenario(queue={"time_ms": 100}), "links.bottleneck.queue.time_ms"),
                (scenario(loss={"model": "gilbert"}), "links.bottleneck.loss")):
            with self.assertRaises(ns2.Refused) as caught:
                script(described)
            self.assertIn(said, str(caught.exception))


class Results(unittest.TestCase):
    # Per step: sent bytes, sent packets, dropped, received bytes, acked bytes, new packets, the rate allowed; of the link.
    ROWS = np.cumsum([[0] * 10] + [[1000 * (1 + i % 2), 2, i % 2, 900, 800, 2 * (i % 2), 0, 4, 1, 0.5]
                                   for i in range(20)], axis=0)
    ROWS[:, 6] = range(len(ROWS))

    def run_of(self, series):
        described = {**scenario({"header_bytes": 500}), "sample_s": 2, "duration_s": 10,
                     "measure": {"from_s": 0, "bin_s": 0.5}}
        runner = ns2.Ns2.__new__(ns2.Ns2)
        runner.lab = types.SimpleNamespace(show=lambda request, seed: described)
        runner.settings, runner.bins = (), True
        runner.records = lambda text, seed: self.ROWS
        return runner.run(Request("x", series=series), 1)

    def test_have_the_units_of_the_laboratory(self):
        run = self.run_of(False)
        flow, link = run.flows(["flow"])[0], run.link("bottleneck")
        self.assertEqual((flow["goodput_bps"], flow["sent_bps"], flow["sent_packets"], flow["lost_packets"]),
                         (8 * 800 * 2 / 2, 8 * 1500 * 2, 40, 10))
        self.assertAlmostEqual(flow["cov_sent"], 1 / 3)
        self.assertEqual((flow["cov_new"], flow["resent_packets"]), (1, 20))
        self.assertTrue(math.isnan(ns2.cov(np.array([5.0]))), "of the window as a whole there is none")
        self.assertEqual((link["loss_ratio"], link["queue_packets"]["mean"]), (0.25, 1.0))

    def test_are_of_the_whole_window_when_no_variation_is_asked_for(self):
        described = {"duration_s": 10, "measure": {"from_s": 2, "bin_s": 0.5}, "sample_s": 4}
        steps = [ns2.grid_of(described, series, bins).step_s for series, bins in ((0, 1), (0, 0), (1, 1), (1, 0))]
        self.assertEqual(steps, [0.5, 8, 0.5, 0.5])
        self.assertEqual(ns2.grid_of({**described, "measure": {"to_s": 6, "bin_s": 1}}, False, False).step_s, 2)

    def test_have_time_series_in_bins_of_the_scenario(self):
        run = self.run_of(True)
        self.assertEqual(list(run.flow_series.time_s), [2, 4, 6, 8, 10])
        self.assertEqual(list(run.flow_series["sent_bytes"][:, 0]), [6000] * 5)
        self.assertEqual(list(run.link_series["queue_packets"][:, 0]), [1.0] * 5)

    def test_have_the_allowed_rate_at_the_ends_of_the_bins(self):
        self.assertEqual(list(self.run_of(True).flow_series["allowed_bps"][:, 0]), [4, 8, 12, 16, 20])


class Ns(unittest.TestCase):
    def test_runs_what_was_written(self):
        if not shutil.which("ns"):
            self.skipTest("no ns")
        runner = ns2.Ns2(types.SimpleNamespace(show=lambda request, seed: scenario()))
        run = runner.run(Request("x", series=True), 1)
        flow = run.flows(["flow"])[0]
        self.assertGreater(flow["goodput_bps"], 0.9e6)
        self.assertLess(flow["goodput_bps"], 1.001e6)
        self.assertAlmostEqual(run.flow_series["allowed_bps"][100:, 0].mean(), 1e6, delta=1e5)  # cwnd/RTT

    def test_simd_keeps_more_of_its_window_than_reno(self):
        if not shutil.which("ns"):
            self.skipTest("no ns")
        flows = {}
        for name, flow in (("reno", {"tcp": SIMDNR["tcp"]}), ("simd", {**SIMDNR, "algorithm": "simd"}), ("simdnr", SIMDNR)):
            described = {**scenario(flow), "duration_s": 60, "measure": {"from_s": 20, "bin_s": 0.3}}
            runner = ns2.Ns2(types.SimpleNamespace(show=lambda request, seed, described=described: described))
            flows[name] = runner.run(Request("x"), 1).flows(["flow"])[0]
            self.assertGreater(flows[name]["lost_packets"], 0)
        self.assertLess(flows["simd"]["cov_sent"], 0.7 * flows["reno"]["cov_sent"])
        self.assertLess(flows["simdnr"]["cov_sent"], 0.7 * flows["reno"]["cov_sent"])
        self.assertEqual([flows[name]["resent_packets"] > 0 for name in ("simd", "simdnr")], [True, False])


if __name__ == "__main__":
    tap.main()
