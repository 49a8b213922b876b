# SPDX-License-Identifier: LGPL-2.1-or-later
"""From bus messages to rows: the units of the page, and only what it draws or /metrics tells."""
from . import structure

# field of weirsend's weir-stats: (column, factor)
SENDER = {"target-bitrate": ("target_bps", 1), "allowed-bitrate": ("allowed_bps", 1),
          "encoder-bitrate": ("encoder_bps", 1), "sent-bitrate": ("sent_bps", 1),
          "delivered-bitrate": ("delivered_bps", 1), "rtt": ("rtt_ms", 1e-6),
          "queueing-delay": ("queueing_ms", 1e-6), "send-queue-delay": ("send_queue_ms", 1e-6),
          "loss-ratio": ("loss_percent", 100), "limited-by": ("limit", None), "picture": ("picture", None),
          "picture-reason": ("picture_reason", None), "receiver": ("receiver", None),
          "repair-percentage": ("repair_percent", 1), "repair-reason": ("repair_reason", None), "algorithm": ("algorithm", None),
          "mos": ("mos", 1), "packets-sent": ("sent_packets", 1), "packets-lost": ("lost_packets", 1),
          "dropped-packets": ("dropped_packets", 1), "packets-ecn-ce": ("ce_packets", 1),
          "packets-ecn-wrong": ("wrong_ecn_packets", 1)}
LINK = {"capacity": ("capacity_bps", 1), "queue-delay": ("link_queue_ms", 1e-6)}
OUTAGE_NS = 2**63 - 1  # weirlink's queue delay while nothing is served


def picked(table, fields):
    row = {}
    for name, (column, factor) in table.items():
        value = fields.get(name)
        if value is not None and value != OUTAGE_NS:
            row[column] = value if factor is None else value * factor
    return row


def take_line(store, line):
    """One line of gst-launch's output. True when it was a message weir-stats or a problem."""
    problem = structure.read_problem(line)
    if problem:
        store.notice(*problem)
        return True
    found = structure.read_stats(line)
    if not found:
        return False
    element, fields = found
    if not isinstance(fields.get("time"), int):
        return True  # weirrecv, or a weirsend that does not run
    if "capacity" in fields:
        store.add("link", element, fields["time"] / 1e9, picked(LINK, fields))
    elif "packets-sent" in fields:
        row = picked(SENDER, fields)
        prefix = str(fields.get("algorithm")) + "."
        row.update({name: value for name, value in fields.items() if name.startswith(prefix)})
        store.add("sender", element, fields["time"] / 1e9, row)
    return True
