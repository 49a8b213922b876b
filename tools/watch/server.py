# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page, and what it draws as server-sent events: first the history, then rows as they come. And for Prometheus the
newest rows, at /metrics."""
import asyncio
import errno
import ipaddress
import json
import os
import socket

from aiohttp import web

from traces import Problem

from . import metrics

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH_S = 0.1
MOST_PENDING = 3000  # events that wait for one browser; one that is slower gets the history anew
MOST_CLIENTS = 50
WRITE_S = 30  # a browser that takes nothing for so long is gone
ALIVE_S = 15
PAGE = {"/": ("index.html", "text/html"), "/app.js": ("app.js", "text/javascript"),
        "/charts.js": ("charts.js", "text/javascript"), "/style.css": ("style.css", "text/css")}
UPLOT = {"/uplot.js": ("uPlot.iife.js", "text/javascript"), "/uplot.css": ("uPlot.min.css", "text/css")}
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
           "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"}


def event_text(kind, data):
    """One server-sent event. JSON has no newlines, so one data line is enough."""
    return f"event: {kind}\ndata: {json.dumps(data, separators=(',', ':'), allow_nan=False)}\n\n"


def host_name(host):
    """The name or address in a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower().rstrip(".")


def is_address(name):
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Client:
    """What one browser still has to get."""

    def __init__(self, store):
        self.store = store
        self.pending = None  # None: the history, with all that came before
        self.news = asyncio.Event()
        self.news.set()

    def on_event(self, kind, data):
        if self.pending is not None:
            self.pending.append((kind, data))
            if len(self.pending) > MOST_PENDING:
                self.pending = None
        self.news.set()

    def take(self):
        """The text to be sent now."""
        self.news.clear()
        pending, self.pending = self.pending, []
        if pending is None:
            return event_text("history", self.store.history())
        return "".join(event_text(kind, data) for kind, data in together(pending))


def together(events):
    """Rows that follow each other become one event."""
    rows = []
    for kind, data in events:
        if kind == "row":
            rows.append(data)
            continue
        if rows:
            yield "rows", rows
            rows = []
        yield kind, data
    if rows:
        yield "rows", rows


class Server:
    def __init__(self, store, uplot):
        self.store = store
        self.uplot = uplot
        self.clients = set()  # tasks, one per open page
        self.runner = None
        self.names = {"localhost"}  # under which it is asked for, beside addresses

    def application(self):
        application = web.Application(middlewares=[self.refuse_foreign_names])
        for path, (name, kind) in PAGE.items():
            application.router.add_get(path, self.file_handler(os.path.join(HERE, "page", name), kind))
        for path, (name, kind) in UPLOT.items():
            application.router.add_get(path, self.file_handler(os.path.join(self.uplot, name), kind))
        for name in ("variables.json", "limits.json"):
            application.router.add_get("/" + name, self.file_handler(os.path.join(HERE, name), "application/json"))
        application.router.add_get("/events", self.events)
        application.router.add_get("/metrics", self.metrics)
        return application

    @web.middleware
    async def refuse_foreign_names(self, request, handler):
        """Any site can make its own name stand for our address, and its page would then read ours (DNS rebinding)."""
        name = host_name(request.headers.get("Host", ""))
        if is_address(name) or name in self.names:
            return await handler(request)
        return web.Response(status=421, headers=HEADERS, text="weir-watch is not known by this name: open it by its address, "
                            "or start it with --host and the name\n")

    @staticmethod
    def file_handler(path, kind):
        async def handle(_request):
            with open(path, "rb") as file:
                return web.Response(body=file.read(), content_type=kind, charset="utf-8", headers=HEADERS)
        return handle

    async def metrics(self, _request):
        return web.Response(body=metrics.text(self.store).encode(), headers={**HEADERS, "Content-Type": metrics.CONTENT_TYPE})

    async def events(self, request):
        if len(self.clients) >= MOST_CLIENTS:
            return web.Response(status=503, text=f"{MOST_CLIENTS} pages are open already\n")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        client = Client(self.store)
        self.clients.add(asyncio.current_task())
        self.store.listeners.append(client.on_event)
        try:
            await response.write(b"retry: 1000\n\n")
            await self.feed(response, client)
        except (ConnectionError, asyncio.TimeoutError):
            pass  # the browser has gone
        finally:
            self.store.listeners.remove(client.on_event)
            self.clients.discard(asyncio.current_task())
        return response

    @staticmethod
    async def feed(response, client):
        while True:
            try:
                await asyncio.wait_for(client.news.wait(), ALIVE_S)
                text = client.take()
            except asyncio.TimeoutError:
                text = ": alive\n\n"
            await asyncio.wait_for(response.write(text.encode()), WRITE_S)
            await asyncio.sleep(BATCH_S)

    async def start(self, host, port):
        """The address it listens at. Raises Problem."""
        own = socket.gethostname().lower()
        self.names |= {host.lower(), own, own + ".local"}
        self.runner = web.AppRunner(self.application(), access_log=None)
        await self.runner.setup()
        try:
            await web.TCPSite(self.runner, host, port).start()
        except OSError as error:
            await self.stop()
            if error.errno == errno.EADDRINUSE:
                raise Problem(f"port {port} at {host} is in use; choose another with --port, 0 for any") from None
            raise Problem(f"cannot listen at {host}, port {port}: {error.strerror}") from None
        return self.runner.addresses[0][:2]

    async def stop(self):
        """Pages that are open do not hold it up."""
        for client in list(self.clients):
            client.cancel()
        await self.runner.cleanup()
