# SPDX-License-Identifier: LGPL-2.1-or-later
"""The twin of a scenario in ns-2: a script on top of ns2.tcl, written from what `weir-lab show` resolves, and its
result in the form of weir-lab's. What ns-2 cannot express is refused by name."""
import hashlib
import math
import os
import shutil
import subprocess
from dataclasses import dataclass

import numpy as np

from . import quality
from .lab import LabError, Run, Series

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "ns2.tcl")
TCP = {"tcp-reno": "reno", "tcp-newreno": "newreno", "tcp-sack": "sack", "tcp-vegas": "vegas"}
SIMD = {"simd", "simdnr"}
SIMD_PARAMS = {"initial": "paper", "clocking": "ack", "alpha": "paper", "min-rto": 1000}  # and these:
SIMD_LAW = {"keep", "alpha-i", "growth", "whole-packets"}
FLOW_FIELDS = {"algorithm", "name", "group", "from", "to", "tested", "count", "label", "start_s", "stop_s", "rtt_ms",
               "access_ms", "receiver_access_share", "access_jitter_ms", "jitter_per_burst", "packet_bytes", "header_bytes", "source",
               "tcp", "feedback", "params", "limits"}
TCP_FIELDS = {"window_packets", "initial_window_packets", "delayed_ack_ms", "limited_transmit", "ack_bytes",
              "rto_min_ms"}
TCP_VARIABLES = {"rto_min_ms": ("minrto_", 1000), "initial_window_packets": ("windowInit_", 1)}
LINK_FIELDS = {"name", "from", "to", "count", "capacity_bps", "delay_ms", "queue", "reverse", "loss", "schedule"}
QUEUE_FIELDS = {"discipline", "packets", "min_packets", "max_packets", "max_p", "weight", "mean_packet_bytes",
                "gentle", "byte_mode"}
FLOW_COUNTERS, FLOW_COLUMNS, LINK_COUNTERS = 6, 7, 3  # the last column of a flow is a state: what it is allowed


class Refused(LabError):
    """ns-2 has no such thing, or this writer does not know it."""


def only(what, found, known):
    for field in found:
        if field not in known:
            raise Refused(f"ns-2: {what}.{field}: has no twin")


def present(entries):
    return [entry for entry in entries if entry.get("count", 1) > 0]


def discipline(queue):
    return queue.get("discipline", "droptail")


def queue_lines(link):
    """The queue of the way forward; that of the way back holds as much unless `reverse` says otherwise."""
    queue, name = link.get("queue", {"packets": 100}), link["name"]
    back = link.get("reverse", {}).get("queue", queue)
    only(f"links.{name}.reverse", link.get("reverse", {}), {"queue"})
    for one in (queue, back):
        only(f"links.{name}.queue", one, QUEUE_FIELDS)
        if "packets" not in one or discipline(one) not in ("droptail", "red"):
            raise Refused(f"ns-2: links.{name}.queue: droptail or red, with a limit in packets")
    if discipline(back) == "red":
        raise Refused(f"ns-2: links.{name}.reverse.queue: red only forwards")
    lines = [f"use queue {discipline(queue)}"]
    if discipline(queue) == "red":
        if not queue.get("min_packets") or not queue.get("weight"):
            raise Refused(f"ns-2: links.{name}.queue: red with automatic thresholds or weight")
        lines += [f"use red_min {queue['min_packets']} red_max {queue['max_packets']} red_weight {queue['weight']}",
                  f"use red_mean {queue.get('mean_packet_bytes', 500)} red_gentle {int(queue.get('gentle', True))} "
                  f"red_bytes {int(queue.get('byte_mode', False))}",
                  f"Queue/RED set linterm_ {1 / queue.get('max_p', 0.1):g}"]
    lines.append(f"bottleneck {name} {link['from']} {link['to']} {link['capacity_bps']} "
                 f"{link.get('delay_ms', 0) / 1000:.9g} {queue['packets']}")
    return lines + [f"$ns queue-limit [node {link['to']}] [node {link['from']}] "
                    f"[expr {{{back['packets']} + [setting spare]}}]"]


