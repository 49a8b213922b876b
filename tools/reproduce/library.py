# SPDX-License-Identifier: LGPL-2.1-or-later
"""Quality measures that the product has: asked of libweir, not written again."""
import ctypes
import functools

import numpy as np

from sweep.worker import library_beside

from .expression import Unavailable


class Library:
    """The libweir beside a program, loaded when it is asked for the first time."""

    def __init__(self, program):
        self.program = program

    @functools.cached_property
    def loaded(self):
        path = library_beside(self.program)
        if path is None:
            raise Unavailable("libweir.so.0 was not found beside weir-lab")
        return ctypes.CDLL(path)

    def measure(self, name, values):
        values = np.ascontiguousarray(values, dtype=np.float64)
        function = getattr(self.loaded, name)
        function.restype = ctypes.c_double
        return function(ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(len(values)))

    def jain(self, values):
        return self.measure("weir_jain", values)

    def cov(self, values):
        return self.measure("weir_cov", values)
