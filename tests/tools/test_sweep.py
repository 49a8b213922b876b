# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-sweep from outside, with a laboratory that answers at once and writes down how often it is asked."""
import concurrent.futures
import contextlib
import csv
import io
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from sweep import pools, spec, worker  # noqa: E402
from sweep.main import main  # noqa: E402

try:
    import distributed
except ImportError:
    distributed = None

PROGRAM = os.path.join(ROOT, "tools", "weir-sweep")

FAKE_LAB = r'''#!{python} -SE
import json, os, sys, time
args = sys.argv[1:]
def option(name, default=None):
    return args[args.index(name) + 1] if name in args else default
def refuse(text):
    sys.stderr.write("weir-lab: " + text + "\n")
    sys.exit(2)
if args == ["--version"]:
    print("weir-lab 1.2.3")
elif args[:2] == ["list", "algorithms"]:
    print(json.dumps({{"algorithms": [{{"name": "tfrc", "for_live_media": True}},
                                     {{"name": "fixed", "for_live_media": False}}],
                       "competitors": [{{"name": "tcp-reno"}}], "profiles": [{{"name": "TFRC"}}]}}))
elif args[0] == "show":
    sets = [args[i + 1] for i, a in enumerate(args) if a in ("--set", "--param")]
    if "vars.wrong=1" in sets:
        refuse("s: vars.wrong: there is no such variable")
    if "sp=true" in sets and option("--algorithm") == "fixed":
        refuse("fixed has no parameter sp")
    print(json.dumps({{"description": "x", "seed": 1, "scenario": os.path.basename(args[1]),
                       "algorithm": option("--algorithm", "tfrc"), "sets": sets,
                       "duration": option("--duration"), "start_s": int(option("--seed", 1))}}))
else:
    with open(args[1]) as file:
        scenario = json.load(file)
    seed = int(option("--seed"))
    with open({log!r}, "a") as log:
        log.write("run\n")
    time.sleep(float(os.environ.get("FAKE_SLEEP", 0)) * (seed % 3))
    if os.environ.get("FAKE_HANG") and seed > 1:
        time.sleep(60)
    if os.environ.get("FAKE_FAIL") and seed == 2:
        sys.stderr.write("weir-lab: out of memory\n")
        sys.exit(1)
    good = 1000 * seed + len(scenario["algorithm"])
    flows = [{{"name": n, "group": g, "algorithm": a, "tested": t, "links": ["a", "b"], "goodput_bps": good,
              "start_s": scenario.get("start_s"),
              "delay_ms": {{"mean": 1.5, "p50": None}}, "late_ratio": {{"0.1": 0.5}}}}
             for n, g, a, t in (("call", "call", scenario["algorithm"], True), ("web", "web", "tcp-reno", False))]
    links = [{{"name": n, "capacity_bps": 1e6, "utilization": u, "loss_ratio": 0, "queue_ms": {{"p50": 1, "p95": 2}}}}
             for n, u in (("a", 0.2), ("b", 0.9), ("c", 1.0))]
    if option("--out"):
        for name in ("flows.csv", "links.csv"):
            with open(os.path.join(option("--out"), name), "w") as file:
                file.write("time_s\n" + str(seed) + "\n")
    print(json.dumps({{"flows": flows, "links": links, "jain": 1}}))
'''

