# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/faults.md: the table of faults as tools/faults has lived it."""
import collections
import dataclasses
import fnmatch


@dataclasses.dataclass(frozen=True)
class Demand:
    row: str
    index: str
    figure: str
    unit: str
    from_s: float
    to_s: float
    is_least: bool
    bound: float
    why: str

    def holds(self, figure):
        return figure >= self.bound if self.is_least else figure <= self.bound

    def worst(self, cells):
        """Of (figure, seed)."""
        return min(cells) if self.is_least else max(cells, key=lambda cell: (cell[0], -cell[1]))

    @property
    def case(self):
        """The row without the format, which is the last of three words."""
        return "/".join(self.row.split("/")[:2]) if self.row.startswith("F") else self.row


@dataclasses.dataclass(frozen=True)
class Exempt:
    algorithms: tuple
    rows: tuple
    figure: str
    reason: str

    def covers(self, demand, algorithm):
        return (algorithm in self.algorithms and self.figure in (demand.figure, "*")
                and any(fnmatch.fnmatch(demand.row, row) for row in self.rows))


@dataclasses.dataclass(frozen=True)
class Cell:
    demand: Demand
    algorithm: str
    figure: float
    seed: int
    verdict: str  # "green", "red", "excepted"



# What the first part of a row's name stands for.
GROUPS = {
    "F00": "no fault", "F01": "random loss", "F02": "bursts of loss", "F03": "duplicates", "F04": "reordering",
    "F05": "blackout and return", "F06": "replay", "F07": "restart", "F08": "RTP sequence numbers wrap",
    "F09": "transport-wide numbers wrap", "F10": "RTP time stamps wrap", "F11": "NTP time wraps",
    "F12": "other clocks wrap", "F13": "the sender's clock goes back", "F14": "the sender's clock jumps ahead",
    "F15": "the peer's clock drifts, steps, stands", "F16": "packets acknowledged that were never sent",
    "F17": "a receiver that lies", "F18": "forged feedback, high and low", "F19": "the worst feedback that is legal",
    "F20": "floods", "F21": "a change of path", "F22": "steps and sawtooth of the capacity", "F23": "jitter",
    "F24": "ECN bleached and mangled", "F25": "silence and key frames", "F26": "no memory",
    "F27": "configurations", "F28": "1000 streams", "F29": "60 days",
}

INTRODUCTION = """# Faults

What does each algorithm do when the network, the peer or the clocks misbehave, and what is demanded
of it?

    tools/faults --seeds {seeds} --page docs/faults.md          # this page
    tools/faults --row F05 --algorithm tfrc --seeds 3     # a part of it
    tools/faults --soak                                   # 60 days, rate and memory of each hour

Everything is lived in virtual time, by a session and a peer that know the public headers alone, on
one emulated path: 1 Mbit/s, a round-trip time of 100 ms, a drop-tail queue of 200 ms, limits of 30
kbit/s to 10 Mbit/s, the circuit breaker on, unless the row says otherwise. Feedback is CCFB, TWCC
and receiver reports, or decoded results. The same seed gives the same figures. The rows are in
`tests/conformance/fault_cases.h`, the exceptions in `tests/conformance/fault_exceptions.tsv`.

A figure is the worst of all formats and {seeds} seeds. **Bold** is excepted, see [below](#exceptions). ✗
does not hold yet; `tools/faults` prints the command that repeats it. A dash: cannot run so. What
sluice promises alone is judged and counted too, and not shown (`fault_sluice.h` beside them).
"""

EXCEPTIONS = """
## Exceptions

| algorithms | rows | figure | measured, worst | reason |
|---|---|---|---|---|
"""


def short(figure):
    """Three digits are what seeds leave of it."""
    return f"{figure:.3g}" if figure < 1000 else f"{figure:.2g}"


def marked(cells):
    """The worst of a row's formats; a red one before all."""
    worst = cells[0].demand.worst([(c.figure, c.seed) for c in cells])[0]
    verdicts = {c.verdict for c in cells}
    text = short(worst)
    return f"✗ {text}" if "red" in verdicts else f"**{text}**" if "excepted" in verdicts else text


def lines_of(judged):
    """{(case, index): {algorithm: cells}}, without those of one algorithm."""
    lines = collections.defaultdict(lambda: collections.defaultdict(list))
    for cell in judged:
        if cell.demand.row.startswith("F"):
            lines[cell.demand.case, cell.demand.index][cell.algorithm].append(cell)
    return lines


