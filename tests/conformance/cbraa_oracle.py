# SPDX-License-Identifier: LGPL-2.1-or-later
"""CBRAA and TCP-Friend once more, naively, after the paper's figure 3 and section 3.2 and the pages
docs/controllers/cbraa.md and tcp-friend.md: everything is remembered, and summed up when a report
is due. Written apart from lib/controllers/cbraa.c. Rates in packets/s, times in seconds unless a
name ends in _ns."""
import math

from oracle_parts import ToldEvents

FORMS = ["packets", "reports"]
MARKS, PATHS = 0.01, 0.05
VARIABLES = ["rate_packets_per_s", "rtt_ns", "loss_ratio", "report_interval_ns", "packet_bytes"]
VARIANTS = [
    ("cbraa", {}, {}),
    ("tcp-friend", {}, {"friend": True}),
    ("cbraa", {"profile": 1, "initial": 1}, {"paper": True, "start_rate": False}),
    ("tcp-friend", {"profile": 1, "initial": 1, "report-interval": 2, "least-packets": 1},
     {"friend": True, "paper": True, "start_rate": False, "interval": 2.0, "least": 1}),
    ("cbraa", {"alpha": 0.8, "beta": 0.2, "gamma": 0.6, "least-packets": 5, "report-interval": 0.3},
     {"alpha": 0.8, "beta": 0.2, "gamma": 0.6, "least": 5, "interval": 0.3}),
    ("tcp-friend", {"constant": 1.3, "rtt-gain": 0.5}, {"friend": True, "c": 1.3, "gain": 0.5}),
    ("cbraa", {"loss-events": 1}, {"loss_events": True}),
]


def oracle(**options):
    return Cbraa(**options)


