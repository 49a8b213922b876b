# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of the checks that need no simulation. What the product computes is asked of the product."""
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


class Exact:
    def __init__(self, library, available):
        self.library = library
        self.available = available

    def knows(self, name):
        return name in OF_ALGORITHMS or name in WITHOUT_CODE or name in ("rscore", "tcp_bound")

    def call(self, name, args, kwargs):
        if name == "rscore":
            return self.library.r_score(*args, **kwargs)
        if name == "tcp_bound":
            return tcp_bound(*args, **kwargs)
        if name in WITHOUT_CODE:
            raise Unavailable(WITHOUT_CODE[name])
        algorithm = OF_ALGORITHMS[name]
        if algorithm not in self.available:
            raise Unavailable(f"{algorithm}: not available")
        raise Unavailable(f"{name}: the library does not show it")
