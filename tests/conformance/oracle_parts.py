# SPDX-License-Identifier: LGPL-2.1-or-later
"""What several oracles need, each as plain as can be. Times in ns."""


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
