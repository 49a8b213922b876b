# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results as files of a folder, one for each try: a race can go on after an interruption."""
import json
import os
import pathlib


class StoreError(Exception):
    """A file of the folder is not what tools/race has written."""


class Store:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def add(self, result):
        """Whole or not at all."""
        name = f"{result['scenario']}.{'+'.join(result['senders'])}.{result['seed']}"
        tries = len(list(self.folder.glob(f"{name}.*.json")))
        path = self.folder / f"{name}.{tries}.json"
        part = path.with_suffix(".part")
        part.write_text(json.dumps(result), encoding="utf-8")
        os.replace(part, path)

    def results(self):
        """All of them, sorted. Raises StoreError."""
        return [read(path) for path in sorted(self.folder.glob("*.json"))]


def read(path):
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        wanted = {"scenario", "senders", "seed", "seconds", "versions"}
        if wanted <= result.keys() and ("error" in result or "figures" in result):
            return result
    except (ValueError, AttributeError) as error:
        raise StoreError(f"{path}: {error}; remove it, and that run is made again") from None
    raise StoreError(f"{path} is no result of tools/race; remove it, and that run is made again")


def counts(result):
    """Whether a run is judged: it ended, the machine had time, and the senders were alive."""
    return not (result.get("error") or result.get("busy") or result.get("dead"))


def why_not(result):
    """In words; nothing: it counts."""
    if result.get("error"):
        return "failed: " + result["error"]
    return "; ".join(["busy: " + why for why in result["busy"]] + result["dead"])
