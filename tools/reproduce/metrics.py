# SPDX-License-Identifier: LGPL-2.1-or-later
"""The metric functions of the checks, each of one run: f(view, ...) with what the check passes for t, bin, t0
and so on.

Without `t` they read the run's summary (the scenario's measured window), with it the time series."""
import math

import numpy as np

from . import quality
from .expression import Evaluator, Unavailable, divide


def divided(values, by):
    """0 where `by` is."""
    return np.divide(values, by, out=np.zeros_like(values), where=by > 0)


class View:
    """One run and the flows in it that a metric speaks of."""

    def __init__(self, run, measured, binding):
        self.run = run
        self.binding = binding
        self.total = measured.total
        self.flows = run.flows(measured.groups)
        if not self.flows:
            raise Unavailable(f"no flows of {', '.join(measured.groups)}")
        self.names = [flow["name"] for flow in self.flows]

    def summary(self, field):
        """A number of the summary for each flow."""
        values = [flow.get(field) for flow in self.flows]
        if any(value is None for value in values):
            raise Unavailable(f"no {field} in the result")
        return np.array(values, dtype=float)

    def series(self):
        if self.run.flow_series is None:
            raise Unavailable("no time series were recorded")
        return self.run.flow_series

    def window(self, t):
        chosen = self.series().within(t)
        if not chosen.any():
            first, last = t if isinstance(t, tuple) else (0, t)
            raise Unavailable(f"no samples from {first} to {last} s")
        return chosen

    def per_flow(self, column, t):
        """Sums over a window: [flow]."""
        return self.series().pick(column, self.names)[self.window(t)].sum(axis=0)

    def seconds(self, t):
        return float(self.window(t).sum()) * self.series().bin_s()

    def rates(self, column, t, bin_s):
        """bit/s in bins of bin_s: [bin, flow]."""
        return self.means(self.series().pick(column, self.names) * 8 / self.series().bin_s(), t, bin_s)

    def means(self, values, t, bin_s):
        """Of values per sample, in bins of bin_s: [bin, flow]."""
        values = values if t is None else values[self.window(t)]
        per_bin = max(1, round((bin_s or 0) / self.series().bin_s()))
        n_bins = len(values) // per_bin
        if n_bins == 0:
            raise Unavailable(f"the window is shorter than a bin of {bin_s} s")
        return values[:n_bins * per_bin].reshape(n_bins, per_bin, -1).mean(axis=1)

    def transmission_rates(self):
        """The rate of each flow at the ends of the bins, bit/s: that which the algorithm allows, or cwnd/RTT of a
        TCP (0 until its first RTT), which ns-2's series have as what is allowed: [bin, flow]."""
        series = self.series()
        allowed = np.nan_to_num(series.pick("allowed_bps", self.names))
        if "window_packets" not in series.columns:
            return allowed
        window, rtt_ms = (np.nan_to_num(series.pick(name, self.names)) for name in ("window_packets", "rtt_ms"))
        packet_bits = 8 * self.binding.get("packet_bytes", 1500)
        of_window = divided(window * packet_bits * 1e3, rtt_ms)
        is_tcp = np.array(["recoveries" in flow for flow in self.flows])
        return np.where(is_tcp, of_window, allowed)

    def sending_rates(self, t, bin_s):
        """What a paper plots as rates: [bin, flow]."""
        if self.binding.get("rates") == "transmission":
            return self.means(self.transmission_rates(), t, bin_s)
        return self.rates("sent_bytes", t, bin_s)

    def counts_new(self):
        """Whether the paper counts what is sent for the first time only: the progress of TCP's sequence numbers."""
        return self.binding.get("rates") == "new"

    def new_shares(self):
        """Of what each flow sends."""
        return np.array([1 - flow.get("resent_packets", 0) / max(1, flow["sent_packets"]) if self.counts_new() else 1.0
                         for flow in self.flows])

    def aggregate(self, values):
        return float(values.sum() if self.total else values.mean())


