# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws, while a pipeline with weirsend runs, its rates, delays and losses in a page in the browser.

  weir-watch trace.jsonl             the file of weirsend's trace-location, of now or of the past
  gst-launch-1.0 -m ... | weir-watch -
  weir-watch -- gst-launch-1.0 ...   runs the line, and ends with it
"""
import argparse
import asyncio
import os
import re
import signal
import sys
import time

from traces import Problem
from weir_version import version_line

PROGRAM = "weir-watch"
DEFAULT_PORT = 8844


def parse_arguments(arguments):
    """argparse does not know "the rest is a command"."""
    command = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1:]
        if not command:
            raise Problem("nothing behind --; a line such as: weir-watch -- gst-launch-1.0 ...")
    parser = argparse.ArgumentParser(prog=PROGRAM, usage=f"{PROGRAM} [options] TRACE | - | -- COMMAND...", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=version_line(PROGRAM))
    parser.add_argument("input", nargs="?", metavar="TRACE",
                        help="a trace file, or - for the output of gst-launch-1.0 -m")
    parser.add_argument("--link", metavar="FILE", help="log of a weirlink (log-location): the capacity, beside a trace")
    parser.add_argument("--minutes", type=float, default=10, metavar="N",
                        help="how much a page shows that is opened late (default 10; a trace of the past is shown whole)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"port (default {DEFAULT_PORT}; 0: any)")
    parsed = parser.parse_args(arguments)
    parsed.command = command
    if bool(parsed.input) == bool(command):
        parser.error("one of: a trace file, -, or a command behind --")
    if not 0 <= parsed.port <= 65535:
        parser.error(f"--port {parsed.port} is out of range: 0 to 65535")
    if not 0.1 <= parsed.minutes <= 1440:
        parser.error(f"--minutes {parsed.minutes:g} is out of range: 0.1 to 1440")
    return parsed


def check_file(path):
    """A file that does not exist yet is one that will be written."""
    if os.path.isdir(path):
        raise Problem(f"{path}: a directory; the file of trace-location is wanted")
    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise Problem(f"{path}: there is no directory {directory}")


def is_past(path, still_s):
    try:
        return time.time() - os.stat(path).st_mtime > still_s
    except OSError:
        return False


def make_sources(parsed, store, sources):
    if parsed.command:
        main_source = sources.CommandSource(store, parsed.command)
    elif parsed.input == "-":
        main_source = sources.InputSource(store)
    else:
        main_source = sources.TraceSource(store, parsed.input)
    return [main_source] + ([sources.LinkSource(store, parsed.link)] if parsed.link else [])


def title_of(parsed):
    """What is drawn. A page is for more eyes than a command line: keys (SRTP) are left out."""
    if parsed.command:
        return re.sub(r"\b(key=)(\(\w+\))?[^\s,]+", r"\1...", " ".join(parsed.command))
    return "gst-launch-1.0 -m" if parsed.input == "-" else parsed.input


class Run:
    """The server and its sources, until one of them ends the program or a signal does."""

    def __init__(self, server, sources):
        self.server = server
        self.sources = sources
        self.stopped = asyncio.Event()
        self.command = sources[0] if hasattr(sources[0], "stop") else None

    def on_signal(self, number):
        if self.command:
            self.command.stop(number)
        else:
            self.stopped.set()

    async def go(self, host, port):
        loop = asyncio.get_running_loop()
        address = await self.server.start(host, port)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.on_signal, number)
        shown = f"[{address[0]}]" if ":" in address[0] else address[0]
        print(f"{PROGRAM}: http://{shown}:{address[1]}/", file=sys.stderr, flush=True)
        if self.command:
            await self.command.start()
        tasks = [asyncio.create_task(source.run()) for source in self.sources]
        waiting = [*tasks, asyncio.create_task(self.stopped.wait())]
        try:
            await self.wait(waiting)
        finally:
            for task in waiting:
                task.cancel()
            if self.command:
                await self.command.finish()
            await self.server.stop()

    async def wait(self, waiting):
        """A source that has ended leaves the page, but for a command, with which all ends."""
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # raises what went wrong
            if self.stopped.is_set() or (self.command and self.command.status is not None):
                await asyncio.sleep(0.3)  # the pages hear of the end
                return


def exit_status(command):
    if not command:
        return 0
    return 128 - command.status if command.status < 0 else command.status


def watch(parsed):
    from . import server, sources, store, uplot  # server needs aiohttp
    for path in (parsed.link, None if parsed.command or parsed.input == "-" else parsed.input):
        if path:
            check_file(path)
    directory = uplot.find()
    past = not parsed.command and parsed.input != "-" and is_past(parsed.input, sources.STILL_S)
    seen = store.Store(title_of(parsed), None if past else 60 * parsed.minutes)

    async def go():
        run = Run(server.Server(seen, directory), make_sources(parsed, seen, sources))
        await run.go(parsed.host, parsed.port)
        return exit_status(run.command)

    return asyncio.run(go())


def main(arguments):
    try:
        parsed = parse_arguments(arguments)
        try:
            import aiohttp  # noqa: F401
        except ImportError:
            raise Problem(f"aiohttp is missing from {sys.executable}: tools/setup watch, "
                          "or apt-get install python3-aiohttp") from None
        return watch(parsed)
    except Problem as problem:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
