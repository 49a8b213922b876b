# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program that races against the kernel's TCP: its figures, its words, and what it says where it cannot run."""
import contextlib
import io
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import arithmetic  # noqa: E402
import kernel_tcp  # noqa: E402
import kernel_tcp_page as page  # noqa: E402
import needs  # noqa: E402
import race  # noqa: E402
import tap  # noqa: E402

NO_MEDIA = needs.missing_media() if "python3-gi" in (needs.missing_media() or "") else None
A_RACE = race.Race("tfrc", "cubic", 4_000_000, 40)


def counters(offered, delivered_bytes, dropped):
    return {"offered_packets": offered, "delivered_bytes": delivered_bytes, "dropped_packets": dropped}


def link_line(time_s, tcp, udp, late_ms=0.1):
    return {"time_s": time_s, "forward": {"tcp": counters(*tcp), "udp": counters(*udp), "late_ms_p99": late_ms}}


LINES = [link_line(10.0, (100, 1_000_000, 5), (200, 500_000, 1)), link_line(15.0, (9, 9, 9), (9, 9, 9)),
         link_line(20.0, (1100, 4_000_000, 15), (1200, 2_500_000, 3))]


class Figures(unittest.TestCase):
    def test_shares_and_losses_are_of_the_time_measured(self):
        result = race.judge(A_RACE, LINES, [10.0, 20.0], [{"late_ms": 2.0}, {"late_ms": 1.0}])
        self.assertEqual((result.media_bps, result.tcp_bps), (1_600_000, 2_400_000))
        self.assertAlmostEqual(result.share, 0.4)
        self.assertAlmostEqual(result.utilisation, 1.0)
        self.assertAlmostEqual(result.media_loss, 2 / 1000)
        self.assertAlmostEqual(result.loss, 12 / 2000)
        self.assertEqual(result.source_late_ms, 2.0)

    def test_who_runs_alone_has_no_share(self):
        alone = race.judge(A_RACE._replace(tcp=None), LINES, [1.0], [])
        self.assertIsNone(alone.share)
        self.assertIsNotNone(alone.media_loss)
        tcp = race.judge(A_RACE._replace(algorithm=None), LINES, [1.0], [])
        self.assertEqual((tcp.share, tcp.media_loss, tcp.source_late_ms), (None, None, None))

    def test_quantiles_are_values_that_occurred(self):
        values = [5.0, 1.0, 4.0, 2.0, 3.0]
        for q, wanted in ((0.0, 1.0), (0.2, 1.0), (0.5, 3.0), (0.95, 5.0), (1.0, 5.0)):
            self.assertEqual(arithmetic.quantile(values, q), wanted, q)
        self.assertEqual(arithmetic.quantile([7.0], 0.5), 7.0)

    def test_the_queue_is_read_from_the_time_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "link.csv")
            pathlib.Path(path).write_text("time_s,queue_ms\n1.0,5\n2.0,6\n2.5,\n3.0,7\n4.0,8\n")
            self.assertEqual(race.read_queue_ms(path, 2.0, 3.0), [6.0, 7.0])

    @unittest.skipIf(NO_MEDIA, NO_MEDIA)
    def test_the_source_makes_what_the_target_asks_for(self):
        import media
        source, total = media.Source(), 0
        for _ in range(300):
            packets = source.frame(1_000_001)
            self.assertEqual([packet[1] >> 7 for packet in packets], [0] * (len(packets) - 1) + [1])
            self.assertTrue(all(12 < len(packet) <= 12 + media.PAYLOAD_BYTES for packet in packets))
            total += sum(len(packet) - 12 for packet in packets)
        self.assertLess(abs(8 * total - 10_000_010), 9)
        self.assertEqual(source.made_bytes, total)


