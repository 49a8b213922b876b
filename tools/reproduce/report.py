# SPDX-License-Identifier: LGPL-2.1-or-later
"""What comes out: rows for people, the JSON, and the pages of docs/reproduction."""
import json
import os

VERDICTS = ("PASS", "FAIL", "OPEN")


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
    return {**counts(checks), "wall_s": round(wall_s, 1), "stated": counts(stated)}


def write_json(path, result):
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(temporary, path)


def merged(before, result, order):
    """The targets of earlier results that were not run this time stay."""
    new = {target["id"]: target for target in result["targets"]}
    old = {target["id"]: target for target in before.get("targets", ())}
    both = {**old, **new}
    return [both[one] for one in order if one in both]


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def short(value):
    """What the JSON holds for a number: infinities are texts there."""
    return value if isinstance(value, str) else f"{value:.4g}"


def markdown_table(rows, first):
    out = [f"| {first} | stated | measured | seeds | verdict |", "|---|---|---|---|---|"]
    for row in rows:
        seeds = f"{row['seeds_holding']}/{row['seeds']}" if row["seeds"] else ""
        measured = row["measured"]
        if "min" in row and row["min"] != row["max"]:
            measured += f" ({short(row['min'])} to {short(row['max'])})"
        verdict = row["verdict"] + (f": {row['reason']}" if row.get("reason") else "")
        out.append("| " + " | ".join(cell(part) for part in (row["text"], row["stated"], measured, seeds,
                                                             verdict)) + " |")
    return out


def page_of_target(target):
    lines = [f"## {target['id']}: {target['title']}", "",
             f"{target['ref'][0].upper()}{target['ref'][1:]}; {target['repro']}."]
    if target.get("quick"):
        lines[-1] += " *From a quick run.*"
    if target.get("figure"):
        lines += ["", f"![{target['id']}]({target['figure']})"]
    if target["checks"]:
        lines += ["", *markdown_table(target["checks"], "claim")]
    if target["stated"]:
        lines += ["", *markdown_table(target["stated"], "stated number")]
    if target.get("note"):
        lines += ["", target["note"]]
    return lines + [""]


def write_pages(folder, targets, papers):
    for paper, title in papers.items():
        of_paper = [target for target in targets if target["paper"] == paper]
        if not of_paper:
            continue
        lines = [f"# {title}", ""]
        for target in of_paper:
            lines += page_of_target(target)
        write_text(os.path.join(folder, f"{paper}.md"), lines)
    write_text(os.path.join(folder, "README.md"), overview(targets, papers))


def overview(targets, papers):
    lines = ["# Reproduction of the papers", "",
             "Written by `weir-reproduce` ([how it works](../reproduce.md)). A claim holds when it holds for",
             "the mean over the seeds and for four fifths of them. OPEN: it could not be judged, and the",
             "page says why.", "",
             "| paper | targets | PASS | FAIL | OPEN | stated numbers: PASS | FAIL | OPEN |",
             "|---|---|---|---|---|---|---|---|"]
    for paper, title in papers.items():
        of_paper = [target for target in targets if target["paper"] == paper]
        if not of_paper:
            continue
        checks = counts([row for target in of_paper for row in target["checks"]])
        stated = counts([row for target in of_paper for row in target["stated"]])
        lines.append(f"| [{title}]({paper}.md) | {len(of_paper)} "
                     f"| {checks['pass']} | {checks['fail']} | {checks['open']} "
                     f"| {stated['pass']} | {stated['fail']} | {stated['open']} |")
    failed = [(target["id"], row) for target in targets for row in target["checks"]
              if row["verdict"] == "FAIL"]
    if failed:
        lines += ["", "## Claims that do not hold here", "",
                  "| target | claim | stated | measured | seeds that hold |",
                  "|---|---|---|---|---|"]
        lines += [f"| {name} | {cell(row['text'])} | {cell(row['stated'])} | {cell(row['measured'])} "
                  f"| {row['seeds_holding']}/{row['seeds']} |" for name, row in failed]
    return lines


def write_text(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")
