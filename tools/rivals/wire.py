# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run comes to at the link: the same meter for each sender, whatever it says of itself.

Figures beside those of live_figures (used, q50_ms, q95_ms, t90_s, up_s, media_bps, tcp_bps, loss,
jain): flow_bps, delivered of each media flow; gaps_s, the time for which nothing of a flow arrived
for longer than a freeze takes (183 ms), of the worst flow; wait95_ms, of the media's packets."""
from arithmetic import jain, quantile, ratio
import live_figures as figures
from live_scenarios import capacity_bits

SERIES_S = 0.5


def of_ports(packets, ports):
    return [packet for packet in packets if packet.kind == "udp" and packet.port in ports]


def gaps_s(packets, from_s, to_s):
    """Of one flow."""
    arrivals = [packet.left_s for packet in packets if packet.fate == "delivered"]
    return figures.frozen_s(arrivals, from_s, to_s)


def all_figures(scenario, steps, packets, queue, flow_ports):
    """flow_ports: of each media flow, the ports to which it is sent."""
    from_s, to_s = scenario.window_s
    judged = figures.within(packets, from_s, to_s)
    flows = [of_ports(judged, ports) for ports in flow_ports]
    media = [packet for flow in flows for packet in flow]
    looks_ms = [ms for at_s, ms in queue if from_s <= at_s < to_s]
    waits_ms = [packet.queue_ms for packet in media if packet.fate != "dropped"]
    flow_bps = [figures.delivered_bits(flow) / (to_s - from_s) for flow in flows]
    found = {"used": ratio(figures.delivered_bits(judged), capacity_bits(steps, from_s, to_s)),
             "q50_ms": quantile(looks_ms, 0.5) if looks_ms else None,
             "q95_ms": quantile(looks_ms, 0.95) if looks_ms else None,
             "wait95_ms": quantile(waits_ms, 0.95) if waits_ms else None,
             "media_bps": sum(flow_bps), "flow_bps": flow_bps, "loss": figures.queue_loss(media),
             "gaps_s": max(gaps_s(flow, from_s, to_s) for flow in flows)}
    if any(not one.reverse for one in scenario.tcp):
        tcp = [packet for packet in judged if packet.kind == "tcp"]
        found["tcp_bps"] = figures.delivered_bits(tcp) / (to_s - from_s)
    if len(flows) > 1:
        found["jain"] = jain(flow_bps)
    every = [packet for ports in flow_ports for packet in of_ports(packets, ports)]
    return {**found, **figures.start_and_return(scenario, steps, sorted(every))}


def series(packets, duration_s, flow_ports):
    """Mbit/s delivered in each half second, of each media flow and of all TCP."""
    def rates(chosen):
        bits = [0] * int(duration_s / SERIES_S)
        for packet in chosen:
            k = int(packet.left_s // SERIES_S)
            if packet.fate == "delivered" and 0 <= k < len(bits):
                bits[k] += 8 * packet.bytes
        return [round(one / SERIES_S / 1e6, 3) for one in bits]

    return {"flows": [rates(of_ports(packets, ports)) for ports in flow_ports],
            "tcp": rates(packet for packet in packets if packet.kind == "tcp")}
