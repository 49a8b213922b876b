# SPDX-License-Identifier: LGPL-2.1-or-later
"""The twelve live scenarios as data; scenarios/live/ has them for weir-lab, which see. Times are
seconds since the first media flow begins."""
import dataclasses
import random

MIN_BPS, MAX_BPS, START_BPS = 150_000, 5_000_000, 500_000  # of each sender
FIRST_SEED = 7
WALK_STEP_S, WALK_STEP_BPS, WALK_MOST_BPS = 0.2, 500_000, 4_000_000


@dataclasses.dataclass(frozen=True)
class Tcp:
    """Flows of the kernel's TCP, forward (with the media) or on the way back."""

    name: str
    at_s: float
    until_s: float
    flows: int = 1
    reverse: bool = False


@dataclasses.dataclass(frozen=True)
class Bound:
    """A figure of live_figures with the least or the most that is wanted of it."""

    figure: str
    least: float = None
    most: float = None
    every_run: bool = False  # else the median of the runs

    def holds(self, value):
        return (self.least is None or value >= self.least) \
            and (self.most is None or value <= self.most)


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    words: str  # for the page
    duration_s: float
    window_s: tuple  # what is judged, but for times that something took
    rtt_ms: int
    queue: tuple  # option of weir-link and its value
    capacity: tuple = ()  # (second, bit/s), ...; the first at 0
    walk_least_bps: int = 0  # or a random walk of the capacity above it, by the seed
    reverse: tuple = ()  # (bit/s, queue option, its value) of the way back, if it is narrow
    loss: float = 0.0  # each way
    forward_loss: tuple = ()  # (part, mean number in a row) of what is lost on the way of the media, if not `loss`
    media_at_s: tuple = (0,)  # when each media flow begins
    tcp: tuple = ()
    silence_s: tuple = None  # when the camera gives nothing
    up_at_s: float = None  # when the capacity or the source comes back
    marks: str = ""  # discipline of a queue that marks what is ECN-capable; the kernel's TCP then is, too
    wanted: tuple = ()

    def steps(self, seed):
        """(second, bit/s), ...; the first at 0."""
        least_bps = self.walk_least_bps
        return random_walk(seed, self.duration_s, least_bps) if least_bps else self.capacity

    def scaled(self, duration_s):
        """The same, with everything sooner or later."""
        factor = duration_s / self.duration_s
        several = lambda times: tuple(factor * time for time in times)
        return dataclasses.replace(
            self, duration_s=duration_s, window_s=several(self.window_s),
            capacity=tuple((factor * at_s, bps) for at_s, bps in self.capacity),
            media_at_s=several(self.media_at_s),
            tcp=tuple(dataclasses.replace(t, at_s=factor * t.at_s, until_s=factor * t.until_s)
                      for t in self.tcp),
            silence_s=self.silence_s and several(self.silence_s),
            up_at_s=self.up_at_s and factor * self.up_at_s)


def random_walk(seed, duration_s, least_bps):
    """Steps of at most 0.5 Mbit/s each 0.2 s, reflected at the limits."""
    draw, bps, steps = random.Random(seed), 2_000_000, []
    for k in range(int(duration_s / WALK_STEP_S) + 1):
        steps.append((round(k * WALK_STEP_S, 1), bps))
        bps += round((2 * draw.random() - 1) * WALK_STEP_BPS)
        if bps < least_bps:
            bps = 2 * least_bps - bps
        if bps > WALK_MOST_BPS:
            bps = 2 * WALK_MOST_BPS - bps
    return tuple(steps)


def capacity_bits(steps, from_s, to_s):
    """What the link could carry between two times."""
    bits, ends = 0.0, [at_s for at_s, _ in steps[1:]] + [float("inf")]
    for (at_s, bps), end_s in zip(steps, ends):
        bits += bps * max(0.0, min(end_s, to_s) - max(at_s, from_s))
    return bits


def against(tcp, name, words):
    """4 Mbit/s with a queue of one bandwidth-delay product, and a TCP for a minute."""
    share = Bound("media_bps", least=1_600_000, most=2_400_000, every_run=True)
    return Scenario(name, words, 80, (10, 70), 100, ("queue-bytes", "50000"), ((0, 4_000_000),),
                    tcp=(Tcp(tcp, 10, 70),), wanted=(share,))


def constant(name, words, bps, rtt_ms, queue, wanted, **more):
    return Scenario(name, words, 60, (10, 60), rtt_ms, queue, ((0, bps),), wanted=wanted, **more)


