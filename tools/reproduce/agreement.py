# SPDX-License-Identifier: LGPL-2.1-or-later
"""When weir-lab and ns-2 agree on a figure: within the limits of docs/ns2.md, or within the spread of the seeds."""
import math
import statistics

LIMITS_PERCENT = {"goodput_bps": 5, "loss_ratio": 20, "cov": 20, "queue_packets": None}
# Two-sided 95 % quantiles of Student's t for 1, 2, ... degrees of freedom.
T_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]


def spread(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def is_significant(ours, theirs):
    """Welch's test at 5 %. Runs that do not vary at all differ when they differ."""
    variances = [spread(values) ** 2 / len(values) for values in (ours, theirs)]
    error = math.sqrt(sum(variances))
    difference = abs(statistics.fmean(ours) - statistics.fmean(theirs))
    if error == 0:
        return difference > 0
    freedom = sum(variances) ** 2 / sum(v ** 2 / max(1, len(values) - 1)
                                        for v, values in zip(variances, (ours, theirs)))
    return difference / error > T_95[min(max(int(freedom), 1), len(T_95)) - 1]


def compare_quantity(quantity, ours, theirs):
    mean_ours, mean_theirs = statistics.fmean(ours), statistics.fmean(theirs)
    percent = None
    if mean_theirs > 0:
        percent = 100 * (mean_ours / mean_theirs - 1)
    elif mean_ours == mean_theirs:
        percent = 0.0
    limit = LIMITS_PERCENT.get(quantity)
    beyond = limit is not None and (percent is None or abs(percent) > limit)
    return {"weir": mean_ours, "weir_spread": spread(ours), "ns2": mean_theirs, "ns2_spread": spread(theirs),
            "difference_percent": percent, "beyond": beyond, "significant": is_significant(ours, theirs)}


def cov_of(jain):
    """Of what has this index, which is 1/(1 + CoV^2)."""
    return math.sqrt(max(0.0, 1 / jain - 1))


def agree(quantity, ours, theirs):
    """Quantities without a limit agree when the seeds do not tell them apart; Jain's indices when the CoV of what they
    are of agree."""
    if not all(map(math.isfinite, [*ours, *theirs])):
        return False
    if quantity == "jain":
        quantity, ours, theirs = "cov", [*map(cov_of, ours)], [*map(cov_of, theirs)]
    row = compare_quantity(quantity, ours, theirs)
    within = LIMITS_PERCENT.get(quantity) is not None and not row["beyond"]
    return within or not row["significant"]
