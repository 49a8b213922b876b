# SPDX-License-Identifier: LGPL-2.1-or-later
"""TEAR once more, naively, from docs/controllers/tear.md: rounds and epochs are lists, and means
are computed anew each time. Written apart from lib/controllers/tear.c and
lib/estimators/tear_window.c, which must answer the same. Rates in packets/s, times in s unless a
name ends in _ns."""
import math

from oracle_parts import DataLimit, Rtt, Silence

START, MOST = 300_000 / 8, 10_000_000 / 8  # limits, bytes/s
SLOW_START, AVOIDANCE, GAP, DUPACK = range(4)
MARKS = 0.005
FORMS = ["packets"]
VARIABLES = ["cwnd_packets", "ssthresh_packets", "emulation_state", "x_packets_per_s",
             "open_epoch_packets_per_s", "last_epoch_packets_per_s", "closed_epochs",
             "reductions", "timeouts", "rtt_ns", "packet_bytes"]
VARIANTS = [("tear", params, options) for params, options in [
    ({}, {}),
    ({"initial": 1}, {"paper": True}),
    ({"slow-start": 1, "samples": 3}, {"mean_start": True, "samples": 3}),
    ({"receive-limit": 0, "min-rto": 1000, "samples": 16},
     {"limited": False, "min_rto_ns": 1e9, "samples": 16}),
    ({"initial": 1, "receive-limit": 0, "slow-start": 1},
     {"paper": True, "limited": False, "mean_start": True}),
]]


def mean_rate(epochs, n):
    """Newest first; weight 1 for the newer half of n, then falling to nothing."""
    weights = [1.0 if 2 * i < n else 2 * (n - i) / (n + 2) for i in range(n)][:len(epochs)]
    return sum(w * f for w, f in zip(weights, epochs)) / sum(weights)


class Emulated:
    """The emulated TCP; the caller sets now_ns, rtt, rto, grows, most and sent (next seq)."""

    def __init__(self, cwnd, samples, ssthresh, event_end, rtt):
        self.cwnd, self.ssthresh, self.n, self.rtt = cwnd, ssthresh, samples, rtt
        self.state = self.before_gap = SLOW_START
        self.epochs = []  # closed, newest first
        self.next_seq, self.highest, self.event_end = None, -1, event_end
        self.deadline_ns = None
        self.arrived_ns, self.spacing, self.deviation = None, 0.0, 0.0
        self.reductions = self.timeouts = 0
        self.windows, self.times = [], [0.0]  # of the rounds of the open epoch
        self.begin_round(None)

    def begin_round(self, at_ns):
        self.last_cwnd, self.size, self.arrivals = self.cwnd, math.floor(self.cwnd), 0
        self.round_ns = at_ns

    def end_round(self, at_ns):
        time = self.rtt
        if self.size == 1 and self.round_ns is not None and at_ns is not None:
            time = max(time, (at_ns - self.round_ns) * 1e-9)
        self.windows.append(self.cwnd)
        self.times.append(time)
        self.begin_round(at_ns)

    def open_rate(self):
        return sum(self.windows) / sum(self.times) if self.windows else None

    def rate(self, rtt):
        open_ = self.open_rate()
        if not self.epochs:
            return self.cwnd / rtt if open_ is None else open_
        closed = mean_rate(self.epochs, self.n)
        return closed if open_ is None else max(closed, mean_rate([open_] + self.epochs, self.n))

    def end_epoch(self, silence=0.0):
        """The round that is cut short counts as a whole, however short it is."""
        self.windows.append(self.cwnd)
        self.times.append(self.rtt)
        self.epochs = ([self.open_rate()] + self.epochs)[:self.n]
        self.windows, self.times = [], [silence]

    def arrival(self, seq, at_ns):
        if self.arrived_ns is not None:
            gap = max(at_ns - self.arrived_ns, 0) * 1e-9
            if self.spacing == 0:
                self.spacing, self.deviation = gap, gap / 2
            else:
                self.deviation += (abs(gap - self.spacing) - self.deviation) / 4
                self.spacing += (gap - self.spacing) / 8
        self.arrived_ns = at_ns
        if self.state == DUPACK and seq >= self.event_end:
            self.halve(self.event_end)
        if self.state == GAP and seq == self.gap_seq:
            self.leave_gap()
        elif self.next_seq is None or seq == self.next_seq:
            self.next_seq = seq + 1
            if self.grows and self.state == SLOW_START:
                self.cwnd = max(self.cwnd, min(self.cwnd + 1, self.most))
                self.state = AVOIDANCE if self.cwnd >= self.ssthresh else SLOW_START
            elif self.grows and self.state == AVOIDANCE:
                self.cwnd += 1 / self.last_cwnd
        elif seq > self.next_seq and self.state in (SLOW_START, AVOIDANCE):
            self.before_gap, self.state, self.gap_seq = self.state, GAP, self.next_seq
            self.deadline_ns = self.now_ns + int(self.rto * 1e9)
        self.highest = max(self.highest, seq)
        self.arrivals += 1
        if self.arrivals >= self.size:
            self.end_round(at_ns)

    def leave_gap(self):
        self.state, self.deadline_ns, self.next_seq = self.before_gap, None, self.highest + 1

    def lost(self, seq, overtaken):
        if self.state == GAP and seq == self.gap_seq:
            self.leave_gap()
        if self.state == DUPACK and seq >= self.event_end:
            self.halve(self.event_end)
        if seq >= self.event_end:
            if overtaken:
                self.state = DUPACK
                self.event_end = seq + math.floor(self.last_cwnd)
                wait = self.last_cwnd * self.spacing + max(2 * self.deviation, self.rtt / 2)
                self.deadline_ns = self.now_ns + int(min(max(wait, self.rtt), self.rto) * 1e9)
                if self.highest >= self.event_end:
                    self.halve(self.highest + 1)
            else:
                self.time_out()
        self.next_seq = max(self.next_seq or 0, seq + 1)

    def halve(self, next_seq):
        self.end_epoch()
        self.cwnd = self.ssthresh = max(1.0, self.cwnd / 2)
        self.state, self.deadline_ns, self.next_seq = AVOIDANCE, None, next_seq
        self.event_end = max(self.event_end, self.sent)
        self.reductions += 1
        self.begin_round(self.arrived_ns)

    def time_out(self):
        self.end_epoch(self.rto)
        self.ssthresh = max(2.0, self.cwnd / 2)
        self.cwnd = 1.0
        self.state, self.deadline_ns, self.next_seq = SLOW_START, None, self.highest + 1
        self.event_end = self.sent
        self.timeouts += 1
        self.begin_round(None)

    def time_passes(self):
        if self.deadline_ns is None or self.now_ns < self.deadline_ns:
            return False
        if self.state == DUPACK:
            self.halve(self.highest + 1)
        else:
            self.leave_gap()
        return True


