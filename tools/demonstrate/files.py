# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a run as weir-lab writes one (docs/lab.md), so that weir-report draws it."""
import csv
import json
import os

FLOW_COLUMNS = ("time_s", "flow", "sent_bytes", "received_bytes", "sent_packets", "lost_packets",
                "target_bps")
LINK_COLUMNS = ("time_s", "link", "capacity_bps", "delivered_bytes", "queue_ms")


def seconds_of(samples):
    """(sample, its length): rates become bytes again."""
    last_s = 0.0
    for sample in samples:
        yield sample, sample.time_s - last_s
        last_s = sample.time_s


def octets(rate_bps, length_s):
    return round(rate_bps * length_s / 8)


def flow_rows(samples):
    for s, length_s in seconds_of(samples):
        yield (f"{s.time_s:.3f}", "media", octets(s.sent_bps, length_s),
               octets(s.delivered_bps, length_s), s.sent_packets, s.lost_packets, s.target_bps)
    if any(s.cross_bps for s in samples):
        for s, length_s in seconds_of(samples):
            yield (f"{s.time_s:.3f}", "TCP", octets(s.cross_bps, length_s),
                   octets(s.cross_bps, length_s), 0, 0, 0)


def link_rows(samples):
    for s, length_s in seconds_of(samples):
        yield (f"{s.time_s:.3f}", "bottleneck", s.capacity_bps,
               octets(s.delivered_bps + s.cross_bps, length_s), f"{s.queue_ms:.3f}")


def write_table(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)


def write(directory, samples, result):
    """result.json comes last: without it the directory is no result."""
    write_table(os.path.join(directory, "flows.csv"), FLOW_COLUMNS, flow_rows(samples))
    write_table(os.path.join(directory, "links.csv"), LINK_COLUMNS, link_rows(samples))
    title = f"weirsend algorithm={result['algorithm']}"
    with open(os.path.join(directory, "result.json"), "w", encoding="utf-8") as file:
        json.dump({"title": title, **result}, file, indent=2)
        file.write("\n")
