# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests with webrtcbin need of the machine, or why they are skipped; and an orderly end."""
import os
import pathlib
import signal
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "netns")]
import chromium  # noqa: E402
import needs  # noqa: E402

ELEMENTS = ("weirsend", "webrtcbin", "nicesink", "dtlssrtpenc", "srtpenc", "x264enc", "opusenc",
            "rtph264pay", "rtprtxsend")


def link_program():
    return os.environ.get("WEIR_LINK", str(ROOT / "build" / "plain" / "tools" / "link" / "weir-link"))


def missing_modules():
    try:
        import aiohttp  # noqa: F401
        import gi
        for name in ("Gst", "GstSdp", "GstWebRTC"):
            gi.require_version(name, "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        return f"needs python3-gi with GstWebRTC, and python3-aiohttp: {error}"
    Gst.init(None)
    absent = [name for name in ELEMENTS if not Gst.ElementFactory.find(name)]
    return f"GStreamer has no {', '.join(absent)}" if absent else None


def missing():
    """None: all is there."""
    return missing_modules() or needs.missing_link(link_program())


def missing_browser():
    return missing() or (None if chromium.find() else "needs chromium")


def end_in_order():
    """SIGTERM as SIGINT: what was started is ended, what was made removed."""
    def stop(number, _frame):
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
