# SPDX-License-Identifier: LGPL-2.1-or-later
"""One picture per scenario: for each sender two figures, the median as a dot and the range as a
line. 800 pixels wide."""
from arithmetic import median
from live_page import number
from . import compare, plan

WIDTH_IN, DPI = 8, 100
COLOURS = {"sluice": "C3", "tfrc": "C1"}  # Weir's; the others are grey

# Of the picture of all: scenarios in which the share that is used has a meaning, and senders.
SITUATIONS = {"const": "alone", "step": "the capacity steps", "loss1": "1 % random loss", "loss5": "5 % random loss",
              "cell": "a cellular link", "bloat": "2 s of buffer", "shallow": "10 packets of buffer",
              "tcp_cubic": "beside one Cubic"}
SHOWN = (("pion", "pion", "#7a7a7a", "^"), ("chromium", "Chromium", "#2a6fb0", "D"),
         ("rtpgccbwe", "rtpgccbwe", "#c58a2b", "s"), ("sluice", "weirsend", "#b3262e", "o"))
PANELS = (("gets, % of the link or half", 125, 100), ("packets queue, ms (p95)", 250, None),
          ("a frame takes, ms (p95)", 500, None))


def panels(scenario):
    """Names of the two figures."""
    if compare.has_forward_tcp(scenario):
        return "media_bps", "frozen_s"
    if scenario.silence_s:
        return "up_s", "q95_ms"
    return ("jain" if len(scenario.media_at_s) > 1 else "used"), "q95_ms"


def best(rows, name, wanted):
    """The sender whose median is nearest to what is wanted, and that median as text."""
    figure = compare.FIGURES[name]
    at = {sender: median(compare.values(runs, name)) for sender, runs in rows}
    sender = min(at, key=lambda one: abs(at[one] - wanted))
    return sender, number(figure, at[sender])


def message(scenario, rows):
    """What the picture shows, from the figures."""
    first, second = panels(scenario)
    if first == "media_bps":
        half_bps = compare.fair_bps(scenario)
        near, text = best(rows, first, half_bps)
        return f"half of the link is {half_bps / 1e6:g} Mbit/s; {near} is nearest with {text}"
    name, text = best(rows, first, 0 if first == "up_s" else 1)
    short, ms = best(rows, second, 0)
    words = {"up_s": "is back first, after {} s", "jain": "shares best, Jain {}",
             "used": "uses most, {}"}[first].format(text)
    least = f"and queues least, {ms} ms" if short == name else f"{short} queues least, {ms} ms"
    return f"{name} {words}; {least}"


def draw_panel(axes, rows, name, scenario):
    figure = compare.FIGURES[name]
    for place, (sender, runs) in enumerate(rows):
        every = [figure.scale * value for value in compare.values(runs, name)]
        found = [value for value in every if value < float("inf")]
        colour = COLOURS.get(sender, "0.35")
        if found:
            axes.plot([found[0], found[-1]], [place, place], color=colour, linewidth=2)
        if found and median(every) < float("inf"):
            axes.plot([median(every)], [place], "o", color=colour, markersize=8)
        if len(found) < len(every):
            words = f"never in {len(every) - len(found)} of {len(every)}"
            axes.text(0.98, place, words, ha="right", va="center", color=colour,
                      transform=axes.get_yaxis_transform())
    if name == "media_bps":
        axes.axvline(compare.fair_bps(scenario) / 1e6, color="0.7", linestyle=":")
    axes.set_xlabel("of the capacity used" if name == "used" else figure.head)
    axes.set_xlim(left=0)
    if name in ("used", "jain"):
        axes.set_xlim(right=1.02)
    axes.grid(axis="x", color="0.9")


def draw(path, scenario, rows):
    """rows: (sender, runs that count), ... from above."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, both = pyplot.subplots(1, 2, sharey=True, figsize=(WIDTH_IN, 1.5 + 0.32 * len(rows)),
                                   layout="constrained")
    for axes, name in zip(both, panels(scenario)):
        draw_panel(axes, rows, name, scenario)
    both[0].set_yticks(range(len(rows)), [sender for sender, _ in rows])
    both[0].set_ylim(len(rows) - 0.5, -0.5)
    figure.suptitle(f"{scenario.name}: {message(scenario, rows)}", fontsize=11)
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    pyplot.close(figure)


def overview_values(scenario, runs):
    """Medians for each panel; nan where nobody tells."""
    fair = compare.has_forward_tcp(scenario)
    whole = compare.fair_bps(scenario) if fair else 1
    found = (compare.values(runs, "media_bps" if fair else "used"), compare.values(runs, "q95_ms"),
             compare.values(runs, "latency_p95_ms"))
    share, queue_ms, frame_ms = (median(values) if values else float("nan") for values in found)
    return 100 * share / whole, queue_ms, frame_ms


def draw_overview(path, runs_of):
    """All senders in all situations; runs_of(scenario, sender): the runs that count. False: nothing to draw."""
    from sweep import live_figure
    scenarios = [plan.ALL[name] for name in SITUATIONS]
    series = []
    for sender, name, colour, marker in SHOWN:
        rows = [overview_values(scenario, runs_of(scenario, sender)) for scenario in scenarios]
        series.append((name, colour, marker, list(zip(*rows))))
    if not any(value == value for *_, panels in series for values in panels for value in values):
        return False
    live_figure.dots(path, list(SITUATIONS.values()), PANELS, series)
    return True
