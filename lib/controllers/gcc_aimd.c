/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "controllers/gcc_aimd.h"

#include <math.h>

#include "weir/units.h"

#define DEFAULT_RTT_NS     WEIR_MS(200)
#define DETECTION_NS       WEIR_MS(100) /* how long an overuse takes to be found */
#define FRAMES_PER_S       30.0
#define PACKET_BITS        (1200.0 * 8.0)
#define LEAST_ADDED_BPS    4000.0 /* per second */
#define LEAST_GROWN_BPS    1000.0 /* at once */
#define LIMIT_FACTOR       1.5    /* of what is acknowledged */
#define LIMIT_EXTRA_BPS    10000.0
#define DECREASE_EXTRA_BPS 5000.0
#define REDUCE_MIN_NS      WEIR_MS(10)
#define REDUCE_MAX_NS      WEIR_MS(200)

void weir__gcc_aimd_init(struct weir__gcc_aimd *aimd, double beta, double growth, double rate_bps)
{
    *aimd = (struct weir__gcc_aimd){.beta = beta,
                                    .growth = growth,
                                    .rate_bps = rate_bps,
                                    .acked_bps = rate_bps,
                                    .changed_ns = WEIR_UNKNOWN_NS};
    weir__link_capacity_init(&aimd->capacity);
}

void weir__gcc_aimd_set_rate(struct weir__gcc_aimd *aimd, double rate_bps, int64_t now_ns)
{
    aimd->rate_bps = rate_bps;
    aimd->changed_ns = now_ns;
}

static double since_change_s(const struct weir__gcc_aimd *aimd, int64_t now_ns)
{
    return aimd->changed_ns == WEIR_UNKNOWN_NS ? HUGE_VAL
                                               : (double)(now_ns - aimd->changed_ns) * 1e-9;
}

static int64_t rtt_ns(const struct weir__gcc_aimd_input *input)
{
    return input->rtt_ns == WEIR_UNKNOWN_NS ? DEFAULT_RTT_NS : input->rtt_ns;
}

/* Half a packet per response time: of the packets that a frame of this rate has. Per second. */
static double near_capacity_growth_bps(const struct weir__gcc_aimd *aimd, int64_t rtt)
{
    double frame_bits = aimd->rate_bps / FRAMES_PER_S;
    double packet_bits = frame_bits / fmax(ceil(frame_bits / PACKET_BITS), 1.0);
    double response_s = 2.0 * (double)(rtt + DETECTION_NS) * 1e-9;
    return fmax(packet_bits / response_s, LEAST_ADDED_BPS);
}

static double grown_bps(const struct weir__gcc_aimd *aimd, const struct weir__gcc_aimd_input *input)
{
    double passed_s = since_change_s(aimd, input->now_ns);
    if (aimd->capacity.known && isfinite(passed_s)) {
        return aimd->rate_bps + near_capacity_growth_bps(aimd, rtt_ns(input)) * passed_s;
    }
    double factor = pow(aimd->growth, fmin(passed_s, 1.0));
    return aimd->rate_bps + fmax(aimd->rate_bps * (factor - 1.0), LEAST_GROWN_BPS);
}

/* Far above the capacity that is known there must be another one. */
static void increase(struct weir__gcc_aimd *aimd, const struct weir__gcc_aimd_input *input)
{
    if (aimd->acked_bps > weir__link_capacity_upper_bps(&aimd->capacity)) {
        weir__link_capacity_forget(&aimd->capacity);
    }
    double limit_bps = LIMIT_FACTOR * aimd->acked_bps + LIMIT_EXTRA_BPS;
    if (aimd->rate_bps < limit_bps) {
        aimd->rate_bps = fmin(grown_bps(aimd, input), limit_bps);
    }
    aimd->changed_ns = input->now_ns;
}

/* A little below what arrives, so that the queue drains; then hold until it has. */
static void decrease(struct weir__gcc_aimd *aimd, int64_t now_ns)
{
    double lower_bps = aimd->beta * aimd->acked_bps;
    lower_bps -= lower_bps > DECREASE_EXTRA_BPS ? DECREASE_EXTRA_BPS : 0.0;
    if (lower_bps > aimd->rate_bps && aimd->capacity.known) {
        lower_bps = aimd->beta * 1000.0 * aimd->capacity.mean_kbps;
    }
    aimd->rate_bps = fmin(aimd->rate_bps, lower_bps);
    if (aimd->acked_bps < weir__link_capacity_lower_bps(&aimd->capacity)) {
        weir__link_capacity_forget(&aimd->capacity);
    }
    weir__link_capacity_sample(&aimd->capacity, aimd->acked_bps);
    aimd->state = WEIR__GCC_HOLD;
    aimd->changed_ns = now_ns;
}

/* The table of gcc-02 section 5.5: a decrease is over when it is made. */
static void change_state(struct weir__gcc_aimd *aimd, enum weir__usage usage, int64_t now_ns)
{
    if (usage == WEIR__USAGE_OVER) {
        aimd->state = WEIR__GCC_DECREASE;
    } else if (usage == WEIR__USAGE_UNDER) {
        aimd->state = WEIR__GCC_HOLD;
    } else if (aimd->state == WEIR__GCC_HOLD) {
        aimd->state = WEIR__GCC_INCREASE;
        aimd->changed_ns = now_ns;
    }
}

/* Whether an overuse that goes on is answered again: after a round trip, or when far less arrives
 * than is sent. */
static bool may_reduce(const struct weir__gcc_aimd *aimd, const struct weir__gcc_aimd_input *input)
{
    int64_t wait_ns = input->acked_bps > 0.0
                          ? weir_clamp_i64(rtt_ns(input), REDUCE_MIN_NS, REDUCE_MAX_NS)
                          : REDUCE_MAX_NS;
    return since_change_s(aimd, input->now_ns) >= (double)wait_ns * 1e-9 ||
           (input->acked_bps > 0.0 && input->acked_bps < 0.5 * aimd->rate_bps);
}

void weir__gcc_aimd_update(struct weir__gcc_aimd *aimd, const struct weir__gcc_aimd_input *input)
{
    bool over = input->usage == WEIR__USAGE_OVER;
    if (over && !may_reduce(aimd, input)) {
        return;
    }
    if (over && input->acked_bps <= 0.0) {
        weir__gcc_aimd_set_rate(aimd, aimd->rate_bps / 2.0, input->now_ns);
    } else {
        aimd->acked_bps = input->acked_bps > 0.0 ? input->acked_bps : aimd->acked_bps;
        change_state(aimd, input->usage, input->now_ns);
        if (aimd->state == WEIR__GCC_DECREASE) {
            decrease(aimd, input->now_ns);
        } else if (aimd->state == WEIR__GCC_INCREASE) {
            increase(aimd, input);
        }
    }
    aimd->rate_bps = fmax(aimd->rate_bps, input->min_bps);
}
