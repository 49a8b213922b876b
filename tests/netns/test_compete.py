# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live scenarios, the arithmetic of their figures, their tables, and what compete.py says."""
import itertools
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import arithmetic  # noqa: E402
import compete  # noqa: E402
import live_figures as figures  # noqa: E402
import live_machine  # noqa: E402
import live_page  # noqa: E402
import live_run  # noqa: E402
import live_scenarios as scenarios  # noqa: E402
import needs  # noqa: E402
import tap  # noqa: E402

LAB = HERE.parents[1] / "scenarios" / "live"
PROGRAM = os.environ.get("WEIR_LINK")
CONST, STEP = scenarios.find("const"), scenarios.find("step")


def packet(left_s, size=1250, kind="udp", port=5004, queue_ms=0.0, fate="delivered"):
    return figures.Packet(left_s, kind, port, size, queue_ms, fate)


def stream(from_s, to_s, bps, **fields):
    """Packets of 1250 bytes, evenly."""
    gap_s, count = 10_000 / bps, round((to_s - from_s) * bps / 10_000)
    return [packet(from_s + (k + 0.5) * gap_s, **fields) for k in range(count)]


class Scenarios(unittest.TestCase):
    def test_there_are_twelve_with_names_of_their_own(self):
        names = [one.name for one in scenarios.SCENARIOS]
        self.assertEqual(len(set(names)), 12)
        self.assertTrue(set(scenarios.OF_OTHER_RECEIVERS) <= set(names))
        self.assertIsNone(scenarios.find("nothing"))

    def test_they_are_those_of_the_lab(self):
        def read(name):
            described = json.loads((LAB / f"{name}.json").read_text())
            base = read(described["base"].removeprefix("live/")) if "base" in described else {}
            return {**base, **described, **{part: {**base.get(part, {}), **described.get(part, {})}
                                            for part in ("vars", "measure")}}

        self.assertEqual({path.stem for path in LAB.glob("*.json")},
                         {one.name for one in scenarios.SCENARIOS})
        for one in scenarios.SCENARIOS:
            lab = read(one.name)
            values, measure = lab["vars"], lab["measure"]
            self.assertEqual((one.duration_s, one.window_s, one.rtt_ms, one.loss), (
                lab["duration_s"], (measure["from_s"], measure.get("to_s", lab["duration_s"])),
                values["rtt_ms"], values["loss"]), one.name)
            self.assertEqual(one.steps(7)[0], (0, values["capacity_bps"]), one.name)
            self.assertEqual(one.queue[1], str(values.get("queue_packets", values["queue_bytes"])))
            self.assertEqual(len(one.media_at_s), values["calls"])
            self.assertEqual(sum(tcp.flows for tcp in one.tcp),
                             values["renos"] + values["cubics"] + values["uploads"], one.name)

    def test_everything_happens_within_its_time(self):
        for one in scenarios.SCENARIOS + scenarios.VARIATIONS:
            times = [*one.window_s, *one.media_at_s, *(one.silence_s or ()), one.up_at_s or 0,
                     *(at_s for at_s, _ in one.steps(7))]
            times += [at_s for tcp in one.tcp for at_s in (tcp.at_s, tcp.until_s)]
            self.assertTrue(all(0 <= at_s <= one.duration_s for at_s in times), one.name)
            self.assertEqual(one.steps(7)[0][0], 0)
            self.assertLess(*one.window_s)

    def test_what_is_wanted_are_figures_that_the_table_has(self):
        for one in scenarios.SCENARIOS:
            self.assertTrue(one.wanted, one.name)
            self.assertTrue(live_page.wanted_text(one))

    def test_the_walk_is_the_seeds_and_stays_within_its_limits(self):
        walk = scenarios.random_walk(7, 80, 300_000)
        self.assertEqual(walk, scenarios.random_walk(7, 80, 300_000))
        self.assertNotEqual(walk, scenarios.random_walk(8, 80, 300_000))
        self.assertEqual([at_s for at_s, _ in walk], [round(0.2 * k, 1) for k in range(401)])
        rates = [bps for _, bps in walk]
        self.assertTrue(300_000 <= min(rates) < 600_000 and 3_500_000 < max(rates) <= 4_000_000)
        self.assertTrue(all(abs(b - a) <= 500_000 for a, b in zip(rates, rates[1:])))

    def test_capacity_is_the_integral_of_the_steps(self):
        steps = STEP.steps(7)
        self.assertEqual(scenarios.capacity_bits(steps, 10, 60), 10 * 2.5e6 + 20 * 1e6 + 20 * 2.5e6)
        self.assertEqual(scenarios.capacity_bits(steps, 19, 21), 3.5e6)
        self.assertEqual(scenarios.capacity_bits(((0, 7),), 3, 3), 0)

    def test_a_trial_has_all_of_it_in_less_time(self):
        short = scenarios.find("silent").scaled(15)
        self.assertEqual((short.duration_s, short.window_s, short.silence_s), (15, (11, 11.4), (4, 11)))
        self.assertEqual(STEP.scaled(6).up_at_s, 4)
        tcp = scenarios.find("tcp1").scaled(8).tcp[0]
        self.assertEqual((tcp.at_s, tcp.until_s), (1, 7))

    def test_losses_may_be_of_the_media_alone_and_in_bursts(self):
        for name, wanted in (("repair_burst3", ("0.03", "5", "0.0")), ("repair_loss1", ("0.01", "1", "0.0")),
                             ("loss5", ("0.05", "1", "0.05")), ("const", ("0.0", "1", "0.0"))):
            options = live_run.link_options(scenarios.find(name), 7, 6, "folder")
            said = tuple(options[options.index(one) + 1] for one in ("--loss", "--loss-burst", "--reverse-loss"))
            self.assertEqual(said, wanted, name)

    @unittest.skipIf(needs.missing_link(PROGRAM), needs.missing_link(PROGRAM))
    def test_weir_link_can_be_like_that(self):
        with tempfile.TemporaryDirectory() as folder:
            for one in scenarios.SCENARIOS + scenarios.REPAIR:
                options = live_run.link_options(one, 7, 6, folder)
                result = subprocess.run([PROGRAM, *options, "--", "true"], capture_output=True,
                                        text=True, stdin=subprocess.DEVNULL)
                self.assertEqual((result.returncode, result.stderr), (0, ""), one.name)
            self.assertEqual(figures.read_packets(f"{folder}/packets.csv", 6, 0), [])

    def test_the_schedule_waits_for_the_programs(self):
        self.assertEqual(live_run.schedule_text(STEP.steps(7), 6), "0:2500000,26:1000000,46:2500000")


