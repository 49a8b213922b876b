#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs sweeps/live.json, or another sweep of scenarios live/* and paths/*, and prints its table, a row per figure and a column per
algorithm:
tools/sweep/live.py [SWEEP.json] [--quick] [--jobs N] [--algorithms A,B] [--page PAGE.md]."""
import os
import sys
from dataclasses import dataclass
from typing import Callable

import pandas as pd

if __package__ in (None, ""):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from reproduce.lab import LabError  # noqa: E402
from sweep import live_figure, program, spec  # noqa: E402
from sweep.page import MARK, by_tier, grid, made_text  # noqa: E402

SILENCE_ENDS_S, CAPACITY_RISES_S = 55, 40  # of live/silent and live/step
LEADING = ("sluice", "tfrc", "gcc", "scream", "nada")  # RFC 5348 and today's, whose every figure docs/choosing.md has
PARTS = ("live", "live-figures", "paths-figures")  # of the page


@dataclass(frozen=True)
class Figure:
    """What a scenario is judged by. `value` is of the rows (flows) of one run."""
    title: str
    value: Callable
    decimals: int
    least: float = -float("inf")
    most: float = float("inf")
    every_run: bool = False  # the wish is of each seed, not of the median

    def is_met(self, values):
        judged = values if self.every_run else pd.Series([values.median()])
        return bool(judged.between(self.least, self.most).all())

    def bounds(self):
        bounds = [f"≥ {self.least:g}"] if self.least > -float("inf") else []
        return ", ".join(bounds + ([f"≤ {self.most:g}"] if self.most < float("inf") else []))

    def when(self):
        return " in each run" if self.every_run else ""

    def wanted(self):
        return self.bounds() + self.when() if self.bounds() else ""

    def wish(self):
        """What is wanted, with the figure's name and its unit."""
        name, _, unit = self.title.partition(", ")
        return f"{name} {self.bounds()} {unit}".rstrip() + self.when()

    def number(self, value):
        return "–" if value != value else f"{value:.{self.decimals}f}" if value < float("inf") else "never"

    def text(self, values):
        """Median [least, greatest] of the seeds, in bold when the wish is met; a run that never came there is "never"."""
        if values.isna().all():
            return "–"
        shown = [self.number(x) for x in (values.median(), values.min(), values.max())]
        text = f"{shown[0]} [{shown[1]}, {shown[2]}]" if len(values) > 1 else shown[0]
        return f"**{text}**" if self.wanted() and self.is_met(values) else text


def tested(rows):
    return rows[rows["tested"].astype(bool)]


def of_link(column, missing=None):
    """Of the bottleneck, which all the tested flows cross."""
    def value(rows):
        found = tested(rows)[column].iloc[0]
        return missing if missing is not None and pd.isna(found) else found
    return value


def received_mbps(rows):
    """Wire rate of all of them, behind the losses."""
    return (rows["sent_bps"] * (1 - rows["loss_ratio"])).sum() / 1e6


def used(least=-float("inf")):
    return Figure("used", of_link("link_utilization"), 3, least)


def q95(most=float("inf")):
    return Figure("q95, ms", of_link("link_queue_ms_p95"), 0, most=most)


def rise(title, since_s, most):
    return Figure(title, of_link(f"link_rise_s_{since_s}", float("inf")), 2, most=most)


def loss(most=float("inf"), title="loss, %"):
    return Figure(title, lambda rows: 100 * tested(rows)["loss_ratio"].mean(), 2, most=most)


Q50 = Figure("q50, ms", of_link("link_queue_ms_p50"), 0)
MEDIA = Figure("media, Mbit/s", lambda rows: received_mbps(tested(rows)), 2, 1.6, 2.4, every_run=True)
TCP = Figure("TCP, Mbit/s", lambda rows: received_mbps(rows[rows["group"].isin(["reno", "cubic"])]), 2)
JAIN = Figure("Jain's index", lambda rows: rows["jain"].iloc[0], 3, 0.97)

SCENARIOS = {
    "const": (used(0.96), Q50, q95(35), rise("90 % after, s", 0, 2.5), loss()),
    "step": (used(0.94), Q50, q95(50), rise("up after, s", CAPACITY_RISES_S, 3), loss()),
    "tcp1": (MEDIA, TCP, used(), q95()),
    "tcp_cubic": (MEDIA, TCP, used(), q95()),
    "loss1": (used(0.92), q95()),
    "loss5": (used(0.85), q95()),
    "rev": (used(0.95), Q50, q95(60)),
    "selffair": (JAIN, used(0.96), q95(35)),
    "bloat": (used(0.96), Q50, q95(35)),
    "shallow": (used(0.97), loss(0.3)),
    "cell": (used(0.83), Q50, q95(110), loss()),
    "silent": (rise("90 % after, s", SILENCE_ENDS_S, 1), loss(0, "loss of the first 2 s, %")),
}
ALONE = (used(), Q50, q95(), loss())
BESIDE_TCP = (Figure("media, Mbit/s", MEDIA.value, 2), TCP, used(), q95())
PATHS = {**dict.fromkeys(("policer", "shaper", "wifi", "trace", "longer", "jitter"), ALONE),
         **dict.fromkeys(("codel", "fq_codel"), BESIDE_TCP)}
NAMES = (*("live/" + name for name in SCENARIOS), *("paths/" + name for name in PATHS))


def per_seed(figure, rows):
    return pd.Series([figure.value(run) for _, run in rows.groupby("seed")], dtype=float)


def label(run, settings):
    told = [(path.rsplit(".", 1)[-1], f"{value:g}" if isinstance(value, float) else value) for path, value in settings]
    return ", ".join([run, *(f"{name} {value}" for name, value in told)])


