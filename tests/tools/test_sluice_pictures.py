# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures of docs/controllers/sluice.md: what is reckoned from a run for them, and that they are drawn."""
import contextlib
import io
import os
import random
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import numpy  # noqa: E402
import pandas  # noqa: E402
import tap  # noqa: E402
from report import sluice_pictures as pictures  # noqa: E402

FULL_BYTES, MS_PER_BYTE, DELAY_MS = 1200, 0.006, 300


def flow_of(packets, lost=()):
    """Bins of 1 ms: packets (sent ms, arrived ms, bytes), of which some are lost."""
    table = numpy.zeros((4, max(arrived for _, arrived, _ in packets) + 1))
    for number, (left, arrived, size) in enumerate(packets):
        table[0, left] += size
        table[1, left] += 1
        row, value = (3, 1) if number in lost else (2, size)
        table[row, arrived] += value
    columns = ("sent_bytes", "sent_packets", "received_bytes", "lost_packets")
    flow = pandas.DataFrame(dict(zip(columns, table)))
    flow["time_s"] = (numpy.arange(len(flow)) + 1) / 1000
    return flow


def frames(slope, n=400):
    """Frames of varying size, sent faster or slower; the time to arrive follows with a slope."""
    draw, left, arrived, packets = random.Random(3), 0.0, DELAY_MS, []
    for _ in range(n):
        pace = draw.uniform(0.85, 1.15)
        for size in [FULL_BYTES] * 4 + [draw.randrange(300, 1100)]:
            left += MS_PER_BYTE * size * pace
            arrived += MS_PER_BYTE * size * (1 + slope * (pace - 1))
            packets.append((round(left), round(arrived), size))
    return packets


def slope_of(flow):
    sent, delivered = pictures.changes(flow, pandas.Series(True, flow.index))
    return (sent * delivered).sum() / (sent * sent).sum()


class Changes(unittest.TestCase):
    def test_the_slope_is_that_of_what_is_delivered_on_what_is_sent(self):
        for slope in (0.0, 0.5, 1.0):
            self.assertAlmostEqual(slope_of(flow_of(frames(slope))), slope, delta=0.1)

    def test_losses_do_not_hide_it(self):
        lost = set(random.Random(4).sample(range(2000), 40))
        self.assertAlmostEqual(slope_of(flow_of(frames(0.5), lost)), 0.5, delta=0.15)

    def test_lost_bytes_are_counted_until_the_next_packet_that_is_known_again(self):
        sent = numpy.array([1200.0, 1200, 500, 1200, 1200, 700])
        arrived = numpy.array([1200.0, 1200, 500, 1200, 700])
        lost = pictures.lost_bytes(sent, sent.cumsum(), arrived, arrived.cumsum(), [1200.0] * 5)
        self.assertEqual(list(lost), [0, 0, 0, 1200, 1200])


class Program(unittest.TestCase):
    def draw(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = pictures.main(arguments)
        return status, errors.getvalue()

    def test_a_picture_is_small_enough_to_be_kept(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(self.draw("--lab", os.environ["WEIR_LAB"], "-o", directory, "losses"), (0, ""))
            path = os.path.join(directory, "sluice-losses.png")
            self.assertTrue(1000 < os.path.getsize(path) < 80000)

    def test_wrong_input_is_one_line_and_status_two(self):
        for arguments, says in ((("nothing",), "nothing: no picture"), (("--lab", "/nowhere"), "/nowhere is no program"),
                                (("--lab", "/bin/false", "steer"), "live/step: the run failed")):
            status, errors = self.draw(*arguments)
            self.assertEqual((status, errors.count("\n")), (2, 1))
            self.assertIn(says, errors)


if __name__ == "__main__":
    tap.main()
