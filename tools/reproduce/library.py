# SPDX-License-Identifier: LGPL-2.1-or-later
"""Quality measures that the product has: asked of libweir, not written again."""
import ctypes
import os

import numpy as np

from .expression import Unavailable

SERIES = (np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS"), ctypes.c_size_t)


def find_library(program):
    """libweir beside the program: in its build folder, or installed with it."""
    folder = os.path.dirname(os.path.realpath(program))
    for parts in (("..", "..", "lib"), ("..", "lib"), ("..", "lib", "x86_64-linux-gnu"), ("..", "lib64")):
        path = os.path.normpath(os.path.join(folder, *parts, "libweir.so.0"))
        if os.path.exists(path):
            return path
    return None


class Library:
    """libweir, loaded when it is asked for the first time."""

    def __init__(self, program):
        self.program = program
        self.loaded = None

    def get(self):
        if self.loaded is None:
            path = find_library(self.program)
            if path is None:
                raise Unavailable("libweir.so.0 was not found beside weir-lab")
            self.loaded = ctypes.CDLL(path)
            for name, arguments in (("weir_r_score", (ctypes.c_void_p, ctypes.c_double, ctypes.c_double)),
                                    ("weir_jain", SERIES), ("weir_cov", SERIES)):
                getattr(self.loaded, name).restype = ctypes.c_double
                getattr(self.loaded, name).argtypes = arguments
        return self.loaded

    def r_score(self, e, d):
        library = self.get()
        g711 = (ctypes.c_double * 3).in_dll(library, "weir_impairment_g711")
        return library.weir_r_score(ctypes.byref(g711), e, d)

    def jain(self, values):
        values = np.ascontiguousarray(values, dtype=np.float64)
        return self.get().weir_jain(values, len(values))

    def cov(self, values):
        values = np.ascontiguousarray(values, dtype=np.float64)
        return self.get().weir_cov(values, len(values))
