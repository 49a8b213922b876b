# SPDX-License-Identifier: LGPL-2.1-or-later
"""The newest row of each element as Prometheus reads it, in its text format 0.0.4. Names are those of W3C's webrtc-stats
where there are any, in Prometheus' way of writing: snake_case, and the base unit at the end."""
import re

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# column of a row: (metric, type, factor, what it is)
METRICS = {
    "target_bps": ("weir_target_bitrate_bits_per_second", "gauge", 1, "targetBitrate: asked of the encoders, media"),
    "allowed_bps": ("weir_available_outgoing_bitrate_bits_per_second", "gauge", 1,
                    "availableOutgoingBitrate: allowed by the algorithm, wire"),
    "encoder_bps": ("weir_encoder_bitrate_bits_per_second", "gauge", 1, "what the encoders make, media"),
    "sent_bps": ("weir_sent_bitrate_bits_per_second", "gauge", 1, "sent over the last second, wire"),
    "delivered_bps": ("weir_delivered_bitrate_bits_per_second", "gauge", 1, "delivered over the last second, wire"),
    "rtt_ms": ("weir_round_trip_time_seconds", "gauge", 1e-3, "roundTripTime: smoothed"),
    "queueing_ms": ("weir_queueing_delay_seconds", "gauge", 1e-3, "in queues on the way to the receiver"),
    "send_queue_ms": ("weir_send_queue_delay_seconds", "gauge", 1e-3, "how long a packet that came now would wait here"),
    "loss_percent": ("weir_fraction_lost_ratio", "gauge", 1e-2, "fractionLost: over the last ten seconds"),
    "mos": ("weir_mos", "gauge", 1, "how voice sounds at the far end, 1 to 4.5"),
    "repair_percent": ("weir_repair_ratio", "gauge", 1e-2, "repair packets per packet of media"),
    "sent_packets": ("weir_packets_sent_total", "counter", 1, "packetsSent"),
    "lost_packets": ("weir_packets_lost_total", "counter", 1, "packetsLost"),
    "ce_packets": ("weir_packets_received_with_ce_total", "counter", 1, "packetsReceivedWithCe"),
    "wrong_ecn_packets": ("weir_packets_with_wrong_ecn_total", "counter", 1, "reported otherwise than they were sent"),
    "dropped_packets": ("weir_packets_dropped_total", "counter", 1, "given up by the send queue"),
    "sent_bytes": ("weir_wire_bytes_sent_total", "counter", 1, "with all headers"),
    "delivered_bytes": ("weir_wire_bytes_delivered_total", "counter", 1, "with all headers"),
    "capacity_bps": ("weir_link_capacity_bits_per_second", "gauge", 1, "of a weirlink"),
    "link_queue_ms": ("weir_link_queue_delay_seconds", "gauge", 1e-3, "of a weirlink"),
}
LIMIT = ("weir_limited_by", "gauge", "1 for what limits the rate now (docs/statistics.md)")
VARIABLE = ("weir_algorithm_variable", "gauge", "of the algorithm, in the unit at the end of its name")
ENDED = ("weir_watch_ended", "gauge", "1: the pipeline or its trace has ended, and nothing more is told of it")


def label(text):
    return re.sub(r'[\\"\n]', lambda found: {"\\": r"\\", '"': r"\"", "\n": r"\n"}[found[0]], str(text))


def samples_of(element, row):
    """(metric, labels, value) of a row."""
    for column, value in row.items():
        is_number = isinstance(value, (int, float))
        if column in METRICS and is_number:
            name, _, factor, _ = METRICS[column]
            yield name, {"element": element}, value * factor
        elif column == "limit":
            yield LIMIT[0], {"element": element, "cause": value}, 1
        elif "." in column and is_number:
            algorithm, _, variable = column.partition(".")
            yield VARIABLE[0], {"element": element, "algorithm": algorithm, "variable": variable}, value


def text(store):
    """All of it. Prometheus takes what is missing for stale, so an end is told by leaving out."""
    kinds = {name: (kind, what) for name, kind, _, what in METRICS.values()}
    kinds |= {name: (kind, what) for name, kind, what in (LIMIT, VARIABLE, ENDED)}
    lines = {name: [] for name in kinds}
    lines[ENDED[0]].append(f"{ENDED[0]} {int(store.ended is not None)}")
    for element, track in store.tracks.items() if store.ended is None else ():
        for name, labels, value in samples_of(element, track.rows[-1][1]):
            inside = ",".join(f'{key}="{label(content)}"' for key, content in labels.items())
            lines[name].append(f"{name}{{{inside}}} {float(value)!r}")
    return "".join(f"# HELP {name} {kinds[name][1]}\n# TYPE {name} {kinds[name][0]}\n" + "\n".join(found) + "\n"
                   for name, found in lines.items() if found)
