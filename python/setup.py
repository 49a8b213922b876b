# SPDX-License-Identifier: LGPL-2.1-or-later
"""The package weir, of the distribution weirlab (pyproject.toml). WEIR_SOURCE is the source tree, else source/ as
tools/wheel put it into the source distribution. WEIR_LIBRARY is the folder of libweirlab.so, else it is built by Meson,
which needs a C compiler and the headers of GLib and jansson."""
import os
import shutil
import subprocess
import tempfile

import setuptools
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.setdefault("WEIR_SOURCE", os.path.join(HERE, "source"))
LIBRARY = os.path.join(os.environ.setdefault("WEIR_LIBRARY", os.path.join(HERE, "weir")), "libweirlab.so")
OPTIONS = ("--buildtype=release", "-Dgst=disabled", "-Dsrtp=disabled", "-Dlink=disabled", "-Dlab=enabled", "-Dtests=false")


class Build(build_py):
    def run(self):
        if not os.path.exists(LIBRARY):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(["meson", "setup", folder, SOURCE, *OPTIONS], check=True)
                subprocess.run(["ninja", "-C", folder, "tools/lab/libweirlab.so"], check=True)
                shutil.copy(os.path.join(folder, "tools", "lab", "libweirlab.so"), LIBRARY)
        super().run()


with open(os.path.join(SOURCE, "VERSION"), encoding="utf-8") as file:
    VERSION = file.read().strip()
setuptools.setup(
    version=VERSION, packages=["weir"], package_data={"weir": ["libweirlab.so*", "scenarios/**"]}, zip_safe=False,
    cffi_modules=["weir_build.py:ffibuilder"], cmdclass={"build_py": Build},
    options={"bdist_wheel": {"py_limited_api": "cp39"}})  # one wheel for all versions of Python
