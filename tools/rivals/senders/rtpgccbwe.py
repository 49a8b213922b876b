# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtpgccbwe of gst-plugins-rs in Weir's pipelines, in the place of weirsend."""
import os

import needs
from .. import HERE
from . import weir


class Rtpgccbwe(weir.Pipelines):
    program = os.path.join(HERE, "senders", "rtpgccbwe_send.py")
    fields = ("target_bps", "made_bps", "reports")
    words = ("`rtpgccbwe` right before the RTP session, the same pipelines otherwise; its estimate "
             "is the encoder's bitrate, as `webrtcsink` does it without FEC")

    def __init__(self):
        super().__init__("rtpgccbwe")

    def missing(self):
        absent = needs.missing_media((*weir.ELEMENTS, "rtpgccbwe"))
        return f"{absent}: tools/setup race" if absent and "rtpgccbwe" in absent else absent

    def version(self):
        from gi.repository import Gst
        return "gst-plugin-rtp " + Gst.ElementFactory.find("rtpgccbwe").get_plugin().get_version()
