# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a claim comes to, with all the evidence: a check alone says PASS or FAIL, and why it fails may lie in the paper.

    holds            the check passes
    refuted          weir-lab and ns-2 agree against the paper
    underdetermined  the paper leaves open what decides it: a setting in its place makes the check pass
    fails            anything else: ours to explain"""
from . import findings

HOLDS, REFUTED, UNDERDETERMINED, FAILS = CONCLUSIONS = ("holds", "refuted", "underdetermined", "fails")


def cell_of(row):
    """The row as sensitivity.answer() writes it."""
    return f"{row['verdict']}: {row['measured']} {row['stated']}, {row['seeds_holding']}/{row['seeds']} seeds"


def settings_that_hold(name, row, sensitivities):
    """[(table, alternative, its cell)] under which a claim holds; for every seed, where only the seeds of this report are
    against it: four fifths of others might be their luck. A table of other runs than the report's says nothing, nor
    does an alternative that the paper settles."""
    found = []
    only_seeds = all(comparison["holds"] for comparison in row.get("comparisons", ()))
    for table in sensitivities:
        for column, text in enumerate(table["columns"]):
            cells = {alternative: cells[column] for alternative, cells in table["rows"].items()}
            if not text.startswith(name + ":") or cell_of(row) not in cells.values():
                continue
            found += [(table["id"], alternative, cell) for alternative, cell in cells.items()
                      if cell.startswith("PASS") and not {"*", alternative} & table.get("settled", {}).keys()
                      and (not only_seeds or holds_for_every_seed(cell))]
    return found


def holds_for_every_seed(cell):
    holding, _, seeds = cell.removesuffix(" seeds").rpartition(", ")[2].partition("/")
    return holding == seeds


def conclude(targets, sensitivities, twins=()):
    """Sets `conclusion` and, where there is any, `evidence` (texts) of the claims."""
    in_ns2 = {twin["id"]: twin["checks"] for twin in twins}
    for target in targets:
        for number, row in enumerate(target["checks"], 1):
            name = findings.key(target["id"], number)
            row.pop("evidence", None)
            row["conclusion"] = {"PASS": HOLDS, "OPEN": ""}.get(row["verdict"], FAILS)
            if row["conclusion"] == FAILS:
                weigh(name, row, sensitivities, in_ns2.get(target["id"], {}).get(str(number), {}))


def weigh(name, row, sensitivities, twin):
    """A twin speaks of a claim as it is judged now, or not at all. Not refuted is what a setting of ns-2 that the papers
    may have had makes true: underdetermined if the whole claim is known to hold there, else it fails as before."""
    fresh = (twin.get("expr"), twin.get("row")) == (row["expr"], cell_of(row))
    if fresh and twin["against"] and not twin["doubts"] and not twin["settings"]:
        row["conclusion"] = REFUTED
        row["evidence"] = [f"ns-2 {both['ns2']} is false, as is weir-lab {both['weir']}" for both in twin["against"]]
    elif fresh and twin["against"] and twin["settings"]:
        row["conclusion"] = UNDERDETERMINED
        row["evidence"] = [f"weir-lab {twin['weir']}; in ns-2 with {setting} {twin[setting]}"
                           for setting in twin["settings"]]
    settings = settings_that_hold(name, row, sensitivities)
    if settings:  # what the paper leaves open comes before what is only true of this report's choice
        row["conclusion"] = UNDERDETERMINED
        row["evidence"] = [f"with {alternative!r} {cell} (table [{table}](#{table}))"
                           for table, alternative, cell in settings]


def count(rows):
    return {conclusion: sum(row.get("conclusion") == conclusion for row in rows) for conclusion in CONCLUSIONS}
