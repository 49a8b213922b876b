# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-watch without a browser: what it reads, what it keeps, what it serves, what it says when something is wrong."""
import asyncio
import hashlib
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WATCH = os.path.join(ROOT, "tools", "watch")
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools")]
import tap  # noqa: E402
from traces import Problem  # noqa: E402
from watch import main, messages, metrics, store, structure, tail, trace, uplot  # noqa: E402

HAS_AIOHTTP = importlib.util.find_spec("aiohttp") is not None
if HAS_AIOHTTP:
    from watch import server, sources
HAS_PROMETHEUS = importlib.util.find_spec("prometheus_client") is not None
NEEDS_AIOHTTP = unittest.skipUnless(HAS_AIOHTTP, "python3-aiohttp is not installed")
LAUNCHER = os.path.join(ROOT, "tools", "weir-watch")

LINE = ('Got message #103 from element "s" (element): weir-stats, time=(gint64)2000326291, target-bitrate=(gint64)754843, '
        'sent-bitrate=(gint64)3067900, rtt=(gint64)129927514, loss-ratio=(double)0.0373, limited-by=(string)send-queue, '
        'picture=(string)"960x540\\@30", picture-reason=(string)low-bitrate, receiver=(string)"2528a912\\ of\\ 2:\\ 3.8\\ \\%\\ lost", repair-percentage=(uint)35, repair-reason=(string)loss, packets-sent=(guint64)466, algorithm=(string)tfrc, tfrc.loss_event_rate=(double)0.0031;')
LINK_LINE = ('Got message #101 from element "l" (element): weir-stats, time=(gint64)2000020917, capacity=(gint64)2500000, '
             'queue-delay=(gint64)135236455, offered-packets=(gint64)466;')
RECV_LINE = 'Got message #102 from element "r" (element): weir-stats, bitrate=(gint64)2461393, mos=(double)3.86;'


def new_store(keep_s=600):
    return store.Store("test", keep_s)


def record(kind, now_s, **fields):
    return json.dumps({"kind": kind, "now_ns": round(now_s * 1e9), **fields})


def trace_lines(seconds=3, start_s=5.0):
    """One packet of 1250 bytes each 10 ms (1 Mbit/s); every tenth is lost, 50 ms later it is known."""
    lines = [record("start", start_s, version=3, algorithm="tfrc")]
    for i in range(100 * seconds):
        now_s = start_s + i / 100
        lines.append(record("sent", now_s, wire_bytes=1250))
        if i >= 5:
            lines.append(record("packet", now_s, status="received" if i % 10 else "lost", wire_bytes=1250))
        if i % 10 == 0:
            lines.append(record("figures", now_s, limited_by="loss", queueing_ns=7_000_000, send_queue_ns=None))
            lines.append(record("output", now_s, target_media_bps=900_000 + i, allowed_wire_bps=1_000_000, rtt_ns=50_000_000))
        if i % 100 == 0:
            lines.append(record("variable", now_s, name="loss_events", value=i))
    return lines


