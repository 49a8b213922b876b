# SPDX-License-Identifier: LGPL-2.1-or-later
"""GCC once more, naively, after draft-ietf-rmcat-gcc-02, what is public of libwebrtc's form of it,
and docs/controllers/gcc.md. Written apart from lib/controllers/gcc.c: every group of packets, delay
and observation is remembered, and all is computed anew from the lists. Without probes. Times in ms,
those of single packets in ns; rates in bit/s."""
import math

from oracle_parts import Rtt

FORMS = ["packets", "packets", "reports"]
PATHS, QUEUES = 0.05, 0.6
VARIABLES = ["delay_rate_bps", "loss_rate_bps", "acked_rate_bps", "delay_slope", "delay_trend_ms",
             "threshold_ms", "usage", "rate_control", "link_capacity_bps", "loss_ratio",
             "inherent_loss", "loss_control", "application_limited", "push_back"]
VARIANTS = [("gcc", {"probes": 0, **params}, options) for params, options in [
    ({}, {}),
    ({"push-back": 0}, {"push_back": False}),
    ({"loss-part": 0, "push-back": 0}, {"loss_part": False, "push_back": False}),
    ({"push-back": 0, "group": 20, "smoothing": 0.5, "overuse-time": 100},
     {"push_back": False, "group": 20, "smoothing": 0.5, "over_ms": 100}),
    ({"push-back": 0, "trend-gain": 1, "threshold-up": 0.01, "threshold-down": 0.00018},
     {"push_back": False, "gain": 1.0, "up": 0.01, "down": 0.00018}),
    ({"beta": 0.5, "growth": 2, "push-back": 0}, {"push_back": False, "beta": 0.5, "growth": 2.0}),
]]
START, LOWEST, HIGHEST = 300000.0, 30000.0, 10000000.0
MS = 1_000_000  # in ns
UNDER, NORMAL, OVER = -1, 0, 1
DECREASE, HOLD, INCREASE = -1, 0, 1
FREE, LOSS_DECREASING, LOSS_INCREASING = 0, 1, 2


def oracle(**options):
    return Gcc(**options)


def clamp(value, low, high):
    return min(max(value, low), high)


class Delay:
    """Groups, trendline and detector; forgotten together."""

    def __init__(self, group, smoothing, gain, up, down, over_ms):
        self.length_ns, self.smoothing, self.gain = group * MS, smoothing, gain
        self.up, self.down, self.over_time = up, down, over_ms
        self.forget()

    def forget(self):
        self.usage, self.threshold, self.trend, self.slope = NORMAL, 12.5, 0.0, 0.0
        self.over_for, self.n_over, self.moved = None, 0, None
        self.samples, self.total, self.smooth = [], 0.0, 0.0
        self.forget_groups()

    def forget_groups(self):
        self.groups, self.reordered = [], 0  # each a list of (sent, arrived, told)

    def packet(self, sent, arrived, told):
        if not self.groups:
            self.groups.append([(sent, arrived, told)])
            return
        group = self.groups[-1]
        if sent < group[0][0]:
            return
        if sent - group[0][0] <= self.length_ns or self.in_burst(group, sent, arrived):
            group.append((sent, arrived, told))
            return
        if len(self.groups) > 1 and not self.delta(self.groups[-2], group, arrived):
            return
        self.groups.append([(sent, arrived, told)])

    @staticmethod
    def in_burst(group, sent, arrived):
        since_sent = sent - max(p[0] for p in group)
        since_arrived = arrived - group[-1][1]
        return since_sent == 0 or (since_arrived < since_sent and since_arrived <= 5 * MS
                                   and arrived - group[0][1] < 100 * MS)

    def delta(self, before, group, now):
        apart = group[-1][1] - before[-1][1]
        if apart - (group[-1][2] - before[-1][2]) >= 3000 * MS:
            self.forget_groups()
            return False
        if apart < 0:
            self.reordered += 1
            if self.reordered == 3:
                self.forget_groups()
            return False
        self.reordered = 0
        sent_apart = max(p[0] for p in group) - max(p[0] for p in before)
        self.measure((apart - sent_apart) / MS, sent_apart / MS, now / MS)
        return True

    def measure(self, delta, sent_apart, now):
        self.total += delta
        self.smooth = self.smoothing * self.smooth + (1 - self.smoothing) * self.total
        self.samples.append((now - (self.samples[0][2] if self.samples else now), self.smooth, now))
        slope, last = self.slope, self.samples[-20:]
        if len(last) == 20:
            x, y = sum(s[0] for s in last) / 20, sum(s[1] for s in last) / 20
            spread = sum((s[0] - x) ** 2 for s in last)
            if spread:
                slope = sum((s[0] - x) * (s[1] - y) for s in last) / spread
        self.detect(slope, sent_apart, now)
        self.slope = slope

    def detect(self, slope, sent_apart, now):
        if len(self.samples) < 2:
            return
        self.trend = min(len(self.samples), 60) * slope * self.gain
        if self.trend > self.threshold:
            self.over_for = sent_apart / 2 if self.over_for is None else self.over_for + sent_apart
            self.n_over += 1
            if self.over_for > self.over_time and self.n_over > 1 and slope >= self.slope:
                self.usage, self.over_for, self.n_over = OVER, 0.0, 0
        else:
            self.usage = UNDER if self.trend < -self.threshold else NORMAL
            self.over_for, self.n_over = None, 0
        self.adapt(now)

    def adapt(self, now):
        passed = clamp(now - self.moved, 0, 100) if self.moved is not None else 0
        self.moved = now
        size = abs(self.trend)
        if size - self.threshold <= 15:
            k = self.down if size < self.threshold else self.up
            self.threshold = clamp(self.threshold + k * (size - self.threshold) * passed, 6, 600)