def rate(view, t=None, of="sent"):
    if t is None:
        rates = view.summary(of + "_bps")
        return view.aggregate(rates * view.new_shares() if of == "sent" else rates)
    return view.aggregate(view.per_flow(of + "_bytes", t) * 8 / view.seconds(t))


def goodput(view, t=None):
    return rate(view, t, "goodput")


def arrival(view, t=None):
    return rate(view, t) / 8


def bottleneck(view):
    return view.run.link("bottleneck")


def utilisation(view):
    flows = view.run.flows(view.binding.get("forward", ["tested"]))
    return sum(flow["goodput_bps"] for flow in flows) / bottleneck(view)["capacity_bps"]


def link_loss(view, t=None):
    if t is None:
        return bottleneck(view)["loss_ratio"]
    series = view.run.link_series
    if series is None:
        raise Unavailable("no time series were recorded")
    dropped, lost, offered = (float(series.pick(column, ["bottleneck"])[series.within(t)].sum())
                              for column in ("dropped_packets", "lost_packets", "offered_packets"))
    return divide(dropped + lost, offered)


def loss(view, t=None):
    if view.binding.get("loss_of") == "link":
        return link_loss(view, t)
    if t is None:
        return divide(float(view.summary("lost_packets").sum()), float(view.summary("sent_packets").sum()))
    return divide(float(view.per_flow("lost_packets", t).sum()),
                  float(view.per_flow("sent_packets", t).sum()))


def cov(view, t=None, bin=None):
    if t is None and bin in (None, view.run.result.get("bin_s")):
        return float(np.mean([flow.get("cov_new" if view.counts_new() else "cov_sent", flow["cov_sent"])
                              for flow in view.flows]))
    return float(np.mean([quality.cov(rates) for rates in view.sending_rates(t, bin).T]))


def jain(view, t=None):
    return quality.jain(view.summary("goodput_bps") if t is None else view.per_flow("goodput_bytes", t))


def ijain_pct(view, percent, t=None, bin=None):
    return float(np.percentile([quality.jain(row) for row in view.sending_rates(t, bin)], percent))


def five_second_means(view):
    """(time_s, mean sending rate of the flows over the 5 s before)."""
    return over_five_seconds(view, view.rates("sent_bytes", None, None).mean(axis=1))


def over_five_seconds(view, rates):
    series = view.series()
    length = max(1, round(5 / series.bin_s()))
    sums = np.concatenate([[0.0], np.cumsum(rates)])
    return series.time_s[length - 1:], (sums[length:] - sums[:-length]) / length


def first_time(time_s, holds, t0, for_bins=1):
    """Seconds from t0 until `holds` begins to be true for so many bins; inf if never."""
    after = np.flatnonzero(time_s >= t0)
    for i in after:
        if i + for_bins <= len(holds) and holds[i:i + for_bins].all():
            return float(time_s[i] - t0)
    return math.inf


def share(view, which):
    shares = view.binding.get("share_bps", {})
    if which not in shares:
        raise Unavailable(f"the new share is not bound ({which})")
    return shares[which]


def rise(view, t0=0, for_bins=1, low=0, until=None):
    """Until the 5-s mean of the flows is at nine tenths of the new share; with `low` from that part of the step to nine
    tenths of it; with `until` of each flow by itself, between its means of the 50 s before t0 and before `until`."""
    if until is None:
        curves = [(*five_second_means(view), share(view, "fall") if low else 0, share(view, "rise"))]
    else:
        levels = [view.per_flow("sent_bytes", (t - 50, t)) * 8 / 50 for t in (t0, until)]
        rates = view.rates("sent_bytes", None, None).T
        curves = [(*over_five_seconds(view, of), old if low else 0, new) for of, old, new in zip(rates, *levels)]
    return float(np.mean([time_between(*curve, low, t0, for_bins) for curve in curves]))