class Messages(unittest.TestCase):
    def test_a_message_is_read_with_its_types(self):
        element, fields = structure.read_stats(LINE)
        self.assertEqual(element, "s")
        self.assertEqual(fields["target-bitrate"], 754843)
        self.assertEqual(fields["loss-ratio"], 0.0373)
        self.assertEqual(fields["limited-by"], "send-queue")
        self.assertEqual(fields["tfrc.loss_event_rate"], 0.0031)

    def test_quoted_texts_and_structures_do_not_disturb(self):
        line = ('Got message #1 from element "my s" (element): weir-stats, a=(string)"x\\,\\ b\\=\\(int\\)1", '
                'sub=(structure)"y\\,\\ c\\=\\(int\\)2\\;", flags=(GstWeirFeedback)RFC 8888 and more+others, d=(boolean)true, e=(uint)4;')
        self.assertEqual(structure.read_stats(line), ("my s", {"a": "x, b=(int)1", "d": True, "e": 4}))

    def test_gstreamer_reads_the_same(self):
        """And where it knows a type less, nothing: the reason why its reader is not used."""
        try:
            import gi
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
        except (ImportError, ValueError) as missing:
            self.skipTest(f"without python3-gi and gir1.2-gstreamer-1.0: {missing}")
        Gst.init(None)
        for line in (LINE, LINK_LINE, RECV_LINE):
            found = Gst.Structure.from_string(line[line.index("weir-stats"):].rstrip())[0]
            names = [found.nth_field_name(i) for i in range(found.n_fields())]
            self.assertEqual(structure.read_stats(line)[1], {name: found.get_value(name) for name in names})
        with self.assertRaises(TypeError):
            Gst.Structure.from_string("weir-stats, a=(NobodysEnum)one, b=(int)1;")

    def test_other_lines_are_none(self):
        for line in ("", "Setting pipeline to PAUSED ...", 'Got message #1 from element "s" (eos): no message details',
                     'Got message #1 from element "s" (element): other, a=(int)1;', "weir-stats", "\0\xff", LINE[:60]):
            self.assertIsNone(structure.read_stats(line))
        self.assertEqual(structure.read_stats('Got message #1 from element "s" (element): weir-stats;'), ("s", {}))

    def test_nonsense_values_are_left_out(self):
        line = 'Got message #1 from element "s" (element): weir-stats, a=(int)x, b=(double)nan, c=(double)inf, d=(int)1;'
        self.assertEqual(structure.read_stats(line), ("s", {"d": 1}))

    def test_rows_have_the_units_of_the_page(self):
        seen = new_store()
        for line in (LINE, LINK_LINE, RECV_LINE):
            self.assertTrue(messages.take_line(seen, line))
        self.assertEqual(sorted(seen.tracks), ["l", "s"])
        time_s, row = seen.tracks["s"].rows[0]
        self.assertAlmostEqual(time_s, 2.000326291)
        self.assertAlmostEqual(row["rtt_ms"], 129.927514)
        self.assertAlmostEqual(row["loss_percent"], 3.73)
        self.assertEqual(row["limit"], "send-queue")
        self.assertEqual(row["picture"], "960x540@30")
        self.assertEqual(row["picture_reason"], "low-bitrate")
        self.assertEqual(row["receiver"], "2528a912 of 2: 3.8 % lost")
        self.assertEqual((row["repair_percent"], row["repair_reason"]), (35, "loss"))
        self.assertEqual(row["tfrc.loss_event_rate"], 0.0031)
        self.assertEqual(seen.tracks["l"].rows[0][1], {"capacity_bps": 2500000, "link_queue_ms": 135.236455})

    def test_a_link_in_an_outage_has_no_queue(self):
        seen = new_store()
        messages.take_line(seen, LINK_LINE.replace("135236455", str(2**63 - 1)).replace("2500000", "0"))
        self.assertEqual(seen.tracks["l"].rows[0][1], {"capacity_bps": 0})

    def test_warnings_and_errors_are_noticed(self):
        seen = new_store()
        messages.take_line(seen, "WARNING: from element /GstPipeline:pipeline0/GstWeirSend:s: No feedback: x")
        messages.take_line(seen, "ERROR: from element /GstPipeline:pipeline0/GstUDPSrc:u: gone")
        self.assertEqual(list(seen.notices), [{"element": "s", "text": "No feedback: x"}, {"element": "u", "text": "gone"}])


class Titles(unittest.TestCase):
    def test_the_page_shows_no_key(self):
        line = ["--", "gst-launch-1.0", "weirsend", "srtp-key=00ff11", "!", "srtpenc", "key=00ff11", "!", "udpsink"]
        self.assertEqual(main.title_of(main.parse_arguments(line)),
                         "gst-launch-1.0 weirsend srtp-key=... ! srtpenc key=... ! udpsink")
        caps = "caps=application/x-srtp,srtp-key=(buffer)00ff11,payload=96"
        self.assertEqual(main.title_of(main.parse_arguments(["--", caps])), "caps=application/x-srtp,srtp-key=...,payload=96")