class Acked:
    """The robust throughput estimator over whole groups of 25 ms of arrivals."""

    def __init__(self):
        self.groups = []  # lists of (sent, arrived, bytes)

    def packet(self, sent, arrived, size):
        if self.groups and arrived < max(p[1] for p in self.groups[-1]) - 1000 * MS:
            self.groups = []
        if self.groups and arrived - self.groups[-1][0][1] < 25 * MS:
            self.groups[-1].append((sent, arrived, size))
        else:
            self.groups.append([(sent, arrived, size)])
        newest = max(p[1] for p in self.groups[-1])
        while len(self.groups) > 1:
            age = newest - self.groups[0][0][1]
            rest = sum(len(g) for g in self.groups[1:])
            if age <= 1000 * MS or (age <= 5000 * MS and rest < 20):
                break
            self.groups.pop(0)

    def rate(self):
        packets = [p for g in self.groups for p in g]
        if len(packets) < 10:
            return 0.0
        gaps = [0, 0] + [b[0][1] - max(p[1] for p in a) for a, b in zip(self.groups, self.groups[1:])]
        gaps.sort()
        total = sum(p[2] for p in packets)
        span = max(p[1] for p in self.groups[-1]) - packets[0][1] - gaps[-1] + gaps[-2]
        departures = [p[0] for p in packets]
        last = [p for p in packets if p[0] == max(departures)][-1]
        sent_span = max(departures) - min(departures)
        return min(8e9 * (total - packets[0][2]) / max(span, MS),
                   8e9 * (total - last[2]) / max(sent_span, MS))


