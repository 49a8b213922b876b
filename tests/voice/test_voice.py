# SPDX-License-Identifier: LGPL-2.1-or-later
"""Live voice with real speech: talk spurts after silence leave at once with each kind of feedback, and where TFRC does
hold them back the RFCs do so in the order of the paper. All calls listen to one speaker, for 35 s."""
import pathlib
import re
import shlex
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import speech  # noqa: E402
import tap  # noqa: E402

try:
    import calls
    import ordering
    NO_CALLS = calls.missing()
except (ImportError, ValueError) as error:
    NO_CALLS = f"no GStreamer for Python (python3-gi, gir1.2-gstreamer-1.0): {error}"

SEED = 1
ONE_WAY_MS = 100
PUNCTUAL_MS = 25
# What docs/voice.md recommends; nothing else is set.
SETTINGS = {
    "g711": "encoders=none min-bitrate=64000 max-bitrate=128000 start-bitrate=128000",
    "opus": "min-bitrate=6000 max-bitrate=32000 start-bitrate=24000",
}
FEEDBACKS = ("ccfb", "twcc", "rr", "session")


def live_calls():
    return [calls.Call((codec, feedback), settings, ONE_WAY_MS, codec=codec, feedback=feedback)
            for codec, settings in SETTINGS.items() for feedback in FEEDBACKS]


class Speech(unittest.TestCase):
    @unittest.skipIf(speech.missing(), speech.missing())
    def test_a_conversation_is_the_same_for_the_same_seed(self):
        one, same, other = (speech.conversation(seed, 20, 1.5) for seed in (1, 1, 2))
        self.assertEqual((one.samples, one.spurts), (same.samples, same.spurts))
        self.assertNotEqual(one.spurts, other.spurts)

    @unittest.skipIf(speech.missing(), speech.missing())
    def test_between_phrases_there_is_silence(self):
        talk = speech.conversation(1, 20, 1.5)
        for (_, end), (begin, _) in zip(talk.spurts, talk.spurts[1:]):
            quiet = talk.samples[end * speech.RATE_HZ // 10**9:begin * speech.RATE_HZ // 10**9]
            self.assertGreaterEqual(len(quiet), speech.SHORTEST_SILENCE_S * speech.RATE_HZ)
            self.assertFalse(any(quiet))


@unittest.skipIf(NO_CALLS, NO_CALLS)
class Score(unittest.TestCase):
    def test_known_scores(self):
        self.assertAlmostEqual(calls.r_score(0, 0), 94.2)
        self.assertAlmostEqual(calls.r_score(0.01, 50), 88.807, 3)
        self.assertAlmostEqual(calls.r_score(0, 200), 86.903, 3)
        self.assertAlmostEqual(calls.mos(91.8), 4.3806, 3)


@unittest.skipIf(NO_CALLS, NO_CALLS)
class Page(unittest.TestCase):
    def test_its_pipelines_can_be_built(self):
        text = (ROOT / "docs/voice.md").read_text()
        lines = re.findall(r"^    gst-launch-1\.0 ((?:.*\\\n)*.*)", text, re.MULTILINE)
        self.assertEqual(len(lines), 4)
        for line in lines:
            words = shlex.split(line.replace("\\\n", " "))
            self.assertIsNotNone(calls.Gst.parse_launchv(words), line)


@unittest.skipIf(NO_CALLS or speech.missing(), NO_CALLS or speech.missing())
class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.calls = live_calls()
        cls.results, cls.conversation = ordering.run(SEED, ordering.SHORT_S, cls.calls)
        cls.late_ms = cls.conversation.lateness_ms()
        print(f"# the speaker was up to {cls.late_ms:.0f} ms late (p99)")
        for name, outcome in cls.results.items():
            print("#", *name, outcome)
        for call in cls.calls:
            print("#", *call.name, calls.outcome(cls.conversation, call), len(call.targets), call.warnings)

    def setUp(self):
        self.need_punctuality(ordering.TOO_LATE_MS)

    def need_punctuality(self, most_ms):
        """What comes late from the speaker comes in a bunch, and waits for that."""
        if self.late_ms > most_ms:
            self.skipTest(f"the machine is too busy: its speaker was {self.late_ms:.0f} ms late")

    def total(self, profile, delay_ms=None):
        return ordering.over(self.results, profile, delay_ms)

    def test_rfc_5348_is_better_than_rfc_3448_at_each_delay(self):
        for delay_ms in ordering.DELAYS_MS:
            old, new = self.total("RFC 3448", delay_ms), self.total("RFC 5348", delay_ms)
            self.assertGreater(new.r_score, old.r_score + 5, delay_ms)
            self.assertLess(new.dropped, old.dropped, delay_ms)

    def test_faster_restart_is_no_worse_and_better_where_silence_is_longer_than_the_timer(self):
        plain, faster = self.total("RFC 5348"), self.total("RFC 5348 + FR")
        self.assertGreaterEqual(faster.r_score, plain.r_score)
        self.assertLessEqual(faster.dropped, plain.dropped)
        self.assertLessEqual(faster.wait_ms, plain.wait_ms + 1)

    def test_the_elements_agree_with_what_was_heard(self):
        for outcome in self.results.values():
            self.assertAlmostEqual(outcome.r_sender, outcome.r_score, delta=20)
            self.assertAlmostEqual(outcome.r_receiver, outcome.r_score, delta=20)

    def test_talk_spurts_leave_at_once(self):
        self.need_punctuality(PUNCTUAL_MS)
        for call in self.calls:
            outcome = calls.outcome(self.conversation, call)
            self.assertEqual(outcome.dropped, 0, call.name)
            self.assertLessEqual(outcome.wait_typical_ms, 20, call.name)

    def test_silence_is_no_reason_to_warn_or_to_stop(self):
        for call in self.calls:
            self.assertEqual((call.warnings, call.ceased), ([], False), call.name)

    def test_the_bitrate_stays_within_its_bounds(self):
        for call in self.calls:
            low, high = (64000, 128000) if call.codec == "g711" else (6000, 32000)
            self.assertTrue(all(low <= target <= high for target in call.targets), call.targets)

    def test_the_bitrate_is_steady(self):
        self.need_punctuality(PUNCTUAL_MS)
        for call in self.calls:
            # An encoder takes a quarter of a second to follow: what changes as seldom is steady.
            self.assertLessEqual(len(call.targets), 4 * ordering.SHORT_S, call.name)

    def test_voice_that_nothing_holds_back_sounds_well_at_both_ends(self):
        self.need_punctuality(PUNCTUAL_MS)
        for call in self.calls:
            outcome = calls.outcome(self.conversation, call)
            self.assertGreater(calls.mos(outcome.r_sender), 4.0, call.name)
            self.assertGreater(calls.mos(outcome.r_receiver), 4.0, call.name)


if __name__ == "__main__":
    tap.main()
