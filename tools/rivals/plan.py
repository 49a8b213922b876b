# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is run, and in which order: what a reader asks for first comes first."""
import collections
import heapq
import itertools

import live_scenarios

# A scenario and the senders of its media flows. Runs of the cell differ by their seeds.
Cell = collections.namedtuple("Cell", "scenario senders")

ALL = {one.name: one for one in live_scenarios.SCENARIOS + live_scenarios.VARIATIONS}
BY_NAME = {one.name: one for one in live_scenarios.REPAIR}  # run when they are asked for; docs/repair.md has them
KNOWN = {**ALL, **BY_NAME}
PAIRED = "selffair"  # has two media flows: the same sender twice, or two that meet
TIERS = (("const", "step", "tcp1", "cell"), ("loss1", "bloat", "tcp_cubic"),
         ("selffair", "loss5", "shallow", "rev", "silent", "tcp_bbr"))


def alone(names, scenarios):
    return [Cell(name, (sender,) * len(KNOWN[name].media_at_s))
            for name in scenarios for sender in names]


def pairs(names, first):
    """Each of them meets each, in both orders; those with `first` before the others."""
    found = [Cell(PAIRED, pair) for pair in itertools.permutations(names, 2)]
    return sorted(found, key=lambda cell: (first not in cell.senders, cell.senders[1] != first))


def tiers(names, scenarios, with_pairs=True):
    """Lists of cells. Without scenarios: all of the page, and the pairs among the first."""
    asked = set(scenarios or ALL)
    found = [alone(names, [name for name in tier if name in asked])
             for tier in (*TIERS, tuple(BY_NAME))]
    if with_pairs and PAIRED in asked and len(names) > 1:
        every = pairs(names, names[0])
        meetings = len(names) - 1  # in which the first joins the other
        found[0] += every[:meetings]
        found[1] += every[meetings:2 * meetings]
        found.append(every[2 * meetings:])
    return [tier for tier in found if tier]


def in_order(cells_by_tier, runs):
    """(cell, number of the run): all first runs of a tier before its second ones."""
    return [(cell, number) for cells in cells_by_tier for number in range(runs) for cell in cells]


def minutes(runs, jobs):
    """How long it takes; runs: (seats, seconds), ... that begin in this order."""
    now_s, free, ends = 0.0, jobs, []
    for seats, length_s in runs:
        seats = min(seats, jobs)
        while free < seats:
            now_s, back = heapq.heappop(ends)
            free += back
        free -= seats
        heapq.heappush(ends, (now_s + length_s, seats))
    return max((end_s for end_s, _ in ends), default=0.0) / 60


def scenario(cell, seconds=None):
    """That of the cell, in so many seconds."""
    return KNOWN[cell.scenario].scaled(seconds) if seconds else KNOWN[cell.scenario]


def longest_s(cell, lead_s, seconds=None):
    """Of one run, with what comes before and after it."""
    return lead_s + (seconds or KNOWN[cell.scenario].duration_s) + 4
