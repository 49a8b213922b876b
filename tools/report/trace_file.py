# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws from a trace of weirsend: its records as series in bins of a tenth of a second."""
import collections
import math
import os

import numpy

import traces

from .recording import Flow, Recording

BIN_S = traces.Bins.BIN_NS / 1e9
DRAWN = ("target_bps", "allowed_bps", "rtt_ms")  # of what holds


class Series(traces.Bins):
    """Collects the bins of a trace, and what held at the end of each."""

    def __init__(self):
        super().__init__()
        self.algorithms = []
        self.rows = []
        self.ends_s = []
        self.least_delay_ns = math.inf
        self.limits = collections.Counter()  # how often each was seen, ten times a second

    def on_bin(self):
        self.ends_s.append(BIN_S * self.index)
        self.rows.append((self.bin, [self.held.get(column, numpy.nan) for column in DRAWN]))

    def on_start(self, record):
        super().on_start(record)
        self.algorithms.append(self.algorithm)

    def on_delay(self, delay_ns):
        super().on_delay(delay_ns)
        self.least_delay_ns = min(self.least_delay_ns, delay_ns)

    def on_figures(self, record):
        super().on_figures(record)
        self.limits[self.held["limit"]] += 1

    def summed(self, what):
        return numpy.array([getattr(one, what) for one, _ in self.rows], float)

    def of_held(self, column):
        return numpy.array([held[DRAWN.index(column)] for _, held in self.rows], float)

    def queueing_ms(self):
        """One-way delays above the smallest."""
        return numpy.array([(one.delay_sum_ns / one.delays - self.least_delay_ns) / 1e6 if one.delays else numpy.nan
                            for one, _ in self.rows])

    def limit_table(self):
        """What limited the rate, longest first."""
        rows = [[name, f"{100 * count / self.limits.total():.0f} %"] for name, count in self.limits.most_common()]
        return "What limited the rate", ["cause", "of the time"], rows

    def flow(self):
        return Flow(name="media", time_s=numpy.array(self.ends_s),
                    sent_bps=8 * self.summed("sent_bytes") / BIN_S,
                    delivered_bps=8 * self.summed("delivered_bytes") / BIN_S,
                    target_bps=self.of_held("target_bps"), allowed_bps=self.of_held("allowed_bps"),
                    lost_packets=self.summed("lost"), delay_ms=self.queueing_ms(), delay_is_queueing=True,
                    rtt_ms=self.of_held("rtt_ms"))


def read(path):
    """The Recording of a trace. Raises Problem."""
    series = Series()
    for where, record in traces.records(path):
        try:
            series.take(record)
        except (ValueError, KeyError, TypeError):
            raise traces.Problem(f"{where}: a record \"{record['kind']}\" lacks a field") from None
    if series.start_ns is None:
        raise traces.Problem(f"{path}: an empty trace")
    series.end_bins(series.index + 1)  # the last one, which has not ended
    algorithms = list(dict.fromkeys(series.algorithms)) or ["beginning not recorded"]
    return Recording(title=f"{os.path.basename(path)}: {', '.join(algorithms)}", flows=[series.flow()],
                     tables=[series.limit_table()] if series.limits else [])
