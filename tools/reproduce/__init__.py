# SPDX-License-Identifier: LGPL-2.1-or-later
"""Regenerates what the five papers show, from simulations, and judges each of their claims."""
