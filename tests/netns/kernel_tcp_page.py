# SPDX-License-Identifier: LGPL-2.1-or-later
"""The results as lines, as a page with a table, and as a picture."""
import os
import textwrap

import race

COLOURS = {"tfrc": "#3b6ea5", "warc": "#d98032", "arc": "#4f9d69"}
OTHER_COLOUR = "#8a8f98"

TEXT = """# Against the kernel's TCP

How does a live media flow share a bottleneck with the kernel's TCP?

One media flow (`weirsend` to `weirrecv`, over UDP) and one flow of Linux {linux}'s TCP
(`iperf3 -C`) share a bottleneck of [`weir-link`](link.md) between two network namespaces. This page
is written, as root, by

    /usr/bin/python3 tests/netns/kernel_tcp.py --full --page docs/kernel-tcp.md

* The queue is DropTail and holds {queue_ms} ms at the capacity. The bandwidth-delay product of
  2 Mbit/s and 40 ms would be 7 packets, less than one frame of video.
* In place of an encoder the media source makes 30 frames a second of exactly the size that
  `target-bitrate` asks for, from {least:g} kbit/s to twice the capacity. So the algorithm alone is
  measured, and the processor can run several races side by side.
* TCP starts {behind} s after the media flow. The first {start} s are not counted, the {measure:g} s
  after them are.
* *Share* is the media flow's part of the throughput of both; *used* is the throughput of both as a
  part of the capacity (IP bytes); *queue* is how long an arriving packet would have waited (median
  and 95th percentile, sampled every {log} ms); *loss* is what the queue dropped, of the media
  flow's packets and of all packets.

![Shares]({picture})

The line at a half is an equal share. The mean over all capacities and round trips:

{summary}

Each figure is from one run. In such a queue a cycle of TCP takes tens of seconds, so another run
differs by some points.

{table}

{machine}
"""


def percent(value, digits=0):
    return "" if value is None else f"{100 * value:.{digits}f} %"


def line(_race, result):
    if isinstance(result, str):
        return f"FAILED: {result}"
    parts = [f"share {percent(result.share)}" if result.share is not None else "alone", f"used {percent(result.utilisation)}",
             f"queue {result.queue_p50_ms:.0f}/{result.queue_p95_ms:.0f} ms", f"loss {percent(result.loss, 2)}"]
    if result.media_loss is not None:
        parts.append(f"media loss {percent(result.media_loss, 2)}")
    return ", ".join(parts)


def table(results):
    rows = ["| Mbit/s | RTT | | against | share | media | TCP | used | queue p50 | p95 | loss media | all |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for a_race, r in results.items():
        head = f"| {a_race.capacity_bps / 1e6:g} | {a_race.rtt_ms:g} ms | {a_race.algorithm} | {a_race.tcp} |"
        if isinstance(r, str):
            rows.append(f"{head} FAILED: {r} | | | | | | | |")
        else:
            rows.append(f"{head} {percent(r.share)} | {r.media_bps / 1e6:.2f} | {r.tcp_bps / 1e6:.2f} | {percent(r.utilisation)} | "
                        f"{r.queue_p50_ms:.0f} ms | {r.queue_p95_ms:.0f} ms | {percent(r.media_loss, 2)} | {percent(r.loss, 2)} |")
    return "\n".join(rows)


def summary(results):
    """Mean shares, a row per algorithm and a column per TCP."""
    good = good_results(results)
    tcps = ordered(r.tcp for r in good)
    rows = ["| mean share against | " + " | ".join(tcps) + " |", "|---" * (1 + len(tcps)) + "|"]
    for algorithm in ordered(r.algorithm for r in good):
        shares = [[x.share for r, x in good.items() if (r.algorithm, r.tcp) == (algorithm, tcp)] for tcp in tcps]
        rows.append(f"| {algorithm} | " + " | ".join(percent(sum(s) / len(s)) if s else "" for s in shares) + " |")
    return "\n".join(rows)


def good_results(results):
    return {a_race: result for a_race, result in results.items() if not isinstance(result, str)}


def worst(results, field):
    return max((getattr(r, field) or 0.0 for r in good_results(results).values()), default=0.0)


def machine_text(results, about):
    return textwrap.fill(
        f"Measured on {about['day']}. Linux {about['linux']}, {about['processors']} processors, {about['jobs']} races side by side, load average "
        f"{about['loads'][0]} before and {about['loads'][1]} at the end, {about['took_s'] / 60:.0f} minutes. "
        f"In the worst race weir-link sent 99 % of the packets less than {worst(results, 'late_p99_ms'):.2f} ms late. "
        f"The latest frame of all sources was {worst(results, 'source_late_ms'):.0f} ms late; on a busy machine that "
        "costs media flows some of their share.", 100)


def closing(results, about):
    failed = [result for result in results.values() if isinstance(result, str)]
    return f"{len(results)} races, {len(failed)} failed. {machine_text(results, about)}"


def ordered(values):
    return list(dict.fromkeys(values))


def draw_panel(axes, results, capacity_bps, rtt_ms):
    here = {(r.algorithm, r.tcp): x for r, x in good_results(results).items() if (r.capacity_bps, r.rtt_ms) == (capacity_bps, rtt_ms)}
    algorithms, tcps = ordered(a for a, _ in here), ordered(t for _, t in here)
    width = 0.8 / max(len(algorithms), 1)
    for i, algorithm in enumerate(algorithms):
        places = [k + (i - (len(algorithms) - 1) / 2) * width for k in range(len(tcps))]
        shares = [100 * here[algorithm, tcp].share if (algorithm, tcp) in here else 0.0 for tcp in tcps]
        axes.bar(places, shares, width * 0.92, color=COLOURS.get(algorithm, OTHER_COLOUR), label=algorithm)
    axes.axhline(50, color="#444444", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(tcps)), tcps)
    axes.set_ylim(0, 100)
    axes.set_title(f"{capacity_bps / 1e6:g} Mbit/s, {rtt_ms:g} ms", fontsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw(path, results):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    capacities = ordered(r.capacity_bps for r in results)
    rtts = ordered(r.rtt_ms for r in results)
    figure, panels = pyplot.subplots(len(rtts), len(capacities), sharey=True, squeeze=False,
                                     figsize=(1.5 + 2.6 * len(capacities), 0.8 + 2.1 * len(rtts)))
    for i, rtt_ms in enumerate(rtts):
        for k, capacity_bps in enumerate(capacities):
            draw_panel(panels[i][k], results, capacity_bps, rtt_ms)
        panels[i][0].set_ylabel("share of the media flow, %", fontsize=8)
    panels[0][0].legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)


def write(path, results, about):
    picture = os.path.splitext(path)[0] + ".png"
    draw(picture, results)
    import media
    text = TEXT.format(linux=about["linux"], queue_ms=race.QUEUE_MS, least=media.MIN_BPS / 1000, behind=race.BEHIND_S, start=race.START_S,
                       measure=about["measure_s"], log=race.LOG_MS, picture=os.path.basename(picture), table=table(results), summary=summary(results),
                       machine=machine_text(results, about))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
