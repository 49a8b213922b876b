# SPDX-License-Identifier: LGPL-2.1-or-later
"""NADA once more, naively, from RFC 8698 and docs/controllers/nada.md: every packet is remembered.
Written apart from lib/controllers/nada.c, which must answer the same. Times in s unless a name ends
in _ns."""
from math import exp

from oracle_parts import Delays, PathSilence
from tfrc_oracle import Losses

START, RMIN, RMAX = 300_000.0, 30_000.0, 10_000_000.0
MARKS, PATHS, QUEUES = 0.02, 0.1, 0.6
FORMS = ["packets"]
VARIABLES = ["signal_ns", "queue_ns", "warped_queue_ns", "loss_ratio", "mark_ratio",
             "loss_interval_packets", "since_loss_packets", "received_bps", "ramps_up", "updates"]
VARIANTS = [("nada", params, options) for params, options in [
    ({}, {}),
    ({"initial": 1, "prio": 2}, {"first": RMIN, "prio": 2.0}),
    ({"delta": 40, "logwin": 200, "multiloss": 1}, {"delta": 0.04, "logwin": 0.2, "multiloss": 1}),
    ({"qth": 20, "lambda": 2, "alpha": 0.5, "dmark": 20}, {"qth": 0.02, "lam": 2.0, "alpha": 0.5,
                                                          "dmark": 0.02}),
    ({"xref": 50, "kappa": 1, "eta": 0.5, "tau": 300, "qeps": 30, "gamma-max": 0.1,
      "xmax": 3000},
     {"xref": 0.05, "kappa": 1.0, "eta": 0.5, "tau": 0.3, "qeps": 0.03, "most": 0.1,
      "xmax": 3.0}),
]]


def oracle(**options):
    return Nada(**options)


class Nada:
    def __init__(self, first=START, prio=1.0, delta=0.1, logwin=0.5, multiloss=7.0, qth=0.05,
                 lam=0.5, alpha=0.1, dmark=0.002, xref=0.01, kappa=0.5, eta=2.0, tau=0.5, qeps=0.01,
                 most=0.5, xmax=0.5):
        self.first, self.prio, self.delta, self.logwin_ns = first, prio, delta, logwin * 1e9
        self.multiloss, self.qth, self.lam, self.alpha, self.dmark = multiloss, qth, lam, alpha, dmark
        self.xref, self.kappa, self.eta, self.tau, self.qeps = xref, kappa, eta, tau, qeps
        self.most, self.xmax, self.r = most, xmax, first
        self.last_ns = self.updates = self.n_sent = 0
        self.silence = PathSilence()
        self.forget()

    def forget(self):
        self.delays, self.losses = Delays(), Losses(8, 1.0)
        self.arrivals = []  # of the log: arrival, bytes, delay, marked
        self.missing = []  # newest arrival when it was told, per loss
        self.samples = []  # delays in order of feedback
        self.received = 0
        self.x = self.queue = self.warped = self.p_loss = self.p_mark = self.r_recv = 0.0
        self.ramp = False

    def on_path(self, now_ns):
        self.forget()
        self.silence.forget()
        self.r, self.last_ns = min(self.r, self.first), now_ns

    def on_sent(self, now_ns, *_):
        self.silence.sent(now_ns, self.n_sent)
        self.n_sent += 1

    def on_timer(self, now_ns):
        if self.silence.is_over(now_ns):
            self.r = max(self.r / 2, RMIN)

    def on_feedback(self, now_ns, rtt_ns, _, packets):
        rtt = self.silence.rtt
        if rtt_ns >= 0:
            rtt.sample(now_ns, rtt_ns)
        arrived = [p for p in packets if p[4] != 1]
        if arrived:
            newest = max(arrived)  # by number
            self.silence.heard(now_ns, newest[0])
            self.delays.on_feedback(now_ns, newest[2])
        for seq, sent_ns, arrived_ns, size, status, ce in packets:
            if status == 1:
                if not self.losses.lost:
                    self.losses.first = float(max(self.received, 1))
                self.losses.lost[seq] = (sent_ns, int(rtt.srtt or 5e8))
                continue
            at, delay = self.delays.add(now_ns, sent_ns, arrived_ns)
            if self.arrivals and at < max(a[0] for a in self.arrivals) - 2 * self.logwin_ns:
                self.arrivals, self.missing = [], []
            self.arrivals.append((at, size, delay, ce))
            self.samples.append(delay)
            self.losses.highest = max(self.losses.highest, seq)
            self.received += 1
        if self.arrivals:
            newest_at = max(a[0] for a in self.arrivals)
            self.missing += [newest_at for p in packets if p[4] == 1]
        if arrived and (now_ns - self.last_ns) * 1e-9 >= self.delta / 2:
            self.update(now_ns)

    def window(self):
        """What is in the log: ten tenths of a window and the running one, counted from the first
        arrival; and how long that is."""
        first, newest = self.arrivals[0][0], max(a[0] for a in self.arrivals)
        tenth = self.logwin_ns / 10
        since = first + max((newest - first) // tenth - 10, 0) * tenth
        kept = [a for a in self.arrivals if a[0] >= since]
        return kept, sum(at >= since for at in self.missing), max(newest - since, self.logwin_ns)

    def update(self, now_ns):
        delta = min((now_ns - self.last_ns) * 1e-9, 3 * self.delta)
        kept, lost, covered_ns = self.window()
        self.r_recv = 8e9 * sum(a[1] for a in kept) / covered_ns
        self.queue = self.delays.queue(min(self.samples[-15:])) * 1e-9
        self.ramp = not lost and all(self.delays.queue(a[2]) * 1e-9 < self.qeps for a in kept)
        expected = len(kept) + lost
        self.p_loss += self.alpha * (lost / expected - self.p_loss)
        self.p_mark += self.alpha * (sum(a[3] for a in kept) / expected - self.p_mark)
        before, self.x = self.x, self.signal()
        if self.ramp:
            rtt = (self.silence.rtt.srtt or 0.0) * 1e-9
            gamma = min(self.most, 0.05 / (int(rtt * 1e9) * 1e-9 + self.delta + 0.12))
            r = max(self.r, (1 + gamma) * self.r_recv)
        else:
            offset = self.x - self.prio * self.xref * RMAX / self.r
            r = self.r - self.kappa * delta / self.tau * offset / self.tau * self.r \
                - self.kappa * self.eta * (self.x - before) / self.tau * self.r
        self.r = min(max(r, RMIN), RMAX)
        self.last_ns = now_ns
        self.updates += 1

    def signal(self):
        self.warped = self.queue
        if self.losses.lost:
            interval = self.interval()
            beyond = (self.since() - self.multiloss * interval) / interval
            blend = min(max(beyond, 0.0), 1.0)
            warp = self.queue
            if self.queue >= self.qth:
                warp = self.qth * exp(-self.lam * (self.queue - self.qth) / self.qth)
            self.warped = blend * self.queue + (1 - blend) * warp
        marks = self.dmark * (self.p_mark / 0.01) ** 2
        return min(self.warped + marks + 0.01 * (self.p_loss / 0.01) ** 2, self.xmax)

    def interval(self):
        p = self.losses.p()
        return 1 / p if p else 0.0

    def since(self):
        events = self.losses.events()
        return float(max(1, self.losses.highest - events[-1][0] + 1)) if events else 0.0

    def answer(self):
        return (self.r, self.x * 1e9, self.queue * 1e9, self.warped * 1e9, self.p_loss, self.p_mark,
                self.interval(), self.since(), self.r_recv, float(self.ramp), self.updates)
