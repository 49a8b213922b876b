#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which TFRC lets voice through best after silence: RFC 3448, RFC 5348, or Faster Restart on RFC 5348? The voice calls
of Sathiseelan and Fairhurst (2011), section 4.1, in a live pipeline with read speech.

  tests/voice/ordering.py           one conversation of 35 s
  tests/voice/ordering.py --full    four conversations of a minute: the table of docs/voice.md
"""
import argparse
import dataclasses
import statistics
import sys

import calls
import speech

PROFILES = {
    "RFC 3448": "profile=rfc3448",
    "RFC 5348": "profile=rfc5348",
    "RFC 5348 + FR": "profile=rfc5348,faster-restart=true",
}
DELAYS_MS = (50, 150, 250)
LOSSES = (0.0, 0.01, 0.03)
# As in the paper: small-packet accounting, the RFCs' own start, no floor that would hide them, and a transmit buffer
# of 100 ms. Its five packets are counted in time here.
SETTINGS = ("encoders=none min-bitrate=1000 max-bitrate=1000000 start-bitrate=64000 max-queue-time=100000000 "
            "queue-policy=drop-newest algorithm=tfrc params=\"params,{profile},initial=rfc,nofeedback-min=0,sp=true\"")
MORE_SEEDS, MORE_S = (1, 2, 3, 4), 60
SHORT_S = 35
TOO_LATE_MS = 100


def make_calls(seed):
    return [calls.Call((profile, delay_ms, loss), SETTINGS.format(profile=params), delay_ms, loss, seed)
            for delay_ms in DELAYS_MS for loss in LOSSES for profile, params in PROFILES.items()]


def run(seed, duration_s, extra=()):
    """Outcomes by (profile, delay, loss), and how late the speaker was."""
    ours = make_calls(seed)
    conversation = calls.Conversation(ours + list(extra), seed, duration_s)
    conversation.run()
    return {call.name: calls.outcome(conversation, call) for call in ours}, conversation


def mean(outcomes):
    return calls.Outcome(*(statistics.fmean(getattr(outcome, field.name) for outcome in outcomes)
                           for field in dataclasses.fields(calls.Outcome)))


def over(results, profile, delay_ms=None):
    """The mean outcome of a profile over losses, and over delays without one."""
    return mean([outcome for (name, delay, _), outcome in results.items()
                 if name == profile and delay_ms in (None, delay)])


def row(cells, outcome):
    figures = (f"{outcome.wait_ms:.1f}", f"{outcome.wait_p95_ms:.1f}", f"{100 * outcome.dropped:.1f}",
               f"{outcome.r_score:.1f}", f"{calls.mos(outcome.r_score):.2f}", f"{outcome.r_sender:.1f}",
               f"{outcome.r_receiver:.1f}")
    return "| " + " | ".join([*cells, *figures]) + " |"


def print_table(results):
    print("| one way | loss | TFRC | wait at spurt start, ms | p95 | dropped, % | R | MOS | R by weirsend | by weirrecv |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for (profile, delay_ms, loss), outcome in results.items():
        print(row((f"{delay_ms} ms", f"{100 * loss:g} %", profile), outcome))
    for profile in PROFILES:
        print(row(("all", "all", profile), over(results, profile)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="several conversations, longer")
    parser.add_argument("--seed", type=int, default=1, help="of the conversation and of the losses")
    args = parser.parse_args()
    missing = speech.missing() or calls.missing()
    if missing:
        sys.exit(f"ordering.py: {missing}")
    rounds = []
    for seed in MORE_SEEDS if args.full else (args.seed,):
        results, conversation = run(seed, MORE_S if args.full else SHORT_S)
        late_ms = conversation.lateness_ms()
        print(f"conversation {seed}: {len(conversation.speech.spurts)} talk spurts, the speaker up to {late_ms:.0f} ms "
              "late (p99)", file=sys.stderr)
        if late_ms > TOO_LATE_MS:
            sys.exit("ordering.py: this machine is too busy to speak in time")
        rounds.append(results)
    print_table({name: mean([results[name] for results in rounds]) for name in rounds[0]})


if __name__ == "__main__":
    main()
