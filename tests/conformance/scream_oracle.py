# SPDX-License-Identifier: LGPL-2.1-or-later
"""SCReAM v2 once more, naively, from the draft's pseudocode and docs/controllers/scream.md. Written
apart from lib/controllers/scream.c, which must answer the same. Times in s unless a name ends in
_ns. What the path measures of the delivered rate is left to it: low-target is 0 throughout."""
from oracle_parts import Delays, PathSilence

START, LEAST, MOST = 300_000.0, 30_000.0, 10_000_000.0
MARKS, PATHS, QUEUES = 0.05, 0.1, 0.6
FORMS = ["packets"]
VARIABLES = ["ref_wnd_bytes", "inflection_bytes", "max_in_flight_bytes", "queue_ns",
             "mean_queue_ns", "standing_queue_ns", "steadiness", "l4s_alpha", "loss_ratio", "rtt_ns",
             "loss_reactions", "mark_reactions", "delay_reactions", "base_resets"]
VARIANTS = [("scream", {"low-target": 0} | params, options) for params, options in [
    ({}, {}),
    ({"l4s": 1, "initial": 1}, {"l4s": True, "paper": True}),
    ({"l4s": 1, "reduce-jitter": 0, "headroom": 3, "qdelay-gain": 1},
     {"l4s": True, "jitter": False, "headroom": 3.0, "gain": 1.0}),
    ({"loss-threshold": 0, "base-reset": 0, "beta-loss": 0.5, "beta-ecn": 0.9},
     {"threshold": 0.0, "resets": False, "beta_loss": 0.5, "beta_ecn": 0.9}),
    ({"policer-threshold": 0.05, "qdelay-target": 20, "post-congestion": 10, "mul-increase": 0.2},
     {"policer": 0.05, "target": 0.02, "post": 10, "mul": 0.2}),
    ({"virtual-rtt": 100, "min-ref-wnd": 6000, "alpha-up": 1, "alpha-down": 0.5},
     {"vrtt": 0.1, "least": 6000.0, "up": 1.0, "down": 0.5}),
]]


def oracle(**options):
    return Scream(**options)


def between(value, low, high):
    return min(max(value, low), high)


