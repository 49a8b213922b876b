# SPDX-License-Identifier: LGPL-2.1-or-later
"""What sluice_oracle.py knows of the path: lib/control/path.c and its estimators once more, naively.
Times in s unless a name ends in _ns, rates in bit/s."""
from oracle_parts import DataLimit, PathSilence, PeerClock


def between(value, least, most):
    return min(max(value, least), most)


class Delivery:
    """Packets in groups: whoever arrives within 5 ms of a group's first belongs to it."""

    def __init__(self):
        self.groups = []  # of (sent, arrived, bytes)

    def add(self, sent_ns, arrived_ns, size):
        another_clock = bool(self.groups) and arrived_ns < self.end(-1) - 1_000_000_000
        if another_clock:
            self.groups = []
        if not self.groups or arrived_ns - self.groups[-1][0][1] > 5_000_000:
            self.groups.append([])
        self.groups[-1].append((sent_ns, arrived_ns, size))
        return another_clock

    def end(self, i):
        return max(arrived for _, arrived, _ in self.groups[i])

    def since(self, ns, least_packets, least_groups):
        """The newest groups that end at most ns before the last, or more if so many are needed."""
        n, packets = 0, 0
        while n < len(self.groups) and (packets < least_packets or n < least_groups
                                        or self.end(-1 - n) >= self.end(-1) - ns):
            n += 1
            packets += len(self.groups[-n])
        return self.groups[len(self.groups) - n:]

    def rates(self):
        """Delivered, sent, span, least delay; or None."""
        return rates_of(self.since(100_000_000, 10, 8))

    def queued_rates(self, empty_ns, packet_bytes):
        """The same of the longest time, 40 ms at least, in which nothing came without a wait, and at
        least three groups came evenly."""
        window = self.since(100_000_000, 10, 8)
        for i in range(len(window) - 1):
            rates = rates_of(window[i:])
            if rates is None or rates[2] < 40_000_000:
                return None
            ends = [max(p[1] for p in group) for group in window[i:]]
            paces = [sum(p[2] for p in group) / max(end - before, 1)
                     for group, before, end in zip(window[i + 1:], ends, ends[1:])]
            if len(paces) < 3 or max(paces) > 2 * min(paces):
                continue
            least_ns = least_delay(window[i + 1:])
            behind_ns = max(p[1] for p in window[i]) - max(p[0] for p in window[i + 1])
            if least_ns - empty_ns > 8e9 * packet_bytes / rates[0] and behind_ns > empty_ns:
                return rates[:3] + (least_ns,)
        return None

    def newest_delay(self):
        return least_delay(self.since(40_000_000, 0, 0))


def rates_of(window):
    if len(window) < 2:
        return None
    bits = 8 * sum(size for group in window[1:] for _, _, size in group)
    arrived_ns, sent_ns = (max(p[i] for p in window[-1]) - max(p[i] for p in window[0])
                           for i in (1, 0))
    if min(arrived_ns, sent_ns) < 1_000_000:
        return None
    return bits / (arrived_ns * 1e-9), bits / (sent_ns * 1e-9), arrived_ns, least_delay(window)


def least_delay(groups):
    return min(arrived - sent for group in groups for sent, arrived, _ in group)


class Base:
    """The least of this window of 30 s and of the one before."""

    def __init__(self):
        self.windows, self.window_ns = [], 0  # of [delay, when]; newest last

    def add(self, now_ns, delay_ns):
        if not self.windows or now_ns - self.window_ns >= 30_000_000_000:
            self.windows, self.window_ns = (self.windows + [[delay_ns, now_ns]])[-2:], now_ns
        elif delay_ns <= self.windows[-1][0]:
            self.windows[-1] = [delay_ns, now_ns]

    def get(self):
        return min(delay for delay, _ in self.windows) if self.windows else None

    def raised(self, by_ns):
        self.windows = [[delay + by_ns, at] for delay, at in self.windows]

    def drifted(self, now_ns, drift):
        self.windows = [[delay + int(drift * (now_ns - at)), at] for delay, at in self.windows]


class Standing:
    """Queues above 10 ms that one delay explains to 8 ms, for 1 s and two loops, while the rate
    halves. Each is known to be between two bounds."""

    def __init__(self):
        self.seen = []  # (when, least, most, rate)

    def add(self, now_ns, least_ns, most_ns, rate, loop_ns):
        seen = self.seen + [(now_ns, least_ns, most_ns, rate)]
        self.least = min(most for _, _, most, _ in seen)
        if least_ns <= 10_000_000:
            self.seen = []
        elif max(least for _, least, _, _ in seen) - self.least > 8_000_000:
            self.seen = seen[-1:]
        elif len(seen) == 1:
            self.seen = seen
        else:
            self.most = max(r for _, _, _, r in seen)
            stands = (now_ns - seen[0][0] >= 1_000_000_000 + 2 * loop_ns
                      and rate < self.most / 2)
            self.seen = [] if stands else seen
            return stands
        return False


