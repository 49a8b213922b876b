# SPDX-License-Identifier: LGPL-2.1-or-later
"""What comes out: rows for people, the JSON, and the pages of docs/reproduction."""
import os
import textwrap

from . import conclusions, findings, sensitivity, tables, twins
from .tables import grid, with_spread

VERDICTS = ("PASS", "FAIL", "OPEN")
WIDTH = 100


def clipped(text, width):
    return text if len(text) <= width else text[:width - 1] + "…"


def table_row(target_id, row):
    """id, claim, stated, measured, verdict."""
    last = row["verdict"] + (f" ({row['reason']})" if row.get("reason") else "")
    return (f"{target_id:<14} {clipped(row['text'], 58):<58} {clipped(row['stated'], 26):<26} "
            f"{clipped(row['measured'], 30):<30} {last}")


def counts(rows):
    return {verdict.lower(): sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS}


def summary(targets, wall_s):
    """Of the checks; the stated numbers are counted on their own."""
    checks = [row for target in targets for row in target["checks"]]
    stated = [row for target in targets for row in target["stated"]]
    return {**counts(checks), "conclusions": conclusions.count(checks), "wall_s": round(wall_s, 1),
            "stated": counts(stated)}


def merged(before, result, order):
    """The targets of earlier results that were not run this time stay."""
    new = {target["id"]: target for target in result["targets"]}
    old = {target["id"]: target for target in before.get("targets", ())}
    both = {**old, **new}
    return [both[one] for one in order if one in both]


def markdown_table(rows, first):
    """Claims are numbered: findings speak of them by their number."""
    numbered = first == "claim"
    head = ["#"] * numbered + [first, "stated", "measured", "seeds", "verdict"]
    lines = []
    for number, row in enumerate(rows, 1):
        seeds = f"{row['seeds_holding']}/{row['seeds']}" if row["seeds"] else ""
        verdict = row.get("conclusion") or row["verdict"]
        verdict += f": {row['reason']}" if row.get("reason") else ""
        lines.append([number] * numbered + [row["text"], row["stated"], with_spread(row), seeds, verdict])
    return grid(head, lines)


def page_of_target(target, known, twin=None):
    lines = [f"## {target['id']}: {target['title']}", "",
             f"{target['ref'][0].upper()}{target['ref'][1:]}; {target['repro']}."]
    if target.get("runs"):
        lines[-1] += f" Each result is the mean of {target['runs']} seeds, as the paper's are of runs."
    if target.get("quick"):
        lines[-1] += " *From a quick run.*"
    if target.get("figure"):
        lines += ["", f"![{target['id']}]({target['figure']})"]
    if target["checks"]:
        lines += ["", *markdown_table(target["checks"], "claim")]
    for number, finding in findings.of_target(target, known):
        row = target["checks"][number - 1]
        lines += ["", findings.paragraph(number, finding, row.get("conclusion")),
                  *(f"**{row['conclusion'].capitalize()}**: {text}." for text in row.get("evidence", ()))]
    if twin:
        lines += twins.page(twin)
    if target["stated"]:
        lines += ["", *markdown_table(target["stated"], "stated number")]
    if target.get("note"):
        lines += ["", target["note"]]
    return lines + [""]


def write_pages(folder, targets, papers, known=None, sensitivities=(), twins_of=()):
    """`known`: findings; `sensitivities`, `twins_of`: results of sensitivity.py and twins.py."""
    in_ns2 = {twin["id"]: twin for twin in twins_of}
    for paper, title in papers.items():
        of_paper = [target for target in targets if target["paper"] == paper]
        if not of_paper:
            continue
        lines = [f"# {title}", "", "[All papers](README.md)", "", *summary_table({paper: title}, of_paper), "",
                 *tables.page(paper, of_paper)]
        for target in of_paper:
            lines += page_of_target(target, known or {}, in_ns2.get(target["id"]))
        lines += sensitivity.page(paper, sensitivities)
        write_text(os.path.join(folder, f"{paper}.md"), lines)
    write_text(os.path.join(folder, "README.md"), overview(targets, papers, known or {}))