class Scream:
    def __init__(self, l4s=False, paper=False, jitter=True, headroom=1.5, gain=0.25, threshold=0.01,
                 resets=True, beta_loss=0.7, beta_ecn=0.8, policer=1.0, target=0.06, post=100,
                 mul=0.02, vrtt=0.025, least=3000.0, up=1 / 8, down=1 / 128):
        self.l4s, self.paper, self.jitter, self.headroom, self.gain = l4s, paper, jitter, headroom, gain
        self.threshold, self.resets, self.policer, self.target = threshold, resets, policer, target
        self.beta_loss, self.beta_ecn, self.post, self.mul = beta_loss, beta_ecn, post, mul
        self.vrtt, self.least, self.up, self.down = vrtt, least, up, down
        self.silence = PathSilence()
        self.first = LEAST if paper else START
        self.n_sent, self.mss, self.s_rtt, self.rate = 0, 1000.0, 0.5, self.first
        self.counts = [0, 0, 0, 0]  # losses, marks, delays, resets
        self.largest = 0
        self.forget(0)

    def forget(self, now):
        self.delays = Delays()
        self.ref_wnd, self.ref_wnd_i, self.i_allowed, self.policed = self.least, 1.0, True, 1e15
        self.share, self.started = 1.0, False
        self.bif = self.bif_prev = 0.0
        self.round = self.congested = self.reaction = self.alpha_at = self.mean_at = now
        self.lost = self.marked = False
        self.alpha = self.delivered = self.n_marked = self.loss_rate = 0.0
        self.qdelay = self.qdelay_avg = self.standing = 0.0
        self.qdelay_min = None
        self.max_avg, self.min_avg, self.dev_avg = self.target, 0.0, 0.0
        self.half_until = -1

    def on_path(self, now_ns):
        self.silence.forget()
        self.forget(now_ns)
        self.rate = min(self.rate, self.first)

    def on_sent(self, now_ns, size, in_flight, _):
        self.silence.sent(now_ns, self.n_sent)
        self.n_sent += 1
        self.largest = max(self.largest, size)
        self.bif = max(self.bif, float(in_flight))

    def on_timer(self, now_ns):
        if self.silence.is_over(now_ns):
            self.share = max(self.share / 2, 1e-9)

    def scale(self):
        return between(1 - self.dev_avg / 0.01, 0.0, 1.0) if self.jitter else 1.0

    def on_feedback(self, now_ns, rtt_ns, in_flight, packets):
        rtt = self.silence.rtt
        if rtt_ns >= 0:
            rtt.sample(now_ns, rtt_ns)
        received = [p for p in packets if p[4] != 1]
        if received:
            self.silence.heard(now_ns, max(received)[0])
        self.mss = float(self.largest)
        self.s_rtt = int(rtt.srtt) * 1e-9 if rtt.srtt else 0.5
        if not self.started and rtt.srtt:
            self.start(now_ns)
        acked, acked_ce = self.count(now_ns, packets)
        if received:
            self.ref_wnd = max(self.ref_wnd * self.share, self.least)
            self.share = 1.0
            self.delay_sample(now_ns, received)
        self.l4s_alpha(now_ns)
        self.next_round(now_ns, in_flight)
        if self.started:
            scl = between((8 * (self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i) ** 2, 0.1, 1.0)
            self.reduce(now_ns, scl)
            self.increase(now_ns, scl, acked - acked_ce)
            self.target_bitrate(now_ns)

    def start(self, now_ns):
        self.started = True
        if not self.paper:
            share = self.mss / (self.mss + 20) / 1.2
            self.ref_wnd = max(self.ref_wnd, START * self.s_rtt / 8 / share)
        self.target_bitrate(now_ns)

    def target_bitrate(self, now_ns):
        tmp = 1 - min(0.2, max(0.0, min(1.0, self.mss / self.ref_wnd) - 0.1))
        tmp *= self.mss / (self.mss + 20)
        tmp /= 1.2
        rate = tmp * 8 * self.ref_wnd / self.s_rtt * (0.5 if now_ns < self.half_until else 1.0)
        self.rate = between(rate, LEAST, MOST)

    def count(self, now_ns, packets):
        acked = acked_ce = 0
        for _, _, _, size, status, ce in packets:
            if status == 2:
                continue
            a = min(1.0, self.mss / self.ref_wnd / 2)
            a = min(self.threshold / 4, a) if self.threshold else a
            self.loss_rate = (1 - a) * self.loss_rate + a * (status == 1)
            acked += size
            acked_ce += size if ce else 0
            self.delivered += status == 0
            self.n_marked += bool(ce)
            self.lost |= status == 1
            self.marked |= bool(ce)
        if self.lost or self.marked:
            self.congested = now_ns
        return acked, acked_ce

    def delay_sample(self, now_ns, received):
        received = sorted(received, reverse=True)
        self.delays.on_feedback(now_ns, received[0][2])
        delays = [self.delays.add(now_ns, p[1], p[2])[1] for p in received]
        self.qdelay = self.delays.queue(delays[0]) * 1e-9
        self.qdelay_min = min(self.qdelay, self.qdelay if self.qdelay_min is None else self.qdelay_min)
        self.max_avg = min(self.target, max(self.qdelay, self.max_avg))
        self.min_avg = min(self.qdelay, self.min_avg)
        if (now_ns - self.mean_at) * 1e-9 < min(self.vrtt, self.s_rtt):
            return
        if self.qdelay < self.qdelay_avg:
            self.qdelay_avg = self.qdelay
        else:
            self.qdelay_avg = self.gain * self.qdelay + (1 - self.gain) * self.qdelay_avg
        self.mean_at = now_ns
        self.max_avg *= 1 - 1 / 16
        self.min_avg = self.min_avg * (1 - 1 / 16) + self.max_avg / 16
        self.dev_avg = (1 - 1 / 32) * self.dev_avg + (self.max_avg - self.min_avg) / 32

    def l4s_alpha(self, now_ns):
        if not self.delivered or (now_ns - self.alpha_at) * 1e-9 < min(0.01, self.s_rtt):
            return
        fraction = self.n_marked / self.delivered
        if fraction >= self.alpha:
            self.alpha = self.up * fraction + (1 - self.up) * self.alpha
        else:
            self.alpha *= 1 - self.down
        self.delivered = self.n_marked = 0.0
        self.alpha_at = now_ns

    def next_round(self, now_ns, in_flight):
        if (now_ns - self.round) * 1e-9 < self.s_rtt:
            return
        self.bif_prev, self.bif, self.round = self.bif, float(in_flight), now_ns
        self.policed = min(self.policed * 1.001, 1e15)
        if self.qdelay_min is not None:
            self.standing = (1 - 1 / 256) * self.standing + self.qdelay_min / 256
            self.qdelay_min = None
        if self.resets and self.standing > self.target / 4:
            self.standing = 0.0
            self.delays.minutes = []
            self.half_until = now_ns + int(1e9 * max(5 * self.s_rtt, 0.2))
            self.counts[3] += 1

    def reduce(self, now_ns, scl):
        since = (now_ns - self.reaction) * 1e-9
        if since < min(self.vrtt, self.s_rtt):
            return
        lost, marked = self.lost, self.marked and not self.lost
        self.lost = self.marked = False
        empty = self.qdelay_avg < self.target / 4
        if since < self.s_rtt:
            lost, marked = False, marked and self.l4s
        elif lost:
            if empty and self.loss_rate > self.policer:
                self.policed = self.ref_wnd * 0.9
            lost = not (self.threshold and empty and self.loss_rate <= self.threshold)
        delay = not lost and not marked and self.qdelay_avg > self.target / 2
        if not (lost or marked or delay):
            return
        if self.i_allowed:
            self.ref_wnd_i, self.i_allowed = self.ref_wnd, False
        slow = max(1.0, self.s_rtt / self.vrtt)
        if lost:
            self.ref_wnd *= self.beta_loss
        elif marked and not self.l4s:
            self.ref_wnd *= self.beta_ecn
        elif marked:
            backoff = self.alpha / 2 / slow
            if self.qdelay < self.target * 0.25:
                backoff *= max(0.25, scl) * max(0.25, self.scale())
            if since > 100 * max(self.vrtt, self.s_rtt):
                self.ref_wnd = min(self.ref_wnd, self.bif_prev)
            self.ref_wnd *= 1 - backoff
        else:
            v = between((self.qdelay_avg - self.target / 2) / (self.target / 2), 0.0, 1.0)
            self.ref_wnd *= 1 - v / 2 / slow
        self.counts[0 if lost else 1 if marked else 2] += 1
        self.ref_wnd = max(self.ref_wnd, self.least)
        self.reaction = self.congested = now_ns

    def increase(self, now_ns, scl, acked):
        rounds = (now_ns - self.congested) * 1e-9 / max(self.vrtt, self.s_rtt)
        scale = between(rounds / self.post, 0.0, 1.0)
        increment = acked * min(1.0, self.mss / self.ref_wnd) * min(1.0, self.s_rtt / self.vrtt)
        increment *= max(0.25, scl) * max(0.1, self.scale())
        increment *= 1 + self.mul * self.ref_wnd / self.mss * scale * scl
        allowed = self.mss + max(self.bif, self.bif_prev) * self.headroom
        new = self.ref_wnd + increment
        if increment > 0 and new > self.ref_wnd and new <= allowed and self.rate < MOST:
            self.ref_wnd, self.i_allowed = new, True
        self.ref_wnd = min(self.ref_wnd, self.policed)

    def answer(self):
        return (self.rate * self.share, self.ref_wnd, self.ref_wnd_i, max(self.bif, self.bif_prev),
                self.qdelay * 1e9, self.qdelay_avg * 1e9, self.standing * 1e9, self.scale(),
                self.alpha, self.loss_rate, self.s_rtt * 1e9, *self.counts)
