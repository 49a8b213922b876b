#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/repair.md and its picture: how many frames of a call stay lost with and without repair, from
runs of weir-lab: tools/report/repair_page.py [--lab PROGRAM] [--seeds N] [--seconds S] [-o DIRECTORY]."""
import argparse
import json
import os
import subprocess
import sys

import numpy

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from report import draw  # noqa: E402  (before pyplot: it chooses the backend)
from matplotlib import pyplot  # noqa: E402
from reproduce.figures import save  # noqa: E402
from reproduce.lab import LabError, find_program  # noqa: E402
from traces import Problem  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPACITIES, LOSSES, BURSTS = (500_000, 1_000_000, 3_000_000), (0.0, 0.01, 0.03, 0.05), (1, 5)
MODES = ("0", '"auto"')  # of the scenario's field repair
FIGURES = ("lost_frames_ratio", "frame_delay_p95_ms", "sent_bps", "goodput_bps", "repair_packets",
           "generated_packets", "loss_ratio")
COLOURS = {"0": draw.FLOW_COLOURS[1], '"auto"': draw.SENT}

HEAD = """# Repair that follows the losses

How many frames of a call stay lost when FEC follows the losses (`repair=auto` of `weirsend`,
[how it works](elements.md#repair-that-follows-the-losses)), what does that cost, and where is it of
no use?

    tools/report/repair_page.py          # this page

`weir-lab run repair` in virtual time: `sluice` alone on a link with a round trip of 100 ms that
loses packets whether full or not, by chance or in bursts of 5 on average (Gilbert); an encoder of
30 frames per second, packets of 1240 bytes, FEC as `rtpulpfecenc` and `rtpulpfecdec` make it,
nothing sent again. Each figure is the mean of {seeds} seeds of {seconds} s, the first 30 s left out.

![Frames lost with and without repair](repair.png)

* **lost**: frames that never became whole, of those that the encoder made.
* **95 %**: delay from the making of a frame until it is whole, 95th percentile of those that were.
* **sent**, **media**: on the wire, and of that the payload that arrived, Mbit/s.
* **FEC**: repair packets per 100 of media.

"""


def run(lab, settings, seed, seconds):
    """The flow's figures of one run."""
    command = [lab, "run", "repair", "--json", "--no-wall-time", "-s", str(seed), "-d", str(seconds)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Problem(f"{lab}: {error.strerror}; build it, or say --lab") from None
    if done.returncode:
        raise Problem(f"repair: {done.stderr.strip() or 'the run failed'}")
    return json.loads(done.stdout)["flows"][0]


def measure(lab, seeds, seconds):
    """(capacity, burst, loss, mode): the means."""
    cells = {}
    for capacity in CAPACITIES:
        for burst in BURSTS:
            for loss in LOSSES:
                for mode in MODES:
                    settings = {"vars.capacity_bps": capacity, "vars.loss": loss, "vars.burst": burst,
                                "flows.call.repair": mode}
                    flows = [run(lab, settings, seed, seconds) for seed in range(1, seeds + 1)]
                    cells[capacity, burst, loss, mode] = {
                        name: float(numpy.mean([flow[name] for flow in flows])) for name in FIGURES}
    return cells


def fec_percent(cell):
    return 100 * cell["repair_packets"] / (cell["generated_packets"] - cell["repair_packets"])


def row(cells, capacity, burst, loss):
    off, on = (cells[capacity, burst, loss, mode] for mode in MODES)
    both = [f"{100 * off['lost_frames_ratio']:.2f}", f"{100 * on['lost_frames_ratio']:.2f}",
            f"{off['frame_delay_p95_ms']:.0f}", f"{on['frame_delay_p95_ms']:.0f}",
            f"{off['sent_bps'] / 1e6:.2f}", f"{on['sent_bps'] / 1e6:.2f}",
            f"{off['goodput_bps'] / 1e6:.2f}", f"{on['goodput_bps'] / 1e6:.2f}", f"{fec_percent(on):.0f}"]
    return "| " + " | ".join([f"{100 * loss:g} %", *both]) + " |"


def table(cells, capacity, burst):
    kind = "by chance" if burst == 1 else f"in bursts of {burst}"
    lines = [f"### {capacity / 1e6:g} Mbit/s, packets lost {kind}", "",
             "| loss | lost, % | with repair | 95 %, ms | with repair | sent | with repair | media | with repair "
             "| FEC |", "|---|---|---|---|---|---|---|---|---|---|"]
    return "\n".join(lines + [row(cells, capacity, burst, loss) for loss in LOSSES]) + "\n"


def page(cells, seeds, seconds):
    tables = [table(cells, capacity, burst) for capacity in CAPACITIES for burst in BURSTS]
    return HEAD.format(seeds=seeds, seconds=seconds) + "\n".join(tables) + tail(cells)


def tail(cells):
    """What is seen: counted, not claimed."""
    lossy = [key[:3] for key in cells if key[2] > 0 and key[3] == MODES[0]]

    def kept(burst):
        keys = [key for key in lossy if key[1] == burst]
        good = [key for key in keys if cells[(*key, MODES[1])]["lost_frames_ratio"] <= 0.01]
        return f"{len(good)} rows of {len(keys)}"

    def left(burst):
        ratios = [cells[(*key, MODES[1])]["lost_frames_ratio"] / cells[(*key, MODES[0])]["lost_frames_ratio"]
                  for key in lossy if key[1] == burst and cells[(*key, MODES[0])]["lost_frames_ratio"] > 0]
        if not ratios:
            return "none"
        return f"{100 * min(ratios):.0f} to {100 * max(ratios):.0f} %"

    in_vain = max(fec_percent(cells[(*key, MODES[1])]) for key in lossy if key[1] > 1)
    queue = {capacity: 100 * cells[capacity, 1, 0.0, MODES[0]]["lost_frames_ratio"] for capacity in CAPACITIES}
    return f"""
## What is seen

* Of losses by chance, repair keeps at most 1 % of the frames lost in {kept(1)}, and
  leaves {left(1)} of those lost without.
* Bursts of 5 take several packets of a frame. Repair keeps 1 % in {kept(5)} and
  leaves {left(5)}: parity over a part of one frame brings back one packet of it. `repair=auto`
  mostly sees that (`no-use`), but up to {in_vain:.0f} repair packets per 100 of media are spent in vain.
  Such losses are better sent again (`rtprtxsend`).
* At {CAPACITIES[0] / 1e6:g} Mbit/s frames have one or two packets, and 50 per 100 leave many of them without
  repair. The send queue drops some, too: {queue[CAPACITIES[0]]:.2f} % of the frames are lost where no packet is
  ({queue[CAPACITIES[-1]]:.2f} % at {CAPACITIES[-1] / 1e6:g} Mbit/s).
* The rate on the wire stays; what repair takes, the picture lacks.
"""


def picture(cells):
    figure, axes = pyplot.subplots(len(BURSTS), len(CAPACITIES), figsize=(10, 5.5), sharex=True, sharey=True)
    for line, burst in enumerate(BURSTS):
        for column, capacity in enumerate(CAPACITIES):
            ax = axes[line][column]
            for mode, label in zip(MODES, ("without repair", "repair=auto")):
                lost = [100 * cells[capacity, burst, loss, mode]["lost_frames_ratio"] for loss in LOSSES]
                ax.plot([100 * loss for loss in LOSSES], lost, "o-", color=COLOURS[mode], label=label)
            ax.axhline(1, color="#999999", linewidth=0.8, linestyle=":")
            ax.set_title(f"{capacity / 1e6:g} Mbit/s, " + ("by chance" if burst == 1 else f"bursts of {burst}"))
            ax.set_yscale("symlog", linthresh=0.1)
            ax.grid(alpha=0.3)
    for ax in axes[-1]:
        ax.set_xlabel("packets lost, %")
    for ax in axes[:, 0]:
        ax.set_ylabel("frames lost, %")
    axes[0][0].legend()
    figure.tight_layout()
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="repair_page.py", description=__doc__)
    parser.add_argument("--lab", metavar="PROGRAM", help="the weir-lab to run")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("-o", "--output", metavar="DIRECTORY", default=os.path.join(ROOT, "docs"))
    parsed = parser.parse_args(arguments)
    try:
        cells = measure(find_program(parsed.lab, ROOT), parsed.seeds, parsed.seconds)
    except (Problem, LabError) as error:
        print(f"repair_page.py: {error}", file=sys.stderr)
        return 1
    with open(os.path.join(parsed.output, "repair.md"), "w", encoding="utf-8") as file:
        file.write(page(cells, parsed.seeds, parsed.seconds))
    save(picture(cells), os.path.join(parsed.output, "repair.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
