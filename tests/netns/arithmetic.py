# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sums that the figures of a run are made of."""


def ratio(part, whole):
    return part / whole if whole > 0 else 0.0


def quantile(values, q):
    """The smallest value that at least q of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, -int(-q * len(ordered) // 1) - 1))]


def jain(rates):
    """Jain's fairness index: 1 when all are equal, 1/n when one has everything."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0


def median(values):
    """Of an even number the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
