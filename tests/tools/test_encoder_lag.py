# SPDX-License-Identifier: LGPL-2.1-or-later
"""The measurement behind the lab's encoder: it must find the lag and the noise of frames that are known."""
import math
import os
import random
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools", "demonstrate")]
import encoder_lag  # noqa: E402
import tap  # noqa: E402


def frames(up_s, down_s, noise=0.0, low=2000.0, high=8000.0):
    """Sizes of an encoder that follows exponentially, with Laplace noise."""
    draw, size, out = random.Random(5), low, []
    for period in range(encoder_lag.STEPS):
        target = high if period % 2 else low
        lag_s = up_s if period % 2 else down_s
        for _ in range(encoder_lag.PERIOD):
            size = target + (size - target) * math.exp(-1 / encoder_lag.FPS / lag_s)
            out.append(size * (1 + noise * draw.choice((-1, 1)) * draw.expovariate(1)))
    return out


class Lags(unittest.TestCase):
    def test_are_found_each_way(self):
        for up_s, down_s in [(0.1, 0.6), (0.3, 0.05), (0.5, 0.5)]:
            sizes = frames(up_s, down_s)
            self.assertAlmostEqual(encoder_lag.lag_s(sizes, True), up_s, delta=0.011)
            self.assertAlmostEqual(encoder_lag.lag_s(sizes, False), down_s, delta=0.011)

    def test_are_found_through_noise(self):
        sizes = frames(0.4, 0.1, noise=0.15)
        self.assertAlmostEqual(encoder_lag.lag_s(sizes, True), 0.4, delta=0.05)
        self.assertAlmostEqual(encoder_lag.lag_s(sizes, False), 0.1, delta=0.05)


class Noise(unittest.TestCase):
    def test_is_that_of_steady_frames(self):
        for noise in (0.0, 0.15, 0.3):
            for high in (False, True):
                self.assertAlmostEqual(encoder_lag.noise(frames(0.3, 0.3, noise), high), noise, delta=0.02)


if __name__ == "__main__":
    tap.main()
