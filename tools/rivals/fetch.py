# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the rivals from their package registries into build/race: `tools/setup race` runs it.

What cannot be had is named with the reason, and tools/race skips it."""
import json
import os
import shutil
import subprocess
import sys

from . import FETCHED, HERE

CRATE, CRATE_VERSION = "gst-plugin-rtp", "0.15.4"
MANIFEST = f"""[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[lib]
path = "empty.rs"
[dependencies]
{CRATE} = "={CRATE_VERSION}"
"""


class Missing(Exception):
    """Why something cannot be had, in words."""


def run(words, folder):
    """What it printed. Raises Missing with the end of what it said."""
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode:
        said = " ".join(result.stderr.split())
        raise Missing(f"{' '.join(words[:2])}: {said[-300:]}")
    return result.stdout


def need(program):
    if not shutil.which(program):
        raise Missing(f"{program} is not installed")


def crate_manifest(folder):
    """Cargo.toml of the crate as it was published, which cargo has fetched for a package that needs
    it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST)
    (folder / "empty.rs").write_text("")
    packages = json.loads(run(["cargo", "metadata", "--format-version", "1"], folder))["packages"]
    return next(one["manifest_path"] for one in packages if one["name"] == CRATE)


def rtpgccbwe():
    """The plugin of the crate, with the versions of other crates that it was published with."""
    need("cargo")
    manifest = crate_manifest(FETCHED / "crate")
    target = FETCHED / "cargo"
    run(["cargo", "build", "--release", "--locked", "--lib", "--manifest-path", manifest,
         "--target-dir", str(target)], os.path.dirname(manifest))
    plugins = FETCHED / "plugins"
    plugins.mkdir(exist_ok=True)
    shutil.copy(target / "release" / "libgstrsrtp.so", plugins)


def pion():
    """Our program with the versions of pion that its go.mod names."""
    need("go")
    folder = FETCHED / "pion-source"
    shutil.copytree(HERE / "pion", folder, dirs_exist_ok=True)
    run(["go", "mod", "tidy"], folder)
    run(["go", "build", "-o", str(FETCHED / "pion"), "."], folder)


RIVALS = {"rtpgccbwe": rtpgccbwe, "pion": pion}


def main():
    for name, build in RIVALS.items():
        print(f"tools/setup: building {name}", file=sys.stderr)
        try:
            build()
        except Missing as reason:
            print(f"tools/setup: no {name}, tools/race will skip it: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