SCENARIOS = (
    constant("const", "2 Mbit/s, RTT 50 ms, buffer 100 ms", 2_000_000, 50, ("queue-bytes", "25000"),
             (Bound("used", least=0.96), Bound("q95_ms", most=35), Bound("t90_s", most=2.5))),
    Scenario("step", "2.5, 1, 2.5 Mbit/s for 20 s each, RTT 100 ms, buffer 25 kB (200 ms at 1 Mbit/s)",
             60, (10, 60), 100, ("queue-bytes", "25000"), ((0, 2_500_000), (20, 1_000_000), (40, 2_500_000)), up_at_s=40,
             wanted=(Bound("used", least=0.94), Bound("q95_ms", most=50), Bound("up_s", most=3))),
    against("reno", "tcp1", "4 Mbit/s, RTT 100 ms, buffer 1 BDP, one Reno from 10 to 70 s"),
    against("cubic", "tcp_cubic", "the same with Cubic"),
    constant("loss1", "4 Mbit/s, RTT 100 ms, buffer 1 BDP, 1 % random loss each way", 4_000_000, 100,
             ("queue-bytes", "50000"), (Bound("used", least=0.92),), loss=0.01),
    constant("loss5", "the same with 5 %", 4_000_000, 100, ("queue-bytes", "50000"),
             (Bound("used", least=0.85),), loss=0.05),
    constant("rev", "1 Mbit/s each way, RTT 250 ms, buffers 1 BDP, five Renos on the way back",
             1_000_000, 250, ("queue-bytes", "31250"),
             (Bound("used", least=0.95), Bound("q95_ms", most=60)),
             reverse=(1_000_000, "queue-bytes", "31250"),
             tcp=(Tcp("reno", 0, 60, flows=5, reverse=True),)),
    Scenario("selffair", "4 Mbit/s, RTT 100 ms, buffer 1 BDP, two media flows, the second 20 s later",
             100, (40, 100), 100, ("queue-bytes", "50000"), ((0, 4_000_000),), media_at_s=(0, 20),
             wanted=(Bound("jain", least=0.97), Bound("used", least=0.96), Bound("q95_ms", most=35))),
    constant("bloat", "2 Mbit/s, RTT 50 ms, buffer 2 s", 2_000_000, 50, ("queue-bytes", "500000"),
             (Bound("used", least=0.96), Bound("q95_ms", most=35))),
    constant("shallow", "2 Mbit/s, RTT 50 ms, buffer 10 packets", 2_000_000, 50,
             ("queue-packets", "10"), (Bound("used", least=0.97), Bound("loss", most=0.003))),
    Scenario("cell", "random walk from 0.3 to 4 Mbit/s, a step each 0.2 s; RTT 100 ms, buffer 75 kB",
             80, (10, 80), 100, ("queue-bytes", "75000"), walk_least_bps=300_000,
             wanted=(Bound("used", least=0.83), Bound("q95_ms", most=110))),
    Scenario("silent", "as const; the source is silent from 20 to 55 s", 75, (55, 57), 50,
             ("queue-bytes", "25000"), ((0, 2_000_000),), silence_s=(20, 55), up_at_s=55,
             wanted=(Bound("up_s", most=1), Bound("loss", most=0))),
)
VARIATIONS = (against("bbr", "tcp_bbr", "the same with BBR"),)
LONG = (
    Scenario("walk", "15 minutes of a random walk from 0.15 to 4 Mbit/s, else as cell", 900, (10, 900), 100,
             ("queue-bytes", "75000"), walk_least_bps=150_000, wanted=(Bound("frozen_s", most=4.5),)),
)


def marking(name, words, discipline, tcp, wanted):
    """4, 2, 4 Mbit/s behind a queue that marks, alone or with a TCP for the last two thirds."""
    return Scenario(name, words, 60, (10, 60), 50, ("queue-bytes", "100000"), ((0, 4_000_000), (20, 2_000_000), (40, 4_000_000)),
                    up_at_s=40, marks=discipline, tcp=tuple(Tcp(one, 5, 60) for one in tcp), wanted=wanted)


NO_LOSS = (Bound("loss", most=0, every_run=True),)
L4S = (Bound("used", least=0.9), Bound("q95_ms", most=10), *NO_LOSS)
ECN = (
    marking("fq_codel", "4, 2, 4 Mbit/s for 20 s each, RTT 50 ms, FQ-CoDel that marks", "fq_codel", (), NO_LOSS),
    marking("fq_codel_cubic", "the same with a Cubic that is ECN-capable", "fq_codel", ("cubic",), NO_LOSS),
    marking("dualpi2", "4, 2, 4 Mbit/s for 20 s each, RTT 50 ms, DualPI2", "dualpi2", (), L4S),
    marking("dualpi2_cubic", "the same with a Cubic that is ECN-capable", "dualpi2", ("cubic",), NO_LOSS),
)


def lossy(name, loss, burst=1):
    """A call alone on a path that loses packets of its media, whether the queue is full or not."""
    how = f"in bursts of {burst} on average" if burst > 1 else "by chance"
    words = f"2 Mbit/s, RTT 100 ms, buffer 1 BDP, {100 * loss:g} % of the packets lost {how}, on the way of the media"
    return constant(name, words, 2_000_000, 100, ("queue-bytes", "25000"), (), forward_loss=(loss, burst))


REPAIR = (lossy("repair_loss0", 0), lossy("repair_loss1", 0.01), lossy("repair_loss3", 0.03), lossy("repair_loss5", 0.05),
          lossy("repair_burst1", 0.01, 5), lossy("repair_burst3", 0.03, 5), lossy("repair_burst5", 0.05, 5))
OF_OTHER_RECEIVERS = ("const", "step", "tcp1", "loss1")


def find(name):
    """None: there is none of that name."""
    return next((one for one in SCENARIOS + VARIATIONS + LONG + ECN + REPAIR if one.name == name), None)
