# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-report: what it reads of a lab run, a trace and the demo, and what it draws."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools"),
                os.path.join(ROOT, "tools", "demonstrate")]
import files  # noqa: E402
import scenario  # noqa: E402
import tap  # noqa: E402
from report import draw, events, lab_run, main, trace_file  # noqa: E402
from report.recording import has  # noqa: E402
from traces import Problem  # noqa: E402

FLOWS = """time_s,flow,sent_bytes,received_bytes,goodput_bytes,sent_packets,lost_packets,allowed_bps,target_bps,window_packets,rtt_ms,delay_ms,generated_packets,discarded_packets
0.5,a,62500,50000,50000,50,10,2000000,900000,0,100,50,50,0
0.5,b,12500,12500,12500,10,0,0,0,4,100,,0,0
1,a,62500,62500,62500,50,0,1000000,800000,0,110,60,50,0
1,b,12500,12500,12500,10,1,0,0,5,110,,0,0
"""
LINKS = """time_s,link,capacity_bps,delivered_bytes,offered_packets,dropped_packets,lost_packets,queue_packets,queue_packets_max,queue_ms
0.5,l,1000000,62500,60,10,0,5,10,50
0.5,l.reverse,1000000,100,2,0,0,0,1,0
1,l,1000000,62500,60,10,0,10,10,
1,l.reverse,1000000,100,2,0,0,0,1,0
"""
RESULT = {"scenario": "two", "seed": 3, "complete": True, "jain": 0.75,
          "flows": [{"name": "a", "group": "media", "links": ["l"], "goodput_bps": 900000, "delay_ms": {"p50": 55.0}},
                    {"name": "b", "group": "tcp", "goodput_bps": 200000}],
          "links": [{"name": "l", "utilization": 1.0}]}


@contextlib.contextmanager
def run_directory(flows=FLOWS, links=LINKS, result=None):
    with tempfile.TemporaryDirectory() as directory:
        for name, text in (("flows.csv", flows), ("links.csv", links),
                           ("result.json", json.dumps(result or RESULT))):
            if text is not None:
                with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                    file.write(text)
        yield directory


def trace_line(kind, now_s, **fields):
    return json.dumps({"kind": kind, "now_ns": round(now_s * 1e9), **fields}) + "\n"


def trace_text():
    lines = [trace_line("start", 5.0, version=3, algorithm="tfrc")]
    for i in range(40):
        now_s = 5.0 + i * 0.05
        lines.append(trace_line("sent", now_s, wire_bytes=1000))
        lines.append(trace_line("packet", now_s, status="lost" if i == 20 else "received",
                                sent_ns=0, arrived_ns=None if i == 20 else int(1e9 + 1e6 * i),
                                wire_bytes=1000))
        if i % 10 == 0:
            lines.append(trace_line("output", now_s, allowed_wire_bps=1000 * (i + 1), rtt_ns=50_000_000,
                                    target_media_bps=900 * (i + 1)))
    return "".join(lines)