def letter(notes, why):
    """`notes`: the letter of each reason so far."""
    n = len(notes)
    return notes.setdefault(why, chr(97 + n) if n < 26 else "a" + chr(97 + n - 26))


def table(lines, algorithms, notes):
    yield "| fault | figure | from, to s | bound | | " + " | ".join(algorithms) + " |"
    yield "|---|---|---|---|---|" + "---|" * len(algorithms)
    last = None
    for (case, _), found in lines.items():
        cells = [c for some in found.values() for c in some]
        if cells[0].demand.figure == "broken" and not case.startswith(("F26", "F27")):
            continue
        demand = cells[0].demand
        group, name = case.split("/", 1)
        title = f"{group} {name.replace('_', ' ')}" if case != last else ""
        last = case
        window = f"{demand.from_s:g} to {demand.to_s:g}" if demand.to_s else ""
        bound = f"{'≥' if demand.is_least else '≤'} {demand.bound:g}"
        figures = [marked(found[a]) if a in found else "–" for a in algorithms]
        yield (f"| {title} | {demand.figure} | {window} | {bound} | {letter(notes, demand.why)} | "
               + " | ".join(figures) + " |")


def broken(lines, algorithms, notes):
    """One line for all rows: how many seeds and rows broke an invariant."""
    figures = []
    for algorithm in algorithms:
        cells = [c for (case, _), found in lines.items() if not case.startswith(("F26", "F27"))
                 for c in found.get(algorithm, []) if c.demand.figure == "broken"]
        bad = [c for c in cells if c.verdict != "green"]
        figures.append(f"✗ {len(bad)}" if any(c.verdict == "red" for c in bad)
                       else f"**{len(bad)}**" if bad else "0")
    demand = next(c.demand for (case, _), found in lines.items() for some in found.values() for c in some
                  if c.demand.figure == "broken")
    yield (f"| all rows | with a broken invariant | | ≤ 0 | {letter(notes, demand.why)} | "
           + " | ".join(figures) + " |")


def exceptions_table(judged, exceptions):
    for exempt in exceptions:
        cells = [c for c in judged if c.verdict == "excepted" and exempt.covers(c.demand, c.algorithm)]
        if cells:
            figures = sorted({f"{c.demand.figure} {short(c.figure)}" for c in cells if c is extreme(cells, c)})
            yield (f"| {', '.join(exempt.algorithms)} | {', '.join(f'`{row}`' for row in exempt.rows)} | "
                   f"{exempt.figure.replace('*', 'each')} | {', '.join(figures)} | {exempt.reason} |")


def extreme(cells, cell):
    """The worst cell of the same figure and bound's side."""
    same = [c for c in cells if c.demand.figure == cell.demand.figure]
    return (min if cell.demand.is_least else max)(same, key=lambda c: c.figure)


def red_list(judged):
    rows = collections.defaultdict(list)
    for cell in judged:
        if cell.verdict == "red":
            rows[cell.demand.row, cell.demand.figure].append(f"{cell.algorithm} {short(cell.figure)}")
    for (row, figure), found in rows.items():
        yield f"| `{row}` | {figure} | {', '.join(found)} |"


def page(judged, exceptions, seeds):
    lines, notes = lines_of(judged), {}
    algorithms = list(dict.fromkeys(c.algorithm for c in judged if not c.demand.row.startswith("sluice")))
    counts = collections.Counter(c.verdict for c in judged)
    rows = [*table(lines, algorithms, notes), *broken(lines, algorithms, notes)]
    text = INTRODUCTION.format(seeds=seeds)
    text += (f"\n{len({c.demand.row for c in judged})} rows, {len(judged)} cells: {counts['green']} green, "
             f"{counts['excepted']} excepted, {counts['red']} red.\n\n## The table\n\n")
    lived = {case.split("/", 1)[0] for case, _ in lines}
    text += "\n".join(f"* {group}: {name}" for group, name in GROUPS.items() if group in lived) + "\n\n"
    text += "\n".join(rows) + "\n\n## The reasons\n\n"
    text += "\n".join(f"* **{letter}**: {why}." for why, letter in notes.items()) + "\n"
    text += EXCEPTIONS + "\n".join(exceptions_table(judged, exceptions)) + "\n"
    red = list(red_list(judged))
    if red:
        text += "\n## What does not hold yet\n\n| row | figure | algorithms |\n|---|---|---|\n" + "\n".join(red) + "\n"
    return text
