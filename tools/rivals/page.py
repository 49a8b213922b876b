# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/rivals.md from whatever results there are; what is missing is named."""
import collections
import pathlib
import textwrap

import live_scenarios
from . import compare, pictures, plan, senders, store

TEXT = """# Rivals: Weir beside other senders

How does Weir compare with `rtpgccbwe`, with Chromium, with pion? This page is written, as root, by

    tools/setup build race
    tools/race --jobs 6 --results docs/rivals.jsonl --page docs/rivals.md

which makes what is missing in [rivals.jsonl](rivals.jsonl), all runs until now. One row for
each sender is made and printed by

    tools/setup build race && tools/race step --senders sluice,rtpgccbwe --no-pairs

`rtpgccbwe` needs cargo 1.92 and pion Go 1.24; Debian 12 has older ones, and without these the two
are skipped by name. Chromium is Debian's.

* **The senders** run as their users run them, each with its own far end ([below](#the-senders)),
  from 150 kbit/s to 5 Mbit/s, beginning with 500 kbit/s, 30 frames/s.
* **The path** is one of [`weir-link`](link.md), the scenarios are those of [live.md](live.md).
  **The meter** is the link as well: the same for each sender, whatever it says of itself.
* **used**: what was delivered, as a part of the capacity. **q50, q95**: of the queue, sampled every
  10 ms. **t90**: time until 0.9 of the capacity was used for half a second. **up**: the same from
  the return of the capacity or the source. **media, TCP**: delivered, Mbit/s. **loss**: media
  packets dropped by the queue. **gaps**: all times in which nothing of the flow arrived for longer
  than 183 ms. **frozen**: all times for which a picture stood longer than that, as the decoder's
  output or Chromium's page tells.
* **delay**: of a frame, from the encoder's input to the decoder's output. Chromium does not tell.
  pion decodes nothing: a frame of its own is there when its last missing packet is, whatever became
  of the frames before it, so its **frozen** is too small.
* Each cell is the median of the runs, with minimum and maximum where they differ. A run counts when
  the machine had time for it and each sender was alive: frames came to its encoder, the encoder
  made at least 0.7 of what it was asked for, and feedback came. The others are named.

{overview}{gaps}

## Better and worse

Medians of `{ours}` and of the other, where their runs do not overlap: the worst of one is better
than the best of the other. Each has two runs at least. Two senders that do not differ would be told
apart by chance in one figure of three with two runs each, of five with two and three, of ten with
three each. So with fewer than three runs a row is a hint, and no single figure is proof.

{comparisons}

## Alone, and beside kernel TCP

{alone}

{meetings}

## The senders

{words}

## What could not be made equal

* **The encoder.** `sluice`, `tfrc` and `rtpgccbwe` have the same x264, with the same clip. Chromium
  encodes the same clip with its own VP8, and may make the picture smaller. pion has no encoder:
  its frames have exactly the wanted size, which is kinder than any encoder.
* **The far end.** A stock RTP session reports to `sluice`, `tfrc` and `rtpgccbwe` with prompt TWCC,
  once per frame; pion's receiver reports ten times a second, Chromium's by its own rule.
* **What the rate means.** `rtpgccbwe` and pion give the encoder the whole estimate, as
  `webrtcsink` and pion's example do; packet headers and retransmissions come on top.
  `weirsend` and Chromium subtract them.
* **Repair.** All retransmit. Chromium may add FEC of its own; the others have none (`webrtcsink`
  adds it unless told not to).
* **WebRTC.** pion and Chromium encrypt, and the bytes of that count. They connect before the media
  begins.
* **The silence** of `silent` is a track taken away in Chromium; with the others the camera gives
  no frames.
* **Probing.** Chromium probes with padding when it begins; the others send media alone.

{closing}
"""


# Scenarios whose words say "the same", and as which.
AS = {"tcp_cubic": "`tcp1`", "tcp_bbr": "`tcp1`", "loss5": "`loss1`"}


