# SPDX-License-Identifier: LGPL-2.1-or-later
"""The section of docs/repair.md about live runs beside Chromium, and its picture: from results of tools/race."""
import textwrap

from report import draw  # (before pyplot: it chooses the backend)
from matplotlib import pyplot
import live_figures
from arithmetic import median
from live_scenarios import REPAIR
from rivals import compare, page, plan

HEADING = "## Live, beside Chromium"
SENDERS = PLAIN, WITH_FEC, OTHER = "sluice", "sluice+repair", "chromium"
RUNS = 3
COLUMNS = tuple(compare.FIGURES[name] for name in ("shown", "frozen_s", "held_frozen_s", "latency_p95_ms", "made_bps", "used"))
JUDGED = ("shown", "frozen_s", "latency_p95_ms")  # where one can be better than another
NAMES = {PLAIN: "sluice", WITH_FEC: "sluice, repair=auto", OTHER: "Chromium"}
COLOURS = dict(zip(SENDERS, (draw.FLOW_COLOURS[2], draw.FLOW_COLOURS[3], draw.FLOW_COLOURS[0])))
MARKS = dict(zip(SENDERS, "osD"))
FIRST_S, LAST_S = REPAIR[0].window_s

TEXT = """{heading}

What do real calls have of it, and what does Chromium do with the same losses? Runs of `tools/race`,
as root, which makes what is missing in [repair.jsonl](repair.jsonl); the second line writes this
section and leaves the others as they are:

    tools/race --jobs 4 --results docs/repair.jsonl --no-pairs --runs {runs} \\
      --senders {senders} \\
      {names}
    tools/report/repair_page.py --live-only

The senders, the meter and what makes a run count are those of [rivals.md](rivals.md), and so is
what could not be made equal. The link has 2 Mbit/s, a round trip of 100 ms and 100 ms of queue, and
loses packets on the way of the media only. All three ask for lost packets and send them again:
`sluice` does nothing else, `sluice+repair` has `repair=auto` with FEC (*both* of the tables above),
and Chromium does as it finds right.

![Frames that were not shown, and seconds in which the picture stood, by loss](repair-live.png)

* **shown**: frames that came out of the decoder, of those that went into the encoder. Of Chromium,
  as many as its decoder made, of those that its camera gave: it may still leave out some on the
  screen.
* **frozen**: seconds of {length_s:g} in which a picture stood longer than 183 ms: at the decoder's output, or
  in Chromium's page. Before that Chromium holds frames back, so that late ones come in time.
* **frozen if held**: the same of `sluice`, if each frame were held back as well: until {hold_ms:.0f} ms after
  it went into the encoder, or until it comes, if that is later. That is what the page of
  [examples/webrtc](webrtc.md) asks of a browser's jitter buffer. It is computed from the times.
* **delay**: from the encoder's input to the decoder's output, 95th percentile. Chromium does not
  tell. The jitter buffers of both `sluice` wait for a missing packet for {wait_ms} ms; `sluice+repair`
  has one of {fec_wait_ms} ms beside it, behind which FEC repairs: [early_fec.py](../examples/early_fec.py).
* **media**: what the encoder made, Mbit/s. **used**: what the link delivered of its capacity, with
  headers, FEC and packets sent again. Each cell is the median of {runs} runs, or of those there
  are, with minimum and maximum where they differ.

{table}

{seen}
"""


def loss_of(scenario):
    """As a row says it."""
    loss, burst = scenario.forward_loss
    return f"{100 * loss:g} %" + (f" in bursts of {burst}" if burst > 1 else "")


def in_bursts(scenario):
    return scenario.forward_loss[1] > 1


def runs_of(results):
    """{(scenario's name, sender): those that count}"""
    found = page.group(results, plan.BY_NAME)
    return {(one.name, sender): page.good(found.get(plan.Cell(one.name, (sender,)), []))
            for one in REPAIR for sender in SENDERS}


def has_runs(results):
    """Whether there is one of full length."""
    return bool(page.group(results, plan.BY_NAME))


