# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program of docs/migrate.md that runs with either element does: with weirsend, and with rtpgccbwe where it is installed."""
import pathlib
import re
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    Gst.init(None)
except (ImportError, ValueError):
    Gst = None


def program():
    """The only one on the page."""
    code, = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/migrate.md").read_text(encoding="utf-8"), re.M | re.S)
    return code


@unittest.skipIf(Gst is None, "no GStreamer in Python: tools/setup demo")
class Either(unittest.TestCase):
    def run_with(self, name):
        """Where there is that element alone."""
        if Gst.ElementFactory.find(name) is None:
            self.skipTest(f"no {name} here")
        factories = types.SimpleNamespace(make=lambda wanted: Gst.ElementFactory.make(wanted) if wanted == name else None)
        told = []
        names = {"Gst": types.SimpleNamespace(ElementFactory=factories), "set_encoder": told.append}
        exec(program(), names)  # pylint: disable=exec-used
        bwe = names["bwe"]
        self.assertEqual(bwe.get_factory().get_name(), name)
        self.assertEqual(bwe.get_property("estimated-bitrate"), 500000)
        bwe.set_property("estimated-bitrate", 700000)
        self.assertEqual(told[-1:], [700000])
        return bwe

    def test_runs_with_weirsend_which_leaves_the_encoders_alone(self):
        self.assertEqual(self.run_with("weirsend").get_property("encoders"), "none")

    def test_runs_with_rtpgccbwe(self):
        self.run_with("rtpgccbwe")


if __name__ == "__main__":
    tap.main()
