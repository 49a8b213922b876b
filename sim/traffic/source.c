/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/source.h"
#include "sim/traffic/source_kind.h"
#include "weir/units.h"
#include <stdlib.h>

#define FIRST_STREAM (UINT64_C(4) << 32) /* those below belong to links, TCP flows and routes */

static const struct weir__source_methods *const kinds[] = {
    [WEIR__SOURCE_CBR] = &weir__source_cbr,         [WEIR__SOURCE_PARETO] = &weir__source_pareto,
    [WEIR__SOURCE_VOIP] = &weir__source_voip,       [WEIR__SOURCE_FRAMES] = &weir__source_frames,
    [WEIR__SOURCE_ENCODER] = &weir__source_encoder,
};

static const struct weir__source_methods *methods_of(const struct weir__source_config *config)
{
    size_t kind = (size_t)config->kind;
    return kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : NULL;
}

/* Usual values of the kind. A rate, and what hands units on, must be set by the caller. */
void weir__source_config_default(struct weir__source_config *config, enum weir__source_kind kind)
{
    *config = (struct weir__source_config){.kind = kind, .stop_ns = WEIR_NEVER_NS, .seed = 1};
    const struct weir__source_methods *methods = methods_of(config);
    if (methods) {
        methods->set_defaults(config);
    }
}

/* WEIR_ERROR_RANGE when a value is outside its range, or the kind is none. */
enum weir_status weir__source_check(const struct weir__source_config *config)
{
    const struct weir__source_methods *methods = methods_of(config);
    bool valid = methods && config->start_ns >= 0 && methods->is_valid(config);
    return valid ? WEIR_OK : WEIR_ERROR_RANGE;
}

static void arm(struct weir__source *source)
{
    bool over = source->next_ns >= source->config.stop_ns;
    weir__timer_set(&source->timer, source->sim, over ? WEIR_NEVER_NS : source->next_ns);
}

/* The timer is armed again before the unit is handed over, so that the order of events at equal
 * times does not depend on what becomes of the unit. */
static void on_time(void *target)
{
    struct weir__source *source = target;
    struct weir__unit unit = {.bytes = 0};
    methods_of(&source->config)->next(source, &unit);
    arm(source);
    source->bytes += unit.bytes;
    source->config.on_unit(source->config.target, &unit);
}

/* Within its ranges, as weir__source_check() saw. */
static bool create_pictures(struct weir__source *source)
{
    const struct weir__source_config *c = &source->config;
    struct weir_picture_source picture;
    if (c->kind != WEIR__SOURCE_ENCODER || c->width_pixels == 0) {
        return true;
    }
    source->pictures = weir_pictures_create(NULL);
    weir__source_picture(c, &picture);
    return source->pictures && weir_pictures_set_source(source->pictures, &picture) == WEIR_OK;
}

/* A source that starts by itself. Errors: WEIR_ERROR_RANGE, WEIR_ERROR_NO_MEMORY; *source is then
 * untouched. */
enum weir_status weir__source_create(struct weir__source **source, struct weir__sim *sim,
                                     const struct weir__source_config *config)
{
    enum weir_status status = weir__source_check(config);
    if (status != WEIR_OK) {
        return status;
    }
    struct weir__source *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        return WEIR_ERROR_NO_MEMORY;
    }
    fresh->config = *config;
    if (!create_pictures(fresh)) {
        weir__source_destroy(fresh);
        return WEIR_ERROR_NO_MEMORY;
    }
    fresh->sim = sim;
    weir__random_init(&fresh->random, config->seed, FIRST_STREAM + config->stream);
    weir__timer_init(&fresh->timer, sim, on_time, fresh);
    methods_of(config)->begin(fresh);
    arm(fresh);
    *source = fresh;
    return WEIR_OK;
}

/* The simulation must not run afterwards. Accepts NULL. */
void weir__source_destroy(struct weir__source *source)
{
    if (source) {
        weir_pictures_destroy(source->pictures);
        free(source);
    }
}

/* ENCODER: what to follow from now on, media bit/s; other kinds ignore it. */
void weir__source_set_target(struct weir__source *source, int64_t target_bps)
{
    if (source->config.kind == WEIR__SOURCE_ENCODER) {
        source->state.encoder.target_bps = target_bps;
    }
}

/* ENCODER: the next frame is a key frame, or the first after a transition; other kinds ignore it.
 */
void weir__source_ask_key_frame(struct weir__source *source)
{
    if (source->config.kind == WEIR__SOURCE_ENCODER) {
        source->state.encoder.is_key_asked = true;
    }
}

/* Payload bytes handed over so far. */
int64_t weir__source_bytes(const struct weir__source *source)
{
    return source->bytes;
}