def table(results):
    found = page.group(results, plan.BY_NAME)
    heads = ["loss", "sender", *(one.head for one in COLUMNS), "runs"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for scenario in REPAIR:
        for sender in SENDERS:
            runs = found.get(plan.Cell(scenario.name, (sender,)), [])
            figures = [compare.cell(one, page.good(runs)) for one in COLUMNS]
            lines.append("| " + " | ".join([loss_of(scenario), sender, *figures, page.runs_text(runs, RUNS)]) + " |")
    return "\n".join(lines)


def middle(runs, name):
    """The median; None: they do not tell."""
    values = compare.values(runs, name)
    return median(values) if values else None


def span(values, digits, scale=1):
    """The least and the greatest of some numbers, in words."""
    texts = [f"{scale * value:.{digits}f}" for value in (min(values), max(values))]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def medians_words(runs, scenarios):
    """What each sender had of these losses."""
    words = []
    for sender in SENDERS:
        shown, frozen = ([value for one in scenarios if (value := middle(runs[one.name, sender], name)) is not None]
                         for name in ("shown", "frozen_s"))
        if shown and frozen:
            words.append(f"`{sender}` {span(shown, 1, 100)} % and {span(frozen, 1)} s")
    return ", ".join(words)


def comparison(runs, scenarios, ours, theirs):
    """In how many rows one is better, figure by figure; nothing: it cannot be said."""
    words = []
    for name in JUDGED:
        said = [compare.verdict(name, runs[one.name, ours], runs[one.name, theirs]) for one in scenarios]
        said = [one for one in said if one is not None]
        if said:
            head = compare.FIGURES[name].head.rsplit(" ", 1)[0]
            words.append(f"**{head}** better in {said.count(+1)}, worse in {said.count(-1)} of {len(said)}")
    return f"`{ours}` beside `{theirs}`: {'; '.join(words)}." if words else ""


def media_words(runs, scenarios):
    """How much less the encoder makes where there is FEC."""
    pairs = [[middle(runs[one.name, sender], "made_bps") for sender in (WITH_FEC, PLAIN)] for one in scenarios]
    parts = [ours / theirs for ours, theirs in pairs if ours is not None and theirs]
    return f"the encoder of `{WITH_FEC}` makes {span(parts, 0, 100)} % of that of `{PLAIN}`" if parts else ""


def seen(runs):
    """Counted, not claimed."""
    lossy = [one for one in REPAIR if one.forward_loss[0] > 0]
    kinds = {"lost by chance": [one for one in lossy if not in_bursts(one)],
             "lost in bursts": [one for one in lossy if in_bursts(one)]}
    bullets = []
    for kind, scenarios in kinds.items():
        medians, media = medians_words(runs, scenarios), media_words(runs, scenarios)
        if medians:
            bullets.append(f"Packets {kind}, frames shown and time frozen: {medians}" + (f"; {media}." if media else "."))
    pairs = [words for ours, theirs in ((WITH_FEC, PLAIN), (WITH_FEC, OTHER), (PLAIN, OTHER))
             if (words := comparison(runs, lossy, ours, theirs))]
    if pairs:
        bullets.append("Rows with losses in which the runs of the two do not overlap. " + " ".join(pairs))
    return "\n".join(textwrap.fill("* " + one, 100, subsequent_indent="  ", break_long_words=False,
                                   break_on_hyphens=False) for one in bullets)


def section(results, wait_ms, fec_wait_ms):
    """wait_ms: of the jitter buffers in the lab; fec_wait_ms: of the one before the decoder of FEC."""
    return TEXT.format(heading=HEADING, runs=RUNS, senders=",".join(SENDERS), length_s=LAST_S - FIRST_S, wait_ms=wait_ms,
                       fec_wait_ms=fec_wait_ms, hold_ms=1000 * live_figures.HOLD_S,
                       names=" ".join(one.name for one in REPAIR), table=table(results), seen=seen(runs_of(results)))


def with_section(text, words):
    """The page with this section at its end, in the place of an older one."""
    return text.split(f"\n{HEADING}\n", 1)[0].rstrip("\n") + "\n\n" + words


def draw_line(axes, runs, scenarios, sender, name, value):
    """Medians, with the range of the runs."""
    points = [(100 * one.forward_loss[0], sorted(map(value, compare.values(runs[one.name, sender], name))))
              for one in scenarios]
    points = [(at, values) for at, values in points if values]
    if not points:
        return
    losses, middles = [at for at, _ in points], [median(values) for _, values in points]
    around = [[middle - values[0] for (_, values), middle in zip(points, middles)],
              [values[-1] - middle for (_, values), middle in zip(points, middles)]]
    axes.errorbar(losses, middles, around, color=COLOURS[sender], marker=MARKS[sender], markersize=5, capsize=2,
                  label=NAMES[sender])


def picture(results):
    runs = runs_of(results)
    figure, all_axes = pyplot.subplots(2, 2, figsize=(8, 5), sharex=True, sharey="row")
    lines = (("shown", lambda part: 100 * (1 - part), "frames not shown, %"), ("frozen_s", float, "frozen, s"))
    for row, (name, value, label) in zip(all_axes, lines):
        for axes, bursts in zip(row, (False, True)):
            scenarios = [one for one in REPAIR if in_bursts(one) == bursts or one.forward_loss[0] == 0]
            for sender in SENDERS:
                draw_line(axes, runs, scenarios, sender, name, value)
            axes.grid(alpha=0.3)
        row[0].set_ylim(bottom=0)
        row[0].set_ylabel(label)
    for axes, title in zip(all_axes[0], ("packets lost by chance", "in bursts of 5")):
        axes.set_title(title)
    for axes in all_axes[1]:
        axes.set_xlabel("packets lost, %")
    if handles := all_axes[0][0].get_legend_handles_labels()[0]:
        all_axes[0][0].legend(handles=handles, loc="upper left")
    figure.tight_layout()
    return figure