@contextlib.contextmanager
def trace_of(*parts):
    """Newest part last, as they were written."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "t.jsonl")
        for age, text in enumerate(reversed(parts)):
            with open(path + (f".{age}" if age else ""), "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
        yield path


class LabRun(unittest.TestCase):
    def test_bytes_of_a_bin_become_rates(self):
        with run_directory() as directory:
            run = lab_run.read(directory)
        self.assertEqual([f.name for f in run.flows], ["a", "b"])
        self.assertEqual([f.group for f in run.flows], ["media", "tcp"])
        self.assertEqual(list(run.flows[0].sent_bps), [1_000_000, 1_000_000])
        self.assertEqual(list(run.flows[0].delivered_bps), [800_000, 1_000_000])
        self.assertEqual(list(run.flows[0].target_bps), [900_000, 800_000])
        self.assertEqual(list(run.flows[1].lost_packets), [0, 1])
        self.assertFalse(has(run.flows[1].delay_ms))
        self.assertEqual(list(run.links[0].delivered_bps), [1_000_000, 1_000_000])

    def test_a_queue_in_an_outage_is_a_gap(self):
        with run_directory() as directory:
            queue_ms = lab_run.read(directory).links[0].queue_ms
        self.assertEqual(queue_ms[0], 50.0)
        self.assertFalse(has(queue_ms[1:]))

    def test_only_flows_of_the_drawn_link_are_drawn(self):
        result = json.loads(json.dumps(RESULT))
        result["flows"][1]["links"] = ["l.reverse"]
        with run_directory(result=result) as directory:
            shown = lab_run.read(directory).focus()
        self.assertEqual([f.name for f in shown.flows], ["a"])
        self.assertEqual(shown.title, "two (link l)")

    def test_many_flows_are_drawn_as_groups(self):
        names = [f"f{i}" for i in range(30)]
        rows = [f"{t},{n},1000,1000,1000,1,1,0,0,1,10,5,0,0" for t in (0.5, 1) for n in names]
        result = {"flows": [{"name": n, "group": "odd" if i % 3 else "even"} for i, n in enumerate(names)]}
        with run_directory(flows="\n".join([FLOWS.splitlines()[0]] + rows) + "\n", result=result) as directory:
            shown = lab_run.read(directory).focus()
        self.assertEqual([f.name for f in shown.flows], ["even (10)", "odd (20)"])
        self.assertEqual(list(shown.flows[1].sent_bps), [20 * 16000] * 2)
        self.assertEqual(list(shown.flows[1].lost_packets), [20, 20])
        self.assertEqual(list(shown.flows[1].delay_ms), [5, 5])

    def test_the_link_used_most_is_the_bottleneck(self):
        with run_directory() as directory:
            self.assertEqual(lab_run.read(directory).bottleneck().name, "l")

    def test_tables_show_what_there_is(self):
        with run_directory() as directory:
            (heading, columns, rows), links = lab_run.read(directory).tables
        self.assertEqual(heading, "Flows")
        self.assertIn("delay p50, ms", columns)
        self.assertNotIn("MOS", columns)
        self.assertEqual(rows[1][columns.index("delay p50, ms")], "")
        self.assertEqual(links[0], "Links")

    def test_what_is_missing_is_named(self):
        cases = (({"result": "x"}, "result.json: not an object"), ({"flows": None}, "flows.csv"),
                 ({"links": "time_s,link\n"}, "no column capacity_bps"),
                 ({"flows": ""}, "flows.csv: not a CSV table"),
                 ({"flows": FLOWS.replace("50000,50", "xx,50", 1)}, "not all of column received_bytes are numbers"),
                 ({"flows": "".join(FLOWS.splitlines(keepends=True)[:3])}, "flows.csv: ends at 0.5 s of 1 s"))
        for change, says in cases:
            with run_directory(**change) as directory, self.assertRaises(Problem) as caught:
                lab_run.read(directory)
            self.assertIn(says, str(caught.exception))


class Trace(unittest.TestCase):
    def test_records_become_series_from_the_first_one_on(self):
        with trace_of(trace_text()) as path:
            flow = trace_file.read(path).flows[0]
        self.assertEqual(len(flow.time_s), 20)
        self.assertEqual(list(flow.sent_bps[:3]), [160_000] * 3)
        self.assertEqual(flow.lost_packets.sum(), 1)
        self.assertEqual(flow.lost_packets[10], 1)
        self.assertEqual(flow.delivered_bps.sum() * 0.1 / 8, 39_000)
        self.assertEqual(flow.target_bps[4], 900)  # the last answer holds
        self.assertEqual(flow.target_bps[5], 900 * 11)
        self.assertEqual(flow.delay_ms[0], 0.5)  # above the smallest: the clocks are strangers
        self.assertEqual(flow.rtt_ms[-1], 50)

    def test_what_limited_the_rate_is_a_table(self):
        figures = [trace_line("figures", 5.0 + i / 10, queueing_ns=0, send_queue_ns=0,
                              limited_by="loss" if i % 4 else "probing") for i in range(20)]
        with trace_of(trace_text() + "".join(figures)) as path:
            self.assertEqual(trace_file.read(path).tables, [("What limited the rate", ["cause", "of the time"],
                                                             [["loss", "75 %"], ["probing", "25 %"]])])
        with trace_of(trace_text()) as path:
            self.assertEqual(trace_file.read(path).tables, [])

    def test_what_was_late_is_not_lost_and_reports_count(self):
        late = trace_line("packet", 7.0, status="late", sent_ns=0, arrived_ns=int(1e9), wire_bytes=1000)
        report = trace_line("report", 7.05, expected_packets=10, lost_packets=1, packet_bytes=1000)
        with trace_of(trace_text() + late + report) as path:
            flow = trace_file.read(path).flows[0]
        self.assertEqual(flow.lost_packets.sum(), 1)
        self.assertEqual(flow.delivered_bps.sum() * 0.1 / 8, 49_000)

    def test_a_silence_of_years_costs_little(self):
        with trace_of(trace_text() + trace_line("timer", 1e9)) as path:
            flow = trace_file.read(path).flows[0]
        self.assertLess(len(flow.time_s), 1000)
        self.assertAlmostEqual(flow.time_s[-1], 1e9, delta=10)
        last = flow.sent_bps.nonzero()[0][-1]
        self.assertEqual(flow.sent_bps[last + 1], 0)
        self.assertAlmostEqual(flow.time_s[last + 1] - flow.time_s[last], 0.1)

    def test_parts_are_one_trace(self):
        lines = trace_text().splitlines(keepends=True)
        with trace_of(trace_text()) as path:
            whole = trace_file.read(path).flows[0]
        head = '{"kind":"part","version":3,"part":1}\n'
        with trace_of("".join(lines[:30]), head + "".join(lines[30:])) as path:
            parts = trace_file.read(path).flows[0]
        self.assertEqual(list(whole.sent_bps), list(parts.sent_bps))

    def test_what_is_wrong_is_said_with_its_line(self):
        good = trace_text()
        cases = (("\udcff\x00\n", "line 1: not a record of a trace"), (good + '{"kind":"se', "cut off in the middle of a line"), (good + "what\n", "line 86: not a record"),
                 ("", "an empty trace"), ('{"kind":"start","version":9}\n', "version 9"),
                 (good + '{"kind":"sent","now_ns":9}\n', "lacks a field"),
                 (good + '{"kind":"output","now_ns":9,"target_media_bps":"","allowed_wire_bps":1,"rtt_ns":1}\n', "lacks a field"), ("[]\n", "line 1: not a record"))
        for text, says in cases:
            with trace_of(text) as path, self.assertRaises(Problem) as caught:
                trace_file.read(path)
            self.assertIn(says, str(caught.exception))


class Demo(unittest.TestCase):
    def samples(self):
        return [scenario.Sample(time_s=(i + 1) / 10, capacity_bps=1_000_000, target_bps=900_000, sent_bps=800_000,
                                delivered_bps=700_000, cross_bps=100_000 if i > 50 else 0, queue_ms=5.0,
                                sent_packets=8, lost_packets=i % 2) for i in range(100)]

    def test_its_files_are_those_of_a_lab_run(self):
        with tempfile.TemporaryDirectory() as directory:
            files.write(directory, self.samples(), {"algorithm": "tfrc", "phases": [
                {"start_s": 5.0, "end_s": 10.0, "competitors": 2, "utilization": 0.9}]})
            run = lab_run.read(directory)
        self.assertEqual([f.name for f in run.flows], ["video", "TCP"])
        self.assertAlmostEqual(run.flows[0].sent_bps.mean(), 800_000, delta=1)
        self.assertAlmostEqual(run.links[0].queue_ms.mean(), 5.0)
        self.assertEqual(run.spans[0].text, "2 TCP flows")
        self.assertEqual(run.tables[0][0], "Phases")


def recorded(name):
    """A trace that a sending session wrote, of the corpus of the fuzzers."""
    with open(os.path.join(ROOT, "tests", "fuzz", "corpora", "trace.hex"), encoding="utf-8") as file:
        return next(bytes.fromhex(line.split()[0]).decode() for line in file if line.split()[1:] == [name])


def converted(text, form):
    with trace_of(text) as path:
        return json.loads("".join(events.texts(path, form)))


def known_to_qvis(event):
    """What qvis reads of an event, as draft-ietf-quic-qlog-quic-events-01 has it."""
    data = event["data"]
    category, name = event["name"].split(":")
    if category == "weir":
        return True
    if name == "metrics_updated":
        return data and data.keys() <= {"smoothed_rtt", "latest_rtt", "congestion_window", "bytes_in_flight", "pacing_rate"} \
            and all(isinstance(value, (int, float)) for value in data.values())
    whole = data["header"]["packet_type"] == "1RTT" and isinstance(data["header"]["packet_number"], int)
    if name == "packet_received":
        frame, = data["frames"]
        whole = whole and frame["frame_type"] == "ack" and all(first <= last for first, last in frame["acked_ranges"])
    return whole and name in ("packet_sent", "packet_received", "packet_lost") and (name != "packet_sent" or data["raw"]["length"] > 0)


class OtherTools(unittest.TestCase):
    def test_qlog_of_a_recorded_trace_is_as_its_schema_says(self):
        for name in ("gcc", "sluice", "tfrc"):
            text = recorded(name)
            log = converted(text, events.Qlog)
            self.assertEqual((log["qlog_version"], log["qlog_format"], len(log["traces"])), ("0.3", "JSON", 1))
            told = log["traces"][0]["events"]
            self.assertEqual([event for event in told if not known_to_qvis(event)], [])
            self.assertTrue(all(event["time"] >= 0 for event in told))
            self.assertEqual(sum(event["name"] == "transport:packet_sent" for event in told), text.count('"kind":"sent"'))

    def test_a_feedback_is_one_packet_with_ranges(self):
        packets = "".join(trace_line("packet", 1.1, seq=seq, status="lost" if seq == 3 else "received", sent_ns=0,
                                     arrived_ns=1, wire_bytes=9, ecn=0) for seq in (1, 2, 3, 4))
        text = trace_line("start", 1, version=3, algorithm="a") + trace_line("feedback", 1.1, rtt_ns=50_000_000, in_flight_bytes=7,
                                                                             n_packets=4) + packets
        told = converted(text, events.Qlog)["traces"][0]["events"]
        self.assertEqual([(event["name"], event["time"]) for event in told],
                         [("weir:algorithm_started", 0), ("recovery:metrics_updated", 100), ("recovery:packet_lost", 100),
                          ("transport:packet_received", 100)])
        self.assertEqual(told[1]["data"], {"latest_rtt": 50, "bytes_in_flight": 7})
        self.assertEqual(told[3]["data"]["frames"], [{"frame_type": "ack", "acked_ranges": [[1, 2], [4, 4]]}])

    def test_qlog_tells_metrics_when_they_change(self):
        fields = {"rtt_ns": 50_000_000, "window_bytes": 9000, "pacing_wire_bps": 5, "allowed_wire_bps": 4, "target_media_bps": 3}
        text = trace_line("start", 1, version=3, algorithm="a") + "".join(
            trace_line("output", 1 + i / 10, **{**fields, "window_bytes": 9000 if i < 3 else 8000}) for i in range(5))
        told = converted(text, events.Qlog)["traces"][0]["events"]
        self.assertEqual([(event["time"], event["data"]) for event in told if event["name"] == "recovery:metrics_updated"],
                         [(0, {"smoothed_rtt": 50, "congestion_window": 9000, "pacing_rate": 5}), (300, {"congestion_window": 8000})])

    def test_perfetto_gets_counters_losses_and_causes(self):
        figures = [trace_line("figures", 5.02 + i / 10, queueing_ns=2_000_000, send_queue_ns=None,
                              limited_by="loss" if i < 5 else "delay") for i in range(10)]
        lines = [line.replace('"status": "lost"', '"status": "lost", "seq": 20') for line in trace_text().splitlines(keepends=True)]
        lines = sorted(lines + figures, key=lambda line: json.loads(line)["now_ns"])
        told = converted("".join(lines), events.Perfetto)["traceEvents"]
        sent = [event for event in told if event["name"] == "sent, wire (bit/s)"]
        self.assertEqual({event["args"]["value"] for event in sent}, {160_000})
        self.assertEqual([event["ts"] for event in sent[:2]], [100_000, 200_000])
        self.assertEqual([event["ts"] for event in told if event["ph"] == "i"], [1_000_000])
        self.assertEqual([(event["ph"], event["name"]) for event in told if event["ph"] in "BE"],
                         [("B", "loss"), ("E", "loss"), ("B", "delay"), ("E", "delay")])
        self.assertTrue(all({"ph", "name", "pid", "tid"} <= event.keys() and (event["ph"] == "M" or event["ts"] >= 0)
                            for event in told))

    def test_what_is_no_trace_is_named(self):
        for form in (events.Qlog, events.Perfetto):
            for text, wanted in (('{"kind":"start","version":9}\n', "a trace of version 9; this program reads 3"), ("", "an empty trace"),
                                 (trace_line("output", 1, rtt_ns=1), 'a record "output" lacks a field')):
                with self.assertRaises(Problem) as caught:
                    converted(text, form)
                self.assertIn(wanted, str(caught.exception))


class Program(unittest.TestCase):
    def report(self, *arguments):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = main.main(list(arguments))
        return status, errors.getvalue()

    def test_each_ending_is_what_it_says(self):
        beginnings = {".png": b"\x89PNG", ".svg": b"<?xml", ".html": b"<!DOCTYPE html>"}
        with run_directory() as run, trace_of(trace_text()) as trace:
            for source in (run, trace):
                for ending, beginning in beginnings.items():
                    path = os.path.join(run, "picture" + ending)
                    self.assertEqual(self.report(source, "-o", path), (0, ""))
                    with open(path, "rb") as file:
                        self.assertTrue(file.read().startswith(beginning))

    def test_the_page_needs_nothing_else(self):
        with run_directory() as run:
            path = os.path.join(run, "page.html")
            self.report(run, "-o", path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.assertNotIn("src=", text)
        self.assertNotIn("<link", text)
        self.assertEqual(text.count("<svg"), 2)
        self.assertIn("Jain&#x27;s index 0.750", text)

    def test_groups_have_their_names_and_one_flow_is_not_called_fair(self):
        result = dict(RESULT, groups=[{"group": "media", "flows": 1, "goodput_bps": 900000}])
        self.assertEqual(lab_run.tables(result)[0],
                         ("Groups", ["group", "flows", "goodput, bit/s"], [["media", "1", "900 000"]]))
        one = dict(RESULT, flows=[dict(flow, tested=flow["name"] == "a") for flow in RESULT["flows"]])
        self.assertEqual((lab_run.note(RESULT), lab_run.note(one)), ("Jain's index 0.750, seed 3", "seed 3"))

    def test_the_same_run_gives_the_same_picture(self):
        with run_directory() as run:
            texts = []
            for name in ("1.svg", "2.svg"):
                draw.matplotlib.rcParams["svg.hashsalt"] = "fixed"
                self.report(run, "-o", os.path.join(run, name))
                with open(os.path.join(run, name), encoding="utf-8") as file:
                    texts.append(file.read())
        self.assertEqual(*texts)

    def test_many_flows_fit_into_one_picture(self):
        rows = [f"{t},flow{i},1000,1000,1000,1,0,0,0,1,10,5,0,0" for t in (0.5, 1) for i in range(60)]
        head = FLOWS.splitlines()[0]
        with run_directory(flows="\n".join([head] + rows) + "\n") as run:
            self.assertEqual(self.report(run, "-o", os.path.join(run, "a.png")), (0, ""))

    def test_what_cannot_be_converted_leaves_no_file(self):
        with run_directory() as run, trace_of(recorded("gcc") + "what\n") as trace:
            path = os.path.join(run, "out.qlog")
            for source, wanted in ((trace, "not a record of a trace"), (run, "is a directory; of it: .html, .png or .svg")):
                status, errors = self.report(source, "-o", path)
                self.assertEqual((status, os.path.exists(path)), (2, False))
                self.assertIn(wanted, errors)
            as_json = os.path.join(run, "trace.json")
            os.rename(trace, as_json)
            self.assertIn("is what is to be read", self.report(as_json, "-o", as_json)[1])
            self.assertTrue(os.path.exists(as_json))
            os.rename(as_json, trace)

    def test_wrong_input_is_one_line_and_status_two(self):
        with run_directory(flows=FLOWS.splitlines()[0] + "\n") as empty:
            for arguments in ([], [empty], ["a", "b", "-o", "c.png"], ["/nowhere", "-o", "a.png"], [empty, "-o", "a.gif"], [empty, "-o", "/nowhere/a.png"],
                              [empty, "-o", os.path.join(empty, "a.png")]):
                status, errors = self.report(*arguments)
                self.assertEqual(status, 2)
                self.assertEqual(errors.count("\n"), 1)


if __name__ == "__main__":
    tap.main()
