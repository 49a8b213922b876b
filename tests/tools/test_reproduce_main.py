# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-reproduce from outside, with a laboratory that answers at once and counts how often it is asked."""
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from reproduce.main import Reproduction  # noqa: E402

PROGRAM = os.path.join(ROOT, "tools", "weir-reproduce")

FAKE_LAB = r'''#!{python} -SE
import json, os, sys
args = sys.argv[1:]
if args[:2] == ["list", "algorithms"]:
    print(json.dumps({{"algorithms": [{{"name": "tfrc", "for_live_media": True}}, {{"name": "fixed", "for_live_media": False}}],
                       "competitors": [{{"name": "tcp-reno"}}, {{"name": "tcp-sack"}}]}}))
    sys.exit(0)
def option(name, default=None):
    return args[args.index(name) + 1] if name in args else default
sets = [args[i + 1] for i, a in enumerate(args) if a == "--set"]
if args[0] == "formula":
    print(json.dumps({{"value": 2.5}}))
    sys.exit(0)
if args[0] == "show":
    print(json.dumps({{"description": "x", "algorithm": option("--algorithm"), "sets": sets,
                       "drawn": option("--seed")}}))
    sys.exit(0)
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(" ".join(args) + "\n")
if os.environ.get("FAKE_SLEEP"):
    import time
    time.sleep(float(os.environ["FAKE_SLEEP"]))
if os.environ.get("FAKE_FAIL"):
    sys.stderr.write("weir-lab: no such thing\n")
    sys.exit(2)
with open(args[1]) as file:
    scenario = json.load(file)
if scenario["drawn"] != option("--seed"):
    sys.stderr.write("weir-lab: start times and delays of another seed\n")
    sys.exit(2)
reno, rev = scenario["algorithm"] == "TCP-Reno", "vars.rev=1" in scenario["sets"]
good = {{(True, True): 6e5, (True, False): 9.7e5, (False, True): 9e5, (False, False): 9.9e5}}[reno, rev]
good += 1e3 * int(option("--seed"))
flow = {{"name": "flow", "group": "tested", "goodput_bps": good, "sent_bps": good, "sent_packets": 1000,
        "lost_packets": 20 if rev else 10, "cov_sent": 0.2, "loss_ratio": 0.01, "rtt_ms": 300}}
link = {{"name": "bottleneck", "capacity_bps": 1e6, "loss_ratio": 0.01, "queue_packets": {{"mean": 5}}}}
out = option("--out")
if out:
    with open(out + "/flows.csv", "w") as file:
        file.write("time_s,flow,sent_bytes,received_bytes,goodput_bytes,"
                   "sent_packets,lost_packets,allowed_bps,window_packets,rtt_ms\n")
        for i in range(1000):
            file.write(f"{{i + 1}},flow,{{good / 8 * (1 + 0.5 * (i % 2) * rev)}},1,{{good / 8}},100,1,0,0,0\n")
    with open(out + "/links.csv", "w") as file:
        file.write("time_s,link,offered_packets,dropped_packets,lost_packets,queue_packets\n"
                   "1,bottleneck,100,1,0,3\n")
print(json.dumps({{"scenario": args[1], "flows": [flow], "links": [link], "bin_s": 0.25}}))
'''


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.lab = self.path("weir-lab")
        with open(self.lab, "w", encoding="utf-8") as file:
            file.write(FAKE_LAB.format(python=sys.executable))
        os.chmod(self.lab, os.stat(self.lab).st_mode | stat.S_IXUSR)
        with open(self.path("findings.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        self.environment = {**os.environ, "FAKE_LOG": self.path("log"), "MPLCONFIGDIR": self.path("mpl")}

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def command(self, *args):
        return [sys.executable, PROGRAM, "--lab", self.lab, "--out", self.path("out"), "--cache",
                self.path("cache"), "--findings", self.path("findings.json"), *args]

    def run_it(self, *args, **environment):
        return subprocess.run(self.command(*args), capture_output=True, text=True, check=False,
                              env={**self.environment, **environment})

    def runs(self):
        if not os.path.exists(self.path("log")):
            return 0
        with open(self.path("log"), encoding="utf-8") as file:
            return len(file.readlines())


class Results(Programs):
    def test_have_a_row_per_check_and_the_fixed_shape(self):
        done = self.run_it("arc.fig5", "arc.fig7", "--json", self.path("result.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("result.json"), encoding="utf-8") as file:
            result = json.load(file)
        five, seven = result["targets"]
        self.assertEqual((five["id"], five["paper"]), ("arc.fig5", "arc"))
        check = five["checks"][0]
        self.assertLessEqual({"text", "expr", "stated", "measured", "verdict", "seeds"}, set(check))
        self.assertEqual((check["verdict"], check["seeds"]), ("PASS", 5))
        self.assertEqual([row["verdict"] for row in five["stated"]], ["PASS", "PASS"])
        self.assertEqual((seven["checks"][0]["verdict"], seven["checks"][0]["reason"]),
                         ("OPEN", "arc: not available"))
        summary = result["summary"]
        self.assertEqual((summary["pass"], summary["fail"], summary["open"]), (1, 0, 1))
        self.assertIn("wall_s", summary)
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.startswith("arc.fig5 ")]), 3)

    def test_are_pages_and_a_figure(self):
        self.assertEqual(self.run_it("arc.fig5").returncode, 0)
        with open(self.path("out/arc.md"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("![arc.fig5](arc.fig5.png)", page)
        self.assertIn("| utilisation, reverse on | 0.57 fraction +-0.08 | 0.603 (0.601 to 0.605) | 5/5 |", page)
        with open(self.path("out/arc.fig5.png"), "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        self.assertTrue(os.path.exists(self.path("out/README.md")))

    def test_of_other_targets_stay_when_some_are_run_again(self):
        self.run_it("arc.fig5", "--no-figures")
        self.run_it("arc.fig6", "--no-figures")
        with open(self.path("out/results.json"), encoding="utf-8") as file:
            self.assertEqual([target["id"] for target in json.load(file)["targets"]],
                             ["arc.fig5", "arc.fig6"])

    def test_on_stdout_are_json_alone(self):
        done = self.run_it("arc.fig5", "--no-figures", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["summary"]["pass"], 1)

    def test_whose_simulation_fails_are_open(self):
        done = self.run_it("arc.fig5", "--no-figures", "--json", "-", FAKE_FAIL="1")
        check = json.loads(done.stdout)["targets"][0]["checks"][0]
        self.assertEqual(check["verdict"], "OPEN")
        self.assertIn("no such thing", check["reason"])


class Runs(Programs):
    def test_are_shared_between_targets_and_kept_for_the_next_time(self):
        self.run_it("arc.fig6", "--no-figures")
        alone = self.runs()
        self.assertEqual(alone, 2 * 5, "two conditions, five seeds")
        self.run_it("arc.fig6", "--no-figures")
        self.assertEqual(self.runs(), alone)
        self.run_it("arc.fig6", "arc.fig8", "--no-figures")
        self.assertEqual(self.runs(), 2 * alone, "of figure 8 only Reno is new")
        self.run_it("arc.fig6", "--no-figures", "--no-cache")
        self.assertEqual(self.runs(), 3 * alone)

    def test_of_another_program_are_not_taken_for_this_ones(self):
        self.run_it("arc.fig6", "--no-figures")
        with open(self.lab, "a", encoding="utf-8") as file:
            file.write("# another build\n")
        self.run_it("arc.fig6", "--no-figures")
        self.assertEqual(self.runs(), 20)

    def test_are_few_when_quick(self):
        self.run_it("arc.fig6", "--no-figures", "--quick")
        self.assertEqual(self.runs(), 2)


class Endings(Programs):
    def test_an_interrupt_keeps_what_is_finished(self):
        process = subprocess.Popen(self.command("arc.eq2", "arc.fig6", "--no-figures", "--jobs", "1",
                                                "--json", self.path("r.json")),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True,
                                   env={**self.environment, "FAKE_SLEEP": "30"})
        deadline = time.monotonic() + 60
        while not self.runs() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        with open(self.path("r.json"), encoding="utf-8") as file:
            result = json.load(file)
        self.assertFalse(result["complete"])
        self.assertEqual([target["id"] for target in result["targets"]], ["arc.eq2"])

    def refused(self, *args, usage=False):
        done = subprocess.run([sys.executable, PROGRAM, *args], capture_output=True, text=True, check=False,
                              env=self.environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(usage or len(done.stderr.splitlines()) == 1, done.stderr)
        return done.stderr

    def test_of_a_target_one_claim_alone_can_be_asked_for(self):
        spec = {"id": "arc.fig5", "checks": [{"expr": "a"}, {"expr": "b"}, {"expr": "c"}]}
        for ids, numbers in ((["arc.*"], [1, 2, 3]), ([], [1, 2, 3]), (["arc.fig5#2", "arc.fig6"], [2]),
                             (["arc.*#1", "arc.fig5#3"], [1, 3]), (["arc.fig5#2", "arc.fig5"], [1, 2, 3])):
            asked = Reproduction.asked(types.SimpleNamespace(options=types.SimpleNamespace(ids=ids)), spec)
            self.assertEqual([check["number"] for check in asked["checks"]], numbers)

    def test_what_cannot_be_done_is_one_line(self):
        self.assertIn("no target matches 'arc.fig99'", self.refused("arc.fig99", "--lab", self.lab))
        self.assertIn("build it", self.refused("arc.fig5", "--lab", self.path("nowhere"), "--out",
                                               self.path("out")))
        for text, said in (("{", "Expecting"), ('{"papers": {}, "targets": [{"id": "x"}]}', "malformed"),
                           ("[]", "malformed")):
            with open(self.path("targets.json"), "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn(said, self.refused("--targets", self.path("targets.json")))
        self.assertIn("No such file", self.refused("--targets", self.path("missing.json")))
        self.assertIn("only with --ns2", self.refused("--seeds", "2", usage=True))


if __name__ == "__main__":
    tap.main()
