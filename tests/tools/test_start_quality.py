# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measurement of the first seconds of a call: its SSIM, and the start that follows from what was stored."""
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools", "demonstrate")]
import numpy  # noqa: E402
import start_quality  # noqa: E402
import tap  # noqa: E402


def picture(noise=0, offset=0):
    draw = numpy.random.default_rng(7)
    plane = draw.integers(40, 200, (72, 100)) + offset + noise * draw.standard_normal((72, 100))
    return plane.clip(0, 255).astype(numpy.uint8)


class Ssim(unittest.TestCase):
    def test_of_a_picture_with_itself_is_one(self):
        self.assertAlmostEqual(start_quality.ssim(picture(), picture()), 1.0)

    def test_falls_with_noise(self):
        values = [start_quality.ssim(picture(), picture(noise)) for noise in (2, 10, 40)]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertGreater(values[0], 0.99)
        self.assertLess(values[2], 0.85)

    def test_of_pictures_that_differ_in_brightness_alone_is_the_formula_of_the_means(self):
        dark, light = numpy.full((16, 16), 100, numpy.uint8), numpy.full((16, 16), 120, numpy.uint8)
        c1 = (0.01 * 255)**2
        self.assertAlmostEqual(start_quality.ssim(dark, light), (2 * 100 * 120 + c1) / (100**2 + 120**2 + c1))


class Start(unittest.TestCase):
    def test_is_half_of_what_was_stored_or_the_default(self):
        self.assertEqual(start_quality.start_bps(None), 300000)
        self.assertEqual(start_quality.start_bps(400000), 300000)
        self.assertEqual(start_quality.start_bps(2000000), 950000)


if __name__ == "__main__":
    tap.main()
