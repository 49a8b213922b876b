# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of live runs as a line, as tables, and as the page docs/live.md."""
import collections
import textwrap

import live_scenarios
from arithmetic import median

TEXT = """# Live: twelve scenarios with real pipelines and the kernel's TCP

How does a whole call do on a path, from camera to screen, alone and beside TCP? This page is
written, as root, by

    {command}

* **The call**: {source}, 640x360 at 30 frames/s, `x264enc` (zerolatency,
  superfast), `rtph264pay`, retransmission, `weirsend` (min 150 kbit/s, max 5 Mbit/s, start
  500 kbit/s), an RTP session, UDP; then UDP, an RTP session, a jitter buffer, `avdec_h264`. Each
  end is a process in its own network namespace.
* **The path** is one of [`weir-link`](link.md): real packets, one DropTail queue. **TCP** is
  `iperf3` with Linux {linux}.
* **used**: what the forward direction delivered (IP bytes of all flows), as a part of the
  capacity.
* **q50, q95**: quantiles of the queue at the bottleneck, sampled every 10 ms. **q95 pk**: the 95th
  percentile of the packets' waiting times.
* **t90**: time from the first media packet to the end of the first half second with a rate of 0.9
  of the capacity. **up**: the same from the return of the capacity (`step`) or of the source
  (`silent`).
* **media, TCP**: delivered, Mbit/s. In `rev` TCP is that of the reverse direction.
* **loss**: media packets dropped by the queue.
* **delay**: of a frame, from the encoder's input to the decoder's output. No playout delay is
  added: packets in order do not wait in the jitter buffer, which waits up to 1 s for a missing
  packet. Chromium's buffer adds its own jitter allowance, and its frames wait for the display.
* **frozen**: total duration of freezes, frames shown for longer than 183 ms, in seconds. **shown**:
  the share of the encoder's input frames that came out of the decoder.

Most scenarios are judged over seconds 10 to 60; those with a TCP while it runs; `selffair` from
20 s after the second flow's start; `silent` over the 2 s after the silence. The scenarios are those
of `scenarios/live/`, which [`weir-lab` simulates](scenarios.md#the-live-cases).

Each cell is the median of the runs, with minimum and maximum where they differ, and bold where it
meets the bound in the column *wanted*. Runs on a busy machine are repeated and not counted: 1 % of
the packets more than {late_ms:g} ms late, 1 % of the frames more than {source_late_ms:g} ms late, or other programs of
normal priority or the hypervisor at work.

| scenario | what |
|---|---|
{scenarios}

{tables}

{closing}

## What differs from the lab

* x264 makes the frames, not a model with 300 ms of lag and 15 % of noise. The clip has a cut every
  1.5 to 2 s. After each cut x264 makes 0.8 to 0.9 of its target for a second, then briefly more
  than the link carries. On average it makes 3 to 5 % too little, for which the target makes up
  after 10 s; the gaps and bursts remain.
* The pacer wakes when the machine lets it, and sends packets due within 5 ms together; the lab's
  sends each packet at its exact nanosecond. With a buffer of ten packets (`shallow`) that matters,
  and so do probes.
* The receiver requests lost packets, and a key frame when that was not enough; both count as media
  here. In the lab only flows with `resend_ms` do.
* TCP is the kernel's, and its connection begins with a handshake through the link.
* Feedback shares its RTCP session with NACK, PLI and reports, and its receiver depends on the
  machine's threads and timers.
* With receiver reports alone `const` uses 0.07 less than in the lab (0.96), more than the 0.03 of
  other formats. What blurs the queue that they show was not traced.
* `cell` is a random walk by the same rule with other random numbers.
* The queue is sampled every 10 ms; the lab samples it at a random instant in each 10 ms.
"""

HEADS = {"weirrecv": "`weirrecv` at the far end", "chromium": "Chromium at the far end (TWCC)",
         "twcc": "A stock RTP session at the far end, TWCC prompt",
         "twcc-throttled": "A stock RTP session at the far end, TWCC throttled",
         "rr": "Receiver reports only"}

Column = collections.namedtuple("Column", "head figures scale digits")
COLUMNS = (
    Column("used", ("used",), 1, 2), Column("q50 ms", ("q50_ms",), 1, 0),
    Column("q95 ms", ("q95_ms",), 1, 0), Column("q95 pk ms", ("q95_packets_ms",), 1, 0),
    Column("t90 s", ("t90_s",), 1, 1), Column("up s", ("up_s",), 1, 1),
    Column("media Mbit/s", ("media_bps",), 1e-6, 2), Column("TCP", ("tcp_bps",), 1e-6, 2),
    Column("Jain", ("jain",), 1, 3), Column("loss %", ("loss",), 100, 2),
    Column("delay p50 ms", ("latency_p50_ms",), 1, 0),
    Column("p95 ms", ("latency_p95_ms",), 1, 0), Column("frozen s", ("frozen_s",), 1, 1),
    Column("shown", ("shown",), 1, 2))


def number(column, value):
    return "never" if value in (None, float("inf")) else f"{column.scale * value:.{column.digits}f}"


