# SPDX-License-Identifier: LGPL-2.1-or-later
"""The version that the Python programs print."""
import os


def version_line(program):
    """"weir-report 0.1.0", from the file VERSION: beside this one when installed, else at the top."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (here, os.path.dirname(here)):
        path = os.path.join(folder, "VERSION")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return f"{program} {file.read().strip()}"
    return f"{program} (no file VERSION)"
