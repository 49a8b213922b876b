# SPDX-License-Identifier: LGPL-2.1-or-later
"""What ends the program, in words for the user; and where to find what the programs share."""
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from traces import Problem  # noqa: E402, F401
