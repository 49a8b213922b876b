# SPDX-License-Identifier: LGPL-2.1-or-later
"""Additive increase, multiplicative decrease in Python, beside a Reno in the laboratory. docs/python.md

    python3 aimd.py [PICTURE.png [PLUGIN.so]]    draws the run, and that of the same rule in C, ../add_a_controller.c"""
import subprocess
import sys
import tempfile

import weir
from weir.controller import LOST, MARKED


class Aimd(weir.Controller):
    name = "aimd"
    parameters = {"increase": weir.Parameter(1.0, 0.01, 10.0, "Packets per RTT, each RTT", "packets"),
                  "decrease": weir.Parameter(0.5, 0.05, 0.95, "Share of the rate that a loss leaves")}

    def __init__(self, config, params):
        self.params, self.increased_ns, self.sent_seq, self.decided_seq = params, config.now_ns, 0, 0
        self.rate_bps = config.limits.start_bps
        self.set_limits(config.limits, config.now_ns)

    def set_limits(self, limits, now_ns):
        self.least_bps, self.most_bps = limits.min_bps, limits.max_bps
        self.set_rate(self.rate_bps)

    def set_rate(self, rate_bps):
        self.rate_bps = min(max(rate_bps, self.least_bps), self.most_bps)

    def on_packet_sent(self, path, packet):
        self.sent_seq = packet.seq

    def on_feedback(self, path, packets, now_ns):
        signs = [packet.seq for packet in packets if packet.status == LOST or packet.ecn == MARKED]
        rtt_ns = round(path.rtt.srtt_ns)
        if signs and signs[-1] >= self.decided_seq:  # those of one window are one sign
            self.set_rate(self.rate_bps * self.params["decrease"])
            self.decided_seq = self.sent_seq + 1
        elif not signs and path.rtt.has_sample and now_ns - self.increased_ns >= rtt_ns:
            self.increased_ns = now_ns
            if not path.app_limited:
                self.set_rate(self.rate_bps + self.params["increase"] * (8e9 * path.packet_bytes / rtt_ns))

    def on_silence(self, path, now_ns):
        self.set_rate(self.rate_bps / 2)

    def control(self):
        return self.rate_bps


TITLES = ("What a rule in Python lets a call send, of 2 Mbit/s", "The same rule in Python and in C: the same rate, all along")


def draw(picture, calls, download):
    """The rates of the call by who wrote the rule, in data frames; and what the download got beside it."""
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 3.6), layout="constrained")
    for (name, call), look in zip(calls.items(), ({"linewidth": 5, "color": "#8fb4d9"}, {"linewidth": 1.2, "color": "#b3262e"})):
        axes.plot(call.time_s, call.allowed_bps / 1e6, label=f"the call, rule in {name}", **look)
    got_bps = 8 * download.goodput_bytes.rolling(10).sum() / (10 * download.time_s.diff().median())
    axes.plot(download.time_s, got_bps / 1e6, color="#7d8a97", linewidth=1.2, label="a TCP Reno beside it")
    axes.set(xlabel="s", ylabel="Mbit/s", xlim=(0, 60), ylim=(0, 2.6), title=TITLES[len(calls) - 1])
    axes.legend(loc="upper right", ncols=3, frameon=False)
    figure.savefig(picture, dpi=100)


def of_plugin(path):
    """The time series of the same run with the rule in C."""
    import pandas
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["weir-lab", "run", "call", "--plugin", path, "--algorithm", "example", "--duration", "60", "--out", folder],
                       check=True, stdout=subprocess.DEVNULL)
        return pandas.read_csv(f"{folder}/flows.csv")


if __name__ == "__main__":
    result = weir.run("call", Aimd, duration_s=60, series=True)
    print(result.flows[["name", "algorithm", "goodput_bps", "loss_ratio"]])
    if sys.argv[1:]:
        runs = {"Python": result.flow_series, **{"C": of_plugin(path) for path in sys.argv[2:]}}
        draw(sys.argv[1], {name: run[run.flow == "call"] for name, run in runs.items()},
             result.flow_series[result.flow_series.flow == "download"])