def conditions(table):
    """(label, scenario, rows), in the order of the table; the label has what of a run's settings differs."""
    paths = [column for column in table if column.startswith(("set:", "param:"))]
    out = []
    for run in dict.fromkeys(table["run"]):
        rows = table[table["run"] == run]
        varied = [path for path in paths if rows[path].nunique(dropna=False) > 1]
        values = rows[varied].apply(tuple, axis=1) if varied else pd.Series([()] * len(rows), rows.index)
        for one in dict.fromkeys(values):
            chosen = rows[[value == one for value in values]]
            out.append((label(run, zip(varied, one)), chosen["scenario"].iloc[0], chosen))
    return out


def figures_of(scenario, rows):
    """Those of the scenario; several calls are compared, whatever it is."""
    figures = {**SCENARIOS, **PATHS}[scenario.rsplit("/", 1)[-1]]
    several = (tested(rows).groupby(["algorithm", "seed"]).size() > 1).any()
    return figures if JAIN in figures or not several else (*figures, JAIN)


def lines(table, judges):
    """A row per condition and figure; `judges`: with what is wanted, which is of the scenarios as they are."""
    algorithms = list(dict.fromkeys(table["algorithm"]))
    out = []
    for name, scenario, rows in conditions(table):
        for number, figure in enumerate(figures_of(scenario, rows)):
            figure = figure if judges else Figure(figure.title, figure.value, figure.decimals)
            cells = [figure.text(per_seed(figure, rows[rows["algorithm"] == algorithm])) for algorithm in algorithms]
            out.append([name if number == 0 else "", figure.title, *([figure.wanted()] if judges else []), *cells])
    return ["scenario", "figure", *(["target"] if judges else []), *(f"`{algorithm}`" for algorithm in algorithms)], out


def scores(table, algorithm):
    """(text per scenario, how many of the scenarios are as wanted): of each figure with a wish the median."""
    cells, met = [], 0
    for _, scenario, rows in conditions(table):
        wanted = [figure for figure in figures_of(scenario, rows) if figure.wanted()]
        found = [per_seed(figure, rows[rows["algorithm"] == algorithm]) for figure in wanted]
        good = [figure.is_met(values) for figure, values in zip(wanted, found)]
        texts = [figure.number(values.median()) for figure, values in zip(wanted, found)]
        cells.append(" / ".join(f"**{text}**" if fine else text for text, fine in zip(texts, good)))
        met += all(good)
    return cells, met


def scoreboard(table, live):
    """First what is wanted, then a row per algorithm, those for live media first, in the order of how many scenarios
    are as wanted."""
    runs = conditions(table)
    wanted = [" / ".join(figure.wish() for figure in figures_of(scenario, rows) if figure.wanted())
              for _, scenario, rows in runs]
    rows = [(algorithm, *scores(table, algorithm)) for algorithm in dict.fromkeys(table["algorithm"])]
    rows.sort(key=lambda row: -row[2])
    return (["algorithm", "met", *(name for name, _, _ in runs)],
            [["target", f"of {len(runs)}", *wanted],
             *by_tier({name: [f"`{name}`", f"{met}", *cells] for name, cells, met in rows}, live)])


def leading(table):
    """Rows of the algorithms of which the pages show every figure."""
    return table[table["algorithm"].isin(LEADING)]


def parts(name, table, summary):
    """What the pages have of a sweep. Of another sweep: nothing."""
    if name == "live":
        return {"live": made_text(summary) + "\n" + grid(*scoreboard(table, summary["live"])),
                "live-figures": grid(*lines(leading(table), True))}
    if name == "paths":
        return {"paths-figures": made_text(summary) + "\n" + grid(*lines(leading(table), False))}
    return {}


def arguments(argv):
    known = program.parser("live.py", __doc__)
    known.add_argument("sweep", nargs="?", default=program.of_tree("sweeps", "live.json"), metavar="SWEEP.json",
                       help="default: sweeps/live.json")
    known.add_argument("--page", metavar="PAGE.md", help="puts the tables of live.json or paths.json into this page")
    return program.parsed(known, argv)


def sweep_of(options):
    sweep = program.sweep_of(options)
    for run in sweep["runs"]:
        if run["scenario"].rsplit("/", 1)[-1] not in {**SCENARIOS, **PATHS}:
            raise spec.Malformed(f"runs.{run['name']}.scenario = \"{run['scenario']}\": must be one of "
                                 + ", ".join(NAMES))
    return sweep


def write_page(options, table, summary):
    with open(options.page, encoding="utf-8") as file:
        marks = [name for _, name, _ in MARK.findall(file.read())]
    generated = parts(options.name.removesuffix("-quick"), table, summary)
    program.fill(options.page, options.page, generated, [name for name in marks if name not in generated])
    if "live" in generated:
        picture = options.page.removesuffix(".md") + "-live.png"
        live_figure.draw(table, MEDIA.value, q95().value, picture)


def main(argv=None):
    options = arguments(argv)
    try:
        sweep = sweep_of(options)
        summary = program.run(options, sweep)
    except (spec.Malformed, LabError) as error:
        print(f"live.py: {error}", file=sys.stderr)
        return 2
    table = pd.read_csv(os.path.join(options.results, "flows.csv"), dtype={"key": str}, low_memory=False)
    judges = not any(run["set"] or run["params"] for run in sweep["runs"])
    print("\n" + grid(*lines(table, judges)), end="")
    if options.page:
        write_page(options, table, summary)
    return program.status(summary)


if __name__ == "__main__":
    sys.exit(main())
