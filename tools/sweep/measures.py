# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the guide says of an algorithm: measures of the runs of sweeps/guide.json, each the median of the seeds."""
import os
from dataclasses import dataclass
from typing import Callable

import numpy as np
import pandas as pd

FALL_AT_S, RISE_AT_S, END_S = 40.0, 80.0, 120.0  # of guide.step
LOW_BPS, HIGH_BPS = 1.0e6, 2.5e6
SMOOTH_S = 0.5           # frames are too far apart for single bins
NEAR = 0.05              # how far above the new capacity counts as having followed
TAKEN = 0.9              # how much of the freed capacity counts as having taken it


@dataclass(frozen=True)
class Measure:
    title: str
    form: str                # of a value
    values: Callable         # of (results, algorithm): one number per seed


class Results:
    """The table of a sweep, and its series."""

    def __init__(self, folder):
        self.folder = folder
        self.table = pd.read_csv(os.path.join(folder, "flows.csv"), dtype={"key": str}, low_memory=False)
        self.algorithms = list(dict.fromkeys(self.table[self.table["run"] == "steady"]["algorithm"]))

    def pick(self, run, algorithm, **settings):
        """Rows of a run; settings by the last part of their path, each optional."""
        table = self.table
        chosen = (table["run"] == run) & (table["algorithm"] == algorithm)
        for name, value in settings.items():
            columns = [column for column in table if column.startswith("set:") and column.endswith("." + name)]
            chosen &= table[columns[0]] == value if columns else False
        return table[chosen]

    def series(self, key):
        """(time_s, sent bit/s) of the first flow of a run, with its means over half a second."""
        path = os.path.join(self.folder, "runs", key + ".flows.csv.gz")
        flows = pd.read_csv(path, usecols=["time_s", "flow", "sent_bytes"])
        flows = flows[flows["flow"] == flows["flow"].iloc[0]]
        time_s = flows["time_s"].to_numpy()
        step_s = time_s[0]
        width = max(1, round(SMOOTH_S / step_s))
        sums = np.cumsum(np.insert(flows["sent_bytes"].to_numpy(float), 0, np.zeros(width + 1)))
        return time_s, (sums[width + 1:] - sums[1:-width]) * 8 / (width * step_s)


def per_seed(rows, column, how="mean"):
    """Over the tested flows of each run."""
    tested = rows[rows["tested"].astype(bool)]
    return tested.groupby("seed")[column].agg(how).to_numpy(float)


def of(run, column, **settings):
    return lambda results, algorithm: per_seed(results.pick(run, algorithm, **settings), column)


def utilisation(run, **settings):
    """Goodput of all tested flows / capacity."""
    def values(results, algorithm):
        rows = results.pick(run, algorithm, **settings)
        return per_seed(rows, "goodput_bps", "sum") / per_seed(rows, "link_capacity_bps")
    return values


def share(run, **settings):
    """Mean goodput of the tested flows / mean goodput of the TCP flows that go the same way."""
    def values(results, algorithm):
        rows = results.pick(run, algorithm, **settings)
        others = rows[~rows["tested"].astype(bool)].groupby("seed")["goodput_bps"].mean().to_numpy(float)
        return per_seed(rows, "goodput_bps") / others
    return values


def first_time(time_s, rate_bps, from_s, to_s, fits):
    """Seconds from from_s until the rate fits; infinite when it never does."""
    inside = (time_s > from_s) & (time_s <= to_s) & fits(rate_bps)
    return time_s[inside][0] - from_s if inside.any() else np.inf


def fall_s(time_s, rate_bps):
    """Until no more than the new capacity is sent; nothing to tell of who never sent more."""
    limit = (1 + NEAR) * LOW_BPS
    before = (time_s > FALL_AT_S - 5) & (time_s <= FALL_AT_S)
    if rate_bps[before].mean() <= limit:
        return np.nan
    return first_time(time_s, rate_bps, FALL_AT_S, RISE_AT_S, lambda rate: rate <= limit)


def rise_s(time_s, rate_bps):
    return first_time(time_s, rate_bps, RISE_AT_S, END_S, lambda rate: rate >= TAKEN * HIGH_BPS)


def time_of(run, what, **settings):
    def values(results, algorithm):
        keys = results.pick(run, algorithm, **settings)["key"].unique()
        return np.array([what(*results.series(key)) for key in keys])
    return values