class Aimd:
    def __init__(self, rate, beta, growth):
        self.rate, self.beta, self.growth = rate, beta, growth
        self.acked, self.state, self.changed = rate, HOLD, None
        self.capacity, self.deviation = None, 0.4  # kbit/s

    def spread(self):
        return 3 * math.sqrt(self.deviation * self.capacity)

    def update(self, now, usage, acked, rtt):
        since = math.inf if self.changed is None else now - self.changed
        if usage == OVER:
            if not acked:
                if since >= 200:
                    self.rate, self.changed = max(self.rate / 2, LOWEST), now
                return
            if since < clamp(rtt, 10, 200) and acked >= 0.5 * self.rate:
                return
        self.acked = acked or self.acked
        if usage == OVER:
            self.decrease()
            self.changed = now
        elif usage == UNDER:
            self.state = HOLD
        else:
            if self.state == HOLD:
                self.state, self.changed = INCREASE, now
            self.increase(now, rtt)
            self.changed = now
        self.rate = max(self.rate, LOWEST)

    def decrease(self):
        lower = self.beta * self.acked
        lower = lower - 5000 if lower > 5000 else lower
        if lower > self.rate and self.capacity is not None:
            lower = self.beta * self.capacity * 1000
        self.rate = min(self.rate, lower)
        sample = self.acked / 1000
        if self.capacity is not None and sample < self.capacity - self.spread():
            self.capacity = None
        self.capacity = sample if self.capacity is None else 0.95 * self.capacity + 0.05 * sample
        error = (self.capacity - sample) ** 2 / max(self.capacity, 1)
        self.deviation = clamp(0.95 * self.deviation + 0.05 * error, 0.4, 2.5)
        self.state = HOLD

    def increase(self, now, rtt):
        if self.capacity is not None and self.acked / 1000 > self.capacity + self.spread():
            self.capacity = None
        limit = 1.5 * self.acked + 10000
        if self.rate >= limit:
            return
        passed = (now - self.changed) / 1000
        if self.capacity is None:
            more = max(self.rate * (self.growth ** min(passed, 1) - 1), 1000)
        else:
            frame = self.rate / 30
            packet = frame / math.ceil(frame / 9600)
            more = passed * max(4000, packet * 1000 / (2 * (rtt + 100)))
        self.rate = min(self.rate + more, limit)


class LossModel:
    def __init__(self):
        self.gathered, self.since = [], None  # (sent, bytes, lost)
        self.seen = []  # observations (rate, packets, lost)
        self.capacity = self.result = None
        self.q, self.state, self.window = 0.01, FREE, None  # window (limit, since)
        self.last = None

    def weights(self):
        return [(0.9 ** age, o) for age, o in enumerate(reversed(self.seen[-20:]))]

    def loss(self):
        lost = sum(w * o[2] for w, o in self.weights())
        return lost / sum(w * o[1] for w, o in self.weights()) if self.seen else 0.0

    def rate(self):
        return self.result if self.capacity is not None and len(self.seen) >= 3 else math.inf

    def feedback(self, packets, delay, acked):
        for sent, size, lost in packets:
            self.since = sent if self.since is None else self.since
            self.last = sent if self.last is None else max(self.last, sent)
            self.gathered.append((size, lost))
        if not self.gathered or self.last - self.since < 250:
            return
        bits = 8000 * sum(p[0] for p in self.gathered)
        self.seen.append((bits / (self.last - self.since), len(self.gathered),
                          sum(p[1] for p in self.gathered)))
        self.gathered, self.since = [], self.last
        if self.capacity is None:
            self.capacity = self.result = delay
        self.estimate(delay, acked)

    def limited(self):
        return self.state != FREE

    def estimate(self, delay, acked):
        best, q = self.choose(delay, acked)
        if best > self.capacity and self.loss() > q:
            best = self.capacity
        if self.limited() and self.window and self.last < self.window[1] + 300:
            best = min(best, self.window[0])
        upper = 75000 / (self.loss() - 0.05) if self.loss() > 0.05 else HIGHEST
        self.capacity, self.q = best, q
        bounded = max(min(best, upper, delay), LOWEST)
        before, was_limited = self.result, self.limited()
        if bounded >= delay or bounded >= HIGHEST:
            self.state = FREE
        elif was_limited and (bounded > before or (bounded == before
                                                   and self.state == LOSS_INCREASING)):
            self.state = LOSS_INCREASING
        else:
            self.state = LOSS_DECREASING
        self.result = bounded
        if self.limited() and (not self.window or self.window[1] + 300 < self.last):
            self.window = (max(5000, 1.3 * self.capacity), self.last)

    def choose(self, delay, acked):
        most = max(self.capacity, self.window[0] if self.limited() and self.window else HIGHEST)
        proposed = [1.02 * self.capacity, self.capacity, 0.95 * self.capacity]
        proposed += [acked] if acked else []
        proposed += [delay] if delay > self.capacity else []
        fitted = [(min(b, most), self.fit(min(b, most))) for b in proposed]
        return max(fitted, key=lambda c: self.objective(*c))

    @staticmethod
    def feasible(q, capacity):
        return min(max(q, 0.001), min(1, 0.05 + 75000 / capacity))

    @staticmethod
    def probability(q, capacity, rate):
        p = q + (1 - q) * (rate - capacity) / rate if rate > capacity else q
        return clamp(p, 1e-6, 1 - 1e-6)

    def fit(self, capacity):
        q = self.feasible(self.q, capacity)
        first = second = 0.0
        for w, (rate, packets, lost) in self.weights():
            p = self.probability(q, capacity, rate)
            first += w * (lost / p - (packets - lost) / (1 - p))
            second -= w * (lost / p ** 2 + (packets - lost) / (1 - p) ** 2)
        return self.feasible(q - 0.75 * first / second, capacity)

    def objective(self, capacity, q):
        spare = 0.15 - self.loss()
        scale = spare / (0.002 + abs(spare))
        bias = scale * (0.0002 * capacity / 1000 + 0.02 * math.log(1 + capacity / 1000))
        total = 0.0
        for w, (rate, packets, lost) in self.weights():
            p = self.probability(q, capacity, rate)
            total += w * (lost * math.log(p) + (packets - lost) * math.log(1 - p) + bias * packets)
        return total


