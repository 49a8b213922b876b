# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/webrtc/send.py at one end of a weir-link, and what it says."""
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples" / "webrtc" / "send.py"
PORT = 8080  # the namespace is our own
MOVING = ("videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1 ! "
          "video/x-raw,width=640,height=360,framerate=30/1")


def clip_source():
    """Real footage where it can be had (tools/demonstrate/clip.py fetches it), else a test picture
    that moves."""
    sys.path.insert(0, str(ROOT / "tools" / "demonstrate"))
    import clip
    try:
        raw = clip.decode(str(ROOT / "build" / "demo"))
    except (OSError, subprocess.CalledProcessError, StopIteration):
        return MOVING
    return (f"multifilesrc location=\"{raw}\" loop=true ! rawvideoparse format=i420 "
            f"width={clip.WIDTH} height={clip.HEIGHT} framerate={clip.FRAMES_PER_SECOND}/1 ! clocksync")


class Sender:
    def __init__(self, link, end, *options):
        self.said, self.stats = [], {}
        self.url = f"http://{link.address(end)}:{PORT}/"
        self.process = link.start(end, sys.executable, str(PROGRAM), "--port", str(PORT), "--stats",
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
