# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what `gst-launch-1.0 -m` prints: one message per line, a GstStructure in text form.

Not by Gst.Structure.from_string: it gives nothing at all for a line with one field of a type that
this process does not know, such as a plugin's enumeration, and weir-watch needs no GStreamer."""
import math
import re

MESSAGE = re.compile(r'^Got message #\d+ from element "(?P<element>[^"]*)" \(element\): weir-stats(?P<fields>,.*)?;\s*$')
FIELD = re.compile(r',\s*(?P<name>[\w./:+-]+)=\((?P<type>[\w./:+-]+)\)(?P<value>"(?:[^"\\]|\\.)*"|[^,;]*)')
PROBLEM = re.compile(r"^(?P<kind>WARNING|ERROR): from element (?P<path>\S+): (?P<text>.+)$")
INTEGERS = {"int", "uint", "int64", "gint64", "uint64", "guint64"}


def value_of(kind, text):
    """A number, a bool or a text; None for what is none of them (structures, flags, nonsense)."""
    try:
        if kind in INTEGERS:
            return int(text)
        if kind in ("double", "gdouble", "float"):
            number = float(text)
            return number if math.isfinite(number) else None
    except ValueError:
        return None
    if kind in ("boolean", "gboolean"):
        return text == "true"
    if kind in ("string", "gchararray"):
        return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text
    return None


def read_stats(line):
    """(element, {field: value}) of a weir-stats message, None for every other line."""
    found = MESSAGE.match(line)
    if not found:
        return None
    fields = {f["name"]: value_of(f["type"], f["value"]) for f in FIELD.finditer(found["fields"] or "")}
    return found["element"], {name: value for name, value in fields.items() if value is not None}


def read_problem(line):
    """(element, sentence) when gst-launch reports a warning or an error, else None."""
    found = PROBLEM.match(line)
    return (found["path"].rsplit(":", 1)[-1], found["text"]) if found else None
