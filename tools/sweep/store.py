# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of single runs, each under the hash of all that it depends on."""
import contextlib
import gzip
import hashlib
import json
import os
import threading

from .worker import SERIES


def key_of(task, identity):
    """Of a run: the text of the resolved scenario (the algorithm and its parameters are in it), the seed, the build.
    Series may be there or not; without them variables tell nothing."""
    parts = [task["scenario"], task["seed"], identity]
    if task.get("variables"):
        parts.append(list(task["variables"]))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def write(path, data):
    """All or nothing, also when two write the same. An OSError names the path."""
    new = f"{path}.{os.getpid()}-{threading.get_ident()}.new"
    try:
        with open(new, "wb") as file:
            file.write(data)
        os.replace(new, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(new)
        raise OSError(error.errno, error.strerror, path) from None


def write_json(path, value):
    write(path, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())


class Store:
    def __init__(self, folder):
        self.folder = os.path.join(folder, "runs")
        os.makedirs(self.folder, exist_ok=True)

    def path(self, key, name):
        return os.path.join(self.folder, f"{key}.{name}")

    def has(self, key, series):
        """The result is written last: with it there is all that was stored."""
        names = ["json"] + [name + ".gz" for name in SERIES if series]
        return all(os.path.exists(self.path(key, name)) for name in names)

    def load(self, key):
        with open(self.path(key, "json"), encoding="utf-8") as file:
            return json.load(file)

    def series_path(self, key, name):
        return self.path(key, name + ".gz")

    def save(self, key, outcome):
        for name, text in outcome["series"].items():
            write(self.series_path(key, name), gzip.compress(text.encode(), 1, mtime=0))
        write(self.path(key, "json"), json.dumps(outcome["result"]).encode())
