# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of the checks that need no simulation. What the product computes is asked of the product."""
import ctypes
import os

from .expression import Unavailable
from .metrics import tcp_bound

# Function of a check -> the algorithm whose code answers it. None of these can be asked from outside the
# library yet.
OF_ALGORITHMS = {
    "arc_w": "arc", "arc_rate": "arc", "bw_filter": "arc", "bw_filter_final": "arc", "backlog": "arc",
                 "max_over_time": "arc",
    "cycle": "cbraa", "loss_th": "cbraa", "cbraa_f": "cbraa", "cbraa_step": "cbraa",
    "simd_alpha_i": "simd", "retransmissions": "simdnr", "reductions": "simdnr", "timeouts": "simdnr",
    "warc_R": "warc", "warc_hr_example": "warc", "first_hr": "warc",
}
WITHOUT_CODE = {"nt_model": "the fixed-RTT round model is not part of the project"}


def find_library(program):
    """libweir beside the program: in its build folder, or installed with it."""
    folder = os.path.dirname(os.path.realpath(program))
    for parts in (("..", "..", "lib"), ("..", "lib"), ("..", "lib", "x86_64-linux-gnu"), ("..", "lib64")):
        path = os.path.normpath(os.path.join(folder, *parts, "libweir.so.0"))
        if os.path.exists(path):
            return path
    return None


class Exact:
    def __init__(self, program, available):
        self.program = program
        self.available = available
        self.library = None

    def knows(self, name):
        return name in OF_ALGORITHMS or name in WITHOUT_CODE or name in ("rscore", "tcp_bound")

    def call(self, name, args, kwargs):
        if name == "rscore":
            return self.r_score(*args, **kwargs)
        if name == "tcp_bound":
            return tcp_bound(*args, **kwargs)
        if name in WITHOUT_CODE:
            raise Unavailable(WITHOUT_CODE[name])
        algorithm = OF_ALGORITHMS[name]
        if algorithm not in self.available:
            raise Unavailable(f"{algorithm}: not available")
        raise Unavailable(f"{name}: the library does not show it")

    def r_score(self, e, d):
        if self.library is None:
            path = find_library(self.program)
            if path is None:
                raise Unavailable("libweir.so.0 was not found beside weir-lab")
            self.library = ctypes.CDLL(path)
            self.library.weir_r_score.restype = ctypes.c_double
            self.library.weir_r_score.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double]
        g711 = (ctypes.c_double * 3).in_dll(self.library, "weir_impairment_g711")
        return self.library.weir_r_score(ctypes.byref(g711), e, d)
