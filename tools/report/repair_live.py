# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of docs/repair.md about live calls: weirsend with and without FEC, and Chromium, from what tools/race
wrote into docs/repair.jsonl."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "netns")]

from arithmetic import median  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from report import draw  # noqa: E402
from rivals import compare, page, plan, store  # noqa: E402

SENDERS = {"sluice": "sluice, sent again", "sluice+repair": "sluice, both", "chromium": "Chromium"}
KINDS = {"lossy": "by chance", "bursty": "in bursts of 5"}
PERCENTS = (0, 1, 3, 5)
SHOWN = compare.Figure("frames_per_s", "frames/s", 1, 1, +1)
FIGURES = (SHOWN, *(compare.FIGURES[name] for name in ("frozen_s", "latency_p95_ms", "used", "media_bps")))
COLOURS = dict(zip(SENDERS, (draw.FLOW_COLOURS[2], draw.FLOW_COLOURS[3], draw.SENT)))

HEADING = "## Live, beside Chromium"
TEXT = HEADING + """

    tools/setup build race
    tools/race --jobs 6 --no-pairs --senders {senders} --results docs/repair.jsonl {names}
    tools/report/repair_page.py --live-only

2 Mbit/s, a round trip of 100 ms, 100 ms of queue, 60 s, losses on both ways; all runs are in
[repair.jsonl](repair.jsonl), and [rivals.md](rivals.md) says how they are made and which count.
What was lost is sent again by all; `sluice, both` has FEC with `repair=auto` besides, Chromium adds
some where it thinks fit. Each cell is the median of {runs} runs, with minimum and maximum where
they differ.

![Frames shown a second, by sender and by what is lost](repair-live.png)

* **frames/s**: that left the decoder; 30 enter the encoder. `sluice`'s receiver waits a second for
  what is missing, Chromium's as long as it thinks fit.
* **frozen**: all times in 50 s for which a picture stood longer than 183 ms.
* **delay p95**: of a frame, from the encoder's input to the decoder's output. Chromium does not
  tell.

"""


def names():
    return [f"{kind}{percent}" for kind in KINDS for percent in PERCENTS if f"{kind}{percent}" in plan.EVERY]


def read(path):
    """{(scenario, sender): runs that count}"""
    found = page.group(store.Store(path).results())
    return {(name, sender): page.good(found.get(plan.Cell(name, (sender,)), [])) for name in names() for sender in SENDERS}


def row(kind, percent, sender, runs):
    cells = [compare.cell(figure, runs) for figure in FIGURES]
    return "| " + " | ".join([f"{percent} % {kind}" if percent else "none", SENDERS[sender], *cells, str(len(runs))]) + " |"


def table(runs):
    heads = ["lost", "sender", *(figure.head for figure in FIGURES), "runs"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    lines += [row(words, percent, sender, runs[f"{kind}{percent}", sender]) for kind, words in KINDS.items()
              for percent in PERCENTS for sender in SENDERS if runs.get((f"{kind}{percent}", sender))]
    return "\n".join(lines) + "\n"


def section(runs):
    most = max(map(len, runs.values()))
    return TEXT.format(senders=",".join(SENDERS), names=" ".join(names()), runs=most) + table(runs)


def picture(runs):
    figure, axes = pyplot.subplots(1, len(KINDS), figsize=(8, 3.2), sharey=True)
    for ax, (kind, words) in zip(axes, KINDS.items()):
        for sender, label in SENDERS.items():
            points = [(percent, median(compare.values(runs[name, sender], SHOWN.name))) for percent in PERCENTS
                      if runs.get((name := f"{kind}{percent}" if percent else "lossy0", sender))]
            ax.plot(*zip(*points), "o-", color=COLOURS[sender], label=label)
        ax.set_title(f"lost {words}")
        ax.set_xlabel("packets lost, %")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("frames shown a second, of 30")
    axes[0].set_ylim(0, 31)
    axes[0].legend()
    figure.tight_layout()
    return figure
