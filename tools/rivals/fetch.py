# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the rivals from their package registries into build/race: `tools/setup race` runs it; and as
`python3 -m rivals.fetch sinks`, which `tools/setup sinks` runs, the sinks that tests/webrtc needs.

What cannot be had is named with the reason, and tools/race or the test skips it."""
import json
import os
import shutil
import subprocess
import sys

from . import FETCHED, HERE

CRATE_VERSION = "0.15.4"  # of gst-plugins-rs; it asks for Rust 1.92 and GStreamer 1.22
MANIFEST = """[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[lib]
path = "empty.rs"
[dependencies]
{} = "={}"
"""
SINK_OPTIONS = ("--no-default-features", "--features")


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


def crate_manifest(crate):
    """Cargo.toml of the crate as it was published, which cargo has fetched for a package that needs
    it."""
    folder = FETCHED / "crate" / crate
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST.format(crate, CRATE_VERSION))
    (folder / "empty.rs").write_text("")
    packages = json.loads(run(["cargo", "metadata", "--format-version", "1"], folder))["packages"]
    return next(one["manifest_path"] for one in packages if one["name"] == crate)


def build_plugin(crate, library, folder, *options):
    """The plugin of the crate, with the versions of other crates that it was published with."""
    need("cargo")
    manifest = crate_manifest(crate)
    target = FETCHED / "cargo"
    run(["cargo", "build", "--release", "--locked", "--lib", *options, "--manifest-path", manifest,
         "--target-dir", str(target)], os.path.dirname(manifest))
    plugins = FETCHED / folder
    plugins.mkdir(exist_ok=True)
    shutil.copy(target / "release" / library, plugins)


def rtpgccbwe():
    build_plugin("gst-plugin-rtp", "libgstrsrtp.so", "plugins")


def webrtcsink():
    build_plugin("gst-plugin-webrtc", "libgstrswebrtc.so", "sinks", *SINK_OPTIONS, "whip,rustls-ring")


def whipsink():
    """For GStreamer 1.22: by default it asks for 1.24."""
    build_plugin("gst-plugin-webrtchttp", "libgstwebrtchttp.so", "sinks", *SINK_OPTIONS, "rustls-ring")


def pion():
    """Our program with the versions of pion that its go.mod names."""
    need("go")
    folder = FETCHED / "pion-source"
    shutil.copytree(HERE / "pion", folder, dirs_exist_ok=True)
    run(["go", "mod", "tidy"], folder)
    run(["go", "build", "-o", str(FETCHED / "pion"), "."], folder)


RIVALS = {"rtpgccbwe": rtpgccbwe, "pion": pion}
SINKS = {"webrtcsink and whipclientsink": webrtcsink, "whipsink": whipsink}


def main():
    builds, user = (SINKS, "tests/webrtc") if sys.argv[1:] == ["sinks"] else (RIVALS, "tools/race")
    for name, build in builds.items():
        print(f"tools/setup: building {name}", file=sys.stderr)
        try:
            build()
        except Missing as reason:
            print(f"tools/setup: no {name}, {user} will skip it: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
