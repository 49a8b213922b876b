# SPDX-License-Identifier: LGPL-2.1-or-later
"""A live weirsend against the kernel's TCP, and alone, over real packets: nobody starves, and nothing is left behind."""
import concurrent.futures
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import link  # noqa: E402
import needs  # noqa: E402
import programs  # noqa: E402
import race  # noqa: E402
import tap  # noqa: E402

PROGRAM = os.environ.get("WEIR_LINK")
MISSING = needs.missing_link(PROGRAM) or needs.missing_tcp(["cubic"]) or needs.missing_media()
START_S, MEASURE_S = 6, 12
# The bounds below leave room for a machine that has other work; not for one that stands still.
MOST_LATE_MS, MOST_SOURCE_LATE_MS = 5, 250
AGAINST = race.Race("tfrc", "cubic", 4_000_000, 40)
ALONE = race.Race("tfrc", None, 4_000_000, 40)


def spaces_left():
    """Of the weir-links that this process has started."""
    return [name for started in link.Link.started for name in (f"weir-{started.process.pid}-a", f"weir-{started.process.pid}-b")
            if pathlib.Path("/run/netns", name).exists()]


@unittest.skipIf(MISSING, MISSING)
class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            futures = [pool.submit(race.run, a_race, PROGRAM, MEASURE_S, START_S) for a_race in (AGAINST, ALONE)]
            cls.against, cls.alone = (future.result() for future in futures)
        print(f"# against cubic: {cls.against}\n# alone: {cls.alone}")

    def judged(self):
        """Both, if the machine had time for them."""
        both = self.against, self.alone
        late_ms = max(result.late_p99_ms for result in both), max(result.source_late_ms for result in both)
        if late_ms[0] > MOST_LATE_MS or late_ms[1] > MOST_SOURCE_LATE_MS:
            self.skipTest("the machine was busy: packets were up to {:.0f} ms late, frames {:.0f} ms".format(*late_ms))
        return both

    def test_the_link_carries_what_it_should(self):
        for result, least in zip(self.judged(), (0.9, 0.75)):
            self.assertTrue(least <= result.utilisation <= 1.02, result)

    def test_the_queue_is_as_long_as_it_was_made(self):
        for result in self.judged():
            self.assertLessEqual(result.queue_p95_ms, race.QUEUE_MS + 5, result)

    def test_nobody_starves(self):
        self.assertTrue(0.08 <= self.judged()[0].share <= 0.92, self.against)

    def test_the_media_flow_loses_little(self):
        for result in self.judged():
            self.assertLess(result.media_loss, 0.05, result)

    def test_nothing_is_left_behind(self):
        self.assertEqual(len(link.Link.started), 2)
        self.assertEqual(spaces_left(), [])
        self.assertEqual([p.args for p in programs.Programs.started if p.poll() is None], [])


if __name__ == "__main__":
    tap.main()
