# SPDX-License-Identifier: LGPL-2.1-or-later
"""WARC once more, naively, after section III of the paper and docs/controllers/warc.md: all windows
and losses are remembered, and averaged anew each time. Written apart from lib/controllers/warc.c.
Packets, bytes and bytes/s, times in seconds unless a name ends in _ns."""
import math

from oracle_parts import Rtt, Silence, ToldEvents

FORMS = ["packets", "reports"]
MARKS, PATHS = 0.01, 0.05
VARIABLES = ["emulated_window_packets", "mean_window_packets", "windows_averaged",
             "tcp_mean_window_packets", "ssthresh_packets", "rounds", "loss_events",
             "history_resets", "emulated_timeouts", "reduced_bytes_per_s", "x_recv_bytes_per_s"]
VARIANTS = [("warc", params, options) for params, options in [
    ({}, {}),
    ({"initial": 1, "app-limit": 0}, {"start_rate": False, "app_limit": 0}),
    ({"samples": 20, "epochs": 3, "reset-factor": 1.5}, {"s": 20, "n": 3, "k": 1.5}),
    ({"fluid-timeout": 0, "reduction": 0.5}, {"fto": False, "reduction": 0.5}),
    ({"initial": 1, "one-rtt-reduction": 0, "history-reset": 0, "min-rto": 1000},
     {"start_rate": False, "one_rtt": False, "reset": False, "min_rto": 1.0}),
    ({"samples": 40, "epochs": 4, "reset-factor": 2, "initial": 1},
     {"s": 40, "n": 4, "k": 2, "start_rate": False}),
]]
SESSION_MAX = 10000000 / 8


def oracle(**options):
    return Warc(**options)


