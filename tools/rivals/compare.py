# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of cells as words, and whether one sender did better than another. A difference counts
when the runs of the two do not overlap: the worst of one is better than the best of the other."""
import collections

from arithmetic import median
from live_page import never_last, number, spread
from . import plan

Figure = collections.namedtuple("Figure", "name head scale digits better")  # better: +1 is more
FIGURES = {one.name: one for one in (
    Figure("used", "used", 1, 2, +1), Figure("q50_ms", "q50 ms", 1, 0, -1),
    Figure("q95_ms", "q95 ms", 1, 0, -1), Figure("t90_s", "t90 s", 1, 1, -1),
    Figure("up_s", "up s", 1, 1, -1), Figure("media_bps", "media Mbit/s", 1e-6, 2, 0),
    Figure("tcp_bps", "TCP", 1e-6, 2, 0), Figure("jain", "Jain", 1, 3, +1),
    Figure("loss", "loss %", 100, 2, -1), Figure("gaps_s", "gaps s", 1, 1, -1),
    Figure("frozen_s", "frozen s", 1, 1, -1), Figure("latency_p95_ms", "delay p95 ms", 1, 0, -1),
    Figure("unfair_bps", "Mbit/s off the fair share", 1e-6, 2, -1),
    Figure("held_frozen_s", "frozen if held s", 1, 1, -1),
    Figure("shown", "shown %", 100, 1, +1), Figure("made_bps", "media Mbit/s", 1e-6, 2, 0))}
NO_COLUMNS = ("unfair_bps", "held_frozen_s", "shown", "made_bps")  # of docs/rivals.md; docs/repair.md has the last three
LEAST_RUNS = 2  # of each of the two


def has_forward_tcp(scenario):
    return any(not tcp.reverse for tcp in scenario.tcp)


def fair_bps(scenario):
    """Of the media flow beside one TCP."""
    return scenario.steps(0)[0][1] / 2


def judged(scenario):
    """Names of the figures in which one sender can be better than another."""
    if has_forward_tcp(scenario):
        return ("unfair_bps", "loss", "frozen_s", "latency_p95_ms")
    usual = ("used", "q95_ms", "t90_s", "up_s", "loss", "frozen_s", "latency_p95_ms")
    if scenario.silence_s:  # two seconds are judged, after the silence
        return usual[1:]
    return ("jain", *usual) if len(scenario.media_at_s) > 1 else usual


def values(runs, name):
    """Sorted; None, which means never, is more than any number. Empty: they have no such figure."""
    if name == "unfair_bps":
        return sorted(abs(run["figures"]["media_bps"] - fair_bps(plan.ALL[run["scenario"]]))
                      for run in runs)
    return sorted(never_last([run["figures"][name] for run in runs if name in run["figures"]]))


def cell(figure, runs):
    found = values(runs, figure.name)
    return spread(figure, found) if found else ""


def verdict(name, ours, theirs):
    """+1: ours is better, -1: theirs, 0: no difference is shown; None: it cannot be said."""
    figure, a, b = FIGURES[name], values(ours, name), values(theirs, name)
    if min(len(a), len(b)) < LEAST_RUNS:
        return None
    if number(figure, median(a)) == number(figure, median(b)):
        return 0
    if a[0] > b[-1]:
        return figure.better
    return -figure.better if a[-1] < b[0] else 0


def differences(scenario, ours, theirs):
    """{+1, -1, 0: [words for each figure]}"""
    found = {+1: [], -1: [], 0: []}
    for name in judged(scenario):
        said = verdict(name, ours, theirs)
        if said is not None:
            figure = FIGURES[name]
            pair = [number(figure, median(values(runs, name))) for runs in (ours, theirs)]
            found[said].append(f"{figure.head} {pair[0]} : {pair[1]}")
    return found
