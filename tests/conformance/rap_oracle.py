# SPDX-License-Identifier: LGPL-2.1-or-later
"""RAP once more, naively, from docs/controllers/rap.md: all packets are remembered. Written apart
from lib/controllers/rap.c, which must answer the same. Times in s unless a name ends in _ns."""
from oracle_parts import Silence

START, LEAST, MOST = 300_000 / 8, 30_000 / 8, 10_000_000 / 8  # limits, bytes/s
MARKS = 0.005
FORMS = ["packets"]
VARIABLES = ["ipg_ns", "wait_ns", "rtt_ns", "rtt_deviation_ns", "timeout_ns", "packet_bytes",
             "steps", "reductions", "timeouts"]
VARIANTS = [("rap", params, options) for params, options in [
    ({}, {}),
    ({"initial": 1}, {"paper": True}),
    ({"fine-grain": 1}, {"fine": True}),
    ({"alpha": 2, "beta": 0.8, "dpthresh": 90, "min-ipg": 20},
     {"alpha": 2, "beta": 0.8, "threshold": 0.9, "least": 0.02}),
    ({"delta": 0.125, "min-timeout": 0, "initial": 1, "max-ipg": 1},
     {"delta": 0.125, "min_timeout": 0, "paper": True, "most": 1.0}),
]]


class Rap:
    def __init__(self, paper=False, fine=False, alpha=1, beta=0.5, delta=0.5, threshold=0.5,
                 least=1e-5, most=64.0, min_timeout=0.2):
        self.paper, self.fine, self.alpha, self.beta, self.delta = paper, fine, alpha, beta, delta
        self.threshold, self.least, self.most = threshold, least, most
        self.min_timeout = min_timeout
        self.s = 1000.0
        self.sent = []  # ns
        self.lost = self.silent = False  # a loss before an RTT was known; a timeout was the last
        self.srtt = self.var = self.frtt = self.xrtt = None
        self.ipg = self.limit(2.0 if paper else self.s / START)
        self.step_ns = 0  # when the step began; it is counted from ...
        self.counted = (0, 0)  # ... this time and packet
        self.inactive = -1  # losses of packets up to here are answered already
        self.silence = Silence()
        self.newest = -1  # packet heard of
        self.steps, self.reductions, self.timeouts = 0.0, 0, 0

    def limit(self, ipg):
        return min(max(ipg, self.least), self.most)

    def timeout(self):
        raw = 2.0 if self.srtt is None else 1.2 * self.srtt + 4 * self.var
        return max(raw, self.min_timeout)

    def start_ipg(self):
        return 2.0 if self.paper else self.s / START

    def begin_step(self, at_ns, now_ns):
        self.step_ns, self.counted = at_ns, (now_ns, len(self.sent))

    def on_sent(self, now_ns, size, _, __):
        before = self.s
        self.s = self.s + (size - self.s) / 16 if self.sent else float(size)
        if self.srtt is None and not self.paper:
            self.ipg = self.limit(self.ipg * self.s / before)
        elif self.sent and not self.paper and self.ipg < self.start_ipg():
            self.idle(now_ns, int((now_ns - self.sent[-1]) * 1e-9 / max(1.0, self.timeout())))
        self.sent.append(now_ns)
        if self.silence.over_ns is None and not self.silent:
            self.silence.heard_ns = now_ns
        self.silence.sent(now_ns, self.timeout() * 1e9)

    def idle(self, now_ns, times):
        for _ in range(times):
            self.ipg = self.limit(min(2 * self.ipg, self.start_ipg()))
        if times:
            self.begin_step(now_ns, now_ns)

    def sample(self, rtt):
        if self.srtt is None:
            self.srtt = self.frtt = self.xrtt = rtt
            self.var = 0.0
            return True
        d = rtt - self.srtt
        self.srtt += self.delta * d
        self.var += self.delta * (abs(d) - self.var)
        self.frtt += 0.9 * (rtt - self.frtt)
        self.xrtt += 0.01 * (rtt - self.xrtt)
        return False

    def on_feedback(self, now_ns, rtt_ns, _, packets):
        if rtt_ns >= 0 and self.sample(rtt_ns * 1e-9):
            first = self.ipg if self.lost else self.start_ipg()
            self.ipg = self.limit(self.srtt if self.paper else min(self.srtt, first))
            self.begin_step(now_ns, now_ns)
        if any((p[4] == 1 or p[5]) and p[0] > self.inactive for p in packets):
            self.lost = True
            self.reduce(now_ns)
        elif any(p[4] != 1 for p in packets) and self.srtt is not None:
            self.step(now_ns)
        arrived = [p[0] for p in packets if p[4] != 1]
        if arrived:
            self.newest = max(self.newest, *arrived)
            if self.silent and max(arrived) > self.silent_after:
                self.silence.heard_ns = None  # it was the timeout that made the pause
            self.silent = False
            self.silence.heard(now_ns, self.timeout() * 1e9, len(self.sent) - 1 > self.newest)

    def step(self, now_ns):
        rounds = int((now_ns - self.step_ns) * 1e-9 / self.srtt)
        if rounds == 0:
            return
        since_ns, first = self.counted
        allowed = (now_ns - since_ns) * 1e-9 / self.ipg
        if len(self.sent) - first >= self.threshold * allowed:
            rate = max(1 / self.ipg, LEAST / self.s)
            more = min(rounds * self.alpha / self.srtt, max(self.alpha / self.srtt, rate / 2))
            self.ipg = self.limit(min(self.ipg, 1 / min(rate + more, MOST / self.s)))
            self.steps += rounds
        self.begin_step(self.step_ns + int(rounds * self.srtt * 1e9), now_ns)

    def reduce(self, now_ns):
        self.ipg = self.limit(self.ipg / self.beta)
        self.inactive = len(self.sent) - 1
        self.begin_step(now_ns, now_ns)
        self.reductions += 1

    def on_timer(self, now_ns):
        if self.silence.is_over(now_ns):
            self.timeouts += 1
            self.silent, self.silent_after = True, len(self.sent) - 1
            self.reduce(now_ns)

    def answer(self):
        wait = self.ipg * (self.frtt / self.xrtt if self.fine and self.srtt else 1)
        return (8 * self.s / self.ipg, self.ipg * 1e9, wait * 1e9, (self.srtt or 0) * 1e9,
                (self.var or 0) * 1e9, self.timeout() * 1e9, self.s, self.steps, self.reductions,
                self.timeouts)


def oracle(**options):
    return Rap(**options)
