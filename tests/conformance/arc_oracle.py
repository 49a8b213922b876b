# SPDX-License-Identifier: LGPL-2.1-or-later
"""ARC once more, naively, after the paper's equations 1 to 8 and docs/controllers/arc.md. Written
apart from lib/controllers/arc.c. Bytes and bytes/s, times in seconds unless a name ends in _ns."""
import math

from oracle_parts import DataLimit, Rtt, Silence

FORMS = ["packets", "reports"]
MARKS, PATHS = 0.01, 0.05
VARIABLES = ["window_bytes", "bandwidth_bytes_per_s", "quick", "window_threshold_bytes",
             "outstanding_bytes", "loss_events", "timeouts"]
PAPER = {"initial": 1, "timeout": 1, "shrink-clamp": 0, "rtt-min-window": 0, "min-rto": 1000}
VARIANTS = [("arc", params, options) for params, options in [
    ({}, {}),
    (PAPER, {"start_rate": False, "paper": True, "clamp": False, "window": 0, "min_rto": 1.0}),
    ({"timeout": 1}, {"paper": True}),
    ({"initial": 1}, {"start_rate": False}),
    ({"interpolation": 1, "shrink-clamp": 0},
     {"linear": True, "clamp": False}),
    ({"initial-window": 20, "k": 2, "alpha": 0.1, "tau": 0.2},
     {"w0": 20, "k": 2, "alpha": 0.1, "tau": 0.2}),
]]
SESSION_MAX = 10000000 / 8


def oracle(**options):
    return Arc(**options)


