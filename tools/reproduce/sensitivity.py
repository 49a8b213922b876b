# SPDX-License-Identifier: LGPL-2.1-or-later
"""How much claims depend on what the papers leave open: sensitivity.json lists alternatives, each of which
changes bindings (parameters of algorithms, settings of scenarios), and what is to be looked at."""
from . import tables
from .expression import Unavailable
from .judge import show


def looked_at(entry, specs):
    """[(target's spec, text, expression, is it a claim)]"""
    out = []
    for one in entry["of"]:
        if isinstance(one, dict):
            out.append((specs[one["target"]], one["text"], one["expr"], False))
            continue
        name, number = one.split("#")
        check = specs[name]["checks"][int(number) - 1]
        out.append((specs[name], f"{one}: {check['text']}", check["expr"], True))
    return out


def plan(entry, specs, make):
    """[(alternative, text, target, expression, is it a claim)]"""
    return [(alternative, text, make(spec, change), expr, claim)
            for alternative, change in entry["alternatives"].items()
            for spec, text, expr, claim in looked_at(entry, specs)]


def answer(target, expr, claim):
    """A cell. Claims have the usual number of results here, also those that need more to be settled."""
    if claim:
        row = target.check_over(target.seeds, {"text": "", "expr": expr})
        if row.verdict == "OPEN":
            return f"OPEN: {row.reason}"
        return f"{row.verdict}: {row.measured} {row.stated}, {row.holds}/{row.seeds} seeds"
    try:
        each = [target.evaluate(expr, seeds)[0] for seeds in target.results]
        middle = target.evaluate(expr)[0]
    except (Unavailable, TypeError) as error:
        return f"OPEN: {error}"
    if isinstance(middle, (tuple, list)) or min(each) == max(each):
        return show(middle)
    return f"{show(middle)} ({show(min(each))} to {show(max(each))})"


def judge(entry, planned):
    """{"id", "paper", "question", "columns", "rows": {alternative: [text per column]}}"""
    rows = {}
    for alternative, _, target, expr, claim in planned:
        rows.setdefault(alternative, []).append(answer(target, expr, claim))
    first = next(iter(entry["alternatives"]))
    return {"id": entry["id"], "paper": entry["paper"], "question": entry["question"],
            "columns": [text for alternative, text, *_ in planned if alternative == first], "rows": rows}


def table(result):
    return tables.grid(["", *result["columns"]], [[name, *cells] for name, cells in result["rows"].items()])


def settled(result):
    """Alternatives that are no open question: a claim that holds with them is not underdetermined."""
    return [f"\nNot open ({'all of it' if name == '*' else name}): {why}."
            for name, why in result.get("settled", {}).items()]


def page(paper, results):
    of_paper = [result for result in results if result["paper"] == paper]
    lines = ["## Sensitivity", "", "What the paper leaves open, and what the alternatives give."] if of_paper else []
    for result in of_paper:
        lines += ["", f"### {result['id']}", "", result["question"], "", *table(result), *settled(result)]
    return lines + [""] if lines else []
