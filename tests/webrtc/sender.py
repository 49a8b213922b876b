# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/webrtc/send.py at one end of a weir-link, and what it says."""
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

import footage  # of tests/netns, which machine has made known

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples" / "webrtc" / "send.py"
PORT = 8080  # the namespace is our own
MOVING = footage.moving(640, 360, 30)


def clip_source():
    return footage.real() or MOVING


class Sender:
    def __init__(self, link, end, *options, program=PROGRAM):
        self.said, self.stats = [], {}
        self.url = f"http://{link.address(end)}:{PORT}/"
        self.process = link.start(end, sys.executable, str(program), "--port", str(PORT), "--stats",
                                  *options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=dict(os.environ, PYTHONUNBUFFERED="1"))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.wait_for("Open http")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.stats = json.loads(line)
            else:
                self.said.append(line.strip())

    def has_said(self, text):
        return any(text in line for line in self.said)

    def wait_for(self, text, timeout_s=20):
        deadline = time.monotonic() + timeout_s
        while not self.has_said(text):
            if time.monotonic() > deadline or (self.process.poll() is not None
                                               and not self.reader.is_alive()):
                raise AssertionError(f"send.py has not said '{text}', but: {' / '.join(self.said)}")
            time.sleep(0.05)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join(5)
        self.process.stdout.close()