class Arc:
    def __init__(self, start_rate=True, paper=False, clamp=True, window=600, min_rto=0.2,
                 linear=False, w0=0, k=0.5, alpha=0.3, tau=0.5):
        self.start_rate, self.paper, self.clamp, self.linear = start_rate, paper, clamp, linear
        self.min_rto_ns, self.k, self.alpha, self.tau = min_rto * 1e9, k, alpha, tau
        self.window_ns, self.w0 = window * 10 ** 9, w0
        self.sizes, self.s, self.share = [], 1000.0, 1.0
        self.interval_ns = 0  # of receiver reports
        self.events = self.timeouts = 0
        self.forget()

    def forget(self):
        self.sent_ns, self.idle_ns = None, math.inf
        self.w = self.w0 * self.s if self.w0 else None
        self.quick, self.threshold = True, math.inf
        self.out = 0.0
        self.b = self.before = None
        self.open_ns, self.arrived, self.lost_in_sample = None, 0, False
        self.rtt, self.limit, self.limited = Rtt(self.window_ns), DataLimit(), False
        self.silence, self.silent, self.timed_out_ns = Silence(), 0, None
        self.grown_ns = self.event = None

    def on_path(self, _):
        rate, w = self.rate(), self.w
        self.forget()
        self.share = 1.0
        self.share = min(1.0, rate / self.r0())
        if self.w0:
            self.set_window(min(w, self.w))

    def answer(self):
        threshold = 0.0 if self.threshold == math.inf else self.threshold
        return (8 * self.rate(), self.w or 0.0, self.b or 0.0, int(self.quick), threshold, self.out,
                self.events, self.timeouts)

    def r_ns(self):
        return 500_000_000 if self.rtt.srtt is None else round(self.rtt.srtt)

    def r(self):
        return self.r_ns() * 1e-9

    def r_min(self):
        return 0.5 if self.rtt.srtt is None else self.rtt.least() * 1e-9

    def rto_ns(self):
        return self.rtt.rto(self.min_rto_ns)

    def timeout_ns(self):
        return min(max(self.rto_ns(), 3 * self.interval_ns) * 2 ** self.silent, 64e9)

    def r0(self):
        if self.start_rate:
            return self.share * 300000 / 8
        window = min(4 * self.s, max(2 * self.s, 4380)) / self.r()
        return self.share * (self.s if self.rtt.srtt is None else window)

    def first_window(self):
        return self.r0() * (1 / self.k + self.r())

    def rate(self):
        """Equation 1"""
        if self.w is None:
            return self.r0()
        if self.interval_ns:
            steady = self.k * max(0, self.w - self.queue()) / (1 + self.k * self.r_min())
            return max(steady, self.s / 64)
        return max(self.k * max(0, self.w - self.out), self.s / 64)

    def queue(self):
        return max(0, self.r() - self.r_min()) * (self.b or 0)

    def set_window(self, w):
        self.w = max(w, self.s + self.s / 64 / self.k)

    def on_sent(self, now_ns, size, _, limited):
        self.s = self.s + (size - self.s) / 16 if self.sizes else float(size)
        self.sizes.append(size)
        if self.w is not None and now_ns > self.idle_ns:
            self.idle(now_ns - self.sent_ns)
        self.grown_ns = now_ns if self.grown_ns is None else self.grown_ns
        self.out += size
        self.limit.sent.append((now_ns, limited))
        self.silence.sent(now_ns, self.timeout_ns())
        self.sent_ns = now_ns
        self.idle_ns = now_ns + int(self.rto_ns()) + int(2e9 * self.s / self.rate())

    def idle(self, pause_ns):
        least = min(self.w, self.first_window())
        self.threshold = max(self.threshold, self.w) if self.quick else self.w
        self.set_window(max(least, self.w / 2 ** int(min(pause_ns / self.rto_ns(), 64))))
        self.quick = self.w < self.threshold
        self.open_ns = None

    def on_feedback(self, now_ns, rtt_ns, in_flight, packets):
        arrived = [p for p in packets if p[4] != 1]
        lost = [p for p in packets if p[4] == 1 or p[5]]
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
        self.lost_in_sample = self.lost_in_sample or bool(lost)
        if arrived:
            newest_ns = max(p[1] for p in arrived)
            if self.limit.seen_ns is None or newest_ns > self.limit.seen_ns:
                self.limited = self.limit.limited(newest_ns, self.r_ns())
            self.out = in_flight
            self.forgive()
            self.grow(now_ns)
            if self.silent and not self.paper:
                self.event = (self.sent_ns, 0)
            self.silent = 0
            self.share = 1.0 if self.w is not None else self.share
            self.silence.heard(now_ns, self.timeout_ns(), in_flight > 0)
        for p in arrived:
            self.arrival(p[2], p[3])
        for p in lost:
            if self.event is None or p[1] > self.event[0] + self.event[1]:
                self.event = (p[1], self.r_ns())
                self.congestion(now_ns)

    def on_report(self, now_ns, rtt_ns, interval_ns, expected, lost, size, sent_bytes, limited, *_):
        self.interval_ns = interval_ns
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
        if expected > 0:
            self.limited = not limited
            if limited or lost or self.b is None:
                t = interval_ns * 1e-9
                self.sample((expected - lost) * size / t, t)
            if expected > lost or not sent_bytes:
                self.forgive()
            self.grow(now_ns)
        if lost:
            self.congestion(now_ns)
        if expected > lost or not sent_bytes:
            self.out, self.silent = 0, 0
            self.share = 1.0 if self.w is not None else self.share
            self.silence.heard(now_ns, self.timeout_ns(), False)

    def forgive(self):
        """The first sign of life ends what silence has made of the start."""
        if self.w is None:
            self.share = min(1.0, self.share * 2.0 ** self.silent)

    def grow(self, now_ns):
        """Equations 5 and 6, for an RTO or a report's interval at most"""
        if self.w is None:
            if self.rtt.srtt is not None or self.interval_ns:
                self.set_window(self.first_window())
                self.grown_ns = now_ns
            return
        since_ns = now_ns if self.grown_ns is None else self.grown_ns
        t = min(now_ns - since_ns, self.interval_ns or self.rto_ns()) * 1e-9
        self.grown_ns = now_ns
        if self.quick:
            w = min(self.w * 2 ** (t / self.alpha), max(self.threshold, self.w))
        else:
            w = self.w + self.s * t / self.alpha
        used = self.queue() + SESSION_MAX * self.r_min() if self.interval_ns else self.out
        if not self.limited:
            w = min(w, 2 * self.w) if self.interval_ns else w
            self.w = max(self.w, min(w, used + SESSION_MAX / self.k))
        self.quick = self.quick and self.w < self.threshold

    def arrival(self, at_ns, size):
        """Equation 7"""
        if self.open_ns is None:
            self.open_ns, self.arrived = at_ns, 0
            return
        self.arrived += size
        if at_ns - self.open_ns >= self.r_ns():
            t = (at_ns - self.open_ns) * 1e-9
            if not self.limited or self.lost_in_sample or self.b is None:
                self.sample(self.arrived / t, t)
            self.open_ns, self.arrived, self.lost_in_sample = at_ns, 0, False

    def sample(self, b, t):
        """Equation 8 and figure 3"""
        if self.b is None:
            self.b = self.before = b
            return
        part = self.tau / 4
        n = math.floor(t / part + 1e-9)
        rest = t - n * part
        steps = [part] * n + ([rest] if rest > 1e-9 else [])
        begin, passed = self.before, 0.0
        for dt in steps:
            passed += dt
            value = begin + (b - begin) * passed / t if self.linear else b
            self.b = ((2 * self.tau - dt) * self.b + dt * (value + self.before)) / \
                (2 * self.tau + dt)
            self.before = value

    def equation_2(self):
        if self.b is None:
            return self.w / 2
        return max(self.b * (self.r_min() + 1 / self.k), self.s + self.s / 64 / self.k)

    def congestion(self, now_ns):
        """4.2"""
        self.events += 1
        if self.w is None:
            self.share /= 2
        else:
            self.shrink()
            self.grown_ns = now_ns

    def shrink(self):
        w = self.equation_2()
        self.set_window(min(self.w, w) if self.clamp else w)
        self.quick = False

    def on_timer(self, now_ns):
        if not self.silence.is_over(now_ns):
            return
        if self.silent and self.b is not None:
            self.sample(0.0, (now_ns - self.timed_out_ns) * 1e-9)
        if self.w is None:
            self.share /= 2
        else:
            self.time_out()
        self.timed_out_ns = self.grown_ns = now_ns
        self.timeouts += 1
        self.silent += 1

    def time_out(self):
        """Nothing is outstanding any more, but the rate does not rise."""
        before = self.rate()
        if self.paper:
            self.shrink()
        else:
            if self.silent:
                self.share /= 2
            else:
                self.threshold = min(self.w, self.equation_2())
            self.set_window(min(self.w, self.first_window()))
            self.quick = self.w < self.threshold
        self.out = max(self.w - before / self.k, 0.0)
