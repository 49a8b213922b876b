# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what `weir-lab run --out DIR` and `tools/demo` write: result.json, flows.csv, links.csv."""
import json
import os

import numpy
import pandas

from traces import Problem

from .recording import Flow, Link, Recording, Span

FLOW_COLUMNS = ("time_s", "flow", "sent_bytes", "received_bytes", "lost_packets")
LINK_COLUMNS = ("time_s", "link", "capacity_bps", "delivered_bytes", "queue_ms")
TEXT_COLUMNS = ("flow", "link")


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise Problem(f"{path}: there is no such file; is this the --out directory of a run that "
                      "ended?") from None
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Problem(f"{path}: not JSON: {error}") from None


def read_table(path, columns):
    """A table whose columns, but for names, are numbers."""
    try:
        table = pandas.read_csv(path, dtype={name: str for name in TEXT_COLUMNS})
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    except (ValueError, pandas.errors.ParserError) as error:
        raise Problem(f"{path}: not a CSV table: {error}") from None
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise Problem(f"{path}: no column {missing[0]}; it has {', '.join(table.columns)}")
    for name in table.columns:
        if name not in TEXT_COLUMNS and not pandas.api.types.is_numeric_dtype(table[name]):
            raise Problem(f"{path}: not all of column {name} are numbers")
    return table


def check_whole(path, table, end_s):
    """All series of a run end together; a file that was cut does not."""
    if len(table) and abs(table["time_s"].iloc[-1] - end_s) > 1e-6:
        raise Problem(f"{path}: ends at {table['time_s'].iloc[-1]:g} s of {end_s:g} s: the file is cut off")


def bin_lengths(time_s):
    """The last bin may be shorter than the others."""
    return numpy.diff(time_s, prepend=0.0).clip(1e-9)


def column(table, name):
    return table[name].to_numpy(float) if name in table.columns else numpy.zeros(0)


def read_flow(name, result, table):
    time_s = table["time_s"].to_numpy(float)
    length_s = bin_lengths(time_s)
    return Flow(name=name, group=result.get("group", ""), links=result.get("links"), time_s=time_s,
                sent_bps=8 * column(table, "sent_bytes") / length_s,
                delivered_bps=8 * column(table, "received_bytes") / length_s,
                target_bps=column(table, "target_bps"), allowed_bps=column(table, "allowed_bps"),
                lost_packets=column(table, "lost_packets"), delay_ms=column(table, "delay_ms"),
                rtt_ms=column(table, "rtt_ms"))


def read_link(name, table):
    time_s = table["time_s"].to_numpy(float)
    capacity_bps = column(table, "capacity_bps")
    return Link(name=name, time_s=time_s, capacity_bps=capacity_bps,
                delivered_bps=8 * column(table, "delivered_bytes") / bin_lengths(time_s),
                queue_ms=column(table, "queue_ms"),
                dropped_packets=column(table, "dropped_packets"))


def figure_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}".replace(",", " ")
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    return str(value)


FLOW_FIGURES = (("flow", "name"), ("algorithm", "algorithm"), ("goodput, bit/s", "goodput_bps"),
                ("sent, bit/s", "sent_bps"), ("loss", "loss_ratio"), ("CoV", "cov"),
                ("delay p50, ms", "delay_ms.p50"), ("p95", "delay_ms.p95"), ("RTT, ms", "rtt_ms"),
                ("discarded", "discard_ratio"), ("R-score", "r_score"), ("MOS", "mos"))
GROUP_FIGURES = (("group", "group"), ("flows", "flows"), *FLOW_FIGURES[2:])
LINK_FIGURES = (("link", "name"), ("capacity, bit/s", "capacity_bps"), ("used", "utilization"),
                ("loss", "loss_ratio"), ("queue p50, ms", "queue_ms.p50"), ("p95", "queue_ms.p95"))
MOST_ROWS = 60  # of flows; of more the groups must do
PHASE_FIGURES = (("from, s", "start_s"), ("to, s", "end_s"), ("capacity, bit/s", "capacity_bps"),
                 ("TCP flows", "competitors"), ("used", "utilization"), ("media's share", "media_share"),
                 ("queue p50, ms", "queue_ms_p50"), ("p95", "queue_ms_p95"), ("loss", "loss_ratio"))


def pick(item, path):
    for key in path.split("."):
        item = item.get(key) if isinstance(item, dict) else None
    return item


def figures_table(heading, figures, items):
    """Columns that no item has are left out."""
    used = [(title, path) for title, path in figures if any(pick(i, path) is not None for i in items)]
    rows = [[figure_text(pick(item, path)) for _, path in used] for item in items]
    return heading, [title for title, _ in used], rows


def tables(result):
    found = []
    for heading, figures, key in (("Groups", GROUP_FIGURES, "groups"), ("Flows", FLOW_FIGURES, "flows"),
                                  ("Links", LINK_FIGURES, "links"), ("Phases", PHASE_FIGURES, "phases")):
        items = result.get(key)
        if isinstance(items, list) and items and not (key == "flows" and len(items) > MOST_ROWS):
            found.append(figures_table(heading, figures, items))
    return found


def n_compared(result):
    """How many flows Jain's index is of: the tested ones, or all that adapt when none is."""
    flows = result.get("flows") or []
    return sum(flow.get("tested") is True for flow in flows) or sum(flow.get("algorithm") != "udp" for flow in flows)


def note(result):
    parts = []
    if isinstance(result.get("jain"), (int, float)) and n_compared(result) > 1:  # one is fair to itself
        parts.append(f"Jain's index {result['jain']:.3f}")
    if result.get("complete") is False:
        parts.append("interrupted: not the whole scenario")
    if isinstance(result.get("seed"), int):
        parts.append(f"seed {result['seed']}")
    return ", ".join(parts)


def spans(result):
    found = []
    for phase in result.get("phases", []):
        if phase.get("competitors"):
            found.append(Span(phase["start_s"], phase["end_s"], f"{phase['competitors']} TCP flows"))
    return found


def read(directory):
    """The Recording of a directory. Raises Problem."""
    result = read_json(os.path.join(directory, "result.json"))
    if not isinstance(result, dict):
        raise Problem(f"{directory}/result.json: not an object")
    flows = read_table(os.path.join(directory, "flows.csv"), FLOW_COLUMNS)
    links = read_table(os.path.join(directory, "links.csv"), LINK_COLUMNS)
    ends = [table["time_s"].max() for table in (flows, links) if len(table)]
    for name, table in (("flows.csv", flows), ("links.csv", links)):
        check_whole(os.path.join(directory, name), table, max(ends, default=0.0))
    results = {f.get("name"): f for f in result.get("flows", [])}
    return Recording(
        title=str(result.get("scenario") or result.get("title") or os.path.basename(directory)),
        flows=[read_flow(name, results.get(name, {}), table)
               for name, table in flows.groupby("flow", sort=False)],
        links=[read_link(name, table) for name, table in links.groupby("link", sort=False)],
        spans=spans(result), tables=tables(result), note=note(result))
