#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the pictures of docs/controllers/sluice.md and docs/ecn.md, one per mechanism, from runs of weir-lab:
tools/report/sluice_pictures.py [--lab PROGRAM] [-o DIRECTORY] [NAME ...]."""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy
import pandas

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from report import draw, lab_run  # noqa: E402  (draw before pyplot: it chooses the backend)
from matplotlib import pyplot  # noqa: E402
from reproduce.figures import save  # noqa: E402
from reproduce.lab import LabError, find_program  # noqa: E402
from traces import Problem  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEED, COLOURS_OF_A_FILE = 1, 64
FEEDBACK_MS = 50  # as weirrecv sends it
CAPACITY, SENT, TARGET, TCP = draw.CAPACITY, draw.SENT, draw.TARGET, draw.FLOW_COLOURS[1]
DELIVERED, QUEUE, COMPETING = draw.DELIVERED, draw.QUEUE, "#c58b2b"
RATE_WINDOW_S = 0.1  # of the rates that the control compares
LOSSY = (("live/loss5", 4e6, "5 % of random loss"), ("paths/policer", 2e6, "A policer"))
SHORT_S = 0.001  # of bins that hold one packet, seldom two
L4S_PATH_MS, L4S_SPAN_S = 25, (20, 50)  # one way, of the scenario; of what is measured there
LEAST_BURSTS, LOSS_TOLD_S = 5, 0.5  # of a rate; after a loss
LEAST_CHANGES, MOST_CHANGE = 20, 0.25  # of a slope; larger changes are steps, no frames


def run(lab, scenario, variables=(), settings=()):
    """The tables of a run's flows and links, by name."""
    with tempfile.TemporaryDirectory() as directory:
        command = [lab, "run", scenario, "-a", "sluice", "-s", str(SEED), "--out", directory,
                   "--set", f"vars.max_interval_ms={FEEDBACK_MS}"]
        for name in variables:
            command += ["--variable", name]
        for setting in settings:
            command += ["--set", setting]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Problem(f"{lab}: {error.strerror}; build it, or say --lab") from None
        if done.returncode:
            raise Problem(f"{scenario}: {done.stderr.strip() or 'the run failed'}")
        flows = lab_run.read_table(os.path.join(directory, "flows.csv"), lab_run.FLOW_COLUMNS)
        links = lab_run.read_table(os.path.join(directory, "links.csv"), lab_run.LINK_COLUMNS)
    return dict(tuple(flows.groupby("flow"))), dict(tuple(links.groupby("link")))


def megabits(table, column):
    """The rate of a column of bytes, a mean over half a second."""
    time_s = table["time_s"].to_numpy(float)
    bps = 8 * table[column].to_numpy(float) / lab_run.bin_lengths(time_s)
    return draw.smooth(time_s, bps) / 1e6


def panels(heights, title):
    figure, axes = pyplot.subplots(len(heights), 1, sharex=True, squeeze=False, dpi=125,
                                   figsize=(8, 1.2 * sum(heights)), height_ratios=heights,
                                   layout="constrained")
    axes[0, 0].set_title(title, loc="left", fontsize=11)
    axes[-1, 0].set_xlabel("seconds")
    return figure, axes[:, 0]


def legend(axes, room=1.1, columns=4, place="upper center"):
    axes.set_ylim(bottom=0, top=axes.get_ylim()[1] * room)
    axes.legend(ncols=columns, loc=place, frameon=False, fontsize=9)


def draw_link(axes, link):
    capacity = link["capacity_bps"] / 1e6
    axes.fill_between(link["time_s"], capacity, step="pre", color="#e9eef3", linewidth=0,
                      zorder=0.2)
    axes.step(link["time_s"], capacity, where="pre", color=CAPACITY, linewidth=1.5,
              label="capacity of the link")
    axes.set_ylabel("Mbit/s")


def draw_queue(axes, link, flow=None):
    axes.fill_between(link["time_s"], link["queue_ms"], color=QUEUE, linewidth=0, label="queue")
    if flow is not None:
        axes.plot(flow["time_s"], flow["target_queue_ns"] / 1e6, color=TARGET, linewidth=1.3,
                  label="its target")
    axes.set_ylabel("queue, ms")