class Tear:
    def __init__(self, paper=False, mean_start=False, samples=8, min_rto_ns=200e6, limited=True):
        self.paper, self.mean_start, self.limited = paper, mean_start, limited
        self.samples, self.min_rto_ns = samples, min_rto_ns
        self.s = 1000.0
        self.first = self.s if paper else START  # bytes/s until there is an RTT sample
        self.sent = 0
        self.rtt, self.silence, self.limit = Rtt(0), Silence(), DataLimit()
        self.tcp, self.x = None, 0.0
        self.cap, self.least_cap = math.inf, 0.0
        self.timed_out, self.share = False, 1.0  # halved by each timeout after the first
        self.lost_early = self.data_limited = self.knows_pause = False
        self.arrivals, self.highest = [], -1
        self.taken_ns = -math.inf

    def srtt_ns(self):
        return 500_000_000 if self.rtt.srtt is None else math.floor(self.rtt.srtt + 0.5)

    def srtt(self):
        return self.srtt_ns() * 1e-9

    def rto_ns(self):
        return max(self.rtt.rto(self.min_rto_ns), self.srtt_ns())

    def wait_ns(self):
        return max(self.rto_ns(), 4 * self.srtt_ns(), 0 if self.knows_pause else 2e9)

    def on_sent(self, now_ns, size, _, limited):
        self.s = self.s + (size - self.s) / 16 if self.sent else float(size)
        self.sent += 1
        self.limit.sent.append((now_ns, limited))
        self.silence.sent(now_ns, self.wait_ns())

    def start(self):
        cwnd = max(1.0, 1.0 if self.paper else self.first * self.share * self.srtt() / self.s)
        ssthresh = math.inf
        if self.lost_early:
            cwnd = ssthresh = max(1.0, cwnd / 2)
        self.tcp = Emulated(cwnd, self.samples, ssthresh, self.highest + 1, self.srtt())
        self.share = 1.0
        self.x = self.least_cap = cwnd / self.srtt()

    def on_feedback(self, now_ns, rtt_ns, _, packets):
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
        if self.tcp is None and self.rtt.srtt is not None:
            self.start()
        heard = [p for p in packets if p[4] != 1]
        if heard:
            self.note_arrivals(now_ns, heard)
        if self.tcp is None:
            self.lost_early = self.lost_early or any(p[4] == 1 or p[5] for p in packets)
            return
        self.emulate(now_ns, packets)
        rate = self.emulated_rate()
        if rate < self.x or now_ns - self.taken_ns >= self.srtt_ns() or now_ns == self.taken_ns:
            self.x, self.taken_ns = rate, now_ns

    def note_arrivals(self, now_ns, heard):
        self.arrivals += [(p[2], p[3]) for p in heard]
        self.highest = max(self.highest, max(p[0] for p in heard))
        if self.share < 1 and self.tcp is not None:  # a long silence has ended
            self.tcp.epochs, self.tcp.windows, self.tcp.times = [], [], [0.0]
            self.cap, self.least_cap = math.inf, self.tcp.cwnd / self.srtt()
            self.x = min(self.x * self.share, self.least_cap)
        self.share, self.timed_out = 1.0, False
        self.knows_pause = self.knows_pause or self.silence.heard_ns is not None
        self.silence.heard(now_ns, self.wait_ns(), False)
        newest_ns = max(p[1] for p in heard)
        if self.limit.seen_ns is None or newest_ns > self.limit.seen_ns:
            self.data_limited = self.limit.limited(newest_ns, self.srtt_ns())
        end = max(at for at, _ in self.arrivals)
        x_recv = sum(b for at, b in self.arrivals if at > end - self.srtt_ns()) / self.srtt()
        if self.limited:
            cap = max(2 * x_recv / self.s, self.least_cap)
            self.cap = max(self.cap, cap) if self.data_limited else cap

    def tell(self, now_ns):
        tcp = self.tcp
        tcp.now_ns, tcp.rtt, tcp.rto = now_ns, self.srtt(), self.rto_ns() * 1e-9
        tcp.sent = self.sent
        tcp.grows = not self.data_limited and self.x * self.s < MOST
        tcp.most = math.inf if tcp.epochs else self.cap * self.srtt()

    def emulate(self, now_ns, packets):
        """Arrivals in their order; losses before the first that overtook them."""
        self.tell(now_ns)
        self.tcp.time_passes()
        losses = [p[0] for p in packets if p[4] == 1]
        for at_ns, seq, ce in sorted((p[2], p[0], p[5]) for p in packets if p[4] == 0):
            while losses and losses[0] < seq:
                self.tcp.lost(losses.pop(0), True)
            if ce:
                self.tcp.lost(seq, True)
            self.tcp.arrival(seq, at_ns)
        for seq in losses:
            self.tcp.lost(seq, True)

    def emulated_rate(self):
        tcp = self.tcp
        if tcp.epochs:
            return tcp.rate(self.srtt())
        return min(tcp.rate(self.srtt()) if self.mean_start else tcp.cwnd / self.srtt(), self.cap)

    def on_timer(self, now_ns):
        if self.tcp is not None:
            self.tell(now_ns)
            if self.tcp.time_passes():
                self.x = min(self.x, self.emulated_rate())
        if not self.silence.is_over(now_ns):
            return
        if self.tcp is not None and not self.timed_out:
            self.tell(now_ns)
            self.tcp.time_out()
            self.x = min(self.x, self.emulated_rate())
        else:
            rate = self.first / self.s if self.tcp is None else self.x
            self.share = max(self.share / 2, min(self.share, 1 / 64 / rate))
        self.timed_out = True

    def answer(self):
        tcp = self.tcp
        if tcp is None:
            return (8 * self.first * self.share, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, self.s)
        return (8 * self.x * self.s * self.share, tcp.cwnd,
                0 if tcp.ssthresh == math.inf else tcp.ssthresh, tcp.state, self.x,
                tcp.open_rate() or 0, tcp.epochs[0] if tcp.epochs else 0, len(tcp.epochs),
                tcp.reductions, tcp.timeouts, self.srtt_ns(), self.s)


def oracle(**options):
    return Tear(**options)
