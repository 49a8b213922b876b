# SPDX-License-Identifier: LGPL-2.1-or-later
"""The papers' numbers beside those measured here: tables as the papers print them, and lists."""

METRICS = ("goodput", "rate", "cov", "CoV", "loss", "queue")


def short(value):
    """What the JSON holds for a number: infinities are texts there."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if abs(value) >= 10000 else f"{value:.4g}"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def line(cells):
    return "| " + " | ".join(cell(one) for one in cells) + " |"


def grid(head, rows):
    """The lines of a table in Markdown."""
    return [line(head), "|" + "---|" * len(head), *map(line, rows)]


def with_spread(row):
    if row.get("min", 0) == row.get("max", 0):
        return row["measured"]
    return f"{row['measured']} ({short(row['min'])} to {short(row['max'])})"


def difference(row):
    """In percent of the stated number, when both are single numbers."""
    both = row.get("number"), row.get("value")
    if not all(isinstance(one, (int, float)) for one in both) or not row["value"]:
        return ""
    return f"{100 * (row['number'] / row['value'] - 1):+.0f} %"


def split(text):
    """("beta 0.8", "goodput") of "beta 0.8 goodput"; None when it names no metric."""
    words = text.split()
    return (" ".join(words[:-1]), words[-1].lower()) if words[-1] in METRICS and len(words) > 1 else None


def of_paper(target):
    """A table of the paper: a row per algorithm or setting, and per metric the paper's number and ours."""
    parts = [(split(row["text"]), row) for row in target["stated"]]
    metrics = list(dict.fromkeys(part[1] for part, _ in parts if part))
    names = list(dict.fromkeys(part[0] for part, _ in parts if part))
    units = {part[1]: row.get("unit", "") for part, row in parts if part}
    head = [""]
    for metric in metrics:
        unit = f" ({units[metric]})" if units[metric] else ""
        head += [f"{metric}{unit}: paper", "measured", "difference"]
    lines = []
    found = {part: row for part, row in parts if part}
    for name in names:
        cells = [name]
        for metric in metrics:
            row = found.get((name, metric))
            cells += [short(row["value"]), with_spread(row) or row.get("reason", ""), difference(row)] \
                if row else ["", "", ""]
        lines.append(cells)
    return grid(head, lines) + [f"\n{row['text']}: paper {row['stated']}, measured {row['measured']}."
                                for part, row in parts if not part and row["measured"]]


def numbers(targets):
    """All stated numbers of a paper that are measured, in one list."""
    rows = [(target["id"], row) for target in targets for row in target["stated"] if row["measured"]]
    return grid(["target", "number", "paper", "measured", "difference", "verdict"],
                [[name, row["text"], row["stated"], with_spread(row), difference(row), row["verdict"]]
                 for name, row in rows])


def page(paper, targets):
    """The section of a paper's page; empty when there is nothing to set side by side."""
    grids = [target for target in targets if target.get("kind") == "table"
             and sum(split(row["text"]) is not None for row in target["stated"]) > 1]
    if grids:
        lines = ["## The paper's tables and ours, side by side", "",
                 "Means over the seeds, in brackets the least and the greatest."]
        for target in grids:
            lines += ["", f"**{target['ref'][0].upper()}{target['ref'][1:]}**: {target['title']}", "", *of_paper(target)]
        return lines + [""]
    if not any(row["measured"] for target in targets for row in target["stated"]):
        return []
    return ["## The paper's numbers and ours, side by side", "",
            "Means over the seeds, in brackets the least and the greatest.", "", *numbers(targets), ""]
