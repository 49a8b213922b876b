# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a trace to rows, five a second; rates are means over a second and losses over ten, as in the element's
statistics."""
import collections

import traces

RATE_BINS = 5
LOSS_BINS = 50


class Rows(traces.Bins):
    """Takes the lines of one trace, gives rows to a store."""
    BIN_NS = 200_000_000
    MOST_EMPTY = LOSS_BINS

    def __init__(self, store, name):
        super().__init__()
        self.store = store
        self.name = name
        self.bins = collections.deque(maxlen=LOSS_BINS)
        self.sent_bytes = self.delivered_bytes = 0

    def restart(self):
        self.store.forget(self.name)
        self.__init__(self.store, self.name)

    def take_line(self, line):
        """False for a line that is no record of a trace. Raises Problem at another version."""
        record = traces.record_of(line)
        try:
            if record is not None:
                self.take(record)
        except (ValueError, KeyError, TypeError):
            return False
        return record is not None

    def on_bin(self):
        self.bins.append(self.bin)
        self.sent_bytes += self.bin.sent_bytes
        self.delivered_bytes += self.bin.delivered_bytes
        recent = list(self.bins)[-RATE_BINS:]
        seconds = len(recent) * self.BIN_NS / 1e9
        received = sum(b.received for b in self.bins)
        lost = sum(b.lost for b in self.bins)
        self.store.add("sender", self.name, self.index * self.BIN_NS / 1e9, {
            **self.held, "sent_bytes": self.sent_bytes, "delivered_bytes": self.delivered_bytes,
            "sent_bps": 8 * sum(b.sent_bytes for b in recent) / seconds,
            "delivered_bps": 8 * sum(b.delivered_bytes for b in recent) / seconds,
            "loss_percent": 100 * lost / (received + lost) if received + lost > 0 else 0})
