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


def draw_panel(axes, title, most, all_of_it, marks):
    """marks: (style, values), from above; what is longer than the axis is at its edge."""
    for style, values in marks:
        axes.plot([min(value, most) for value in values], range(len(values))[::-1], **style)
    ticks = range(0, most + 1, most // 5)
    axes.set_xlim(0, most)
    axes.set_xticks(ticks, [f"{tick}+" if tick == most and not all_of_it else f"{tick}" for tick in ticks])
    axes.set_title(title, fontsize=10, loc="left")
    axes.grid(axis="y", color="#eeeeee")
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    if all_of_it:
        axes.axvline(all_of_it, color="#cccccc", zorder=0)


def dots(path, labels, panels, series):
    """A row for each label, a dot for each of the series. panels: (title, end of the axis, what is all of it, or None);
    series: (name, colour, marker, the values of each panel; nan: not known)."""
    figure, all_axes = plt.subplots(1, len(panels), figsize=(8, 4.4), sharey=True)
    for number, (axes, panel) in enumerate(zip(all_axes, panels)):
        marks = [({"color": colour, "marker": marker, "linestyle": "none", "markersize": 8, "clip_on": False,
                   "label": name if number == 0 else None}, values[number]) for name, colour, marker, values in series]
        draw_panel(axes, *panel, marks)
    all_axes[0].set_yticks(range(len(labels))[::-1], labels, fontsize=10)
    figure.legend(loc="lower center", ncol=len(series), fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw(table, media, delay, path):
    series = []
    for algorithm, name, colour, marker in SHOWN:
        if algorithm in set(table["algorithm"]):
            found = points(table, algorithm, media, delay)
            series.append((name, colour, marker, ([100 * share for share, _ in found], [queue for _, queue in found])))
    dots(path, [label for label, _, _ in SITUATIONS],
         (("gets, % of the link, or of half of it", 125, 100), ("packets queue for, ms (95th percentile)", LONGEST_MS, None)),
         series)
