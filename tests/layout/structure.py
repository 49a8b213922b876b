# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the parts of the product know of each other, read from its sources and from the objects of a build.

An arrow runs from a file to each file whose functions it uses. A call through a pointer is no arrow: that is
how a lower file reports to a higher one that it does not know."""
import collections
import json
import pathlib
import re
import subprocess
import sys

import check_layers
from check_layers import ROOT, code_only

PRODUCT = ("lib", "sim", "gst", "tools")
SYMBOL = re.compile(r"^(.*):\s*[0-9a-f]* (\w) (\S+)$", re.M)
TYPE = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{|"
                  r"^(?:typedef\b[^;{}]*\(\s*\*\s*|\}\s*(?=\w+;))(\w+)", re.M)
STRUCT = re.compile(r"\bstruct\s*(\w*)\s*\{")


def read_sources(root=ROOT, folders=PRODUCT):
    """{path: code without comments and strings} of the C files and headers."""
    return {p.relative_to(root).as_posix(): code_only(p.read_text())
            for folder in folders for p in check_layers.sources(root / folder, ".c", ".h")}


# Calls

def built_objects(build, root=ROOT):
    """(object, source) of each compilation of a file of ours."""
    entries = json.loads((build / "compile_commands.json").read_text())
    files = [(entry["output"], pathlib.Path(entry["directory"], entry["file"]).resolve()) for entry in entries]
    return [(output, path.relative_to(root).as_posix()) for output, path in files if root in path.parents]


def objects_of(build, root=ROOT):
    """{object: source} of the product; tests may compile a file a second time."""
    return {output: name for output, name in built_objects(build, root)
            if name.split("/")[0] in PRODUCT and not output.startswith("tests/")}


def unbuilt(names, built):
    """Files that no target names although some of their folder are built: an option leaves out whole folders."""
    folders = {folder_of(name) for name in built}
    return sorted(name for name in names if name not in built and folder_of(name) in folders)


def read_calls(build, objects):
    """{file: {other file: functions of it that the file uses}}"""
    symbols = subprocess.run(["nm", "-A", "-g", *objects], cwd=build, capture_output=True, text=True,
                             check=True).stdout
    defined, used = {}, collections.defaultdict(set)
    for path, kind, name in SYMBOL.findall(symbols):
        if kind == "T":
            defined[name] = objects[path]
        elif kind == "U":
            used[objects[path]].add(name)
    calls = collections.defaultdict(lambda: collections.defaultdict(set))
    for user, names in used.items():
        for name in names & defined.keys() - {"main"}:
            calls[user][defined[name]].add(name)
    return calls


def add_inline_calls(calls, files):
    """Calls of inline functions in the header of a .c file; no object shows them."""
    owners = {name: path[:-1] + "c" for path, code in files.items() if path.endswith(".h") and path[:-1] + "c" in files
              for name in re.findall(r"^static inline\b[^;{}(]*?(\w+) ?\(", code, re.M)}
    for path, code in files.items():
        user = path if path.endswith(".c") else path[:-1] + "c"
        for name in set(re.findall(r"\w+", code)) & owners.keys():
            if owners[name] != user and user in files:
                calls[user][owners[name]].add(name)
    return calls


def reachable(arrows, start):
    """What start reaches in one step or more: {name: the one before it on a shortest way}."""
    before, todo = {}, [start]
    for name in todo:
        for other in sorted(arrows.get(name, ())):
            if other not in before:
                before[other] = name
                todo.append(other)
    return before


def circles(arrows):
    """Sets of files that reach each other, each a sorted list."""
    reach = {name: set(reachable(arrows, name)) for name in arrows}
    return sorted({tuple(sorted(other for other in reach[name] if name in reach.get(other, ())))
                   for name in arrows if name in reach[name]})


def one_way_round(arrows, start):
    """A shortest circle through a file, each step with a function that makes it."""
    before, name, steps = reachable(arrows, start), start, []
    while not steps or name != start:
        steps.append(f"{before[name]} calls {min(arrows[before[name]][name])} of {name}")
        name = before[name]
    return steps[::-1]


def folder_of(path):
    return path.rsplit("/", 1)[0]


# Types

def twice_named(files):
    """{name of a type: files} of each name that stands for several types. A type that no header
    names is its file's own, and another file may have one of that name."""
    defined = collections.defaultdict(set)
    for path, code in files.items():
        for tag, typedef in TYPE.findall(code):
            defined[tag or typedef].add(path)
    shared = {tag or typedef for path, code in files.items() if path.endswith(".h")
              for tag, typedef in re.findall(r"\b(?:struct|union|enum)\s+(\w+)|^\}\s*(\w+);", code, re.M)}
    return {name: sorted(paths) for name, paths in defined.items() if len(paths) > 1 and name in shared}


