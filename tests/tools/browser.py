# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium, driven through chromedriver's HTTP interface with nothing but the standard library."""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run", "--hide-scrollbars", "--mute-audio")
START_S = 30
CALL_S = 60


def missing():
    """Why there is no browser here, None when there is one."""
    for name in ("chromium", "chromedriver"):
        if not shutil.which(name):
            return f"{name} is not installed"
    return None


class Browser:
    """Leaves nothing behind: no process, no file. Use as a context."""

    def __init__(self, width=1240, height=1000, dark=False, switches=()):
        self.directory = tempfile.mkdtemp(prefix="weir-browser-")
        self.driver = None
        self.session = None
        self.switches = (*SWITCHES, f"--window-size={width},{height}", f"--user-data-dir={self.directory}/profile",
                         *(["--force-dark-mode"] if dark else []), *switches)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def start(self):
        log = os.path.join(self.directory, "chromedriver.log")
        self.driver = subprocess.Popen(["chromedriver", "--port=0", f"--log-path={log}"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
                                       env=dict(os.environ, HOME=self.directory))
        self.base = f"http://127.0.0.1:{self.port()}"
        options = {"args": list(self.switches)}
        asked = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                                  "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.session = self.call("POST", "/session", asked)["sessionId"]

    def port(self):
        until = time.monotonic() + START_S
        for line in self.driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                return int(found[1])
            if time.monotonic() > until:
                break
        raise RuntimeError("chromedriver did not start")

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=CALL_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def ask(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def go(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """What the script returns."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds, what):
        """Until the script returns something true, which is returned."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"{what}: not within {seconds} s")

    def console(self):
        """What the page complained about since the last call."""
        return [entry for entry in self.ask("POST", "/se/log", {"type": "browser"}) if entry["level"] in ("SEVERE", "WARNING")]

    def emulate(self, scheme):
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]}})

    def screenshot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        if self.session:
            try:
                self.ask("DELETE", "")
            except (OSError, RuntimeError):
                pass
        if self.driver:
            try:
                os.killpg(self.driver.pid, signal.SIGTERM)
                self.driver.wait(5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
            try:
                os.killpg(self.driver.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.driver.wait()
            self.driver.stdout.close()
        shutil.rmtree(self.directory, ignore_errors=True)
