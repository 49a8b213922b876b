# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of the checks that need no simulation. What the product computes is asked of the product: of
libweir, or of `weir-lab formula`, which calls the functions that the algorithms use."""
from .expression import Unavailable
from .lab import LabError
from .metrics import tcp_bound


def named(**values):
    """Arguments of `weir-lab formula` by name."""
    return [f"{name.replace('_', '-')}={float(value)!r}" for name, value in values.items()]


def arc_w(ask, B, rttmin):
    return ask("arc-window", *named(bandwidth=B, rtt_min=rttmin))


def arc_rate(ask, w, out):
    return ask("arc-rate", *named(window=w, outstanding=out))


def bw_filter(ask, prev, B, T):
    """One sample B, or several of them, each over T, after the steady bandwidth prev."""
    samples = B if isinstance(B, (tuple, list)) else [B]
    return ask("bandwidth-filter", *(repr(float(value)) for value in (T, prev, 0.5, 0, *samples)))


def bw_filter_final(ask, B):
    return bw_filter(ask, 0, [B] * 200, 0.125)


def cycle(ask, B, R):
    return ask("cbraa-cycle", *named(rate=B, rtt=R))


def loss_th(ask, B, R):
    return ask("cbraa-loss-threshold", *named(rate=B, rtt=R))


def cbraa_f(ask, x):
    return ask("cbraa-relative-step", *named(loss=x))


def cbraa_step(ask, rate, rtt, loss):
    return ask("cbraa-step", *named(rate=rate, rtt=rtt, loss=loss))


def simd_alpha_i(ask, keep):
    return ask("simd-alpha-i", *named(keep=keep))


def warc_R(ask, windows, s):
    return ask("window-average", *(repr(float(value)) for value in (s, *windows)))


def warc_hr_example(ask):
    """A history full of windows of 100 packets, then a loss event every 4 rounds."""
    history = named(window=100, rounds=4)
    return ask("history-before-reset", *history), ask("history-after-reset", *history)


# Function of a check -> (its algorithm, what asks the lab).
FORMULAS = {
    "arc_w": ("arc", arc_w), "arc_rate": ("arc", arc_rate), "bw_filter": ("arc", bw_filter),
    "bw_filter_final": ("arc", bw_filter_final), "cycle": ("cbraa", cycle), "loss_th": ("cbraa", loss_th),
    "cbraa_f": ("cbraa", cbraa_f), "cbraa_step": ("cbraa", cbraa_step),
    "simd_alpha_i": ("simd", simd_alpha_i), "warc_R": ("warc", warc_R),
    "warc_hr_example": ("warc", warc_hr_example),
}


class Exact:
    def __init__(self, library, lab):
        self.library = library
        self.lab = lab

    def knows(self, name):
        return name in FORMULAS or name in ("rscore", "tcp_bound")

    def call(self, name, args, kwargs):
        if name == "rscore":
            return self.library.r_score(*args, **kwargs)
        if name == "tcp_bound":
            return tcp_bound(*args, **kwargs)
        algorithm, ask = FORMULAS[name]
        if algorithm not in self.lab.available:
            raise Unavailable(f"{algorithm}: not available")
        try:
            return ask(self.lab.formula, *args, **kwargs)
        except LabError as error:
            raise Unavailable(str(error)) from None
