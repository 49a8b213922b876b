/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PIE by RFC 8033 4 and 5, with marks (5.1), drops at even distances (5.4) and bounded steps (5.5).
 * Differs: the wait is that of the oldest packet in the queue, by its time stamp, and not the
 * length over an estimate of the rate, which Linux gave up as well. It is always active (5.3). */
#include "sim/network/queue_pie.h"
#include "weir/units.h"

#define LONGEST_NS        WEIR_SECONDS(3600)
#define EVEN_LEAST        0.85 /* sums of probabilities: no drop before ... */
#define EVEN_MOST         8.5  /* ... and a drop after */
#define LITTLE            0.2  /* with a short wait, up to this probability nothing is dropped */
#define LARGE             0.1  /* from this probability on ... */
#define MOST_STEP         0.02 /* ... it grows by no more */
#define IDLE_DECAY        0.98
#define LEAST_TO_SPEAK_OF 1e-12

/* RFC 8033 4.2, 4.4, 5.1. */
void weir__pie_config_default(struct weir__pie_config *config)
{
    *config = (struct weir__pie_config){.target_ns = WEIR_MS(15),
                                        .update_ns = WEIR_MS(15),
                                        .burst_ns = WEIR_MS(150),
                                        .alpha_hz = 0.125,
                                        .beta_hz = 1.25,
                                        .mean_packet_bytes = 1500,
                                        .mark_below = 0.1};
}

static bool is_time(int64_t time_ns)
{
    return time_ns > 0 && time_ns <= LONGEST_NS;
}

/* WEIR_ERROR_RANGE for a value outside its range; times end at one hour. */
enum weir_status weir__pie_init(struct weir__pie *pie, const struct weir__pie_config *config)
{
    bool valid = is_time(config->target_ns) && is_time(config->update_ns) &&
                 config->burst_ns >= 0 && config->burst_ns <= LONGEST_NS &&
                 config->alpha_hz > 0.0 && config->alpha_hz <= 1e6 && config->beta_hz > 0.0 &&
                 config->beta_hz <= 1e6 && config->mean_packet_bytes > 0 &&
                 config->mark_below >= 0.0 && config->mark_below <= 1.0;
    if (!valid) {
        return WEIR_ERROR_RANGE;
    }
    *pie = (struct weir__pie){.config = *config, .burst_left_ns = config->burst_ns};
    return WEIR_OK;
}

/* RFC 8033 4.2: the smaller the probability, the smaller the steps. */
static double scale(double probability)
{
    static const struct {
        double below, divisor;
    } rows[] = {{1e-6, 2048.0}, {1e-5, 512.0}, {1e-4, 128.0},
                {1e-3, 32.0},   {1e-2, 8.0},   {0.1, 2.0}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (probability < rows[i].below) {
            return 1.0 / rows[i].divisor;
        }
    }
    return 1.0;
}

/* RFC 8033 4.2 and 5.5: the probability after an update, in [0, 1]. */
double weir__pie_step(const struct weir__pie_config *config, double probability, int64_t wait_ns,
                      int64_t last_wait_ns)
{
    double step = config->alpha_hz * (double)(wait_ns - config->target_ns) * 1e-9 +
                  config->beta_hz * (double)(wait_ns - last_wait_ns) * 1e-9;
    step *= scale(probability);
    if (probability >= LARGE && step > MOST_STEP) {
        step = MOST_STEP;
    }
    double next = probability + step;
    if (wait_ns == 0 && last_wait_ns == 0) {
        next *= IDLE_DECAY;
    }
    return next < LEAST_TO_SPEAK_OF ? 0.0 : next > 1.0 ? 1.0 : next;
}

static void update_once(struct weir__pie *pie, int64_t wait_ns)
{
    const struct weir__pie_config *config = &pie->config;
    pie->probability = weir__pie_step(config, pie->probability, wait_ns, pie->wait_ns);
    pie->last_wait_ns = pie->wait_ns;
    pie->wait_ns = wait_ns;
    pie->burst_left_ns = weir_max_i64(0, pie->burst_left_ns - config->update_ns);
    if (pie->probability <= 0.0 && 2 * wait_ns < config->target_ns &&
        2 * pie->last_wait_ns < config->target_ns) {
        pie->burst_left_ns = config->burst_ns;
    }
}

/* The updates due by now; nothing has come or gone since the last call. oldest_ns: since when the
 * oldest packet waits, WEIR_NEVER_NS when none does. Those that would change nothing are skipped.
 */
void weir__pie_update(struct weir__pie *pie, int64_t now_ns, int64_t oldest_ns)
{
    if (pie->next_ns == 0) {
        pie->next_ns = now_ns + pie->config.update_ns;
    }
    while (pie->next_ns <= now_ns) {
        int64_t wait_ns = weir_max_i64(0, pie->next_ns - oldest_ns);
        bool idle =
            wait_ns == 0 && pie->wait_ns == 0 && pie->last_wait_ns == 0 && pie->probability <= 0.0;
        bool stuck = wait_ns > pie->config.target_ns && pie->probability >= 1.0;
        if (idle || stuck) {
            int64_t missed = (now_ns - pie->next_ns) / pie->config.update_ns;
            pie->next_ns += missed * pie->config.update_ns;
            wait_ns = weir_max_i64(0, pie->next_ns - oldest_ns);
        }
        update_once(pie, wait_ns);
        pie->next_ns += pie->config.update_ns;
    }
}

/* RFC 8033 5.4: not soon after the last drop, and not long after it either. */
static bool draw(struct weir__pie *pie, struct weir__random *random)
{
    pie->sum = pie->probability > 0.0 ? pie->sum + pie->probability : 0.0;
    bool drops = pie->sum >= EVEN_LEAST &&
                 (pie->sum >= EVEN_MOST || weir__random_chance(random, pie->probability));
    pie->sum = drops ? 0.0 : pie->sum;
    return drops;
}

/* One arrival at a queue of queue_bytes (without it), after weir__pie_update(). */
enum weir__pie_verdict weir__pie_on_arrival(struct weir__pie *pie, int64_t queue_bytes,
                                            bool is_capable, struct weir__random *random)
{
    const struct weir__pie_config *config = &pie->config;
    bool is_short = 2 * pie->wait_ns < config->target_ns && pie->probability < LITTLE;
    if (pie->burst_left_ns > 0 || is_short || queue_bytes <= 2 * config->mean_packet_bytes ||
        !draw(pie, random)) {
        return WEIR__PIE_ACCEPT;
    }
    bool marks = config->mark_ecn && is_capable && pie->probability < config->mark_below;
    return marks ? WEIR__PIE_MARK : WEIR__PIE_DROP;
}
