# SPDX-License-Identifier: LGPL-2.1-or-later
"""An algorithm in a shared object runs in weir-lab and in weirsend; one that is wrong is named, and harms
nothing else."""
import json
import os
import pathlib
import subprocess
import sys
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

    def test_answers_out_of_any_range_are_held_within_the_limits(self):
        done = run_call("broken-nonsense.so", "broken")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(json.loads(done.stdout)["flows"][0]["goodput_bps"], 1000)  # the least that it may be


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