def steer(lab):
    """Alone: the queue at its target, and growth when it is empty."""
    flows, links = run(lab, "live/step", ("rate_bps", "capacity_bps", "busy", "target_queue_ns"))
    flow, link = flows["media-1"], links["bottleneck"]
    figure, (rates, queue) = panels((2.6, 1.6), "Alone: the rate follows the link, the queue its target")
    draw_link(rates, link)
    known = flow["capacity_bps"].where((flow["capacity_bps"] > 0) & (flow["busy"] > 0)) / 1e6
    rates.plot(flow["time_s"], flow["rate_bps"] / 1e6, color=TARGET, linewidth=1.3, label="rate")
    rates.plot(flow["time_s"], known, ".", color=DELIVERED, markersize=3,
               label="capacity, as delivered while busy")
    draw_queue(queue, link, flow)
    legend(rates)
    legend(queue, 1.05)
    rates.set_xlim(0, 60)
    return figure


def predict(lab):
    """A capacity that falls: what feedback tells, what is predicted, what is met."""
    way_back_s = 0.1
    flows, links = run(lab, "live/step", ("predicted_queue_ns",),
                       (f"vars.rtt_ms={2000 * way_back_s:g}", "vars.queue_bytes=100000",
                        "sample_s=0.02"))
    flow, link = flows["media-1"], links["bottleneck"]
    figure, (queue,) = panels((3.6,), "The capacity falls from 2.5 to 1 Mbit/s, RTT 200 ms")
    draw_queue(queue, link)
    queue.collections[0].set_label("queue that a packet meets which leaves now")
    told_ms = (flow["delay_ms"] - flow["delay_ms"].min()).where(flow["received_bytes"] > 0)
    queue.plot(flow["time_s"] + way_back_s, told_ms.ffill(), color=SENT, linewidth=1.3,
               label="queue that feedback tells of")
    queue.plot(flow["time_s"], flow["predicted_queue_ns"] / 1e6, color=TARGET, linewidth=1.5,
               label="queue predicted")
    queue.set_xlim(19.8, 22.5)
    legend(queue, 1.05, 1, "upper right")
    return figure


def bursts(flow, column):
    """When bytes were sent or arrived, bins without left out, how many, and how many until then."""
    some = flow[flow[column] > 0]
    count = some[column].to_numpy(float)
    return some["time_s"].to_numpy(float), count, count.cumsum()


def lost_bytes(sent, sent_total, arrived, arrived_total, most):
    """How many bytes, `most` at most, had been lost before each burst that arrived: the last packets
    of frames are of sizes of their own, by which they are known again."""
    full, lost, known = numpy.median(sent), 0.0, numpy.zeros(len(arrived))
    for i, (size, total) in enumerate(zip(arrived, arrived_total)):
        first, end = numpy.searchsorted(sent_total, [total + lost - 1, total + most[i] + 1])
        same = numpy.flatnonzero(sent[first:end] == size) if size != full else ()
        lost = sent_total[first + same[0]] - total if len(same) else lost
        known[i] = lost if len(same) else numpy.nan
    return pandas.Series(known).bfill().ffill().to_numpy()


def window_rates(flow):
    """Times, and the rates at which the bytes that arrived in a window were sent and delivered."""
    sent_s, sent, sent_total = bursts(flow, "sent_bytes")
    arrived_s, arrived, arrived_total = bursts(flow, "received_bytes")
    told = numpy.median(sent) * flow["lost_packets"].cumsum()
    most = numpy.interp(arrived_s + LOSS_TOLD_S, flow["time_s"], told)
    lost = lost_bytes(sent, sent_total, arrived, arrived_total, most)
    index = numpy.searchsorted(sent_total, arrived_total + lost - 1).clip(max=len(sent) - 1)
    left_s, times_s, rates = sent_s[index], [], []
    for end_s in numpy.arange(2 * RATE_WINDOW_S, arrived_s[-1], FEEDBACK_MS / 1e3):
        first, end = numpy.searchsorted(arrived_s, [end_s - RATE_WINDOW_S, end_s])
        if end - first >= LEAST_BURSTS:
            span_s = [x[end - 1] - x[first] for x in (left_s, arrived_s)]
            times_s.append(end_s)
            rates.append((arrived_total[end - 1] - arrived_total[first]) / numpy.maximum(span_s, 1e-3))
    return numpy.array(times_s), numpy.array(rates)


