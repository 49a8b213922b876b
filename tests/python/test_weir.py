# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python package: it runs what weir-lab runs, with controllers in Python; what is wrong is raised."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = os.environ["WEIR_TREE"]
sys.path[:0] = [str(ROOT / "tests"), TREE, str(ROOT / "examples" / "python")]
import tap  # noqa: E402

MISSING = None if importlib.util.find_spec("cffi") else "needs cffi: tools/setup test, or apt-get install python3-cffi python3-dev"
if not MISSING:
    subprocess.run([ROOT / "tools" / "wheel", "--tree", TREE], check=True)
    import weir


def call(algorithm=None, **options):
    return weir.run("call", algorithm, **{"duration_s": 20, **options})


@unittest.skipIf(MISSING, MISSING)
class Package(unittest.TestCase):
    def test_gives_what_the_program_gives(self):
        for seed in (1, 2):
            done = subprocess.run([os.environ["WEIR_LAB"], "run", "call", "--duration", "20", "--json", "--no-wall-time",
                                   "--seed", str(seed), "--algorithm", "tfrc", "--param", "veno=true"],
                                  check=True, capture_output=True, text=True)
            self.assertEqual(call("tfrc", seed=seed, params={"veno": True}).json, json.loads(done.stdout))

    def test_has_time_series_with_variables(self):
        result = call("tfrc", variables=["loss_event_rate"])
        self.assertIn("loss_event_rate", result.flow_series.columns)
        self.assertEqual(set(result.flow_series["flow"]), set(result.flows["name"]))
        self.assertIsNone(call().flow_series)
        self.assertEqual(list(result.links["name"]), list(result.link_series["link"].unique()))

    def test_takes_a_scenario_as_a_dictionary(self):
        scenario = {"duration_s": 10, "links": [{"name": "l", "from": "a", "to": "b", "capacity_bps": 1e6}],
                    "flows": [{"name": "f", "from": "a", "to": "b", "algorithm": "udp",
                               "source": {"kind": "cbr", "rate_bps": 500000}}]}
        goodput_bps = weir.run(scenario, sets={"flows.f.source.rate_bps": 250000}).flows["goodput_bps"][0]
        self.assertTrue(225_000 < goodput_bps < 255_000)

    def test_says_what_is_wrong(self):
        for options, word in (({"scenario": "nope"}, "nope"), ({"scenario": "call", "algorithm": "nix"}, "nix"),
                              ({"scenario": "call", "seed": -1}, "whole number"),
                              ({"scenario": "call", "variables": ["mood"]}, "mood"),
                              ({"scenario": "call", "params": {"x": 1}}, "x"), ({"scenario": {}}, "duration_s")):
            with self.assertRaisesRegex(weir.LabError, word):
                weir.run(**options)


@unittest.skipIf(MISSING, MISSING)
class Controllers(unittest.TestCase):
    def test_are_heard_like_those_of_the_library(self):
        class Constant(weir.Controller):
            name = "constant"

            def __init__(self, config, params):
                self.rate_bps = config.limits.start_bps

            def control(self):
                return self.rate_bps

        ours, theirs = call(Constant).json, call("fixed").json
        self.assertEqual(ours, call(Constant).json)
        ours_bps, theirs_bps = (result["flows"][0]["sent_bps"] for result in (ours, theirs))
        self.assertAlmostEqual(ours_bps / theirs_bps, 1, delta=0.02)  # which needs no feedback on packets

    def test_have_parameters_and_variables(self):
        class Half(weir.Controller):
            name = "half"
            parameters = {"share": weir.Parameter(0.5, 0.0, 1.0, "Of the start rate")}

            def __init__(self, config, params):
                self.rate_bps = params["share"] * config.limits.start_bps

            def control(self):
                return weir.Control(self.rate_bps, window_bytes=50_000)

            def variables(self):
                return {"rate_bps": self.rate_bps}

        self.assertEqual(call(Half, params={"share": 0.25}).json["flows"][0]["variables"]["rate_bps"] * 4,
                         call(Half, params={"share": 1.0}).json["flows"][0]["variables"]["rate_bps"])
        with self.assertRaisesRegex(weir.LabError, "share.*0 to 1"):
            call(Half, params={"share": 2})

    def test_see_what_happens_on_the_path(self):
        seen = []

        class Watcher(weir.Controller):
            name, needs_arrivals = "watcher", True

            def on_packet_sent(self, path, packet):
                seen.append(("sent", packet.seq))

            def on_feedback(self, path, packets, now_ns):
                seen.append(("heard", packets[-1].seq, path.rtt.has_sample))

            def control(self):
                return 200_000

        call(Watcher)
        sent = [row[1] for row in seen if row[0] == "sent"]
        self.assertEqual(sent, list(range(len(sent))))
        self.assertTrue(any(row[0] == "heard" and row[2] for row in seen))

    def test_leave_nothing_of_the_answer_before(self):
        class Still(weir.Controller):
            name = "still"

            def control(self):
                return 100_000

        controller, ffi = weir.controller, weir.controller.ffi
        table, keep = controller.make_table(Still)
        control = ffi.new("struct weir_control *", {"state": 8, "probe_bytes": 1200, "window_bytes": 3000})
        controller.errors.clear()
        controller.alive[0] = Still(None, {})
        table.get_output(ffi.new("uint64_t *"), control)
        self.assertEqual((control.rate_bps, control.state, control.probe_bytes), (100_000, 0, 0))
        self.assertEqual(control.window_bytes, controller.lib.WEIR_UNLIMITED_BYTES)
        self.assertTrue(keep)

    def test_that_fail_end_the_run_and_no_other(self):
        class Nonsense(weir.Controller):
            name = "nonsense"

            def control(self):
                return answer

        class Breaks(weir.Controller):
            name = "breaks"

            def on_feedback(self, path, packets, now_ns):
                raise KeyError("mine")

            def control(self):
                return 100_000

        for answer in (float("nan"), float("inf"), -1):
            with self.assertRaisesRegex(ValueError, f"nonsense: control.*{answer}.*0 or more"):
                call(Nonsense)
        with self.assertRaisesRegex(KeyError, "mine"):
            call(Breaks)
        self.assertTrue(call("sluice").json["complete"])

    def test_with_a_name_that_is_taken_or_wrong_are_refused(self):
        for name, word in (("tfrc", "already"), ("My Own", "lower case"), (None, "string")):
            with self.assertRaisesRegex((ValueError, TypeError), word):
                call(type("Named", (weir.Controller,), {"name": name, "control": lambda self: 1}))