class Traces(unittest.TestCase):
    def rows_of(self, lines, keep_s=600):
        seen = new_store(keep_s)
        rows = trace.Rows(seen, "t")
        for line in lines:
            self.assertTrue(rows.take_line(line.encode()), line)
        return list(seen.tracks["t"].rows)

    def test_records_become_rows_five_times_a_second(self):
        rows = self.rows_of(trace_lines())
        self.assertEqual([round(time_s, 6) for time_s, _ in rows], [round(0.2 * i, 6) for i in range(1, 15)])
        row = rows[-1][1]
        self.assertEqual(row["sent_bps"], 1_000_000)
        self.assertEqual(row["delivered_bps"], 900_000)
        self.assertAlmostEqual(row["loss_percent"], 10, delta=0.2)
        self.assertEqual(row["target_bps"], 900_270)
        self.assertEqual(row["rtt_ms"], 50)
        self.assertEqual(row["queueing_ms"], 7)
        self.assertNotIn("send_queue_ms", row)
        self.assertEqual(row["limit"], "loss")
        self.assertEqual(row["tfrc.loss_events"], 200)

    def test_another_algorithm_has_other_variables(self):
        lines = trace_lines(1) + [record("start", 6.0, version=3, algorithm="fixed"), record("timer", 7.0)]
        row = self.rows_of(lines)[-1][1]
        self.assertEqual(row["algorithm"], "fixed")
        self.assertNotIn("tfrc.loss_events", row)

    def test_reports_count_too(self):
        lines = [record("start", 0, version=3, algorithm="lda"),
                 record("report", 0.1, expected_packets=10, lost_packets=1, packet_bytes=1000), record("timer", 0.3)]
        row = self.rows_of(lines)[0][1]
        self.assertEqual(row["delivered_bps"], 9 * 8000 / 0.2)
        self.assertEqual(row["loss_percent"], 10)

    def test_a_long_silence_costs_no_rows(self):
        rows = self.rows_of(trace_lines(1) + [record("timer", 86400)])
        self.assertLess(len(rows), 200)
        self.assertEqual(rows[-1][1]["sent_bps"], 0)
        self.assertAlmostEqual(rows[-1][0], 86400 - 5, delta=0.2)

    def test_the_first_line_of_a_part_is_no_row_and_no_fault(self):
        lines = trace_lines()
        part = json.dumps({"kind": "part", "version": 3, "part": 1})
        self.assertEqual(self.rows_of(lines[:30] + [part] + lines[30:]), self.rows_of(lines))

    def test_bad_lines_are_told_from_good_ones(self):
        rows = trace.Rows(new_store(), "t")
        for line in (b"", b"x", b"{}", b"[]", b"null", b'{"kind":"what"}', b'{"kind":"sent"}', b'{"kind":"sent","now_ns":"x"}', b"\xff",
                     b'{"kind":["sent"],"now_ns":1}', b'{"kind":"sent","now_ns":1}',
                     b'{"kind":"variable","now_ns":1,"name":"a","value":' + b"[" * 100000 + b"]" * 100000 + b"}",
                     b'{"kind":"sent","now_ns":1,"wire_bytes":' + b"9" * 4000 + b"}", b'{"kind":"sent","now_ns":1e999,"wire_bytes":1}',
                     b'{"kind":"timer","now_ns":NaN}', b'{"kind":"variable","now_ns":1,"name":"a","value":[1]}'):
            self.assertFalse(rows.take_line(line), line)
        with self.assertRaises(Problem) as caught:
            rows.take_line(record("start", 0, version=9, algorithm="x"))
        self.assertIn("version 9", str(caught.exception))


