# SPDX-License-Identifier: LGPL-2.1-or-later
"""The window schemes once more, naively, from docs/controllers/{gaimd,sqrt,simd,aiad-h,ccid2}.md:
one engine, and a class of rules for each scheme. Every packet and its fate is remembered; what is
in flight and how much of the window was used is looked up anew each time. Written apart
from lib/controllers/window.c and the schemes' files, which must answer the same. Windows in
packets, times in ns."""
import math

from oracle_parts import DataLimit, Rtt, Silence

MAX_WINDOW = 1e6
START_BPS, MAX_BPS = 300_000, 10_000_000
MARKS = 0.005
FORMS = ["packets"]
VARIABLES = ["cwnd_packets", "ssthresh_packets", "flight_packets", "packet_bytes", "rtt_ns",
             "rto_ns", "slow_start", "loss_events", "timeouts"]


class Binomial:
    """w += a/w^k per RTT, w -= b w^l; with l = 1 gaimd and TCP."""

    whole = False
    slow_start = 1.0  # packets per packet acknowledged

    def __init__(self, a, b, k=0.0, l=1.0):
        self.a, self.b, self.k, self.l = a, b, k, l

    def grow(self, w, acked):
        return self.a * acked / (w * w ** self.k)

    def begin(self, flow, w_m):
        """A new epoch: after a decrease from w_m, or (None) of the same gain."""

    def decrease(self, flow):
        return flow.cwnd - self.b * flow.cwnd ** self.l

    def idle(self, flow, rtos):
        """At the first packet after so many timeouts without one."""
        before = flow.cwnd
        for _ in range(rtos):
            flow.cwnd = min(flow.cwnd, max(flow.cwnd / 2, flow.initial()))
        if flow.cwnd != before:
            self.begin(flow, None)

    def sent(self, flow, limited):
        """After each packet."""

    def timeout_ssthresh(self, flow):
        return flow.half(flow.cwnd)


class Simd(Binomial):
    """w = w0 + (alpha t/2)^2, t in RTTs"""

    def __init__(self, keep=0.9375, paper=False):
        super().__init__(0, 1 - keep)
        self.paper, self.w0, self.w_m = paper, 0.0, None

    def begin(self, flow, w_m):
        self.w0 = flow.cwnd
        self.w_m = w_m or self.w_m
        self.a = 3 * math.sqrt(self.b / (self.w_m or flow.cwnd)) / (1 - 2 * self.b / 3)
        self.a /= math.sqrt(2) if self.paper else 1

    def decrease(self, flow):
        return flow.used() * (1 - self.b)

    timeout_ssthresh = decrease

    def grow(self, w, acked):
        root = math.sqrt(max(w - self.w0, 0)) + self.a * acked / (2 * w)
        return self.w0 + root * root - w


class AiadH(Binomial):
    def __init__(self, removed=0.25):
        super().__init__(0, removed, 0, 0)
        self.w_m = None

    def begin(self, flow, w_m):
        self.w_m = w_m or self.w_m
        self.a = 1.5 * self.b / ((self.w_m or flow.cwnd) - self.b / 2)

    def decrease(self, flow):
        return flow.used() - self.b


class Ccid2(Binomial):
    whole = True

    def __init__(self, ratio=2, cwv=False, floor=1):
        super().__init__(1, 0.5)
        self.slow_start, self.cwv, self.floor = 1 / ratio, cwv, floor
        self.acked = 0
        self.filled_ns, self.w_used = None, 0

    def grow(self, w, acked):
        self.acked += acked
        if self.acked < math.floor(w):
            return 0.0
        self.acked = 0
        return 1.0

    def begin(self, flow, w_m):
        self.acked = 0

    def decrease(self, flow):
        return math.floor(flow.cwnd / 2)

    def idle(self, flow, rtos):
        before = flow.cwnd
        if not self.cwv:
            flow.cwnd = min(flow.cwnd, flow.initial())
        else:
            flow.ssthresh = max(flow.ssthresh, math.floor(3 * flow.cwnd / 4))
            for _ in range(rtos):
                flow.cwnd = min(flow.cwnd, max(math.floor(flow.cwnd / 2), self.floor))
            self.filled_ns = None
        if flow.cwnd != before:
            self.begin(flow, None)

    def sent(self, flow, limited):
        """RFC 2861: a timeout in which the window was never full"""
        if not self.cwv:
            return
        self.w_used = max(self.w_used, flow.flight())
        if self.filled_ns is None or limited or flow.flight() >= math.floor(flow.cwnd):
            self.filled_ns, self.w_used = flow.sent_ns, 0
        elif flow.sent_ns - self.filled_ns >= flow.rtt.rto(flow.min_rto_ns):
            flow.ssthresh = max(flow.ssthresh, math.floor(3 * flow.cwnd / 4))
            flow.cwnd = max(1, math.floor((flow.cwnd + self.w_used) / 2))
            self.filled_ns, self.w_used = flow.sent_ns, 0


