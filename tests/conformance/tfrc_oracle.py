# SPDX-License-Identifier: LGPL-2.1-or-later
"""TFRC once more, naively: RFC 5348 and RFC 3448 step by step, everything remembered for ever and
computed anew each time. Slow, short, and written apart from lib/controllers/tfrc.c, which must give
the same rates. Rates in bytes/s, times in seconds unless a name ends in _ns."""
import math

INF = math.inf
FORMS = ["packets"]
VARIABLES = ["x_bytes_per_s", "loss_event_rate"]
VARIANTS = [("tfrc", params, options) for params, options in [
    ({}, {}),
    ({"initial": 1}, {"start_rate": False}),
    ({"initial": 1, "cwv-decay": 1}, {"start_rate": False, "cwv": True}),
    ({"discount-threshold": 1}, {"threshold": 1.0}),
    ({"discount-threshold": 0.5, "loss-intervals": 5}, {"threshold": 0.5, "n": 5}),
    ({"profile": 1, "initial": 1}, {"rfc3448": True, "start_rate": False}),
    ({"profile": 1}, {"rfc3448": True}),
]]


def oracle(**options):
    return Tfrc(**options)


def weight(n, i):
    """5.4"""
    return 1.0 if i < n / 2 else 2.0 * (n - i) / (n + 2)


def response(p):
    """3.1, t_RTO = 4R, b = 1: round-trip times per packet."""
    return math.sqrt(2 * p / 3) + 12 * math.sqrt(3 * p / 8) * p * (1 + 32 * p * p)


def inverse(packets_per_rtt):
    low, high = 1e-10, 1.0
    for _ in range(200):
        middle = math.sqrt(low * high)
        if packets_per_rtt * response(middle) < 1:
            low = middle
        else:
            high = middle
    return low


class Losses:
    """Section 5: a list of all losses that did not come late, grouped anew each time."""

    def __init__(self, n, threshold):
        self.n, self.threshold = n, threshold
        self.lost = {}  # seq -> (sent_ns, R_ns when it was found)
        self.first = None
        self.highest = -1

    def events(self):
        found = []
        for seq in sorted(self.lost):
            sent_ns, rtt_ns = self.lost[seq]
            if not found or sent_ns > found[-1][1] + found[-1][2]:
                found.append((seq, sent_ns, rtt_ns))
        return found

    def discount(self, closed, factors, open_):
        if self.threshold >= 1 or not closed:
            return 1.0
        weights = [weight(self.n, i) * f for i, f in enumerate(factors)]
        mean = sum(w * c for w, c in zip(weights, closed)) / sum(weights)
        return max(self.threshold, 2 * mean / open_) if open_ > 2 * mean else 1.0

    def p(self):
        events = self.events()
        if not events:
            return 0.0
        closed, factors = [self.first], [1.0]  # newest first
        for before, event in zip(events, events[1:]):
            length = float(event[0] - before[0])
            df = self.discount(closed, factors, length)
            factors = ([1.0] + [f * df for f in factors])[:self.n]
            closed = ([length] + closed)[:self.n]
        open_ = float(max(1, self.highest - events[-1][0] + 1))
        k = len(closed)
        if self.threshold >= 1:
            total0 = sum(i * weight(self.n, j) for j, i in enumerate(([open_] + closed)[:k]))
            total1 = sum(i * weight(self.n, j) for j, i in enumerate(closed))
            p = sum(weight(self.n, j) for j in range(k)) / max(total0, total1)
        else:
            df = self.discount(closed, factors, open_)
            w1 = [weight(self.n, j) * f for j, f in enumerate(factors)]
            w0 = [1.0] + [weight(self.n, j + 1) * f * df
                          for j, f in enumerate(factors) if j + 1 < self.n]
            p1 = sum(w1) / sum(w * i for w, i in zip(w1, closed))
            p0 = sum(w0) / sum(w * i for w, i in zip(w0, [open_] + closed))
            p = min(p0, p1)
        return min(max(p, 1e-8), 1.0)


