#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints a capacity trace in Mahimahi's format that is made, not recorded: a rate on a random walk, as a cellular
link has it, opportunities that come at random at this rate, and a handover without any:
tools/make_trace.py [--seconds 20] [--seed 1] > cell.trace"""
import argparse
import random

PACKET_BITS = 12000
SLOTS_PER_MS = 10  # an opportunity in each at most: the chance of a second is small at the highest rate
STEP_MS = 200
LEAST_BPS, MOST_BPS, CHANGE_BPS = 300_000, 4_000_000, 500_000  # the walk of scenarios/live/cell.json
HANDOVER_MS = 300


def reflect(value, least, most):
    """Back into the range, at both ends."""
    if value < least:
        return 2 * least - value
    return 2 * most - value if value > most else value


def walk(draw):
    """Endless rates, a step each."""
    rate_bps = (LEAST_BPS + MOST_BPS) / 2
    while True:
        yield rate_bps
        rate_bps = reflect(rate_bps + CHANGE_BPS * (2 * draw() - 1), LEAST_BPS, MOST_BPS)


def opportunities(seconds, seed):
    """Milliseconds, ascending; the last one is the end, so that the trace is as long as asked."""
    draw = random.Random(seed).random  # the same in every version of Python
    length_ms = 1000 * seconds
    handover_ms = int(draw() * (length_ms - HANDOVER_MS))
    found, rates = [], walk(draw)
    for ms in range(length_ms):
        rate_bps = next(rates) if ms % STEP_MS == 0 else rate_bps
        chance = rate_bps / PACKET_BITS / 1000 / SLOTS_PER_MS
        came = sum(draw() < chance for _ in range(SLOTS_PER_MS))
        if not handover_ms <= ms < handover_ms + HANDOVER_MS:
            found += [ms + 1] * came
    if not found or found[-1] < length_ms:
        found.append(length_ms)
    return found


def main(argv=None):
    parser = argparse.ArgumentParser(prog="make_trace.py", description="Prints a made-up capacity trace.")
    parser.add_argument("--seconds", type=int, default=20, metavar="N", help="length, 1 to 100000 (default 20)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draws (default 1)")
    options = parser.parse_args(argv)
    if not 1 <= options.seconds <= 100_000:
        parser.error(f"--seconds {options.seconds}: must be from 1 to 100000")
    print("\n".join(map(str, opportunities(options.seconds, options.seed))))


if __name__ == "__main__":
    main()