def link_lines(link, flows):
    name = link["name"]
    only(f"links.{name}", link, LINK_FIELDS)
    lines = queue_lines(link)
    loss = link.get("loss", {"model": "none"})
    if loss["model"] == "bernoulli" and loss["p"] > 0:
        if sum(name in flow["_path"] for flow in flows) > 1:
            raise Refused(f"ns-2: links.{name}.loss: of several flows, whose losses it does not tell apart")
        lines += [f"lossy {name} {loss['p']}", f"lossy {name}.reverse {loss['p']}"]
    elif loss["model"] not in ("none", "bernoulli"):
        raise Refused(f"ns-2: links.{name}.loss: model {loss['model']} has no twin")
    for step in link.get("schedule", ()):
        lines += [f"capacity_at {step['at_s']} {one} {step['capacity_bps']}" for one in (name, name + ".reverse")]
    return lines


def route(links, start, end):
    """(nodes, links) of the way with the fewest links; the first of the file among equals."""
    ways, seen = [([start], [])], {start}
    while ways:
        nodes, names = ways.pop(0)
        if nodes[-1] == end:
            return nodes, names
        for link in links:
            for here, there in ((link["from"], link["to"]), (link["to"], link["from"])):
                if here == nodes[-1] and there not in seen:
                    seen.add(there)
                    ways.append((nodes + [there], names + [link["name"]]))
    raise Refused(f"ns-2: no way from {start} to {end}")


def tcp_lines(flow):
    """The commands before a TCP is made."""
    name, tcp = flow["name"], flow.get("tcp", {})
    only(f"flows.{name}.tcp", tcp, TCP_FIELDS)
    if not tcp.get("limited_transmit", True):
        raise Refused(f"ns-2: flows.{name}.tcp.limited_transmit: has no twin")
    delayed = tcp.get("delayed_ack_ms", 100)
    given = [f"Agent/TCP set {name} {tcp[field] / unit:g}" for field, (name, unit) in TCP_VARIABLES.items()
             if field in tcp]
    return [*given, f"Agent/TCPSink set packetSize_ {tcp.get('ack_bytes', 40)}",
            f"Agent/TCPSink/DelAck set interval_ {delayed or 100}ms",
            f"use window {tcp.get('window_packets', 1000)} delayed_ack {int(delayed > 0)} "
            f"jitter {flow.get('access_jitter_ms', 0) / 1000:.9g}"]


def simd_lines(flow):
    """The same for SIMD and SimdNR of the paper that made them of ns-2's TCP: `tcp` of the flow is theirs too."""
    params, tcp = flow.get("params", {}), flow.get("tcp", {})
    known = {name: params.get(name) for name in SIMD_PARAMS} == SIMD_PARAMS and not (
        params.keys() - SIMD_PARAMS.keys() - SIMD_LAW)
    if not known or not flow.get("feedback", {}).get("per_packet") or tcp.get("delayed_ack_ms") != 0 or \
            tcp.get("rto_min_ms") != SIMD_PARAMS["min-rto"]:
        raise Refused(f"ns-2: {flow.get('label', flow['algorithm'])}: has no twin")
    return [*tcp_lines(flow), f"use keep {params.get('keep', 0.9375)} alpha_i {params.get('alpha-i', 0)} "
            f"per_ack {int(params.get('growth') == 'per-ack')} whole_packets {int(params.get('whole-packets', False))}"]


def kind_of(flow):
    """(name in ns2.tcl, commands before the flow is made)."""
    name, algorithm = flow["name"], flow["algorithm"]
    if algorithm in TCP:
        return TCP[algorithm], tcp_lines(flow)
    if algorithm in SIMD:
        return algorithm, simd_lines(flow)
    if algorithm == "udp" and flow.get("source", {}).get("kind") in ("cbr", "pareto"):
        return flow["source"]["kind"], []
    if algorithm != "tfrc" or not is_known_tfrc(flow):
        raise Refused(f"ns-2: {flow.get('label', algorithm)}: has no twin")
    if flow.get("feedback", {}).get("max_interval_ms", 100) < 10000:
        raise Refused(f"ns-2: flows.{name}.feedback: once per RTT (max_interval_ms 10000)")
    return (f"tfrc{'-media' if is_steady_media(flow) else ''}",
            [f"Agent/TFRC set conservative_ {int(flow['params'].get('self-clocked', False))}"])


