# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results as lines of a file, one for each try: a race can go on after an interruption."""
import json
import pathlib

WANTED = {"scenario", "senders", "seed", "seconds", "versions"}


class StoreError(Exception):
    """A line of the file is not what tools/race has written."""


class Store:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def add(self, result):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")

    def results(self):
        """All of them, in the order of their runs. Raises StoreError."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeError) as error:
            raise StoreError(f"{self.path}: {error}") from None
        return [self.read(number, line) for number, line in enumerate(lines, 1)]

    def read(self, number, line):
        try:
            result = json.loads(line)
            if WANTED <= result.keys() and ("error" in result or "figures" in result):
                return result
            why = "it is no result of tools/race"
        except (ValueError, AttributeError) as error:
            why = str(error)
        raise StoreError(f"{self.path}, line {number}: {why}; remove the line, and that run is made "
                         "again") from None


def counts(result):
    """Whether a run is judged: it ended, the machine had time, and the senders were alive."""
    return not (result.get("error") or result.get("busy") or result.get("dead"))


def why_not(result):
    """In words; nothing: it counts."""
    if result.get("error"):
        return "failed: " + result["error"]
    return "; ".join(["busy: " + why for why in result["busy"]] + result["dead"])
