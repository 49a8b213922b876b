/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/walk.h"
#include "scenario/fields.h"
#include "sim/base/random.h"

#define MOST_STEPS  100000
#define WALK_STREAM UINT64_C(0x77616c6b) /* the seed is this link's already */

#define WALK(member) .offset = offsetof(struct lab_walk, member)

static const struct lab_field walk_fields[] = {
    {.name = "min_bps", LAB_BPS, .required = TRUE, WALK(min_bps)},
    {.name = "max_bps", LAB_BPS, .required = TRUE, WALK(max_bps)},
    {.name = "step_s", LAB_SECONDS(1e-3, 3600), .initial = 0.2, WALK(step_ns)},
    {.name = "steps", LAB_WHOLE(1, MOST_STEPS), .initial = 3000, WALK(n_steps)},
    {.name = "change_bps", LAB_BPS, .initial = 500000, WALK(change_bps)},
    {.name = "start_bps", LAB_BPS, WALK(start_bps)},
};

static const struct lab_variant kinds[] = {LAB_VARIANT("walk", walk_fields)};

/* See docs/scenarios.md. */
gboolean lab_walk_read(const struct lab_place *place, struct lab_walk *walk)
{
    gsize kind = 0;
    *walk = (struct lab_walk){.min_bps = 0};
    if (!lab_variant_read(kinds, G_N_ELEMENTS(kinds), "kind", place, walk, &kind)) {
        return FALSE;
    }
    if (walk->min_bps > walk->max_bps) {
        return lab_fail_at(place, "min_bps", "must be at most max_bps, %" G_GINT64_FORMAT,
                           walk->max_bps);
    }
    if (walk->start_bps == 0) {
        walk->start_bps = (walk->min_bps + walk->max_bps) / 2;
    }
    return (walk->start_bps >= walk->min_bps && walk->start_bps <= walk->max_bps) ||
           lab_fail_at(place, "start_bps", "must be from min_bps to max_bps");
}

/* Thrown back at the ends of 0 to `range`, as often as it takes. */
static gint64 reflected(gint64 x, gint64 range)
{
    gint64 period = 2 * range;
    gint64 folded = period > 0 ? ((x % period) + period) % period : 0;
    return folded <= range ? folded : period - folded;
}

struct weir__schedule_step *lab_walk_steps(const struct lab_walk *walk, uint64_t seed)
{
    struct weir__schedule_step *steps = g_new0(struct weir__schedule_step, (gsize)walk->n_steps);
    struct weir__random random;
    gint64 range_bps = walk->max_bps - walk->min_bps;
    gint64 above_bps = walk->start_bps - walk->min_bps;
    weir__random_init(&random, seed, WALK_STREAM);
    for (gint64 i = 0; i < walk->n_steps; i++) {
        steps[i].at_ns = i * walk->step_ns;
        steps[i].rate_bps = walk->min_bps + above_bps;
        gint64 change_bps =
            weir__random_below(&random, 2 * walk->change_bps + 1) - walk->change_bps;
        above_bps = reflected(above_bps + change_bps, range_bps);
    }
    return steps;
}
