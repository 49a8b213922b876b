# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tools/race is made of. It uses the programs that measure live calls: tests/netns."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tools" / "rivals"
FETCHED = ROOT / "build" / "race"  # what tools/setup race has made
sys.path[:0] = [str(ROOT / "tests" / "netns"), str(ROOT / "tests" / "webrtc"),
                str(ROOT / "tools" / "demonstrate")]