def is_steady_media(flow):
    """Media that never pause and never change their rate."""
    source = flow.get("source", {})
    return source.get("kind") in ("cbr", "video") and not source.keys() & {"on_s", "off_s", "schedule"}


def is_known_tfrc(flow):
    """ns-2's own; or, for steady media, any revision: they differ in what follows a pause."""
    params = {"self-clocked": False, "first-interval": "recent", **flow.get("params", {})}
    profiles = ("rfc3448", "rfc5348") if is_steady_media(flow) else ("ns2",)
    if is_steady_media(flow):
        params.pop("receive-rate", None)
    known = {"initial": "rfc", "nofeedback-min": 0, "first-interval": "recent"}
    return params.pop("profile", "") in profiles and {**params, "self-clocked": 0} == {**known, "self-clocked": 0}


def times(flow, duration_s):
    """[start, stop, start ...] of what the flow sends."""
    source, start = flow.get("source", {"kind": "greedy"}), flow.get("start_s", 0)
    if "stop_s" in flow:
        raise Refused(f"ns-2: flows.{flow['name']}.stop_s: has no twin")
    if source["kind"] == "greedy" or flow["algorithm"] == "tfrc":
        return [start]
    known = {"cbr": {"on_s", "off_s", "begin"}, "pareto": {"on_s", "off_s", "shape"}}[source["kind"]]
    only(f"flows.{flow['name']}.source", source, {"kind", "rate_bps", *known})
    if source["kind"] == "pareto":
        if (source.get("on_s", 1), source.get("off_s", 2), source.get("shape", 1.5)) != (1, 2, 1.5):
            raise Refused(f"ns-2: flows.{flow['name']}.source: on 1 s, off 2 s, shape 1.5")
        return [start]
    on, off = source.get("on_s", 0), source.get("off_s", 0)
    if not on or not off:
        return [start]
    begin = start + (off if source.get("begin", "on") == "off" else 0)
    return [edge for i in range(math.ceil((duration_s - begin) / (on + off)))
            for edge in (begin + i * (on + off), begin + i * (on + off) + on)]


def flow_lines(flow, links, duration_s):
    name, source = flow["name"], flow.get("source", {})
    only(f"flows.{name}", flow, FLOW_FIELDS | {"_path", "_nodes"} | ({"buffer"} if is_steady_media(flow) else set()))
    if flow["algorithm"] != "udp" and source.get("kind", "greedy") != "greedy" and \
            not (flow["algorithm"] == "tfrc" and is_steady_media(flow)):
        raise Refused(f"ns-2: flows.{name}.source: {source['kind']} with congestion control has no twin")
    kind, lines = kind_of(flow)
    inside_ms = sum(link.get("delay_ms", 0) for link in links if link["name"] in flow["_path"])
    access_ms = flow.get("access_ms", flow["rtt_ms"] / 2 - inside_ms if "rtt_ms" in flow else 0)
    far_ms = access_ms * flow.get("receiver_access_share", 0)
    lines.append(f"use bytes {flow.get('packet_bytes', 1500)} far_delay {far_ms / 1000:.9g}")
    rate = f" rate {source['rate_bps']}" if "rate_bps" in source else ""
    on = " ".join(f"{edge:.9g}" for edge in times(flow, duration_s))
    return lines + [f"flow {name} {kind} {{{' '.join(flow['_nodes'])}}} "
                    f"rtt {2 * (inside_ms + access_ms) / 1000:.9g}{rate} on {{{on}}}"]


