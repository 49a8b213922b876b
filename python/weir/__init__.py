# SPDX-License-Identifier: LGPL-2.1-or-later
"""Weir's laboratory in Python: congestion controllers for live media, written in Python or those of the library,
against TCP and other traffic on simulated networks, in virtual time. docs/python.md shows how."""
import os

from ._weir.lib import WEIR_NEVER_NS as NEVER_NS
from ._weir.lib import WEIR_UNKNOWN_NS as UNKNOWN_NS
from .controller import Control, Controller, Parameter
from .lab import LabError, Result, algorithms, run

__all__ = ["NEVER_NS", "UNKNOWN_NS", "Control", "Controller", "LabError", "Parameter", "Result", "algorithms", "run"]

# Those of the package, behind what the user names.
os.environ["WEIR_SCENARIOS"] = os.pathsep.join(filter(None, (os.environ.get("WEIR_SCENARIOS"), os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "scenarios"))))
