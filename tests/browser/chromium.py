# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium inside a namespace, driven by the DevTools protocol over a pipe: it opens no
port, and it ends when the pipe does."""
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
            "--autoplay-policy=no-user-gesture-required", "--mute-audio", "--window-size=960,720",
            "--disable-features=WebRtcHideLocalIpsWithMdns", "--remote-debugging-pipe"]


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Chromium:
    def __init__(self, namespace):
        self.directory = tempfile.TemporaryDirectory(prefix="weir-chromium-",
                                                     ignore_cleanup_errors=True)
        self.next_id, self.session, self.buffer = 0, None, b""
        theirs_in, self.commands = os.pipe()
        self.answers, theirs_out = os.pipe()
        # The protocol is on descriptors 3 and 4; a shell puts them there.
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = namespace.start(
            "bash", "-c", shell, "bash", find(), *SWITCHES, f"--user-data-dir={self.directory.name}",
            "about:blank", pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        page = next(t for t in self.call("Target.getTargets", timeout_s=60)["targetInfos"]
                    if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]

    def call(self, method, timeout_s=20, **params):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout_s
        while True:
            answer = self.read(deadline, method)
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise RuntimeError(f"chromium: {method}: {answer['error']['message']}")
                return answer["result"]

    def read(self, deadline, method):
        """The next message; events are among them."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.answers, 65536) if ready else b""
            if not data:
                raise RuntimeError(f"chromium: no answer to {method}: it "
                                   f"{'has ended' if ready else 'hangs'}")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def evaluate(self, expression):
        """The value of a JavaScript expression, or of the promise it is."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"chromium: {expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def close(self):
        os.close(self.commands)
        os.close(self.answers)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.directory.cleanup()