class Arithmetic(unittest.TestCase):
    def test_jain_is_one_for_equals_and_falls_to_a_half(self):
        self.assertEqual(arithmetic.jain([3, 3]), 1)
        self.assertEqual(arithmetic.jain([3, 0]), 0.5)
        self.assertAlmostEqual(arithmetic.jain([1, 3]), 0.8)
        self.assertEqual(arithmetic.jain([0, 0]), 0)

    def test_medians(self):
        for values, wanted in (([3], 3), ([1, 9, 2], 2), ([4, 1, 2, 3], 2.5)):
            self.assertEqual(arithmetic.median(values), wanted)


class Logs(unittest.TestCase):
    def read(self, text, function, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "log.csv")
            path.write_text(text)
            return function(path, *arguments)

    def test_packets_are_told_by_when_they_left_the_bottleneck(self):
        text = ("time_s,kind,port,bytes,queue_ms,delay_ms,fate\n"
                "7.25,udp,5004,1200,10.5,40,delivered\n6.75,tcp,5201,52,0,0,dropped\n")
        self.assertEqual(self.read(text, figures.read_packets, 6, 0.25), [
            packet(0.75, 52, "tcp", 5201, 0, "dropped"), packet(1.0, 1200, queue_ms=10.5)])

    def test_an_outage_has_no_queue(self):
        text = "time_s,queue_ms\n6.01,5.5\n6.02,\n"
        (row,) = self.read(text, figures.read_queue, 6)
        self.assertAlmostEqual(row[0], 0.01)
        self.assertEqual(row[1], 5.5)

    def test_frames_are_found_among_other_words(self):
        frames = figures.read_frames(["ready", "capture 3000 1500000000", '{"packets-sent": 1}'],
                                     ["ready", "render 3000 1600000000", "render unknown 1700000000"],
                                     1_000_000_000)
        self.assertEqual(frames.captures, {"3000": 0.5})
        self.assertEqual(frames.renders, [("3000", 0.6), ("unknown", 0.7)])
        self.assertEqual(frames.sources, [0.5])

    def test_a_frame_that_is_left_out_came_all_the_same(self):
        lines = [f"frame {k}000000000" for k in (1, 2, 3)] + ["capture 9 1000000000"]
        frames = figures.read_frames(lines, [], 0)
        self.assertEqual((frames.captures, frames.sources), ({"9": 1.0}, [1.0, 2.0, 3.0]))


