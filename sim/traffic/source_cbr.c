/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Even packets: one whenever the bits of a packet have collected at the rate of the moment, which a
 * schedule and a square wave may change. Time and bits are exact: packet k of a constant rate comes
 * at floor(k bits / rate). After a silence the first packet comes at once. */
#include "sim/traffic/source_kind.h"
#include "weir/units.h"

#define SECOND_NS INT64_C(1000000000)

static void set_defaults(struct weir__source_config *config)
{
    config->unit_bytes = 1460;
}

static bool are_steps_valid(const struct weir__source_config *c)
{
    for (size_t i = 0; i < c->n_steps; i++) {
        const struct weir__schedule_step *step = &c->steps[i];
        int64_t after_ns = i > 0 ? c->steps[i - 1].at_ns : -1;
        if (step->at_ns <= after_ns || step->rate_bps < 0 ||
            step->rate_bps > WEIR__SOURCE_MAX_BPS) {
            return false;
        }
    }
    return true;
}

static bool is_valid(const struct weir__source_config *c)
{
    return weir__source_is_rate(c->rate_bps) && weir__source_is_packet(c->unit_bytes) &&
           weir__source_is_wave(c) && are_steps_valid(c);
}

/* Whether the square wave is "on" at at_ns >= start_ns; *until_ns: when that ends. */
static bool wave(const struct weir__source_config *c, int64_t at_ns, int64_t *until_ns)
{
    *until_ns = WEIR_NEVER_NS;
    if (c->on_ns == 0) {
        return true;
    }
    int64_t phase_ns = (at_ns - c->start_ns) % (c->on_ns + c->off_ns);
    int64_t first_ns = c->begins_off ? c->off_ns : c->on_ns;
    bool in_first = phase_ns < first_ns;
    int64_t left_ns = (in_first ? first_ns : c->on_ns + c->off_ns) - phase_ns;
    *until_ns = weir_time_add_ns(at_ns, left_ns);
    return in_first != c->begins_off;
}

/* The rate from at_ns on, and when that may change; without a rate the wave does not matter. */
static int64_t rate_at(struct weir__source *source, int64_t at_ns, int64_t *until_ns)
{
    struct weir__schedule *schedule = &source->state.cbr.schedule;
    int64_t rate_bps = weir__schedule_value(schedule, at_ns);
    int64_t change_ns = schedule->next_change_ns;
    *until_ns = change_ns;
    if (rate_bps == 0) {
        return 0;
    }
    bool on = wave(&source->config, at_ns, until_ns);
    *until_ns = weir_min_i64(*until_ns, change_ns);
    return on ? rate_bps : 0;
}

/* Sets next_ns, from the time of the last packet and what is left to collect. */
static void find_next(struct weir__source *source)
{
    struct weir__source_cbr_state *cbr = &source->state.cbr;
    int64_t at_ns = cbr->at_ns;
    int64_t until_ns = 0;
    while (at_ns != WEIR_NEVER_NS) {
        int64_t rate_bps = rate_at(source, at_ns, &until_ns);
        if (rate_bps == 0) {
            cbr->left_bit_ns = 0;
        } else if (cbr->left_bit_ns / rate_bps < until_ns - at_ns) {
            at_ns = weir_time_add_ns(at_ns, cbr->left_bit_ns / rate_bps);
            cbr->left_bit_ns %= rate_bps;
            break;
        } else {
            cbr->left_bit_ns -= rate_bps * (until_ns - at_ns);
        }
        at_ns = until_ns;
    }
    cbr->at_ns = at_ns;
    source->next_ns = at_ns;
}

static void begin(struct weir__source *source)
{
    const struct weir__source_config *c = &source->config;
    struct weir__source_cbr_state *cbr = &source->state.cbr;
    weir__schedule_init(&cbr->schedule, c->rate_bps, c->steps, c->n_steps, 0);
    cbr->at_ns = c->start_ns;
    find_next(source);
}

static void next(struct weir__source *source, struct weir__unit *unit)
{
    unit->bytes = source->config.unit_bytes;
    source->state.cbr.left_bit_ns += unit->bytes * 8 * SECOND_NS;
    find_next(source);
}

const struct weir__source_methods weir__source_cbr = {
    .set_defaults = set_defaults, .is_valid = is_valid, .begin = begin, .next = next};
