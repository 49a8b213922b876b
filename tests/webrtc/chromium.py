# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium at one end of a weir-link, driven by the DevTools protocol over a pipe: it
opens no port, and it ends when the pipe does."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SWITCHES = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--autoplay-policy=no-user-gesture-required", "--mute-audio", "--window-size=960,640",
            "--disable-features=WebRtcHideLocalIpsWithMdns", "--remote-debugging-pipe"]
START_S, CALL_S = 60, 20


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class ChromiumError(Exception):
    pass


class Chromium:
    """Its profile is a directory of its own, which goes with it."""

    def __init__(self, link, end, switches=()):
        self.directory = tempfile.TemporaryDirectory(prefix="weir-chromium-",
                                                     ignore_cleanup_errors=True)
        self.next_id, self.session, self.buffer = 0, None, b""
        theirs_in, self.commands = os.pipe()
        self.answers, theirs_out = os.pipe()
        # The protocol is on descriptors 3 and 4; a shell puts them there.
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = link.start(
            end, "bash", "-c", shell, "bash", find(), *SWITCHES, *switches,
            f"--user-data-dir={self.directory.name}", "about:blank",
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            self.attach()
        except BaseException:
            self.close()
            raise

    def attach(self):
        targets = self.call("Target.getTargets", timeout_s=START_S)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]
        self.call("Page.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, method, timeout_s=CALL_S, **params):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        try:
            os.write(self.commands, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise ChromiumError(f"no answer to {method}: it has ended") from None
        deadline = time.monotonic() + timeout_s
        while True:
            answer = self.read(deadline, method)
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise ChromiumError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def read(self, deadline, method):
        """The next message; events are among them."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.answers, 65536) if ready else b""
            if not data:
                raise ChromiumError(f"no answer to {method}: it "
                                    f"{'has ended' if ready else 'hangs'}")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def open(self, url):
        error = self.call("Page.navigate", url=url).get("errorText")
        if error:
            raise ChromiumError(f"{url}: {error}")
        deadline = time.monotonic() + CALL_S
        while self.evaluate("document.readyState") != "complete":
            if time.monotonic() > deadline:
                raise ChromiumError(f"{url}: the page does not load")
            time.sleep(0.1)

    def evaluate(self, expression):
        """The value of a JavaScript expression, or of the promise it is."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise ChromiumError(details.get("exception", details).get("description", details["text"]))
        return result["result"].get("value")

    def before_each_page(self, script):
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def kill(self):
        """As a browser that crashes: without a goodbye to anybody."""
        self.process.kill()

    def close(self):
        for fd in (self.commands, self.answers):
            os.close(fd)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.directory.cleanup()
