# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's verdict: it must fail a run in which media did not adapt."""
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools", "demonstrate")]
import scenario  # noqa: E402
import tap  # noqa: E402


def made_up_run(duration_s, target, delivered=lambda capacity, competitors: capacity / (1 + competitors),
                queue_ms=lambda phase: 20):
    """Samples of a run whose target, delivered rate and queue are functions of the phase; TCP has the rest."""
    samples = []
    for phase in scenario.phases(duration_s):
        steps = round((phase.end_s - phase.start_s) * 10)
        for i in range(1, steps + 1):
            rate = delivered(phase.capacity_bps, phase.competitors)
            samples.append(scenario.Sample(
                time_s=phase.start_s + i / 10, capacity_bps=phase.capacity_bps,
                target_bps=target(phase, i / 10), sent_bps=rate, delivered_bps=rate,
                cross_bps=phase.capacity_bps - rate if phase.competitors else 0,
                queue_ms=queue_ms(phase), sent_packets=20, lost_packets=1 if i % 20 == 0 else 0))
    return samples


class Phases(unittest.TestCase):
    def test_cover_the_whole_run_without_gaps(self):
        for duration_s in (8, 20, 60, 3600):
            phases = scenario.phases(duration_s)
            self.assertEqual(phases[0].start_s, 0)
            self.assertEqual(phases[-1].end_s, duration_s)
            for before, after in zip(phases, phases[1:]):
                self.assertEqual(before.end_s, after.start_s)

    def test_are_what_the_link_is_told(self):
        self.assertEqual(scenario.schedule_text(60), "0:2500000,15:1000000,30:2500000")
        self.assertEqual(scenario.cross_traffic_text(60), "linux-cubic*2,start=30,stop=45")

    def test_are_measured_over_their_last_eight_seconds(self):
        samples = made_up_run(60, lambda phase, t: 1)
        settled = scenario.phases(60)[1].settled(samples)
        self.assertEqual(len(settled), 80)
        self.assertGreater(settled[0].time_s, 22)
        self.assertEqual(settled[-1].time_s, 30)


class Verdict(unittest.TestCase):
    def follow(self, phase, t):
        return 0.9 * phase.capacity_bps if t > 1 else 2_400_000

    def test_passes_a_target_that_follows(self):
        result = scenario.judge(made_up_run(60, self.follow), 60, 1500, 1490)
        self.assertEqual(result["problems"], [])
        self.assertTrue(result["passed"])
        self.assertAlmostEqual(result["seconds_to_below_capacity"], 1.1)
        self.assertAlmostEqual(result["phases"][0]["utilization"], 1.0)
        self.assertAlmostEqual(result["loss_ratio"], 28 / 12000, places=5)

    def test_fails_a_target_that_stays(self):
        result = scenario.judge(made_up_run(60, lambda phase, t: 2_400_000), 60, 1500, 1490)
        self.assertFalse(result["passed"])
        self.assertIsNone(result["seconds_to_below_capacity"])

    def test_fails_a_target_that_never_comes_back_up(self):
        result = scenario.judge(made_up_run(60, lambda phase, t: 500_000), 60, 1500, 1490)
        self.assertFalse(result["passed"])

    def problems(self, duration_s=60, **run):
        return scenario.judge(made_up_run(duration_s, self.follow, **run), duration_s, 1500, 1490)["problems"]

    def test_fails_a_run_that_leaves_capacity_unused(self):
        used = lambda share: lambda capacity, competitors: share * capacity / (1 + competitors)
        self.assertEqual(self.problems(delivered=used(0.97)), [])
        self.assertEqual(self.problems(delivered=used(0.95)),
                         ["from 0 to 15 s 0.950 of the capacity was used; wanted: 0.96"])
        self.assertEqual(len(self.problems(delivered=used(0.93))), 3)

    def test_fails_a_run_with_a_long_queue_alone(self):
        self.assertEqual(self.problems(queue_ms=lambda phase: 200 if phase.competitors else 34), [])
        self.assertEqual(self.problems(queue_ms=lambda phase: 45),
                         ["from 0 to 15 s q95 was 45 ms; wanted: 35 at most"])
        self.assertEqual(len(self.problems(queue_ms=lambda phase: 51)), 3)

    def test_fails_a_share_beside_tcp_below_half_or_above_twice(self):
        share = lambda part: lambda capacity, competitors: capacity * (part if competitors else 1)
        for part in (0.17, 0.3, 0.66):
            self.assertEqual(self.problems(delivered=share(part)), [], part)
        self.assertIn("0.16 of what was carried", self.problems(delivered=share(0.16))[0])
        self.assertEqual(len(self.problems(delivered=share(0.68))), 1)

    def test_has_no_figures_for_phases_too_short_to_settle(self):
        self.assertEqual(self.problems(20, queue_ms=lambda phase: 200), [])

    def test_fails_when_media_does_not_arrive(self):
        for received in (0, 700, 1100):
            result = scenario.judge(made_up_run(60, self.follow), 60, 1500, received)
            self.assertFalse(result["passed"], received)

    def test_fails_a_run_without_samples(self):
        self.assertFalse(scenario.judge([], 60, 0, 0)["passed"])

    def test_has_the_fields_scripts_read(self):
        result = scenario.judge(made_up_run(60, self.follow), 60, 1500, 1490)
        self.assertLessEqual({"duration_s", "passed", "frames_sent", "frames_received",
                              "loss_ratio", "seconds_to_below_capacity", "phases"}, set(result))
        self.assertLessEqual({"start_s", "end_s", "capacity_bps", "competitors", "utilization",
                              "media_share", "queue_ms_p50", "queue_ms_p95", "loss_ratio"},
                             set(result["phases"][0]))


if __name__ == "__main__":
    tap.main()
