# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-sweep --parquet: the rows of flows.csv in parts, which resume and which no other sweep touches."""
import contextlib
import io
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_sweep  # noqa: E402
from test_sweep import SWEEP  # noqa: E402
import tap  # noqa: E402
from sweep import main, parquet  # noqa: E402

try:
    import pyarrow
    import pyarrow.parquet
    MISSING = None
except ImportError as why:
    MISSING = f"needs pyarrow: tools/setup sweep ({why})"
TWO = {**SWEEP, "seeds": 3, "runs": [{**SWEEP["runs"][0], "name": "a/b"}, {"name": "alone", "scenario": "call"}]}
N_RUNS, ROWS_PER_RUN = 15, 2


class Case(test_sweep.Case):
    """Parts of four runs: 3 + 1 of them. In this process, so that their size can be set."""

    def large(self, content, *args, status=0, **environment):
        errors = io.StringIO()
        with unittest.mock.patch.object(parquet, "RUNS_PER_PART", 4), contextlib.redirect_stdout(errors), \
                contextlib.redirect_stderr(errors), unittest.mock.patch.dict(os.environ, environment):
            self.assertEqual(main.main(self.command(content, "--parquet", *args)[2:]), status, errors.getvalue())
        return errors.getvalue()

    def files(self, out="out"):
        return {str(path.relative_to(self.path(out))): path.read_bytes()
                for path in sorted(pathlib.Path(self.path(out)).glob("flows/**/*.parquet"))}

    def part(self, number, run="alone"):
        return self.path(f"out/flows/run={run}/part-{number:05}.parquet")


@unittest.skipIf(MISSING, MISSING)
class Parts(Case):
    def test_have_the_rows_of_flows_csv(self):
        self.large(TWO)
        self.run_it(TWO, "--out", self.path("csv"))
        large = pyarrow.parquet.read_table(self.path("out/flows")).to_pylist()
        plain = self.rows("csv")
        self.assertEqual((len(large), len(plain)), (N_RUNS * ROWS_PER_RUN, N_RUNS * ROWS_PER_RUN))
        for mine, row in zip(large, plain):
            for name, text in row.items():
                value = mine[name]
                if isinstance(value, (bool, int, float)):
                    self.assertEqual(value, json.loads(text), name)
                else:
                    self.assertEqual(value or "", text, name)
        self.assertEqual([row["number"] for row in large if row["run"] == "alone"], [0, 0, 1, 1, 2, 2])
        self.assertEqual(self.summary()["done"], N_RUNS)

    def test_have_the_same_names_and_types(self):
        self.large({**TWO, "runs": [{**TWO["runs"][0], "set": {"vars.rtt_ms": [10, 50], "vars.x": ["text", 1, None]}}]})
        schemas = [pyarrow.parquet.read_schema(io.BytesIO(data)).remove_metadata() for data in self.files().values()]
        self.assertEqual((len(schemas), len(set(schemas))), (9, 1))
        kinds = {field.name: str(field.type) for field in schemas[0]}
        self.assertEqual([kinds[name] for name in ("number", "seed", "tested", "set:vars.rtt_ms", "set:vars.x",
                                                   "delay_ms_p50", "goodput_bps", "link")],
                         ["int64", "int64", "bool", "double", "string", "double", "double", "string"])

    def test_are_the_same_bytes_for_any_number_of_jobs(self):
        self.large(TWO, "--jobs", "1")
        self.large(TWO, "--jobs", "5", "--out", self.path("five"), FAKE_SLEEP="0.05")
        self.assertEqual(list(self.files()), [f"flows/run=a%2Fb/part-{n:05}.parquet" for n in range(3)]
                         + ["flows/run=alone/part-00000.parquet"])
        self.assertEqual(self.files(), self.files("five"))

    @unittest.skipIf(test_sweep.distributed is None, "no Dask here")
    def test_are_the_same_bytes_on_a_cluster(self):
        self.run_it(TWO, "--parquet")
        with test_sweep.local_cluster() as cluster:
            self.run_it(TWO, "--parquet", "--cluster", cluster.scheduler_address, "--out", self.path("there"))
        self.assertTrue(self.files())
        self.assertEqual(self.files(), self.files("there"))

    def test_that_are_whole_are_not_made_again(self):
        self.large(TWO)
        self.assertIn(f"{N_RUNS} of {N_RUNS} runs (0 of them not known before)", self.large(TWO))
        self.assertEqual(self.runs(), N_RUNS)

    def test_of_a_run_added_later_leave_the_others(self):
        self.large(TWO)
        self.large({**TWO, "runs": [*TWO["runs"], {"name": "more", "scenario": "call"}]})
        self.assertEqual(self.runs(), N_RUNS + 3)

    def test_with_runs_that_failed_get_them_later(self):
        self.assertIn("failed: a/b, tfrc: out of memory", self.large(TWO, status=1, FAKE_FAIL="1"))
        self.assertEqual((self.summary()["done"], len(self.files())), (10, 4))
        self.assertIn("5 of them not known", self.large(TWO))
        again = self.files()
        self.large(TWO, "--out", self.path("fresh"))
        self.assertEqual(again, self.files("fresh"))

    def test_after_an_interrupt_go_on_where_they_ended(self):
        process = subprocess.Popen(self.command(TWO, "--parquet", "--jobs", "2"), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "FAKE_SLEEP": "0.3"})
        end_s = time.monotonic() + 60
        while self.runs() < 7 and time.monotonic() < end_s:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 130)
        done = self.summary()["done"]
        self.assertIn(done, range(1, N_RUNS))
        run = subprocess.run(self.command(TWO, "--parquet"), check=True, capture_output=True, text=True)
        self.assertIn(f"({N_RUNS - done} of them not known before)", run.stdout)
        again = self.files()
        subprocess.run(self.command(TWO, "--parquet", "--out", self.path("fresh")), check=True, capture_output=True)
        self.assertEqual(again, self.files("fresh"))

    def test_hold_no_more_than_what_is_under_way(self):
        most = 0
        ended = parquet.Table.ended

        def watched(table, task, outcome):
            nonlocal most
            most = max(most, sum(len(part.rows) for part in table.open))
            ended(table, task, outcome)

        with unittest.mock.patch.object(parquet.Table, "ended", watched):
            self.large({**TWO, "seeds": 12}, "--jobs", "1")
        self.assertLessEqual(most, 3 * 4 * ROWS_PER_RUN)


