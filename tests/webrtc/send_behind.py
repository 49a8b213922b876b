# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/webrtc/send.py with weirsend behind webrtcbin's RTP session: docs/webrtc.md says why it is not there."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "webrtc"))
import send  # noqa: E402

send.AUX_SENDER = "request-post-rtp-aux-sender"
send.main()
