# SPDX-License-Identifier: LGPL-2.1-or-later
"""The package weir. tools/wheel calls it with the library and the scenarios in place."""
import os

import setuptools

with open(os.path.join(os.environ["WEIR_SOURCE"], "VERSION"), encoding="utf-8") as file:
    VERSION = file.read().strip()
setuptools.setup(
    name="weir", version=VERSION, license="LGPL-2.1-or-later", python_requires=">=3.9",
    description="Congestion controllers for live media in a simulated network",
    packages=["weir"], package_data={"weir": ["libweirlab.so*", "scenarios/**"]}, zip_safe=False,
    cffi_modules=["weir_build.py:ffibuilder"], install_requires=["cffi>=1.15"], extras_require={"frames": ["pandas"]})
