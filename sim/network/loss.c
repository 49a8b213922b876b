/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/loss.h"
#include "weir/units.h"
#include <math.h>

static bool is_probability(double p)
{
    return p >= 0.0 && p <= 1.0;
}

static bool is_trace_valid(const struct weir__link_loss_config *c)
{
    for (size_t i = 0; i < c->n_trace; i++) {
        if (c->trace_packets[i] < 1 || (i > 0 && c->trace_packets[i] <= c->trace_packets[i - 1])) {
            return false;
        }
    }
    return true;
}

/* Independent losses, or two states (Gilbert) with the wanted ratio and mean burst; a burst too
 * short for the ratio is made as long as it must be. */
void weir__link_loss_in_bursts(struct weir__link_loss_config *config, double ratio,
                               double burst_packets)
{
    *config = (struct weir__link_loss_config){.model = WEIR__LOSS_NONE};
    if (ratio <= 0.0) {
        return;
    }
    if (burst_packets <= 1.0 || ratio >= 1.0) {
        config->model = WEIR__LOSS_BERNOULLI;
        config->p = ratio;
        return;
    }
    config->model = WEIR__LOSS_GILBERT;
    config->p_loss_bad = 1.0;
    config->p_bad_to_good = fmin(1.0 / burst_packets, (1.0 - ratio) / ratio);
    config->p_good_to_bad = fmin(ratio * config->p_bad_to_good / (1.0 - ratio), 1.0);
}

/* WEIR_ERROR_RANGE when a field that the model reads is outside its range. */
enum weir_status weir__link_loss_check(const struct weir__link_loss_config *c)
{
    bool valid = false;
    switch (c->model) {
    case WEIR__LOSS_NONE:
        valid = true;
        break;
    case WEIR__LOSS_BERNOULLI:
        valid = is_probability(c->p);
        break;
    case WEIR__LOSS_GILBERT:
        valid = is_probability(c->p_good_to_bad) && is_probability(c->p_bad_to_good) &&
                is_probability(c->p_loss_good) && is_probability(c->p_loss_bad);
        break;
    case WEIR__LOSS_PERIODIC:
        valid = c->every_packets >= 1;
        break;
    case WEIR__LOSS_TIMED:
        valid = c->mean_ns >= 1 && is_probability(c->variation);
        break;
    case WEIR__LOSS_COUNTED:
        valid = c->mean_packets >= 1 && is_probability(c->variation);
        break;
    case WEIR__LOSS_TRACE:
        valid = is_trace_valid(c);
        break;
    }
    return valid ? WEIR_OK : WEIR_ERROR_RANGE;
}

/* Shifted exponential: E (1 - CV) + Exp(mean CV E), which has mean E and standard deviation CV E.
 */
static int64_t draw_distance(struct weir__link_loss *loss, int64_t mean)
{
    double cv = loss->config.variation;
    double fixed = (double)mean * (1.0 - cv);
    double distance = fixed + weir__random_exponential(&loss->random, cv * (double)mean);
    return distance < 9e18 ? (int64_t)(distance + 0.5) : WEIR_NEVER_NS;
}

/* config has passed weir__link_loss_check(). The stream of random numbers is copied. */
void weir__link_loss_init(struct weir__link_loss *loss, const struct weir__link_loss_config *config,
                          const struct weir__random *random, int64_t now_ns)
{
    *loss = (struct weir__link_loss){.config = *config, .random = *random};
    if (config->model == WEIR__LOSS_TIMED) {
        loss->next_loss = weir_time_add_ns(now_ns, draw_distance(loss, config->mean_ns));
    } else if (config->model == WEIR__LOSS_COUNTED) {
        loss->next_loss = weir_max_i64(1, draw_distance(loss, config->mean_packets));
    }
}

/* Gilbert-Elliott: the state first moves, then decides. */
static bool gilbert_takes(struct weir__link_loss *loss)
{
    const struct weir__link_loss_config *c = &loss->config;
    if (weir__random_chance(&loss->random, loss->bad ? c->p_bad_to_good : c->p_good_to_bad)) {
        loss->bad = !loss->bad;
    }
    return weir__random_chance(&loss->random, loss->bad ? c->p_loss_bad : c->p_loss_good);
}

/* The next instant follows the last instant, not the packet that paid for it; instants without a
 * packet between them cost one packet together. */
static bool timed_takes(struct weir__link_loss *loss, int64_t now_ns)
{
    if (now_ns < loss->next_loss) {
        return false;
    }
    int64_t behind_ns = now_ns - loss->next_loss;
    if (behind_ns / loss->config.mean_ns > 1000) {
        loss->next_loss = now_ns;
    }
    while (loss->next_loss <= now_ns) {
        int64_t distance_ns = weir_max_i64(1, draw_distance(loss, loss->config.mean_ns));
        loss->next_loss = weir_time_add_ns(loss->next_loss, distance_ns);
    }
    return true;
}

static bool counted_takes(struct weir__link_loss *loss)
{
    if (loss->seen_packets < loss->next_loss) {
        return false;
    }
    int64_t distance = weir_max_i64(1, draw_distance(loss, loss->config.mean_packets));
    loss->next_loss = weir_time_add_ns(loss->next_loss, distance);
    return true;
}

static bool trace_takes(struct weir__link_loss *loss)
{
    if (loss->trace_at >= loss->config.n_trace ||
        loss->config.trace_packets[loss->trace_at] != loss->seen_packets) {
        return false;
    }
    loss->trace_at++;
    return true;
}

/* Whether the packet that passes now is lost. Call it once per packet, now_ns not decreasing. */
bool weir__link_loss_takes(struct weir__link_loss *loss, int64_t now_ns)
{
    loss->seen_packets++;
    switch (loss->config.model) {
    case WEIR__LOSS_NONE:
        return false;
    case WEIR__LOSS_BERNOULLI:
        return weir__random_chance(&loss->random, loss->config.p);
    case WEIR__LOSS_GILBERT:
        return gilbert_takes(loss);
    case WEIR__LOSS_PERIODIC:
        return loss->seen_packets % loss->config.every_packets == 0;
    case WEIR__LOSS_TIMED:
        return timed_takes(loss, now_ns);
    case WEIR__LOSS_COUNTED:
        return counted_takes(loss);
    case WEIR__LOSS_TRACE:
        return trace_takes(loss);
    }
    return false;
}