class Stores(unittest.TestCase):
    def test_only_the_last_minutes_are_kept(self):
        seen = new_store(keep_s=10)
        for i in range(1000):
            seen.add("sender", "s", i / 10, {"a": i})
        track = seen.tracks["s"]
        self.assertEqual(len(track.rows), 101)
        self.assertAlmostEqual(track.rows[0][0], 89.9)

    def test_a_flood_of_rows_is_bounded(self):
        seen = new_store(keep_s=600)
        for i in range(store.MOST_ROWS + 500):
            seen.add("sender", "s", i / 1e6, {"a": i})
        self.assertEqual(len(seen.tracks["s"].rows), store.MOST_ROWS)

    def test_the_past_is_kept_whole_and_gets_coarser(self):
        seen = new_store(keep_s=None)
        for i in range(3 * store.MOST_ROWS):
            seen.add("sender", "s", i, {"a": 4, "limit": "loss", "b": i % 2 == 0})
        rows = seen.tracks["s"].rows
        self.assertLessEqual(len(rows), store.MOST_ROWS)
        self.assertGreater(len(rows), store.MOST_ROWS // 3)
        self.assertLess(rows[0][0], 16)
        self.assertEqual(rows[-1][0], 3 * store.MOST_ROWS - 1)
        self.assertTrue(all(row["a"] == 4 and row["limit"] == "loss" for _, row in rows))

    def test_elements_are_bounded(self):
        seen = new_store()
        for i in range(500):
            seen.add("sender", f"s{i}", 1, {})
        self.assertEqual(len(seen.tracks), store.MOST_TRACKS)

    def test_time_that_goes_back_is_a_new_run(self):
        seen, told = new_store(), []
        seen.listeners.append(lambda kind, data: told.append(kind))
        for time_s in (1, 2, 2, 1, 2):
            seen.add("sender", "s", time_s, {"a": time_s})
        self.assertEqual([time_s for time_s, _ in seen.tracks["s"].rows], [1, 2])
        self.assertEqual(told, ["begin", "row", "row", "begin", "row", "row"])

    def test_history_has_a_place_for_every_value(self):
        seen = new_store()
        seen.add("sender", "s", 1, {"a": 1})
        seen.add("sender", "s", 2, {"b": 2})
        self.assertEqual(seen.history()["tracks"]["s"],
                         {"kind": "sender", "t": [1, 2], "columns": {"a": [1, None], "b": [None, 2]}})


class Tails(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = os.path.join(self.directory.name, "t")
        self.lines, self.begins = [], []
        self.tail = tail.Tail(self.path, lambda line: self.lines.append(line.decode()), self.begins.append)
        self.addCleanup(self.tail.close)

    def write(self, text, path=None, mode="a"):
        with open(path or self.path, mode, encoding="utf-8") as file:
            file.write(text)

    async def test_lines_come_when_they_are_whole(self):
        await self.tail.poll()  # no file yet
        self.write("one\ntw")
        await self.tail.poll()
        self.assertEqual(self.lines, ["one"])
        self.write("o\nthree\n")
        await self.tail.poll()
        self.assertEqual(self.lines, ["one", "two", "three"])
        self.assertEqual(self.begins, [False])

    async def test_a_rotated_file_is_followed_without_a_gap(self):
        self.write("1\n")
        await self.tail.poll()
        self.write("2\n3\n")
        os.rename(self.path, self.path + ".1")
        self.write("4\n")
        await self.tail.poll()
        self.write("5\n")
        await self.tail.poll()
        self.assertEqual(self.lines, ["1", "2", "3", "4", "5"])
        self.assertEqual(self.begins, [False, True])

    async def test_a_moment_without_a_file_is_waited_through(self):
        self.write("1\n")
        await self.tail.poll()
        os.rename(self.path, self.path + ".1")
        await self.tail.poll()
        self.write("2\n")
        await self.tail.poll()
        self.assertEqual(self.lines, ["1", "2"])

    async def test_a_file_written_anew_begins_anew(self):
        self.write("old old old\n")
        await self.tail.poll()
        self.write("new\n", mode="w")
        await self.tail.poll()
        self.assertEqual(self.lines, ["old old old", "new"])
        self.assertEqual(self.begins, [False, False])

    async def test_a_line_without_end_costs_no_memory(self):
        self.write("x" * (3 * tail.CHUNK_BYTES))
        await self.tail.poll()
        self.assertLess(len(self.tail.rest), tail.LONGEST_LINE_BYTES)
        self.write("x\ngood\n")
        await self.tail.poll()
        self.assertEqual(self.lines, ["good"])


@NEEDS_AIOHTTP
class TraceSources(unittest.IsolatedAsyncioTestCase):
    async def rows_after(self, write):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "t.jsonl")
            write(path)
            seen = new_store()
            source = asyncio.create_task(sources.TraceSource(seen, path).run())
            await asyncio.sleep(0.1)
            while not seen.tracks and not source.done():
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.1)
            if source.done():
                source.result()
            source.cancel()
            return [time_s for time_s, _ in seen.tracks["t.jsonl"].rows]

    @staticmethod
    def put(path, lines):
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))

    async def test_old_parts_come_first(self):
        lines = trace_lines()
        whole = await self.rows_after(lambda path: self.put(path, lines))

        def write(path):
            self.put(path + ".2", lines[:200])
            self.put(path + ".1", [record("part", 5.5, version=3, part=1), *lines[200:400]])
            self.put(path, [record("part", 6.5, version=3, part=2), *lines[400:]])

        self.assertEqual(await self.rows_after(write), whole)

    async def test_a_bad_line_among_good_ones_is_left_out(self):
        lines = trace_lines()
        with unittest.mock.patch.object(sources, "say") as said:
            rows = await self.rows_after(lambda path: self.put(path, [*lines[:50], "what", "{", *lines[50:]]))
        self.assertEqual(len(rows), 14)
        said.assert_called_once()
        self.assertIn("line 51", said.call_args.args[0])

    async def test_what_is_no_trace_is_refused(self):
        for lines, says in ((["PNG"], "line 1: not a record"), ([record("start", 0, version=7, algorithm="x")], "version 7")):
            with self.assertRaises(Problem) as caught:
                await self.rows_after(lambda path, lines=lines: self.put(path, lines))
            self.assertIn(says, str(caught.exception))

    async def test_the_log_of_a_link_is_read(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "l.csv")
            self.put(path, ["time_s,capacity_bps,offered_bps,delivered_bps,cross_bps,queue_ms,drops", "0.1,2500000,1,1,0,3.5,0",
                            "bad", "0.2,0,1,1,0,,0"])
            seen = new_store()
            source = asyncio.create_task(sources.LinkSource(seen, path).run())
            while "l.csv" not in seen.tracks or len(seen.tracks["l.csv"].rows) < 2:
                await asyncio.sleep(0.05)
            source.cancel()
            self.assertEqual(list(seen.tracks["l.csv"].rows),
                             [(0.1, {"capacity_bps": 2.5e6, "link_queue_ms": 3.5}), (0.2, {"capacity_bps": 0.0})])


