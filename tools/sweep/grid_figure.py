# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of docs/grid.md: a panel per buffer and algorithm, a square per capacity and round trip."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.colors import ListedColormap  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

from . import cells  # noqa: E402

KINDS = ("as wanted", "too little: link not used, or less than half its share",
         "too much: a long queue, or more than twice its share", "both")
COLOURS = ("#cfe3d6", "#e08a1e", "#7b3294", "#1f1f1f")
TITLES = {"alone": "Alone: at least 90 % of the link used, with a short queue",
          "reno": "Beside one Reno: between half and twice its share",
          "cubic": "Beside one Cubic: between half and twice its share",
          "reno-first": "20 s after a Reno: between half and twice its share",
          "cubic-first": "20 s after a Cubic: between half and twice its share"}


def kind(cell):
    return cell.has_too_little() + 2 * cell.has_too_much()


def axis(found, number):
    return sorted({place[number] for place in found})


def duration_text(ms):
    return f"{ms / 1000:g} s" if ms >= 1000 else f"{ms:g} ms"


def draw_panel(axes, found, buffer_ms):
    capacities, rtts = axis(found, 0), axis(found, 1)
    kinds = np.array([[kind(found[capacity, rtt, buffer_ms]) for capacity in capacities] for rtt in rtts])
    axes.pcolormesh(kinds, cmap=ListedColormap(COLOURS), vmin=-0.5, vmax=len(COLOURS) - 0.5, edgecolors="white",
                    linewidth=0.8)
    axes.set_xticks(np.arange(len(capacities)) + 0.5, [f"{capacity / 1e6:g}".removeprefix("0") if n % 2 == 0 else ""
                                                      for n, capacity in enumerate(capacities)])
    axes.set_yticks(np.arange(len(rtts)) + 0.5, [f"RTT {rtt:g} ms" if rtt == rtts[-1] else f"{rtt:g}" for rtt in rtts])
    axes.tick_params(labelsize=7, length=0, labelbottom=False, labelleft=False)
    axes.spines[:].set_visible(False)


def draw_run(figure, table, run, algorithms, last):
    figure.suptitle(TITLES[run], fontsize=10, fontweight="bold", x=0.01, ha="left")
    found = {algorithm: cells.cells(table, run, algorithm) for algorithm in algorithms}
    buffers = axis(found[algorithms[0]], 2)
    grid = figure.subplots(len(algorithms), len(buffers), squeeze=False)
    for row, algorithm in zip(grid, algorithms):
        count = f"{cells.as_wanted(found[algorithm])} of {len(found[algorithm])}"
        for axes, buffer_ms in zip(row, buffers):
            draw_panel(axes, found[algorithm], buffer_ms)
        row[0].set_ylabel(f"{algorithm}\n{count}", fontsize=9, rotation=0, ha="right", va="center")
        row[0].tick_params(labelleft=True)
    for axes, buffer_ms in zip(grid[0], buffers):
        axes.set_title(duration_text(buffer_ms) + " of buffer", fontsize=8)
    if last:
        for axes in grid[-1]:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("Mbit/s", fontsize=8)


def draw(table, algorithms, path):
    figure = plt.figure(figsize=(8, 0.6 + len(TITLES) * (0.5 + 0.95 * len(algorithms))), layout="constrained")
    parts = figure.subfigures(len(TITLES) + 1, 1, height_ratios=[*[1] * (len(TITLES) - 1), 1.1, 0.12])
    for part, run in zip(parts, TITLES):
        draw_run(part, table, run, algorithms, run == list(TITLES)[-1])
    parts[-1].legend(handles=[Patch(color=colour, label=text) for colour, text in zip(COLOURS, KINDS)], ncols=2,
                     loc="center", fontsize=8, frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)
