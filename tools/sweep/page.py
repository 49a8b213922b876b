# SPDX-License-Identifier: LGPL-2.1-or-later
"""The generated parts of docs/choosing.md. The text between them is written by hand."""
import datetime
import re
import textwrap

from reproduce import tables

from .measures import measures
from .verdicts import STRENGTHS, USES, WEAKNESSES, bound_text, never, sort_out, value_text, words

# Columns by table: measures, with their titles where the measures' own would not do.
TABLES = {
    "alone": ("steady.use", "steady.loss", "steady.p50", "steady.p95", "cov.0.1", "cov.1", "cov.5"),
    "changes": ("start.use", "start.loss", "step.fall", "step.rise", "step.loss", "step.discard", "step.use",
                "step.breaker"),
    "company": ("reno.share", "sack.share", "same.jain", "same.loss", "hops.1", "hops.3", "hops.5", "reverse.use"),
    "paths": ("loss.0.001", "loss.0.005", "loss.0.01", "loss.0.05", "rtt.10", "rtt.50", "rtt.200", "rtt.500"),
    "buffers": ("buffer.20", "buffer.50", "buffer.200", "buffer.1000", "wait.20", "wait.50", "wait.200", "wait.1000"),
    "special": ("voice.r", "voice.loss", "voice.discard", "reports.use", "reports.loss", "reports.fall",
                "reports.rise"),
}
PREFIXES = {"wait": "p95, ", "buffer": "utilisation, ", "rtt": "", "loss": ""}
MARK = re.compile(r"(<!-- begin (\w[\w-]*) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def code(name):
    return f"[`{name}`](controllers/{name}.md)"


def grid(head, rows):
    return "\n".join(tables.grid(head, rows)) + "\n"


def title(name):
    return PREFIXES.get(name.split(".")[0], "") + measures()[name].title


def by_tier(rows, live):
    """`rows` by algorithm: those for live media, a row that says what follows, the others."""
    first = [row for algorithm, row in rows.items() if algorithm in live]
    others = [row for algorithm, row in rows.items() if algorithm not in live]
    return first + [["*research:*"] + [""] * (len(row) - 1) for row in others[:1] if first] + others


def numbers_table(found, names, live):
    return grid(["algorithm", *map(title, names)],
                by_tier({algorithm: [f"`{algorithm}`", *(value_text(name, values) for name in names)]
                         for algorithm, values in found.items()}, live))


def glance(found, live):
    return grid(["algorithm", "strong", "weak"],
                by_tier({algorithm: [code(algorithm), ", ".join(words(STRENGTHS, values)) or "-",
                                     ", ".join(words(WEAKNESSES, values)) or "-"]
                         for algorithm, values in found.items()}, live))


def with_values(wish, algorithms, found):
    return ", ".join(f"`{algorithm}` ({value_text(wish.measure, found[algorithm])})" for algorithm in algorithms)


def wrapped(lines):
    """Paragraphs and items of a list, at most 100 columns wide."""
    return "\n".join(textwrap.fill(line, 100, subsequent_indent="  " if line.startswith("* ") else "",
                                   break_long_words=False, break_on_hyphens=False) for line in lines)


def use_text(use, found, live):
    """What is wanted; who gives it, in bold of those for live media; who misses one wish."""
    good, near = sort_out(use, found)
    best = [algorithm for algorithm in good if algorithm in live]
    others = [algorithm for algorithm in good if algorithm not in live]
    lines = [f"Criteria: {'; '.join(bound_text(wish) for wish in use.wishes)}.", "",
             f"**{with_values(use.wishes[0], best, found) or 'None of those for live media.'}**", ""]
    lines += [f"* Of those for research: {with_values(use.wishes[0], others, found)}"] if others else []
    lines += [f"* Misses only {wish.words}: "
              + with_values(wish, sorted(algorithms, key=lambda algorithm: algorithm not in live), found)
              for wish, algorithms in near.items()]
    return wrapped(lines).rstrip("\n") + "\n"


def never_text(found):
    out = never(found)
    if not out:
        return "None of them.\n"
    return wrapped(f"* `{algorithm}`: " + "; ".join(f"{wish.words} {value_text(wish.measure, found[algorithm])}"
                                                    for wish in broken)
                   for algorithm, broken in out.items()) + "\n"


def hops_text(over_hops):
    shares = ", ".join(f"{share:.2f} over {hops}" for hops, share in over_hops.items())
    return wrapped([f"For comparison, a SACK flow in the place of the call gets {shares} hops."]) + "\n"


def day_text(day):
    return f"{day.day} {day:%B %Y}"


def made_text(summary, day=None):
    """With the day, for the part of a page that says how all of it was made."""
    refused = ", ".join(dict.fromkeys(f"`{entry['algorithm']}` in `{entry['scenario']}`"
                                      for entry in summary["refused"] + summary["failed"]))
    seeds = max(condition["seeds"] for condition in summary["conditions"])
    count = "one seed" if seeds == 1 else f"medians of {seeds} seeds"
    return wrapped([f"{summary['done']} runs of weir-lab {summary['version']}, {count}."
                    + (f" Not possible: {refused}." if refused else "")
                    + (f" Measured on {day_text(day)}." if day else "")]) + "\n"


def parts(found, over_hops, summary):
    live = summary["live"]
    out = {"glance": glance(found, live), "never": never_text(found), "tcp-over-hops": hops_text(over_hops),
           "made": made_text(summary, datetime.date.today())}
    out.update({f"use-{name}": use_text(use, found, live) for name, use in USES.items()})
    out.update({f"table-{name}": numbers_table(found, names, live) for name, names in TABLES.items()})
    return out


def filled(text, generated, others=()):
    """The page with its marked parts replaced. Each mark must have a part and each part a mark; `others` stay as they are."""
    marks = [name for _, name, _ in MARK.findall(text)]
    if sorted(marks) != sorted([*generated, *others]):
        wrong = sorted(set(marks) ^ {*generated, *others}) or marks
        raise ValueError(f"the page's marks and the generated parts differ: {', '.join(wrong)}")
    return MARK.sub(lambda found: found[1] + generated[found[2]] + found[3] if found[2] in generated else found[0], text)
