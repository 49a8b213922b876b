# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run comes to at the link: the same meter for each sender, whatever it says of itself.

Figures beside those of live_figures.link_figures: flow_bps, delivered of each media flow; gaps_s,
the time for which nothing of a flow arrived for longer than a freeze takes (183 ms), of the worst
flow."""
import live_figures as figures


def gaps_s(packets, from_s, to_s):
    """Of one flow."""
    arrivals = [packet.left_s for packet in packets if packet.fate == "delivered"]
    return figures.frozen_s(arrivals, from_s, to_s)


def all_figures(scenario, steps, packets, queue, flow_ports):
    from_s, to_s = scenario.window_s
    judged = figures.within(packets, from_s, to_s)
    flows = [figures.of_ports(judged, ports) for ports in flow_ports]
    return {**figures.link_figures(scenario, steps, packets, queue, flow_ports),
            "flow_bps": [figures.delivered_bits(flow) / (to_s - from_s) for flow in flows],
            "gaps_s": max(gaps_s(flow, from_s, to_s) for flow in flows)}
