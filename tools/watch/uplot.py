# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where uPlot is, the library that draws the curves, and how it comes there.

It is fetched once with npm and never committed. As a program (tools/setup watch) it puts it beside itself, from
where it is installed with the rest of this folder; a release has it there already."""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from traces import Problem

PACKAGE = "uplot@1.6.32"
SHA256 = "4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d"  # of its archive
FETCH_S = 60  # npm itself tries for some minutes
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


def unpack(archive, directory, sha256=SHA256):
    """The few files that are served, and the licence; each complete or not there. Raises Problem."""
    with open(archive, "rb") as data:
        found = hashlib.sha256(data.read()).hexdigest()
    if found != sha256:
        raise Problem(f"{os.path.basename(archive)} is not the file that was expected: its SHA-256 is {found} instead of {sha256}")
    os.makedirs(directory, exist_ok=True)
    with tarfile.open(archive) as package:
        for member in ("package/LICENSE", *("package/dist/" + name for name in FILES)):
            name = os.path.join(directory, os.path.basename(member))
            with package.extractfile(member) as source, open(name + ".part", "wb") as out:
                shutil.copyfileobj(source, out)
            os.replace(name + ".part", name)


def fetch(directory):
    """Gets it from npm's registry. Raises Problem."""
    how = "install npm (tools/setup watch) and start again while online"
    if not shutil.which("npm"):
        raise Problem(f"uPlot, which draws the curves, is not in {directory}, and npm, which would fetch it, is missing; {how}")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            done = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=scratch, capture_output=True,
                                  text=True, stdin=subprocess.DEVNULL, check=False, timeout=FETCH_S)
        except subprocess.TimeoutExpired:
            raise Problem(f"npm did not fetch {PACKAGE}, which draws the curves, within {FETCH_S} s; start again while online") from None
        archives = [name for name in os.listdir(scratch) if name.endswith(".tgz")]
        if done.returncode != 0 or len(archives) != 1:
            why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise Problem(f"npm could not fetch {PACKAGE}, which draws the curves ({why}); start again while online")
        try:
            unpack(os.path.join(scratch, archives[0]), directory)
        except (OSError, KeyError, tarfile.TarError) as error:
            raise Problem(f"{PACKAGE} cannot be unpacked into {directory}: {error}") from None


def find():
    """The directory it is in, fetched when it is nowhere. Raises Problem."""
    for directory in places():
        if is_whole(directory):
            return directory
    print(f"weir-watch: fetching {PACKAGE} into {places()[-1]}, once", file=sys.stderr, flush=True)
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