def figure_of(column, runs):
    """The first of the column's figures that these runs have; None: they have none."""
    return next((name for name in column.figures if any(name in run["figures"] for run in runs)), None)


def never_last(values):
    """None, which means never, is more than any number."""
    return [float("inf") if value is None else value for value in values]


def is_met(bound, runs):
    """Whether the runs are as a Bound wants them."""
    values = never_last([run["figures"].get(bound.figure) for run in runs])
    return all(map(bound.holds, values if bound.every_run else [median(values)]))


def spread(column, values):
    """Median of sorted values, with minimum and maximum where they differ."""
    middle, least, most = (number(column, value) for value in (median(values), values[0], values[-1]))
    return middle if least == most else f"{middle} [{least}, {most}]"


def cell(column, runs, scenario):
    name = figure_of(column, runs)
    if name is None:
        return ""
    text = spread(column, sorted(never_last([run["figures"].get(name) for run in runs])))
    wishes = [] if is_trial(runs[0], scenario) else [b for b in scenario.wanted if b.figure == name]
    return f"**{text}**" if wishes and all(is_met(bound, runs) for bound in wishes) else text


def bound_text(bound):
    column = next(column for column in COLUMNS if bound.figure in column.figures)
    sign, value = ("≥", bound.least) if bound.least is not None else ("≤", bound.most)
    if bound.least is not None and bound.most is not None:
        return f"{column.head} {column.scale * bound.least:g} to {column.scale * bound.most:g}"
    return f"{column.head} {sign} {column.scale * value:g}"


def wanted_text(scenario):
    return ", ".join(bound_text(bound) for bound in scenario.wanted)


def line(result):
    """Of one run, for the terminal."""
    if "error" in result:
        return f"FAILED: {result['error']}"
    parts = [f"{column.head} {number(column, result['figures'][name])}" for column in COLUMNS
             if (name := figure_of(column, [result]))]
    machine = result["machine"]
    parts.append(f"late {machine['late_ms_p99']:.2f}/{machine['source_late_ms']:.0f} ms, "
                 f"processors {machine['own']:.2f}+{machine['foreign']:.2f}")
    return ", ".join(parts) + (f"  BUSY: {'; '.join(result['busy'])}" if result["busy"] else "")


def is_trial(result, scenario):
    """Of another length than the scenario's: not judged."""
    return result["seconds"] != scenario.duration_s


def is_good(result):
    return "error" not in result and not result["busy"]


def row(scenario, algorithm, results):
    good = [result for result in results if is_good(result)]
    busy = sum("error" not in result and bool(result["busy"]) for result in results)
    failed = sum("error" in result for result in results)
    runs = f"{len(good)}" + (f", {busy} busy" if busy else "") + (f", {failed} failed" if failed else "")
    cells = [cell(column, good, scenario) if good else "" for column in COLUMNS]
    trial = f", {results[0]['seconds']:g} s" if is_trial(results[0], scenario) else ""
    return f"| {scenario.name}{trial} | {algorithm} | " + " | ".join(cells) + \
        f" | {wanted_text(scenario)} | {runs} |"


def table(results, receiver):
    """A row per scenario and algorithm."""
    groups = collections.defaultdict(list)
    for result in results:
        if result["receiver"] == receiver:
            groups[result["scenario"], result["algorithm"], result["seconds"]].append(result)
    heads = ["scenario", "algorithm", *(column.head for column in COLUMNS), "wanted", "runs"]
    rows = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for scenario in live_scenarios.SCENARIOS + live_scenarios.VARIATIONS + live_scenarios.LONG + live_scenarios.ECN:
        rows += [row(scenario, algorithm, group) for (name, algorithm, _), group in groups.items()
                 if name == scenario.name]
    return "\n".join(rows)


def tables(results):
    receivers = [name for name in HEADS if any(r["receiver"] == name for r in results)]
    return "\n\n".join(f"## {HEADS[name]}\n\n{table(results, name)}" for name in receivers)


def closing(results, about):
    good = [result for result in results if is_good(result)]
    failed = sum("error" in result for result in results)
    busy = len(results) - len(good) - failed
    worst = lambda name: max((result["machine"][name] for result in good), default=0.0)
    return textwrap.fill(
        f"{len(results)} runs, {failed} failed, {busy} on a busy machine; {about['jobs']} at a time. Linux "
        f"{about['linux']}, {about['processors']} processors. In the runs that count, 99 % of the packets left "
        f"weir-link less than {worst('late_ms_p99'):.2f} ms late, 99 % of the frames were less than "
        f"{worst('source_late_ms'):.0f} ms late, and up to {worst('own'):.1f} processors were used.", 100)


def write(path, results, about):
    import live_machine
    scenarios = "\n".join(f"| {one.name} | {one.words} |"
                          for one in live_scenarios.SCENARIOS + live_scenarios.VARIATIONS)
    text = TEXT.format(command=about["command"], source=about["source"], linux=about["linux"],
                       late_ms=live_machine.MOST_LATE_MS, scenarios=scenarios,
                       source_late_ms=live_machine.MOST_SOURCE_LATE_MS, tables=tables(results),
                       closing=closing(results, about))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
