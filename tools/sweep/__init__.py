# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-sweep: many runs of weir-lab, and the guide to choosing an algorithm made from them."""
