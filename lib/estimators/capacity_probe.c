/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/capacity_probe.h"

#include <math.h>

#include "weir/units.h"

#define FACTOR       2.0
#define PROOF        1.7 /* times the capacity: 1.6 if another flow of our share rests half of it */
#define RIGHT        1.25
#define LENGTH_S     0.015  /* half a frame: several times the 1/1024 s of CCFB */
#define LEAST_BYTES  4800.0 /* four packets: three gaps */
#define LEAST_BPS    1e6    /* below, those four would take more than a frame's time */
#define MOST_BPS     16e6   /* beyond, the most that a session probes with is over in 7 ms */
#define APART_S      1.0
#define MOST_APART_S 30.0
#define AGAIN_S      0.1 /* a feedback or two later */
#define LEAST_SHARE  0.5 /* of LEAST_BYTES: two packets, one gap, are too few */
#define HOLDS_NS     WEIR_SECONDS(1)
/* Ahead. A capacity that is proved is proved against what was known; here an error is a queue. */
#define AHEAD_LENGTH_S 0.0075
#define AHEAD_SHARE    0.85
#define LONG_AGO_NS    (INT64_MIN / 4)

void weir__capacity_probe_forget(struct weir__capacity_probe *probe)
{
    *probe = (struct weir__capacity_probe){
        .asked_ns = LONG_AGO_NS, .proved_ns = LONG_AGO_NS, .apart_s = APART_S};
}

void weir__capacity_probe_ask(struct weir__capacity_probe *probe, int64_t now_ns,
                              double capacity_bps)
{
    double since_s = (double)(now_ns - probe->asked_ns) * 1e-9;
    double bps = FACTOR * capacity_bps;
    if (since_s >= probe->apart_s && bps >= LEAST_BPS && bps <= MOST_BPS) {
        probe->asked_ns = now_ns;
        probe->bps = bps;
        probe->is_ahead = false;
    }
}

void weir__capacity_probe_ask_ahead(struct weir__capacity_probe *probe, double rate_bps)
{
    double bps = FACTOR * rate_bps;
    if (probe->bps <= 0.0 && bps <= MOST_BPS) {
        probe->bps = bps;
        probe->is_ahead = true;
    }
}

static void wait_longer(struct weir__capacity_probe *probe)
{
    probe->apart_s = fmin(2.0 * probe->apart_s, MOST_APART_S);
}

void weir__capacity_probe_on_busy(struct weir__capacity_probe *probe, double capacity_bps)
{
    probe->bps = 0.0;
    if (probe->doubted_bps > 0.0 && capacity_bps > RIGHT * probe->doubted_bps) {
        probe->apart_s = APART_S;
    } else if (probe->doubted_bps > 0.0) {
        wait_longer(probe);
    }
    probe->doubted_bps = 0.0;
}

/* It did not leave as it was to: there were too few packets. */
static bool tells_nothing(const struct weir__capacity_answer *answer, double capacity_bps)
{
    return answer->sent_bytes < LEAST_SHARE * LEAST_BYTES ||
           answer->sent_bps <= PROOF * capacity_bps;
}

bool weir__capacity_probe_take(struct weir__capacity_probe *probe,
                               const struct weir__capacity_answer *answer, double capacity_bps)
{
    bool waited_for = probe->bps > 0.0 && capacity_bps > 0.0;
    probe->bps = 0.0;
    if (answer->lost) {
        wait_longer(probe);
    } else if (waited_for && tells_nothing(answer, capacity_bps)) {
        probe->asked_ns = answer->now_ns - (int64_t)((probe->apart_s - AGAIN_S) * 1e9);
        return false;
    }
    if (answer->lost || !waited_for || answer->bps <= PROOF * capacity_bps) {
        return false;
    }
    probe->proved_bps = answer->bps;
    probe->proved_ns = answer->now_ns;
    probe->doubted_bps = capacity_bps;
    return true;
}

double weir__capacity_probe_take_ahead(struct weir__capacity_probe *probe,
                                       const struct weir__capacity_answer *answer)
{
    bool waited_for = probe->bps > 0.0;
    probe->bps = 0.0;
    if (!waited_for || answer->lost || answer->sent_bytes < LEAST_SHARE * LEAST_BYTES) {
        return 0.0;
    }
    return AHEAD_SHARE * answer->bps;
}

double weir__capacity_probe_proved_bps(const struct weir__capacity_probe *probe, int64_t now_ns)
{
    return now_ns - probe->proved_ns < HOLDS_NS ? probe->proved_bps : 0.0;
}

int64_t weir__capacity_probe_bytes(const struct weir__capacity_probe *probe)
{
    double length_s = probe->is_ahead ? AHEAD_LENGTH_S : LENGTH_S;
    double bytes = fmax(probe->bps * length_s / 8.0, LEAST_BYTES);
    return probe->bps > 0.0 ? (int64_t)bytes : 0;
}
