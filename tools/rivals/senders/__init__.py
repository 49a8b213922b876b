# SPDX-License-Identifier: LGPL-2.1-or-later
"""The senders by name. Each is a file: how it is started, and how one knows that it is alive.

A sender has: name, cost (in runs with GStreamer, for --jobs), lead_s (to come up), words (for the
page: how it is used), missing() (why it cannot run; None: it can), version(), start(race, flow,
at_s), samples(race, flow) (of alive.py), ports(race, flow) (to which it sent),
frames(race, flow) (live_figures' Frames), stop(). `race` is run.Race: the programs between the two namespaces."""
from . import chromium, pion, rtpgccbwe, weir

WEIR = ("sluice", "tfrc", "sluice+repair")  # an algorithm, and what live_run.EXTRAS may add


def make(name):
    """A new one, for one flow of one run. Raises KeyError: there is none of that name."""
    return MAKERS[name]()


MAKERS = {**{name: lambda name=name: weir.Weir(name) for name in WEIR},
          "rtpgccbwe": rtpgccbwe.Rtpgccbwe, "pion": pion.Pion,
          "chromium": chromium.Chromium}
