# SPDX-License-Identifier: LGPL-2.1-or-later
"""What has been seen: one track of rows per element, bounded, and whoever wants to hear of new rows."""
import collections

MOST_ROWS = 12000  # of one track
MOST_TRACKS = 64
NOTICES = 20


def merged(first, second):
    """One row for two neighbours: numbers are averaged, of words the later holds."""
    values = dict(first[1])
    for key, value in second[1].items():
        before = values.get(key)
        numbers = isinstance(before, (int, float)) and isinstance(value, (int, float))
        values[key] = (before + value) / 2 if numbers else value
    return second[0], values


class Track:
    """Rows (time in s, {column: value}) of one element, oldest first."""

    def __init__(self, kind, keep_s):
        self.kind = kind  # "sender" or "link"
        self.keep_s = keep_s  # None: everything, ever coarser
        self.rows = collections.deque()
        self.last_s = float("-inf")

    def add(self, time_s, values):
        self.rows.append((time_s, values))
        self.last_s = time_s
        if self.keep_s is None:
            if len(self.rows) > MOST_ROWS:
                self.halve()
            return
        while len(self.rows) > MOST_ROWS or self.rows[0][0] < time_s - self.keep_s:
            self.rows.popleft()

    def halve(self):
        rows = list(self.rows)
        pairs = [merged(a, b) for a, b in zip(rows[::2], rows[1::2])]
        self.rows = collections.deque(pairs + rows[len(rows) // 2 * 2:])

    def columns(self):
        """{"kind", "t": [...], "columns": {name: [...]}}, with None where a row has no value."""
        names = dict.fromkeys(name for _, values in self.rows for name in values)
        return {"kind": self.kind, "t": [time_s for time_s, _ in self.rows],
                "columns": {name: [values.get(name) for _, values in self.rows] for name in names}}


class Store:
    def __init__(self, title, keep_s):
        self.title = title
        self.keep_s = keep_s
        self.tracks = {}
        self.notices = collections.deque(maxlen=NOTICES)
        self.ended = None  # why nothing more will come, in words
        self.listeners = []

    def tell(self, kind, data):
        for listener in list(self.listeners):
            listener(kind, data)

    def add(self, kind, name, time_s, values):
        """A row. Time that goes back is a new run: what was before goes."""
        track = self.tracks.get(name)
        if track is None or time_s < track.last_s:
            if track is None and len(self.tracks) >= MOST_TRACKS:
                return
            track = self.tracks[name] = Track(kind, self.keep_s)
            self.tell("begin", {"name": name, "kind": kind})
        elif time_s == track.last_s:
            return
        track.add(time_s, values)
        self.tell("row", {"name": name, "t": time_s, "values": values})

    def forget(self, name):
        """The next row begins a new run, whatever its time."""
        if name in self.tracks:
            self.tracks[name].last_s = float("inf")

    def notice(self, element, text):
        item = {"element": element, "text": text}
        self.notices.append(item)
        self.tell("notice", item)

    def end(self, text):
        self.ended = text
        self.tell("end", {"text": text})

    def history(self):
        """All that a browser needs that has just come."""
        return {"title": self.title, "keep_s": self.keep_s, "ended": self.ended, "notices": list(self.notices),
                "tracks": {name: track.columns() for name, track in self.tracks.items()}}
