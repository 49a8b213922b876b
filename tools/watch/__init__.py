# SPDX-License-Identifier: LGPL-2.1-or-later
"""weir-watch: a running pipeline, drawn in the browser."""
