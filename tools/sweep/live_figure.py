# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of the live cases: how much of its part a call gets, and how long its packets queue, a dot per algorithm."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Label, scenario, and what is 100 %: of the capacity, or Mbit/s of media beside one TCP on 4 Mbit/s.
SITUATIONS = (("alone", "live/const", None), ("the capacity steps", "live/step", None),
              ("1 % random loss", "live/loss1", None), ("5 % random loss", "live/loss5", None),
              ("a cellular link", "live/cell", None), ("2 s of buffer", "live/bloat", None),
              ("beside one Reno", "live/tcp1", 2.0), ("beside one Cubic", "live/tcp_cubic", 2.0))
SHOWN = (("tfrc", "tfrc (RFC 5348)", "#c58a2b", "s"),
         ("gcc", "gcc, as in browsers", "#2a6fb0", "D"), ("sluice", "sluice", "#b3262e", "o"))
LONGEST_MS = 250  # longer queues are at the edge


def points(table, algorithm, media, delay):
    """(share, queue in ms) of each situation: medians over the seeds."""
    found = []
    for _, scenario, whole in SITUATIONS:
        rows = table[(table["scenario"] == scenario) & (table["algorithm"] == algorithm)]
        runs = [run for _, run in rows.groupby("seed")]
        share = [media(run) / whole if whole else run["link_utilization"].iloc[0] for run in runs]
        found.append((sorted(share)[len(share) // 2], sorted(map(delay, runs))[len(runs) // 2]))
    return found


def draw(table, media, delay, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4.4), sharey=True)
    places = range(len(SITUATIONS))[::-1]
    for algorithm, label, colour, marker in SHOWN:
        if algorithm not in set(table["algorithm"]):
            continue
        found = points(table, algorithm, media, delay)
        style = {"color": colour, "marker": marker, "linestyle": "none", "markersize": 8, "clip_on": False}
        left.plot([100 * share for share, _ in found], places, label=label, **style)
        right.plot([min(queue, LONGEST_MS) for _, queue in found], places, **style)
    left.set_yticks(places, [label for label, _, _ in SITUATIONS], fontsize=10)
    left.set_xlim(0, 125)
    left.set_xticks([0, 25, 50, 75, 100, 125])
    left.axvline(100, color="#cccccc", zorder=0)
    left.set_title("gets, % of the link, or of half of it", fontsize=10, loc="left")
    right.set_xlim(0, LONGEST_MS)
    right.set_xticks([0, 50, 100, 150, 200, 250], ["0", "50", "100", "150", "200", "250+"])
    right.set_title("packets queue for, ms (95th percentile)", fontsize=10, loc="left")
    for axes in (left, right):
        axes.grid(axis="y", color="#eeeeee")
        axes.tick_params(length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
    figure.legend(loc="lower center", ncol=len(SHOWN), fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    figure.savefig(path, dpi=150)
    plt.close(figure)