class Cbraa:
    def __init__(self, friend=False, paper=False, start_rate=True, interval=1.0, least=20,
                 alpha=0.5, beta=0.5, gamma=0.3, c=1.27, gain=0.125, loss_events=False):
        self.friend, self.paper, self.loss_events = friend, paper, loss_events
        self.interval_ns, self.least = int(interval * 1e9), least
        self.alpha, self.beta, self.gamma, self.c, self.gain = alpha, beta, gamma, c, gain
        self.start = self.x = 300000 / 8 if start_rate else 10.0 * 1000  # bytes/s
        self.s, self.mean_size = 1000.0, 0.0  # as of the newest report; of what was sent
        self.sent, self.reported = [], 0  # (time, size, limited); so many were in reports
        self.news = []  # (+1 lost or 0 received or -1 late, sent_ns) since the newest report
        self.reports = []  # (expected, lost, events, sent bytes, limited bytes) to be answered
        self.rtts, self.rtt_ns = [], 500_000_000  # samples since then; newest mean
        self.begun_ns, self.merged, self.real = None, 0, False
        self.srtt = self.trtcp = None
        self.loss = self.mean_loss = self.cycle = 0.0
        self.overdue_ns, self.sent_since = None, False

    @property
    def rate(self):
        return self.x / self.s

    def answer(self):
        trtcp_ns = self.interval_ns if self.trtcp is None else self.trtcp * 1e9
        return 8 * self.x, self.rate, (self.srtt or 0) * 1e9, self.loss, trtcp_ns, self.s

    def wait(self, now_ns):
        trtcp_ns = self.interval_ns if self.trtcp is None else self.trtcp * 1e9
        least_ns = 5_000_000_000 if self.trtcp is None else 0
        self.overdue_ns = now_ns + int(max(3 * trtcp_ns, 4 * self.rtt_ns, least_ns))
        self.sent_since = False

    def on_sent(self, now_ns, size, _, limited):
        self.mean_size += (size - self.mean_size) / (16 if self.sent else 1)
        pause_ns = now_ns - self.sent[-1][0] if self.sent else math.inf
        heard = self.real or any(lost >= 0 for lost, *_ in self.news)
        if not heard and pause_ns > self.interval_ns:
            self.begin(now_ns)
        self.sent.append((now_ns, size, limited))
        if self.overdue_ns is None:
            self.wait(now_ns)
        self.sent_since = True

    def on_timer(self, now_ns):
        if self.overdue_ns is not None and now_ns >= self.overdue_ns:
            was_due = self.sent_since
            self.wait(now_ns)
            if was_due:
                self.set_rate(self.rate / 2)
            else:
                self.overdue_ns = None

    def on_path(self, _):
        self.begin(self.sent[-1][0] if self.sent else None)
        self.real, self.rtt_ns, self.srtt, self.trtcp = False, 500_000_000, None, None
        self.loss = self.mean_loss = self.cycle = 0.0
        self.set_rate(min(self.x, self.start) / self.s)

    def begin(self, now_ns):
        self.begun_ns, self.merged, self.news, self.reports, self.rtts = now_ns, 0, [], [], []
        self.reported = len(self.sent)

    def take_rtt(self, rtt_ns):
        if rtt_ns >= 0:
            self.rtts.append(rtt_ns)
            self.rtt_ns = sum(self.rtts) // len(self.rtts)

    def on_feedback(self, now_ns, rtt_ns, _, packets):
        for _, sent_ns, _, _, status, ce in packets:
            lost = -1 if status == 2 else 1 if status == 1 or ce else 0
            self.news.append((lost, sent_ns, self.rtt_ns))
        self.take_rtt(rtt_ns)
        if all(packet[4] == 1 for packet in packets):
            return
        sent = self.sent[self.reported:]
        self.reports = [(sum(n[0] >= 0 for n in self.news), max(0, sum(n[0] for n in self.news)),
                         self.events(), sum(p[1] for p in sent), sum(p[1] for p in sent if p[2]))]
        self.collect(now_ns, self.mean_size, 0)
        self.wait(now_ns)

    def events(self):
        """Losses within one RTT are one."""
        begun = []
        for lost, sent_ns, rtt_ns in self.news:
            if lost > 0 and (not begun or sent_ns > begun[-1] + rtt_ns):
                begun.append(sent_ns)
        return len(begun)

    def on_report(self, now_ns, rtt_ns, interval_ns, expected, lost, size, sent_bytes, limited, *_):
        self.real = True
        self.take_rtt(rtt_ns)
        if expected > 0:
            if not self.reports:
                self.begun_ns = now_ns - interval_ns
            if not any(events for _, _, events, _, _ in self.reports):
                self.told = ToldEvents()
            found = self.told.count(now_ns, interval_ns, expected, lost, self.rtt_ns)
            self.reports.append((expected, lost, found,
                                 sent_bytes, limited * sent_bytes))
            self.collect(now_ns, size, interval_ns / 2)
        if expected > lost or sent_bytes == 0:
            self.wait(now_ns)

    def collect(self, now_ns, size, half_gap_ns):
        """Is it time, and are there enough packets? Each further interval once more."""
        if now_ns - self.begun_ns + half_gap_ns >= self.interval_ns * (self.merged + 1):
            self.merged += 1
            expected, lost, events, sent, limited = map(sum, zip(*self.reports))
            if expected >= self.least or (expected > 0 and self.merged >= 4):
                self.trtcp_sample((now_ns - self.begun_ns) * 1e-9)
                self.s, self.loss = float(int(size)), lost / expected
                counted = min(events, lost) if self.loss_events else lost
                unlimited = self.paper or limited > sent // 2
                sent_rate = sent / self.s / ((now_ns - self.begun_ns) * 1e-9)
                self.react(counted / expected, unlimited, sent_rate)
                self.begin(now_ns)

    def trtcp_sample(self, interval):
        interval = min(max(interval, 0.05), 60)
        self.trtcp = interval if self.trtcp is None else self.trtcp + (interval - self.trtcp) / 8

    def react(self, loss, unlimited, sent_rate):
        before = self.rate
        self.average(loss)
        rate = self.mathis() if self.friend else self.figure_3(before)
        if not self.friend and rate < before and not unlimited:
            rate = min(rate, self.figure_3(min(before, max(sent_rate, before / 2))))
        if not self.paper:
            rate = min(max(rate, before / 2), 2 * before)
        self.set_rate(rate if unlimited else min(rate, before))

    def set_rate(self, rate):
        self.x = min(max(rate * self.s, 30000 / 8), 10000000 / 8)

    def average(self, loss):
        f = self.gain if self.friend else min(self.trtcp / self.cycle, 0.95) if self.cycle else 1
        if self.rtts:
            rtt = self.rtt_ns * 1e-9
            self.srtt = rtt if self.srtt is None else self.srtt + (rtt - self.srtt) * f
        self.mean_loss += (loss - self.mean_loss) * f
        self.cycle = self.r() * (0.62 * self.rate * self.r() + 0.96)

    def r(self):
        return self.srtt or 0.5

    def mathis(self):
        """Section 3.2"""
        if self.loss > 0:
            return self.c / (self.r() * math.sqrt(self.loss))
        return self.rate + self.trtcp / (2 * self.r() ** 2)

    def figure_3(self, rate):
        loss_th = 1 / (rate * self.r() * (0.62 * rate * self.r() + 0.96))
        loss_th = loss_th if self.paper else min(loss_th, 1.0)
        rate_th = rate
        if self.mean_loss < 0.5 * loss_th:
            rate_th = self.equation_5(self.alpha, loss_th)
            rate_th = rate_th if self.paper else min(max(rate_th, rate), 2 * rate)
        elif self.mean_loss > 1.5 * loss_th:
            rate_th = self.equation_5(self.beta, loss_th)
            rate_th = rate_th if self.paper else max(min(rate_th, rate), rate / 2)
        return rate + (1 - self.gamma) * (rate_th - rate)  # the dead band leaves every bit of it

    def equation_5(self, weight, loss_th):
        return 1.27 / (self.r() * math.sqrt(weight * loss_th + (1 - weight) * self.mean_loss))