class Metrics(unittest.TestCase):
    def text_of(self, *lines):
        seen = new_store()
        for line in lines:
            messages.take_line(seen, line)
        return metrics.text(seen)

    def test_a_row_has_base_units_and_w3cs_names(self):
        lines = self.text_of(LINE, LINK_LINE).splitlines()
        for wanted in ('weir_target_bitrate_bits_per_second{element="s"} 754843.0', 'weir_packets_sent_total{element="s"} 466.0',
                       'weir_limited_by{element="s",cause="send-queue"} 1.0', "weir_watch_ended 0",
                       'weir_algorithm_variable{element="s",algorithm="tfrc",variable="loss_event_rate"} 0.0031',
                       'weir_link_capacity_bits_per_second{element="l"} 2500000.0', "# TYPE weir_packets_sent_total counter"):
            self.assertIn(wanted, lines)
        marked = self.text_of(LINE.replace("weir-stats, ", "weir-stats, packets-ecn-ce=(guint64)3, ")).splitlines()
        self.assertIn('weir_packets_received_with_ce_total{element="s"} 3.0', marked)
        rtt = next(line for line in lines if line.startswith("weir_round_trip_time_seconds{"))
        self.assertAlmostEqual(float(rtt.split()[-1]), 0.129927514)

    def test_a_trace_counts_bytes_from_its_start(self):
        seen = new_store()
        rows = trace.Rows(seen, "t")
        for line in trace_lines():
            rows.take_line(line.encode())
        ends = 14 * trace.Rows.BIN_NS / 1e9
        self.assertIn(f'weir_wire_bytes_sent_total{{element="t"}} {ends * 125_000:.1f}', metrics.text(seen).splitlines())

    def test_what_is_not_known_and_what_has_ended_is_left_out(self):
        self.assertEqual(self.text_of(), f"# HELP weir_watch_ended {metrics.ENDED[2]}\n# TYPE weir_watch_ended gauge\nweir_watch_ended 0\n")
        self.assertNotIn("weir_mos", self.text_of(LINE))
        seen = new_store()
        messages.take_line(seen, LINE)
        seen.end("over")
        self.assertEqual([line for line in metrics.text(seen).splitlines() if line[0] != "#"], ["weir_watch_ended 1"])

    def test_a_name_cannot_end_its_label(self):
        seen = new_store()
        seen.add("sender", 'a"} 1\nforged{b="\\', 1, {"sent_bps": 1})
        self.assertIn('weir_sent_bitrate_bits_per_second{element="a\\"} 1\\nforged{b=\\"\\\\"} 1.0', metrics.text(seen).splitlines())

    @unittest.skipUnless(HAS_PROMETHEUS, "python3-prometheus-client is not installed")
    def test_prometheus_own_parser_reads_it(self):
        from prometheus_client.parser import text_string_to_metric_families
        seen = new_store()
        messages.take_line(seen, LINE.replace("weir-stats, ", "weir-stats, mos=(double)4, ").replace('"s"', "'s'"))
        messages.take_line(seen, LINE)
        messages.take_line(seen, LINK_LINE)
        families = {family.name: family for family in text_string_to_metric_families(metrics.text(seen))}
        self.assertEqual(families["weir_packets_sent"].type, "counter")
        self.assertEqual(families["weir_link_queue_delay_seconds"].samples[0].labels, {"element": "l"})
        self.assertTrue(all(family.documentation for family in families.values()))

    def test_the_dashboard_asks_for_what_there_is(self):
        with open(os.path.join(ROOT, "examples", "grafana", "weir.json"), encoding="utf-8") as file:
            asked = set(re.findall(r"weir_\w+", file.read()))
        there = {name for name, *_ in (*metrics.METRICS.values(), metrics.LIMIT, metrics.VARIABLE)}
        self.assertEqual(asked - there, set())


