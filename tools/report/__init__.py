# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-report: pictures of lab runs, traces and the demo."""
