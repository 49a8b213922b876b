# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a race in two namespaces needs of the machine."""
import os
import shutil
import subprocess

CONGESTION_CONTROLS = "/proc/sys/net/ipv4/tcp_available_congestion_control"


def missing_link(program):
    """Why weir-link cannot make namespaces here, as it says itself; None: it can."""
    if not program or not os.path.exists(program):
        return "weir-link is not built"
    if not shutil.which("ip"):
        return "needs ip (iproute2)"
    result = subprocess.run([program, "--", "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return result.stderr.strip() or f"weir-link: status {result.returncode}" if result.returncode else None


RACE_ELEMENTS = ("appsrc", "udpsrc", "udpsink", "weirsend", "weirrecv")


def missing_media(elements=RACE_ELEMENTS):
    try:
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstApp", "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        return f"needs python3-gi with GStreamer: {error}"
    Gst.init(None)
    absent = [name for name in elements if not Gst.ElementFactory.find(name)]
    return f"GStreamer has no {', '.join(absent)}" if absent else None


def missing_tcp(names, available=None):
    """available: what the kernel lists, for the tests."""
    if not shutil.which("iperf3"):
        return "needs iperf3"
    if available is None:
        try:
            with open(CONGESTION_CONTROLS, encoding="ascii") as file:
                available = file.read().split()
        except OSError as error:
            return f"the kernel does not say which TCP it has: {error}"
    absent = [name for name in names if name not in available]
    return f"the kernel has no TCP {', '.join(absent)} (modprobe tcp_{absent[0]})" if absent else None


def missing_namespaces():
    """Why `ip netns` cannot make a namespace with a link here; None: it can."""
    if not shutil.which("ip"):
        return "needs ip (iproute2)"
    name = f"weir-trial{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode == 0:
        made = subprocess.run(["ip", "-n", name, "link", "add", "name", "v0", "type", "veth", "peer", "name", "v1"],
                              capture_output=True, text=True)
        subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return f"needs network namespaces: {made.stderr.strip()}" if made.returncode else None