@unittest.skipIf(MISSING, MISSING)
class Examples(unittest.TestCase):
    def test_aimd_takes_part(self):
        import aimd
        flows = weir.run("call", aimd.Aimd, duration_s=60).flows.set_index("name")
        self.assertGreater(flows.goodput_bps["call"], 300_000)
        self.assertGreater(flows.goodput_bps["download"], 100_000)

    def test_aimd_answers_what_the_same_rule_in_c_answers(self):
        """To the bit, with losses alone and with marks."""
        import aimd
        import pandas
        for scenario in ("call", "ecn"):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([os.environ["WEIR_LAB"], "run", scenario, "--plugin", os.environ["WEIR_EXAMPLE"], "--algorithm",
                                "example", "--duration", "60", "--out", folder], check=True, stdout=subprocess.DEVNULL)
                in_c = pandas.read_csv(f"{folder}/flows.csv")
            result = weir.run(scenario, aimd.Aimd, duration_s=60, series=True)
            pandas.testing.assert_frame_equal(result.flow_series, in_c, check_exact=True)
            self.assertGreater(result.json["flows"][0].get("marked_packets", in_c.lost_packets.sum()), 10)

    def test_the_notebook_runs(self):
        import matplotlib
        matplotlib.use("agg")
        with open(ROOT / "examples" / "python" / "first_steps.ipynb", encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        known = {}
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), known)  # pylint: disable=exec-used
        self.assertGreater(len(known["result"].flow_series), 100)
        shown = [kind for cell in cells for output in cell.get("outputs", ()) for kind in output.get("data", ())]
        self.assertEqual((shown.count("image/png"), shown.count("text/html")), (1, 2))


class Wheel(unittest.TestCase):
    @unittest.skipIf(MISSING, MISSING)
    @unittest.skipUnless(importlib.util.find_spec("wheel"), "needs wheel: apt-get install python3-wheel")
    @unittest.skipUnless(importlib.util.find_spec("ensurepip"), "needs venv: apt-get install python3-venv")
    def test_is_all_that_the_example_needs(self):
        with tempfile.TemporaryDirectory() as folder:
            venv = pathlib.Path(folder, "venv")
            subprocess.run([ROOT / "tools" / "wheel", folder], check=True, capture_output=True)
            wheel, = pathlib.Path(folder).glob("weirlab-*.whl")
            # With the system's cffi, pandas and matplotlib, as without a network.
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", venv], check=True)
            subprocess.run([venv / "bin" / "pip", "install", "-q", "--no-deps", "--no-index", wheel], check=True)
            environment = {**os.environ, "PATH": f"{os.path.dirname(os.environ['WEIR_LAB'])}:{os.environ['PATH']}"}
            environment.pop("PYTHONPATH", None)

            def python(*words):
                return subprocess.run([venv / "bin" / "python", *words], check=True, capture_output=True, text=True,
                                      cwd=folder, env=environment).stdout

            self.assertTrue(python("-c", "import weir; print(weir.__file__)").startswith(str(venv)))
            self.assertRegex(python(ROOT / "examples" / "python" / "aimd.py", "aimd.png", os.environ["WEIR_EXAMPLE"]),
                             r"call +aimd +\d{6}")
            self.assertEqual(pathlib.Path(folder, "aimd.png").read_bytes()[:4], b"\x89PNG")
            version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
            self.assertTrue(pathlib.Path(folder, f"weirlab-{version}.tar.gz").exists())

    def test_says_what_it_needs(self):
        with tempfile.TemporaryDirectory() as folder:
            for module in ("cffi", "setuptools"):
                pathlib.Path(folder, module + ".py").write_text("raise ImportError", encoding="utf-8")
                done = subprocess.run([ROOT / "tools" / "wheel", "--tree", folder], env={**os.environ, "PYTHONPATH": folder},
                                      check=False, capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, rf"^tools/wheel: {module} is missing from \S+: apt-get install python3-{module}\n$")
                os.remove(os.path.join(folder, module + ".py"))


if __name__ == "__main__":
    tap.main()