@dataclass
class Grid:
    """When ns-2 counts: at `begin_s`, each `step_s` after it, and at the end."""
    begin_s: float
    step_s: float
    end_s: float
    from_s: float    # the measured window, and the bins of its CoV
    to_s: float
    bin_s: float

    def index(self, at_s):
        return round((at_s - self.begin_s) / self.step_s)

    def window(self):
        """The steps in it; with the last, shorter one when it ends with the run."""
        return slice(self.index(self.from_s), None if self.to_s == self.end_s else self.index(self.to_s))


def grid_of(scenario, series, bins=True):
    """Steps that all that is asked for are multiples of: without series the bins of the window alone, and without
    `bins`, of which the CoV is, the window as a whole."""
    measure, end_s = scenario.get("measure", {}), scenario["duration_s"]
    from_s, to_s, bin_s = measure.get("from_s", 0), measure.get("to_s", end_s), measure.get("bin_s", 1)
    if not series and not bins:
        bin_s = to_s - from_s
    if not series and to_s == end_s:
        return Grid(from_s, bin_s, end_s, from_s, to_s, bin_s)
    edges = (scenario.get("sample_s", 0.1), bin_s, from_s, to_s, end_s)
    step_s = math.gcd(*(round(1000 * edge) for edge in edges)) / 1000
    return Grid(0, step_s, end_s, from_s, to_s, bin_s)


def script(scenario, grid, settings=()):
    """The whole script, and the links and flows in the order of its records. `settings`: commands, before all."""
    only("scenario", scenario, {"duration_s", "sample_s", "measure", "links", "flows"})
    links, flows = present(scenario["links"]), []
    for flow in present(scenario["flows"]):
        nodes, path = route(links, flow["from"], flow["to"])
        flows.append({**flow, "_nodes": nodes, "_path": path})
    for field in TCP_VARIABLES:  # of the class: what is not set stays as it was for the flow before
        given = {field in flow.get("tcp", {}) for flow in flows if flow["algorithm"] in TCP}
        if len(given) > 1:
            raise Refused(f"ns-2: flows.tcp.{field}: of all TCP flows or of none")
    lines = [f"source {{{LIBRARY}}}",
             f"use duration {grid.end_s:g} from {grid.begin_s:g} bin {grid.step_s:g}", "begin", *settings]
    for link in links:
        lines += link_lines(link, flows)
    for flow in flows:
        lines += flow_lines(flow, links, scenario["duration_s"])
    return "\n".join(lines + ["run_recorded", ""]), links, flows


def cov(values):
    return quality.cov(values) if len(values) > 1 else math.nan


def flow_result(flow, counts, grid):
    """`counts`: [step, counter] of one flow."""
    sent_bytes, sent, dropped, _, acked, new = counts[grid.window()].T
    seconds, bin_steps = grid.to_s - grid.from_s, round(grid.bin_s / grid.step_s)
    n_bins = int(seconds / grid.bin_s + 1e-9)
    bins, new_bins = (of[:n_bins * bin_steps].reshape(n_bins, bin_steps).sum(axis=1) for of in (sent_bytes, new))
    return {"name": flow["name"], "group": flow.get("group", flow["name"]),
            "goodput_bps": 8 * acked.sum() * payload_share(flow) / seconds, "sent_bps": 8 * sent_bytes.sum() / seconds,
            "sent_packets": int(sent.sum()), "lost_packets": int(dropped.sum()), "cov_sent": cov(bins),
            "cov_new": cov(new_bins), "resent_packets": int(sent.sum() - new.sum())}


def payload_share(flow):
    return 1 - flow.get("header_bytes", 40) / flow.get("packet_bytes", 1500)


# What the papers' releases of ns-2 may have had (docs/ns2.md, "Which settings the papers used").
OLDER = ("Agent/TCP set tcpTick_ 0.1", "Agent/TCP set minrto_ 1", "Agent/TCP set windowInit_ 1",
         "Agent/TCP set singledup_ 0")
SETTINGS = {"ns-2 2.35": (), "older": OLDER,
            "ticks of 0.5 s": (*OLDER, "Agent/TCP set tcpTick_ 0.5", "Agent/TFRC set tcp_tick_ 0.5")}


