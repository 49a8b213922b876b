# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lives of a flow that answers: an oracle is asked for the rate, and frames of about that much
cross a link with a queue, alone, beside others or through a policer. test_oracle.py's lives do not
listen; what takes many seconds of a control at work is not found by them."""
import random


class Link:
    """A queue of bytes, and others that use it: nobody, a TCP by its envelope (up slowly, down to
    0.7 when the buffer is full), or flows that send what we send."""

    def __init__(self, rng):
        self.rng = rng
        self.bps = rng.choice([4e5, 1e6, 2e6]) * rng.uniform(0.7, 1.4)
        self.one_way_ns = rng.randrange(10_000_000, 60_000_000)
        self.buffer = self.bps / 8 * rng.choice([0.08, 0.25, 0.5])
        self.others = rng.choice(["none", "none", "tcp", "tcp", "same", "late", "policer"])
        self.others_at = rng.randrange(2, 6) * 1_000_000_000
        self.loss = rng.choice([0, 0, 0.01, 0.08])
        self.queue, self.other_bps, self.now_ns = 0.0, 0.2 * self.bps, 0
        self.tokens = 10e3
        self.l4s = rng.choice([False, False, True])  # marks what waits for more than 5 ms

    def until(self, now_ns, our_bps):
        dt = (now_ns - self.now_ns) * 1e-9
        self.now_ns = now_ns
        self.tokens = min(self.tokens + self.bps / 2 * dt / 8, 10e3)
        if now_ns < self.others_at or self.others in ("none", "policer"):
            other_bps = 0.0
        elif self.others == "tcp":
            self.other_bps += 0.25 * self.bps * dt
            other_bps = self.other_bps
        else:
            other_bps = our_bps if self.others == "same" else self.bps / 4
        self.queue = max(self.queue + (other_bps - self.bps) * dt / 8, 0.0)
        if self.queue > self.buffer:
            self.queue = self.buffer
            self.other_bps = min(0.7 * self.other_bps, self.bps)

    def send(self, now_ns, size, our_bps):
        """When the packet arrives, or None."""
        self.until(now_ns, our_bps)
        policed = self.others == "policer" and now_ns >= self.others_at
        if policed and self.tokens < size or self.queue + size > self.buffer:
            return None
        if self.rng.random() < self.loss:
            return None
        self.tokens -= size if policed else 0
        self.queue += size
        return now_ns + self.one_way_ns + int(8e9 * self.queue / self.bps)


class Flow:
    def __init__(self, seed, oracle):
        self.rng = random.Random(seed)
        self.link, self.oracle = Link(self.rng), oracle
        self.now = self.seq = self.in_flight = 0
        self.sent = []  # [seq, sent_ns, arrival or None, size], not yet told of
        self.share = self.rng.choice([1.0, 1.0, 0.9, 0.65])  # of the rate that the source uses
        self.interval_ns = self.rng.choice([30_000_000, 60_000_000, 100_000_000])

    def events(self, seconds):
        frame_at = feedback_at = 0
        while self.now < seconds * 1_000_000_000:
            self.now = min(frame_at, feedback_at)
            yield self.tell(("timer", self.now))
            if self.now == frame_at:
                yield from map(self.tell, self.frame())
                frame_at += 33_000_000
            if self.now == feedback_at:
                feedback_at += self.interval_ns
                yield from map(self.tell, self.feedback())

    def tell(self, event):
        name, *fields = event
        if name == "sent":
            self.oracle.on_sent(fields[0], fields[2], fields[3], bool(fields[4]))
        else:
            getattr(self.oracle, "on_" + name)(*fields)
        return event

    def frame(self):
        rate = self.oracle.answer()[0]
        left = int(rate * self.share * 0.033 / 8 * self.rng.uniform(0.75, 1.25))
        n = max(1, round(left / 1000))
        for i in range(n):
            at = self.now + i * 2_000_000 // n
            size = max(left // n, 100)
            arrival = self.link.send(at, size, rate)
            self.sent.append([self.seq, at, arrival, size])
            self.in_flight += size
            yield ("sent", at, self.seq, size, self.in_flight, int(self.share > 0.8))
            self.seq += 1

    def ecn(self, packet):
        """1 is marked, 2 arrived as ECT(1)."""
        wait_ns = 0 if packet[2] is None else packet[2] - packet[1] - self.link.one_way_ns
        return (1 if wait_ns > 5_000_000 else 2) if self.link.l4s and packet[2] is not None else 0

    def feedback(self):
        back = self.link.one_way_ns
        arrived = [p for p in self.sent if p[2] is not None and p[2] + back <= self.now]
        if not arrived:
            return
        newest = max(p[0] for p in arrived)
        told = [p for p in self.sent if p in arrived or p[2] is None and p[0] + 3 <= newest][:256]
        self.sent = [p for p in self.sent if p not in told]
        self.in_flight -= sum(p[3] for p in told)
        last = max((p for p in told if p[2] is not None), default=None)
        rtt = self.now - last[1] - (self.now - back - last[2]) if last else -1
        yield ("feedback", self.now, rtt, self.in_flight,
               [(p[0], p[1], -1 if p[2] is None else p[2], p[3], int(p[2] is None), self.ecn(p))
                for p in told])

