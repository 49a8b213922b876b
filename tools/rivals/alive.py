# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a sender was alive in a run. One that was not says nothing about its algorithm."""
import collections

from arithmetic import median

# Of a sender, each second or so. frames into its encoder and reports received: since it began.
Sample = collections.namedtuple("Sample", "at_s target_bps made_bps frames reports")

FRAMES_PER_S = 30
SETTLED_S = 5  # for the start of the encoder and of the feedback
LEAST_FRAMES = 0.9  # of those of the clip
LEAST_MADE = 0.7  # of what the encoder is asked for: less, and the rate is the encoder's
LEAST_REPORTED = 0.5  # of the seconds must bring a report


def steady_pairs(samples, began_s, silence_s):
    """Samples that follow each other, without the start and the time when the camera gave none."""
    out_from_s, out_to_s = silence_s or (0, 0)
    settled_s = began_s + SETTLED_S
    return [(a, b) for a, b in zip(samples, samples[1:])
            if a.at_s >= settled_s and a.at_s < b.at_s
            and (b.at_s <= out_from_s or a.at_s >= out_to_s + (SETTLED_S if out_to_s else 0))]


def problems(samples, delivered_packets, began_s, silence_s=None):
    """Why the run does not count, in words; nothing: it does. delivered_packets: at the link."""
    if not samples or not delivered_packets:
        return ["it did not start" if not samples else "nothing of it arrived"]
    pairs = steady_pairs(samples, began_s, silence_s)
    if not pairs:
        return [f"it said nothing after its first {SETTLED_S} s"]
    length_s = sum(b.at_s - a.at_s for a, b in pairs)
    found = []
    frames = sum(b.frames - a.frames for a, b in pairs) / (FRAMES_PER_S * length_s)
    if frames < LEAST_FRAMES:
        found.append(f"starved: its encoder got {frames:.0%} of the frames")
    reported_s = sum(b.at_s - a.at_s for a, b in pairs if b.reports > a.reports)
    if reported_s < LEAST_REPORTED * length_s:
        found.append(f"feedback in {reported_s / length_s:.0%} of the time")
    made = median([b.made_bps / b.target_bps for _, b in pairs if b.target_bps > 0] or [0])
    if made < LEAST_MADE:
        found.append(f"limited by its encoder, which made {made:.0%} of what it was asked for")
    return found
