/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Voice with silence suppression: talk spurts and silences of exponential length, a packet at the
 * start of a spurt and then at even intervals while it lasts. The first moment is like any other:
 * within a spurt as often as spurts take of the time. */
#include "sim/traffic/source_kind.h"
#include "weir/units.h"

static void set_defaults(struct weir__source_config *config)
{
    config->unit_bytes = 160;
    config->interval_ns = WEIR_MS(20);
    config->on_ns = WEIR_MS(1000);
    config->off_ns = WEIR_MS(1500);
}

static bool is_valid(const struct weir__source_config *c)
{
    bool turns = weir__source_is_duration(c->on_ns) && weir__source_is_duration(c->off_ns);
    return weir__source_is_packet(c->unit_bytes) && weir__source_is_duration(c->interval_ns) &&
           (c->padded || turns);
}

/* At most 37 times the mean, since draws are multiples of 2^-53. */
static int64_t draw_ns(struct weir__source *source, int64_t mean_ns)
{
    double length_ns = weir__random_exponential(&source->random, (double)mean_ns);
    return length_ns > (double)WEIR__SOURCE_MAX_NS ? WEIR__SOURCE_MAX_NS : (int64_t)length_ns;
}

static void begin_talk(struct weir__source *source, int64_t at_ns)
{
    struct weir__source_voip_state *voip = &source->state.voip;
    voip->starts_talk = true;
    voip->talk_end_ns = WEIR_NEVER_NS;
    if (!source->config.padded) {
        voip->talk_end_ns = weir_time_add_ns(at_ns, draw_ns(source, source->config.on_ns));
    }
    source->next_ns = at_ns;
}

static void begin(struct weir__source *source)
{
    const struct weir__source_config *c = &source->config;
    double talking = (double)c->on_ns / ((double)c->on_ns + (double)c->off_ns);
    bool talks = c->padded || weir__random_chance(&source->random, talking);
    begin_talk(source, weir_time_add_ns(c->start_ns, talks ? 0 : draw_ns(source, c->off_ns)));
}

static void next(struct weir__source *source, struct weir__unit *unit)
{
    struct weir__source_voip_state *voip = &source->state.voip;
    unit->bytes = source->config.unit_bytes;
    unit->starts_talk = voip->starts_talk;
    voip->starts_talk = false;
    source->next_ns = weir_time_add_ns(source->next_ns, source->config.interval_ns);
    if (source->next_ns >= voip->talk_end_ns) {
        int64_t silence_ns = draw_ns(source, source->config.off_ns);
        begin_talk(source, weir_time_add_ns(voip->talk_end_ns, silence_ns));
    }
}

const struct weir__source_methods weir__source_voip = {
    .set_defaults = set_defaults, .is_valid = is_valid, .begin = begin, .next = next};
