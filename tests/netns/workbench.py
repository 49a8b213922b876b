# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the programs that measure between namespaces share: Weir built, signals, words about the machine."""
import os
import signal
import subprocess
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOT_PERMITTED = 77  # what Meson takes for skipped


def names(text):
    return [word for word in text.split(",") if word]


def build_weir():
    """The program and the plugin, unless the environment says where they are. Returns weir-link."""
    if "WEIR_LINK" in os.environ:
        return os.environ["WEIR_LINK"]
    environment = dict(os.environ, PATH="/usr/local/bin:/usr/bin:/bin:" + os.environ.get("PATH", ""))
    directory = os.path.join(ROOT, "build", "plain")
    if not os.path.exists(os.path.join(directory, "build.ninja")):
        subprocess.run(["meson", "setup", directory], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", directory, "gst/libgstweir.so", "tools/link/weir-link"], cwd=ROOT, env=environment,
                   check=True, stdout=subprocess.DEVNULL)
    os.environ["GST_PLUGIN_PATH"] = os.path.join(directory, "gst")
    return os.path.join(directory, "tools", "link", "weir-link")


def known_algorithms():
    from gi.repository import Gst
    values = type(Gst.ElementFactory.make("weirsend").get_property("algorithm")).__enum_values__
    return sorted(value.value_nick for value in values.values())


class Stop:
    """SIGINT and SIGTERM: nothing begins any more, and what runs is given up."""

    def __init__(self):
        self.asked = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self.asked.set())


def machine(loads):
    release = os.uname().release.split(".")
    return {"linux": ".".join(release[:2]), "processors": os.cpu_count(), "loads": [round(load, 1) for load in loads]}
