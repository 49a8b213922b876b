#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/repair.md and its picture: how many frames of a call stay lost with and without repair, from
runs of weir-lab, and beside Chromium, from results of tools/race: tools/report/repair_page.py [--lab PROGRAM]
[--seeds N] [--seconds S] [--results FILE] [--live-only] [-o DIRECTORY]."""
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
from rivals import store  # noqa: E402
from report import repair_live  # noqa: E402  (finds its modules by rivals)
from traces import Problem  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARM_S = 30  # of the scenario
CAPACITIES, LOSSES, BURSTS = (500_000, 1_000_000, 3_000_000), (0.0, 0.01, 0.03, 0.05), (1, 5)
WAIT_MS, FEC_WAIT_MS = 1000, 100  # as examples/early_fec.py; frames are shown as they become whole
NONE, FEC, AGAIN, BOTH = MODES = ("none", "FEC", "again", "both")
SETTINGS = {mode: {"flows.0.repair": '"auto"' if mode in (FEC, BOTH) else "0",
                   "flows.0.fec_wait_ms": FEC_WAIT_MS if mode in (FEC, BOTH) else 0,
                   "flows.0.resend_ms": WAIT_MS if mode in (AGAIN, BOTH) else 0} for mode in MODES}
FIGURES = ("lost_frames_ratio", "shown_delay_p95_ms", "frozen_s", "sent_bps", "goodput_bps", "repair_packets",
           "resent_packets", "generated_packets")
# Beside the tables above: 1 % lost by chance on paths of other round trips; and a call of 60 s beside a TCP.
ROUND_TRIPS_MS, TRIP_LOSS = (20, 50, 100, 150), 0.01
COMPANIES = {"live/tcp1": "a Reno", "live/tcp_cubic": "a Cubic"}
COMPANY_S = 60
COLOURS = dict(zip(MODES, (draw.FLOW_COLOURS[1], draw.SENT, draw.FLOW_COLOURS[2], draw.FLOW_COLOURS[3])))

HEAD = """# Repair that follows the losses