class Figures(unittest.TestCase):
    def test_t90_is_when_half_a_second_was_nearly_full(self):
        packets = stream(0, 1, 500_000) + stream(1, 5, 2_000_000)
        # At 1 + x s half a second has 0.5 (0.5 - x) + 2 x Mbit; 0.9 of 1 Mbit at x = 0.433.
        self.assertAlmostEqual(figures.seconds_until(packets, 0, 2_000_000), 1.433, delta=0.01)
        self.assertAlmostEqual(figures.seconds_until(packets, 2, 2_000_000), 0.447, delta=0.01)
        self.assertIsNone(figures.seconds_until(packets, 0, 2_300_000))
        self.assertIsNone(figures.seconds_until([], 0, 1))

    def test_what_was_dropped_does_not_count_as_carried(self):
        dropped = stream(0, 5, 2_000_000, fate="dropped")
        self.assertIsNone(figures.seconds_until(dropped, 0, 2_000_000))
        self.assertEqual(figures.delivered_bits(dropped), 0)
        self.assertEqual(figures.queue_loss(dropped + stream(0, 5, 6_000_000)), 0.25)
        self.assertEqual(figures.queue_loss(stream(0, 5, 1_000_000, fate="lost")), 0)

    def test_a_picture_is_frozen_after_183_ms(self):
        steady = [k / 30 for k in range(1, 300)]
        self.assertEqual(figures.frozen_s(steady, 0, 10), 0)
        gap = [at_s for at_s in steady if not 4 < at_s < 4.5]
        self.assertAlmostEqual(figures.frozen_s(gap, 0, 10), 0.5, delta=0.04)
        self.assertEqual(figures.frozen_s([at_s for at_s in steady if not 4 < at_s < 4.1], 0, 10), 0)
        self.assertEqual(figures.frozen_s([], 0, 10), 10)
        self.assertAlmostEqual(figures.frozen_s(steady, 0, 12), 2, delta=0.04)

    def test_frames_that_are_held_back_hide_what_comes_in_that_time(self):
        captures = {str(k): k / 30 for k in range(400)}
        for late_s, frozen_s, held_s in ((0.05, 0, 0), (0.3, 0.3, 0), (0.35, 0.35, 0), (0.5, 0.5, 0.25), (0.8, 0.8, 0.55)):
            with self.subTest(late_s=late_s):
                # Each frame takes 50 ms, the one of second 4 takes longer, and those behind it wait for it.
                renders, at_s = [], 0
                for k in range(400):
                    at_s = max(at_s, k / 30 + 0.05 + (late_s if k == 120 else 0))
                    renders.append((str(k), at_s))
                found = figures.frame_figures(figures.Frames(captures, renders), 1, 12)
                self.assertAlmostEqual(found["frozen_s"], frozen_s + (frozen_s > 0) / 30)
                self.assertAlmostEqual(found["held_frozen_s"], held_s + (held_s > 0) / 30)
        self.assertIsNone(figures.frame_figures(figures.Frames({}, []), 1, 9)["held_frozen_s"])

    def test_a_frames_delay_is_from_its_capture_to_its_render(self):
        captures = {str(k): k / 30 for k in range(300)}
        renders = [(str(k), k / 30 + (0.2 if k % 10 == 0 else 0.05)) for k in range(300) if k % 3]
        result = figures.frame_figures(figures.Frames(captures, renders), 1, 9)
        self.assertAlmostEqual(result["latency_p50_ms"], 50)
        self.assertAlmostEqual(result["latency_p95_ms"], 200)
        self.assertAlmostEqual(result["shown"], 2 / 3, delta=0.01)
        nothing = figures.frame_figures(figures.Frames({}, []), 1, 9)
        self.assertEqual((nothing["latency_p50_ms"], nothing["frozen_s"], nothing["shown"]),
                         (None, 8, 0))

    def test_who_tells_no_captures_tells_how_many_frames_there_were(self):
        camera, decoder = [(k, 30 * k) for k in range(20)], [(k + 0.3, 27 * k) for k in range(20)]
        for counts, wanted in (((camera, decoder), 0.9), ((decoder, camera), 1), ((camera, []), 0), ((camera, decoder[:1]), 0)):
            result = figures.frame_figures(figures.Frames({}, [], counts=counts), 1, 9)
            self.assertAlmostEqual(result["shown"], wanted)

    def all_of(self, scenario, packets, queue=(), frames=None):
        return figures.all_figures(scenario, scenario.steps(7), sorted(packets), queue,
                                   frames or [figures.Frames({}, [])])

    def test_one_flow_alone(self):
        packets = stream(0.5, 2, 1_000_000) + stream(2, 60, 1_900_000, queue_ms=8.0)
        queue = [(k / 100, 90.0 if k % 10 == 0 else 5.0) for k in range(6000)]
        result = self.all_of(CONST, packets, queue)
        self.assertAlmostEqual(result["used"], 0.95, places=3)
        self.assertEqual((result["q50_ms"], result["q95_ms"], result["q95_packets_ms"]), (5, 90, 8))
        self.assertAlmostEqual(result["media_bps"], 1_900_000, delta=1000)
        self.assertAlmostEqual(result["t90_s"], 1.5 + 0.44, delta=0.02)
        self.assertFalse({"tcp_bps", "jain", "up_s"} & set(result))

    def test_what_comes_back_is_timed(self):
        packets = stream(0, 20, 2_400_000) + stream(20, 41, 950_000) + stream(41, 60, 2_400_000)
        self.assertAlmostEqual(self.all_of(STEP, packets)["up_s"], 1.45, delta=0.05)

    def test_beside_tcp_each_has_its_rate(self):
        scenario = scenarios.find("tcp1")
        packets = stream(0, 10, 3_900_000) + stream(10, 70, 1_500_000) \
            + stream(10, 70, 2_500_000, kind="tcp", port=5201) + stream(70, 80, 3_900_000)
        result = self.all_of(scenario, packets)
        self.assertAlmostEqual(result["media_bps"], 1_500_000, delta=1000)
        self.assertAlmostEqual(result["tcp_bps"], 2_500_000, delta=1000)
        self.assertAlmostEqual(result["used"], 1.0, places=3)

    def test_two_flows_are_told_by_their_ports(self):
        scenario = scenarios.find("selffair")
        packets = stream(0, 100, 1_000_000) + stream(20, 100, 3_000_000, port=5014)
        fast = figures.Frames({"1": 50}, [("1", 50.1)])
        slow = figures.Frames({"1": 50, "2": 51}, [("1", 50.2)])
        result = self.all_of(scenario, packets, frames=[fast, slow])
        self.assertAlmostEqual(result["jain"], 0.8, places=3)
        self.assertAlmostEqual(result["latency_p50_ms"], 200)
        self.assertEqual(result["shown"], 0.5)
        self.assertNotIn("t90_s", result)

    def test_after_silence_the_source_is_waited_for(self):
        packets = stream(0, 20, 1_900_000) + stream(55, 56, 1_000_000) + stream(56, 75, 1_900_000) \
            + [packet(56.5, fate="dropped")] + stream(60, 65, 1_000_000, fate="dropped")
        result = self.all_of(scenarios.find("silent"), packets)
        self.assertAlmostEqual(result["up_s"], 1.44, delta=0.02)
        self.assertAlmostEqual(result["loss"], 1 / 291)


