# SPDX-License-Identifier: LGPL-2.1-or-later


class Problem(Exception):
    """What ends the program, in words for the user."""