class Ns2:
    """Runs twins; `lab` resolves the scenarios. `settings`: see script(). `bins`: whether the CoV is asked for, which
    takes most of the time."""

    def __init__(self, lab, cache=None, settings=(), bins=True):
        if not shutil.which("ns"):
            raise LabError("there is no ns (Debian: ns2)")
        self.lab = lab
        self.cache = cache
        self.settings = settings
        self.bins = bins
        with open(LIBRARY, encoding="utf-8") as file:
            self.library = file.read()

    def records(self, text, seed):
        """[line, number], from the cache when it is there."""
        # Where the library lies does not change what it does.
        key = hashlib.sha256("\n".join([text.replace(LIBRARY, ""), self.library, str(seed)]).encode()).hexdigest()[:32]
        path = os.path.join(self.cache, "ns2", key + ".npy") if self.cache else None
        if path and os.path.exists(path):
            return np.load(path)
        done = subprocess.run(["ns", "/dev/stdin", str(seed)], input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LabError(f"ns-2: {(done.stderr or done.stdout).strip().splitlines()[0]}")
        lines = done.stdout.splitlines()
        found = np.array(done.stdout.split(), dtype=float).reshape(len(lines), -1)
        if path:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path + ".new", "wb") as file:
                np.save(file, found)
            os.replace(path + ".new", path)
        return found

    def run(self, request, seed):
        scenario = self.lab.show(request, seed)
        grid = grid_of(scenario, request.series, self.bins)
        text, links, flows = script(scenario, grid, self.settings)
        of_flows, of_links = np.split(self.records(text, seed), [FLOW_COLUMNS * len(flows)], axis=1)
        of_flows = of_flows.reshape(len(of_flows), len(flows), FLOW_COLUMNS)
        allowed_bps = of_flows[1:, :, FLOW_COUNTERS]
        of_flows = np.diff(of_flows[:, :, :FLOW_COUNTERS], axis=0)
        of_links = np.diff(of_links, axis=0).reshape(len(of_flows), len(links), LINK_COUNTERS)
        out = {"flows": [flow_result(flow, of_flows[:, i], grid) for i, flow in enumerate(flows)],
               "links": [link_result(link, of_links[:, i], grid) for i, link in enumerate(links)], "bin_s": grid.bin_s}
        if not request.series:
            return Run(out)
        return Run(out, *series(scenario, links, flows, of_flows, of_links, allowed_bps, grid.step_s))


def link_result(link, counts, grid):
    offered, dropped, queued = counts[grid.window()].sum(axis=0)
    return {"name": link["name"], "capacity_bps": link["capacity_bps"], "loss_ratio": dropped / max(1, offered),
            "queue_packets": {"mean": queued / (grid.to_s - grid.from_s)}}


def series(scenario, links, flows, of_flows, of_links, allowed_bps, step_s):
    """The time series of flows and links, in bins of sample_s."""
    steps = round(scenario.get("sample_s", 0.1) / step_s)
    n_bins = len(of_flows) // steps
    sums = [part[:n_bins * steps].reshape(n_bins, steps, *part.shape[1:]).sum(axis=1) for part in (of_flows, of_links)]
    time_s = (1 + np.arange(n_bins)) * steps * step_s
    sent_bytes, sent, lost, received, acked, _ = np.moveaxis(sums[0], 2, 0)
    shares = np.array([payload_share(flow) for flow in flows])
    of_flows = Series(time_s, [flow["name"] for flow in flows],
                      {"sent_bytes": sent_bytes, "received_bytes": received, "goodput_bytes": acked * shares,
                       "sent_packets": sent, "lost_packets": lost,
                       "allowed_bps": allowed_bps[steps - 1:n_bins * steps:steps]})
    offered, dropped, queued = np.moveaxis(sums[1], 2, 0)
    of_links = Series(time_s, [link["name"] for link in links],
                      {"offered_packets": offered, "dropped_packets": dropped, "lost_packets": 0 * dropped,
                       "queue_packets": queued / (steps * step_s)})
    return of_flows, of_links
