# SPDX-License-Identifier: LGPL-2.1-or-later
"""pion's GCC between two peers of pion/webrtc; what is sent looks like media. ../pion/ has the
program."""
import os

import live_figures
import live_scenarios
from .. import FETCHED, HERE
from . import weir

PROGRAM = FETCHED / "pion"
SIGNALLING_PORT = 8080
MODULES = ("github.com/pion/interceptor", "github.com/pion/webrtc/v4")


class Pion(weir.Pipelines):
    """What its programs print is as that of GStreamer's."""

    cost = 0.5
    fields = ("target_bps", "made_bps", "reports")
    words = ("two peers of pion/webrtc with pion's default interceptors, its GCC and pacer at the "
             "sender, as in its example; frames are as large as the estimate says")

    def __init__(self):
        super().__init__("pion")

    def missing(self):
        return None if os.access(PROGRAM, os.X_OK) else "it is not built: tools/setup race"

    def version(self):
        words = (HERE / "pion" / "go.mod").read_text().split()
        return ", ".join(f"{name.split('/', 1)[1]} {version}" for name, version in
                         zip(words, words[1:]) if name in MODULES)

    def start(self, race, flow, at_s):
        port = live_figures.ports_of(flow)[0]
        address = f"{race.link.address('b')}:{SIGNALLING_PORT + flow}"
        common = ["-address", address, "-port", str(port)]
        send = ["-min-bitrate", str(live_scenarios.MIN_BPS), "-max-bitrate",
                str(live_scenarios.MAX_BPS), "-start-bitrate", str(live_scenarios.START_BPS),
                "-start-ns", str(race.at_ns(at_s))]
        if race.scenario.silence_s:
            send += ["-silence-ns", ",".join(str(race.at_ns(s)) for s in race.scenario.silence_s)]
        race.start(f"receiver-{flow}", "b", str(PROGRAM), "receive", *common)
        race.wait_for_output(f"receiver-{flow}")
        race.start(f"sender-{flow}", "a", str(PROGRAM), "send", *common, *send)
        race.wait_for_output(f"sender-{flow}")