@unittest.skipIf(MISSING, MISSING)
class Refusals(Case):
    def refuses(self, text, content=TWO, status=2):
        n_runs, files = self.runs(), self.files()
        said = self.large(content, status=status)
        self.assertIn(text, said)
        self.assertEqual((self.runs(), self.files()), (n_runs, files))

    def test_of_files_of_others_touch_nothing(self):
        self.large(TWO)
        whole = pathlib.Path(self.part(0)).read_bytes()
        table = pyarrow.parquet.read_table(self.part(0), partitioning=None)
        for about, text in (({}, "has version none of weir-sweep's table, and this writes 1"),
                            ({"weir.table": "2"}, "has version 2 of weir-sweep's table"),
                            ({**table.schema.metadata, b"weir.part": b"x"}, "is of another sweep or build (weir-lab 1.2.3)")):
            with self.subTest(text=text):
                pyarrow.parquet.write_table(table.replace_schema_metadata(about), self.part(0))
                self.refuses(f"{self.part(0)} {text}")
        pathlib.Path(self.part(0)).write_text("no Parquet", encoding="utf-8")
        self.refuses("is no Parquet file")
        pathlib.Path(self.part(0)).write_bytes(whole[:-40])
        self.refuses("is no Parquet file")
        pathlib.Path(self.part(0)).write_bytes(whole)
        self.refuses("part-00001.parquet is no part of this sweep", {**TWO, "runs": [
            {**TWO["runs"][0], "algorithms": ["tfrc"], "set": {}}, TWO["runs"][1]]})
        self.refuses("is of another sweep", {**TWO, "duration_s": 7})

    def test_of_a_folder_that_cannot_be_written(self):
        pathlib.Path(self.path("out")).write_text("a file", encoding="utf-8")
        self.refuses("out/flows: Not a directory", status=1)

    def test_of_a_disk_that_takes_no_more(self):
        process = subprocess.run(self.command(TWO, "--parquet"), capture_output=True, text=True, check=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stderr, r"^weir-sweep: \S+/part-00000.parquet: File too large\n$")
        self.assertEqual(list(pathlib.Path(self.path("out")).rglob("*.new")), [])

    def test_of_a_run_that_the_lab_refuses(self):
        self.refuses("runs.wrong: ", {"runs": [{"name": "wrong", "scenario": "call", "set": {"vars.wrong": 1}}]})

    def test_of_series(self):
        self.refuses("series = true: --parquet keeps no time series", {**TWO, "series": True})


class Missing(Case):
    def test_pyarrow_is_named(self):
        os.mkdir(self.path("blocked"))
        with open(self.path("blocked/pyarrow.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError('none here')\n")
        done = self.run_it(TWO, "--parquet", status=2, PYTHONPATH=self.path("blocked"))
        self.assertEqual(done.stderr, "weir-sweep: --parquet needs pyarrow: pip install pyarrow (none here)\n")


if __name__ == "__main__":
    tap.main()