def group(results, scenarios=plan.ALL):
    """{cell: [result, ...]} of runs of full length."""
    found = collections.defaultdict(list)
    for one in results:
        if one["scenario"] in scenarios \
                and one["seconds"] == scenarios[one["scenario"]].duration_s:
            found[plan.Cell(one["scenario"], tuple(one["senders"]))].append(one)
    return found


def good(runs):
    return [one for one in runs if store.counts(one)]


def runs_text(runs, wanted):
    """How many count, and why others do not."""
    counted = good(runs)
    if not runs:
        return "not run"
    bad = collections.Counter(reason(one) for one in runs if not store.counts(one))
    words = [str(len(counted)) + (f" of {wanted}" if len(counted) < wanted else "")]
    return ", ".join(words + [f"{count} {why}" for why, count in sorted(bad.items())])


def reason(result):
    """In one word or few, without figures that differ from run to run."""
    if result.get("error"):
        return "failed"
    return "busy" if result["busy"] else " and ".join(
        sorted({"not alive: " + text.split(": ", 1)[1].split(":")[0].split(" in ")[0].split(",")[0]
                for text in result["dead"]}))


def table(first_heads, rows, wanted):
    """rows: (first cells, runs). Columns that no row has are left out."""
    shown = [one for one in compare.FIGURES.values() if one.name not in compare.NO_COLUMNS
             and any(compare.values(good(runs), one.name) for _, runs in rows)]
    heads = [*first_heads, *(one.head for one in shown), "runs"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for cells, runs in rows:
        figures = [compare.cell(one, good(runs)) for one in shown]
        lines.append("| " + " | ".join([*cells, *figures, runs_text(runs, wanted)]) + " |")
    return "\n".join(lines)


def scenario_section(scenario, found, names, wanted, folder):
    """Heading, picture and table; the picture goes to the folder."""
    flows = len(scenario.media_at_s)
    rows = [(name, found.get(plan.Cell(scenario.name, (name,) * flows), [])) for name in names]
    drawn = [(name, good(runs)) for name, runs in rows if good(runs)]
    picture = ""
    if drawn:
        path = folder / f"rivals-{scenario.name}.png"
        pictures.draw(path, scenario, drawn)
        picture = f"![{scenario.name}: {pictures.message(scenario, drawn)}]({path.name})\n\n"
    text = table(["sender"], [((name,), runs) for name, runs in rows], wanted)
    words = scenario.words.replace("the same", f"as {AS.get(scenario.name)}")
    return f"### {scenario.name}\n\n{words}.\n\n{picture}{text}"


def overview(found, folder):
    """The picture of all, if there is anything to draw."""
    drawn = pictures.draw_overview(folder / "rivals.png", lambda scenario, sender: good(found.get(
        plan.Cell(scenario.name, (sender,) * len(scenario.media_at_s)), [])))
    return "" if not drawn else (
        "![What each sender gets of the link, how long packets queue at it, and how long a frame takes from the\n"
        "encoder to the decoder's output, in eight situations, live](rivals.png)\n\n"
        "Chromium does not tell how long a frame takes; pion decodes none.\n\n")


def comparison(found, ours, theirs):
    """A row for each scenario that both have; the sums of its cells."""
    lines, sums = [], collections.Counter()
    for scenario in plan.ALL.values():
        flows = len(scenario.media_at_s)
        runs = [good(found.get(plan.Cell(scenario.name, (name,) * flows), []))
                for name in (ours, theirs)]
        words = compare.differences(scenario, *runs)
        sums.update({side: len(texts) for side, texts in words.items()})
        if words[+1] or words[-1]:
            lines.append(f"| {scenario.name} | {len(runs[0])} : {len(runs[1])} | "
                         f"{', '.join(words[+1])} | {', '.join(words[-1])} |")
    if not sum(sums.values()):
        return f"### {ours} and {theirs}\n\nNot enough runs to say."
    head = (f"Figures in which `{ours}` is better: {sums[+1]}; worse: {sums[-1]}; in which the "
            f"runs overlap: {sums[0]}.")
    heads = [f"| scenario | runs | {ours} is better | {ours} is worse |", "|---|---|---|---|"]
    rows = "\n".join(heads + lines)
    return f"### {ours} and {theirs}\n\n{head}\n\n{rows}"


def meeting_rows(found, names):
    """A row for each pair in each order."""
    return [(cell.senders, found.get(cell, [])) for cell in plan.pairs(names, names[0])]


def meetings_section(found, names, wanted):
    """Who gets what when the second joins the first."""
    heads = ("first", "second, 20 s later", "first Mbit/s", "second Mbit/s", "Jain", "q95 ms",
             "loss %", "runs")
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for (a, b), runs in meeting_rows(found, names):
        counted = good(runs)
        each = [[{"figures": {"media_bps": one["figures"]["flow_bps"][flow]}} for one in counted]
                for flow in range(2)]
        cells = [compare.cell(compare.FIGURES["media_bps"], flow) for flow in each]
        cells += [compare.cell(compare.FIGURES[name], counted)
                  for name in ("jain", "q95_ms", "loss")]
        lines.append("| " + " | ".join([a, b, *cells, runs_text(runs, wanted)]) + " |")
    return ("## Against each other\n\nTwo senders on one link of 4 Mbit/s, as in `selffair`, "
            "judged over seconds 40 to 100: 2 Mbit/s\nis half. Both orders.\n\n" + "\n".join(lines))


def versions_of(results, name):
    found = {str(one["versions"][name]) for one in results if name in one["versions"]}
    return ", ".join(sorted(found))


def words_section(results, names, skipped):
    """How each is used, and its version or why there is none."""
    lines = []
    for name in names:
        why = "skipped: " + skipped[name] if name in skipped else "not run"
        version = versions_of(results, name) or why
        lines.append(textwrap.fill(f"* **{name}** ({version}): {senders.make(name).words}.", 100,
                                   subsequent_indent="  ", break_long_words=False))
    return "\n".join(lines)


def closing(found):
    every = [one for runs in found.values() for one in runs]
    if not every:
        return "No run has been made yet."
    counted, errors = good(every), sum("error" in one for one in every)
    busy = sum(bool(one.get("busy")) for one in every)
    worst = lambda name: max((one["machine"][name] for one in counted), default=0.0)
    jobs = max(one["jobs"] for one in every)
    weir, linux, processors = (versions_of(every, name) for name in ("weir", "linux", "processors"))
    return textwrap.fill(
        f"{len(every)} runs: {len(counted)} count, {errors} failed, {busy} on a busy machine. Weir "
        f"{weir}, Linux {linux}, {processors} processors, up to {jobs} jobs. "
        f"In the runs that count, 99 % of the packets left weir-link less than "
        f"{worst('late_ms_p99'):.2f} ms late, and 99 % of the frames were less than "
        f"{worst('source_late_ms'):.0f} ms late; up to {worst('own'):.1f} processors were used.",
        width=100)


def missing_text(found, names, wanted):
    """Which cells have too few runs."""
    cells = [cell for tier in plan.tiers(names, []) for cell in tier]
    short = [cell for cell in cells if len(good(found.get(cell, []))) < wanted]
    if not short:
        return f"All {len(cells)} rows have their {wanted} runs."
    return (f"Of {len(cells)} rows {len(cells) - len(short)} have their {wanted} runs; the others "
            "say what is missing.")


def write(path, results, names, wanted, skipped):
    """names: the first is compared with the others. wanted: runs of each row."""
    path, found = pathlib.Path(path), group(results)
    scenarios = sorted(plan.ALL.values(), key=lambda one: [
        k for k, tier in enumerate(plan.TIERS) if one.name in tier])
    alone = [scenario_section(one, found, names, wanted, path.parent) for one in scenarios]
    comparisons = [comparison(found, names[0], name) for name in names[1:]]
    path.write_text(TEXT.format(
        ours=names[0], overview=overview(found, path.parent), gaps=missing_text(found, names, wanted),
        comparisons="\n\n".join(comparisons),
        alone="\n\n".join(alone), meetings=meetings_section(found, names, wanted),
        words=words_section(results, names, skipped), closing=closing(found)), encoding="utf-8")