@NEEDS_AIOHTTP
class Events(unittest.TestCase):
    def test_an_event_is_one_line_of_json(self):
        text = server.event_text("rows", [{"a": "x\ny", "b": None}])
        self.assertEqual(text, 'event: rows\ndata: [{"a":"x\\ny","b":null}]\n\n')
        with self.assertRaises(ValueError):
            server.event_text("rows", float("nan"))

    def test_a_page_gets_the_history_and_then_rows_together(self):
        seen = new_store()
        seen.add("sender", "s", 1, {"a": 1})
        client = server.Client(seen)
        seen.listeners.append(client.on_event)
        seen.add("sender", "s", 2, {"a": 2})
        self.assertTrue(client.take().startswith('event: history\ndata: {"title":"test"'))
        seen.add("sender", "s", 3, {"a": 3})
        seen.add("sender", "s", 4, {"a": 4})
        seen.notice("s", "hm")
        self.assertEqual(client.take(), 'event: rows\ndata: [{"name":"s","t":3,"values":{"a":3}},{"name":"s","t":4,"values":{"a":4}}]\n\n'
                                        'event: notice\ndata: {"element":"s","text":"hm"}\n\n')
        self.assertEqual(client.take(), "")

    def test_a_slow_page_costs_no_memory_and_gets_the_history_anew(self):
        seen = new_store()
        client = server.Client(seen)
        seen.listeners.append(client.on_event)
        client.take()
        for i in range(server.MOST_PENDING + 1):
            seen.add("sender", "s", i, {"a": i})
        self.assertIsNone(client.pending)
        for i in range(5000):
            seen.add("sender", "s", 10000 + i, {"a": i})
        self.assertIsNone(client.pending)
        self.assertTrue(client.take().startswith("event: history\n"))
        seen.add("sender", "s", 20000, {"a": 1})
        self.assertTrue(client.take().startswith("event: rows\n"))


