#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same calls give the same bits: gcc and clang, -O0 and -O2, twice in a row.

Builds trace_hash.c with the controllers once per compiler and level and compares what it prints. A
trace_hash that is given, in CI of gcc with -O2, is compared too and spares one of them.
Exit 77 (skipped) when clang or gcc is missing.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIB = os.path.join(ROOT, "lib")
LEVELS = ["-O0", "-O2"]


def sources():
    """What the registry needs: every controller in controllers.def, and the parts they are made of."""
    found = [os.path.join(LIB, "base", "unwrap.c")]
    for folder in ("control", "controllers", "estimators"):
        found += sorted(glob.glob(os.path.join(LIB, folder, "*.c")))
    return [os.path.join(ROOT, "tests", "conformance", "trace_hash.c")] + found


def build(compiler, level, folder):
    program = os.path.join(folder, f"trace_hash_{compiler}{level}")
    command = [compiler, "-std=c11", level, "-ffp-contract=off", "-I", LIB, *sources(), "-lm", "-o",
               program]
    subprocess.run(command, check=True)
    return program


def main():
    compilers = ["gcc", "clang"]
    missing = [name for name in compilers if shutil.which(name) is None]
    if missing:
        print("SKIP: not installed:", ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        programs = {f"{compiler} {level}": build(compiler, level, folder)
                    for compiler in compilers for level in LEVELS
                    if not (sys.argv[1:] and (compiler, level) == ("gcc", "-O2"))}
        programs.update({path: path for path in sys.argv[1:]})
        results = {f"{name} run {turn}": subprocess.run([program], check=True, capture_output=True,
                                                        text=True).stdout
                   for name, program in programs.items() for turn in (1, 2)}
    first = next(iter(results.values()))
    print(first, end="")
    differing = [name for name, output in results.items() if output != first]
    for name in differing:
        print(f"{name} differs:\n{results[name]}")
    print(f"{len(results)} runs, {len(differing)} differ")
    return 1 if differing or not first else 0


if __name__ == "__main__":
    sys.exit(main())
