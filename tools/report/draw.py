# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws a recording: panels above each other on one time axis, shares and distributions beside."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend is chosen first)
import numpy  # noqa: E402

from .recording import has  # noqa: E402

CAPACITY, SENT, DELIVERED, TARGET, LOSS, QUEUE = (
    "#7d8a97", "#2a6fb0", "#3b9a57", "#b3262e", "#b3262e", "#8fb4d9")
FLOW_COLOURS = ("#2a6fb0", "#c58b2b", "#3b9a57", "#8c5fb0", "#c2577a", "#4a9ea8", "#8a8d3b", "#a0623b")
MOST_NAMED = len(FLOW_COLOURS)  # MOST_FLOWS of recording.py
SMOOTH_S = 0.5


def smooth(time_s, values):
    """Mean over about half a second: single bins hold two or three frames only."""
    step_s = numpy.median(numpy.diff(time_s)) if len(time_s) > 1 else SMOOTH_S
    width = int(min(max(SMOOTH_S / max(step_s, 1e-9), 1), max(len(values), 1)))
    sums = numpy.cumsum(numpy.insert(numpy.nan_to_num(values), 0, 0.0))
    first = numpy.maximum(numpy.arange(1, len(values) + 1) - width, 0)
    return (sums[1:] - sums[first]) / (numpy.arange(1, len(values) + 1) - first)


def named_flows(recording):
    """The flows drawn one by one, largest first, and the rest."""
    ranked = sorted(recording.flows, key=lambda f: -numpy.nan_to_num(f.delivered_bps).sum())
    return ranked[:MOST_NAMED], ranked[MOST_NAMED:]


def draw_capacity(axes, link):
    axes.fill_between(link.time_s, link.capacity_bps / 1e6, step="pre", color="#e9eef3", linewidth=0)
    axes.step(link.time_s, link.capacity_bps / 1e6, where="pre", color=CAPACITY, linewidth=1.5,
              label="capacity")


def draw_one_flow(axes, flow, prefix=""):
    axes.plot(flow.time_s, smooth(flow.time_s, flow.sent_bps) / 1e6, color=SENT, linewidth=1.2,
              label=prefix + "sent")
    axes.plot(flow.time_s, smooth(flow.time_s, flow.delivered_bps) / 1e6, color=DELIVERED,
              linewidth=1.2, linestyle=(0, (4, 2)), label=prefix + "delivered")
    if has(flow.target_bps):
        axes.plot(flow.time_s, flow.target_bps / 1e6, color=TARGET, linewidth=1.6,
                  label=prefix + "target")


def draw_many_flows(axes, recording):
    named, rest = named_flows(recording)
    for colour, flow in zip(FLOW_COLOURS, named):
        axes.plot(flow.time_s, smooth(flow.time_s, flow.delivered_bps) / 1e6, color=colour,
                  linewidth=1.0, label=flow.name)
    for flow in rest:
        axes.plot(flow.time_s, smooth(flow.time_s, flow.delivered_bps) / 1e6, color="#b7bec5",
                  linewidth=0.4)


def media_flows(recording):
    return [flow for flow in recording.flows if has(flow.target_bps)]


def draw_rates(axes, recording):
    """One flow under control: all its rates. Several: what was delivered of each."""
    link = recording.bottleneck()
    media = media_flows(recording)
    if link is not None:
        draw_capacity(axes, link)
    if len(recording.flows) == 1:
        draw_one_flow(axes, recording.flows[0])
    elif len(media) == 1:
        others = [f for f in recording.flows if f is not media[0]]
        total = sum(smooth(f.time_s, f.delivered_bps) for f in others)
        axes.plot(others[0].time_s, total / 1e6, color=FLOW_COLOURS[1], linewidth=1,
                  label="others, together" if len(others) > 1 else others[0].name)
        draw_one_flow(axes, media[0], "" if len(others) > 1 else f"{media[0].name} ")
    else:
        draw_many_flows(axes, recording)
    finish_rates(axes)


def finish_rates(axes):
    axes.set_ylabel("Mbit/s on the wire")
    axes.set_ylim(bottom=0)
    axes.set_ylim(top=axes.get_ylim()[1] * 1.25)  # room for the legend and the names of spans
    axes.legend(ncols=5, loc="upper center", frameon=False, fontsize=9)


def draw_delay(axes, recording):
    link = recording.bottleneck()
    if link is not None and has(link.queue_ms):
        axes.fill_between(link.time_s, link.queue_ms, color=QUEUE, linewidth=0)
        axes.set_ylabel("queue, ms")
    else:
        for flow in recording.flows[:MOST_NAMED]:
            if has(flow.delay_ms):
                axes.fill_between(flow.time_s, flow.delay_ms, color=QUEUE, linewidth=0)
        queueing = all(f.delay_is_queueing for f in recording.flows)
        axes.set_ylabel("queueing delay, ms" if queueing else "delay, ms")
    axes.set_ylim(bottom=0)


def lost_packets(recording):
    """The ends of the bins, and what all flows lost in each."""
    time_s = recording.flows[0].time_s if recording.flows else numpy.zeros(0)
    same = [f for f in recording.flows if len(f.lost_packets) == len(time_s)]
    return time_s, sum((numpy.nan_to_num(f.lost_packets) for f in same), numpy.zeros(len(time_s)))