def measures():
    """By name."""
    out = {
        "steady.use": Measure("utilisation", "{:.2f}", utilisation("steady", bin_s=1)),
        "steady.loss": Measure("loss, %", "{:.1%}", of("steady", "loss_ratio", bin_s=1)),
        "steady.p50": Measure("queue p50, ms", "{:.0f}", of("steady", "link_queue_ms_p50", bin_s=1)),
        "steady.p95": Measure("queue p95, ms", "{:.0f}", of("steady", "link_queue_ms_p95", bin_s=1)),
        "cov.0.1": Measure("CoV 0.1 s", "{:.2f}", of("steady", "cov_sent", bin_s=0.1)),
        "cov.1": Measure("CoV 1 s", "{:.2f}", of("steady", "cov_sent", bin_s=1)),
        "cov.5": Measure("CoV 5 s", "{:.2f}", of("steady", "cov_sent", bin_s=5)),
        "start.use": Measure("utilisation, first 20 s", "{:.2f}", utilisation("start")),
        "start.loss": Measure("loss, first 20 s, %", "{:.1%}", of("start", "loss_ratio")),
        "step.fall": Measure("fall, s", "{:.1f}", time_of("step", fall_s, breaker=0)),
        "step.rise": Measure("rise, s", "{:.1f}", time_of("step", rise_s, breaker=0)),
        "step.loss": Measure("loss in the step, %", "{:.1%}", of("step", "loss_ratio", breaker=0)),
        "step.discard": Measure("discarded, %", "{:.1%}", of("step", "discard_ratio", breaker=0)),
        "step.use": Measure("utilisation of the step", "{:.2f}", utilisation("step", breaker=0)),
        "step.breaker": Measure("with the breaker", "{:.2f}", utilisation("step", breaker=1)),
        "reno.share": Measure("share / Reno", "{:.2f}", share("reno")),
        "sack.share": Measure("share / SACK", "{:.2f}", share("sack")),
        "same.jain": Measure("Jain of 4 same", "{:.3f}", of("same", "jain")),
        "same.loss": Measure("their loss, %", "{:.1%}", of("same", "loss_ratio")),
        "reverse.use": Measure("utilisation, uploads", "{:.2f}", utilisation("reverse")),
        "voice.r": Measure("R", "{:.1f}", of("voice", "r_score")),
        "voice.loss": Measure("loss, %", "{:.1%}", of("voice", "loss_ratio")),
        "voice.discard": Measure("discarded, %", "{:.1%}", of("voice", "discard_ratio")),
        "reports.use": Measure("utilisation", "{:.2f}", utilisation("reports")),
        "reports.loss": Measure("loss, %", "{:.1%}", of("reports", "loss_ratio")),
        "reports.fall": Measure("fall, s", "{:.1f}", time_of("reports", fall_s)),
        "reports.rise": Measure("rise, s", "{:.1f}", time_of("reports", rise_s)),
    }
    for loss in (0.001, 0.005, 0.01, 0.05):
        out[f"loss.{loss:g}"] = Measure(f"{loss:.1%} lost", "{:.2f}", utilisation("loss", loss=loss))
    for queue_ms in (20, 50, 200, 1000):
        out[f"buffer.{queue_ms}"] = Measure(f"{queue_ms} ms", "{:.2f}", utilisation("buffer", queue_ms=queue_ms))
        out[f"wait.{queue_ms}"] = Measure(f"{queue_ms} ms", "{:.0f}",
                                          of("buffer", "link_queue_ms_p95", queue_ms=queue_ms))
    for rtt_ms in (10, 50, 200, 500):
        out[f"rtt.{rtt_ms}"] = Measure(f"{rtt_ms} ms", "{:.2f}", utilisation("rtt", rtt_ms=rtt_ms))
    for hops in (1, 3, 5):
        out[f"hops.{hops}"] = Measure(f"{hops} hops", "{:.2f}", share("hops", hops=hops))
    return out


def spread(values):
    """(median, least, greatest) of the seeds that have a value; NaN when none has."""
    values = values[~np.isnan(values)]
    return tuple(float(f(values)) for f in (np.median, np.min, np.max)) if len(values) else (np.nan,) * 3


def measured(results):
    """{algorithm: {measure: (median, least, greatest)}}"""
    return {algorithm: {name: spread(measure.values(results, algorithm)) for name, measure in measures().items()}
            for algorithm in results.algorithms}


def tcp_over_hops(results):
    """{hops: what a TCP gets of the others' rate where the call would be}"""
    return {hops: spread(share("hops-tcp", hops=hops)(results, "tcp-sack"))[0] for hops in (1, 3, 5)}
