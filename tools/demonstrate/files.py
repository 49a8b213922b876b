# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a run as weir-lab writes one (docs/lab.md), so that weir-report draws it."""
import json
import os

import pandas


def tables(samples):
    """(flows, links): rates become bytes again."""
    s = pandas.DataFrame(samples)
    length_s = s["time_s"].diff().fillna(s["time_s"])

    def octets(rates_bps):
        return (rates_bps * length_s / 8).round().astype(int)

    media = pandas.DataFrame({
        "time_s": s["time_s"], "flow": "video", "sent_bytes": octets(s["sent_bps"]),
        "received_bytes": octets(s["delivered_bps"]), "sent_packets": s["sent_packets"],
        "lost_packets": s["lost_packets"], "target_bps": s["target_bps"]})
    cross = octets(s["cross_bps"])
    tcp = media.assign(flow="TCP", sent_bytes=cross, received_bytes=cross, sent_packets=0, lost_packets=0, target_bps=0)
    links = pandas.DataFrame({
        "time_s": s["time_s"], "link": "bottleneck", "capacity_bps": s["capacity_bps"],
        "delivered_bytes": octets(s["delivered_bps"] + s["cross_bps"]), "queue_ms": s["queue_ms"]})
    return pandas.concat([media, tcp] if s["cross_bps"].any() else [media]), links


def write(directory, samples, result):
    """result.json comes last: without it the directory is no result."""
    for name, table in zip(("flows.csv", "links.csv"), tables(samples)):
        table.to_csv(os.path.join(directory, name), index=False, float_format="%.3f")
    title = f"weirsend algorithm={result['algorithm']}"
    with open(os.path.join(directory, "result.json"), "w", encoding="utf-8") as file:
        json.dump({"title": title, **result}, file, indent=2)
        file.write("\n")
