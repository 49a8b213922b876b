# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-sweep on a Dask cluster of a scheduler and four workers, each in a network namespace of its own: a worker that is
killed costs nothing, a scheduler that is gone costs what was under way, another build is refused by name."""
import csv
import glob
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.dirname(os.path.abspath(__file__))]
import tap  # noqa: E402
import needs  # noqa: E402

LAB = os.environ.get("WEIR_LAB", "")
N_WORKERS = 4
PORT = 8786
WAIT_S = 120
SWEEP = {"seeds": 20, "scenario": "call",
         "runs": [{"name": "calls", "algorithms": ["sluice", "tfrc"], "set": {"vars.capacity_bps": [1e6, 2e6, 4e6]}}]}
N_RUNS = 120
OTHER_LAB = "#!/bin/sh\necho weir-lab 0.0.9\n"

MISSING = ("needs Dask: apt-get install python3-distributed" if not importlib.util.find_spec("distributed")
           else "weir-lab is not built" if not os.path.exists(LAB) else needs.missing_namespaces())


def text_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:  # the process has ended
        return ""


def runs(pid, name):
    """Whether a process has a child of that name, or one of its children has."""
    children = [child for path in glob.glob(f"/proc/{pid}/task/*/children") for child in text_of(path).split()]
    return any(text_of(f"/proc/{child}/comm").strip() == name or runs(child, name) for child in children)


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


@unittest.skipIf(MISSING, MISSING)
class Clusters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.programs = folder.name, []
        self.log = open(self.path("log"), "w+", encoding="utf-8")  # pylint: disable=consider-using-with
        self.addCleanup(self.log.close)
        self.spaces = [f"weir{os.getpid()}-{number}" for number in range(N_WORKERS + 1)]  # 0: the scheduler's
        for space in self.spaces:
            ip("netns", "add", space)
            self.addCleanup(subprocess.run, ["ip", "netns", "del", space], check=True)
            ip("-n", space, "link", "set", "lo", "up")
        for number, space in enumerate(self.spaces[1:], 1):
            ip("-n", self.spaces[0], "link", "add", "name", f"w{number}", "type", "veth", "peer", "name", "eth0", "netns", space)
            for where, link, address in ((self.spaces[0], f"w{number}", 1), (space, "eth0", 2)):
                ip("-n", where, "address", "add", f"10.77.{number}.{address}/24", "dev", link)
                ip("-n", where, "link", "set", link, "up")
        self.addCleanup(self.end)
        with open(self.path("s.json"), "w", encoding="utf-8") as file:
            json.dump(SWEEP, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, number, *words):
        """A program in a namespace, in a session of its own, so that all of it can be killed."""
        program = subprocess.Popen(["ip", "netns", "exec", self.spaces[number], *words],  # pylint: disable=consider-using-with
                                   stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
                                   start_new_session=True, cwd=self.folder)
        self.programs.append(program)
        return program

    def kill(self, program):
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()

    def end(self):
        for program in self.programs:
            self.kill(program)

    def said(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return file.read()

    def wait_for(self, is_so, what):
        end_s = time.monotonic() + WAIT_S
        while not is_so():
            self.assertLess(time.monotonic(), end_s, f"{what}\n{self.said()}")
            time.sleep(0.05)

    def start_scheduler(self):
        before = self.said().count("Scheduler at:")
        scheduler = self.start(0, sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", str(PORT),
                               "--no-dashboard")
        self.wait_for(lambda: self.said().count("Scheduler at:") > before, "no scheduler")
        return scheduler

    def start_worker(self, number, *before):
        """`before`: words before the command."""
        return self.start(number, *before, sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://10.77.{number}.1:{PORT}",
                          "--no-nanny", "--nthreads", "1", "--no-dashboard", "--name", f"w{number}")

    def wait_for_workers(self, count=N_WORKERS):
        self.wait_for(lambda: self.said().count("Registered to:") >= count, "not all workers came")

    def sweep(self, out, *options):
        return [sys.executable, os.path.join(ROOT, "tools", "weir-sweep"), "s.json", "--lab", LAB, "--out", out, *options]

    def on_cluster(self, out, *options):
        words = ["ip", "netns", "exec", self.spaces[0], *self.sweep(out, "--cluster", f"tcp://10.77.1.1:{PORT}", *options)]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def here(self, *options):
        """What this machine gives without a cluster."""
        subprocess.run(self.sweep("here", "--jobs", "2", *options), check=True, capture_output=True, cwd=self.folder)
        return self.table("here")

    def table(self, out):
        """Bytes of flows.csv, or of the parts."""
        files = glob.glob(self.path(f"{out}/flows.csv")) + glob.glob(self.path(f"{out}/flows/*/*.parquet"))
        self.assertEqual(len(files), 1)
        with open(files[0], "rb") as file:
            return file.read()

    def n_done(self, out):
        try:
            return sum(name.endswith(".json") for name in os.listdir(self.path(f"{out}/runs")))
        except FileNotFoundError:
            return 0

    def result(self, program):
        said, errors = program.communicate(timeout=WAIT_S)
        return program.returncode, said.strip(), errors

    def test_lose_nothing_and_count_nothing_twice_when_a_worker_is_killed(self):
        self.start_scheduler()
        workers = [self.start_worker(number) for number in range(1, N_WORKERS + 1)]
        self.wait_for_workers()
        sweep = self.on_cluster("out")
        self.wait_for(lambda: self.n_done("out") >= N_RUNS // 4, "nothing came back")
        n_before = self.n_done("out")
        self.kill(workers[1])
        status, said, errors = self.result(sweep)
        self.assertEqual(status, 0, said + errors + self.said())
        self.assertLess(n_before, N_RUNS, "it was not midway")
        table = self.table("out")
        keys = [(row["key"], row["flow"]) for row in csv.DictReader(table.decode().splitlines())]
        self.assertEqual((len(keys), len(set(keys))), (3 * N_RUNS, 3 * N_RUNS))
        self.assertEqual(table, self.here())
        print(f"# worker 2 of {N_WORKERS} killed after {n_before} of {N_RUNS} runs; then: {said}")
        moved = [line for line in self.said().splitlines() if "Remove worker" in line]
        print(f"# scheduler: {' '.join(moved[:1])}")

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "needs pyarrow: tools/setup sweep")
    def test_write_the_same_parquet_files_when_a_worker_is_killed_in_a_batch(self):
        self.start_scheduler()
        workers = [self.start_worker(number) for number in range(1, N_WORKERS + 1)]
        self.wait_for_workers()
        sweep = self.on_cluster("out", "--parquet")
        self.wait_for(lambda: runs(workers[1].pid, "weir-lab"), "no run began")
        self.kill(workers[1])
        status, said, errors = self.result(sweep)
        self.assertEqual(status, 0, said + errors + self.said())
        self.assertIn(f"{N_RUNS} of {N_RUNS} runs", said)
        self.assertRegex(self.said(), r"Remove worker .* processing: [1-9]")
        self.assertEqual(self.table("out"), self.here("--parquet"))
        print(f"# worker 2 of {N_WORKERS} killed in a batch; then: {said}")

    def test_that_go_away_leave_what_they_gave(self):
        scheduler = self.start_scheduler()
        for number in range(1, N_WORKERS + 1):
            self.start_worker(number)
        self.wait_for_workers()
        sweep = self.on_cluster("out")
        self.wait_for(lambda: self.n_done("out") >= N_RUNS // 4, "nothing came back")
        self.kill(scheduler)
        status, said, errors = self.result(sweep)
        self.assertEqual(status, 1, said + errors)
        self.assertIn("weir-sweep: the scheduler of the cluster is gone", errors)
        with open(self.path("out/summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertEqual((summary["complete"], summary["done"]), (False, self.n_done("out")))
        self.assertLess(summary["done"], N_RUNS)
        again = subprocess.run(self.sweep("out"), check=True, capture_output=True, text=True, cwd=self.folder).stdout
        self.assertIn(f"({N_RUNS - summary['done']} of them not known before)", again)
        self.assertEqual(self.table("out"), self.here())
        print(f"# scheduler killed after {summary['done']} of {N_RUNS} runs: {errors.strip().splitlines()[-1]}")

    def test_with_another_version_on_a_worker_are_refused(self):
        with open(self.path("other"), "w", encoding="utf-8") as file:
            file.write(OTHER_LAB)
        os.chmod(self.path("other"), 0o755)
        self.start_scheduler()
        self.start_worker(1)
        # `ip netns exec` has a view of the files of its own.
        self.start_worker(2, "sh", "-c", f'mount --bind {self.path("other")} {os.path.realpath(LAB)} && exec "$@"', "sh")
        self.wait_for_workers(2)
        status, said, errors = self.result(self.on_cluster("out"))
        self.assertEqual(status, 2, said + errors)
        self.assertRegex(errors, r"tcp://10\.77\.2\.2:\d+: .* is another build \(0\.0\.9, and .* is wanted\)")
        self.assertNotIn("10.77.1.2", errors)
        self.assertEqual(self.n_done("out"), 0)
        print(f"# {errors.strip().splitlines()[-1]}")


if __name__ == "__main__":
    tap.main()
