# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same calls of the controllers, and the same scenario and seed, give the same bytes, whatever compiler and optimisation
built them: TRACE_HASH and WEIR_LAB are one build, in CI of gcc, and another one is made of clang."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

BUILDS = [("clang", "2")]
FILES = ["result.json", "scenario.json", "flows.csv", "links.csv"]


def link(name, **fields):
    return {"name": name, "from": "A", "to": "B", "capacity_bps": 3000000, "delay_ms": 15,
            "queue": {"packets": 40}, **fields}


def flow(name, algorithm, back=False, **fields):
    ends = {"from": "B", "to": "A"} if back else {"from": "A", "to": "B"}
    return {"name": name, "algorithm": algorithm, **ends, **fields}


# Short, but with every part that computes: every TCP, RED, loss models, jitter, sources, RTCP formats.
SCENARIOS = {
    "tcp": {"duration_s": 20, "links": [link("l", queue={"discipline": "red", "packets": 60})],
            "flows": [flow(kind, "tcp-" + kind, back=i % 2 == 1, rtt_ms=40 + 30 * i)
                      for i, kind in enumerate(["reno", "newreno", "sack", "vegas", "westwood", "cubic"])]
            + [flow("web", "tcp-sack", source={"kind": "web"}),
               flow("bursts", "tcp-reno", source={"kind": "bursts"})]},
    "media": {"duration_s": 20, "links": [link("l", jitter_ms=10, jitter="rfc8868", loss={
        "model": "gilbert", "p_good_to_bad": 0.01, "p_bad_to_good": 0.3, "p_loss_good": 0,
        "p_loss_bad": 0.8})],
        "flows": [flow("call", "tfrc", tested=True, source={"kind": "encoder"},
                       playout_prebuffer_s=[0.05, 0.2]),
                  flow("lagging", "tfrc", back=True, source={"kind": "encoder", "lag_ms": 300, "lag_down_ms": 60,
                                                             "key_interval_s": 2, "on_s": 7, "off_s": 5}),
                  flow("linux", "tcp-cubic", tcp={"byte_counting": True, "initial_window_packets": 10}),
                  flow("twcc", "tfrc", back=True, feedback={"format": "twcc"}),
                  flow("rr", "tfrc", back=True, feedback={"format": "rr"}, source={"kind": "vbr"}),
                  flow("speech", "tfrc", packet_bytes=200, params={"sp": True},
                       source={"kind": "voip"}),
                  flow("reno", "tcp-reno")]},
    "links": {"duration_s": 20, "links": [
        link("l", queue={"discipline": "codel", "packets": 200},
             delay_schedule=[{"at_s": 5, "delay_ms": 40}, {"at_s": 12, "delay_ms": 10}]),
        {**link("m", queue={"discipline": "fq_codel", "packets": 100}), "from": "B", "to": "C"},
        {**link("n", aggregation={"access_ms": 3}, policer={"rate_bps": 2500000, "burst_bytes": 20000}),
         "from": "C", "to": "D"}, {**link("o", shaper={"rate_bps": 2e6, "burst_bytes": 9000}), "from": "D", "to": "E"},
        {"name": "p", "from": "E", "to": "F", "trace_ms": [4, 8, 9, 9, 15, 20]}],
        "flows": [dict(flow("sack", "tcp-sack", count=3, rtt_ms={"even": [200, 300]}), to="F"),
                  dict(flow("call", "tfrc", source={"kind": "encoder"}), to="F")]},
    "random": {"duration_s": 30, "measure": {"from_s": 5, "fair_bps": 500000},
               "links": [link("l", jitter_ms=5, reorder=0.01, duplicate=0.01,
                              loss={"model": "timed", "mean_s": 1, "variation": 0.7}),
                         dict(link("m", loss={"model": "bernoulli", "p": 0.02},
                                   schedule={"kind": "walk", "min_bps": 1000000, "max_bps": 5000000}),
                              **{"from": "B", "to": "C"})],
               "flows": [dict(flow("pareto", "udp", count=5, start_s={"uniform": [0, 5]},
                                   source={"kind": "pareto", "rate_bps": 400000}), to="C"),
                         dict(flow("tfrc", "tfrc", count=3, access_jitter_ms=4), to="C"),
                         flow("speech", "udp", source={"kind": "voip"})]},
}


def build(compiler, optimization, folder):
    """The programs of a build: trace_hash, weir-lab."""
    options = ["-Dgst=disabled", "-Dtests=false", "-Dbench=false", "--buildtype=plain",
               "-Doptimization=" + optimization]
    subprocess.run(["meson", "setup", *options, folder, str(ROOT)], check=True, capture_output=True,
                   env=dict(os.environ, CC=compiler))
    subprocess.run(["ninja", "-C", folder, "tools/lab/weir-lab", "lib/libweir-core.a"], check=True, capture_output=True)
    trace_hash = os.path.join(folder, "trace_hash")
    subprocess.run([compiler, "-std=c11", "-O" + optimization, "-ffp-contract=off", "-I", ROOT / "lib",
                    ROOT / "tests/conformance/trace_hash.c", os.path.join(folder, "lib/libweir-core.a"), "-lm", "-o",
                    trace_hash], check=True)
    return trace_hash, os.path.join(folder, "tools/lab/weir-lab")


def hashes(program):
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def digests(program, scenario, out):
    subprocess.run([program, "run", scenario, "--no-wall-time", "--json", "--out", out], check=True,
                   capture_output=True)
    return {name: hashlib.sha256(pathlib.Path(out, name).read_bytes()).hexdigest() for name in FILES}


class Builds(unittest.TestCase):
    """One test per scenario is made below."""

    @classmethod
    def setUpClass(cls):
        missing = [tool for tool in ["gcc", "clang", "meson", "ninja"] if shutil.which(tool) is None]
        if missing:
            raise unittest.SkipTest("not installed: " + ", ".join(missing))
        cls.folder = tempfile.TemporaryDirectory()
        cls.programs = {
            f"{compiler} -O{level}": build(compiler, level, os.path.join(cls.folder.name, compiler + level))
            for compiler, level in BUILDS}
        cls.programs["given"] = os.environ["TRACE_HASH"], os.environ["WEIR_LAB"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check_same(self, found):
        first = next(iter(found.values()))
        self.assertTrue(first)
        for label, what in found.items():
            self.assertEqual(what, first, label)

    def test_controllers_answer_the_same_everywhere_and_twice(self):
        self.check_same({f"{label}, run {turn}": hashes(trace_hash)
                         for label, (trace_hash, _) in self.programs.items() for turn in (1, 2)})

    def check_scenario(self, name):
        path = os.path.join(self.folder.name, name + ".json")
        pathlib.Path(path).write_text(json.dumps(SCENARIOS[name]))
        self.check_same({label: digests(weir_lab, path, os.path.join(self.folder.name, "out"))
                         for label, (_, weir_lab) in self.programs.items()})


def add_tests():
    for name in SCENARIOS:
        setattr(Builds, f"test_{name}_is_the_same_everywhere",
                lambda self, name=name: self.check_scenario(name))


if __name__ == "__main__":
    add_tests()
    tap.main()