def time_between(time_s, means, old, new, low, t0, for_bins):
    begin, end = (first_time(time_s, means >= old + part * (new - old), t0, for_bins) for part in (low, 0.9))
    return end - begin if low and begin < math.inf else end


def conv(view, t0=0, until=None):
    """The rise that lasts for 5 s."""
    return rise(view, t0, max(1, round(5 / view.series().bin_s())), until=until)


def own_step(views, t0, until):
    """(time_s, means, half-way) of the curve that is the mean over the runs: from its level in the 10 s before t0 to
    that in the 10 s before `until`; and whether that is up."""
    means = np.mean([five_second_means(view)[1] for view in views], axis=0)
    old, new = (np.mean([rate(view, (t - 10, t)) for view in views]) for t in (t0, until))
    return five_second_means(views[0])[0], means, (old + new) / 2, new > old


def own_rise(*views, t0, until):
    """Until the 5-s mean is half-way up from the old level to the new one; until the end if it never is."""
    time_s, means, middle, is_up = own_step(views, t0, until)
    return min(first_time(time_s, means >= middle, t0), until - t0) if is_up else until - t0


def own_fall(*views, t0, until):
    time_s, means, middle, is_up = own_step(views, t0, until)
    return until - t0 if is_up else min(first_time(time_s, means <= middle, t0), until - t0)


def fall(view, t0=0, until=None):
    """Until the 5-s mean is within a tenth of the new share; with `until` of the mean of the 50 s before that."""
    time_s, means = five_second_means(view)
    new = share(view, "fall") if until is None else rate(view, (until - 50, until))
    return first_time(time_s, np.abs(means / new - 1) <= 0.1, t0)


def spread(view, t):
    rates = view.per_flow("sent_bytes", t) * 8 / view.seconds(t)
    return float(rates.max() - rates.min())


def rate_range(view, t):
    rates = view.sending_rates(t, 1)
    return float((rates.max(axis=0) - rates.min(axis=0)).mean())


def dips(view, t=None, below=0.5):
    """Seconds whose rate is below this part of the mean of the 20 s before."""
    rates = view.sending_rates(t, 1).mean(axis=1)
    return float(sum(rates[i] < below * rates[i - 20:i].mean() for i in range(20, len(rates))))


def mean_of(field):
    """Of the summaries of the flows."""
    return lambda view: float(view.summary(field).mean())


def queue_mean(view):
    return bottleneck(view)["queue_packets"]["mean"]


def tcp_bound(B, R, p):
    """Equation 4 of the bursty-media paper: bytes/s."""
    return divide(1.5 * math.sqrt(2 / 3) * B, R * math.sqrt(p))


def bound_t(view):
    bound = view.binding["bound"]
    return tcp_bound(bound["packet_bytes"], bound["rtt_s"], link_loss(view))


def prebuffer(*views, late):
    """Of the curve that is the mean over the runs and their flows."""
    tables = [flow.get("late_ratio") for view in views for flow in view.flows]
    if not all(tables):
        raise Unavailable("no late_ratio in the result")
    return min((float(s) for s in tables[0] if np.mean([table[s] for table in tables]) < late), default=math.inf)


def lateness(*views, late=None, until=None):
    """How late a flow's packets are, from the curve that is the mean over the runs: the pre-buffer with which less than
    `late` are; or else their ratio, the mean over pre-buffers in the range `until` (s), which may be a single one."""
    if late is not None:
        return prebuffer(*views, late=late)
    first, last = until
    time_s = late_t(views[0])[0]
    ratios = np.mean([late_t(view)[1] for view in views], axis=0)
    grid = np.linspace(first, last, 1001)
    return float(np.interp(grid, time_s, ratios).mean())


def normalised(view, reference=None):
    """Goodput over that of the reference's run, or over the fair share of the bottleneck."""
    if reference is not None:
        return divide(goodput(view), goodput(reference))
    flows = view.run.flows(view.binding.get("forward", ["tested"]))
    return goodput(view) / (bottleneck(view)["capacity_bps"] / len(flows))


