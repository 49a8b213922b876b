/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bursts of even packets as ns-2's Application/Traffic/Pareto: the packets of a burst are Pareto
 * with the mean on_ns rate / bits, rounded, at least 1; the pause before a burst, also the first,
 * is Pareto with the mean off_ns and comes on top of the interval between packets. */
#include "sim/traffic/source_kind.h"
#include "weir/units.h"

#define SECOND_NS     INT64_C(1000000000)
#define LARGEST_BURST 1e15  /* packets: what a double can be without losing any */
#define LEAST_SHAPE   1.001 /* a mean that long runs can show */
#define LARGEST_SHAPE 1000.0

static void set_defaults(struct weir__source_config *config)
{
    config->unit_bytes = 1460;
    config->on_ns = SECOND_NS;
    config->off_ns = 2 * SECOND_NS;
    config->shape = 1.5;
}

static bool is_valid(const struct weir__source_config *c)
{
    return weir__source_is_rate(c->rate_bps) && weir__source_is_packet(c->unit_bytes) &&
           weir__source_is_duration(c->on_ns) && weir__source_is_duration(c->off_ns) &&
           c->shape >= LEAST_SHAPE && c->shape <= LARGEST_SHAPE;
}

static int64_t draw_burst_packets(struct weir__source *source)
{
    const struct weir__source_config *c = &source->config;
    double mean = (double)c->on_ns * 1e-9 * (double)c->rate_bps / (8.0 * (double)c->unit_bytes);
    double packets = weir__random_pareto(&source->random, mean, c->shape) + 0.5;
    return packets < 1.0 ? 1 : packets > LARGEST_BURST ? (int64_t)LARGEST_BURST : (int64_t)packets;
}

static int64_t draw_pause_ns(struct weir__source *source)
{
    const struct weir__source_config *c = &source->config;
    double pause_ns = weir__random_pareto(&source->random, (double)c->off_ns, c->shape);
    return pause_ns > (double)WEIR__SOURCE_MAX_NS ? WEIR__SOURCE_MAX_NS : (int64_t)pause_ns;
}

/* One interval later, and behind the pause when the burst is over. */
static void advance(struct weir__source *source)
{
    struct weir__source_pareto_state *pareto = &source->state.pareto;
    int64_t rate_bps = source->config.rate_bps;
    int64_t bit_ns = source->config.unit_bytes * 8 * SECOND_NS + pareto->remainder;
    pareto->remainder = bit_ns % rate_bps;
    source->next_ns = weir_time_add_ns(source->next_ns, bit_ns / rate_bps);
    if (pareto->left_packets == 0) {
        pareto->left_packets = draw_burst_packets(source);
        source->next_ns = weir_time_add_ns(source->next_ns, draw_pause_ns(source));
    }
    pareto->left_packets--;
}

static void begin(struct weir__source *source)
{
    source->next_ns = source->config.start_ns;
    advance(source);
}

static void next(struct weir__source *source, struct weir__unit *unit)
{
    unit->bytes = source->config.unit_bytes;
    advance(source);
}

const struct weir__source_methods weir__source_pareto = {
    .set_defaults = set_defaults, .is_valid = is_valid, .begin = begin, .next = next};
