# SPDX-License-Identifier: LGPL-2.1-or-later
"""What several oracles need, each as plain as can be. Times in ns."""
import math


class Rtt:
    """RFC 6298 section 2, one sample per SRTT at most, and the least sample of a window."""

    def __init__(self, window_ns):
        self.window_ns, self.samples = window_ns, []
        self.srtt = self.rttvar = self.taken_ns = None

    def sample(self, now_ns, rtt_ns):
        self.samples.append((now_ns, rtt_ns))
        if self.srtt is None:
            self.srtt, self.rttvar, self.taken_ns = float(rtt_ns), rtt_ns / 2, now_ns
        elif now_ns - self.taken_ns >= self.srtt:
            self.rttvar += (abs(self.srtt - rtt_ns) - self.rttvar) / 4
            self.srtt += (rtt_ns - self.srtt) / 8
            self.taken_ns = now_ns

    def least(self):
        newest_ns = self.samples[-1][0]
        return min(rtt for at, rtt in self.samples
                   if not self.window_ns or newest_ns - at <= self.window_ns)

    def rto(self, least_ns):
        return min(max(self.srtt + max(4 * self.rttvar, 1e7) if self.srtt else 1e9, least_ns), 60e9)


class ToldEvents:
    """Loss events of receiver reports: round-trip times with a loss, if losses are independent.
    While the newest one lasts, which is a round-trip time, reports tell of it again."""

    def __init__(self):
        self.begun_ns = -math.inf

    def count(self, now_ns, interval_ns, expected, lost, rtt_ns):
        if not lost or now_ns - self.begun_ns < rtt_ns:
            return 0
        rounds = interval_ns / rtt_ns
        hit = 1 - (1 - lost / expected) ** (expected / rounds)
        found = min(lost, max(1, math.floor(rounds * hit + 0.5)))
        self.begun_ns = now_ns - interval_ns // found
        return found


class Silence:
    """Waits from a packet on, and anew from each sign of life while more is in flight; at least
    twice the longest recent pause between bunches of feedback, at most 1 s, fading by eighths."""

    def __init__(self):
        self.over_ns = self.heard_ns = None
        self.pause_ns = 0

    def wait(self, now_ns, timeout_ns):
        self.over_ns = now_ns + max(int(timeout_ns), 2 * self.pause_ns)

    def sent(self, now_ns, timeout_ns):
        if self.over_ns is None:
            self.wait(now_ns, timeout_ns)

    def heard(self, now_ns, timeout_ns, in_flight):
        if self.heard_ns is not None and now_ns - self.heard_ns >= 10_000_000:
            faded = self.pause_ns - self.pause_ns // 8
            self.pause_ns = max(min(now_ns - self.heard_ns, 1_000_000_000), faded)
        self.heard_ns, self.over_ns = now_ns, None
        if in_flight:
            self.wait(now_ns, timeout_ns)

    def is_over(self, now_ns):
        over = self.over_ns is not None and now_ns >= self.over_ns
        self.over_ns = None if over else self.over_ns
        return over


class PathSilence:
    """When a path is silent: four RTTs (a second without any) and half a second at least. A pause
    that a silence ended is none if the feedback tells of a packet sent after it began."""

    def __init__(self):
        self.newest_sent = self.newest_heard = -1
        self.newest_before = 0  # sent before the last silence
        self.forget()

    def forget(self):
        self.wait, self.silent, self.rtt = Silence(), False, Rtt(600_000_000_000)

    def timeout(self):
        return max(4 * int(self.rtt.srtt) if self.rtt.srtt else 10**9, 500_000_000)

    def sent(self, now_ns, seq):
        self.newest_sent = seq
        if self.wait.over_ns is None and not self.silent:
            self.wait.heard_ns = now_ns
        self.wait.sent(now_ns, self.timeout())

    def heard(self, now_ns, seq):
        self.newest_heard = max(self.newest_heard, seq)
        if self.silent and seq > self.newest_before:
            self.wait.heard_ns = None
        self.silent = False
        self.wait.heard(now_ns, self.timeout(), self.newest_sent > self.newest_heard)

    def is_over(self, now_ns):
        over = self.wait.is_over(now_ns)
        self.silent = self.silent or over
        self.newest_before = self.newest_sent if over else self.newest_before
        return over


