# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws a run: the rates above, the queue and the losses below, on one time axis."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend is chosen first)


def smooth(samples, field, width=5):
    """Mean of the last `width` samples: a tenth of a second holds two or three frames only."""
    values = [getattr(s, field) for s in samples]
    return [sum(values[max(0, i - width + 1):i + 1]) / len(values[max(0, i - width + 1):i + 1])
            for i in range(len(values))]


def draw(samples, phases, title, path):
    time_s = [s.time_s for s in samples]
    figure, (rates, queue) = pyplot.subplots(
        2, 1, sharex=True, figsize=(10, 5.6), dpi=120, height_ratios=[3, 1], layout="constrained")
    megabits = lambda values: [v / 1e6 for v in values]
    rates.fill_between(time_s, megabits(s.capacity_bps for s in samples), step="post",
                       color="#e9eef3", linewidth=0)
    rates.step(time_s, megabits(s.capacity_bps for s in samples), where="post", color="#7d8a97",
               linewidth=1.5, label="capacity")
    if any(s.cross_bps for s in samples):
        rates.plot(time_s, megabits(smooth(samples, "cross_bps")), color="#c58b2b", linewidth=1,
                   label="TCP, together")
    rates.plot(time_s, megabits(smooth(samples, "sent_bps")), color="#2a6fb0", linewidth=1.2,
               label="sent")
    rates.plot(time_s, megabits(smooth(samples, "delivered_bps")), color="#3b9a57", linewidth=1.2,
               linestyle=(0, (4, 2)), label="delivered")
    rates.plot(time_s, megabits(s.target_bps for s in samples), color="#b3262e", linewidth=1.6,
               label="target")
    for phase in phases:
        if phase.competitors:
            rates.axvspan(phase.start_s, phase.end_s, color="#c58b2b", alpha=0.10, linewidth=0)
            rates.text((phase.start_s + phase.end_s) / 2, 0.03, f"{phase.competitors} TCP flows",
                       transform=rates.get_xaxis_transform(), ha="center", color="#8a611d")
    rates.set_ylabel("Mbit/s on the wire")
    rates.set_ylim(bottom=0)
    rates.set_title(title, loc="left")
    rates.legend(ncols=5, loc="upper center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=9)
    rates.set_ylim(top=rates.get_ylim()[1] * 1.12)

    queue.fill_between(time_s, [s.queue_ms for s in samples], color="#8fb4d9", linewidth=0)
    queue.set_ylabel("queue, ms")
    queue.set_ylim(bottom=0)
    losses = queue.twinx()
    losses.vlines(time_s, 0, [s.lost_packets for s in samples], color="#b3262e", linewidth=1)
    losses.set_ylabel("lost packets", color="#b3262e")
    losses.set_ylim(bottom=0, top=max(10, 2 * max((s.lost_packets for s in samples), default=0)))
    queue.set_xlabel("seconds")
    queue.set_xlim(0, time_s[-1] if time_s else 1)
    figure.savefig(path)
