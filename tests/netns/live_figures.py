# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a live run comes to, from weir-link's logs and the times of the frames.

Times are seconds since the first media flow was to begin. Figures, by name:
used          delivered bits of what the capacity allowed, all packets of the forward direction
q50_ms, q95_ms  of the queue: what a packet that came would have waited, looked at every 10 ms
q95_packets_ms  what the packets have waited
t90_s, up_s   from the first packet, from the return of the capacity or the source, until what is
              delivered of the media in half a second is 0.9 of the capacity; None: never
media_bps, tcp_bps  delivered, of all flows of the kind (of TCP on the way back, there)
jain          of the media flows' rates
loss          of the media packets, by the queue
latency_p50_ms, latency_p95_ms  of a frame, from the encoder's input to the decoder's output
frozen_s      the time for which a picture stood longer than 183 ms (33 + 150, as browsers count)
held_frozen_s  the same if each frame were shown HOLD_S after its capture, or when it comes, if that is
              later: as by a player that holds frames back, so that late ones come in time
shown         frames that came out of those that went in; where nobody tells which, by how many"""
import collections
import csv

from arithmetic import jain, quantile, ratio
from live_scenarios import capacity_bits

FRAMES_PER_S = 30
FREEZE_S = 1 / FRAMES_PER_S + 0.150  # W3C webrtc-stats, freezeCount: of max(3 d, d + 150 ms)
# What the page of examples/webrtc/ asks of a browser's jitter buffer. One for all: with a part of its own delay, who
# is later would look better.
HOLD_S = 0.3
REACHED, REACHED_IN_S = 0.9, 0.5
FIRST_PORT, PORTS_PER_FLOW = 5004, 10

Packet = collections.namedtuple("Packet", "left_s kind port bytes queue_ms fate")
# {timestamp: s} of those that were encoded, [(timestamp, s)], [s] of all that came to the encoder; of who
# does not tell the captures, [(s, frames so far)] of the camera and of the decoder.
Frames = collections.namedtuple("Frames", "captures renders sources counts", defaults=((), ()))


def read_packets(path, zero_s, delay_s):
    """In the order in which they left the bottleneck; zero_s is on the link's clock."""
    packets = []
    with open(path, encoding="ascii") as file:
        for row in csv.DictReader(file):
            travelled_s = delay_s if row["fate"] == "delivered" else 0.0
            packets.append(Packet(float(row["time_s"]) - travelled_s - zero_s, row["kind"],
                                  int(row["port"]), int(row["bytes"]), float(row["queue_ms"]),
                                  row["fate"]))
    return sorted(packets)


def read_queue(path, zero_s):
    """(second, ms), ... of weir-link's log; nothing in an outage."""
    with open(path, encoding="ascii") as file:
        return [(float(row["time_s"]) - zero_s, float(row["queue_ms"]))
                for row in csv.DictReader(file) if row["queue_ms"]]


def read_frames(captures, renders, zero_ns):
    """From lines `frame NS`, `capture TIMESTAMP NS` and `render TIMESTAMP NS`; other lines are none.
    Who leaves out no frame need not tell of them twice."""
    def pairs(lines, kind):
        for line in lines:
            words = line.split()
            if len(words) == 3 and words[0] == kind:
                yield words[1], (int(words[2]) - zero_ns) / 1e9
    told = dict(pairs(captures, "capture"))
    came = [line.split() for line in captures if line.startswith("frame ")]
    sources = [(int(words[1]) - zero_ns) / 1e9 for words in came if len(words) == 2]
    return Frames(told, list(pairs(renders, "render")), sources or list(told.values()))


def within(packets, from_s, to_s):
    return [packet for packet in packets if from_s <= packet.left_s < to_s]


def delivered_bits(packets):
    return 8 * sum(packet.bytes for packet in packets if packet.fate == "delivered")


def ports_of(flow):
    first = FIRST_PORT + PORTS_PER_FLOW * flow
    return range(first, first + PORTS_PER_FLOW)


def of_ports(packets, ports):
    return [packet for packet in packets if packet.kind == "udp" and packet.port in ports]


def queue_loss(packets):
    return ratio(sum(packet.fate == "dropped" for packet in packets), len(packets))


def seconds_until(packets, from_s, wanted_bps):
    """Until REACHED of the rate was delivered within REACHED_IN_S, not counting what left before
    from_s."""
    recent, bits = collections.deque(), 0
    for packet in packets:
        if packet.left_s < from_s or packet.fate != "delivered":
            continue
        recent.append(packet)
        bits += 8 * packet.bytes
        while recent[0].left_s <= packet.left_s - REACHED_IN_S:
            bits -= 8 * recent.popleft().bytes
        if bits >= REACHED * wanted_bps * REACHED_IN_S:
            return packet.left_s - from_s
    return None