How many frames of a call stay lost when FEC follows the losses (`repair=auto` of `weirsend`,
[how it works](elements.md#repair-that-follows-the-losses)), when lost packets are sent again
(`rtprtxsend`), and with both? What does that cost, and where is it of no use?

    tools/report/repair_page.py          # this page

`weir-lab run repair` in virtual time: `sluice` alone on a link with a round trip of 100 ms that
loses packets whether full or not, by chance or in bursts of 5 on average (Gilbert); an encoder of
30 frames per second, packets of 1240 bytes. The receiver is that of
[early_fec.py](../examples/early_fec.py): FEC is as `rtpulpfecenc` and `rtpulpfecdec` make it, and
repairs a packet that is {fec_wait} ms late; packets are asked for as `rtpjitterbuffer` does, which waits
{wait} ms, and sent again out of the same rate. All modes share what the algorithm allows. Each
figure is the mean of {seeds} seeds of {seconds} s, the first {warm} s left out.

![Part of the time in which the picture stood, by mode](repair.png)

* **lost**: frames that never became whole, of those that the encoder made.
* **95 %**: delay from the making of a frame until it is shown, 95th percentile of those that were.
  A frame that refers to a lost one is not shown; a key frame is asked for.
* **frozen**: of the time, in which a picture stood longer than 183 ms.
* **sent**, **media**: on the wire, and of that the payload that arrived, Mbit/s.
* **FEC**, **again**: repair packets and packets sent again, per 100 of media.

"""


def run(lab, scenario, settings, seed, seconds=None):
    """The flow's figures of one run, which lasts as long as the scenario says or so many seconds."""
    command = [lab, "run", scenario, "--json", "--no-wall-time", "-s", str(seed)]
    if seconds is not None:
        command += ["-d", str(seconds)]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Problem(f"{lab}: {error.strerror}; build it, or say --lab") from None
    if done.returncode:
        raise Problem(f"{scenario}: {done.stderr.strip() or 'the run failed'}")
    return json.loads(done.stdout)["flows"][0]


def means(flows):
    return {name: float(numpy.mean([flow[name] for flow in flows])) for name in FIGURES}


def measure_late(lab, seeds, seconds):
    """(path, mode): the means, and how long was measured."""
    runs = {f"{rtt_ms} ms": ("repair", {"vars.loss": TRIP_LOSS, "links.bottleneck.delay_ms": rtt_ms / 2}, seconds)
            for rtt_ms in ROUND_TRIPS_MS}
    runs |= {f"beside {company}": (scenario, {"flows.0.pacing_quantum_ms": 5}, None)
             for scenario, company in COMPANIES.items()}
    cells = {}
    for path, (scenario, settings, length_s) in runs.items():
        for mode in MODES:
            flows = [run(lab, scenario, settings | SETTINGS[mode], seed, length_s) for seed in range(1, seeds + 1)]
            cells[path, mode] = means(flows), COMPANY_S if length_s is None else length_s - WARM_S
    return cells


def measure(lab, seeds, seconds):
    """(capacity, burst, loss, mode): the means."""
    cells = {}
    for capacity in CAPACITIES:
        for burst in BURSTS:
            for loss in LOSSES:
                for mode in MODES:
                    settings = {"vars.capacity_bps": capacity, "vars.loss": loss, "vars.burst": burst,
                                **SETTINGS[mode]}
                    flows = [run(lab, "repair", settings, seed, seconds) for seed in range(1, seeds + 1)]
                    cells[capacity, burst, loss, mode] = means(flows)
    return cells


def per_100(cell, name):
    """Packets of that kind per 100 of media."""
    return 100 * cell[name] / (cell["generated_packets"] - cell["repair_packets"] - cell["resent_packets"])


def row(cell, what, mode, measured_s):
    columns = (what, mode, f"{100 * cell['lost_frames_ratio']:.2f}",
               f"{cell['shown_delay_p95_ms']:.0f}", f"{100 * cell['frozen_s'] / measured_s:.1f}",
               f"{cell['sent_bps'] / 1e6:.2f}", f"{cell['goodput_bps'] / 1e6:.2f}",
               f"{per_100(cell, 'repair_packets'):.0f}", f"{per_100(cell, 'resent_packets'):.0f}")
    return "| " + " | ".join(columns) + " |"


def header(what):
    return (f"| {what} | repair | lost, % | 95 %, ms | frozen, % | sent | media | FEC | again |",
            "|---|---|---|---|---|---|---|---|---|")


def table(cells, capacity, burst, measured_s):
    kind = "by chance" if burst == 1 else f"in bursts of {burst}"
    lines = [f"### {capacity / 1e6:g} Mbit/s, packets lost {kind}", "", *header("loss")]
    lines += [row(cells[capacity, burst, loss, mode], f"{100 * loss:g} %", mode, measured_s)
              for loss in LOSSES for mode in MODES]
    return "\n".join(lines) + "\n"


LATE = """## How late may a packet come?

What is sent again comes a round trip and about 40 ms later than it should. A receiver that shows
its frames later than that hides it. Here frames are shown as they come, and a picture may stand
150 ms longer than a frame takes, or it counts as frozen (W3C `freezeCount`). So `repair=auto`
counts on what comes within 150 ms (`repair-wait`), although the receiver waits for {wait}. Where
FEC repairs nothing before the jitter buffer gives a packet up, no picture is sooner there for it,
and `repair-wait` is the latency of that buffer.

That was decided with FEC that repairs at once and a buffer that waits for 200 ms, at 0.5, 1 and
3 Mbit/s, 0.3, 1 and 3 % lost, by chance and in bursts of 5, and round trips of 20 to 150 ms. Then
150 and 200 ms were compared at 0.7 and 2 Mbit/s, 0.5 and 2 % lost, bursts of 1 and 3, and round
trips of 30, 80 and 120 ms. Of 2 % lost by chance, 3.4 % of the time were frozen with 150, 9.4 with
200 at 80 ms and 12.3 at 120, for 19 % less media; of 0.5 %, 2.2 or 2.6 in place of 2.8 or 4.5 for 8
or 9 % less. In bursts of 3 the freezes were 7 to 30 % shorter, for 5 to 12 % less media. At 30 ms
nearly nothing changed.

A call of 1 Mbit/s that loses {loss:g} % by chance, by its round trip, and a call beside a TCP
(`live/tcp1` and `live/tcp_cubic`: 4 Mbit/s, a round trip of 100 ms, 100 ms of queue):

"""


def late(cells):
    lines = [row(cell, path, mode, measured_s) for (path, mode), (cell, measured_s) in cells.items()]
    return LATE.format(wait=WAIT_MS, loss=100 * TRIP_LOSS) + "\n".join([*header("path"), *lines]) + "\n"


def page(cells, late_cells, seeds, seconds):
    tables = [table(cells, capacity, burst, seconds - WARM_S) for capacity in CAPACITIES for burst in BURSTS]
    head = HEAD.format(seeds=seeds, seconds=seconds, wait=WAIT_MS, fec_wait=FEC_WAIT_MS, warm=WARM_S)
    return head + "\n".join(tables) + "\n" + late(late_cells) + tail(cells)


def tail(cells):
    """What is seen: counted, not claimed."""
    lossy = [key[:3] for key in cells if key[2] > 0 and key[3] == NONE]

    def kept(burst, mode):
        keys = [key for key in lossy if key[1] == burst]
        good = [key for key in keys if cells[(*key, mode)]["lost_frames_ratio"] <= 0.01]
        return f"{len(good)} rows of {len(keys)}"

    def left(burst, mode):
        ratios = [cells[(*key, mode)]["lost_frames_ratio"] / cells[(*key, NONE)]["lost_frames_ratio"]
                  for key in lossy if key[1] == burst and cells[(*key, NONE)]["lost_frames_ratio"] > 0]
        return f"{100 * min(ratios):.1f} to {100 * max(ratios):.1f} %" if ratios else "none"

    def apart(name, mode, other, scale):
        by = [scale * (cells[(*key, mode)][name] - cells[(*key, other)][name]) for key in lossy]
        return f"{min(by):.0f} to {max(by):.0f}"

    def more(name, mode, other, burst):
        keys = [key for key in lossy if key[1] == burst]
        return f"{sum(cells[(*key, mode)][name] > cells[(*key, other)][name] for key in keys)} of {len(keys)}"

    def of_again(name, burst):
        ratios = [cells[(*key, BOTH)][name] / cells[(*key, AGAIN)][name] for key in lossy
                  if key[1] == burst and cells[(*key, AGAIN)][name] > 0]
        return f"{100 * min(ratios):.0f} to {100 * max(ratios):.0f} %" if ratios else "none"

    in_vain = max(per_100(cells[(*key, FEC)], "repair_packets") for key in lossy if key[1] > 1)
    return f"""
## What is seen

* Of losses by chance, FEC keeps at most 1 % of the frames lost in {kept(1, FEC)}, and
  leaves {left(1, FEC)} of those lost without.
* Bursts of 5 take several packets of a frame. FEC keeps 1 % in {kept(5, FEC)} and
  leaves {left(5, FEC)}: parity over a part of one frame brings back one packet of it.
  `repair=auto` mostly sees that (`no-use`), but up to {in_vain:.0f} repair packets per 100 of media are
  spent in vain.
* What is sent again keeps 1 % in {kept(1, AGAIN)} by chance and {kept(5, AGAIN)} in bursts, and
  leaves {left(1, AGAIN)} and {left(5, AGAIN)}. It comes a round trip later: the 95th percentile of the
  delay is {apart("shown_delay_p95_ms", AGAIN, FEC, 1)} ms above that with FEC, and pictures stand for longer in
  {more("frozen_s", AGAIN, FEC, 1)} rows by chance and {more("frozen_s", AGAIN, FEC, 5)} in bursts.
* With both, `repair=auto` counts on what is sent again within 150 ms and adds FEC for the
  rest: 1 % is kept in {kept(1, BOTH)} and {kept(5, BOTH)}. Pictures stand for {of_again("frozen_s", 1)} of the time
  that they stand with sending again alone if packets are lost by chance, {of_again("frozen_s", 5)} in bursts; the
  95th percentile of the delay differs by {apart("shown_delay_p95_ms", BOTH, AGAIN, 1)} ms, and the media are {of_again("goodput_bps", 1)} and
  {of_again("goodput_bps", 5)}
  of those. In bursts FEC repairs little.
* At {CAPACITIES[0] / 1e6:g} Mbit/s frames have one or two packets, and 50 per 100 leave many of them without
  FEC.
* The rate on the wire stays; what repair takes, the picture lacks.
"""


def picture(cells, measured_s):
    figure, axes = pyplot.subplots(len(BURSTS), len(CAPACITIES), figsize=(10, 5.5), sharex=True, sharey=True)
    for line, burst in enumerate(BURSTS):
        for column, capacity in enumerate(CAPACITIES):
            ax = axes[line][column]
            for mode, label in zip(MODES, ("none", "FEC", "sent again", "both")):
                frozen = [100 * cells[capacity, burst, loss, mode]["frozen_s"] / measured_s for loss in LOSSES]
                ax.plot([100 * loss for loss in LOSSES], frozen, "o-", color=COLOURS[mode], label=label)
            ax.set_title(f"{capacity / 1e6:g} Mbit/s, " + ("by chance" if burst == 1 else f"bursts of {burst}"))
            ax.grid(alpha=0.3)
    for ax in axes[-1]:
        ax.set_xlabel("packets lost, %")
    for ax in axes[:, 0]:
        ax.set_ylabel("frozen, % of the time")
    axes[0][0].legend(loc="upper left")
    figure.tight_layout()
    return figure


def lab_page(parsed):
    """Text and picture."""
    lab = find_program(parsed.lab, ROOT)
    cells = measure(lab, parsed.seeds, parsed.seconds)
    late_cells = measure_late(lab, parsed.seeds, parsed.seconds)
    return page(cells, late_cells, parsed.seeds, parsed.seconds), picture(cells, parsed.seconds - WARM_S)


def write(parsed):
    """Raises Problem, LabError or StoreError."""
    path = os.path.join(parsed.output, "repair.md")
    live = store.Store(parsed.results).results()
    has_live = repair_live.has_runs(live)
    if parsed.live_only and not has_live:
        raise Problem(f"{parsed.results} has no run of full length: tools/race makes them")
    if parsed.live_only:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise Problem(f"{path}: {error.strerror}") from None
    else:
        text, drawn = lab_page(parsed)
        save(drawn, os.path.join(parsed.output, "repair.png"))
    if has_live:
        text = repair_live.with_section(text, repair_live.section(live, WAIT_MS, FEC_WAIT_MS))
        save(repair_live.picture(live), os.path.join(parsed.output, "repair-live.png"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="repair_page.py", description=__doc__)
    parser.add_argument("--lab", metavar="PROGRAM", help="the weir-lab to run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--results", metavar="FILE", default=os.path.join(ROOT, "docs", "repair.jsonl"),
                        help="of tools/race (default docs/repair.jsonl)")
    parser.add_argument("--live-only", action="store_true", help="run no lab: what the page says of it stays")
    parser.add_argument("-o", "--output", metavar="DIRECTORY", default=os.path.join(ROOT, "docs"))
    try:
        write(parser.parse_args(arguments))
    except (Problem, LabError, store.StoreError) as error:
        print(f"repair_page.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
