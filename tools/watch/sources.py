# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where rows come from: a trace, a log of weirlink, standard input, a command."""
import asyncio
import contextlib
import os
import shutil
import signal
import sys
import threading

import traces
from traces import Problem

from . import messages, tail, trace

STILL_S = 5  # a file not written for so long is of the past
HINT_S = 10
ADDED = b"Got message "
LINE_LIMIT_BYTES = 1 << 20


def say(text):
    print(f"weir-watch: {text}", file=sys.stderr, flush=True)


class TraceSource:
    def __init__(self, store, path):
        self.store = store
        self.path = path
        self.rows = trace.Rows(store, os.path.basename(path))
        self.where = path
        self.line = 0
        self.good = 0
        self.bad = 0

    def on_begin(self, rotated):
        self.line = 0
        if not rotated:
            self.rows.restart()

    def on_line(self, line):
        self.line += 1
        try:
            fine = self.rows.take_line(line)
        except Problem as problem:
            raise Problem(f"{self.where}, line {self.line}: {problem}") from None
        self.good += fine
        self.bad += not fine
        if not fine and self.good == 0:
            raise Problem(f"{self.where}, line {self.line}: not a record of a trace of weirsend (docs/trace.md)")
        if not fine and self.bad == 1:
            say(f"{self.where}, line {self.line}: not a record of a trace; it and others like it are left out")

    async def read_part(self, name):
        self.where = name
        part = tail.Tail(name, self.on_line, lambda rotated: self.on_begin(True))
        if part.open(rotated=True):
            await part.read_all()
            part.close()

    async def run(self):
        try:
            old = traces.parts_of(self.path)
            for name in old:
                await self.read_part(name)
            self.where = self.path
            begun = bool(old)
            follower = tail.Tail(self.path, self.on_line, lambda rotated: self.on_begin(rotated))
            if not follower.open(rotated=begun):
                say(f"{self.path} is not there yet; waiting for it")
            await follower.follow()
        except OSError as error:
            raise Problem(f"{self.where}: {error.strerror}") from None


class LinkSource:
    """The CSV file of weirlink's log-location."""
    COLUMNS = ("time_s", "capacity_bps", "queue_ms")

    def __init__(self, store, path):
        self.store = store
        self.path = path
        self.name = os.path.basename(path)
        self.columns = None

    def on_begin(self, _rotated):
        self.store.forget(self.name)
        self.columns = None

    def on_line(self, line):
        cells = line.decode("utf-8", "replace").strip().split(",")
        if self.columns is None:
            self.columns = {name: i for i, name in enumerate(cells)}
            if any(name not in self.columns for name in self.COLUMNS):
                raise Problem(f"{self.path}: not a log of weirlink: its first line lacks {', '.join(self.COLUMNS)}")
            return
        with contextlib.suppress(ValueError, IndexError):
            time_s, capacity_bps, queue_ms = (cells[self.columns[name]] for name in self.COLUMNS)
            row = {"capacity_bps": float(capacity_bps)}
            if queue_ms:
                row["link_queue_ms"] = float(queue_ms)
            self.store.add("link", self.name, float(time_s), row)

    async def run(self):
        try:
            await tail.Tail(self.path, self.on_line, self.on_begin).follow()
        except OSError as error:
            raise Problem(f"{self.path}: {error.strerror}") from None


async def hint_when_silent(store):
    await asyncio.sleep(HINT_S)
    if not store.tracks:
        say("no weir-stats message has come yet: does the line have -m, and a weirsend with stats-interval above 0?")


class InputSource:
    """Standard input, read by a thread: it may be a pipe, a file or a terminal."""

    def __init__(self, store):
        self.store = store

    def pump(self, loop, ended):
        for line in iter(sys.stdin.buffer.readline, b""):
            taken = asyncio.run_coroutine_threadsafe(self.take(line), loop)
            try:
                taken.result()
            except (RuntimeError, asyncio.CancelledError):
                return
        with contextlib.suppress(RuntimeError):  # the loop may have ended
            loop.call_soon_threadsafe(ended.set)

    async def take(self, line):
        messages.take_line(self.store, line.decode("utf-8", "replace").rstrip("\n"))

    async def run(self):
        ended = asyncio.Event()
        threading.Thread(target=self.pump, args=(asyncio.get_running_loop(), ended), daemon=True).start()
        hint = asyncio.create_task(hint_when_silent(self.store))
        await ended.wait()
        hint.cancel()
        self.store.end("The input has ended.")
        if not self.store.tracks:
            raise Problem("the input ended without a message weir-stats; run gst-launch-1.0 with -m")
        say("the input has ended; Ctrl-C ends the page too")


def with_messages(command):
    """(command that prints its bus messages, whether that was added here)."""
    if os.path.basename(command[0]) != "gst-launch-1.0" or {"-m", "--messages"} & set(command):
        return command, False
    return [command[0], "-m", *command[1:]], True


class CommandSource:
    """A line of gst-launch-1.0, or any program that prints the same."""

    def __init__(self, store, command):
        self.store = store
        self.command, self.hides = with_messages(command)
        self.process = None
        self.status = None

    def pass_on(self, line):
        if not (self.hides and line.startswith(ADDED)):
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()

    async def pump(self):
        while True:
            try:
                line = await self.process.stdout.readuntil(b"\n")
            except asyncio.IncompleteReadError as end:
                self.pass_on(end.partial)
                return
            except asyncio.LimitOverrunError as overrun:
                self.pass_on(await self.process.stdout.read(overrun.consumed))
                continue
            self.pass_on(line)
            messages.take_line(self.store, line.decode("utf-8", "replace").rstrip("\n"))

    async def start(self):
        if not shutil.which(self.command[0]):
            raise Problem(f"{self.command[0]}: no such program")
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdout=asyncio.subprocess.PIPE, limit=LINE_LIMIT_BYTES, process_group=0)

    async def run(self):
        """Ends with the command."""
        hint = asyncio.create_task(hint_when_silent(self.store))
        await self.pump()
        self.status = await self.process.wait()
        hint.cancel()
        self.store.end("The pipeline has ended.")

    def stop(self, number):
        """A signal for us is one for it, which gets none from the terminal: with -e the second would end it at once."""
        if self.process and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGTERM if number == signal.SIGHUP else number)

    async def finish(self):
        """Leaves nothing running."""
        if not self.process or self.process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        try:
            await asyncio.wait_for(self.process.wait(), 5)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()
