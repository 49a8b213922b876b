# SPDX-License-Identifier: LGPL-2.1-or-later
"""tools/race: what it measures at the link, when a sender counts as alive, what is run in which
order, and what it says to bad input. No run is made here."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]
import tap  # noqa: E402
from rivals import (alive, compare, fetch, main, page, plan, pool, run, senders,  # noqa: E402
                    store, wire)
from rivals.senders import pion, weir  # noqa: E402
import live_figures  # noqa: E402
import live_scenarios  # noqa: E402

CONST = live_scenarios.find("const")
PORTS = [range(5004, 5014), range(5014, 5024)]


def stream(from_s, to_s, bps, kind="udp", port=5004, queue_ms=0.0, fate="delivered"):
    """Packets of 1250 bytes, evenly."""
    gap_s, count = 10_000 / bps, round((to_s - from_s) * bps / 10_000)
    return [live_figures.Packet(from_s + (k + 0.5) * gap_s, kind, port, 1250, queue_ms, fate)
            for k in range(count)]


def told(**fields):
    """A minute of a sender that is well, but for what is said here: a function of the second."""
    well = {"target_bps": 1e6, "made_bps": 0.95e6, "frames": lambda s: 30 * s,
            "reports": lambda s: 20 * s}
    value = lambda field, s: field(s) if callable(field) else field
    return [alive.Sample(s, *(value(field, s) for field in {**well, **fields}.values()))
            for s in range(61)]


def result(scenario="const", names=("sluice",), seed=7, **fields):
    figures = {"used": 0.9, "q50_ms": 10.0, "q95_ms": 30.0, "media_bps": 1.8e6,
               "flow_bps": [1.8e6], "loss": 0.0, "gaps_s": 0.0, "t90_s": 2.0,
               **fields.pop("figures", {})}
    machine = {"own": 0.3, "foreign": 0.0, "steal": 0.0, "late_ms_p99": 0.1, "source_late_ms": 1.0,
               "processors": {}}
    versions = {"weir": "v", "linux": "6.1", "processors": 2, **{name: "1" for name in names}}
    return {"scenario": scenario, "senders": list(names), "seed": seed, "jobs": 1,
            "seconds": plan.KNOWN[scenario].duration_s, "versions": versions, "figures": figures,
            "machine": machine, "busy": [], "dead": [], **fields}


class Wire(unittest.TestCase):
    def figures(self, packets, scenario=CONST, queue=((20, 5.0),), ports=PORTS[:1]):
        return wire.all_figures(scenario, scenario.steps(7), packets, queue, ports)

    def test_a_flow_is_told_by_its_ports(self):
        packets = stream(0, 60, 1_000_000) + stream(0, 60, 500_000, port=5015) \
            + stream(0, 60, 400_000, "tcp")
        found = self.figures(sorted(packets), ports=PORTS)
        self.assertEqual([round(bps, -4) for bps in found["flow_bps"]], [1_000_000, 500_000])
        self.assertAlmostEqual(found["media_bps"], 1.5e6, delta=1e3)
        self.assertAlmostEqual(found["used"], 1.9 / 2, places=3)
        self.assertAlmostEqual(found["jain"], 0.9, places=3)

    def test_a_gap_is_longer_than_a_freeze_and_of_the_worst_flow(self):
        packets = stream(0, 20, 1_000_000) + stream(20.15, 60, 1_000_000)
        self.assertEqual(self.figures(packets)["gaps_s"], 0)
        other = stream(0, 20, 1_000_000, port=5014) + stream(22, 60, 1_000_000, port=5014)
        found = self.figures(sorted(packets + other), ports=PORTS)
        self.assertAlmostEqual(found["gaps_s"], 2, delta=0.02)

    def test_loss_is_the_medias_and_the_wait_the_queues(self):
        packets = stream(10, 60, 900_000) + stream(10, 60, 100_000, fate="dropped")
        found = self.figures(sorted(packets + stream(10, 60, 100_000, "tcp", queue_ms=99)))
        self.assertAlmostEqual(found["loss"], 0.1, places=3)
        self.assertEqual(found["q50_ms"], 5.0)


class Alive(unittest.TestCase):
    def problems(self, samples=None, packets=1000, began_s=0, silence_s=None):
        return alive.problems(told() if samples is None else samples, packets, began_s, silence_s)

    def test_a_sender_that_is_well_counts(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.problems(told(made_bps=2e5, target_bps=2.5e5)), [], "slow is alive")

    def test_what_does_not_start_or_arrive_does_not_count(self):
        self.assertEqual(self.problems([]), ["it did not start"])
        self.assertEqual(self.problems(packets=0), ["nothing of it arrived"])
        self.assertEqual(self.problems(told()[:4]), ["it said nothing after its first 5 s"])

    def test_a_starved_encoder_is_named(self):
        (problem,) = self.problems(told(frames=lambda s: 20 * s))
        self.assertEqual(problem, "starved: its encoder got 67% of the frames")

    def test_feedback_that_ends_is_named(self):
        (problem,) = self.problems(told(reports=lambda s: min(20 * s, 200)))
        self.assertIn("feedback in 9% of the time", problem)
        self.assertEqual(self.problems(told(reports=lambda s: s // 2)), [], "seldom is no end")

    def test_an_encoder_that_is_the_limit_is_named(self):
        (problem,) = self.problems(told(made_bps=0.6e6))
        self.assertEqual(problem, "limited by its encoder, which made 60% of what it was asked for")

    def test_the_start_and_a_silence_do_not_count(self):
        self.assertEqual(self.problems(told(reports=lambda s: 20 * max(0, s - 5))), [])
        out = lambda s: 30 * (s if s < 20 else 20 if s < 50 else s - 30)
        self.assertNotEqual(self.problems(told(frames=out)), [])
        self.assertEqual(self.problems(told(frames=out), silence_s=(20, 50)), [])

    def test_lines_of_a_program_become_samples(self):
        text = ('{"target-bitrate": 1}\ncapture 90 2000000000\ncapture 93 3000000000\n'
                '{"target-bitrate": 900, "encoder-bitrate": 800, "feedback-twcc": 4}\n{"cut": ')
        race = types.SimpleNamespace(read=lambda _name: text, zero_ns=10**9)
        self.assertEqual(senders.make("sluice").samples(race, 0),
                         [alive.Sample(2.0, 900, 800, 2, 4)])
        self.assertEqual(list(weir.timed_lines("", 0)), [])


class Plan(unittest.TestCase):
    NAMES = ("sluice", "tfrc", "rtpgccbwe")

    def test_all_live_scenarios_are_run_once_alone(self):
        cells = [cell for tier in plan.tiers(self.NAMES, [], with_pairs=False) for cell in tier]
        self.assertEqual(len(cells), len(set(cells)))
        self.assertEqual({cell.scenario for cell in cells}, set(plan.ALL))
        self.assertEqual(len(cells), len(plan.ALL) * len(self.NAMES))

    def test_each_meets_each_in_both_orders(self):
        cells = [cell for tier in plan.tiers(self.NAMES, [plan.PAIRED]) for cell in tier]
        met = [cell.senders for cell in cells if len(set(cell.senders)) == 2]
        every = [(a, b) for a in self.NAMES for b in self.NAMES if a != b]
        self.assertEqual(sorted(met), sorted(every))
        self.assertEqual(met[:2], [("tfrc", "sluice"), ("rtpgccbwe", "sluice")])

    def test_what_is_known_by_name_alone_is_run_when_it_is_asked_for(self):
        names = ("sluice", "sluice+repair", "chromium")
        (tier,) = plan.tiers(names, ["repair_loss1", "repair_burst5"], with_pairs=False)
        self.assertEqual([(cell.scenario, cell.senders[0]) for cell in tier],
                         [(scenario, name) for scenario in ("repair_loss1", "repair_burst5") for name in names])
        self.assertFalse(set(plan.BY_NAME) & set(plan.ALL))
        self.assertNotIn("sluice+repair", main.usual())
        arguments = main.parse_arguments(["repair_burst5", "--senders", ",".join(names)])
        self.assertEqual((arguments.scenarios, arguments.senders), (["repair_burst5"], list(names)))

    def test_one_scenario_has_no_pairs(self):
        (tier,) = plan.tiers(self.NAMES, ["step"])
        self.assertEqual([cell.senders for cell in tier], [(name,) for name in self.NAMES])

    def test_the_time_it_takes_is_that_of_the_seats(self):
        for runs, jobs, wanted in (([], 4, 0), ([(1, 60)] * 4, 4, 1), ([(1, 60)] * 5, 4, 2),
                                   ([(2, 60), (1, 60), (2, 60)], 2, 3), ([(3, 60)], 1, 1),
                                   ([(0.5, 60)] * 4, 2, 1),
                                   ([(1, 120), (1, 60), (1, 60)], 2, 2)):
            self.assertEqual(plan.minutes(runs, jobs), wanted, runs)

    def test_runs_of_a_tier_come_in_turn(self):
        cells = plan.tiers(("sluice", "tfrc"), ["const", "loss1"])
        order = [(cell.scenario, cell.senders[0], number)
                 for cell, number in plan.in_order(cells, 2)]
        self.assertEqual(order[:4], [("const", "sluice", 0), ("const", "tfrc", 0),
                                     ("const", "sluice", 1), ("const", "tfrc", 1)])
        self.assertEqual(order[4][0], "loss1")


class Store(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "new", "x.jsonl")

    def test_tries_are_kept_and_read_again(self):
        kept = store.Store(self.path)
        self.assertEqual(kept.results(), [])
        for one in (result(busy=["frames were late"]), result(), result(seed=8)):
            kept.add(one)
        self.assertEqual([store.counts(one) for one in store.Store(self.path).results()],
                         [False, True, True])

    def test_what_does_not_count_says_why(self):
        for fields, words in (({"busy": ["steal"]}, "busy: steal"), ({"dead": ["x: y"]}, "x: y"),
                              ({"error": "no link"}, "failed: no link"), ({}, "")):
            one = result(**fields)
            self.assertEqual((store.why_not(one), store.counts(one)), (words, not words))

    def test_a_line_of_something_else_is_named(self):
        for text in ("{", "[1]", '{"scenario": "const"}', ""):
            kept = store.Store(self.path)
            kept.add(result())
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(text + "\n")
            with self.assertRaisesRegex(store.StoreError, "x.jsonl, line 2: .*remove the line"):
                kept.results()
            self.path.unlink()

    def test_what_cannot_be_read_is_named(self):
        self.path.mkdir(parents=True)
        with self.assertRaisesRegex(store.StoreError, "x.jsonl"):
            store.Store(self.path).results()


class Pool(unittest.TestCase):
    """With runs that are made up."""

    def hold(self, answers, wanted=1, **options):
        """How many tries were made, and whether all is there."""
        said, made = iter(answers), []
        with tempfile.TemporaryDirectory() as folder:
            usual = {"jobs": 2, "seconds": None, "ends_s": time.monotonic() + 1e4}
            arguments = types.SimpleNamespace(**{**usual, **options})
            stop = types.SimpleNamespace(asked=threading.Event())
            runs = pool.Pool(arguments, store.Store(os.path.join(folder, "x.jsonl")), stop, None, {})
            runs.result = lambda cell, number: made.append(number) or next(said)
            cell = plan.Cell("const", ("sluice",))
            with contextlib.redirect_stdout(io.StringIO()):
                complete = runs.run_all([(cell, number) for number in range(wanted)])
        return len(made), complete

    def test_a_run_that_does_not_count_is_repeated(self):
        busy = result(busy=["others"])
        self.assertEqual(self.hold([busy, result()]), (2, True))
        self.assertEqual(self.hold([busy] * 5), (3, False))

    def test_done_is_a_run_of_that_cell_seed_and_length_that_counts(self):
        first, cell = live_scenarios.FIRST_SEED, plan.Cell("const", ("sluice",))
        for words, is_done, results in (
                ("no result", False, []),
                ("it counts", True, [result(seed=first)]),
                ("only a busy one", False, [result(seed=first, busy=["others"])]),
                ("a busy one, then one that counts", True,
                 [result(seed=first, busy=["others"]), result(seed=first)]),
                ("another seed", False, [result(seed=first + 1)]),
                ("another sender", False, [result(names=("tfrc",), seed=first)]),
                ("another scenario", False, [result("step", seed=first)]),
                ("another length", False, [result(seed=first, seconds=20)])):
            with self.subTest(words):
                self.assertEqual(pool.is_done(results, cell, 0, None), is_done)

    def test_no_run_begins_that_cannot_end_in_time(self):
        ends_s = time.monotonic() + CONST.duration_s
        self.assertEqual(self.hold([result()], ends_s=ends_s), (0, False))

    def test_a_costly_run_waits_for_its_seats_and_is_not_passed(self):
        seats, order = pool.Seats(2), []
        taken = seats.take(1)

        def sit(number):
            got = seats.take(number)
            order.append(number)
            seats.give(got)

        threads = [threading.Thread(target=sit, args=(number,)) for number in (3, 0.5)]
        threads[0].start()
        while not seats.turn.locked():
            time.sleep(0.001)
        threads[1].start()
        self.assertEqual(order, [])
        seats.give(taken)
        for thread in threads:
            thread.join()
        self.assertEqual((order, seats.free), ([3, 0.5], 2))


class Fetch(unittest.TestCase):
    def test_what_fails_says_why(self):
        with self.assertRaisesRegex(fetch.Missing, "^sh -c: no network$"):
            fetch.run(["sh", "-c", "echo no network >&2; exit 3"], "/")
        with self.assertRaisesRegex(fetch.Missing, "no-such-program is not installed"):
            fetch.need("no-such-program")


class Comparison(unittest.TestCase):
    """Made results of two senders, three runs each."""

    def runs(self, name, values, scenario="const"):
        return [result(scenario, seed=7 + k, figures={name: value})
                for k, value in enumerate(values)]

    def verdict(self, name, ours, theirs, scenario="const"):
        return compare.verdict(name, *(self.runs(name, one, scenario) for one in (ours, theirs)))

    def test_runs_that_do_not_overlap_are_a_difference(self):
        for name, ours, theirs, wanted in (
                ("used", (0.9, 0.95, 0.91), (0.8, 0.89, 0.7), +1),
                ("used", (0.7, 0.8), (0.9, 0.9), -1),
                ("q95_ms", (20, 30), (31, 40), +1), ("q95_ms", (50, 60), (31, 40), -1),
                ("q95_ms", (20, 32), (31, 40), 0), ("loss", (0.01, 0.01), (0.01, 0.01), 0),
                ("t90_s", (2, 3), (None, 9), +1), ("t90_s", (None, None), (8, 9), -1),
                ("used", (0.9001, 0.9002), (0.9003, 0.9004), 0),
                ("used", (0.9,), (0.5, 0.5), None)):
            self.assertEqual(self.verdict(name, ours, theirs), wanted, (name, ours, theirs))

    def test_beside_tcp_the_distance_to_half_counts(self):
        ours = self.runs("media_bps", (1.9e6, 2.2e6), "tcp1")
        for theirs, wanted in (((3.5e6, 3.6e6), +1), ((0.4e6, 0.5e6), +1), ((2.0e6, 2.01e6), -1)):
            others = self.runs("media_bps", theirs, "tcp1")
            words = " ".join(compare.differences(plan.ALL["tcp1"], ours, others)[wanted])
            self.assertIn("off the fair share", words)
        self.assertNotIn("used", compare.judged(plan.ALL["tcp1"]))

    def test_never_is_the_last_of_all(self):
        runs = self.runs("t90_s", (1.0, None, 2.0))
        self.assertEqual(compare.cell(compare.FIGURES["t90_s"], runs), "2.0 [1.0, never]")


class Page(unittest.TestCase):
    NAMES = ("sluice", "rtpgccbwe")

    def test_rows_are_printed_as_the_page_has_them(self):
        runs = [result(seed=seed, figures={"used": used}) for seed, used in ((7, 0.9), (8, 0.8), (9, 0.95))]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            main.print_rows([plan.Cell("const", ("sluice",)), plan.Cell("const", ("rtpgccbwe",))], runs, 3)
        head, _, ours, theirs = said.getvalue().splitlines()[1:]
        self.assertTrue(head.startswith("| scenario | senders | used |"), head)
        self.assertTrue(ours.startswith("| const | sluice | 0.90 [0.80, 0.95] |") and ours.endswith("| 3 |"), ours)
        self.assertTrue(theirs.startswith("| const | rtpgccbwe |") and theirs.endswith("| not run |"), theirs)

    def write(self, results, skipped=None):
        with tempfile.TemporaryDirectory() as folder:
            page.write(pathlib.Path(folder, "rivals.md"), results, self.NAMES, 3, skipped or {})
            text = pathlib.Path(folder, "rivals.md").read_text()
            pictures = {path.name: path.read_bytes() for path in pathlib.Path(folder).glob("*.png")}
        return text, pictures

    def test_without_results_it_says_so(self):
        text, pictures = self.write([], {"rtpgccbwe": "no cargo"})
        self.assertIn("No run has been made yet.", text)
        self.assertIn("**rtpgccbwe** (skipped: no cargo)", " ".join(text.split()))
        self.assertIn("| sluice | not run |", text)
        self.assertFalse(pictures)

    def test_losses_are_said_like_wins(self):
        runs = [result(names=(name,), seed=seed, figures={"used": used, "q95_ms": q95_ms})
                for name, used, q95_ms in (("sluice", 0.95, 40.0), ("rtpgccbwe", 0.7, 20.0))
                for seed in (7, 8, 9)]
        text, pictures = self.write(runs)
        self.assertIn("| const | 3 : 3 | used 0.95 : 0.70 | q95 ms 40 : 20 |", text)
        self.assertIn("better: 1; worse: 1", text)
        self.assertIn("const: sluice uses most, 0.95; rtpgccbwe queues least, 20 ms", text)
        self.assertEqual(set(pictures), {"rivals.png", "rivals-const.png"})
        width = int.from_bytes(pictures["rivals-const.png"][16:20], "big")
        self.assertEqual(width, 800)

    def test_a_run_that_does_not_count_is_marked_and_not_in_the_median(self):
        runs = [result(seed=7), result(seed=8, figures={"used": 0.1}, busy=["others"]),
                result(seed=9, figures={"used": 0.2}, dead=["sluice: starved: its encoder got 3%"])]
        failed = {**result(seed=9), "error": "no link"}
        del failed["figures"]
        text, _ = self.write([*runs, failed])
        (row,) = [line for line in text.splitlines() if line.startswith("| sluice | 0.90")]
        self.assertTrue(row.endswith("| 1 of 3, 1 busy, 1 failed, 1 not alive: starved |"), row)

    def test_a_trial_is_not_shown(self):
        text, _ = self.write([result(seconds=25)])
        self.assertIn("No run has been made yet.", text)

    def test_who_meets_whom_has_a_row_in_each_order(self):
        met = {"flow_bps": [1e6, 3e6], "media_bps": 4e6, "jain": 0.8}
        runs = [result("selffair", ("rtpgccbwe", "sluice"), seed, figures=met)
                for seed in (7, 8, 9)]
        text, _ = self.write(runs)
        self.assertIn("| rtpgccbwe | sluice | 1.00 | 3.00 | 0.800 | 30 | 0.00 | 3 |", text)
        self.assertIn("| sluice | rtpgccbwe |  |  |  |  |  | not run |", text)

    def test_runs_of_another_page_are_not_on_this_one(self):
        text, _ = self.write([result("repair_loss1"), result(figures={"shown": 0.5, "made_bps": 1e6})])
        self.assertIn("\n1 runs: 1 count", text)
        self.assertNotIn("repair_loss1", text)
        self.assertNotIn("shown %", text)

    def test_a_return_that_never_comes_can_be_drawn(self):
        runs = [result("silent", seed=seed, figures={"up_s": up_s})
                for seed, up_s in ((7, None), (8, None), (9, 3.0))]
        text, pictures = self.write(runs)
        self.assertIn("never", text)
        self.assertIn("rivals-silent.png", pictures)


class Frames(unittest.TestCase):
    def race(self, frames, samples=()):
        return types.SimpleNamespace(scenario=types.SimpleNamespace(window_s=(10, 60)),
                                     told=lambda question: {"frames": frames, "samples": samples}[question])

    def test_who_tells_only_numbers_has_no_delay(self):
        counts = [[(k, rate * k) for k in range(61)] for rate in (30, 24)]
        renders = [(k, k / 30) for k in range(1800)]
        for one, wanted in ((live_figures.Frames({}, renders, counts=counts), {"shown": 0.8}),
                            (live_figures.Frames({}, renders), {})):
            found = run.frame_figures(self.race([one]))
            self.assertAlmostEqual(found.pop("frozen_s"), 0)
            self.assertEqual(found, wanted)

    def test_what_encoders_made_is_the_mean_of_the_window(self):
        race = self.race([], [told(made_bps=lambda s: 9e9 if s < 10 else 1e6), told(made_bps=5e5), []])
        self.assertEqual(run.made_bps(race), 1.5e6)


class Senders(unittest.TestCase):
    def test_what_is_not_built_says_what_builds_it(self):
        with unittest.mock.patch.object(pion, "PROGRAM", pathlib.Path("/no/such/pion")):
            self.assertEqual(senders.make("pion").missing(), "it is not built: tools/setup race")

    def test_the_version_of_pion_is_that_of_its_modules(self):
        self.assertRegex(senders.make("pion").version(),
                         r"^pion/interceptor v\S+, pion/webrtc/v4 v\S+$")

    def test_what_chromiums_page_tells_becomes_samples(self):
        one = senders.make("chromium")
        one.offsets_ns, race = (5e9, 7e9), types.SimpleNamespace(zero_ns=6_000_000_000)
        one.said = [{"at_ms": ms, "target_bps": 9, "made_bytes": made, "frames": 7, "reports": 3}
                    for ms, made in ((2000, 1000), (3000, 2000), (5000, 4000))]
        self.assertEqual([(said.at_s, said.made_bps) for said in one.samples(race, 0)],
                         [(1.0, 0), (2.0, 8000), (4.0, 8000)])
        one.renders = [100, 150]
        self.assertEqual(one.frames(race, 0).renders, [(0, 1.1), (1, 1.15)])
        one.decoded = [(1000, 29), (2000, 59)]
        self.assertEqual(one.frames(race, 0).counts, ([(1.0, 7), (2.0, 7), (4.0, 7)], [(2.0, 29), (3.0, 59)]))

    def test_each_says_how_it_is_used(self):
        for name in senders.MAKERS:
            self.assertTrue(senders.make(name).words and senders.make(name).cost > 0)
        self.assertRaises(KeyError, senders.make, "nobody")


class Program(unittest.TestCase):
    def say(self, *words):
        found = subprocess.run([sys.executable, str(ROOT / "tools" / "race"), *words],
                               capture_output=True, text=True, check=False,
                               env={**os.environ, "WEIR_LINK": "/no/such/link"})
        return found.returncode, found.stderr.strip().splitlines()[-1]

    def test_bad_input_is_named(self):
        for words, wanted in ((("nowhere",), "no scenario 'nowhere'; there are: const"),
                              (("--senders", "x"), "no sender 'x'; there are: sluice"),
                              (("--senders", "tfrc,tfrc"), "each name once"),
                              (("--senders", ""), "at least one"),
                              (("--runs", "0"), "--runs 0 is out of range: 1 to 20"),
                              (("--jobs", "9"), "--jobs 9 is out of range"),
                              (("--seconds", "5"), "--seconds 5 is out of range"),
                              (("--no-runs",), "--no-runs without --page"),
                              (("--page", "/no/such/x.md"), "there is no such folder"),
                              (("--budget-minutes", "0.5"), "out of range: 1 to 1440")):
            status, said = self.say(*words)
            self.assertEqual(status, 2, words)
            self.assertIn(wanted, said)

    def test_a_machine_without_a_link_is_skipped(self):
        self.assertEqual(self.say("const"),
                         (77, "tools/race: SKIP: weir-link is not built"))


if __name__ == "__main__":
    tap.main()