class Machine(unittest.TestCase):
    IDLE = {"late_ms_p99": 0.1, "source_late_ms": 2.0, "steal": 0.0, "foreign": 0.05, "own": 0.3}

    def test_a_run_on_a_busy_machine_says_why(self):
        self.assertEqual(live_machine.why_busy(self.IDLE), [])
        for name, value in (("late_ms_p99", 1.5), ("source_late_ms", 12), ("steal", 0.1), ("foreign", 1)):
            self.assertEqual(len(live_machine.why_busy({**self.IDLE, name: value})), 1, name)

    def test_processors_are_ours_or_others(self):
        before = live_machine.parse_times("cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1", 100)
        after = live_machine.parse_times("cpu  500 70 300 2030 50 10 10 30 0 0\ncpu0 1", 100)
        use = live_machine.use(before, after, own_s=2.0, wall_s=10)
        self.assertAlmostEqual(use["own"], 0.2)
        self.assertAlmostEqual(use["foreign"], (6.2 - 2.0) / 10)
        self.assertAlmostEqual(use["steal"], 0.015)

    def test_processor_time_is_that_of_all_descendants(self):
        found = {1: (0, 1000), 10: (1, 100), 11: (10, 20), 12: (11, 3), 20: (1, 5000)}
        self.assertEqual(live_machine.spent_s(found, 10, 1), 123)
        self.assertGreaterEqual(live_machine.own_s(), 0.01)

    def test_a_process_counts_as_ours_when_its_parent_has_ended(self):
        burn = "import time\nwhile time.process_time() < 0.5: pass"
        live_machine.adopt_orphans()
        before_s = live_machine.own_s()
        # Until nobody has its output: until the orphan has ended, too.
        subprocess.run(["sh", "-c", '"$0" -c "$1" &', sys.executable, burn], check=True, stdout=subprocess.PIPE)
        self.assertGreater(live_machine.own_s() - before_s, 0.4)

    def test_late_frames_are_those_after_a_long_gap(self):
        steady = [k / 30 for k in range(300)]
        self.assertAlmostEqual(live_machine.source_late_ms(steady), 0, places=6)
        halting = [at_s + (0.02 if k % 10 == 0 else 0) for k, at_s in enumerate(steady)]
        self.assertAlmostEqual(live_machine.source_late_ms(halting), 20, places=6)
        self.assertEqual(live_machine.source_late_ms([]), 0)


