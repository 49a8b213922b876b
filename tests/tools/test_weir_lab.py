# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-lab from outside: what it prints, writes, refuses, and how it ends. WEIR_LAB is the program."""
import csv
import hashlib
import json
import math
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

PROGRAM = os.environ.get("WEIR_LAB", "weir-lab")
SCENARIOS = ROOT / "scenarios"
ENVIRONMENT = dict(os.environ, WEIR_SCENARIOS=str(SCENARIOS))

RICH = {
    "duration_s": 12, "measure": {"from_s": 2},
    "links": [{"name": "l", "from": "A", "to": "B", "capacity_bps": 2000000, "delay_ms": 20,
               "jitter_ms": 2, "queue": {"discipline": "red", "packets": 40},
               "loss": {"model": "bernoulli", "p": 0.005}}],
    "flows": [
        {"name": "call", "from": "A", "to": "B", "tested": True, "algorithm": "tfrc", "source": {"kind": "encoder"},
         "playout_prebuffer_s": [0.05, 0.2]},
        {"name": "sack", "count": 2, "from": "A", "to": "B", "algorithm": "tcp-sack", "access_jitter_ms": 5},
        {"name": "reno", "from": "B", "to": "A", "algorithm": "tcp-reno", "start_s": 3},
        {"name": "onoff", "from": "A", "to": "B", "algorithm": "udp",
         "source": {"kind": "pareto", "rate_bps": 300000}},
        {"name": "speech", "from": "B", "to": "A", "algorithm": "udp", "source": {"kind": "voip"}},
    ],
}


def run(*words, **options):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=100, **options)


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def scenario(self, content=None, **changes):
        path = self.path / "s.json"
        path.write_text(json.dumps(dict(content or RICH, **changes)))
        return path

    def run_out(self, name, *words, scenario=None):
        result = run("run", scenario or self.scenario(), "--no-wall-time", "--json",
                     "--out", self.path / name, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.path / name, json.loads(result.stdout)

    def assert_refused(self, result, *texts):
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("weir-lab: "), result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr)


class Variables(Case):
    def test_of_algorithms_are_in_the_result_and_on_demand_in_the_series(self):
        out, result = self.run_out("out", "--variable", "rtt_ns")
        flows = {flow["name"]: flow for flow in result["flows"]}
        self.assertGreater(flows["call"]["variables"]["rtt_ns"], 40e6)
        self.assertNotIn("variables", flows["reno"])
        with open(out / "flows.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(float([row for row in rows if row["flow"] == "call"][-1]["rtt_ns"]),
                         flows["call"]["variables"]["rtt_ns"])

    def test_that_nobody_has_are_refused(self):
        self.assert_refused(run("run", self.scenario(), "--out", self.path / "o", "--variable", "mood"), "mood",
                            "--variable")
        self.assert_refused(run("run", self.scenario(), "--variable", "rtt_ns"), "--out")


class Beside(Case):
    def test_a_tcp_and_bursts_sluice_is_seldom_left_with_little(self):
        """It takes company for gone now and then, and must be back soon: 3 % of the seconds since it is, 9 before."""
        little = []
        for seed in range(1, 9):
            out, _ = self.run_out(str(seed), "--seed", seed, "--algorithm", "sluice", scenario="call")
            seconds = [0] * 120
            for row in csv.DictReader((out / "flows.csv").open()):
                if row["flow"] == "call":
                    seconds[math.ceil(float(row["time_s"])) - 1] += int(row["received_bytes"])
            besides = seconds[20:]
            little += [of_one < sum(besides) / len(besides) / 3 for of_one in besides]
        self.assertLess(sum(little) / len(little), 0.06)