def draw_losses(axes, recording):
    time_s, lost = lost_packets(recording)
    shown = lost > 0
    axes.vlines(time_s[shown], 0, lost[shown], color=LOSS, linewidth=1)
    axes.set_ylabel("lost packets")
    axes.set_ylim(bottom=0, top=max(10, 1.2 * (lost.max() if len(lost) else 0)))


def draw_shares(axes, recording):
    """Who had how much of what was delivered."""
    named, rest = named_flows(recording)
    time_s = named[0].time_s
    rows = [smooth(f.time_s, f.delivered_bps) for f in named if len(f.time_s) == len(time_s)]
    names = [f.name for f in named]
    if rest:
        rows.append(sum(smooth(f.time_s, f.delivered_bps) for f in rest))
        names.append(f"{len(rest)} more")
    total = numpy.maximum(sum(rows), 1.0)
    axes.stackplot(time_s, [100 * row / total for row in rows], labels=names,
                   colors=FLOW_COLOURS + ("#b7bec5",), linewidth=0)
    axes.set_ylim(0, 100)
    axes.set_ylabel("share, %")
    axes.legend(ncols=5, loc="upper center", fontsize=7, framealpha=0.8)


def draw_distribution(axes, recording, series, label, scale):
    """Cumulative distribution over the bins."""
    named, _ = named_flows(recording)
    for colour, flow in zip(FLOW_COLOURS, named):
        values = series(flow)
        values = numpy.sort(values[numpy.isfinite(values)]) * scale
        if len(values):
            share = numpy.arange(1, len(values) + 1) / len(values)
            axes.step(values, share, where="post", color=colour, linewidth=1.2, label=flow.name)
    axes.set_xlabel(label)
    axes.set_ylabel("share of bins")
    axes.set_ylim(0, 1)
    axes.set_xlim(left=0)
    axes.grid(color="#e3e7eb", linewidth=0.6)
    if len(named) > 1:
        axes.legend(fontsize=7, frameon=False)


def mark_spans(axes, recording):
    for span in recording.spans:
        axes.axvspan(span.from_s, span.to_s, color="#c58b2b", alpha=0.10, linewidth=0)
        axes.text((span.from_s + span.to_s) / 2, 0.88, span.text, va="top",
                  transform=axes.get_xaxis_transform(), ha="center", color="#8a611d")


def time_panels(recording):
    """(drawing function, height) from top to bottom."""
    panels = [(draw_rates, 3.0), (draw_delay, 1.1), (draw_losses, 0.9)]
    if len(recording.flows) > 1:
        panels.append((draw_shares, 1.6))
    return panels


def distributions(recording):
    found = [(lambda f: smooth(f.time_s, f.delivered_bps), "delivered, Mbit/s", 1e-6)]
    if any(has(f.delay_ms) for f in recording.flows):
        queueing = all(f.delay_is_queueing for f in recording.flows)
        found.append((lambda f: f.delay_ms, "queueing delay, ms" if queueing else
                      "one-way delay, ms", 1.0))
    return found


def draw_time(recording, panels, axes):
    for (draw, _), place in zip(panels, axes):
        draw(place, recording)
        place.tick_params(labelbottom=place is axes[-1])
    axes[0].set_title(recording.title, loc="left")
    axes[0].set_xlim(0, recording.end_s())
    mark_spans(axes[0], recording)
    axes[-1].set_xlabel("seconds")


def timeline(recording):
    """The figure with everything that goes over time."""
    panels = time_panels(recording)
    heights = [height for _, height in panels]
    figure, axes = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, dpi=120,
                                   figsize=(10, 1.4 * sum(heights)), height_ratios=heights,
                                   layout="constrained")
    draw_time(recording, panels, axes[:, 0])
    return figure


def distribution_figure(recording):
    found = distributions(recording)
    figure, axes = pyplot.subplots(1, len(found), squeeze=False, figsize=(10, 3.2), dpi=120,
                                   layout="constrained")
    for place, (series, label, scale) in zip(axes[0], found):
        draw_distribution(place, recording, series, label, scale)
    return figure


def draw_delivered(axes, recording):
    """What each flow got of the link; of a flow alone all its rates."""
    if len(recording.flows) == 1:
        draw_rates(axes, recording)
        return
    link = recording.bottleneck()
    if link is not None:
        draw_capacity(axes, link)
    draw_many_flows(axes, recording)
    finish_rates(axes)
    axes.set_ylabel("delivered, Mbit/s")


def draw_delay_and_losses(axes, recording):
    """A mark at the top for each bin with losses: a full queue and what it drops are seen together."""
    draw_delay(axes, recording)
    axes.set_ylim(top=axes.get_ylim()[1] * 1.15)
    time_s, lost = lost_packets(recording)
    if (lost > 0).any():
        axes.vlines(time_s[lost > 0], 0.9, 1.0, transform=axes.get_xaxis_transform(), color=LOSS,
                    linewidth=1, label="packets lost")
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), fontsize=9, frameon=False)


def summary(recording):
    """The picture: who got how much, and how long packets waited."""
    panels = [(draw_delivered, 2), (draw_delay_and_losses, 1)]
    figure, axes = pyplot.subplots(2, 1, sharex=True, figsize=(8, 4.5), dpi=150,
                                   height_ratios=[height for _, height in panels], layout="constrained")
    draw_time(recording, panels, axes)
    return figure
