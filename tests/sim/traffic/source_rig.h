/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the sources share: a source that runs alone, and what it handed over. */
#ifndef WEIR_TESTS_SOURCE_RIG_H
#define WEIR_TESTS_SOURCE_RIG_H

#include "../test.h"
#include "sim/traffic/source.h"
#include "weir/units.h"

struct seen_unit {
    int64_t at_ns;
    struct weir__unit unit;
};

struct source_rig {
    struct weir__sim sim;
    struct weir__source *source;
    GArray *seen; /* struct seen_unit */
    bool skips;
};

static inline void rig_on_unit(void *target, const struct weir__unit *unit)
{
    struct source_rig *rig = target;
    struct seen_unit seen = {.at_ns = rig->sim.now_ns, .unit = *unit};
    g_array_append_val(rig->seen, seen);
}

static inline bool rig_skips_frame(void *target)
{
    const struct source_rig *rig = target;
    return rig->skips;
}

static inline struct source_rig *source_rig_new(const struct weir__source_config *config)
{
    struct source_rig *rig = g_new0(struct source_rig, 1);
    struct weir__source_config own = *config;
    rig->seen = g_array_new(FALSE, FALSE, sizeof(struct seen_unit));
    weir__sim_init(&rig->sim);
    own.on_unit = rig_on_unit;
    own.skips_frame = rig_skips_frame;
    own.target = rig;
    g_assert_cmpint(weir__source_create(&rig->source, &rig->sim, &own), ==, WEIR_OK);
    return rig;
}

static inline void source_rig_free(struct source_rig *rig)
{
    weir__source_destroy(rig->source);
    g_array_free(rig->seen, TRUE);
    g_free(rig);
}

/* A source that ran until end_ns. */
static inline struct source_rig *source_rig_run(const struct weir__source_config *config,
                                                int64_t end_ns)
{
    struct source_rig *rig = source_rig_new(config);
    weir__sim_run_until(&rig->sim, end_ns);
    return rig;
}

static inline const struct seen_unit *rig_unit(const struct source_rig *rig, size_t i)
{
    g_assert_cmpuint(i, <, rig->seen->len);
    return &g_array_index(rig->seen, struct seen_unit, i);
}

static inline int64_t rig_bytes(const struct source_rig *rig)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < rig->seen->len; i++) {
        bytes += rig_unit(rig, i)->unit.bytes;
    }
    return bytes;
}

#endif
