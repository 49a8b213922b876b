# SPDX-License-Identifier: LGPL-2.1-or-later
"""An algorithm in a shared object runs in weir-lab and in weirsend; one that is wrong is named, and harms
nothing else."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

PLUGINS, LAB = pathlib.Path(os.environ["PLUGINS"]), os.environ["WEIR_LAB"]


def lab(*words, **environment):
    return subprocess.run([LAB, *words], capture_output=True, text=True, env=dict(os.environ, **environment))


def run_call(plugin, algorithm):
    return lab("run", "call", "--duration", "20", "--json", "--no-wall-time", "--plugin", PLUGINS / plugin,
               "--algorithm", algorithm)


class Lab(unittest.TestCase):
    def test_runs_the_algorithm_of_a_plugin(self):
        done = run_call("example.so", "example")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        call = json.loads(done.stdout)["flows"][0]
        self.assertEqual(call["algorithm"], "example")
        self.assertGreater(call["goodput_bps"], 100_000)

    def test_lists_it_with_its_parameters(self):
        done = lab("list", "params", "example", "--plugin", PLUGINS / "example.so")
        self.assertIn("increase", done.stdout)

    def test_takes_plugins_from_the_environment(self):
        done = lab("list", "algorithms", WEIR_PLUGIN_PATH=str(PLUGINS / "example.so"))
        self.assertIn("example", done.stdout)

    def test_refuses_what_is_no_plugin_for_it(self):
        for plugin, word in (("broken-version.so", "version 2"), ("broken-symbol.so", "weir_plugin")):
            done = run_call(plugin, "broken")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"^weir-lab: .*{plugin}: .*{word}.*\n$")

    def test_names_the_plugin_when_a_run_crashes(self):
        done = run_call("broken-crashes.so", "broken")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^weir-lab: the run crashed with algorithms of .*broken-crashes.so\n$")

    def test_ends_a_run_with_an_impossible_answer_and_names_the_algorithm(self):
        done = run_call("broken-nonsense.so", "broken")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^weir-lab: flow 'call', after \d\.\d+ s: broken answered rate_bps = -9223372036854775808; "
                                      r"it must be 0 or more \(.*NaN\)\n$")

    def test_of_a_sweep_that_fails_leaves_the_other_runs(self):
        for plugin, word in (("broken-crashes.so", "crashed"), ("broken-nonsense.so", "broken answered rate_bps")):
            with tempfile.TemporaryDirectory() as folder:
                sweep = pathlib.Path(folder, "s.json")
                sweep.write_text(json.dumps({"seeds": 2, "scenario": "call", "duration_s": 5, "runs": [
                    {"name": "calls", "algorithms": ["broken", "example", "sluice"]}]}), encoding="utf-8")
                done = subprocess.run([ROOT / "tools" / "weir-sweep", sweep, "--lab", LAB, "--out", f"{folder}/out"],
                                      capture_output=True, text=True, check=False,
                                      env={**os.environ, "WEIR_PLUGIN_PATH": f"{PLUGINS / plugin}:{PLUGINS / 'example.so'}"})
                self.assertEqual(done.returncode, 1, done.stderr)
                summary = json.loads(pathlib.Path(folder, "out", "summary.json").read_text(encoding="utf-8"))
                self.assertEqual((summary["done"], len(summary["failed"])), (4, 1))
                self.assertIn(word, summary["failed"][0]["why"])
                with open(f"{folder}/out/flows.csv", encoding="utf-8") as file:
                    tested = [row["algorithm"] for row in csv.DictReader(file) if row["tested"] == "true"]
                self.assertEqual(sorted(tested), ["example", "example", "sluice", "sluice"])


@unittest.skipUnless(os.environ["GST_PLUGIN_PATH"], "there is no GStreamer plugin")
class Element(unittest.TestCase):
    LINE = ("gst-launch-1.0 -q fakesrc num-buffers=30 sizetype=fixed sizemax=500 ! "
            "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96 ! "
            "weirsend algorithm={} ! fakesink")

    def launch(self, plugins, algorithm):
        env = dict(os.environ, WEIR_PLUGIN_PATH=plugins)
        return subprocess.run(self.LINE.format(algorithm).split(), capture_output=True, text=True, env=env, timeout=60)

    def test_has_the_algorithm_of_a_plugin(self):
        done = self.launch(str(PLUGINS / "example.so"), "example")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotEqual(self.launch("", "example").returncode, 0)

    def test_warns_of_what_it_cannot_load_and_goes_on(self):
        done = self.launch(str(PLUGINS / "broken-version.so"), "sluice")
        self.assertEqual(done.returncode, 0)
        self.assertIn("broken-version.so: made for version 2", done.stderr)


if __name__ == "__main__":
    tap.main()