class Marking:
    """An L4S queue marks all that waits for more than 3 ms and two packets; a classic one less than
    half of that."""

    def __init__(self):
        self.ect1, self.unmarked, self.begun_ns, self.round = False, 0.0, 0, []

    def packet(self, ecn, wait_ns, packet_ns):
        """1 is marked, 2 arrived as ECT(1)."""
        self.ect1 = self.ect1 if ecn == 1 else ecn == 2
        if ecn == 1 or wait_ns > 3_000_000 + 2 * packet_ns:
            self.round.append(ecn != 1)

    def step(self, now_ns, rtt_ns):
        if self.round and now_ns - self.begun_ns >= rtt_ns:
            self.unmarked += (sum(self.round) / len(self.round) - self.unmarked) / 16
            self.round, self.begun_ns = [], now_ns

    def is_l4s(self):
        return self.ect1 and self.unmarked < 0.5


class Path(PathSilence):
    """What the session measures (lib/control/path.h)."""

    def __init__(self):
        self.packet_bytes, self.reports_only, self.report_ns = None, False, 0
        self.in_flight = 0
        self.n_reroutes = 0
        super().__init__()

    def forget(self):
        super().forget()
        self.forget_arrivals()
        self.limit, self.data_limited = DataLimit(), False
        self.newest_sent_ns = self.interval_ns = self.heard_ns = None
        self.marking, self.least_wait_ns = Marking(), None

    def forget_arrivals(self):
        self.clock, self.base, self.delivery = PeerClock(), Base(), Delivery()
        self.standing = Standing()
        self.counted_from = None  # when, newest packet's time, bytes received and told of since
        self.beyond = []  # (when, by how much the queue is more than round trips allow)
        self.queue_ns = self.least_queue_ns = self.base_delay_ns = None
        self.standing_ns = 0
        self.delivered = self.sent_rate = 0.0
        self.span_ns = 0

    def srtt_ns(self):
        return int(self.rtt.srtt + 0.5) if self.rtt.srtt else 500_000_000

    def timeout(self):
        return max(super().timeout(), 3 * self.report_ns if self.reports_only else 0)

    def on_sent(self, now_ns, seq, size, in_flight, network_limited):
        before = self.packet_bytes
        self.packet_bytes = float(size) if before is None else before + (size - before) / 16
        self.in_flight = in_flight
        self.limit.sent.append((now_ns, network_limited))
        self.sent(now_ns, seq)

    def life(self, now_ns):
        began_ns = None if self.heard_ns is None else self.wait.heard_ns  # without our own pauses
        since = None if began_ns is None else now_ns - began_ns
        if since is not None and since >= 10_000_000 and not self.silent:
            mean = since if self.interval_ns is None else self.interval_ns
            self.interval_ns = mean + int((since - mean) / 8)
        self.heard_ns = now_ns

    def on_feedback(self, now_ns, rtt_ns, in_flight, packets):
        self.reports_only, self.in_flight = False, in_flight
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
        received = [p for p in packets if p[4] == 0]
        arrived = [p for p in packets if p[4] != 1]
        if arrived and max(arrived)[1] > (self.limit.seen_ns or -1):
            self.data_limited = self.limit.limited(max(arrived)[1], self.srtt_ns())
        if received:
            grown = self.clock.on_feedback(now_ns, max(received)[2])
            if grown:
                self.base.drifted(now_ns, grown)
            for _, sent_ns, arrived_ns, size, status, _ in packets:
                if status != 1:
                    self.arrival(now_ns, sent_ns, arrived_ns, size)
            self.measure()
            self.bound_by_rtt(now_ns, rtt_ns)
            if self.find_reroute(now_ns, self.queue_ns):
                self.measure()
        if arrived:
            self.newest_sent_ns = max(self.newest_sent_ns or 0, max(arrived)[1])
            self.life(now_ns)
            self.heard(now_ns, max(arrived)[0])
        self.measure_waits(now_ns, arrived)

    def measure_waits(self, now_ns, arrived):
        self.least_wait_ns = None
        packet_ns = int(8e9 * self.packet_bytes / max(self.delivered, 1.0) + 0.5)
        for _, sent_ns, arrived_ns, _, _, ecn in arrived:
            wait_ns = 0
            if ecn and self.base_delay_ns is not None:
                at_ns = self.clock.map(arrived_ns)
                near = abs(at_ns - now_ns) <= 70_000_000_000
                wait_ns = max(at_ns - sent_ns - self.base.get(), 0) if near else 0
            least_ns = self.least_wait_ns
            self.least_wait_ns = wait_ns if least_ns is None else min(wait_ns, least_ns)
            self.marking.packet(ecn, wait_ns, packet_ns)
        self.marking.step(now_ns, self.srtt_ns())

    def arrival(self, now_ns, sent_ns, arrived_ns, size):
        at_ns = self.clock.map(arrived_ns)
        if abs(at_ns - now_ns) > 70_000_000_000:
            return
        base_ns = self.base.get()
        if self.delivery.add(sent_ns, at_ns, size):
            self.base = Base()
        elif base_ns is not None and at_ns - sent_ns < base_ns - 50_000_000:
            self.clock.step_back()
        self.base.add(now_ns, at_ns - sent_ns)

    def measure(self):
        if not self.delivery.groups:
            return
        self.base_delay_ns = self.base.get()
        self.queue_ns = max(self.delivery.newest_delay() - self.base_delay_ns, 0)
        rates = self.measure_rates()
        if rates:
            self.delivered, self.sent_rate, self.span_ns, least_ns = rates
            self.least_queue_ns = max(least_ns - self.base.get(), 0)

    def measure_rates(self):
        """What has come since a queue began says that it has, and may only raise the rate; but not to
        one who sent less than allowed."""
        rates = self.delivery.rates()
        empty_ns = self.base.get() + 10_000_000
        if not rates or self.data_limited or rates[3] > empty_ns or self.delivery.newest_delay() <= empty_ns:
            return rates
        queued = self.delivery.queued_rates(empty_ns, self.packet_bytes)
        if queued is None:
            return rates
        return queued if queued[0] > rates[0] else rates[:3] + queued[3:]

    def bound_by_rtt(self, now_ns, rtt_ns):
        """A queue makes the round trip as much longer; 5 ms are noise, 200 ms of it a clock's."""
        if rtt_ns < 0 or self.queue_ns is None:
            return
        beyond_ns = self.queue_ns - (rtt_ns - self.rtt.least() + 5_000_000)
        self.beyond = self.beyond + [(now_ns, beyond_ns)] if beyond_ns > 0 else []
        if len(self.beyond) > 1 and now_ns - self.beyond[0][0] >= 200_000_000:
            self.base.raised(min(by_ns for _, by_ns in self.beyond))
            self.beyond = []
            self.measure()

    def find_reroute(self, now_ns, most_ns):
        wait_ns = max(100_000_000, self.report_ns if self.reports_only else 0)
        loop_ns = int((self.rtt.srtt or 0) + 0.5) + wait_ns
        stands = self.queue_ns is not None and self.standing.add(
            now_ns, self.queue_ns, most_ns, self.sent_rate, loop_ns)
        if stands:
            self.base.raised(self.standing.least)
            self.n_reroutes += 1
        self.standing_ns = now_ns - self.standing.seen[0][0] if self.standing.seen else 0
        return stands

    def on_report(self, now_ns, rtt_ns, interval_ns, expected, lost, size, sent_bytes, ages):
        if not self.reports_only:
            self.forget_arrivals()
        self.reports_only, self.report_ns = True, min(interval_ns, 60_000_000_000)
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
        newest_age_ns, missing_age_ns = ages
        if newest_age_ns > 0:
            self.base.add(now_ns, newest_age_ns)
            self.queue_ns = max(missing_age_ns - self.base.get(), 0)
        elif self.rtt.samples:
            self.queue_ns = self.rtt.samples[-1][1] - self.rtt.least()
        self.count_told(now_ns, interval_ns, expected, expected - lost, size, sent_bytes,
                        newest_age_ns)
        if newest_age_ns > 0:
            most_ns = max(newest_age_ns - self.base.get(), 0)
            if self.find_reroute(now_ns, most_ns):
                self.queue_ns = max(missing_age_ns - self.base.get(), 0)
        self.least_queue_ns = self.queue_ns
        if expected > lost or not sent_bytes:
            self.life(now_ns)
            self.silent = False
            self.wait.heard(now_ns, self.timeout(), sent_bytes > 0)

    def count_told(self, now_ns, interval_ns, expected, received, size, sent_bytes, age_ns):
        """The rates of the packets told of: they had left a round trip before, between the newest
        ones of two reports."""
        before, newest_ns = self.counted_from, now_ns - age_ns
        if age_ns <= 0 or before is None or now_ns - interval_ns < before[0]:
            self.delivered = 8 * min(received * size, sent_bytes) / (interval_ns * 1e-9)
            self.sent_rate = 8 * sent_bytes / (interval_ns * 1e-9)
            self.span_ns = interval_ns
            self.counted_from = (now_ns, newest_ns, 0, 0) if age_ns > 0 else None
            return
        from_ns, sent_from_ns, received_bytes, told_bytes = before
        received_bytes, told_bytes = received_bytes + received * size, told_bytes + expected * size
        span_ns, sent_ns = now_ns - from_ns, newest_ns - sent_from_ns
        self.counted_from = from_ns, sent_from_ns, received_bytes, told_bytes
        if span_ns >= 100_000_000 and sent_ns > 0:
            self.delivered = 8 * received_bytes / (span_ns * 1e-9)
            self.sent_rate = 8 * told_bytes / (sent_ns * 1e-9)
            self.span_ns = span_ns
            self.counted_from = now_ns, newest_ns, 0, 0