def rate_t(view, t=None, bin=1):
    """For figures: (time_s, bit/s of each flow)."""
    rates = view.rates("sent_bytes", t, bin)
    begin = 0 if t is None else t[0]
    return begin + bin * (np.arange(len(rates)) + 0.5), rates


def mean_rate_t(view, t=None, bin=1):
    time_s, rates = rate_t(view, t, bin)
    return time_s, rates.mean(axis=1)


def jain_t(view, bin=10):
    """For figures: the index of the goodputs so far."""
    rates = view.rates("goodput_bytes", None, bin).cumsum(axis=0)
    return bin * (np.arange(len(rates)) + 1.0), np.array([quality.jain(row) for row in rates])


def ijain_t(view, t=None, bin=1):
    rates = view.sending_rates(t, bin)
    begin = 0 if t is None else t[0]
    return begin + bin * (np.arange(len(rates)) + 0.5), np.array([quality.jain(row) for row in rates])


def allowed_t(view):
    series = view.series()
    return series.time_s, series.pick("allowed_bps", view.names).mean(axis=1)


def late_t(view):
    """For figures: (pre-buffer in s, ratio of late packets)."""
    table = view.flows[0].get("late_ratio")
    if not table:
        raise Unavailable("no late_ratio in the result")
    points = sorted((float(s), ratio) for s, ratio in table.items())
    return np.array([s for s, _ in points]), np.array([ratio for _, ratio in points])


def loss_t(view, t, bin=0.5):
    """For figures: (time_s since t[0], loss ratio at the bottleneck in bins)."""
    edges = np.arange(t[0], t[1], bin)
    return edges - t[0] + bin / 2, np.array([link_loss(view, (edge, edge + bin)) for edge in edges])


def allowed(view, t):
    return float(view.series().pick("allowed_bps", view.names)[view.window(t)].mean())


def allowed_over_sent(view, t):
    return divide(allowed(view, t), rate(view, t))


def until_allowed(view, t0):
    series = view.series()
    rates = series.pick("allowed_bps", view.names).mean(axis=1)
    return first_time(series.time_s, rates >= view.binding["media_bps"], t0)


def t_start(view):
    return until_allowed(view, view.binding.get("start_s", 0))


def t_rec(view):
    return until_allowed(view, view.binding["restart_s"])


def min_over_time(view, text):
    """The least value of an expression of `allowed` and `recv` (bit/s): the mean over recv_s, as old as the
    sender may know it, the least of the last report_s."""
    series = view.series()
    bins = max(1, round(view.binding.get("recv_s", series.bin_s()) / series.bin_s()))
    received = series.pick("received_bytes", view.names).mean(axis=1) * 8 / series.bin_s()
    recv = np.convolve(received, np.ones(bins) / bins)[:len(received)]
    age = round(view.binding.get("report_s", 0) / series.bin_s())
    recv = np.array([recv[max(0, i - age):i + 1].min() for i in range(len(recv))])
    chosen = view.window(view.binding["min_window"]) & (recv > 0)
    names = {"allowed": series.pick("allowed_bps", view.names).mean(axis=1)[chosen], "recv": recv[chosen]}
    return float(np.min(Evaluator(text, lambda name, *_: name, names).run()))


def variable_t(view, name):
    """(time_s, a variable of the algorithm at the ends of the bins), mean of the flows."""
    series = view.series()
    if name not in series.columns:
        raise Unavailable(f"no {name} was recorded")
    return series.time_s, series.pick(name, view.names).mean(axis=1)


def backlog(view, reference, t):
    """What a step of the window adds to the bottleneck's queue t seconds after it, in packets: the difference
    to the run without the step, which is the same up to then."""
    time_s, window = variable_t(view, "window_bytes")
    first = np.flatnonzero(window != variable_t(reference, "window_bytes")[1])
    if not len(first):
        raise Unavailable("the window has no step")
    queues = [one.run.link_series.pick("queue_packets", ["bottleneck"])[:, 0]
              for one in (view, reference)]
    half = view.series().bin_s() / 2
    return float(np.interp(time_s[first[0]] - half + t, time_s - half, queues[0] - queues[1]))


