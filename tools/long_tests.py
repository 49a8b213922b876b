# SPDX-License-Identifier: LGPL-2.1-or-later
"""What continuous integration has no time for: tests of minutes to hours, for `tools/test --full`."""
import dataclasses
import os
import subprocess
import sys
import time

SKIPPED = 77  # status of a test that cannot be made here


@dataclasses.dataclass(frozen=True)
class LongTest:
    name: str
    command: tuple
    env: dict = dataclasses.field(default_factory=dict)


def long_tests(root, directory):
    """With the build in directory."""
    def script(*words):
        return (sys.executable, os.path.join(root, "tests", words[0]), *words[1:])

    def program(*words):
        return (os.path.join(directory, "tests", words[0]), *words[1:])

    faults = (os.path.join(root, "tools", "faults"), "--program", *program("conformance/faults"))
    lab = os.path.join(directory, "tools", "lab", "weir-lab")
    out = os.path.join(directory, "long")
    media = {"GST_PLUGIN_PATH": os.path.join(directory, "gst"), "GST_REGISTRY": os.path.join(out, "registry"),
             "MPLBACKEND": "Agg"}
    return [
        LongTest("a day of virtual time", program("scenarios/test_long_run", "-m", "slow")),
        LongTest("60 days of virtual time", (*faults, "--soak")),
        LongTest("the table of faults", faults),
        LongTest("a million lives", program("conformance/test_conformance"), {"WEIR_LIVES": "1000000"}),
        LongTest("ns-2, all cases", script("ns2/compare.py", "--lab", lab)),
        LongTest("a browser, the longer run", script("webrtc/run", "--full", "--out", os.path.join(out, "webrtc")), media),
        LongTest("voice, several conversations", script("voice/ordering.py", "--full"), media),
        LongTest("the kernel's TCP, all races", script("netns/kernel_tcp.py", "--full"), media),
    ]


def run_long_tests(tests, folder, env, totals):
    """One after the other: most are in real time. What each says goes into a file."""
    os.makedirs(folder, exist_ok=True)
    for test in tests:
        path = os.path.join(folder, test.name.replace(" ", "-") + ".txt")
        started = time.monotonic()
        with open(path, "w", encoding="utf-8") as log:
            status = subprocess.run(test.command, env={**env, **test.env}, stdout=log, stderr=subprocess.STDOUT,
                                    stdin=subprocess.DEVNULL, check=False).returncode
        print(f"tools/test: {test.name}: {time.monotonic() - started:.0f} s, {path}", flush=True)
        if status == SKIPPED:
            totals.skipped.append(f"{test.name}: see {path}")
        else:
            totals.check(f"{test.name}: status {status}, see {path}", status == 0)
