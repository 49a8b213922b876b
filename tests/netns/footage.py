# SPDX-License-Identifier: LGPL-2.1-or-later
"""What senders show: real footage where it can be had, else a test picture that moves."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "demonstrate"))
import clip  # noqa: E402


def moving(width, height, frames_per_s):
    """A picture whose bits follow the encoder's target, as a gst-launch text."""
    return (f"videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1 ! "
            f"video/x-raw,width={width},height={height},framerate={frames_per_s}/1")


def real(width=clip.WIDTH, height=clip.HEIGHT, frames_per_s=clip.FRAMES_PER_SECOND):
    """The demo's clip, at this rate whatever its own is; None when it cannot be had."""
    try:
        raw = clip.decode(os.path.join(ROOT, "build", "demo"), width, height)
    except (OSError, subprocess.CalledProcessError, StopIteration):
        return None
    return (f"multifilesrc location=\"{raw}\" loop=true ! rawvideoparse format=i420 "
            f"width={width} height={height} framerate={frames_per_s}/1 ! clocksync")
