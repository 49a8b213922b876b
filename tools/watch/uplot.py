# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where uPlot is, the library that draws the curves, and how it comes there.

It is fetched once with pip, out of a package of PyPI that carries its files as they were released (1.6.16), and never
committed. As a program (tools/setup watch) it puts it beside itself, from where it is installed with the rest of this
folder; a release has it there already."""
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

from traces import Problem

PACKAGE = "uplot-python==1.1.1"
SHA256 = "07c96cc34ff9107c3751fc31dfad48ccd6e86c6deebb8b41d7ec7d9811722208"  # of its wheel
FETCH_S = 120
FILES = ("uPlot.iife.js", "uPlot.min.css")
HERE = os.path.dirname(os.path.abspath(__file__))


def places():
    """Directories it may be in, nearest first; the last is where this program puts it."""
    root = os.path.dirname(os.path.dirname(HERE))
    found = [os.path.join(HERE, "uplot")]
    if os.path.exists(os.path.join(root, "meson.build")):
        return found
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return found + [os.path.join(cache, "weir", "watch")]


def is_whole(directory):
    return all(os.path.isfile(os.path.join(directory, name)) for name in FILES)


def unpack(wheel, directory, sha256=SHA256):
    """The files that are served, each complete or not there. Raises Problem."""
    with open(wheel, "rb") as data:
        found = hashlib.sha256(data.read()).hexdigest()
    if found != sha256:
        raise Problem(f"{os.path.basename(wheel)} is not the file that was expected: its SHA-256 is {found} instead of {sha256}")
    os.makedirs(directory, exist_ok=True)
    with zipfile.ZipFile(wheel) as package:
        for name in FILES:
            path = os.path.join(directory, name)
            with package.open("uplot/static/" + name) as source, open(path + ".part", "wb") as out:
                shutil.copyfileobj(source, out)
            os.replace(path + ".part", path)


def fetch(directory):
    """Gets it with pip. Raises Problem."""
    if not importlib.util.find_spec("pip"):
        raise Problem(f"uPlot, which draws the curves, is not in {directory}, and pip, which would fetch it, is missing from "
                      f"{sys.executable}: apt-get install python3-pip, and start again while online")
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", scratch, PACKAGE]
        try:
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=FETCH_S)
        except subprocess.TimeoutExpired:
            raise Problem(f"pip did not fetch uPlot, which draws the curves, within {FETCH_S} s; start again while online") from None
        wheels = [name for name in os.listdir(scratch) if name.endswith(".whl")]
        if done.returncode != 0 or len(wheels) != 1:
            why = (done.stderr.strip().splitlines() or ["no reason given"])[-1].removeprefix("ERROR: ")
            raise Problem(f"pip could not fetch uPlot, which draws the curves ({why}); start again while online")
        try:
            unpack(os.path.join(scratch, wheels[0]), directory)
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise Problem(f"uPlot cannot be unpacked into {directory}: {error}") from None


def find():
    """The directory it is in, fetched when it is nowhere. Raises Problem."""
    for directory in places():
        if is_whole(directory):
            return directory
    print(f"weir-watch: fetching uPlot ({PACKAGE}) into {places()[-1]}, once", file=sys.stderr, flush=True)
    fetch(places()[-1])
    return places()[-1]


def main():
    try:
        find()
    except Problem as problem:
        print(f"weir-watch: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
