# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results as one tidy table, a row per flow and run, and as a summary over the seeds."""
import csv
import json
import math
import os

IDENTITY = ("run", "scenario", "algorithm", "seed", "key")
FLOW = ("flow", "group", "tested")
LINK_FIGURES = ("capacity_bps", "utilization", "loss_ratio")
LINK_SPREADS = ("p50", "p95")


def flat(prefix, value):
    """{"delay_ms": {"p50": 1}} as {"delay_ms_p50": 1}."""
    if not isinstance(value, dict):
        return {prefix: value}
    out = {}
    for name, inner in value.items():
        out.update(flat(f"{prefix}_{name}", inner))
    return out


def bottleneck(flow, links):
    """The busiest link on the way of a flow."""
    crossed = [links[name] for name in flow.get("links", ()) if name in links]
    return max(crossed, key=lambda link: link["utilization"] or 0, default=None)


def link_figures(link):
    if link is None:
        return {}
    out = {"link": link["name"]}
    out.update({f"link_{name}": link[name] for name in LINK_FIGURES})
    out.update({f"link_queue_ms_{name}": link["queue_ms"][name] for name in LINK_SPREADS})
    out.update(flat("link_rise_s", link.get("rise_s", {})))
    return out


def condition(point):
    """What distinguishes a point, as columns."""
    is_file = point.scenario.endswith(".json") or os.path.isfile(point.scenario)
    out = {"run": point.run,
           "scenario": os.path.basename(point.scenario).removesuffix(".json") if is_file else point.scenario,
           "algorithm": point.algorithm}
    out.update({f"set:{path}": value for path, value in point.settings})
    out.update({f"param:{name}": value for name, value in point.params})
    return out


def rows(point, seed, key, result):
    links = {link["name"]: link for link in result["links"]}
    out = []
    for flow in result["flows"]:
        row = {**condition(point), "seed": seed, "key": key, "flow": flow["name"], "group": flow["group"],
               "tested": flow["tested"]}
        row["algorithm"] = row["algorithm"] or result_algorithm(result)
        row["flow_algorithm"] = flow["algorithm"]
        for name, value in flow.items():
            if name not in ("name", "group", "tested", "algorithm", "links"):
                row.update(flat(name, value))
        row.update(link_figures(bottleneck(flow, links)))
        row["jain"] = result["jain"]
        out.append(row)
    return out


def result_algorithm(result):
    """Of the tested flows, when the sweep leaves it to the scenario."""
    names = dict.fromkeys(flow["algorithm"] for flow in result["flows"] if flow["tested"])
    return "+".join(names)


def is_setting(name):
    return name.startswith(("set:", "param:"))


def columns(table):
    """What identifies a row first, the others in the order of their first appearance."""
    seen = dict.fromkeys(name for row in table for name in row)
    first = [*IDENTITY[:3], *filter(is_setting, seen), *IDENTITY[3:], *FLOW]
    return [name for name in first if name in seen] + [name for name in seen if name not in first]


def write_csv(path, table):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns(table), restval="", lineterminator="\n")
        writer.writeheader()
        for row in table:
            writer.writerow({name: "" if value is None else json.dumps(value) if isinstance(value, (bool, list, dict))
                             else value for name, value in row.items()})


def is_measure(name, value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and name != "seed"


def summarized(table):
    """Per condition and group of flows: mean, least and greatest of each measure over flows and seeds."""
    gathered = {}
    for row in table:
        place = {name: row[name] for name in row
                 if name in ("run", "scenario", "algorithm", "group") or is_setting(name)}
        entry = gathered.setdefault(json.dumps(place), {"place": place, "seeds": {}, "values": {}})
        entry["seeds"][row["seed"]] = True
        for name, value in row.items():
            if name not in place and is_measure(name, value):
                entry["values"].setdefault(name, []).append(value)
    return [{**entry["place"], "seeds": len(entry["seeds"]),
             "measures": {name: {"mean": math.fsum(values) / len(values), "min": min(values), "max": max(values)}
                          for name, values in entry["values"].items()}} for entry in gathered.values()]
