# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a browser receives while the capacity on its way steps, second by second, and whether that is
well."""
import time

QUEUE_MS, DELAY_MS = 150, 20
JUDGED = 0.4  # of each phase, at its end: 8 s of 20 s
MAX_FREEZES_S = 1.0
LEAST, MOST = 0.7, 1.0  # of the capacity


def link_options(capacity_bps):
    return ("--capacity", str(capacity_bps), "--delay", f"{DELAY_MS}ms", "--reverse-delay",
            f"{DELAY_MS}ms", "--queue-time", f"{QUEUE_MS}ms")


def wait_for_pictures(browser, sender, timeout_s=30):
    """Until the first picture is shown; says what is wrong when none comes."""
    deadline = time.monotonic() + timeout_s
    while True:
        figures = browser.evaluate("measure()")
        if figures.get("video", {}).get("framesDecoded", 0) > 0:
            return
        if time.monotonic() > deadline:
            raise AssertionError(f"no picture after {timeout_s} s; connection: {figures['state']}; "
                                 f"send.py said: {' / '.join(sender.said)}")
        time.sleep(0.1)


def sample(figures, stats, time_s, capacity_bps):
    video, pair = figures.get("video", {}), figures.get("pair", {})
    emitted = max(video.get("jitterBufferEmittedCount", 0), 1)
    return {
        "time_s": time_s, "capacity_bps": capacity_bps, "page_s": figures["time"],
        "received_bytes": pair.get("bytesReceived", 0),
        "rtt_s": pair.get("currentRoundTripTime", 0.0),
        "frames": video.get("framesDecoded", 0), "lost": video.get("packetsLost", 0),
        "repeated": video.get("retransmittedPacketsReceived", 0),
        "nacks": video.get("nackCount", 0), "key_frames": video.get("keyFramesDecoded", 0),
        "freezes": video.get("freezeCount", 0), "freezes_s": video.get("totalFreezesDuration", 0.0),
        "buffer_s": video.get("jitterBufferDelay", 0.0) / emitted,
        "audio_concealed": figures.get("audio", {}).get("concealedSamples", 0),
        "target_bps": stats.get("target-bitrate", 0), "sent_bps": stats.get("sent-bitrate", 0),
        "delivered_bps": stats.get("delivered-bitrate", 0), "weirsend_rtt_s": stats.get("rtt", 0) / 1e9,
        "loss_ratio": stats.get("loss-ratio", 0.0), "limited_by": stats.get("limited-by", ""),
        "feedback_twcc": stats.get("feedback-twcc", 0), "unsent": stats.get("results-unsent", 0),
        "dropped": stats.get("dropped-packets", 0)}


def line(before, now):
    rate_bps = received_bps(before, now)
    return (f"{now['time_s']:4.0f} s  capacity {now['capacity_bps'] / 1e6:4.2f}  received "
            f"{rate_bps / 1e6:4.2f}  target {now['target_bps'] / 1e6:4.2f} Mbit/s  "
            f"frames {now['frames'] - before['frames']:2d}  freezes {now['freezes_s']:4.2f} s  "
            f"lost {now['lost']:4d}  repeated {now['repeated']:4d}  buffer {1000 * now['buffer_s']:3.0f} ms  "
            f"rtt {1000 * now['weirsend_rtt_s']:3.0f} ms  limited by {now['limited_by']}")


def received_bps(before, now):
    """As the browser counts: UDP payload, without IP and UDP headers."""
    duration_s = now["page_s"] - before["page_s"]
    return 8 * (now["received_bytes"] - before["received_bytes"]) / duration_s if duration_s else 0.0


def run(link, sender, browser, capacities_bps, phase_s, at_phase_end=None):
    """Samples, one per second, from the first picture on. The link has the first capacity."""
    browser.open(sender.url)
    wait_for_pictures(browser, sender)
    samples, begin = [], time.monotonic()
    for k, capacity_bps in enumerate(capacities_bps):
        link.order(f"capacity {capacity_bps}")
        for second in range(phase_s):
            at_s = k * phase_s + second
            time.sleep(max(0.0, begin + at_s - time.monotonic()))
            samples.append(sample(browser.evaluate("measure()"), sender.stats, at_s, capacity_bps))
            if len(samples) > 1:
                print("# " + line(samples[-2], samples[-1]), flush=True)
        if at_phase_end:
            at_phase_end(k)
    at_s = len(capacities_bps) * phase_s
    time.sleep(max(0.0, begin + at_s - time.monotonic()))
    samples.append(sample(browser.evaluate("measure()"), sender.stats, at_s, capacities_bps[-1]))
    return samples


def judge(samples, capacities_bps, phase_s):
    phases, judged_s = [], int(JUDGED * phase_s)
    for k, capacity_bps in enumerate(capacities_bps):
        first, last = samples[k * phase_s], samples[(k + 1) * phase_s]
        begin = samples[(k + 1) * phase_s - judged_s]
        phases.append({
            "capacity_bps": capacity_bps, "received_bps": received_bps(begin, last),
            "use": received_bps(begin, last) / capacity_bps,
            "freezes_s": last["freezes_s"] - first["freezes_s"],
            "frames_per_s": (last["frames"] - first["frames"]) / phase_s,
            "lost": last["lost"] - first["lost"]})
    problems = [f"phase {k + 1}: {100 * phase['use']:.0f} % of the capacity was received in its last "
                f"{judged_s} s, not {100 * LEAST:.0f} to {100 * MOST:.0f} %"
                for k, phase in enumerate(phases) if not LEAST <= phase["use"] <= MOST]
    freezes_s = samples[-1]["freezes_s"]
    if freezes_s >= MAX_FREEZES_S:
        problems.append(f"the video froze for {freezes_s:.2f} s, not less than {MAX_FREEZES_S:g} s")
    if samples[-1]["feedback_twcc"] == 0:
        problems.append("no transport-wide feedback came")
    return {"phases": phases, "judged_s": judged_s, "freezes_s": freezes_s, "frames": samples[-1]["frames"],
            "problems": problems, "passed": not problems}