class Window:
    def __init__(self, rules, paper=False, initial_window=0, initial_ssthresh=0, min_rto_ms=200,
                 group_rtt=False):
        self.rules, self.paper, self.group_rtt = rules, paper, group_rtt
        self.given = initial_window
        self.min_rto_ns = min_rto_ms * 1_000_000
        self.rtt, self.silence, self.limit = Rtt(0), Silence(), DataLimit()
        self.data_limited = False
        self.s = 1000.0
        self.sent_ns = None  # when the last packet left
        self.flights = [0]  # what was in flight after each packet, and when a round began
        self.rounds = [0, 0]  # where the round before and this round begin in that list
        self.round_end = 0
        self.newest, self.highest = -1, -1  # packets sent, heard of
        self.begun = False
        self.share = 1.0  # of the start rate
        self.cwnd = float(self.least_initial())
        self.ssthresh = initial_ssthresh or MAX_WINDOW
        self.recover = -1  # packets up to here were sent before the last reaction
        self.event_end_ns = None  # by the RTT
        self.timed_out = -1
        self.backoff = 1
        self.events = self.timeouts = 0

    # what is known

    def flight(self):
        return self.newest - self.highest

    def srtt(self):
        return 500_000_000 if self.rtt.srtt is None else math.floor(self.rtt.srtt + 0.5)

    def least_initial(self):
        if self.given:
            return self.given
        if self.paper and not self.rules.whole:
            return 2
        return 4 if self.s <= 1095 else 3 if self.s < 2190 else 2

    def initial(self):
        if self.paper:
            return self.least_initial()
        return max(self.least_initial(), START_BPS / 8 * self.srtt() * 1e-9 / self.s)

    def rto(self):
        return min(self.rtt.rto(self.min_rto_ns) * self.backoff, 64_000_000_000)

    def most_flight(self):
        """In this round and the one before."""
        return max(self.flights[self.rounds[0]:])

    def slow(self):
        return self.cwnd < self.ssthresh

    # events

    def on_sent(self, now_ns, size, _, limited):
        self.s = self.s + (size - self.s) / 16 if self.sent_ns is not None else float(size)
        if self.begun and self.sent_ns is not None:
            least_ns = max(self.rtt.rto(self.min_rto_ns), 2 * self.silence.pause_ns)
            rtos = int((now_ns - self.sent_ns) // least_ns)
            if rtos:
                self.rules.idle(self, rtos)
        self.sent_ns = now_ns
        self.newest += 1
        self.flights.append(self.flight())
        self.limit.sent.append((now_ns, limited))
        if self.silence.over_ns is None and self.backoff == 1:
            self.silence.heard_ns = now_ns  # nothing could be heard before
        self.silence.sent(now_ns, self.rto())
        if self.begun:
            self.rules.sent(self, limited)

    def used(self):
        """No more than was in flight, when the source was the limit."""
        return max(1.0, min(self.cwnd, self.most_flight())) if self.data_limited \
            else self.cwnd

    def on_feedback(self, now_ns, rtt_ns, _, packets):
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
            if not self.begun:
                self.begun = True
                begin = self.initial()
                self.cwnd = max(1.0, min(begin, self.cwnd) if self.paper else begin * self.share)
                self.rules.begin(self, None)
        arrived = [p for p in packets if p[4] != 1]
        if arrived:
            self.alive(*max(arrived)[:2])
        for seq, sent_ns, _, _, status, ce in packets:
            self.highest = max(self.highest, seq)
            if status == 1 or ce:
                self.lost(seq, sent_ns)
            elif status == 0 and self.begun and seq > self.recover:
                self.grow()
        if self.highest >= self.round_end:
            self.rounds = [self.rounds[1], len(self.flights)]
            self.flights.append(self.flight())
            self.round_end = self.newest + 1
        if arrived:
            self.silence.heard(now_ns, self.rto(), self.flight() > 0)

    def alive(self, seq, sent_ns):
        if self.backoff > 1 and seq > self.timed_out:
            self.silence.heard_ns = None  # it was the timeout that made the pause
        self.backoff = 1
        if self.limit.seen_ns is None or sent_ns > self.limit.seen_ns:
            self.data_limited = self.limit.limited(sent_ns, self.srtt())

    def grow(self):
        """One packet was acknowledged; slow start's last one may be shared."""
        most = min(2 * self.most_flight(), MAX_BPS / 8 * self.srtt() * 1e-9 / self.s + 1)
        acked = 1.0
        if self.slow():
            gain = self.rules.slow_start
            room = max(min(most, self.ssthresh) - self.cwnd, 0)
            self.cwnd += min(gain, room)
            if self.slow() or room == 0:
                return
            self.rules.begin(self, None)
            acked = (gain - room) / gain
        if acked > 0 and not self.data_limited and self.cwnd < most:
            self.cwnd = min(self.cwnd + min(self.rules.grow(self.cwnd, acked), acked), most)

    def lost(self, seq, sent_ns):
        if self.group_rtt:
            if self.event_end_ns is not None and sent_ns <= self.event_end_ns:
                return
        elif seq <= self.recover:
            return
        self.events += 1
        self.event_end_ns = sent_ns + self.srtt()
        if not self.begun:
            self.share /= 2
        before = self.used()
        if self.slow():
            self.cwnd = self.half(min(self.cwnd, self.most_flight() + 1))
        else:
            self.cwnd = self.rules.decrease(self)
        self.cwnd = max(1.0, self.cwnd)
        self.ssthresh = max(2.0, self.cwnd)
        self.rules.begin(self, before)
        self.recover = self.newest

    def half(self, window):
        return math.floor(window / 2) if self.rules.whole else window / 2

    def on_timer(self, now_ns):
        if not self.silence.is_over(now_ns):
            return
        if self.begun or self.paper:
            if self.backoff == 1:
                self.ssthresh = max(2.0, self.rules.timeout_ssthresh(self))
                self.rules.w_m = self.used()
            self.cwnd = 1.0
            self.recover, self.event_end_ns = self.newest, now_ns
            self.timeouts += 1
        self.timed_out = self.newest
        self.backoff = min(2 * self.backoff, 64)

    def rate_bps(self):
        if not self.begun and not self.paper:
            return START_BPS * self.share / self.backoff
        if self.backoff > 1:
            return self.s * 8e9 / self.rto()
        return self.cwnd * self.s * 8e9 / self.srtt()

    def answer(self):
        return (self.rate_bps(), self.cwnd, self.ssthresh, self.flight(), self.s,
                0 if self.rtt.srtt is None else self.srtt(), self.rto(), self.slow(), self.events,
                self.timeouts)


class Unvalidated(Ccid2):
    """RFC 7661 keeps a window that is not used."""

    def idle(self, flow, rtos):
        pass


class NewCwv(Window):
    """RFC 7661: pipeACK is the most acknowledged per RTT in the last thirds of its period."""

    def __init__(self, rules, **options):
        super().__init__(rules, **options)
        self.forget()
        self.loss_flight = self.lost_packets = 0

    def forget(self):
        self.third_ns = self.round_ns = None  # when this third, this round of acks began
        self.thirds = [[0.0]]  # the samples in each, newest last
        self.acked = 0
        self.since_ns = None  # the window is not validated

    def pipeack(self):
        return max(max(samples) for samples in self.thirds[-4:])

    def time_passes(self, now_ns):
        third_ns = max(3 * self.srtt(), 1_000_000_000) // 3
        for _ in range(4):
            if now_ns - self.third_ns >= third_ns:
                self.thirds.append([0.0])
                self.third_ns += third_ns
        if now_ns - self.third_ns >= third_ns:
            self.third_ns = now_ns

    def judge(self, now_ns):
        if len(self.thirds) <= 3 or self.pipeack() >= self.cwnd / 2:
            self.since_ns = None
        elif self.since_ns is None:
            self.since_ns = now_ns
        elif now_ns - self.since_ns >= 300e9:
            self.ssthresh = max(self.ssthresh, math.floor(3 * self.cwnd / 4))
            self.cwnd = min(self.cwnd, max(math.floor(self.cwnd / 2), self.initial()))
            self.since_ns = now_ns

    def reduce_to(self, packets):
        self.cwnd = max(1, min(self.cwnd, math.floor(packets)))
        self.ssthresh = max(2, self.cwnd)

    def grow(self):
        if self.since_ns is None:
            super().grow()

    def on_sent(self, now_ns, size, in_flight, limited):
        super().on_sent(now_ns, size, in_flight, limited)
        if self.third_ns is not None:
            self.time_passes(now_ns)
            self.judge(now_ns)

    def on_feedback(self, now_ns, rtt_ns, in_flight, packets):
        unvalidated, flight, events = self.since_ns is not None, self.flight(), self.events
        super().on_feedback(now_ns, rtt_ns, in_flight, packets)
        self.measure(now_ns, sum(p[4] == 0 for p in packets))
        if unvalidated and self.events > events:
            self.loss_flight, self.lost_packets = max(self.pipeack(), flight), 0
            self.reduce_to(self.loss_flight / 2)
        self.lost_packets += sum(p[4] == 1 for p in packets)
        if self.loss_flight and self.highest > self.recover:
            self.reduce_to((self.loss_flight - self.lost_packets) / 2)
            self.loss_flight = 0
            self.forget()
        self.judge(now_ns)

    def measure(self, now_ns, acked):
        if self.third_ns is None:
            self.third_ns = self.round_ns = now_ns
        self.acked += acked
        self.time_passes(now_ns)
        if now_ns - self.round_ns >= self.srtt():
            self.thirds[-1].append(self.acked * self.srtt() / (now_ns - self.round_ns))
            self.acked, self.round_ns = 0, now_ns

    def on_timer(self, now_ns):
        timeouts = self.timeouts
        super().on_timer(now_ns)
        if self.timeouts > timeouts:
            self.loss_flight = 0
            self.forget()


GAIMD = {"a": 0.2, "b": 0.125}
VARIANTS = [
    ("gaimd", {}, {"rules": (Binomial, GAIMD)}),
    ("gaimd", {"initial": 1}, {"rules": (Binomial, GAIMD), "paper": True}),
    ("sqrt", {}, {"rules": (Binomial, {"a": 1, "b": 0.67, "k": 0.5, "l": 0.5})}),
    ("iiad", {"loss-grouping": 1},
     {"rules": (Binomial, {"a": 1, "b": 0.67, "k": 1, "l": 0}), "group_rtt": True}),
    ("simd", {}, {"rules": (Simd, {})}),
    ("simd", {"alpha": 1, "keep": 0.8, "initial": 1},
     {"rules": (Simd, {"keep": 0.8, "paper": True}), "paper": True}),
    ("aiad-h", {}, {"rules": (AiadH, {})}),
    ("ccid2", {"validation": 0}, {"rules": (Ccid2, {})}),
    ("ccid2", {"validation": 1}, {"rules": (Ccid2, {"cwv": True})}),
    ("ccid2", {}, {"rules": (Unvalidated, {})}),
    ("ccid2", {"validation": 1, "ack-ratio": 1, "cwv-floor": 3, "initial": 1},
     {"rules": (Ccid2, {"cwv": True, "ratio": 1, "floor": 3}), "paper": True}),
    ("gaimd", {"initial-ssthresh": 7, "initial-window": 5, "min-rto": 1000},
     {"rules": (Binomial, GAIMD), "initial_ssthresh": 7, "initial_window": 5, "min_rto_ms": 1000}),
    ("simd", {"initial-ssthresh": 4, "loss-grouping": 1},
     {"rules": (Simd, {}), "initial_ssthresh": 4, "group_rtt": True}),
]


def oracle(rules, **options):
    scheme, arguments = rules
    flow = NewCwv if scheme is Unvalidated else Window
    return flow(scheme(**arguments), **options)
