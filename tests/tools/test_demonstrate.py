# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's recording has each frame that arrived, after the machine stood still too; and the run goes on."""
import os
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tools", "demonstrate")]
import clip  # noqa: E402
import main  # noqa: E402
import tap  # noqa: E402

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError):
    Gst = None

STALL_AT_FRAME = 60
STALL_S = 2


class Clip(unittest.TestCase):
    def test_without_a_network_it_is_said_what_is_missing_and_where_it_belongs(self):
        with tempfile.TemporaryDirectory() as folder:
            code = f"import sys; sys.path.insert(0, {os.path.dirname(clip.__file__)!r}); import clip; clip.fetch({folder!r})"
            # An index that nobody serves.
            none = dict(os.environ, PIP_NO_INDEX="1", PIP_FIND_LINKS=folder)
            run = subprocess.run([sys.executable, "-c", code], env=none, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        said = run.stderr.splitlines()[-1]
        self.assertTrue(said.startswith("demo: pip could not fetch the clip") and said.endswith(f"{folder}/bikes.mp4"), said)


def frames_in(recording):
    """The number of frames in a file of mp4mux."""
    pipeline = Gst.parse_launch(f'filesrc location="{recording}" ! qtdemux ! fakesink name=sink sync=false')
    count = [0]

    def note(_pad, _info):
        count[0] += 1
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("sink").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, note)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    return count[0] if message and message.type == Gst.MessageType.EOS else None


@unittest.skipIf(Gst is None, "no GStreamer in Python: tools/setup demo")
class Recording(unittest.TestCase):
    def test_outlives_a_machine_that_stands_still(self):
        Gst.init(None)
        with tempfile.TemporaryDirectory(prefix="weir-demonstrate-") as folder:
            raw, main.OUT = os.path.join(folder, "noise.i420"), folder
            with open(raw, "wb") as out:
                out.write(random.Random(1).randbytes(25 * clip.WIDTH * clip.HEIGHT * 3 // 2))
            run = main.Run(Gst, GLib, raw, 8, "sluice")
            stalled = []

            def stall(_pad, _info):
                if run.frames_received > STALL_AT_FRAME and not stalled:
                    stalled.append(subprocess.Popen(["sh", "-c", f"kill -STOP {os.getpid()}; sleep {STALL_S}; kill -CONT {os.getpid()}"]))
                return Gst.PadProbeReturn.OK

            run.pipeline.get_by_name("r").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, stall)
            run.go()
            self.assertEqual([child.wait() for child in stalled], [0])
            self.assertIsNone(run.error)
            self.assertEqual(frames_in(os.path.join(folder, "received.mp4")), run.frames_received)


if __name__ == "__main__":
    tap.main()