class Tfrc:
    """The sender of section 4 with the receiver of section 6 beside it."""

    def __init__(self, rfc3448=False, start_rate=True, cwv=False, n=8, threshold=None):
        self.rfc3448, self.start_rate, self.cwv = rfc3448, start_rate, cwv
        self.losses = Losses(n, threshold or (0.5 if rfc3448 else 0.25))
        self.s = self.mss = 1000.0
        self.sent_any = False
        self.x = 300000 / 8 if start_rate else 1000.0
        self.x_bps = self.x_recv = self.x_recv_max = self.p = 0.0
        self.rtt = None
        self.sample_ns = None
        self.started = False
        self.set = [(INF, 0)]
        self.arrivals = []
        self.limited_log = []  # (time, not data-limited) of every packet sent
        self.newest_ns = self.seen_ns = None
        self.data_limited = False
        self.tld_ns = self.step_ns = self.decayed_ns = 0
        self.timer_ns = None
        self.heard_ns, self.pause_ns = None, 0
        self.busy = False
        self.unanswered_ns = None

    def rtt_or_guess(self):
        return 0.5 if self.rtt is None else self.rtt

    def rtt_ns(self):
        return math.floor(self.rtt_or_guess() * 1e9 + 0.5)

    def round_ns(self):
        """R, less a sixteenth for a receiver with another estimate of it."""
        return self.rtt_ns() - self.rtt_ns() // 16

    def floor(self):
        return self.s / 64

    def initial(self):
        window = self.s if self.rfc3448 else min(4 * self.mss, max(2 * self.mss, 4380))
        return window / self.rtt_or_guess()

    def timeout_ns(self):
        wait = max(2 * self.s / self.x, 0.02, 2.0 if self.rtt is None else 4 * self.rtt,
                   2 * self.pause_ns * 1e-9)
        return int(min(wait, 1e8) * 1e9)

    def restart_timer(self, now_ns):
        self.timer_ns = now_ns + self.timeout_ns()
        self.busy = False

    def answer(self):
        return 8 * self.x, self.x, self.p

    def on_sent(self, now_ns, size, _, limited):
        self.s = self.s + (size - self.s) / 16 if self.sent_any else float(size)
        self.mss = max(self.mss, size) if self.sent_any else float(size)
        self.sent_any = True
        if self.limited_log:
            silent_ns = now_ns - self.limited_log[-1][0] - self.rtt_ns()
            self.decayed_ns = min(self.decayed_ns + max(silent_ns, 0), now_ns)
        self.limited_log.append((now_ns, limited))
        if self.timer_ns is None:
            self.restart_timer(now_ns)
        self.busy = True
        if self.unanswered_ns is None:
            self.unanswered_ns = now_ns

    def receive_rate(self):
        if not self.arrivals:
            return 0.0
        end = max(at for at, _ in self.arrivals)
        size = sum(b for at, b in self.arrivals if end - self.rtt_ns() < at <= end)
        return size / (self.rtt_ns() * 1e-9)

    def judge_data_limit(self):
        """8.2.1: was there a moment in the interval when the controller held the flow back?"""
        if self.newest_ns is None or (self.seen_ns is not None and self.newest_ns <= self.seen_ns):
            return
        old_ns = self.newest_ns - self.rtt_ns()
        old_ns = -INF if self.seen_ns is None else min(old_ns, self.seen_ns)
        held = False
        for i, (at, limited) in enumerate(self.limited_log):
            following = self.limited_log[i + 1] if i + 1 < len(self.limited_log) else None
            end = following[0] if limited and following and following[1] else at
            held = held or (limited and end > old_ns and at <= self.newest_ns)
        self.seen_ns = self.newest_ns
        self.data_limited = not held and self.x_recv > 0

    def on_feedback(self, now_ns, rtt_ns, _, packets):
        self.sample_ns = rtt_ns if rtt_ns >= 0 else self.sample_ns
        if self.rtt is None:
            self.take_sample()
        for _, sent_ns, arrived_ns, size, status, _ in packets:
            if status != 1:
                self.arrivals.append((arrived_ns, size))
                self.newest_ns = max(sent_ns, sent_ns if self.newest_ns is None else self.newest_ns)
        self.x_recv = self.receive_rate()
        self.x_recv_max = max(self.x_recv_max, self.x_recv)
        before = len(self.losses.events())
        for seq, sent_ns, _, _, status, _ in packets:
            if status == 1:
                self.note_loss(seq, sent_ns)
            else:
                self.losses.lost.pop(seq, None)
                self.losses.highest = max(self.losses.highest, seq)
        events = len(self.losses.events())
        since_ns = self.step_ns if self.p > 0 else self.tld_ns
        due = not self.started or now_ns - since_ns >= self.round_ns()
        if self.rtt is not None and (due or events != before):
            self.take_sample()
            self.judge_data_limit()
            self.step(now_ns, events > before)
        if any(status != 1 for *_, status, _ in packets):
            told_ns = self.newest_ns
            self.unanswered_ns = told_ns if told_ns < self.limited_log[-1][0] else None
            self.note_pause(now_ns)
            self.restart_timer(now_ns)

    def note_pause(self, now_ns):
        """Feedback in bunches: the longest pause, at most a second, fading by eighths."""
        if self.heard_ns is not None and now_ns - self.heard_ns >= 10_000_000:
            faded = self.pause_ns - self.pause_ns // 8
            self.pause_ns = max(min(now_ns - self.heard_ns, 1_000_000_000), faded)
        self.heard_ns = now_ns

    def take_sample(self):
        """4.3 steps 1, 2"""
        if self.sample_ns is not None:
            sample = self.sample_ns * 1e-9
            self.rtt = sample if self.rtt is None else 0.9 * self.rtt + (1 - 0.9) * sample
            self.sample_ns = None

    def note_loss(self, seq, sent_ns):
        if not self.losses.lost:
            reached = self.x_recv if self.rfc3448 else self.x_recv_max
            target = max(reached, 0.5 * self.s / self.rtt_or_guess())
            self.losses.first = max(1.0, 1 / inverse(target * self.rtt_or_guess() / self.s))
        self.losses.lost[seq] = (sent_ns, self.rtt_ns())

    def recv_limit(self, now_ns, worse):
        """4.3 step 4, first half"""
        x_recv, rounds = self.x_recv, (now_ns - self.decayed_ns) / self.rtt_ns()
        self.decayed_ns = now_ns
        if self.rfc3448:
            self.set = [(x_recv, now_ns)]
            return 2 * x_recv
        if not self.data_limited:
            self.set = [e for e in self.set if now_ns - e[1] <= 2 * self.rtt_ns()]
            self.set = (self.set + [(x_recv, now_ns)])[-3:]
            return 2 * max(v for v, _ in self.set)
        if self.cwv:
            self.set = [(v * 0.85 ** min(rounds, 100), at) for v, at in self.set]
        elif worse:
            self.set = [(v * 0.5, at) for v, at in self.set]
        x_recv *= 0.85 if worse else 1
        best = max([v for v, _ in self.set if v < INF] + [x_recv])
        self.set = [(best, now_ns)]
        return best if worse and not self.cwv else 2 * best

    def equation(self):
        self.x_bps = self.s / (self.rtt * response(self.p))
        return self.x_bps

    def step(self, now_ns, new_event):
        """4.2 and 4.3 step 4"""
        before, self.p = self.p, self.losses.p()
        worse = new_event or self.p > before
        first, self.started = not self.started, True
        if first:
            x = self.initial()
            if self.start_rate:
                x = max(x, min(300000 / 8, self.x))
                self.set = [(0.0, now_ns)]
            self.x, self.tld_ns, self.decayed_ns = x, now_ns, now_ns
        limit = self.recv_limit(now_ns, worse)
        if self.p > 0:
            self.x = max(min(self.equation(), limit), self.floor())
        elif not first and now_ns - self.tld_ns >= self.round_ns():
            self.x = max(min(2 * self.x, limit), self.initial())
            self.tld_ns = now_ns
        self.step_ns = now_ns

    def limit_to(self, now_ns, limit):
        limit = max(limit, self.floor())
        self.set = [(limit / 2, now_ns)]
        self.x = min(self.x, max(min(self.equation(), limit), self.floor()))

    def on_timer(self, now_ns):
        """4.4"""
        if self.timer_ns is None or now_ns < self.timer_ns:
            return
        idle, rest = not self.busy, False
        if self.busy and not self.rfc3448 and self.unanswered_ns is not None:
            answer_ns = self.unanswered_ns + self.timeout_ns() // 2
            if now_ns < answer_ns:
                self.timer_ns = answer_ns
                return
        if not self.started:
            rest = idle
            self.x = self.x if idle else min(self.x, max(self.x / 2, self.floor()))
        elif self.rfc3448:
            rest = self.expire_3448(now_ns, idle)
        else:
            rest = self.expire_5348(now_ns, idle)
        self.restart_timer(now_ns)
        if rest:
            self.timer_ns = None

    def expire_5348(self, now_ns, idle):
        x_recv, recover = max(v for v, _ in self.set), self.initial()
        if idle and ((self.p > 0 and x_recv < recover) or (self.p == 0 and self.x < 2 * recover)):
            return True
        if self.p == 0:
            self.x = min(self.x, max(self.x / 2, self.floor()))
        elif self.x_bps > 2 * x_recv:
            self.limit_to(now_ns, x_recv)
        else:
            self.limit_to(now_ns, self.x_bps / 2)
        return False

    def expire_3448(self, now_ns, idle):
        kept, before = 2 * self.s / self.rtt, self.x
        if idle and self.x <= kept:
            return True
        if self.p > 0:
            small = max(self.x_recv / 2, self.floor() / 2)
            self.x_recv = small if self.x_bps > 2 * self.x_recv else self.x_bps / 4
            self.limit_to(now_ns, 2 * self.x_recv)
        else:
            self.x = max(self.x / 2, self.floor())
        self.x = min(before, max(self.x, kept) if idle else self.x)
        return False