class PeerClock:
    """The receiver's clock on one that neither drifts nor steps: times are mapped by a list of
    pieces of slope. Drift: the slope of the greatest differences (arrival less now) of 8 to 16
    times of 2 s in a row with feedback, when they lie on a line to a millisecond; a change that is
    not 5 ms over that time is none. Step: 20 ms above all differences of the last 30 to 60 s."""

    def __init__(self):
        self.known = False
        self.from_ns = self.to_ns = 0
        self.drift = 0.0
        self.bins = []  # greatest difference, of the times that are over
        self.bin_ns = self.newest = None

    def map(self, arrived_ns):
        since = arrived_ns - self.from_ns
        return self.to_ns + since - int(self.drift * since)

    def begin(self, now_ns, arrived_ns):
        self.known, self.drift, self.from_ns, self.to_ns = True, 0.0, arrived_ns, now_ns
        self.windows, self.window_ns, self.open = [0, 0], now_ns, False
        self.restart(now_ns, arrived_ns - now_ns)

    def restart(self, now_ns, difference):
        self.bin_ns, self.bins, self.newest = now_ns, [], difference

    def step_back(self):
        self.open, self.bins = True, []

    def steps(self, now_ns, arrived_ns):
        mapped = self.map(arrived_ns) - now_ns
        if abs(mapped) > 60_000_000_000:
            self.begin(now_ns, arrived_ns)
            return
        if self.open or now_ns - self.window_ns >= 30_000_000_000:
            self.windows = [mapped, mapped if self.open else self.windows[0]]
            self.window_ns, self.open = now_ns, False
        beyond = mapped - max(self.windows)
        if beyond > 20_000_000:
            self.to_ns -= beyond
            self.restart(now_ns, arrived_ns - now_ns)
        else:
            self.windows[0] = max(self.windows[0], mapped)

    def on_feedback(self, now_ns, arrived_ns):
        """Returns by how much the estimate of the drift has grown."""
        if not self.known:
            self.begin(now_ns, arrived_ns)
            return 0.0
        self.steps(now_ns, arrived_ns)
        difference = arrived_ns - now_ns
        if now_ns - self.bin_ns < 2_000_000_000:
            self.newest = max(self.newest, difference)
            return 0.0
        if now_ns - self.bin_ns >= 4_000_000_000:
            self.restart(now_ns, difference)
            return 0.0
        self.bins = (self.bins + [self.newest])[-16:]
        self.bin_ns += 2_000_000_000
        self.newest = difference
        return self.fit(arrived_ns)

    def fit(self, arrived_ns):
        n = len(self.bins)
        if n < 8:
            return 0.0
        y = [(value - self.bins[0]) * 1e-9 for value in self.bins]
        x = [i - (n - 1) / 2 for i in range(n)]
        mean = sum(y) / n
        per_bin = sum(a * b for a, b in zip(x, y)) / sum(a * a for a in x)
        slope = per_bin / 2.0
        straight = all(abs(b - mean - per_bin * a) <= 0.001 for a, b in zip(x, y))
        if not straight or abs(slope) > 2e-3 or abs(slope - self.drift) * n * 2.0 < 0.005:
            return 0.0
        grown = slope - self.drift
        self.to_ns, self.from_ns, self.drift = self.map(arrived_ns), arrived_ns, slope
        return grown


class Delays:
    """One-way delays on the freed clock, and the least of each of the last ten minutes."""

    def __init__(self):
        self.clock, self.minutes, self.minute_ns = PeerClock(), [], 0  # [least, at], newest last

    def on_feedback(self, now_ns, arrived_ns):
        grown = self.clock.on_feedback(now_ns, arrived_ns)
        if grown:
            self.minutes = [[least + int(grown * (now_ns - at)), at] for least, at in self.minutes]

    def base(self):
        return min(least for least, _ in self.minutes)

    def add(self, now_ns, sent_ns, arrived_ns):
        """Arrival and delay, or None if it was told on another clock."""
        mapped = self.clock.map(arrived_ns)
        if abs(mapped - now_ns) > 70_000_000_000:
            return None
        delay = mapped - sent_ns
        if self.minutes and delay < self.base() - 50_000_000:
            self.clock.step_back()
        if not self.minutes or now_ns - self.minute_ns >= 60_000_000_000:
            self.minutes = (self.minutes + [[delay, now_ns]])[-10:]
            self.minute_ns = now_ns
        elif delay <= self.minutes[-1][0]:
            self.minutes[-1] = [delay, now_ns]
        return mapped, delay

    def queue(self, delay):
        return max(delay - self.base(), 0) if self.minutes else 0


class DataLimit:
    """RFC 5348 8.2.1: was there no moment in the interval when the controller held the flow back?
    The interval ends at the newest packet reported; it begins an RTT before that, or at the newest
    packet of the feedback before if that is longer ago."""

    def __init__(self):
        self.sent, self.seen_ns = [], None  # (time, held back); newest packet of the last feedback

    def limited(self, newest_ns, rtt_ns):
        old_ns = newest_ns - rtt_ns
        old_ns = float("-inf") if self.seen_ns is None else min(old_ns, self.seen_ns)
        held = False
        for i, (at, back) in enumerate(self.sent):
            following = self.sent[i + 1] if i + 1 < len(self.sent) else None
            end = following[0] if back and following and following[1] else at
            held = held or (back and end > old_ns and at <= newest_ns)
        self.seen_ns = newest_ns
        return not held
