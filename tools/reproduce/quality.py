# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fairness and smoothness of an array of rates, as weir/quality.h defines them."""


def jain(values):
    """Jain's index, (sum x)^2 / (n sum x^2); 1 when all are 0."""
    largest = abs(values).max(initial=0)
    if largest == 0:
        return 1.0
    shares = values / largest  # whose squares neither overflow nor vanish
    return float(shares.sum() ** 2 / (len(shares) * (shares ** 2).sum()))


def cov(values):
    """The coefficient of variation, of the population; 0 when the mean is 0."""
    mean = values.mean() if len(values) else 0
    return float(values.std() / mean) if mean else 0.0
