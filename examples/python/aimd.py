# SPDX-License-Identifier: LGPL-2.1-or-later
"""Additive increase, multiplicative decrease in Python, beside a Reno in the laboratory. docs/python.md"""
import weir
from weir.controller import LOST


class Aimd(weir.Controller):
    name = "aimd"
    parameters = {"increase": weir.Parameter(1.0, 0.01, 10.0, "Packets per RTT, each RTT", "packets"),
                  "decrease": weir.Parameter(0.5, 0.05, 0.95, "Share of the rate that a loss leaves")}

    def __init__(self, config, params):
        self.params, self.rate_bps = params, config.limits.start_bps
        self.sent_seq = self.decided_seq = self.increased_ns = 0

    def on_packet_sent(self, path, packet):
        self.sent_seq = packet.seq

    def on_feedback(self, path, packets, now_ns):
        lost = [packet.seq for packet in packets if packet.status == LOST]
        if lost and lost[-1] >= self.decided_seq:  # the losses of one window are one sign
            self.rate_bps *= self.params["decrease"]
            self.decided_seq = self.sent_seq + 1
        elif not lost and path.rtt.has_sample and now_ns - self.increased_ns >= path.rtt.srtt_ns:
            self.increased_ns = now_ns
            if not path.app_limited:
                self.rate_bps += self.params["increase"] * 8e9 * path.packet_bytes / path.rtt.srtt_ns

    def on_silence(self, path, now_ns):
        self.rate_bps /= 2

    def control(self):
        return max(self.rate_bps, 30_000)


if __name__ == "__main__":
    result = weir.run("call", Aimd, duration_s=60, series=True)
    print(result.flows[["name", "algorithm", "goodput_bps", "loss_ratio"]])
    calls = result.flow_series.pivot(index="time_s", columns="flow", values="goodput_bytes")
    print(calls.describe())