def result_of(scenario=CONST, busy=(), **values):
    return {"receiver": "weirrecv", "scenario": scenario.name, "algorithm": "tfrc", "seed": 7,
            "seconds": scenario.duration_s, "figures": values, "machine": Machine.IDLE,
            "busy": list(busy)}


GOOD = {"used": 0.97, "q95_ms": 30.0, "t90_s": 2.0, "loss": 0.01}
ABOUT = {"linux": "6.1", "processors": 2, "loads": [0.1], "jobs": 1, "source": "a clip",
         "command": "compete.py --full"}


class Page(unittest.TestCase):
    def cells(self, results, scenario=CONST):
        head, _, *rows = live_page.table(results, "weirrecv").split("\n")
        self.assertEqual({row.count("|") for row in rows}, {head.count("|")})
        words = [word.strip() for word in rows[-1].split("|")[1:-1]]
        self.assertTrue(words[0].startswith(scenario.name))
        return dict(zip((word.strip() for word in head.split("|")[1:-1]), words))

    def test_a_cell_is_the_median_with_the_extremes(self):
        cells = self.cells([result_of(**{**GOOD, "used": used}) for used in (0.99, 0.961, 0.98)])
        self.assertEqual((cells["used"], cells["q95 ms"], cells["loss %"], cells["Jain"]),
                         ("**0.98 [0.96, 0.99]**", "**30**", "1.00", ""))
        self.assertEqual(cells["runs"], "3")

    def test_what_is_as_wanted_is_bold(self):
        cells = self.cells([result_of(**{**GOOD, "q95_ms": 40.0, "t90_s": None})])
        self.assertEqual((cells["used"], cells["q95 ms"], cells["t90 s"]), ("**0.97**", "40", "never"))

    def test_a_share_must_be_right_in_every_run(self):
        scenario = scenarios.find("tcp1")
        rates = [result_of(scenario, media_bps=bps, tcp_bps=2e6) for bps in (2e6, 2e6, 1.5e6)]
        self.assertEqual(self.cells(rates, scenario)["media Mbit/s"], "2.00 [1.50, 2.00]")
        self.assertEqual(self.cells(rates[:2], scenario)["media Mbit/s"], "**2.00**")

    def test_busy_and_failed_runs_are_said_and_not_counted(self):
        failed = {**result_of(), "error": "iperf3 ended early"}
        results = [result_of(**GOOD), result_of(busy=["x"], **{**GOOD, "used": 0.1}), failed]
        cells = self.cells(results)
        self.assertEqual((cells["used"], cells["runs"]), ("**0.97**", "1, 1 busy, 1 failed"))
        self.assertIn("3 runs, 1 failed, 1 on a busy machine", live_page.closing(results, ABOUT))
        self.assertEqual(self.cells([failed])["used"], "")

    def test_a_trial_is_not_judged(self):
        cells = self.cells([{**result_of(**{**GOOD, "used": 0.99}), "seconds": 10}])
        self.assertEqual((cells["scenario"], cells["used"]), ("const, 10 s", "0.99"))

    def test_a_line_tells_what_the_run_had(self):
        text = live_page.line(result_of(busy=["others used 1.0 processors"], **GOOD))
        self.assertIn("used 0.97, q95 ms 30, t90 s 2.0, loss % 1.00", text)
        self.assertIn("BUSY: others used 1.0 processors", text)
        self.assertEqual(live_page.line({"error": "no"}), "FAILED: no")

    def test_the_page_has_a_table_per_receiver_and_all_scenarios(self):
        results = [result_of(**GOOD), {**result_of(**GOOD), "receiver": "chromium"}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "live.md")
            live_page.write(path, results, ABOUT)
            text = path.read_text()
        self.assertEqual(text.count("| const | tfrc |"), 2)
        for one in scenarios.SCENARIOS:
            self.assertIn(f"| {one.name} | {one.words} |", text)
        self.assertTrue(all(len(line) <= 100 for line in text.split("\n") if line[:1] != "|"))