class Words(unittest.TestCase):
    RESULT = race.Result(1_600_000, 2_400_000, 0.4, 1.0, 100.4, 149.0, 0.002, 0.006, 0.1, 3.0)
    ABOUT = {"day": "2 January 2026", "linux": "6.1", "processors": 2, "loads": [0.1, 1.5], "jobs": 4, "measure_s": 60.0, "took_s": 1200}

    def test_the_table_has_a_row_per_race_also_for_those_that_failed(self):
        results = {A_RACE: self.RESULT, A_RACE._replace(tcp="bbr"): "iperf3 ended early"}
        rows = page.table(results).split("\n")
        self.assertIn("| 4 | 40 ms | tfrc | cubic | 40 % | 1.60 | 2.40 | 100 % | 100 ms | 149 ms | 0.20 % | 0.60 % |", rows)
        self.assertTrue(rows[3].startswith("| 4 | 40 ms | tfrc | bbr | FAILED: iperf3 ended early"))
        self.assertEqual({row.count("|") for row in rows}, {13})
        self.assertIn("1 failed", page.closing(results, self.ABOUT))

    def test_the_summary_is_the_mean_of_what_did_not_fail(self):
        results = {A_RACE: self.RESULT, A_RACE._replace(rtt_ms=100): self.RESULT._replace(share=0.6),
                   A_RACE._replace(tcp="bbr", algorithm="arc"): self.RESULT, A_RACE._replace(rtt_ms=10): "no"}
        self.assertEqual(page.summary(results).split("\n"), ["| mean share against | cubic | bbr |", "|---|---|---|",
                                                             "| tfrc | 50 % |  |", "| arc |  | 40 % |"])

    def test_results_are_saved_whole(self):
        results = {A_RACE: self.RESULT, A_RACE._replace(algorithm="warc"): "no"}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            kernel_tcp.save(path, results, self.ABOUT)
            self.assertEqual(kernel_tcp.load(path), (results, self.ABOUT))

    def test_the_page_comes_with_its_picture(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        if NO_MEDIA:
            self.skipTest(NO_MEDIA)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel-tcp.md")
            page.write(path, {A_RACE: self.RESULT}, self.ABOUT)
            text = pathlib.Path(path).read_text()
            self.assertIn("![Shares](kernel-tcp.png)", text)
            self.assertIn("\nMeasured on 2 January 2026. Linux 6.1, 2 processors", text)
            self.assertEqual((pathlib.Path(folder) / "kernel-tcp.png").read_bytes()[1:4], b"PNG")

    def test_the_full_set_is_54_races(self):
        races = kernel_tcp.all_races(kernel_tcp.parse_arguments(["--full"]))
        self.assertEqual(len(set(races)), 54)
        self.assertEqual(len(kernel_tcp.all_races(kernel_tcp.parse_arguments([]))), 9)

    def test_wrong_lines_are_answered_with_the_range(self):
        for words, text in ((["--measure", "1"], "5 to 3600"), (["--jobs", "0"], "1 to 16"), (["--capacity", "x"], "--capacity"),
                            (["--capacity", "200"], "0.2 to 100"), (["--rtt", "1"], "2 to 2000"), (["--fly"], "--fly")):
            said = io.StringIO()
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(said):
                kernel_tcp.parse_arguments(words)
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(text, said.getvalue())


class Skips(unittest.TestCase):
    """Where the machine lacks something, that is said, and the status is 77."""

    def program(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "weir-link"
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_what_weir_link_lacks_is_told_in_its_words(self):
        self.assertEqual(needs.missing_link(None), "weir-link is not built")
        if needs.missing_link(self.program("exit 0")) is None:
            refusing = self.program("echo 'weir-link: needs root: no' >&2; exit 77")
            self.assertEqual(needs.missing_link(refusing), "weir-link: needs root: no")
            self.assertEqual(needs.missing_link(self.program("exit 3")), "weir-link: status 3")

    def test_what_the_kernel_lacks_is_named(self):
        if needs.missing_tcp([], available=[]):
            self.skipTest(needs.missing_tcp([], available=[]))
        self.assertIsNone(needs.missing_tcp(["reno"], available=["reno", "cubic"]))
        self.assertIn("no TCP bbr (modprobe tcp_bbr)", needs.missing_tcp(["reno", "bbr"], available=["reno"]))

    def run_with(self, weir_link, **options):
        return subprocess.run([sys.executable, str(HERE / "kernel_tcp.py")], capture_output=True, text=True,
                              env=dict(os.environ, WEIR_LINK=weir_link), **options)

    def test_the_program_skips_with_the_reason(self):
        result = self.run_with(self.program("echo 'weir-link: needs root: no' >&2; exit 77"))
        self.assertEqual((result.returncode, result.stdout), (77, ""))
        self.assertIn("SKIP: ", result.stderr)

    def test_the_live_test_skips_with_the_reason(self):
        result = subprocess.run([sys.executable, str(HERE / "test_netns.py")], capture_output=True, text=True,
                                env=dict(os.environ, WEIR_LINK=self.program("echo 'weir-link: needs root: no' >&2; exit 77")))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("# SKIP ", result.stdout)
        self.assertNotIn("not ok", result.stdout)


if __name__ == "__main__":
    tap.main()
