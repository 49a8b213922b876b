# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where uPlot is, the library that draws the curves, and how it comes there.

It is fetched once with npm and never committed. As a program: uplot.py puts it beside this checkout's build;
uplot.py --install DIRECTORY copies it to below Meson's prefix (and only says so when it cannot: weir-watch then fetches
it)."""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from problem import Problem

PACKAGE = "uplot@1.6.32"
FETCH_S = 60  # npm itself tries for some minutes
FILES = ("uPlot.iife.min.js", "uPlot.min.css")
HERE = os.path.dirname(os.path.abspath(__file__))


def places():
    """Directories it may be in, nearest first; the last is where this program puts it."""
    root = os.path.dirname(os.path.dirname(HERE))
    found = [os.path.join(HERE, "uplot")]  # installed
    if os.path.exists(os.path.join(root, "meson.build")):
        return found + [os.path.join(root, "build", "watch")]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return found + [os.path.join(cache, "weir", "watch")]


def is_whole(directory):
    return all(os.path.isfile(os.path.join(directory, name)) for name in FILES)


def unpack(archive, directory):
    """The few files that are served, and the licence; each complete or not there."""
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


def install(directory):
    for place in places():
        if is_whole(place):
            os.makedirs(directory, exist_ok=True)
            for name in os.listdir(place):
                shutil.copy(os.path.join(place, name), directory)
            return
    fetch(directory)


def main(arguments):
    try:
        if arguments[:1] == ["--install"]:
            install(os.path.join(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], arguments[1]))
        else:
            find()
    except Problem as problem:
        print(f"weir-watch: {problem}", file=sys.stderr)
        return 0 if arguments else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