class Program(unittest.TestCase):
    def test_the_full_measurement(self):
        cells = compete.plan(compete.parse_arguments(["--full"]), ["a", "tfrc"])
        self.assertEqual(len(set(cells)), 2 * 13 + 4 * 4)
        self.assertEqual({algorithm for receiver, _, algorithm in cells if receiver != "weirrecv"}, {"a"})
        self.assertTrue(all(compete.unsuited(r, compete.ALL[name]) is None for r, name, _ in cells))

    def test_scenarios_and_receivers_can_be_chosen(self):
        plan = lambda *words: compete.plan(compete.parse_arguments(words), ["tfrc"])
        self.assertEqual(plan("const", "--receivers", "rr"), [("rr", "const", "tfrc")])
        self.assertEqual(len(plan()), 12)
        self.assertEqual(len(plan("--receivers", "twcc")), 4)
        self.assertIsNotNone(compete.unsuited("chromium", scenarios.find("selffair")))

    def test_wrong_words_are_answered_with_the_right_ones(self):
        for words, text in ((["x"], "const, step"), (["--receivers", "x"], "weirrecv, twcc"),
                            (["--runs", "0"], "1 to 100"), (["--seconds", "1"], "5 to 600"),
                            (["--jobs", "9"], "1 to 8"), (["--full", "const"], "leave them out")):
            said = io.StringIO()
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(said):
                compete.parse_arguments(words)
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(text, said.getvalue())

    def measure(self, folder, outcomes, runs=2):
        """What a measurement of one cell does when its runs end like that, one after the other."""
        arguments = compete.parse_arguments(["const", "--runs", str(runs), "--json", f"{folder}/r.json"])
        stop = types.SimpleNamespace(asked=threading.Event())
        measurement = compete.Measurement(arguments, None, None, ABOUT, stop)
        seeds, left = [], list(outcomes)

        def run_one(_cell, number):
            seeds.append(number)
            return {**result_of(**GOOD), **left.pop(0)}

        measurement.run_one = run_one
        with contextlib.redirect_stdout(io.StringIO()):
            return seeds, measurement.run_all([("weirrecv", "const", "tfrc")])

    def test_busy_runs_are_repeated_with_their_seed_but_not_for_ever(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.measure(folder, [{}, {"busy": ["x"]}, {}]), ([0, 1, 1], True))
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.measure(folder, 9 * [{"busy": ["x"]}]), ([0, 0, 0], False))
            self.assertEqual(self.measure(folder, [{"error": "no"}, {}, {}]), ([0, 0, 1], True))

    def test_what_was_measured_is_not_measured_again(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.measure(folder, [{"seconds": 10}, {}, {}], 1), ([0, 0], True))
            self.assertEqual(self.measure(folder, [{}], 2), ([1], True))
            self.assertEqual(self.measure(folder, [], 2), ([], True))

    def test_the_program_skips_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "weir-link")
            path.write_text("#!/bin/sh\necho 'weir-link: needs root: no' >&2; exit 77\n")
            path.chmod(0o755)
            result = subprocess.run([sys.executable, str(HERE / "compete.py"), "const", "--algorithms", "tfrc"],
                                    capture_output=True, text=True, env=dict(os.environ, WEIR_LINK=str(path)))
        self.assertEqual((result.returncode, result.stdout), (77, ""))
        self.assertIn("SKIP: ", result.stderr)

    @unittest.skipIf(needs.missing_media(compete.ELEMENTS), needs.missing_media(compete.ELEMENTS))
    def test_all_pipelines_can_be_made(self):
        import live_media
        from gi.repository import Gst
        arguments = types.SimpleNamespace(host="127.0.0.1", port=5004, source="videotestsrc", algorithm="tfrc",
                                          min_bitrate=1, max_bitrate=2, start_bitrate=1)
        for arguments.receiver, arguments.fec, arguments.ecn in itertools.product(live_media.RECEIVERS, (False, True), (False, True)):
            for text in (live_media.send_text(arguments), live_media.receive_text(arguments)):
                self.assertIsInstance(Gst.parse_launch(text), Gst.Pipeline)
        self.assertEqual(set(live_media.RECEIVERS), set(live_run.FEEDBACK))

    @unittest.skipIf(needs.missing_media(compete.ELEMENTS), needs.missing_media(compete.ELEMENTS))
    def test_the_buffer_waits_as_long_with_fec_as_without(self):
        import live_media
        waits = {f"latency={live_media.JITTER_BUFFER_MS} ", f"latency={live_media.early_fec.EARLY_MS} "}
        for fec in (False, True):
            arguments = types.SimpleNamespace(host="127.0.0.1", port=5004, receiver="twcc", fec=fec, ecn=False)
            text = live_media.receive_text(arguments)
            self.assertEqual({wait for wait in waits if wait in text}, waits if fec else {"latency=1000 "})


if __name__ == "__main__":
    tap.main()
