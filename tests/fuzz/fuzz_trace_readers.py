# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traces and messages that were damaged, for the Python programs that read them: weir-report and weir-watch. What
they cannot read they say in one line, or skip; they never fail otherwise.

    fuzz_trace_readers.py --seconds N [--seed S]     from seed S on, one input for each
    fuzz_trace_readers.py --number N [--seed S]      so many
    fuzz_trace_readers.py --input S                  that one again, with what went wrong
"""
import argparse
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import traces  # noqa: E402
from report import trace_file  # noqa: E402
from watch import messages  # noqa: E402
from watch.store import Store  # noqa: E402
from watch.trace import Rows  # noqa: E402

MESSAGE = ('Got message #7 from element "weirsend0" (element): weir-stats, time=(guint64)1000000000, '
           'packets-sent=(guint64)5, target-bitrate=(gint64)300000, rtt=(guint64)18446744073709551615, '
           'limited-by=(string)"delay \\"x\\"", gcc.trend=(double)0.5;')
LINK = 'Got message #8 from element "l" (element): weir-stats, time=(guint64)9, capacity=(gint64)5;'
WARNING = "WARNING: from element /GstPipeline:p/GstWeirSend:weirsend0: too late"
LONGEST_S = 20  # of one input; then it hangs
VALUES = ["null", "true", "-1", "1e400", "-1e308", "NaN", '""', '"lost"', "[]", "{}", "[" * 3000, "9" * 400, "0", "0.5",
          "9223372036854775808", "-9223372036854775808", "\x00", "\ud800", "version", "(double)nan", "(gint64)x"]


def seeds():
    """The traces of the corpus, and what gst-launch prints."""
    lines = (ROOT / "tests/fuzz/corpora/trace.hex").read_text().splitlines()
    named = [bytes.fromhex(line.split()[0]).decode() for line in lines if " " in line]
    return [*named, "\n".join([MESSAGE, LINK, WARNING])]


def damaged_record(generator, line):
    """One field has another value, or is gone."""
    try:
        record = json.loads(line)
        name = generator.choice(sorted(record))
    except (ValueError, IndexError, TypeError):
        return line
    others = {key: value for key, value in record.items() if key != name}
    if generator.random() < 0.3:
        return json.dumps(others)
    return f'{json.dumps(others)[:-1]}, "{name}": {generator.choice(VALUES)}}}'


def damaged_text(generator, text):
    at, until = sorted(generator.randrange(len(text) + 1) for _ in range(2))
    return text[:at] + generator.choice(VALUES + [text[at:until] * 2, ""]) + text[min(until, at + 20):]


def damaged(generator, text):
    """The lines in about their order, one in five of them changed."""
    lines = text.split("\n")
    for i in range(len(lines)):
        if generator.random() < 0.2:
            change = generator.choice([damaged_record, damaged_record, damaged_text])
            lines[i] = change(generator, lines[i])
        if generator.random() < 0.05:
            lines[i] = generator.choice(lines)
    return "\n".join(lines) + generator.choice(["\n", ""])


def read_all(text, path):
    """With every reader. Only a Problem, in one line, may come out."""
    path.write_bytes(text.encode(errors="surrogateescape") if text.isascii() else text.encode(errors="replace"))
    store = Store("trace", None)
    try:
        rows = Rows(store, "trace")
        for line in text.split("\n"):
            messages.take_line(store, line)
            rows.take_line(line)
    except traces.Problem as problem:
        assert str(problem) and "\n" not in str(problem), repr(problem)
    try:
        trace_file.read(str(path))
    except traces.Problem as problem:
        assert str(problem) and "\n" not in str(problem), repr(problem)


def run_seed(seed, texts, path):
    """What went wrong, or None."""
    generator = random.Random(seed)
    signal.alarm(LONGEST_S)
    try:
        read_all(damaged(generator, generator.choice(texts)), path)
    except Exception:  # noqa: BLE001  (whatever it is, it is a finding)
        return traceback.format_exc()
    return None


def hang(_signal, _frame):
    raise TimeoutError(f"longer than {LONGEST_S} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--number", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", type=int, metavar="SEED")
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, hang)
    texts = seeds()
    first, number = (given.seed, given.number) if given.input is None else (given.input, 1)
    until = time.monotonic() + given.seconds
    failed = None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.jsonl"
        done = 0
        while done < number and failed is None and (done == 0 or time.monotonic() < until):
            failed = run_seed(first + done, texts, path)
            done += 1
    print(f"{done} inputs")
    if failed is not None:
        print(f"failed: seed {first + done - 1}")
        print(failed, file=sys.stderr)
    return int(failed is not None)


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.exit(main())