def body_from(code, start):
    """What stands between the brace before start and the one that closes it, and where it ends."""
    depth, end = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    return code[start:end - 1], end


def count_fields(body):
    """Fields of a struct; those of unnamed structs and unions in it are its own."""
    body = re.sub(r"\benum\s*\w*\s*\{[^}]*\}", "int", body)
    body = re.sub(r"\(\s*\*\s*(\w+)\s*\)\s*\([^;]*\)", r"\1", body)
    body = re.sub(r"\b(?:struct|union)\s*\w*\s*\{", ";", body)
    declared = [text.strip() for text in re.split(r"[;}]", body)]
    return sum(text.count(",") + 1 for text in declared if re.search(r"\w\W+\w", text))


def structs(files):
    """{(file, name): fields}"""
    found = {}
    for path, code in files.items():
        for match in STRUCT.finditer(code):
            body, end = body_from(code, match.end())
            name = match.group(1) or re.match(r"\s*(\w*)", code[end:]).group(1)
            found[path, name.lstrip("_")] = count_fields(body)
    return found


# Headers

def read_includes(root=ROOT, folders=PRODUCT):
    """{file: headers of the product that it includes}"""
    arrows = {}
    for path in (p for folder in folders for p in check_layers.sources(root / folder, ".c", ".h")):
        places = [path.parent, root, *(root / f for f in ("lib", "gst", "tools/lab", "tools/link"))]
        named = [name for name, is_system in check_layers.includes(path.read_text()) if not is_system]
        found = [next((p / name for p in places if (p / name).exists()), None) for name in named]
        arrows[path.relative_to(root).as_posix()] = {h.relative_to(root).as_posix() for h in found if h}
    return arrows


def readers(includes):
    """{header: .c files that include it, themselves or by way of other headers}"""
    found = collections.defaultdict(set)
    for path in includes:
        if path.endswith(".c"):
            for header in reachable(includes, path):
                found[header].add(path)
    return found


def private_headers(files):
    """Headers that lay open a struct which no single file owns, because no .c has their name, and those that
    lay open an element. Public headers are for everybody."""
    elements = set(re.findall(r"G_DECLARE_FINAL_TYPE\s*\(\s*(\w+)", "\n".join(files.values())))
    return {path for path, name in structs(files) if path.endswith(".h") and not path.startswith("lib/weir/")
            and (path[:-1] + "c" not in files or name in elements)}


# Figures

def uses_of(files):
    """{internal function: how often the product names it beyond its prototype and definition}"""
    text = "\n".join(files.values())
    named = collections.Counter(re.findall(r"\w+", text))
    internal = {name for path, code in files.items() if path.endswith(".h") and not path.startswith("lib/weir/")
                for name in re.findall(r"^(?:\w[\w ]*[ *])?(\w+) ?\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\)\s*;", code, re.M)}
    return {name: named[name] - 2 for name in internal}


def figures(build):
    files = read_sources()
    yield "circles of calls", [len(circle) for circle in circles(add_inline_calls(read_calls(build, objects_of(build)), files))]
    for part in PRODUCT:
        paths = [p for s in (".c", ".h", ".py") for p in check_layers.sources(ROOT / part, s)]
        yield f"{part}: files, lines", [len(paths), sum(len(p.read_text().splitlines()) for p in paths)]
    uses = uses_of(files)
    yield "internal functions, used once, never", \
        [len(uses), sum(n == 1 for n in uses.values()), sum(n < 1 for n in uses.values())]
    elements = {name: n for (path, name), n in structs(files).items() if path.startswith("gst/")}
    yield "largest structs of gst/", sorted(elements.items(), key=lambda item: -item[1])[:5]


if __name__ == "__main__":
    for figure, value in figures(pathlib.Path(sys.argv[1]).resolve()):
        print(f"{figure}: {value}")
