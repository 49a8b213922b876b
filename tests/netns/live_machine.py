# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether the machine had time for a run. One that had not is not judged."""
import collections
import ctypes
import os

from arithmetic import quantile, ratio

FRAME_MS = 1000 / 30
# Queues and delays of milliseconds are measured: packets may not be later than a part of one.
MOST_LATE_MS = 1.0
# An encoder that waits for a processor gives less than it is asked for, and later.
MOST_SOURCE_LATE_MS = 10.0
MOST_STEAL, MOST_FOREIGN = 0.02, 0.25  # of the time; processors that others took
PR_SET_CHILD_SUBREAPER = 36

# Of all processors. What runs with a positive nice value gives way to the run, and counts as idle:
# whether packets and frames were late all the same is measured.
Times = collections.namedtuple("Times", "total_s idle_s steal_s")


def parse_times(text, ticks_per_s):
    """The first line of /proc/stat."""
    ticks = [int(word) for word in text.split("\n", maxsplit=1)[0].split()[1:9]]
    return Times(sum(ticks) / ticks_per_s, (ticks[1] + ticks[3] + ticks[4]) / ticks_per_s,
                 ticks[7] / ticks_per_s)


def times():
    with open("/proc/stat", encoding="ascii") as file:
        return parse_times(file.read(), os.sysconf("SC_CLK_TCK"))


def processes():
    """{pid: (parent, processor time of it and of the children for which it has waited)}"""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                words = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # no process, or one that has ended
        if name.isdigit():
            found[int(name)] = int(words[1]), sum(int(word) for word in words[11:15])
    return found


def spent_s(found, root, ticks_per_s):
    """Processor time of a process and of all that descend from it."""
    total, family = found[root][1], {root}
    while True:
        children = {pid for pid, (parent, _) in found.items() if parent in family} - family
        if not children:
            return total / ticks_per_s
        total += sum(found[pid][1] for pid in children)
        family |= children


def adopt_orphans():
    """A process whose parent ends becomes our child from now on, and stays in own_s(): those of a browser that is
    killed, which would else count as others' in the runs beside it."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def own_s():
    return spent_s(processes(), os.getpid(), os.sysconf("SC_CLK_TCK"))


def source_late_ms(frames_s):
    """The gap between two frames is in 99 % of all cases at most this much too long."""
    ordered = sorted(frames_s)
    gaps_ms = [1000 * (b - a) - FRAME_MS for a, b in zip(ordered, ordered[1:])]
    return max(0.0, quantile(gaps_ms, 0.99)) if gaps_ms else 0.0


def use(before, after, own_s, wall_s):
    """Processors in use: by the run, by others; and the part of the time that a hypervisor took."""
    total_s = after.total_s - before.total_s
    busy_s = total_s - (after.idle_s - before.idle_s) - (after.steal_s - before.steal_s)
    return {"own": own_s / wall_s, "foreign": max(0.0, busy_s - own_s) / wall_s,
            "steal": ratio(after.steal_s - before.steal_s, total_s)}


def why_busy(machine):
    """Reasons not to judge the run; none: it was idle enough."""
    limits = (("late_ms_p99", MOST_LATE_MS, "packets were up to {:.1f} ms late"),
              ("source_late_ms", MOST_SOURCE_LATE_MS, "frames were up to {:.0f} ms late"),
              ("steal", MOST_STEAL, "the hypervisor took {:.0%}"),
              ("foreign", MOST_FOREIGN, "others used {:.1f} processors"))
    return [words.format(machine[name]) for name, most, words in limits if machine[name] > most]