class LossRule:
    """The report form."""

    def __init__(self, rate):
        self.rate, self.ratio = rate, 0.0
        self.packets = self.lost = 0
        self.raised = self.lowered = -math.inf

    def report(self, now, packets, lost, rtt):
        self.packets, self.lost = self.packets + packets, self.lost + lost
        if self.packets < 20:
            return
        self.ratio, self.packets, self.lost = self.lost / self.packets, 0, 0
        if self.ratio <= 0.02 and now - self.raised >= 1000:
            self.rate, self.raised = min(1.08 * self.rate + 1000, HIGHEST), now
        elif self.ratio > 0.1 and now - self.lowered >= 300 + rtt:
            self.rate, self.lowered = self.rate * (1 - 0.5 * self.ratio), now


class Gcc:
    def __init__(self, push_back=True, loss_part=True, group=5, smoothing=0.9, gain=4.0, up=0.0087,
                 down=0.039, over_ms=10, beta=0.85, growth=1.08):
        self.push_back, self.loss_part, self.beta, self.growth = push_back, loss_part, beta, growth
        self.delay = Delay(group, smoothing, gain, up, down, over_ms)
        self.sent = self.told = 0  # packets sent, and reported by receiver reports
        self.flight = 0
        self.begin(START)

    def begin(self, rate):
        self.delay.forget()
        self.acked, self.rate = Acked(), 0.0  # acknowledged
        self.aimd, self.model, self.rule = Aimd(rate, self.beta, self.growth), LossModel(), LossRule(rate)
        self.reports, self.target = False, rate
        self.rtt = Rtt(600_000_000_000)
        self.rtts, self.window, self.factor = [], None, 1.0
        self.budget, self.idle, self.left = 0.0, False, None
        self.first = self.heard = self.timed = self.backed = None

    def on_path(self, _):
        self.begin(min(self.target, START))

    def on_timer(self, _):
        pass

    def answer(self):
        rate = self.target
        if self.push_back:
            rate = max(self.factor * rate, min(rate, 30000))
        loss = self.rule.rate if self.reports else self.model.rate()
        ratio = self.rule.ratio if self.reports else self.model.loss()
        capacity = self.aimd.capacity
        return (rate, self.aimd.rate, 0.0 if math.isinf(loss) else loss, self.rate, self.delay.slope,
                self.delay.trend, self.delay.threshold, self.delay.usage, self.aimd.state,
                0.0 if capacity is None else 1000 * capacity, ratio, self.model.q, self.model.state,
                int(self.idle), self.factor)

    def srtt(self):
        return None if self.rtt.srtt is None else int(self.rtt.srtt + 0.5) / 1e6

    def latest(self):
        return self.rtt.samples[-1][1] / 1e6 if self.rtt.samples else 0

    def on_sent(self, now_ns, size, in_flight, _):
        now = now_ns / 1e6
        self.sent, self.flight = self.sent + 1, in_flight
        depth = 0.5 * 0.65 * self.target / 8
        self.budget = clamp(self.budget, -depth, depth)
        if self.left is not None:
            self.budget = max(self.budget - size, -depth)
            self.budget = min(self.budget + 0.65 * self.target / 8 * (now - self.left) / 1000, depth)
        self.left = now
        self.idle = self.budget >= 0.5 * depth if self.idle else self.budget > 0.8 * depth
        self.push()
        if self.heard is None:
            self.heard = now
        elif now - self.heard + self.latest() > 3000:
            self.back_off(now)

    def push(self):
        if self.window:
            fill = self.flight / self.window
            self.factor = max(self.factor * (0.9 if fill > 1.5 else 0.95 if fill > 1 else 1), 1e-6)

    def back_off(self, now):
        if (self.backed is None or now - self.backed >= 1000) and self.target > 5000:
            self.target, self.backed = max(0.8 * self.target, 5000), now

    def on_report(self, now_ns, rtt_ns, interval_ns, expected, lost, size, _sent_bytes, _limited, *_):
        """As the session tells it: packets without arrival times, losses spread evenly."""
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
        told = min(expected, self.sent - self.told)
        n = min(told, 256)
        if n <= 0:
            return
        share = n / expected
        lost = clamp(int(lost * share + 0.5), int(lost > 0), n)
        self.told += told
        packets = []
        for i in range(n):
            is_lost = (i + 1) * lost // n > i * lost // n
            back_ns = int((n - 1 - i) / n * interval_ns)
            sent_ns = now_ns - int((self.srtt() or 0) * 1e6 + 0.5) - back_ns
            packets.append((None, sent_ns, -1, size, int(is_lost), 0))
        self.feedback(now_ns / 1e6, packets)

    def on_feedback(self, now_ns, rtt_ns, in_flight, packets):
        self.flight = in_flight
        if rtt_ns >= 0:
            self.rtt.sample(now_ns, rtt_ns)
        self.feedback(now_ns / 1e6, packets)

    def feedback(self, now, packets):
        received = [p for p in packets if p[4] == 0]
        timed = [p for p in received if p[2] >= 0]
        fresh = [p for p in packets if p[4] != 2]
        self.first = now if self.first is None else self.first
        if received:
            self.heard = now
            self.set_form(now, not timed)
        if self.reports:
            self.rule.report(now, len(fresh), sum(p[4] for p in fresh), self.srtt() or 0)
        else:
            if timed:
                self.take_arrivals(now, timed)
            self.model.feedback([(p[1] / 1e6, p[3], p[4]) for p in fresh], self.aimd.rate,
                                0.0 if self.idle else self.rate)
        if received:
            self.set_target(now)
        if received and not self.reports:
            self.size_window(now - min(p[1] for p in received) / 1e6, len(received))

    def set_form(self, now, reports):
        if reports == self.reports:
            return
        self.reports = reports
        self.rtts, self.window, self.factor = [], None, 1.0
        if reports:
            self.rule = LossRule(self.target)
        else:
            self.aimd.rate, self.aimd.changed = self.target, now
            self.model = LossModel()

    def take_arrivals(self, now, timed):
        if self.timed is not None and now - self.timed > 2000:
            self.delay.forget()
        self.timed = now
        for _, sent_ns, arrived_ns, size, _, _ in timed:
            self.acked.packet(sent_ns, arrived_ns, size)
            self.delay.packet(sent_ns, arrived_ns, round(now * MS))
        self.rate = self.acked.rate()
        srtt = self.srtt()
        self.aimd.update(now, self.delay.usage, self.rate, 200 if srtt is None else srtt)

    def set_target(self, now):
        if self.reports:
            allowed = self.rule.rate
        elif not self.loss_part or (now - self.first < 2000 and self.model.loss() == 0):
            allowed = self.aimd.rate
        else:
            allowed = min(self.aimd.rate, self.model.rate())
        allowed = max(allowed, LOWEST)
        if self.latest() > 3000:
            self.target = min(self.target, allowed)
            self.back_off(now)
        else:
            self.target = allowed

    def size_window(self, rtt, packets):
        self.rtts = (self.rtts + [rtt])[-32:]
        size = self.target * (min(self.rtts) + 350) / 8000
        self.window = max(size if self.window is None else (size + self.window) / 2, 3000)
        if self.flight > self.window:
            self.push()
        elif self.flight < 0.1 * self.window:
            self.factor = 1.0
        else:
            for _ in range(packets + 1):
                self.factor = min(1.05 * self.factor, 1.0)
