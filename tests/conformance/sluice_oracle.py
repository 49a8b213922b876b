# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sluice once more, naively, from docs/controllers/sluice.md and the headers: every packet is
remembered. Written apart from lib/controllers/sluice.c, lib/control/path.c and the estimators, which must
answer the same. Times in s unless a name ends in _ns, rates in bit/s."""
from math import sqrt

from shared_link import Flow
from sluice_path import Path, between

START, LEAST, MOST = 300_000.0, 30_000.0, 10_000_000.0
MARKS, PATHS, QUEUES, L4S = 0.01, 0.1, 0.6, 0.3
FULL_PACKET_BYTES = 1500
FORMS = ["packets", "packets", "packets", "reports"]
VARIABLES = ["capacity_bps", "busy", "predicted_queue_ns", "target_queue_ns", "company",
             "competing", "competitions", "high_ns", "former_rate_bps", "growth", "l4s", "loss_events",
             "loss_floor", "loss_trial", "probe_rate_bps", "probe_interval_ns",
             "pacing_bps", "source_bps", "window_bytes"]
VARIANTS = [("sluice", {}, {})]
SCRIPTS = 80


def oracle():
    return Sluice()


def life(seed):
    return list(Flow(seed, Sluice()).events(20)) if seed % 20 == 0 else None


def target(rate, least=0.010):
    """2500 bytes at this rate, in [10 ms, 40 ms]; behind an L4S queue in [1 ms, 40 ms]."""
    return between(20e3 / rate, least, 0.040)


class Company:
    def __init__(self):
        self.last = None  # rates of the sample before, when it was busy
        self.pairs = []  # [weight, change of sent, change of delivered]
        self.since_loss = self.delivered = 0.0

    def add(self, busy, sent, delivered, dt):
        self.since_loss += dt
        keep = max(1 - dt / 3, 0.0)
        self.pairs = [[weight * keep, x, y] for weight, x, y in self.pairs if weight > 1e-15]
        if busy and self.last:
            x, y = (2 * (new - old) / (new + old)
                    for old, new in zip(self.last, (sent, delivered)))
            if abs(x) < 0.25 and abs(y) < 0.25:
                self.pairs.append([1.0, x, y])
        self.last = (sent, delivered) if busy else None
        self.delivered = delivered

    def sums(self):
        return (sum(w * x * x for w, x, _ in self.pairs), sum(w * x * y for w, x, y in self.pairs),
                sum(w * y * y for w, _, y in self.pairs), sum(w for w, _, _ in self.pairs))

    def slope(self):
        xx, xy, _, _ = self.sums()
        return xy / xx if xx > 1e-4 else 0.0

    def least(self):
        xx, xy, yy, n = self.sums()
        rest = max(yy - self.slope() * xy, 0.0)
        return self.slope() - 2 * sqrt(rest / max(n - 2, 1) / max(xx, 1e-4))

    def link(self):
        """What it carries; 0: nobody is there"""
        others = min(self.least(), 0.9)
        knows = others > 0.2 and self.sums()[3] >= 10
        return self.delivered / (1 - others) if knows else 0.0


class Known:
    """The capacity that was last known."""

    def __init__(self):
        self.bps, self.at_ns = 0.0, None
        self.policed_ns, self.policed, self.by_losses = None, 0.0, False
        self.unseen = self.unseen_for = 0.0  # a queue that there should be
        self.doubted, self.patience = 0.0, 1.0
        self.used = None

    def is_policed(self, now_ns):
        return self.by_losses and (now_ns - self.policed_ns) * 1e-9 < self.policed

    def use(self, rate, sent, dt):
        """What the source sends of its rate, over 10 s."""
        gain = min(dt / 10, 1.0) if self.used else 1.0
        before = self.used or 0.0
        self.used = before + (sent / rate - before) * gain

    def share(self):
        return between(self.used, 0.6, 1.0) if self.used else 1.0

    def busy(self, now_ns, bps):
        if self.doubted:
            self.patience = 1.0 if bps > 1.25 * self.doubted else min(2 * self.patience, 32.0)
        self.bps, self.at_ns, self.doubted, self.by_losses = bps, now_ns, 0.0, False
        self.unseen = self.unseen_for = 0.0

    def told_by_losses(self, now_ns, bps):
        again = self.policed and (now_ns - self.policed_ns) * 1e-9 < 3 * self.policed
        self.policed = min(2 * self.policed, 30.0) if again else 3.0
        self.policed_ns, self.doubted = now_ns, 0.0
        self.busy(now_ns, bps)
        self.by_losses = True

    def is_near(self, now_ns, rate):
        used = rate * self.share()
        memory = max(10.0, self.policed) if self.by_losses else 10.0
        return (self.bps > 0 and (now_ns - self.at_ns) * 1e-9 < memory
                and 0.9 * self.bps < used and (used < self.bps / 0.9 or not self.by_losses))

    def limit(self, now_ns, wanted, sent, target_s, loop, dt):
        most = self.bps * (1 + target_s / loop) / self.share()
        self.unseen = max(self.unseen + (sent / self.bps - 1) * dt, 0.0)
        self.unseen_for = self.unseen_for + dt if self.unseen > 0 else 0.0
        empty = self.unseen > self.patience * target_s and self.unseen_for > 2 * loop
        if empty and not self.is_policed(now_ns):
            self.bps, self.doubted = 0.0, self.bps
        return min(wanted, most)


class Probe:
    """Asks whether the known capacity is still all there is, or, where none is, for twice the rate."""

    def __init__(self):
        self.bps, self.ahead, self.asked_ns, self.apart = 0.0, False, None, 1.0
        self.proved, self.proved_ns, self.doubted = 0.0, None, None

    def ask(self, now_ns, capacity):
        waits = self.asked_ns is not None and (now_ns - self.asked_ns) * 1e-9 < self.apart
        if not waits and 1e6 <= 2 * capacity <= 16e6:
            self.asked_ns, self.bps, self.ahead = now_ns, 2 * capacity, False

    def ask_ahead(self, rate):
        if self.bps == 0 and 2 * rate <= 16e6:
            self.bps, self.ahead = 2 * rate, True

    def take_ahead(self, whole, bps, sent_bytes):
        asked, self.bps = self.bps > 0, 0.0
        return 0.85 * bps if asked and whole and sent_bytes >= 2400 else 0.0

    def wait(self):
        self.apart = min(2 * self.apart, 30.0)

    def busy(self, capacity):
        self.bps = 0.0
        if self.doubted is not None:
            if capacity > 1.25 * self.doubted:
                self.apart = 1.0
            else:
                self.wait()
        self.doubted = None

    def take(self, now_ns, capacity, whole, bps, left):
        asked, self.bps = self.bps > 0, 0.0
        if not whole:
            self.wait()
            return False
        sent_bytes, sent_bps = left
        if asked and capacity > 0 and (sent_bytes < 2400 or sent_bps <= 1.7 * capacity):
            self.asked_ns = now_ns - int((self.apart - 0.1) * 1e9)
            return False
        if not asked or capacity <= 0 or bps <= 1.7 * capacity:
            return False
        self.proved, self.proved_ns, self.doubted = bps, now_ns, capacity
        return True

    def holds(self, now_ns):
        recent = self.proved_ns is not None and now_ns - self.proved_ns < 10**9
        return self.proved if recent else 0.0


class Losses:
    """Events, and the share of this tenth of a second and the nine before."""

    def __init__(self):
        self.end_ns, self.told = None, []  # (tenth of a second, packets, lost)

    def is_event(self, sent_ns, rtt_ns):
        new = self.end_ns is None or sent_ns > self.end_ns
        self.end_ns = sent_ns + rtt_ns if new else self.end_ns
        return new

    def lossy_tenths(self, now_ns):
        tenths = {}
        for at, _, lost in self.told:
            if at > now_ns // 100_000_000 - 10:
                tenths[at] = tenths.get(at, 0) + lost
        return sum(lost > 0 for lost in tenths.values())

    def share(self, now_ns):
        told = [(n, lost) for at, n, lost in self.told if at > now_ns // 100_000_000 - 10]
        return sum(n for n, _ in told), max(sum(lost for _, lost in told), 0)


class Floor:
    """Whose losses are they?"""

    def __init__(self):
        self.floor, self.trial = 0.0, None  # share and rate before, what passed, s below it, s not

    def exceeds(self, share, packets):
        if packets < 20:
            return False
        chance = max(self.floor, 1 / packets)
        sigma = sqrt(chance * (1 - chance) / packets)
        return share > self.floor + max(0.15 if packets < 150 else 0.02, 4 * sigma)

    def step(self, share, packets, lossy, passed, loop, dt, rate):
        """(rate, whether it is an answer, whether a policer told it)"""
        sent = passed / (1 - share)
        if self.trial:
            before_share, before, passed_then, lasted, waited = self.trial
            lasted += dt if sent < passed_then else 0.0
            waited += 0.0 if sent < passed_then else dt
            self.trial = (before_share, before, passed_then, lasted, waited)
            if lasted <= loop + 1.0:
                if waited > 5.0:
                    self.trial = None
                return rate, False, False
            self.trial = None
            if share < (self.floor + before_share) / 2:
                return max(rate, passed_then), True, True
            self.floor = min(share, before_share)
            return max(rate, before), True, False
        if share < self.floor:
            self.floor += (share - self.floor) * min(dt / 5, 1.0)
        if lossy < 0.5 or not self.exceeds(share, packets):
            return rate, False, False
        self.trial = (share, rate, sent * (1 - share), 0.0, 0.0)
        return min(rate, 0.85 * sent * (1 - share)), True, False


class Pushed:
    """Have others pushed us aside?"""

    def __init__(self, rate):
        self.former = self.rate = rate
        self.since_drop, self.high, self.new = 10.0, 0.0, 0.0

    def step(self, rate, link, queue, dropped, dt):
        self.former = max(rate, self.former + (rate - self.former) * min(dt / 20, 1.0))
        if self.new < 20:
            self.new += dt
            self.former = max(self.former, link)
        self.rate = rate
        self.since_drop = 0.0 if dropped else self.since_drop + dt
        times = 1.5 if self.has_dropped() else 4.0
        limit = max(times * target(self.former), 1.75 * target(max(rate, 0.45 * self.former)))
        down = dt / 3 if self.has_dropped() else dt
        step = (dt if queue > limit else -down) + (0.5 if dropped else 0.0)
        self.high = between(self.high + step, 0.0, 3.0)

    def has_dropped(self):
        return self.since_drop < 10.0

    def is_so(self):
        return self.high > 1.5 and self.rate < 0.45 * self.former


class Competing:
    """As a TCP."""

    def __init__(self, rate, enough, rtt):
        self.window, self.enough = rate * rtt / 8, enough
        self.before = None  # the window before the last loss
        self.since_loss = self.since_test = self.peak = self.test_left = 0.0
        self.since_fall = self.delivered_before = self.share = None
        self.apart = 6.0

    def step(self, dt, rtt, loop, queue, delivered, enough, busy, event):
        """The rate, and whether the others are TCPs for all that is known."""
        self.watch(dt, queue)
        self.enough = max(self.enough, enough)
        if self.test_left > 0:
            self.test_left -= dt
            self.share = delivered / self.delivered_before if busy else self.share
            if busy and self.test_left > 0:
                return None, True
            self.apart = 6 * (0.5 + int(self.window) * 0.6180339887 % 1)
            self.since_test = self.peak = self.test_left = 0.0
            self.since_fall = None
            return 8 * self.window / rtt, not 0.875 <= (self.share or 0.0) <= 1.15
        ripe = self.since_fall is not None and self.since_fall >= 1.0
        if ripe and self.since_test >= self.apart and not event:
            self.test_left, self.delivered_before, self.share = loop + 2 * rtt, delivered, None
            return 0.75 * delivered, True
        self.move(dt, rtt, event)
        return 8 * self.window / rtt, True

    def watch(self, dt, queue):
        self.since_test += dt
        self.peak = max(self.peak, queue)
        if self.since_fall is not None:
            self.since_fall += dt
        elif queue < 0.9 * self.peak - 0.005:
            self.since_fall = 0.0

    def move(self, dt, rtt, event):
        if event:
            self.before, self.window, self.since_loss = self.window, 0.7 * self.window, 0.0
        else:
            self.since_loss += dt
            gain = 3 * 0.3 / 1.7 * 1500 * dt / rtt
            if self.before is not None:
                k = (self.before / 1500 * 0.3 / 0.4) ** (1 / 3)
                gain = max(gain, 3 * 0.4 * (self.since_loss - k) ** 2 * 1500 * dt)
            elif 8 * self.window / rtt < self.enough:
                gain = self.window * min(dt / rtt, 1.0)
            self.window += gain
        self.window = between(self.window, 1500.0, 1e10)


class Marks:
    """Alpha, and when marks came."""

    def __init__(self):
        self.alpha, self.begun_ns, self.round = None, 0, []
        self.newest_ns = self.heeded_ns = None
        self.overran = False

    def step(self, now_ns, rtt_ns):
        if not self.round or self.alpha is not None and now_ns - self.begun_ns < rtt_ns:
            return
        share = sum(self.round) / len(self.round)
        if self.alpha is not None:
            self.alpha += (share - self.alpha) / 16
        elif share:
            self.alpha = share
        self.round, self.begun_ns = [], now_ns


class Heavy:
    """More than a tenth of the packets is lost."""

    def __init__(self):
        self.packets, self.lost, self.seen, self.blind = 0.0, 0.0, 0.0, 0.0

    def step(self, view):
        if self.blind > 0:
            self.blind -= view.dt
            return False
        kept = max(1 - view.dt / 3, 0.0)
        self.packets, self.lost = self.packets * kept + view.packets, self.lost * kept + view.lost
        excess = self.lost - 0.1 * self.packets
        self.seen += view.dt
        few = self.packets < 20 or self.seen < 1
        if few or excess <= 2 * sqrt(0.09 * self.packets):
            return False
        self.packets, self.lost, self.seen, self.blind = 0.0, 0.0, 0.0, view.loop
        return True


class View:
    """What one feedback tells."""

    def __init__(self, path, now_ns, since_ns, told):
        interval = self.interval = (path.interval_ns or 0) * 1e-9
        window = max(0.1, path.span_ns * 1e-9)
        self.now_ns = now_ns
        self.event, self.mark_event, self.share, self.packets, self.lost = told
        rtt = path.srtt_ns() * 1e-9
        if path.rtt.samples:
            rtt = min(rtt, 2 * path.rtt.samples[-1][1] * 1e-9)
        self.loop = rtt + max(window, interval)
        self.horizon = min(window + max(interval, 0.02), 0.5)
        self.dt = min(since_ns * 1e-9, self.loop)
        self.least_rtt = path.rtt.least() * 1e-9 if path.rtt.samples else 0.5
        self.queue = (path.queue_ns or 0) * 1e-9
        self.sent, self.delivered = path.sent_rate, path.delivered
        self.rtt = path.srtt_ns() * 1e-9


class Sluice:
    def __init__(self):
        self.path, self.rate = Path(), START
        self.target = target(START)
        self.competitions = self.loss_events = self.n_sent = self.told = 0
        self.reroutes = 0
        self.regimes = {}  # how often each was taken
        self.forget(0)

    def forget(self, now_ns):
        self.heard_ns = self.loop = None
        self.growth, self.source, self.competing = 0.30, 0.0, None
        self.busy, self.capacity, self.predicted = False, None, 0.0
        self.company, self.losses, self.floor, self.known = Company(), Losses(), Floor(), Known()
        self.probe, self.marks, self.l4s = Probe(), Marks(), False
        self.heavy = Heavy()
        self.pushed = Pushed(self.rate)
        self.long_ns, self.empty_ns, self.drain_left = None, now_ns, 0.0
        self.sound_left, self.base_ns, self.competed_ns = 0.0, None, None
        self.flight = None  # s of the rate

    def took(self, regime):
        self.regimes[regime] = self.regimes.get(regime, 0) + 1

    def set(self, rate):
        self.rate, self.source = between(rate, LEAST, MOST), 0.0

    def on_path(self, now_ns):
        self.path.forget()
        self.forget(now_ns)

    def on_sent(self, now_ns, size, in_flight, limited):
        self.path.on_sent(now_ns, self.n_sent, size, in_flight, limited)
        self.n_sent += 1

    def on_timer(self, now_ns):
        if self.path.is_over(now_ns):
            self.took("silence")
            self.set(self.rate / 2)
            self.growth = 0.0

    def on_report(self, now_ns, rtt_ns, interval_ns, expected, lost, size, sent_bytes, limited, *ages):
        """Of the packets that a report tells of, losses lie evenly, and so do the times at which
        they left, up to a round trip ago."""
        path = self.path
        path.on_report(now_ns, rtt_ns, interval_ns, expected, lost, size, sent_bytes, ages)
        path.data_limited = not limited if expected else path.data_limited
        n = min(expected, self.n_sent - self.told)
        told = min(n, 256)
        if told <= 0:
            return
        lost = between(int(lost * (told / expected) + 0.5), 1 if lost else 0, told)
        newest_ns = now_ns - int((path.rtt.srtt or 0) + 0.5)
        packets = [(self.told + i, newest_ns - int((told - 1 - i) / told * interval_ns), -1, size,
                    int((i + 1) * lost // told > i * lost // told), 0) for i in range(told)]
        self.told += n
        self.feedback(now_ns, packets)

    def on_feedback(self, now_ns, rtt_ns, in_flight, packets):
        self.path.on_feedback(now_ns, rtt_ns, in_flight, packets)
        self.told = max(self.told, packets[-1][0] + 1)
        self.feedback(now_ns, packets)

    def feedback(self, now_ns, packets):
        since_ns = 0 if self.heard_ns is None else now_ns - self.heard_ns
        view = View(self.path, now_ns, since_ns, self.take_losses(now_ns, packets))
        self.loop = view.loop
        if self.heard_ns is None:
            self.empty_ns = now_ns
        self.heard_ns = now_ns
        self.target = target(self.rate, 0.001 if self.is_marked(view) else 0.01)
        self.source = 0.0
        self.flight = None
        if self.path.rtt.samples and not self.path.reports_only:
            self.flight = (self.path.srtt_ns() + 2 * self.path.wait.pause_ns) * 1e-9 + 0.1
        if not view.delivered:
            return
        self.take_reroute()
        self.update_signal(view)
        self.watch_base(view)
        if self.competing:
            self.compete(view)
        else:
            self.keep_queue_small(view)
        self.watch(view)
        self.limit_losses(view)
        self.give_way_to_heavy_losses(view)

    def on_probe(self, now_ns, _asked_bytes, _asked_bps, sent_bytes, received_bytes, sent_bps,
                 delivered_bps):
        whole, bps = received_bytes == sent_bytes, min(sent_bps, delivered_bps)
        if self.probe.ahead:
            proved = self.probe.take_ahead(whole, bps, sent_bytes)
            if self.is_rising() and proved > self.rate:
                self.took("probe ahead")
                self.set(proved)
            self.growth = self.growth if whole else 0.0
        elif self.probe.take(now_ns, self.known.bps, whole, bps, (sent_bytes, sent_bps)):
            self.took("probe")
            self.known.bps, self.growth = 0.0, 0.30

    def take_losses(self, now_ns, packets):
        event, status, marks = False, [p[4] for p in packets], self.marks
        self.l4s = self.path.marking.is_l4s()
        mark_event, l4s_marks = False, 0
        for _, sent_ns, _, _, how, ecn in packets:
            marked = how != 1 and ecn == 1
            marks.round += [marked] if how != 1 else []
            l4s_marks += marked and self.l4s
            if how == 1 or marked and not self.l4s:
                if self.losses.is_event(sent_ns, self.path.srtt_ns()):
                    event, mark_event = True, mark_event or marked
        marks.step(now_ns, self.path.srtt_ns())
        marks.newest_ns = now_ns if l4s_marks else marks.newest_ns
        self.losses.told.append((now_ns // 100_000_000, len(packets) - status.count(2),
                                 status.count(1) - status.count(2)))
        self.loss_events += event
        self.company.since_loss = 0.0 if event else self.company.since_loss
        return event, mark_event, l4s_marks / len(packets), *self.losses.told[-1][1:]

    def is_marked(self, view):
        newest_ns = self.marks.newest_ns
        return (self.l4s and newest_ns is not None and
                (view.now_ns - newest_ns) * 1e-9 < max(1.0, 5 * view.loop))

    def take_reroute(self):
        if self.path.n_reroutes > self.reroutes:
            self.took("longer path")
            self.reroutes = self.path.n_reroutes
            self.set(max(self.rate, self.path.standing.most))
            self.growth, self.pushed = 0.30, Pushed(self.rate)

    def update_signal(self, view):
        path = self.path
        self.busy = (path.least_queue_ns is not None and
                     path.least_queue_ns * 1e-9 > 0.003 + 8 * path.packet_bytes / view.delivered)
        self.predicted = view.queue
        if self.busy:
            if self.capacity is None or abs(view.delivered / self.capacity - 1) > 0.2:
                self.capacity = view.delivered
            else:
                self.capacity += (view.delivered - self.capacity) * min(view.dt / 0.3, 1.0)
            self.known.busy(view.now_ns, self.capacity)
            self.probe.busy(self.capacity)
            if not path.reports_only and path.newest_sent_ns is not None:
                since = (view.now_ns - path.newest_sent_ns) * 1e-9
                self.predicted += 8 * path.in_flight / view.delivered - since
            self.predicted = max(self.predicted, 0.0)
        if view.queue <= 0.003 or not self.busy:
            self.empty_ns = view.now_ns
        self.known.use(self.rate, view.sent, view.dt)
        self.company.add(self.busy, view.sent, view.delivered, view.dt)

    def is_long(self, view):
        return view.queue > self.target

    def lost(self, now_ns):
        packets, lost = self.losses.share(now_ns)
        return lost / max(packets, 1), packets

    def watch_base(self, view):
        before, self.base_ns = self.base_ns, self.path.base_delay_ns
        if None not in (before, self.base_ns) and self.capacity:
            enough = 0.003 if self.sound_left > 0 else self.target
            if (before - self.base_ns) * 1e-9 > enough:
                self.sound_left = view.loop

    def sound(self, view):
        self.took("sound")
        self.sound_left -= view.dt
        self.empty_ns = view.now_ns
        if self.rate >= 0.8 * self.capacity:
            self.set((0.8 if self.sound_left > 0 else 1.0) * self.capacity)

    def keep_queue_small(self, view):
        ours = self.floor.floor < 0.01 or self.floor.exceeds(*self.lost(view.now_ns))
        overdue = self.busy and (view.now_ns - self.empty_ns) * 1e-9 > 10.0
        if self.sound_left > 0:
            self.sound(view)
        elif self.drain_left > 0 or overdue:
            self.drain(view)
        elif view.mark_event or view.event and self.is_long(view) and ours:
            self.took("give way")
            self.set(0.85 * self.rate)
            self.growth = 0.0
        elif self.busy:
            self.steer(view)
        elif self.is_marked(view):
            self.heed(view)
        elif not self.floor.trial and view.sent > 0.6 * self.rate:
            self.grow(view)

    def grow_unmarked(self, view, wanted):
        if self.company.slope() > 0.2:
            return wanted
        if self.is_long(view):
            self.took("heed, long queue")
            return self.rate
        near = self.known.is_near(view.now_ns, self.rate)
        return max(self.rate, self.grow_near(view, wanted)) if near else wanted

    def heed(self, view):
        self.took("heed")
        marks, round_s = self.marks, max(view.rtt, 0.025)
        since = 1e9 if marks.heeded_ns is None else (view.now_ns - marks.heeded_ns) * 1e-9
        wait = (self.path.least_wait_ns or 0) * 1e-9
        overrun = wait > self.target + 0.015 and view.share > (marks.alpha or 0.0)
        share, rate = view.share if overrun else marks.alpha or 0.0, self.rate
        if view.sent > 0.6 * rate:
            grown = rate + (1 - share) * 8 * FULL_PACKET_BYTES / round_s**2 * view.dt
            rate = self.grow_unmarked(view, min(grown, max(rate, 1.6 * max(view.sent, view.delivered))))
        if view.share and (since >= round_s or overrun and not marks.overran):
            rounds = since / round_s if round_s < since < 2 * round_s else 1.0
            rate *= 1 - min(rounds * share, 1.0) / 2
            marks.heeded_ns = view.now_ns
        marks.overran = overrun
        self.set(rate)
        self.growth = 0.0

    def drain(self, view):
        self.took("drain")
        if self.drain_left <= 0:
            self.drain_left = view.queue / 0.2 + view.loop
        self.drain_left -= view.dt
        self.set(0.8 * self.capacity)
        if view.queue <= 0.003 or self.drain_left <= 0:
            self.drain_left, self.empty_ns = 0.0, view.now_ns
            self.set(self.capacity)

    def steer(self, view):
        above = self.predicted - self.target
        most = 0.0 if self.is_marked(view) else 0.1
        self.steer_rate(view, self.capacity * (1 + between(-above / view.horizon, -0.5, most)))
        self.source = self.capacity * (1 + between(-above / 0.5, -0.5, 0.0))
        self.growth = 0.0

    def steer_rate(self, view, wanted):
        if view.sent < 0.7 * self.rate and view.queue < 2 * self.target:
            return
        if wanted > self.rate:
            self.took("steer up")
            self.set(self.rate + (wanted - self.rate) * min(view.dt / view.loop, 1.0))
        elif self.predicted > self.target:
            self.took("steer down")
            self.set(wanted)

    def is_rising(self):
        return not self.competing and self.growth >= 0.30

    def grow_near(self, view, wanted):
        if not self.competing and not self.known.is_policed(view.now_ns):
            self.probe.ask(view.now_ns, self.known.bps)
        return self.known.limit(view.now_ns, wanted, view.sent, self.target, view.loop, view.dt)

    def grow(self, view):
        unit = max(0.2, 0.7 * view.loop)
        least = min(80e3 / self.rate, 0.10)
        near = self.known.is_near(view.now_ns, self.rate)
        self.took("grow near" if near else "grow")
        self.growth = least if near else max(self.growth, least)
        wanted = min(self.rate * (1 + self.growth * view.dt / unit),
                     max(1.6 * max(view.sent, view.delivered), self.probe.holds(view.now_ns)))
        if near:
            wanted = self.grow_near(view, wanted)
        elif self.is_rising():
            self.probe.ask_ahead(self.rate)
        self.set(max(self.rate, wanted))
        self.growth = min(self.growth * (1 + view.dt / unit), 0.30)

    def watch(self, view):
        dropped = view.event and self.is_long(view)
        self.pushed.step(self.rate, min(self.company.link(), MOST), view.queue, dropped, view.dt)
        moves = self.path.standing_ns * 1e-9 < 0.75 or self.pushed.has_dropped()
        before = self.competed_ns is not None and (view.now_ns - self.competed_ns) * 1e-9 < 10
        slope = self.company.slope() if before else self.company.least()
        calm = self.competing or self.is_marked(view)
        if not calm and moves and slope > 0.2 and self.pushed.is_so():
            self.took("begin to compete")
            self.competing = Competing(self.rate, self.pushed.former / 2,
                                       view.least_rtt + view.queue)
            self.competitions += 1
            self.drain_left, self.sound_left, self.floor.trial = 0.0, 0.0, None

    def compete(self, view):
        rtt, before = view.least_rtt + view.queue, self.rate
        self.competed_ns = view.now_ns
        gone = self.company.slope() < 0.15 and self.company.since_loss >= 3.0
        if gone or self.is_marked(view):
            self.took("end of company")
            self.competing, self.empty_ns = None, view.now_ns
        elif not (self.is_long(view) or view.mark_event) and self.competing.test_left <= 0:
            self.took("compete, short queue")
            self.keep_queue_small(view)
            self.set(max(self.rate, before))
            self.competing.window = self.rate * rtt / 8
        else:
            self.took("compete")
            rate, among_tcps = self.competing.step(view.dt, rtt, view.loop, view.queue,
                                                   view.delivered, self.pushed.former / 2,
                                                   self.busy, view.event)
            if among_tcps:
                self.set(self.rate if rate is None else rate)
            else:
                self.took("own kind")
                self.be_alone(view)

    def be_alone(self, view):
        self.competing, self.empty_ns = None, view.now_ns
        self.pushed.since_drop, self.pushed.high = 10.0, 0.0

    def give_way_to_heavy_losses(self, view):
        if self.heavy.step(view):
            self.set(min(self.rate, 0.85 * view.delivered))
            self.growth = 0.0
            if self.has_queued_lately(view):
                self.took("heavy losses, queue")
                self.known.busy(view.now_ns, view.delivered)
            else:
                self.took("heavy losses, policer")
                self.known.told_by_losses(view.now_ns, view.delivered)
            if self.competing:
                self.be_alone(view)

    def has_queued_lately(self, view):
        return self.long_ns is not None and (view.now_ns - self.long_ns) * 1e-9 < 1.0

    def limit_losses(self, view):
        if self.is_long(view):
            self.long_ns = view.now_ns
        if self.competing or self.has_queued_lately(view):
            return
        share, packets = self.lost(view.now_ns)
        lossy = self.losses.lossy_tenths(view.now_ns) * max(view.interval, 0.1)
        rate, answers, policed = self.floor.step(min(share, 0.95), packets, lossy, view.sent, view.loop,
                                                 view.dt, self.rate)
        if answers:
            self.took("trial" if self.floor.trial else "policer" if policed else "path's losses")
            self.set(rate)
            self.growth = 0.0
            if policed:
                self.known.told_by_losses(view.now_ns, self.rate)

    def answer(self):
        room = max(self.target - self.predicted, 0.0)
        emptying = self.drain_left > 0 or self.sound_left > 0 or self.l4s
        excess = room / self.loop if self.loop and not emptying else 0.0
        window = 2**63 if self.flight is None else max(self.rate * self.flight / 8, 6000)
        return (self.rate, self.capacity or 0.0, float(self.busy), self.predicted * 1e9,
                self.target * 1e9, self.company.slope(), float(bool(self.competing)),
                float(self.competitions), self.pushed.high * 1e9, self.pushed.former, self.growth,
                float(self.l4s), float(self.loss_events), self.floor.floor, float(bool(self.floor.trial)),
                self.probe.bps, self.probe.apart * 1e9,
                float(int(self.rate * (1 + excess))),
                float(int(min(max(self.rate, self.source), MOST))), float(int(window)))
