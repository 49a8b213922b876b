# SPDX-License-Identifier: LGPL-2.1-or-later
"""tools/fuzz: corpora are read as they were written, and no finding is left out of the report."""
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]
import run_fuzz  # noqa: E402
import tap  # noqa: E402

LOG = """#5\tINITED cov: 70 ft: 80 corp: 4/9b exec/s: 0 rss: 30Mb
#9\tNEW    cov: 75 ft: 91 corp: 5/12b lim: 4 exec/s: 0 rss: 30Mb L: 3/3 MS: 1 CopyPart-
stat::number_of_executed_units: 1234
"""


class Corpus(unittest.TestCase):
    def test_what_is_written_is_read(self):
        inputs = {b"\x01\x02": "", b"": "empty", b"\xff": "", b"\x00" * 9: "a_former_finding"}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.hex"
            run_fuzz.write_corpus(path, inputs)
            self.assertEqual(run_fuzz.read_corpus(path), inputs)
            self.assertEqual(path.read_text().splitlines()[2:], ["ff", "0102"])

    def test_each_target_has_a_corpus_and_each_corpus_a_target(self):
        corpora = {path.stem for path in (ROOT / "tests/fuzz/corpora").iterdir()}
        self.assertEqual(corpora, set(run_fuzz.targets()) - set(run_fuzz.PYTHON_TARGETS))

    def test_corpora_are_large_and_their_inputs_small(self):
        for path in (ROOT / "tests/fuzz/corpora").glob("*.hex"):
            inputs = run_fuzz.read_corpus(path)
            least = {"session": 1000}.get(path.stem, 300 if path.stem.startswith("codec_") else 1)
            self.assertGreaterEqual(len(inputs), least, path.stem)
            self.assertLessEqual(max(map(len, inputs)), 4096, path.stem)


class Report(unittest.TestCase):
    def test_a_log_gives_executions_and_coverage(self):
        result = run_fuzz.read_log(run_fuzz.Result("x"), LOG)
        self.assertEqual((result.executions, result.coverage), (1234, (70, 75)))
        crashed = run_fuzz.read_log(run_fuzz.Result("x"), LOG.partition("stat")[0] + "==1==ERROR\n")
        self.assertEqual(crashed.executions, 9)

    def test_a_finding_comes_with_its_command(self):
        self.assertEqual(run_fuzz.repeat_command("session (AFL++)", b"\x0a\xff"), "tools/fuzz --target session --input 0aff")
        self.assertEqual(run_fuzz.repeat_command("params", b""), "tools/fuzz --target params --input -")
        self.assertEqual(run_fuzz.repeat_command("trace_readers", "17"), "tools/fuzz --target trace_readers --input 17")


if __name__ == "__main__":
    os.chdir(ROOT)
    tap.main()