SWEEP = {"description": "two algorithms", "seeds": 2,
         "runs": [{"name": "grid", "scenario": "call", "algorithms": ["tfrc", "fixed"],
                   "set": {"vars.rtt_ms": [10, 50], "vars.x": "text"}}]}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.lab = self.make_lab("weir-lab")

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_lab(self, name, more=""):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(FAKE_LAB.format(python=sys.executable, log=self.path("log")) + more)
        os.chmod(self.path(name), os.stat(self.path(name)).st_mode | stat.S_IXUSR)
        return self.path(name)

    def command(self, content, *args):
        with open(self.path("s.json"), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        words = list(args) + ([] if "--lab" in args else ["--lab", self.lab])
        return [sys.executable, PROGRAM, self.path("s.json"), *(words if "--out" in args else
                                                               [*words, "--out", self.path("out")])]

    def run_it(self, content, *args, status=0, **environment):
        done = subprocess.run(self.command(content, *args), capture_output=True, text=True, check=False,
                              env={**os.environ, **environment}, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def runs(self):
        if not os.path.exists(self.path("log")):
            return 0
        with open(self.path("log"), encoding="utf-8") as file:
            return len(file.readlines())

    def rows(self, folder="out"):
        with open(os.path.join(self.path(folder), "flows.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def summary(self, folder="out"):
        with open(os.path.join(self.path(folder), "summary.json"), encoding="utf-8") as file:
            return json.load(file)


class Results(Case):
    def test_are_a_row_per_flow_and_run_in_the_order_of_the_sweep(self):
        self.run_it(SWEEP)
        rows = self.rows()
        self.assertEqual([(r["algorithm"], r["set:vars.rtt_ms"], r["seed"], r["flow"]) for r in rows],
                         [(a, rtt, seed, flow) for a in ("tfrc", "fixed") for rtt in ("10", "50")
                          for seed in "12" for flow in ("call", "web")])
        first = rows[0]
        self.assertEqual((first["run"], first["scenario"], first["set:vars.x"], first["tested"]),
                         ("grid", "call", "text", "true"))
        self.assertEqual((first["delay_ms_mean"], first["delay_ms_p50"], first["late_ratio_0.1"], first["jain"]),
                         ("1.5", "", "0.5", "1"))
        self.assertEqual((first["link"], first["link_utilization"], first["link_queue_ms_p95"]), ("b", "0.9", "2"),
                         "the busiest link on the flow's way, which the third is not")

    def test_are_summed_up_over_the_seeds(self):
        self.run_it(SWEEP)
        summary = self.summary()
        self.assertEqual((summary["version"], summary["complete"], summary["runs"], summary["done"]),
                         ("1.2.3", True, 8, 8))
        first = summary["conditions"][0]
        self.assertEqual((first["run"], first["algorithm"], first["set:vars.rtt_ms"], first["group"], first["seeds"]),
                         ("grid", "tfrc", 10, "call", 2))
        self.assertEqual(first["measures"]["goodput_bps"], {"mean": 1504, "min": 1004, "max": 2004})
        self.assertEqual(len(summary["conditions"]), 2 * 2 * 2)

    def test_of_each_seed_are_with_the_start_times_that_it_draws(self):
        self.run_it({**SWEEP, "seeds": [3, 5]})
        self.assertEqual({(row["seed"], row["start_s"]) for row in self.rows()}, {("3", "3"), ("5", "5")})

    def test_are_the_same_bytes_for_any_number_of_jobs(self):
        for jobs in "1", "4":
            self.run_it({**SWEEP, "seeds": 5}, "--jobs", jobs, "--out", self.path("out" + jobs), FAKE_SLEEP="0.02")
        for name in "flows.csv", "summary.json":
            with open(os.path.join(self.path("out1"), name), "rb") as one, \
                    open(os.path.join(self.path("out4"), name), "rb") as four:
                self.assertEqual(one.read(), four.read())

    def test_keep_series_that_are_asked_for(self):
        self.run_it(SWEEP)
        self.assertEqual([name for name in os.listdir(self.path("out/runs")) if name.endswith(".gz")], [])
        self.run_it({**SWEEP, "series": True})
        self.assertEqual(self.runs(), 16, "the results were there, the series were not")
        key = self.rows()[0]["key"]
        self.assertTrue(os.path.exists(self.path(f"out/runs/{key}.flows.csv.gz")))
        self.run_it(SWEEP)
        self.assertEqual(self.runs(), 16, "what has series has results")

    def test_of_all_algorithms_are_those_that_the_lab_lists(self):
        self.run_it({"runs": [{"scenario": "call", "algorithms": "all"}]})
        self.assertEqual(list(dict.fromkeys(row["algorithm"] for row in self.rows())), ["tfrc", "fixed"])

    def test_without_algorithms_name_the_scenarios_own(self):
        self.run_it({"runs": [{"scenario": "call"}]})
        self.assertEqual({row["algorithm"] for row in self.rows()}, {"tfrc"})

    def test_of_a_quick_sweep_are_one_seed_and_the_ends_of_lists(self):
        self.run_it({**SWEEP, "seeds": [7, 8], "set": {"vars.y": [1, 2, 3]}}, "--quick")
        self.assertEqual({row["seed"] for row in self.rows()}, {"7"})
        self.assertEqual({row["set:vars.y"] for row in self.rows()}, {"1", "3"})

    def test_show_settings_that_are_objects(self):
        self.run_it({"runs": [{"scenario": "call", "set": {"flows.0.source": {"kind": "greedy"}}}]})
        self.assertEqual(self.rows()[0]["set:flows.0.source"], '{"kind": "greedy"}')


class Runs(Case):
    def test_that_are_known_are_not_made_again(self):
        self.run_it(SWEEP)
        self.assertEqual(self.runs(), 8)
        done = self.run_it(SWEEP)
        self.assertEqual(self.runs(), 8)
        self.assertIn("8 of 8 runs (0 of them not known before)", done.stdout)

    def test_are_only_the_new_ones_when_a_sweep_grows(self):
        self.run_it(SWEEP)
        self.run_it({**SWEEP, "seeds": 3})
        self.assertEqual(self.runs(), 8 + 4)
        self.run_it({**SWEEP, "runs": SWEEP["runs"] + [{"scenario": "call", "set": {"vars.x": "new"}}]})
        self.assertEqual(self.runs(), 8 + 4 + 2)

    def test_that_two_parts_share_are_made_once(self):
        again = {**SWEEP["runs"][0], "name": "again", "series": True}
        self.run_it({**SWEEP, "runs": [*SWEEP["runs"], again]})
        self.assertEqual(self.runs(), 8)
        self.assertEqual(len(self.rows()), 32)

    def test_of_another_build_are_not_taken_for_this_ones(self):
        self.run_it(SWEEP)
        self.make_lab("weir-lab", "# another build\n")
        self.run_it(SWEEP)
        self.assertEqual(self.runs(), 16)

    def test_that_fail_leave_the_others(self):
        done = self.run_it(SWEEP, status=1, FAKE_FAIL="1")
        self.assertEqual(len(self.rows()), 8)
        self.assertIn("failed: grid, tfrc: out of memory", done.stderr)
        self.assertEqual([entry["seed"] for entry in self.summary()["failed"]], [2] * 4)
        self.run_it(SWEEP)
        self.assertEqual((self.runs(), len(self.rows())), (8 + 4, 16))

    def test_after_an_interrupt_go_on_where_they_ended(self):
        for number in signal.SIGINT, signal.SIGTERM:
            out = self.path(f"out{int(number)}")
            before = self.runs()
            process = subprocess.Popen(self.command({**SWEEP, "seeds": [0, 1, 2]}, "--jobs", "1", "--out", out),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "FAKE_HANG": "1"})
            deadline = time.monotonic() + 60
            while self.runs() < before + 3 and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
            self.assertEqual((process.returncode, errors), (130, ""))
            summary = self.summary(out)
            self.assertEqual((summary["complete"], summary["done"], summary["failed"]), (False, 2, []))
            self.assertEqual({row["seed"] for row in self.rows(out)}, {"0", "1"})
            self.run_it({**SWEEP, "seeds": [0, 1, 2]}, "--out", out)
            self.assertEqual((self.runs(), self.summary(out)["done"]), (before + 3 + 10, 12))


class Scenarios(Case):
    def test_that_are_files_are_relative_to_the_sweep(self):
        os.mkdir(self.path("family"))
        with open(self.path("family/file"), "w", encoding="utf-8"):
            pass
        for name, expected in [("a.json", self.path("a.json")), ("/b/c.json", "/b/c.json"),
                               ("family/file", self.path("family/file")), ("family/installed", "family/installed"),
                               ("installed", "installed")]:
            self.assertEqual(spec.located(name, self.folder), expected)


def made_up_future(status, result=None, error=None):
    return unittest.mock.Mock(status=status, result=unittest.mock.Mock(return_value=result, side_effect=error),
                              exception=unittest.mock.Mock(return_value=error if status == "error" else None))


class Answer(unittest.TestCase):
    """To a batch, also when the cluster's scheduler goes away, whenever it does."""

    def test_that_is_on_its_way_is_lost_like_one_under_way(self):
        for future in (made_up_future("cancelled"), *(made_up_future("finished", error=error) for error in (
                ConnectionResetError("Stream is closed"), concurrent.futures.CancelledError()))):
            with self.assertRaisesRegex(pools.Lost, "the scheduler of the cluster is gone"):
                pools.answer_of(future)

    def test_that_went_with_its_worker_is_waited_for(self):
        done = unittest.mock.Mock(returncode=0, stdout='{"outcomes": []}')
        self.assertEqual(pools.answer_of(made_up_future("lost", done)), {"outcomes": []})

    def test_that_did_not_come_has_a_reason(self):
        self.assertEqual(pools.answer_of(made_up_future("error", error=OSError("no python3"))), {"failed": "no python3"})
        done = unittest.mock.Mock(returncode=1, stderr="first\nlast\n")
        self.assertEqual(pools.answer_of(made_up_future("finished", done)), {"failed": "last"})


class Batch(unittest.TestCase):
    """Its size, and what comes of its tasks, which are numbers here."""

    @staticmethod
    def answered(batch, run_s=0.001):
        text = json.dumps({"outcomes": [{"result": task} for task in batch], "seconds": run_s * len(batch)})
        return made_up_future("finished", unittest.mock.Mock(returncode=0, stdout=text))

    def sizes(self, n_tasks, run_s):
        """Of the batches of so many tasks that take so long each."""
        sizes, outcomes, batches = [], [], pools.Batches(range(n_tasks), lambda batch: self.answered(batch, run_s))
        futures = list(batches.fill())
        while futures:
            future = futures.pop(0)
            sizes.append(len(batches.futures[future]))
            ended, again = batches.end(future)
            outcomes += ended
            futures += [*again, *batches.fill()]
        self.assertEqual(sorted(outcomes, key=lambda one: one[0]), [(task, {"result": task}) for task in range(n_tasks)])
        return sizes

    def test_takes_the_same_time_whatever_a_run_takes(self):
        first = [1] * pools.UNDER_WAY_AT_FIRST
        for run_s, size in ((0.001, pools.BATCH_RUNS), (pools.BATCH_S / 10, 10), (pools.BATCH_S / 2, 2), (60, 1)):
            self.assertEqual(self.sizes(500, run_s)[:20], first + [size] * 4, run_s)
        self.assertEqual(self.sizes(3, 1), [1] * 3)
        self.assertEqual(self.sizes(0, 1), [])

    def test_that_ends_its_worker_is_tried_again_run_by_run(self):
        """As one run may have taken the memory that the others had to do with."""
        batches = pools.Batches(range(60), self.answered)
        batches.end(next(batches.fill()))
        future = next(future for future in batches.fill() if len(batches.futures[future]) > 1)
        wanted, dead = batches.futures[future], made_up_future("error", error=RuntimeError("KilledWorker"))
        batches.futures[dead] = batches.futures.pop(future)
        outcomes, again = batches.end(dead)
        self.assertEqual((outcomes, [batches.futures[one] for one in again]), ([], [[task] for task in wanted]))
        batches.futures[dead] = batches.futures.pop(again[0])
        self.assertEqual(batches.end(dead), ([(wanted[0], {"failed": "KilledWorker"})], []))
        for one in again[1:]:
            self.assertIn("result", batches.end(one)[0][0][1])


class Refusals(Case):
    def refused(self, content, *texts):
        """In this process: starting two dozen would take most of the time."""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = main(self.command(content)[2:])
        self.assertEqual((status, out.getvalue(), len(errors.getvalue().splitlines())), (2, "", 1), errors.getvalue())
        for text in ("weir-sweep: ", *texts):
            self.assertIn(text, errors.getvalue())
        self.assertEqual(self.runs(), 0)

    def test_name_field_value_and_what_is_right(self):
        run = SWEEP["runs"][0]
        for content, texts in (
                ("{", ["s.json: Expecting"]),
                ([], ["the file = []: must be an object"]),
                ({}, ["runs = null: must be a list"]),
                ({"runs": []}, ["runs = []"]),
                ({"runs": [3]}, ["runs.0 = 3: must be an object"]),
                ({"runs": [{}]}, ["runs.0: scenario is missing"]),
                ({"runs": [{**run, "seed": 3}]}, ["runs.grid.seed = 3: unknown field; did you mean seeds?"]),
                ({"runs": [{**run, "zzz": 3}]}, ["unknown field; there are algorithms, "]),
                ({"runs": [{**run, "seeds": 0}]}, ["runs.grid.seeds = 0: must be a number of seeds"]),
                ({"runs": [{**run, "seeds": [1, 1]}]}, ["seeds = [1, 1]", "different"]),
                ({"runs": [{**run, "seeds": True}]}, ["seeds = true"]),
                ({"runs": [{**run, "seeds": [2**53]}]}, ["2^53 - 1"]),
                ({"runs": [run], "seeds": -1}, ["seeds = -1"]),
                ({"runs": [{**run, "duration_s": 0}]}, ["duration_s = 0", "above 0"]),
                ({"runs": [{**run, "series": 1}]}, ["series = 1", "true or false"]),
                ({"runs": [{**run, "set": [1]}]}, ["set = [1]: must be an object"]),
                ({"runs": [{**run, "set": {"vars.x": []}}]}, ["set.vars.x = []: must have values"]),
                ({"runs": [{**run, "algorithms": "tfrc"}]}, ['algorithms = "tfrc"', 'or "all"']),
                ({"runs": [{**run, "algorithms": []}]}, ["algorithms = []"]),
                ({"runs": [{**run, "algorithms": ["tfcr"]}]}, ['"tfcr"', "did you mean tfrc?"]),
                ({"runs": [{**run, "algorithms": ["z"]}]}, ["there are tfrc, fixed, tcp-reno, TFRC"]),
                ({"runs": [run, run]}, ['runs.grid.name = "grid": two runs have this name']),
                ({"runs": [{**run, "name": ""}]}, ['name = "": must be a text']),
                ({"runs": [{**run, "set": {"vars.wrong": 1}}]}, ["runs.grid: ", "no such variable"])):
            with self.subTest(content=content):
                self.refused(content, *texts)

    def test_of_the_command_line_say_what_is_wrong(self):
        for args, text in ((["--lab", self.path("none")], "is no program"),
                           (["--cluster", "mars"], "--cluster mars: must be tcp://"),
                           (["--cluster", "ssh:"], "ssh:HOST,HOST,... or slurm"),
                           (["--jobs", "0"], "--jobs 0: at least 1")):
            done = self.run_it(SWEEP, *args, status=2)
            self.assertIn(text, done.stderr.splitlines()[-1])
        done = subprocess.run([sys.executable, PROGRAM, self.path("none.json"), "--lab", self.lab],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (2, f"weir-sweep: {self.path('none.json')}: No such file or directory\n"))

    def test_by_some_algorithms_leave_the_others(self):
        done = self.run_it({**SWEEP, "params": {"sp": [True, False]}})
        self.assertIn("refused: grid, fixed: fixed has no parameter sp", done.stderr)
        summary = self.summary()
        self.assertEqual([(entry["algorithm"], entry["param:sp"]) for entry in summary["refused"]],
                         [("fixed", True)] * 2)
        self.assertEqual((summary["runs"], summary["done"], len(self.rows())), (12, 12, 24))


def local_cluster():
    return distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None,
                                    protocol="tcp")


class Clusters(Case):
    def test_without_dask_say_how_to_get_it(self):
        os.mkdir(self.path("blocked"))
        with open(self.path("blocked/distributed.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError\n")
        done = self.run_it(SWEEP, "--cluster", "tcp://127.0.0.1:1", status=2, PYTHONPATH=self.path("blocked"))
        self.assertEqual(done.stderr, "weir-sweep: --cluster needs Dask, which is missing: apt install "
                                      "python3-distributed\n")

    @unittest.skipIf(distributed is None, "no Dask here")
    def test_give_what_this_machine_gives(self):
        self.run_it(SWEEP, "--out", self.path("here"))
        with local_cluster() as cluster:
            self.run_it({**SWEEP, "series": True}, "--cluster", cluster.scheduler_address)
            self.assertEqual(self.rows("here"), self.rows())
            self.assertTrue(os.path.exists(self.path(f"out/runs/{self.rows()[0]['key']}.links.csv.gz")))


class Workers(Case):
    def test_with_other_plugins_are_another_build(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        plain, seen = worker.identity(self.lab), set()
        with unittest.mock.patch.dict(os.environ, WEIR_PLUGIN_PATH=f"{folder}:/nowhere.so"):
            for text in ("one", "two"):
                pathlib.Path(folder, "a.so").write_text(text, encoding="utf-8")
                seen.add(worker.identity(self.lab))
            os.remove(os.path.join(folder, "a.so"))
            self.assertEqual(worker.identity(self.lab), plain)
        self.assertEqual(len(seen | {plain}), 3)

    def test_of_another_build_say_so(self):
        build = {"program": self.lab, "identity": worker.identity(self.lab), "version": "1.2.3"}
        tasks = [{"seed": seed, "series": False, "scenario": json.dumps({"algorithm": "tfrc"})} for seed in (3, 4)]
        answer = worker.remote({"build": build, "tasks": tasks})
        self.assertEqual([one["result"]["flows"][0]["goodput_bps"] for one in answer["outcomes"]], [3004, 4004])
        self.assertGreater(answer["seconds"], 0)
        answer = worker.remote({"build": {**build, "identity": "other"}, "tasks": tasks})
        self.assertEqual(["is another build" in one["failed"] for one in answer["outcomes"]], [True, True])
        there = {**os.environ, "PATH": "/nowhere"}
        source = os.path.join(ROOT, "tools", "sweep", "worker.py")
        done = subprocess.run([sys.executable, source], input=json.dumps({"build": {**build, "program": "/none"}, "tasks": tasks}),
                              text=True, capture_output=True, check=True, env=there)
        self.assertIn("neither /none nor a weir-lab on the PATH", json.loads(done.stdout)["outcomes"][0]["failed"])


if __name__ == "__main__":
    tap.main()