def summary_table(papers, targets):
    lines, total = [], [0] * 9
    for paper, title in papers.items():
        of_paper = [target for target in targets if target["paper"] == paper]
        rows = [row for target in of_paper for row in target["checks"]]
        stated = counts([row for target in of_paper for row in target["stated"]])
        cells = [len(of_paper), *conclusions.count(rows).values(), counts(rows)["open"], *stated.values()]
        total = [a + b for a, b in zip(total, cells)]
        if of_paper:
            lines.append([f"[{title}]({paper}.md)", *cells])
    return grid(["paper", "targets", "claims: holds", *conclusions.CONCLUSIONS[1:], "open", "stated numbers: PASS",
                 "FAIL", "OPEN"], lines + [["all", *total]] * (len(papers) > 1))


def failing_table(targets, known):
    failed = [(target, number) for target in targets for number, _ in findings.of_target(target, known)]
    if not failed:
        return []
    lines = []
    for target, number in failed:
        row = target["checks"][number - 1]
        finding = known.get(findings.key(target["id"], number))
        lines.append([findings.key(target["id"], number), row["text"], row["stated"], with_spread(row),
                      f"{row['seeds_holding']}/{row['seeds']}", row.get("conclusion", ""),
                      finding["cause"] if finding else "**not explained yet**"])
    head = ["claim", "text", "stated", "measured", "seeds that hold", "verdict",
            "likely cause, or what the paper leaves open"]
    return ["", "## Claims that do not hold here", "", "The pages of the papers say why.", "", *grid(head, lines)]


def open_table(targets):
    rows = [[findings.key(target["id"], number), row["text"], row.get("reason", "")] for target in targets
            for number, row in enumerate(target["checks"], 1) if row["verdict"] == "OPEN"]
    return ["", "## Claims that cannot be judged", "", *grid(["claim", "text", "why"], rows)] if rows else []


def index(targets, papers):
    lines = ["", "## Index", ""]
    for paper, title in papers.items():
        names = [target for target in targets if target["paper"] == paper]
        if names:
            links = [f"[{target['id']}]({paper}.md#{anchor(target)})" for target in names]
            lines.append(f"* {title}: {', '.join(links)}")
    return lines


def anchor(target):
    """As it is made from the heading of a target."""
    heading = f"{target['id']}: {target['title']}".lower()
    return "".join("-" if c == " " else c for c in heading if c.isalnum() or c in " -_")


def overview(targets, papers, known):
    lines = ["# Reproduction of the papers", "",
             "Written by `weir-reproduce` ([how it works](../reproduce.md)). A claim holds when it holds for",
             "the mean over the seeds and for four fifths of them. Refuted: weir-lab and ns-2 agree against the",
             "paper. Underdetermined: the paper leaves open what decides it, and the sensitivity table shows",
             "which setting makes it hold. Fails: anything else, ours to explain. Open: it could not be judged,",
             "and the page says why.", "", *summary_table(papers, targets)]
    quick = any(target.get("quick") for target in targets)
    if quick:
        lines += ["", "*From a quick run: one seed, shorter runs.*"]
    complaints = [] if quick else findings.complaints(targets, known)
    if complaints:
        lines += ["", "## What is missing in this report", "", *[f"* {text}" for text in complaints]]
    return lines + failing_table(targets, known) + open_table(targets) + index(targets, papers)


def wrapped(text):
    """A paragraph or an item of a list; rows of tables, headings and pictures stay one line."""
    if text.startswith(("|", "#", "!")):
        return text
    return textwrap.fill(text, WIDTH, subsequent_indent="  " if text.startswith("* ") else "",
                         break_long_words=False, break_on_hyphens=False)


def write_text(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(map(wrapped, "\n".join(lines).split("\n"))).rstrip() + "\n")