class Warc:
    def __init__(self, start_rate=True, s=160, k=3.0, n=12, reduction=0.875, reset=True,
                 one_rtt=True, fto=True, min_rto=0.2, app_limit=0.8):
        self.start_rate, self.s, self.k, self.n, self.reduction = start_rate, s, k, n, reduction
        self.reset, self.one_rtt, self.fto = reset, one_rtt, fto
        self.min_rto_ns, self.app_limit = min_rto * 1e9, app_limit
        self.size, self.sent = 1000.0, []  # mean; (time, size, limited)
        self.first_rate = 300000 / 8 if start_rate else self.size
        self.rounds = self.events = self.resets = 0
        self.interval_ns = 0  # of receiver reports
        self.forget()

    def forget(self):
        self.windows = []  # those averaged, oldest first
        self.w, self.ssthresh, self.a = 1.0, math.inf if self.start_rate else 0.0, 0.0
        self.zero, self.backoff, self.timeouts = 0, 1, 0
        self.loss_rounds = []
        self.begun_ns, self.counted = None, 0  # the current round; packets sent before it
        self.pending, self.event, self.told = 0, None, ToldEvents()
        self.arrivals, self.x_recv = [], 0.0
        self.reduced, self.reduced_ns, self.until_ns = 0.0, None, None
        self.rtt, self.silence, self.silent = Rtt(0), Silence(), False
        self.report_limit = math.inf

    def on_path(self, _):
        self.first_rate = min(self.rate(), 300000 / 8 if self.start_rate else self.size)
        self.forget()

    def answer(self):
        ssthresh = 0.0 if self.starting() else self.ssthresh
        return (8 * self.rate(), self.window(), self.mean(), len(self.windows), self.tcp_mean(),
                ssthresh, self.rounds, self.events, self.resets, self.timeouts, self.reduced,
                self.x_recv)

    def r_ns(self):
        return 500_000_000 if self.rtt.srtt is None else round(self.rtt.srtt)

    def window(self):
        return 0.0 if self.zero else self.w

    def starting(self):
        return self.ssthresh == math.inf

    def mean(self):
        """Equation 1"""
        if self.starting() or not self.windows:
            return self.w
        return sum(self.windows) / len(self.windows)

    def push(self, window):
        self.windows = (self.windows + [math.floor(window * 2 ** 20 + 0.5) / 2 ** 20])[-self.s:]

    def epochs(self):
        return [b - a for a, b in zip(self.loss_rounds, self.loss_rounds[1:])][-self.n:]

    def tcp_mean(self):
        """Equation 3"""
        x = self.epochs()
        return 1.5 * sum(x) / self.n if len(x) == self.n else 0.0

    def fto_ns(self):
        return max(4 * self.r_ns(), self.min_rto_ns)

    def rate(self):
        rate, least = self.first_rate, self.size / 64
        if self.begun_ns is not None:
            rate = min(self.mean() * self.size / (self.r_ns() * 1e-9), self.report_limit)
            if not self.silent:
                least = max(least, self.size / (self.fto_ns() * self.backoff * 1e-9))
        return max(min(rate, self.reduced or rate), least)

    def pause_ns(self):
        return max(self.rtt.rto(self.min_rto_ns), 2e9 * self.size / self.rate())

    def wait_ns(self):
        return max(self.pause_ns(), 4 * self.r_ns(), 3 * self.interval_ns)

    def on_sent(self, now_ns, size, _, limited):
        if self.sent and self.begun_ns is not None and not self.silent:
            pause_ns = now_ns - self.sent[-1][0]
            if pause_ns > self.pause_ns():
                self.idle(now_ns, pause_ns)
        self.size = self.size + (size - self.size) / 16 if self.sent else float(size)
        self.sent.append((now_ns, size, limited))
        self.silence.sent(now_ns, self.wait_ns())

    def take_rtt(self, now_ns, rtt_ns):
        """The first sample begins the emulation, anew after reports without one."""
        first = self.rtt.srtt is None
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
            if first:
                self.begin(now_ns)

    def begin(self, now_ns):
        self.begun_ns, self.counted, self.windows = now_ns, len(self.sent), []
        self.w = self.first_window(self.first_rate)
        self.ssthresh = math.inf if self.start_rate else 0.0
        self.a, self.zero, self.backoff, self.timeouts = 0.0, 0, 1, 0

    def idle(self, now_ns, pause_ns):
        halvings = int(pause_ns / self.rtt.rto(self.min_rto_ns))
        self.w = max(min(self.w, self.first_window()), self.w / 2 ** min(halvings, 64))
        rounds = pause_ns // self.r_ns()
        self.zero = max(0, self.zero - rounds)
        if rounds >= self.s and self.windows:
            self.windows = []
            self.push(self.w)
        self.begun_ns, self.counted = now_ns, len(self.sent)

    def on_feedback(self, now_ns, rtt_ns, in_flight, packets):
        arrived = [p for p in packets if p[4] != 1]
        self.take_rtt(now_ns, rtt_ns)
        if arrived:
            self.receive(arrived)
        for p in packets:
            if p[4] == 1 or p[5]:
                self.lost(now_ns, p[1])
        if arrived:
            self.live(now_ns, in_flight)
            self.end_reduction(now_ns)
            if self.begun_ns is not None:
                sent = self.sent[self.counted:]
                self.end_rounds(now_ns, sum(p[1] for p in sent), any(p[2] for p in sent))

    def on_report(self, now_ns, rtt_ns, interval_ns, expected, lost, size, sent_bytes, limited, *_):
        before, self.interval_ns = self.rate(), interval_ns
        first = self.begun_ns is None
        self.take_rtt(now_ns, rtt_ns)
        if first:
            self.begin(now_ns - interval_ns)
        if expected > lost or not sent_bytes:
            self.live(now_ns, sent_bytes > 0)
        if expected > lost:
            found = self.told.count(now_ns, interval_ns, expected, lost, self.r_ns())
            self.pending += found
            self.events += found
            self.x_recv = (expected - lost) * size / (interval_ns * 1e-9)
            self.end_rounds(now_ns, sent_bytes, limited)
            self.report_limit = 2 * before

    def receive(self, arrived):
        self.arrivals += [(p[2], p[3]) for p in arrived]
        end = max(at for at, _ in self.arrivals)
        size = sum(b for at, b in self.arrivals if end - self.r_ns() < at <= end)
        self.x_recv = size / (self.r_ns() * 1e-9)

    def lost(self, now_ns, sent_ns):
        if self.event is not None and sent_ns <= self.event[0] + self.event[1]:
            return
        self.event = (sent_ns, self.r_ns())
        self.events += 1
        self.pending += 1
        if self.one_rtt and self.begun_ns is not None and self.x_recv:
            self.reduced = self.reduction * self.x_recv
            self.reduced_ns, self.until_ns = now_ns, now_ns + self.r_ns()

    def end_reduction(self, now_ns):
        heard_ns = self.silence.heard_ns
        if self.reduced and heard_ns and heard_ns > self.reduced_ns and now_ns >= self.until_ns:
            self.reduced = 0.0

    def live(self, now_ns, in_flight):
        self.silence.heard(now_ns, self.wait_ns(), in_flight > 0)
        if self.silent:
            self.silent, self.zero = False, 0
            self.begun_ns = now_ns if self.begun_ns is not None else None
            self.windows = self.windows if any(self.windows) else []

    def first_window(self, rate=300000 / 8):
        if not self.start_rate:
            return 1.0
        return max(1, min(4, 4380 / self.size), rate * self.r_ns() * 1e-9 / self.size)

    def end_rounds(self, now_ns, sent_bytes, limited):
        passed_ns = now_ns - self.begun_ns
        n = passed_ns // self.r_ns()
        if n == 0:
            return
        if sent_bytes:
            packets = sent_bytes / self.size * self.r_ns() / passed_ns
            losses = min(self.pending, n)
            self.pending = min(self.pending - losses, 1)
            for i in range(n):
                unused = not limited and packets < self.app_limit * self.mean()
                self.end_round((i + 1) * losses // n > i * losses // n, unused)
        self.begun_ns, self.counted = now_ns - passed_ns % self.r_ns(), len(self.sent)

    def end_round(self, loss, unused):
        self.rounds += 1
        first = self.starting() and loss
        at_most = self.mean() * self.size / (self.r_ns() * 1e-9) > 1.25 * SESSION_MAX
        self.push(self.window())
        if loss:
            self.loss_rounds.append(self.rounds)
        if self.zero:
            self.zero -= 1
        else:
            if not unused and not at_most and not first:
                self.grow()
            if loss:
                self.halve()
            else:
                self.backoff = 1
        if first:
            self.windows = []
            self.push(self.w)
        elif loss and self.reset:
            self.reset_history()

    def grow(self):
        if self.starting():
            most = 2 * self.x_recv * self.r_ns() * 1e-9 / self.size
            self.w = max(self.w, min(2 * self.w, most))
        elif self.w < self.ssthresh:
            self.w = min(2 * self.w, max(self.ssthresh, self.w + 1))
        else:
            self.w += 1

    def halve(self):
        self.a += min(1.0, 3 / self.w) if self.fto else 0.0
        if self.a >= 1:
            self.a -= 1
            rounds = max(1, math.floor(self.fto_ns() / self.r_ns() + 0.5))
            self.time_out(rounds * self.backoff)
            self.backoff = min(64, 2 * self.backoff)
        else:
            self.w = max(1.0, self.w / 2)
            self.ssthresh = self.w

    def time_out(self, rounds):
        self.timeouts += 1
        self.ssthresh, self.w, self.zero = max(2.0, self.w / 2), 1.0, rounds

    def reset_history(self):
        """Equation 2"""
        s = sum(self.epochs())
        if 0 < self.tcp_mean() <= self.mean() / self.k and len(self.windows) > s:
            self.resets += 1
            self.windows = self.windows[-s:]

    def on_timer(self, now_ns):
        self.end_reduction(now_ns)
        if not self.silence.is_over(now_ns):
            return
        if self.begun_ns is None or self.interval_ns:
            self.first_rate = max(self.first_rate / 2, self.size / 64)
            if self.begun_ns is not None:
                half = self.mean() / 2
                self.w = self.ssthresh = max(1.0, min(self.w, half))
                self.windows = []
                self.push(half)
        else:
            self.silent_rounds(now_ns)
        self.silent = True

    def silent_rounds(self, now_ns):
        if self.starting():
            self.windows = []
            self.push(self.w)
        if not self.silent:
            self.time_out(1)
        most = max(1, min(len(self.windows), self.s // 2))
        for _ in range(min((now_ns - self.begun_ns) // self.r_ns(), most)):
            self.push(0.0)
            self.rounds += 1
        self.begun_ns, self.counted, self.pending = now_ns, len(self.sent), 0