def changes(flow, chosen):
    """Relative changes, from one feedback to the next, of what was sent and of what came of it."""
    ends_s, rates = window_rates(flow)
    steadily = chosen.astype(float).rolling(round(3 * RATE_WINDOW_S / SHORT_S), center=True).min()
    at = numpy.interp(ends_s, flow["time_s"], steadily.fillna(0.0)) >= 1.0
    ratio = 2 * (rates[1:] - rates[:-1]) / (rates[1:] + rates[:-1])
    few = (numpy.abs(ratio) < MOST_CHANGE).all(axis=1) & at[1:] & at[:-1]
    return ratio[few, 0], ratio[few, 1]


def draw_changes(axes, flow, chosen, title):
    sent, delivered = changes(flow, chosen)
    if len(sent) < LEAST_CHANGES:
        raise Problem(f"{title}: {len(sent)} changes are too few to draw")
    slope = (sent * delivered).sum() / (sent * sent).sum()
    axes.plot(100 * sent, 100 * delivered, ".", color=SENT, markersize=3, alpha=0.5)
    line = numpy.array([-100 * MOST_CHANGE, 100 * MOST_CHANGE])
    axes.plot(line, slope * line, color=TARGET, linewidth=1.5, label=f"slope {slope:.2f}")
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel("change of what is sent, %")
    axes.grid(color="#e3e7eb", linewidth=0.6)
    axes.legend(loc="upper left", framealpha=0.9, fontsize=9)


def company(lab):
    """Who shares the queue gets more by sending more."""
    figure, axes = pyplot.subplots(1, 2, sharex=True, sharey=True, figsize=(8, 3.6), dpi=125,
                                   layout="constrained")
    for place, scenario, title in ((axes[0], "live/const", "Alone"),
                                          (axes[1], "live/tcp1", "Beside a Reno")):
        flow = run(lab, scenario, ("busy",), (f"sample_s={SHORT_S}",))[0]["media-1"]
        during = flow["time_s"].between(15, 60)
        draw_changes(place, flow, (flow["busy"] > 0) & during, title)
    axes[0].set_ylabel("change of what is delivered, %")
    return figure


def mark(axes, flow, chosen, text):
    """Shades where something holds."""
    time_s, on = flow["time_s"].to_numpy(float), chosen.to_numpy(bool)
    axes.fill_between(time_s, 0, 1, where=on, transform=axes.get_xaxis_transform(), step="pre",
                      color=COMPETING, alpha=0.15, linewidth=0, zorder=0.5, label=text)


def compete(lab):
    """Beside a Cubic from 10 to 70 s."""
    flows, links = run(lab, "live/tcp_cubic", ("competing", "target_queue_ns"))
    flow, link = flows["media-1"], links["bottleneck"]
    figure, (rates, queue) = panels((2.6, 1.6), "Beside a Cubic, from 10 to 70 s")
    draw_link(rates, link)
    rates.plot(flow["time_s"], megabits(flow, "received_bytes"), color=SENT, linewidth=1.4,
               label="sluice")
    rates.plot(flow["time_s"], megabits(flows["cubic-1"], "received_bytes"), color=TCP,
               linewidth=1.1, label="Cubic")
    mark(rates, flow, flow["competing"] > 0, "competing")
    draw_queue(queue, link, flow)
    mark(queue, flow, flow["competing"] > 0, None)
    rates.set_xlim(0, 80)
    legend(rates, 1.15, 5)
    legend(queue, 1.2)
    return figure