def frozen_s(renders_s, from_s, to_s):
    """Of what a viewer sees between two times."""
    shown = [from_s] + [at_s for at_s in sorted(renders_s) if from_s < at_s < to_s] + [to_s]
    return sum(gap for gap in (b - a for a, b in zip(shown, shown[1:])) if gap > FREEZE_S)


def per_s(counts, from_s, to_s):
    """The rate of something that is counted now and then: (second, how many so far), ..."""
    inside = [(at_s, count) for at_s, count in counts if from_s <= at_s <= to_s]
    return ratio(inside[-1][1] - inside[0][1], inside[-1][0] - inside[0][0]) if inside else 0.0


def held_frozen_s(frames, from_s, to_s):
    """Of a player that holds each frame back until HOLD_S after its capture; of others than those with a
    capture it cannot tell when."""
    held = [max(at_s, frames.captures[name] + HOLD_S) for name, at_s in frames.renders if name in frames.captures]
    return frozen_s(held, from_s, to_s)


def shown_ratio(frames, came_out, went_in, from_s, to_s):
    if not frames.counts:
        return ratio(came_out, went_in)
    camera, decoder = (per_s(counts, from_s, to_s) for counts in frames.counts)
    return min(1.0, ratio(decoder, camera))


def frame_figures(frames, from_s, to_s):
    captures = {name: at_s for name, at_s in frames.captures.items() if from_s <= at_s < to_s}
    rendered = {name: at_s for name, at_s in frames.renders}
    ms = [1000 * (rendered[name] - at_s) for name, at_s in captures.items() if name in rendered]
    return {"latency_p50_ms": quantile(ms, 0.5) if ms else None,
            "latency_p95_ms": quantile(ms, 0.95) if ms else None,
            "held_frozen_s": held_frozen_s(frames, from_s, to_s) if ms else None,
            "frozen_s": frozen_s([at_s for _, at_s in frames.renders], from_s, to_s),
            "shown": shown_ratio(frames, len(ms), len(captures), from_s, to_s)}


def start_and_return(scenario, steps, media):
    """How long it took to use what was there: at first, and when it had come back."""
    figures = {}
    if not scenario.walk_least_bps and len(scenario.media_at_s) == 1 and media:
        figures["t90_s"] = seconds_until(media, media[0].left_s, steps[0][1])
    if scenario.up_at_s is not None:
        at_s = scenario.up_at_s
        figures["up_s"] = seconds_until(media, at_s, capacity_bits(steps, at_s, at_s + 1))
    return figures


def worst_frame_figures(frames, from_s, to_s):
    """Of several flows."""
    each = [frame_figures(one, from_s, to_s) for one in frames]
    figures = {}
    for name in each[0]:
        values = [one[name] for one in each]
        worst = min if name == "shown" else max
        figures[name] = None if None in values else worst(values)
    return figures


def link_figures(scenario, steps, packets, queue, flow_ports):
    """What the link tells. flow_ports: of each media flow, the ports to which it is sent."""
    from_s, to_s = scenario.window_s
    judged = within(packets, from_s, to_s)
    flows = [of_ports(judged, ports) for ports in flow_ports]
    media = [packet for flow in flows for packet in flow]
    tcp = [packet for packet in judged if packet.kind == "tcp"]
    looks_ms = [ms for at_s, ms in queue if from_s <= at_s < to_s]
    waits_ms = [packet.queue_ms for packet in judged if packet.fate != "dropped"]
    length_s = to_s - from_s
    figures = {
        "used": ratio(delivered_bits(judged), capacity_bits(steps, from_s, to_s)),
        "q50_ms": quantile(looks_ms, 0.5) if looks_ms else None,
        "q95_ms": quantile(looks_ms, 0.95) if looks_ms else None,
        "q95_packets_ms": quantile(waits_ms, 0.95) if waits_ms else None,
        "media_bps": delivered_bits(media) / length_s, "loss": queue_loss(media)}
    if any(not one.reverse for one in scenario.tcp):
        figures["tcp_bps"] = delivered_bits(tcp) / length_s
    if len(flows) > 1:
        figures["jain"] = jain([delivered_bits(flow) for flow in flows])
    every = sorted(packet for ports in flow_ports for packet in of_ports(packets, ports))
    return {**figures, **start_and_return(scenario, steps, every)}


def all_figures(scenario, steps, packets, queue, frames):
    """frames: a Frames per media flow; what is said of frames is of the worst of them."""
    alone = len(scenario.media_at_s) == 1
    flow_ports = [range(1 << 16)] if alone else [ports_of(k) for k in range(len(frames))]
    return {**link_figures(scenario, steps, packets, queue, flow_ports),
            **worst_frame_figures(frames, *scenario.window_s)}
