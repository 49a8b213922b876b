# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures of the guide: a panel per measure with all algorithms, a panel per algorithm with its rate in the step."""
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402

from .measures import FALL_AT_S, HIGH_BPS, LOW_BPS, RISE_AT_S  # noqa: E402

INK, BAND, CAPACITY = "#2a6fb0", "#b8cfe5", "#e3e8ee"
TOO_LATE = "#b3262e"

# Of each picture, named for its page: measure, title, axis, from, to, where it is good (shaded).
PICTURES = {
    "alone": (
        ("steady.use", "steady link: utilisation", None, 0, 1, (0.85, 1)),
        ("wait.1000", "queue p95 in 1 s of buffer, ms", None, 0, 1050, (0, 200)),
        ("start.use", "first 20 s: utilisation", None, 0, 1, (0.7, 1)),
        ("start.loss", "first 20 s: lost", None, 0, 0.3, (0, 0.02)),
        ("cov.1", "steady link: CoV of the rate, 1 s", None, 0, 0.5, (0, 0.1)),
        ("cov.5", "steady link: CoV of the rate, 5 s", None, 0, 0.5, (0, 0.1)),
    ),
    "change": (
        ("step.fall", "seconds to follow a fall", "log", 0.1, 40, (0.1, 2)),
        ("step.rise", "seconds to take freed capacity", "log", 0.1, 40, (0.1, 5)),
        ("step.loss", "lost in the step", None, 0, 0.1, (0, 0.02)),
        ("sack.share", "share against SACK", "log", 0.05, 20, (0.5, 2)),
        ("same.jain", "Jain's index of four of them", None, 0.5, 1, (0.95, 1)),
        ("hops.5", "share against Reno over 5 hops", "log", 0.01, 1, (0.2, 1)),
    ),
    "hard": (
        ("loss.0.01", "utilisation at 1 % random loss", None, 0, 1, (0.85, 1)),
        ("buffer.20", "utilisation with 20 ms of buffer", None, 0, 1, (0.85, 1)),
        ("rtt.500", "utilisation at an RTT of 500 ms", None, 0, 1, (0.85, 1)),
        ("reverse.use", "utilisation below four uploads", None, 0, 1, (0.85, 1)),
        ("reports.use", "receiver reports alone: utilisation", None, 0, 1, (0.8, 1)),
        ("voice.r", "voice beside Reno: R", None, 70, 95, (80, 95)),
    ),
}
COLUMNS = 2
WIDTH_INCHES = 8  # 800 pixels, as wide as a page shows it


def plain(value, _place):
    return f"{value:g}"


def draw_dot(axes, place, values, low, high):
    """The median and the range over the seeds; a hollow mark at the edge when it lies outside."""
    middle, least, most = values
    if math.isnan(middle):
        axes.text(low, place, " no value", va="center", fontsize=7, color="#888888")
        return
    inside = low <= middle <= high
    axes.plot([min(max(least, low), high), min(max(most, low), high)], [place, place], color=BAND, linewidth=4,
              solid_capstyle="butt", zorder=2)
    axes.plot(min(max(middle, low), high), place, "o", markersize=5, color=INK if inside else TOO_LATE,
              markerfacecolor=INK if inside else "white", zorder=3, clip_on=False)


def draw_panel(axes, panel, found):
    name, title, scale, low, high, good = panel
    axes.set_title(title, fontsize=9, loc="left")
    if scale == "log":
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(low, high)
    axes.axvspan(*good, color="#e8f3ea", linewidth=0, zorder=0)
    for place, values in enumerate(found.values()):
        draw_dot(axes, place, values[name], low, high)
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_yticks(range(len(found)), list(found))
    axes.tick_params(labelsize=8, length=2)
    axes.grid(True, linewidth=0.4, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def draw_measures(found, panels, path):
    rows = -(-len(panels) // COLUMNS)
    figure, grid = plt.subplots(rows, COLUMNS, figsize=(WIDTH_INCHES, rows * (0.75 + 0.19 * max(len(found), 4))),
                                sharey=True, layout="constrained", squeeze=False)
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    for axes, panel in zip(grid.flat, panels):
        draw_panel(axes, panel, found)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw_rate(axes, results, algorithm):
    axes.fill_between([0, FALL_AT_S, RISE_AT_S, 120], [HIGH_BPS / 1e6, LOW_BPS / 1e6, HIGH_BPS / 1e6,
                                                            HIGH_BPS / 1e6], step="post", color=CAPACITY, linewidth=0)
    rows = results.pick("step", algorithm, breaker=0)
    if len(rows):
        time_s, rate_bps = results.series(rows["key"].iloc[0])
        axes.plot(time_s, rate_bps / 1e6, color=INK, linewidth=0.8)
    axes.set_title(algorithm, fontsize=9, loc="left")
    axes.set_xlim(0, 120)
    axes.set_ylim(0, 3.5)
    axes.tick_params(labelsize=8, length=2)
    axes.grid(True, linewidth=0.4, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def draw_steps(results, path):
    columns = min(3, len(results.algorithms))
    rows = -(-len(results.algorithms) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(WIDTH_INCHES, 0.5 + 1.5 * rows), sharex=True, sharey=True,
                                layout="constrained", squeeze=False)
    for axes in grid.flat[len(results.algorithms):]:
        axes.set_visible(False)
    for axes, algorithm in zip(grid.flat, results.algorithms):
        draw_rate(axes, results, algorithm)
    figure.supxlabel("seconds", fontsize=9)
    figure.supylabel("Mbit/s sent (capacity in grey)", fontsize=9)
    figure.savefig(path, dpi=100)
    plt.close(figure)