class Picture(Case):
    """What weirscale's rule does to a call of 720p at 30 frames/s, of which 24 shall be left."""

    def call(self, seconds, window, settings, seed=1):
        values = {"flows.call.repair": 0, "measure.from_s": window[0], "measure.to_s": window[1], **settings}
        words = [word for name, value in values.items() for word in ("--set", f"{name}={json.dumps(value)}")]
        return self.run_out("out", "--seed", seed, "--duration", seconds, *words, scenario="noise")[1]["flows"][0]

    def test_of_noise_fits_600_kbit_s_after_3_s(self):
        for floor_bits_per_pixel in (0.4, 2, 4):
            settings = {"links.bottleneck.schedule": [{"at_s": 0, "capacity_bps": 600000}],
                        "flows.call.source.floor_bits_per_pixel": floor_bits_per_pixel}
            flow = self.call(33, (3, 33), settings)
            self.assertLess(flow["discard_ratio"], 0.01)
            self.assertGreaterEqual(flow["frames"], 24 * 30)
            self.assertLessEqual(flow["sent_bps"], 600000)
            self.assertGreaterEqual(flow["sent_bps"], 500000)

    def test_is_whole_10_s_after_the_capacity_returned(self):
        """Also where the full picture needs three quarters of a smaller capacity, and on other round trips."""
        for high_bps, low_bps, delay_ms in ((15e6, 600e3, 25), (8e6, 600e3, 50), (4e6, 500e3, 10), (15e6, 2e6, 25)):
            turns = (0, high_bps), (20, low_bps), (40, high_bps)
            schedule = [{"at_s": at_s, "capacity_bps": bps} for at_s, bps in turns]
            settings = {"links.bottleneck.schedule": schedule, "links.bottleneck.delay_ms": delay_ms,
                        "flows.call.source.floor_bits_per_pixel": 0.4 * high_bps / 15e6}
            for seed in range(1, 9):
                flow = self.call(60, (50, 60), settings, seed)
                self.assertEqual((flow["pixel_share"], flow["resizes"]), (1, 0))
                self.assertGreaterEqual(flow["frames"], 24 * 10)

    def test_leaves_out_what_the_link_cannot_carry_after_a_deep_fall_and_no_more(self):
        """A sixth to a quarter of the 20 s is for what had been made when the fall was seen."""
        for seed in range(1, 17):
            flow = self.call(60, (20, 40), {}, seed)
            self.assertEqual((flow["lost_packets"], flow["discard_ratio"]), (0, 0))
            self.assertGreaterEqual(flow["frames"], 21 * 20)

    def test_does_not_flap_where_the_capacity_swings_by_20_percent_around_a_threshold(self):
        for pixels in (1280 * 720, 960 * 540, 640 * 360):
            capacity_bps = 0.03 * 30 * pixels
            for half_s in (1, 2, 5):
                swing = [{"at_s": at_s, "capacity_bps": round(capacity_bps * (0.8 if at_s // half_s % 2 else 1.2))}
                         for at_s in range(0, 120, half_s)]
                flow = self.call(120, (30, 120), {"links.bottleneck.schedule": swing,
                                                  "flows.call.source.floor_bits_per_pixel": 0})
                self.assertLessEqual(flow["resizes"], 1)


class Results(Case):
    def test_stdout_and_the_file_hold_the_same_object(self):
        out, result = self.run_out("out")
        self.assertEqual(json.loads((out / "result.json").read_text()), result)
        self.assertEqual(sorted(p.name for p in out.iterdir()),
                         ["flows.csv", "links.csv", "result.json", "scenario.json"])

    def test_figures_agree_with_each_other(self):
        _, result = self.run_out("out")
        window_s = result["to_s"] - result["from_s"]
        for flow in result["flows"]:
            self.assertLessEqual(flow["goodput_bps"], flow["sent_bps"] * 1.1)
            # What was sent was received, lost, or is on its way at an edge of the window.
            self.assertAlmostEqual(flow["sent_packets"],
                                   flow["received_packets"] + flow["lost_packets"], delta=80)
            if flow["algorithm"] == "tfrc":
                self.assertLessEqual(flow["discard_ratio"], 1)
                self.assertGreater(flow["feedback_packets"], window_s)
                self.assertGreaterEqual(flow["late_ratio"]["0.05"], flow["late_ratio"]["0.2"])
        for link in result["links"]:
            self.assertLessEqual(link["utilization"], 1 + 12000 / (link["capacity_bps"] * window_s))
            self.assertLessEqual(link["dropped_packets"] + link["lost_packets"], link["offered_packets"])
        self.assertEqual([g["group"] for g in result["groups"]],
                         ["call", "sack", "reno", "onoff", "speech"])
        self.assertEqual(result["jain"], 1)  # of one tested flow
        speech = result["flows"][-1]
        self.assertTrue(0 < speech["r_score"] <= 94.2 and 1 <= speech["mos"] <= 4.5)

    def test_the_series_adds_up_to_the_totals(self):
        out, result = self.run_out("out", "--set", "measure.from_s=0")
        with open(out / "flows.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for flow in result["flows"]:
            mine = [row for row in rows if row["flow"] == flow["name"]]
            self.assertEqual(len(mine), 120)
            self.assertEqual(mine[-1]["time_s"], "12")
            for column, field in [("sent_packets", "sent_packets"), ("lost_packets", "lost_packets")]:
                self.assertEqual(sum(int(row[column]) for row in mine), flow[field])
            goodput = 8 * sum(int(row["goodput_bytes"]) for row in mine) / 12
            self.assertAlmostEqual(goodput, flow["goodput_bps"], delta=1)
        with open(out / "links.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for link in result["links"]:
            mine = [row for row in rows if row["link"] == link["name"]]
            delivered = 8 * sum(int(row["delivered_bytes"]) for row in mine)
            self.assertAlmostEqual(delivered / 12 / 2e6, link["utilization"], places=9)
            self.assertEqual({row["capacity_bps"] for row in mine}, {"2000000"})

    def test_what_show_prints_runs_to_the_same_result(self):
        out, result = self.run_out("out")
        shown = run("show", self.scenario())
        self.assertEqual(shown.stdout, (out / "scenario.json").read_text())
        again = self.path / "again" / "s.json"
        again.parent.mkdir()
        again.write_text(shown.stdout)
        self.assertEqual(self.run_out("out2", scenario=again)[1], result)

    def test_the_directory_changes_nothing_in_the_result(self):
        _, result = self.run_out("out")
        alone = run("run", self.scenario(), "--no-wall-time", "--json")
        self.assertEqual(json.loads(alone.stdout), result)

    def test_every_scenario_of_the_tree_can_be_read(self):
        listed = json.loads(run("list", "scenarios", "--json").stdout)["scenarios"]
        names = {scenario["name"] for scenario in listed}
        self.assertEqual(names, {path.relative_to(SCENARIOS).with_suffix("").as_posix() for path in SCENARIOS.rglob("*.json")
                                 if path.parent.name != "profiles"})
        for name in sorted(names):
            result = run("show", name)
            self.assertEqual(result.returncode, 0, result.stderr)
            json.loads(result.stdout)


class Determinism(Case):
    FILES = ["result.json", "scenario.json", "flows.csv", "links.csv"]

    def test_equal_runs_give_equal_bytes(self):
        a, _ = self.run_out("a")
        b, _ = self.run_out("b")
        self.assertEqual([digest(a / f) for f in self.FILES], [digest(b / f) for f in self.FILES])

    def test_another_seed_gives_other_bytes(self):
        a, _ = self.run_out("a", "--seed", "1")
        b, _ = self.run_out("b", "--seed", "2")
        self.assertNotEqual(digest(a / "flows.csv"), digest(b / "flows.csv"))

    def test_the_locale_changes_nothing(self):
        words = [PROGRAM, "run", str(self.scenario()), "--no-wall-time", "--json"]
        texts = {subprocess.run(words, capture_output=True, check=True,
                                env=dict(ENVIRONMENT, LC_ALL=locale)).stdout
                 for locale in ("C", "C.UTF-8", "de_DE.UTF-8")}
        self.assertEqual(len(texts), 1)


class Ends(Case):
    def interrupted(self, number, *words):
        process = subprocess.Popen(
            [PROGRAM, "run", "call", "--duration", "1000000", "--json", "--progress", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        process.stderr.readline()  # a line of progress: it runs
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
        return process.returncode, json.loads(out)

    def test_ctrl_c_keeps_what_was_simulated(self):
        out = self.path / "out"
        status, result = self.interrupted(signal.SIGINT, "--out", str(out))
        self.assertEqual(status, 130)
        self.assertFalse(result["complete"])
        self.assertTrue(0 < result["sim_s"] < 1000000)
        self.assertEqual(result["to_s"], result["sim_s"])
        self.assertGreater(result["flows"][0]["goodput_bps"], 0)
        self.assertEqual(json.loads((out / "result.json").read_text()), result)
        last = (out / "links.csv").read_text().splitlines()[-1]
        self.assertEqual(float(last.split(",")[0]), result["sim_s"])
        self.assertEqual(last.count(","), 9)

    def test_a_request_to_end_is_heeded_too(self):
        status, result = self.interrupted(signal.SIGTERM)
        self.assertEqual((status, result["complete"]), (130, False))

    def test_a_run_that_is_killed_leaves_no_result(self):
        out = self.path / "out"
        process = subprocess.Popen(
            [PROGRAM, "run", "call", "--duration", "1000000", "--progress", "--out", str(out)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        process.stderr.readline()
        process.kill()
        process.communicate()
        self.assertTrue((out / "scenario.json").exists())
        self.assertFalse((out / "result.json").exists())

    def test_output_that_nobody_takes_is_a_failure(self):
        scenario = str(self.scenario())
        for words in [("run", scenario), ("run", scenario, "--json"), ("show", scenario),
                      ("list", "scenarios"), ("list", "algorithms", "--json"), ("list", "params", "tfrc"),
                      ("--help",), ("--version",), ("run", "--help")]:
            with self.subTest(words=words), open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE,
                                        text=True, env=ENVIRONMENT)
                self.assertEqual(result.returncode, 1)
                self.assertEqual(result.stderr.count("\n"), 1)
                self.assertTrue(result.stderr.startswith("weir-lab: cannot write the output"))

    def test_series_that_the_disk_does_not_take_are_a_failure(self):
        out = self.path / "out"
        for name in ("flows.csv", "links.csv"):
            out.mkdir()
            (out / name).symlink_to("/dev/full")
            result = run("run", self.scenario(), "--out", out)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(name, result.stderr)
            self.assertFalse((out / "result.json").exists())
            for path in out.iterdir():
                path.unlink()
            out.rmdir()


@unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
class Wireshark(Case):
    FIELDS = ("ip.src", "udp.dstport", "frame.len", "rtp.seq", "rtcp.pt", "tcp.seq_raw", "tcp.analysis.retransmission",
              "ccfb.sender_ssrc", "ccfb.ssrc", "ccfb.num_reports", "ccfb.lost", "_ws.expert.severity", "_ws.malformed")

    def rows(self, path):
        """What tshark reads of each packet, with our dissector."""
        words = [word for field in self.FIELDS for word in ("-e", field)]
        done = subprocess.run(["tshark", "-n", "-X", f"lua_script:{ROOT}/examples/wireshark/ccfb.lua", "-d", "udp.port==5004,rtp",
                               "-d", "udp.port==5005,rtcp", "-r", path, "-T", "fields", *words],
                              capture_output=True, text=True, check=True, env=dict(os.environ, HOME=str(self.path)))
        return [dict(zip(self.FIELDS, line.split("\t"))) for line in done.stdout.splitlines()]

    def test_it_reads_every_packet_and_our_feedback(self):
        path = self.path / "run.pcap"
        scenario = self.scenario(RICH)
        plain = run("run", scenario, "--json", "--no-wall-time")
        result = run("run", scenario, "--json", "--no-wall-time", "--pcap", path)
        self.assertEqual((result.returncode, result.stdout), (0, plain.stdout))
        rows = self.rows(path)
        self.assertEqual([row for row in rows if row["_ws.malformed"]], [])
        media = [row for row in rows if row["udp.dstport"] == "5004"]
        self.assertEqual([int(row["rtp.seq"]) for row in media], list(range(len(media))))
        self.assertTrue(all(row["rtcp.pt"] for row in rows if row["udp.dstport"] == "5005"))
        self.assertTrue(any(row["tcp.analysis.retransmission"] for row in rows))
        feedback = [row for row in rows if row["ccfb.sender_ssrc"]]
        self.assertGreater(len(feedback), 50)
        reported = sum(int(count) for row in feedback for count in row["ccfb.num_reports"].split(","))
        lost = sum(int(count) for row in feedback for count in row["ccfb.lost"].split(","))
        self.assertGreater(lost, 0)
        self.assertGreater(reported - lost, 0.9 * len(media))

    def test_feedback_that_is_cut_short_is_malformed(self):
        packet = bytes.fromhex("8bcd0004" "00000001" "00000002" "0000ffff" "00000000")
        datagram = bytes.fromhex("138d138d") + (8 + len(packet)).to_bytes(2, "big") + bytes(2) + packet
        ip = bytes.fromhex("4500") + (20 + len(datagram)).to_bytes(2, "big") + bytes.fromhex("00000000401100000a0000010a800001") + datagram
        path = self.path / "cut.pcap"
        path.write_bytes(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 101) + struct.pack("<IIII", 0, 0, len(ip), len(ip)) + ip)
        row, = self.rows(path)
        self.assertEqual((row["ccfb.sender_ssrc"], row["ccfb.ssrc"]), ("0x00000001", ""))
        self.assertIn("8388608", row["_ws.expert.severity"])


class MahimahiTraces(Case):
    def test_of_a_schedule_are_read_back_and_carry_as_much(self):
        scenario = json.loads(run("show", "live/cell").stdout)
        link = scenario["links"][0]
        whole = run("show", "live/cell", "--mahimahi", link["name"]).stdout
        (self.path / "cell.trace").write_text(whole, encoding="utf-8")
        for name in ("capacity_bps", "schedule", "schedule_repeat_s"):
            link.pop(name, None)
        scenario["links"][0] = {**link, "trace_ms": "cell.trace"}
        (self.path / "again.json").write_text(json.dumps(scenario), encoding="utf-8")
        self.assertEqual(run("show", self.path / "again.json", "--mahimahi", link["name"]).stdout, whole)
        bps = [json.loads(run("run", path, "--json", "--no-wall-time").stdout)["links"][0]["capacity_bps"]
               for path in ("live/cell", self.path / "again.json")]
        self.assertAlmostEqual(bps[1] / bps[0], 1, delta=0.001)


class Refusals(Case):
    def test_wrong_command_lines(self):
        scenario = self.scenario()
        for words, text in [((), "which command"), (("fly",), "fly"), (("run",), "SCENARIO"),
                            (("run", scenario, scenario), "one SCENARIO"),
                            (("run", scenario, "--fast"), "fast"),
                            (("run", scenario, "--json=1"), "--json takes no value"),
                            (("run", scenario, "--seed", "x"), "--seed x"),
                            (("run", scenario, "--seed"), "seed"),
                            (("run", scenario, "--duration", "-1"), "--duration -1"),
                            (("run", scenario, "--duration", "0"), "--duration 0"),
                            (("run", scenario, "--param", "nonsense=1"), "nonsense"),
                            (("run", scenario, "--param", "nonsense"), "nonsense"),
                            (("run", scenario, "--algorithm", "nonsense"), "nonsense"),
                            (("run", scenario, "--set", "flows.none.count=1"), "none"),
                            (("run", scenario, "--set", "nonsense"), "nonsense"),
                            (("show", "nonsense"), "nonsense"), (("list",), "list what"),
                            (("list", "nonsense"), "nonsense"), (("list", "params"), "params"),
                            (("list", "params", "nonsense"), "nonsense"),
                            (("list", "scenarios", "x"), "one thing"),
                            (("bench", "x"), "no arguments")]:
            with self.subTest(words=words):
                self.assert_refused(run(*words), text)

    def test_wrong_scenarios(self):
        link = RICH["links"][0]
        for changes, text in [({"duration_s": 0}, "duration_s"), ({"duration": 3}, "duration"),
                              ({"duration_s": "x"}, "duration_s"), ({"nonsense": 1}, "nonsense"),
                              ({"links": []}, "links"),
                              ({"links": [dict(link, capacity_bps=0)]}, "capacity_bps"),
                              ({"links": [dict(link, delay_ms=-1)]}, "delay_ms"),
                              ({"links": [dict(link, delay=1)]}, "delay"),
                              ({"flows": [dict(RICH["flows"][0], count=10 ** 9)]}, "count"),
                              ({"flows": [dict(RICH["flows"][0], to="C")]}, "C"),
                              ({"measure": {"from_s": 20}}, "from_s"), ({"measure": {"to_s": 20}}, "to_s"),
                              ({"duration_s": 1000000, "measure": {"bin_s": 0.001}}, "bin_s")]:
            with self.subTest(changes=changes):
                self.assert_refused(run("run", self.scenario(**changes)), text)

    def test_files_that_are_no_scenario(self):
        broken = self.path / "broken.json"
        for text in ["", "{", "[]", "null", "{\"duration_s\": 1", "\x00\x01", "{" * 10000]:
            broken.write_text(text)
            with self.subTest(text=text[:20]):
                self.assert_refused(run("run", broken), "broken.json")
        self.assert_refused(run("run", self.path), "Is a directory")
        self.assert_refused(run("run", "/dev/null"), "/dev/null: ")
        self.assert_refused(run("run", self.path / "none.json"), "none.json")

    def test_series_that_would_fill_the_disk(self):
        scenario = self.scenario(duration_s=1000000, sample_s=0.001, measure={"from_s": 2})
        self.assert_refused(run("run", scenario, "--out", self.path / "out"), "sample_s")
        self.assertFalse((self.path / "out").exists())

    def test_capacities_that_are_no_mahimahi_trace(self):
        scenario = self.scenario()
        link = json.loads(run("show", scenario).stdout)["links"][0]["name"]
        self.assert_refused(run("show", scenario, "--mahimahi", "x"), f"--mahimahi x: there is no such link; there are {link}")
        self.assert_refused(run("show", scenario, "--mahimahi", link, "--set", "links.0.capacity_bps=1e11"),
                            "more than the 1000000 of a trace; a shorter --duration")

    def test_pcap_files_that_cannot_be(self):
        self.assert_refused(run("run", self.scenario(), "--pcap", "/nowhere/a.pcap"), "--pcap /nowhere/a.pcap: No such file or directory")
        full = self.path / "full.pcap"
        full.symlink_to("/dev/full")
        result = run("run", self.scenario(), "--pcap", full)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("full.pcap: No space left on device", result.stderr)
        self.assertTrue(full.is_symlink())

    def test_directories_that_cannot_be(self):
        (self.path / "file").write_text("")
        self.assert_refused(run("run", self.scenario(), "--out", self.path / "file" / "out"),
                            "file/out")
        self.assert_refused(run("run", self.scenario(), "--out", self.path / "file"), "file")


class Help(Case):
    def test_every_command_explains_itself(self):
        for command, words in [("run", ["--out", "--set", "Exit status", "Examples"]),
                               ("show", ["--set", "Examples"]), ("bench", ["--json"]),
                               ("list", ["algorithms", "scenarios", "params"])]:
            result = run(command, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            for word in words:
                self.assertIn(word, result.stdout)

    def test_lists_are_complete_in_both_forms(self):
        both = json.loads(run("list", "algorithms", "--json").stdout), run("list", "algorithms").stdout
        for kind in ("algorithms", "competitors", "profiles"):
            self.assertTrue(both[0][kind])
            for entry in both[0][kind]:
                self.assertIn(entry["name"], both[1])
        params = json.loads(run("list", "params", "tfrc", "--json").stdout)["params"]
        for param in params:
            self.assertTrue({"name", "kind", "unit", "default", "description"} <= param.keys())


if __name__ == "__main__":
    tap.main()