def max_over_time(view, text):
    """The greatest value of an expression of what is `outstanding` and the window `w` (packets), while the
    window is constant or grows."""
    packet = variable_t(view, "packet_bytes")[1]
    w = variable_t(view, "window_bytes")[1]
    chosen = np.concatenate([[False], (np.diff(w) >= 0) & (w[:-1] > 0)])
    names = {"outstanding": (variable_t(view, "outstanding_bytes")[1] / packet)[chosen], "w": (w / packet)[chosen]}
    return float(np.max(Evaluator(text, lambda name, *_: name, names).run()))


def retransmissions(view):
    """Packets that arrived, or were lost, beyond those that the source has made."""
    return float(max(0.0, (view.summary("sent_packets") - view.summary("generated_packets")).sum()))


def final(name):
    """A variable of the algorithm at the end."""
    def metric(view):
        values = [flow.get("variables", {}).get(name) for flow in view.flows]
        if any(value is None for value in values):
            raise Unavailable(f"no variable {name} in the result")
        return float(np.mean(values))
    return metric


def completed(view):
    """When finite flows were done, since their start; never, when one of them was not."""
    values = [flow.get("completed_s", math.nan) for flow in view.flows]
    if any(isinstance(value, float) and math.isnan(value) for value in values):
        raise Unavailable("the flows have no end")
    return math.inf if None in values else float(np.mean(values))


def rate_after(view, group, t):
    """The rate in a window that begins when the last of a group's finite flows was done."""
    start_s = view.binding["departing_s"][group]
    ends = [flow.get("completed_s") for flow in view.run.flows([group])]
    if any(end is None or math.isnan(end) for end in ends):
        raise Unavailable(f"{group} never ended")
    return rate(view, tuple(start_s + max(ends) + edge for edge in t))


def first_hr(view, after):
    """When the history was reset for the first time after a moment."""
    time_s, resets = variable_t(view, "history_resets")
    later = np.flatnonzero((time_s > after) & (np.diff(resets, prepend=0) > 0))
    return float(time_s[later[0]]) if len(later) else math.inf


# Of a curve that the paper averages over its runs before it reads a number from it.
OF_ALL_RUNS = {"prebuffer", "lateness", "own_rise", "own_fall"}

METRICS = {
    "G": goodput, "mean_G": goodput, "U": utilisation, "rate": rate, "loss": loss, "cov": cov,
    "mean_cov": cov, "jain": jain, "ijain_pct": ijain_pct, "rise": rise, "fall": fall, "conv": conv,
    "spread": spread, "rate_range": rate_range, "dips": dips, "R": mean_of("r_score"), "D": mean_of("discard_ratio"),
    "arrival": arrival, "bound_T": bound_t, "prebuffer": prebuffer, "lateness": lateness, "t_rec": t_rec, "t_start": t_start,
    "allowed": allowed, "data_limited_rate": allowed, "allowed_over_sent": allowed_over_sent,
    "min_over_time": min_over_time, "queue_mean": queue_mean, "bottleneck_loss": link_loss, "rtt": mean_of("rtt_ms"),
    "nt": normalised, "backlog": backlog, "max_over_time": max_over_time,
    "retransmissions": retransmissions, "reductions": final("loss_events"), "timeouts": final("timeouts"),
    "first_hr": first_hr, "rate_after": rate_after, "own_rise": own_rise, "own_fall": own_fall,
    "completed": completed, "rate_t": rate_t,
    "mean_rate_t": mean_rate_t, "jain_t": jain_t, "ijain_t": ijain_t, "allowed_t": allowed_t, "loss_t": loss_t, "late_t": late_t,
}