@NEEDS_AIOHTTP
class Served(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.directory = tempfile.TemporaryDirectory()
        for name in uplot.FILES:
            with open(os.path.join(self.directory.name, name), "w", encoding="utf-8") as file:
                file.write("uplot")
        self.store = new_store()
        self.server = server.Server(self.store, self.directory.name)
        self.host, self.port = await self.server.start("127.0.0.1", 0)

    async def asyncTearDown(self):
        await self.server.stop()
        self.directory.cleanup()

    async def get(self, path, **headers):
        def fetch():
            request = urllib.request.Request(f"http://{self.host}:{self.port}{path}", headers=headers)
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.headers, answer.read()
        return await asyncio.to_thread(fetch)

    async def open_events(self):
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        self.assertIn(b"Content-Type: text/event-stream", head)
        return reader, writer

    async def test_the_page_needs_nothing_from_elsewhere(self):
        for path in (*server.PAGE, *server.UPLOT, "/variables.json", "/limits.json"):
            headers, body = await self.get(path)
            self.assertTrue(body)
            self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
            outside = re.findall(rb"https?://(?!www\.w3\.org/2000/svg)[^'\" ]+", body)
            self.assertEqual(outside, [], path)

    async def test_metrics_are_of_now(self):
        for count in (1, 2):
            self.store.add("sender", "s", count, {"sent_packets": count})
            headers, body = await self.get("/metrics")
            self.assertEqual(headers["Content-Type"], metrics.CONTENT_TYPE)
            self.assertIn(f'weir_packets_sent_total{{element="s"}} {count}.0', body.decode().splitlines())

    async def test_several_pages_get_the_same(self):
        pages = [await self.open_events() for _ in range(3)]
        for reader, _ in pages:
            await asyncio.wait_for(reader.readuntil(b"event: history"), 5)
        self.store.add("sender", "s", 1, {"a": 1})
        for reader, writer in pages:
            await asyncio.wait_for(reader.readuntil(b'"t":1,"values":{"a":1}'), 5)
            writer.close()

    async def test_a_page_that_left_is_forgotten(self):
        reader, writer = await self.open_events()
        await asyncio.wait_for(reader.readuntil(b"event: history"), 5)
        writer.close()
        for i in range(50):
            self.store.add("sender", "s", i, {"a": 1})
            await asyncio.sleep(0.05)
            if not self.server.clients:
                break
        self.assertEqual((self.server.clients, self.store.listeners), (set(), []))

    async def test_only_those_who_ask_for_us_are_answered(self):
        for host in ("localhost", "LOCALHOST.", f"localhost:{self.port}", "127.0.0.1", "192.0.2.1:80", f"[::1]:{self.port}", "[::1]",
                     socket.gethostname(), socket.gethostname() + ".local:8844"):
            self.assertTrue((await self.get("/", Host=host))[1], host)
        for host in ("evil.example", f"evil.example:{self.port}", "localhost.evil.example", "127.0.0.1.evil.example", "[evil]", "x"):
            for path in ("/", "/events"):
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    await self.get(path, Host=host)
                self.assertEqual(caught.exception.code, 421, host)
                self.assertIn(b"open it by its address", caught.exception.read())
                caught.exception.close()

    async def test_too_many_pages_are_refused(self):
        with unittest.mock.patch.object(server, "MOST_CLIENTS", 0), self.assertRaises(urllib.error.HTTPError) as caught:
            await self.get("/events")
        self.assertEqual(caught.exception.code, 503)
        caught.exception.close()

    async def test_a_port_in_use_is_said(self):
        second = server.Server(self.store, self.directory.name)
        with self.assertRaises(Problem) as caught:
            await second.start("127.0.0.1", self.port)
        self.assertIn(f"port {self.port} at 127.0.0.1 is in use; choose another with --port", str(caught.exception))


class Texts(unittest.TestCase):
    def test_the_sentences_are_the_librarys(self):
        with open(os.path.join(ROOT, "lib", "session", "limited_by.c"), encoding="utf-8") as file:
            text = file.read()
        table = text[text.index("causes[] = {"):text.index("static bool is_cause")]
        library = {name: "".join(re.findall(r'"([^"]*)"', rest)) for name, rest in re.findall(r'\{\s*"([a-z-]+)",\s*((?:"[^"]*"\s*)+)\}', table)}
        with open(os.path.join(WATCH, "limits.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), library)
        with open(os.path.join(WATCH, "page", "style.css"), encoding="utf-8") as file:
            style = file.read()
        for name in library:
            self.assertIn("--limit-loss:" if name == "loss" else f"--{name}:", style)

    @unittest.skipUnless(os.environ.get("WEIR_LAB"), "weir-lab is not built")
    def test_every_variable_is_described(self):
        def lab(*arguments):
            return json.loads(subprocess.run([os.environ["WEIR_LAB"], *arguments, "--json"], check=True, stdout=subprocess.PIPE).stdout)
        with open(os.path.join(WATCH, "variables.json"), encoding="utf-8") as file:
            described = set(json.load(file))
        used = set()
        for algorithm in lab("list", "algorithms")["algorithms"]:
            run = lab("run", "dumbbell", "--algorithm", algorithm["name"], "--duration", "1", "--set", "measure.from_s=0")
            used |= set(next(f for f in run["flows"] if f["tested"])["variables"])
        self.assertEqual(used - described, set())
        self.assertEqual(described - used, set())


@NEEDS_AIOHTTP
class Program(unittest.TestCase):
    """As a user starts it. uPlot is given, so that nothing is fetched."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.home = os.path.join(self.directory.name, "watch")
        shutil.copytree(WATCH, self.home, ignore=shutil.ignore_patterns("__pycache__", "uplot"))
        for name in ("tools/traces.py", "tools/weir_version.py", "VERSION"):
            shutil.copy(os.path.join(ROOT, name), self.directory.name)
        shutil.copy(LAUNCHER, self.directory.name)
        os.mkdir(os.path.join(self.home, "uplot"))
        for name in uplot.FILES:
            with open(os.path.join(self.home, "uplot", name), "w", encoding="utf-8") as file:
                file.write("x")

    def run_program(self, *arguments, text="", **environment):
        done = subprocess.run([os.path.join(self.directory.name, "weir-watch"), *arguments], input=text, capture_output=True,
                              text=True, timeout=60, check=False, env=dict(os.environ, **environment))
        return done.returncode, done.stdout, done.stderr

    def test_what_is_wrong_is_one_sentence_and_a_status(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            cases = (((), 2, "one of: a trace file, -, or a command behind --"), (("--",), 1, "nothing behind --"),
                     (("a", "--", "b"), 2, "one of:"), (("--port", "99999", "-"), 2, "--port 99999 is out of range"),
                     (("--minutes", "0", "-"), 2, "--minutes 0 is out of range"), ((self.home,), 1, "a directory"),
                     (("/nowhere/t.jsonl",), 1, "there is no directory /nowhere"), (("--port", "0", "--", "no-such-program"), 1, "no such program"),
                     (("--port", port, "-"), 1, f"port {port} at 127.0.0.1 is in use; choose another with --port"),
                     (("--port", "0", "-"), 1, "the input ended without a message weir-stats; run gst-launch-1.0 with -m"),
                     (("--port", "0", os.path.join(self.home, "main.py")), 1, "line 1: not a record of a trace"),
                     (("--host", "203.0.113.7", "--port", "0", "-"), 1, "cannot listen at 203.0.113.7"))
            for arguments, status, says in cases:
                got = self.run_program(*arguments)
                self.assertEqual(got[0], status, (arguments, got))
                self.assertIn(says, got[2])
                self.assertNotIn("Traceback", got[2])

    def test_it_ends_with_its_command_and_as_that_did(self):
        status, out, errors = self.run_program("--port", "0", "--", "sh", "-c", "echo 'Setting pipeline'; echo '" + LINE + "'; exit 7")
        self.assertEqual((status, out), (7, "Setting pipeline\n" + LINE + "\n"))
        self.assertRegex(errors, r"^weir-watch: http://127\.0\.0\.1:\d+/\n$")

    def test_a_line_of_gst_launch_gets_its_messages_and_hides_them(self):
        program = os.path.join(self.directory.name, "gst-launch-1.0")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho \"$@\"\necho '{LINE}'\n")
        os.chmod(program, 0o755)
        self.assertEqual(self.run_program("--port", "0", "--", program, "fakesrc")[1], "-m fakesrc\n")
        self.assertEqual(self.run_program("--port", "0", "--", program, "-m", "fakesrc")[1], f"-m fakesrc\n{LINE}\n")

    def test_a_signal_ends_command_and_page(self):
        program = subprocess.Popen([os.path.join(self.directory.name, "weir-watch"), "--port", "0", "--", "sh", "-c",
                                    "echo $$; exec sleep 100"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with program:
            child = int(program.stdout.readline())
            program.terminate()
            program.wait(30)
        self.assertEqual(program.returncode, 128 + 15)
        self.assertFalse(os.path.exists(f"/proc/{child}"))

    def test_without_uplot_and_network_it_says_what_to_do(self):
        shutil.rmtree(os.path.join(self.home, "uplot"))
        status, _, errors = self.run_program("--port", "0", "-", XDG_CACHE_HOME=self.directory.name, PIP_RETRIES="0",
                                             PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_FIND_LINKS="")
        self.assertEqual(status, 1)
        self.assertRegex(errors, "uPlot, which draws the curves.*; (apt-get install python3-pip, and )?start again while online")

    def test_without_pip_uplot_is_not_fetched(self):
        with unittest.mock.patch("importlib.util.find_spec", return_value=None):
            self.assertRaisesRegex(Problem, "pip, which would fetch it, is missing.*python3-pip", uplot.fetch, self.home)

    def test_a_package_is_unpacked_to_what_is_served(self):
        package = os.path.join(self.directory.name, "uplot")
        os.makedirs(os.path.join(package, "static"))
        for name in (*uplot.FILES, "other.js"):
            with open(os.path.join(package, "static", name), "w", encoding="utf-8") as file:
                file.write(name)
        archive = shutil.make_archive(os.path.join(self.directory.name, "a"), "zip", self.directory.name, "uplot")
        there = os.path.join(self.directory.name, "out")
        self.assertFalse(uplot.is_whole(there))
        with self.assertRaisesRegex(Problem, "not the file that was expected"):
            uplot.unpack(archive, there)
        self.assertFalse(uplot.is_whole(there))
        with open(archive, "rb") as data:
            uplot.unpack(archive, there, hashlib.sha256(data.read()).hexdigest())
        self.assertTrue(uplot.is_whole(there))
        self.assertEqual(sorted(os.listdir(there)), sorted(uplot.FILES))


if __name__ == "__main__":
    tap.main()