def lost_share(flow):
    """Of a second's packets, in percent."""
    lost, sent = (flow[name].rolling(10, min_periods=1).sum() for name in ("lost_packets", "sent_packets"))
    return 100 * lost / sent.clip(lower=1)


def draw_losses(axes, lab, scenario):
    flow = run(lab, scenario, ("rate_bps", "loss_floor", "loss_trial"))[0]["media-1"]
    rates, lost = axes
    rates.plot(flow["time_s"], flow["rate_bps"] / 1e6, color=TARGET, linewidth=1.3, label="rate")
    mark(rates, flow, flow["loss_trial"] > 0, "trial")
    lost.plot(flow["time_s"], lost_share(flow), color=SENT, linewidth=1.1, label="lost")
    lost.plot(flow["time_s"], 100 * flow["loss_floor"], color=TARGET, linewidth=1.5, label="floor")
    mark(lost, flow, flow["loss_trial"] > 0, None)


def losses(lab):
    """Losses without a queue: of a link that always loses, and of a policer."""
    figure, axes = pyplot.subplots(2, 2, sharex=True, sharey="row", figsize=(8, 4.6), dpi=125,
                                   layout="constrained")
    for column, (scenario, limit_bps, title) in enumerate(LOSSY):
        draw_losses(axes[:, column], lab, scenario)
        axes[0, column].axhline(limit_bps / 1e6, color=CAPACITY, linewidth=1.5, label="capacity")
        axes[0, column].set_title(title, loc="left", fontsize=11)
        axes[1, column].set_xlabel("seconds")
        axes[1, column].set_xlim(0, 60)
    axes[0, 0].set_ylabel("Mbit/s")
    axes[1, 0].set_ylabel("lost in a second, %")
    legend(axes[0, 0], 1.15)
    legend(axes[1, 0], 1.1)
    return figure


def l4s(lab):
    """What the call's packets wait behind DualPI2, without ECN and with ECT(1)."""
    figure, axes = pyplot.subplots(1, 2, sharey=True, figsize=(8, 3.2), dpi=125, layout="constrained")
    for panel, cubics, title in zip(axes, (0, 1), ("Alone on 20 Mbit/s", "Beside a Cubic")):
        for ecn, label, colour in (("off", "without ECN", SENT), ("ect1", "ECT(1): L4S", TARGET)):
            flow = run(lab, "l4s", settings=(f"vars.ecn={ecn}", f"vars.cubics={cubics}",
                                             "vars.capacity_bps=20000000"))[0]["call"]
            flow = flow[flow["time_s"].between(*L4S_SPAN_S)]
            waited_ms = (flow["delay_ms"] - L4S_PATH_MS).where(flow["received_bytes"] > 0)
            panel.plot(flow["time_s"], waited_ms, color=colour, linewidth=1.3, label=label)
        panel.set_title(title, loc="left", fontsize=11)
        panel.set_xlabel("seconds")
        panel.set_xlim(L4S_SPAN_S)
    axes[0].set_ylabel("wait of the call's packets, ms")
    legend(axes[0])
    return figure


PICTURES = {"steer": steer, "predict": predict, "company": company, "compete": compete, "losses": losses,
            "l4s": l4s}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--lab", metavar="PROGRAM", help="the weir-lab to run")
    parser.add_argument("-o", "--output", metavar="DIRECTORY",
                        default=os.path.join(ROOT, "docs", "controllers"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}; all")
    options = parser.parse_args(arguments)
    try:
        unknown = [name for name in options.names if name not in PICTURES]
        if unknown:
            raise Problem(f"{unknown[0]}: no picture; there are {', '.join(PICTURES)}")
        lab = find_program(options.lab, ROOT)
        for name in options.names or PICTURES:
            figure = PICTURES[name](lab)
            save(figure, os.path.join(options.output, f"sluice-{name}.png"), figure.dpi, COLOURS_OF_A_FILE)
            pyplot.close(figure)
    except (Problem, LabError, OSError) as error:
        print(f"sluice_pictures: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
