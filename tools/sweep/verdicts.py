# SPDX-License-Identifier: LGPL-2.1-or-later
"""From measures to advice: what each use wants, who gives it, and what is to be said of each algorithm. The bounds are
the guide's opinion; whether they are met is measured."""
from dataclasses import dataclass

from .measures import measures

INFINITE = float("inf")


@dataclass(frozen=True)
class Wish:
    measure: str
    least: float = -INFINITE
    most: float = INFINITE
    words: str = ""          # what the measure is called here

    def meets(self, values):
        return self.least <= values[self.measure][0] <= self.most  # NaN does not


@dataclass(frozen=True)
class Use:
    title: str
    wishes: tuple            # the first one orders the algorithms
    best: str                # of the first: "least" or "most"

    def order(self, found):
        sign = 1 if self.best == "least" else -1
        return sorted(found, key=lambda algorithm: (sign * found[algorithm][self.wishes[0].measure][0], algorithm))


FAIR = Wish("sack.share", 1 / 3, 3, "share against SACK")

USES = {
    "video": Use("Interactive video", (
        Wish("step.fall", most=2, words="seconds to follow a fall"),
        Wish("steady.use", 0.85, words="utilisation"),
        Wish("step.loss", most=0.02, words="lost in the step"),
        Wish("cov.1", most=0.25, words="CoV in bins of 1 s"), FAIR), "least"),
    "voice": Use("Voice", (
        Wish("voice.r", 80, words="R"),
        Wish("voice.discard", most=0.01, words="discarded before sending")), "most"),
    "streaming": Use("Streaming with seconds of buffer", (
        Wish("cov.5", most=0.15, words="CoV in bins of 5 s"),
        Wish("steady.use", 0.85, words="utilisation"),
        Wish("sack.share", 1 / 2, 2, "share against SACK"),
        Wish("same.jain", 0.9, words="Jain's index of four")), "least"),
    "delay": Use("Short queues", (
        Wish("wait.1000", most=200, words="queue p95 in ms"),
        Wish("steady.use", 0.8, words="utilisation")), "least"),
    "radio": Use("Radio links with random loss", (
        Wish("loss.0.01", 0.7, words="utilisation at 1 % loss"),
        Wish("loss.0.05", 0.3, words="at 5 %"),
        Wish("same.loss", most=0.05, words="lost by four of them")), "most"),
    "long": Use("Long round trips", (
        Wish("rtt.500", 0.8, words="utilisation at 500 ms"),
        Wish("rtt.200", 0.8, words="at 200 ms")), "most"),
    "hops": Use("Many bottlenecks in a row", (
        Wish("hops.5", 0.1, words="share against Reno over 5 hops"),
        Wish("hops.1", 1 / 3, 3, "over 1 hop")), "most"),
    "reports": Use("Peers that send receiver reports alone", (
        Wish("reports.use", 0.6, words="utilisation"),
        Wish("reports.loss", most=0.03, words="lost")), "most"),
}

# Beyond these bounds an algorithm is advised for no use, whatever else it can do.
NEVER = (Wish("steady.use", 0.5, words="utilisation of a steady link"),
         Wish("steady.loss", most=0.1, words="lost on a steady link"),
         Wish("start.loss", most=0.2, words="lost in the first 20 s"),
         Wish("step.loss", most=0.1, words="lost in the step"),
         Wish("step.discard", most=0.1, words="discarded in the step"),
         Wish("same.loss", most=0.1, words="lost by four of them"),
         Wish("cov.5", most=0.5, words="CoV in bins of 5 s"),
         Wish("sack.share", 0.1, 10, "share against SACK"))

# Words of the table at a glance, each with where it applies.
STRENGTHS = (("smooth", Wish("cov.1", most=0.1)), ("follows a fall within 1 s", Wish("step.fall", most=1)),
             ("takes freed capacity within 5 s", Wish("step.rise", most=5)),
             ("short queues", Wish("wait.1000", most=200)), ("fair to SACK", Wish("sack.share", 0.5, 2)),
             ("fair to its own kind", Wish("same.jain", 0.98)), ("random loss", Wish("loss.0.01", 0.85)),
             ("small buffers", Wish("buffer.20", 0.9)), ("long paths", Wish("rtt.500", 0.9)),
             ("many hops", Wish("hops.5", 0.2)), ("reports alone", Wish("reports.use", 0.8)))
WEAKNESSES = (("unsteady", Wish("cov.1", 0.25)), ("slow to fall", Wish("step.fall", 3)),
              ("slow to rise", Wish("step.rise", 15)), ("fills buffers", Wish("wait.1000", 600)),
              ("starves beside SACK", Wish("sack.share", most=1 / 3)), ("starves SACK", Wish("sack.share", 3)),
              ("unfair to its own kind", Wish("same.jain", most=0.9)), ("random loss", Wish("loss.0.01", most=0.5)),
              ("small buffers", Wish("buffer.20", most=0.7)), ("long paths", Wish("rtt.500", most=0.6)),
              ("many hops", Wish("hops.5", most=0.05)), ("reports alone", Wish("reports.use", most=0.5)))


def value_text(name, values):
    """A median as the tables show it."""
    return number(measures()[name].form, values[name][0])


def number(form, value):
    if value != value:
        return "-"
    if value in (INFINITE, -INFINITE):
        return "never"
    return form.format(value).rstrip("%") if form.endswith("%}") else form.format(value)


def bound_text(wish):
    """What a wish asks for, in words."""
    form = measures()[wish.measure].form
    ends = [form.format(end) for end in (wish.least, wish.most) if end not in (INFINITE, -INFINITE)]
    if len(ends) == 2:
        return f"{wish.words} from {ends[0]} to {ends[1]}"
    return f"{wish.words} {'at least' if wish.most == INFINITE else 'at most'} {ends[0]}"


def sort_out(use, found):
    """(those that meet all wishes, {wish: those that miss this one only}), without those that are advised for no
    use."""
    good, near = [], {}
    for algorithm in use.order(found):
        missed = [wish for wish in use.wishes if not wish.meets(found[algorithm])]
        if algorithm in never(found):
            continue
        if not missed:
            good.append(algorithm)
        elif len(missed) == 1:
            near.setdefault(missed[0], []).append(algorithm)
    return good, near


def words(table, values):
    return [word for word, wish in table if wish.meets(values)]


def never(found):
    """{algorithm: the bounds of live media that it breaks}"""
    out = {algorithm: [wish for wish in NEVER if not wish.meets(values)] for algorithm, values in found.items()}
    return {algorithm: broken for algorithm, broken in out.items() if broken}
