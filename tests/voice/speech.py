# SPDX-License-Identifier: LGPL-2.1-or-later
"""A conversation made of read speech: phrases as they were recorded, with silences between them in which the other
side would speak."""
import array
import dataclasses
import glob
import os
import random
import wave

RECORDINGS = "/usr/share/pocketsphinx/test/data/librivox/*.wav"
RATE_HZ = 8000
FRAME = RATE_HZ // 50  # samples in 20 ms
QUIET = 0.12  # of the loudest frame: the reader draws breath
PAUSE_FRAMES = 5
SHORTEST_FRAMES = 15
SHORTEST_SILENCE_S = 0.3


def missing():
    """Why there can be no speech, or nothing."""
    if glob.glob(RECORDINGS):
        return ""
    return f"no recordings in {os.path.dirname(RECORDINGS)}: install pocketsphinx-testdata (tools/setup test)"


def recordings():
    """The samples of each recording, at half its rate: it was made at 16 kHz."""
    for path in sorted(glob.glob(RECORDINGS)):
        with wave.open(path) as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (2 * RATE_HZ, 1, 2):
                raise ValueError(f"{path} is not 16 kHz, mono, 16 bit")
            samples = array.array("h")
            samples.frombytes(file.readframes(file.getnframes()))
        yield array.array("h", ((a + b) // 2 for a, b in zip(samples[::2], samples[1::2])))


def phrases(samples):
    """What lies between the reader's pauses, in whole frames."""
    frames = [samples[i:i + FRAME] for i in range(0, len(samples) - FRAME + 1, FRAME)]
    levels = [sum(map(abs, frame)) for frame in frames]
    spoken = [i for i, level in enumerate(levels) if level > QUIET * max(levels)]
    first = spoken[0]
    for here, there in zip(spoken, spoken[1:] + [len(levels) + PAUSE_FRAMES]):
        if there - here > PAUSE_FRAMES:
            if here + 1 - first >= SHORTEST_FRAMES:
                yield samples[first * FRAME:(here + 1) * FRAME]
            first = there


@dataclasses.dataclass
class Speech:
    samples: array.array
    spurts: list  # (begin, end) of each phrase in ns


def conversation(seed, duration_s, mean_silence_s):
    """About duration_s of it, the same for the same seed. Silences are of exponential length, as in the paper's model
    of conversation; the phrases are as long as they are (1.1 s in the mean)."""
    chance = random.Random(seed)
    parts = [phrase for samples in recordings() for phrase in phrases(samples)]
    speech = Speech(array.array("h"), [])
    while len(speech.samples) < duration_s * RATE_HZ:
        chance.shuffle(parts)
        for part in parts:
            begin = len(speech.samples)
            speech.samples += part
            speech.spurts.append((begin * 10**9 // RATE_HZ, len(speech.samples) * 10**9 // RATE_HZ))
            silence_s = max(chance.expovariate(1 / mean_silence_s), SHORTEST_SILENCE_S)
            speech.samples += array.array("h", bytes(2 * FRAME * round(silence_s * 50)))
            if len(speech.samples) >= duration_s * RATE_HZ:
                break
    return speech
