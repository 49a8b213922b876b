# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of the checks that need no simulation. What the product computes is asked of `weir-lab formula`, which
calls the functions that the algorithms use."""
from .expression import Unavailable
from .lab import LabError
from .metrics import tcp_bound


def named(**values):
    """Arguments of `weir-lab formula` by name."""
    return [f"{name.replace('_', '-')}={float(value)!r}" for name, value in values.items()]


def by_name(formula, **names):
    """A function with these arguments, which are the formula's by other names."""
    def ask_for(ask, *args, **kwargs):
        return ask(formula, *named(**{names[name]: value for name, value in (*zip(names, args), *kwargs.items())}))
    return ask_for


def bw_filter(ask, prev, B, T):
    """One sample B, or several of them, each over T, after the steady bandwidth prev."""
    samples = B if isinstance(B, (tuple, list)) else [B]
    return ask("bandwidth-filter", *(repr(float(value)) for value in (T, prev, 0.5, 0, *samples)))


def bw_filter_final(ask, B):
    return bw_filter(ask, 0, [B] * 200, 0.125)


def warc_R(ask, windows, s):
    return ask("window-average", *(repr(float(value)) for value in (s, *windows)))


def warc_hr_example(ask):
    """A history full of windows of 100 packets, then a loss event every 4 rounds."""
    history = named(window=100, rounds=4)
    return ask("history-before-reset", *history), ask("history-after-reset", *history)


# Function of a check -> (its algorithm, what asks the lab).
FORMULAS = {
    "arc_w": ("arc", by_name("arc-window", B="bandwidth", rttmin="rtt_min")),
    "arc_rate": ("arc", by_name("arc-rate", w="window", out="outstanding")),
    "bw_filter": ("arc", bw_filter), "bw_filter_final": ("arc", bw_filter_final),
    "cycle": ("cbraa", by_name("cbraa-cycle", B="rate", R="rtt")),
    "loss_th": ("cbraa", by_name("cbraa-loss-threshold", B="rate", R="rtt")),
    "cbraa_f": ("cbraa", by_name("cbraa-relative-step", x="loss")),
    "cbraa_step": ("cbraa", by_name("cbraa-step", rate="rate", rtt="rtt", loss="loss")),
    "simd_alpha_i": ("simd", by_name("simd-alpha-i", keep="keep")),
    "warc_R": ("warc", warc_R), "warc_hr_example": ("warc", warc_hr_example),
    "rscore": ("udp", by_name("r-score", e="loss", d="delay")),
}


def knows(name):
    return name in FORMULAS or name == "tcp_bound"


def call(lab, name, args, kwargs):
    if name == "tcp_bound":
        return tcp_bound(*args, **kwargs)
    algorithm, ask = FORMULAS[name]
    if algorithm not in lab.available:
        raise Unavailable(f"{algorithm}: not available")
    try:
        return ask(lab.formula, *args, **kwargs)
    except LabError as error:
        raise Unavailable(str(error)) from None
