/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/queue.h"
#include <math.h>

#define DEFAULT_PACKETS 100

#define QUEUE(member) .offset = offsetof(struct weir__queue_config, member)

/* clang-format off */
#define LIMIT_FIELDS                                                                               \
    {.name = "packets", LAB_WHOLE(1, 1e9), QUEUE(limit.packets)},                                  \
    {.name = "bytes", LAB_WHOLE(1, 1e12), QUEUE(limit.bytes)},                                     \
    {.name = "time_ms", LAB_MS(1e-3, LAB_LONGEST_MS), QUEUE(limit.time_ns)}
#define CODEL_FIELDS                                                                               \
    {.name = "target_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 5, QUEUE(codel.target_ns)},     \
    {.name = "interval_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 100, QUEUE(codel.interval_ns)}, \
    {.name = "max_packet_bytes", LAB_WHOLE(0, 65535), .initial = 1500, QUEUE(codel.max_packet_bytes)}, \
    {.name = "ecn", LAB_BOOL, QUEUE(codel.mark_ecn)}
/* clang-format on */

static const struct lab_field droptail_fields[] = {LIMIT_FIELDS};
static const struct lab_field red_fields[] = {
    LIMIT_FIELDS,
    {.name = "min_packets", LAB_NUMBER(0, 1e9), QUEUE(red.min_packets)},
    {.name = "max_packets", LAB_NUMBER(0, 1e9), QUEUE(red.max_packets)},
    {.name = "max_p", LAB_NUMBER(1e-9, 1), .initial = 0.1, QUEUE(red.max_p)},
    {.name = "weight", LAB_NUMBER(0, 0.999999), QUEUE(red.weight)},
    {.name = "mean_packet_bytes",
     LAB_WHOLE(1, 65535),
     .initial = 500,
     QUEUE(red.mean_packet_bytes)},
    {.name = "gentle", LAB_BOOL, .initial = 1, QUEUE(red.gentle)},
    {.name = "wait", LAB_BOOL, .initial = 1, QUEUE(red.wait)},
    {.name = "byte_mode", LAB_BOOL, QUEUE(red.byte_mode)},
    {.name = "ecn", LAB_BOOL, QUEUE(red.mark_ecn)},
};
static const struct lab_field codel_fields[] = {LIMIT_FIELDS, CODEL_FIELDS};
static const struct lab_field fq_codel_fields[] = {
    LIMIT_FIELDS,
    CODEL_FIELDS,
    {.name = "flows", LAB_WHOLE(1, 65536), .initial = 1024, QUEUE(fq_codel.flows)},
    {.name = "quantum_bytes", LAB_WHOLE(1, 65535), .initial = 1500, QUEUE(fq_codel.quantum_bytes)},
};
static const struct lab_field pie_fields[] = {
    LIMIT_FIELDS,
    {.name = "target_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 15, QUEUE(pie.target_ns)},
    {.name = "update_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 15, QUEUE(pie.update_ns)},
    {.name = "burst_ms", LAB_MS(0, LAB_LONGEST_MS), .initial = 150, QUEUE(pie.burst_ns)},
    {.name = "alpha_hz", LAB_NUMBER(1e-9, 1e6), .initial = 0.125, QUEUE(pie.alpha_hz)},
    {.name = "beta_hz", LAB_NUMBER(1e-9, 1e6), .initial = 1.25, QUEUE(pie.beta_hz)},
    {.name = "mean_packet_bytes",
     LAB_WHOLE(1, 65535),
     .initial = 1500,
     QUEUE(pie.mean_packet_bytes)},
    {.name = "mark_below", LAB_NUMBER(0, 1), .initial = 0.1, QUEUE(pie.mark_below)},
    {.name = "ecn", LAB_BOOL, QUEUE(pie.mark_ecn)},
};
static const struct lab_field dualpi2_fields[] = {
    LIMIT_FIELDS,
    {.name = "target_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 15, QUEUE(dualpi2.target_ns)},
    {.name = "update_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 15, QUEUE(dualpi2.update_ns)},
    {.name = "alpha_hz", LAB_NUMBER(1e-9, 1e6), .initial = 0.15, QUEUE(dualpi2.alpha_hz)},
    {.name = "beta_hz", LAB_NUMBER(1e-9, 1e6), .initial = 3, QUEUE(dualpi2.beta_hz)},
    {.name = "coupling", LAB_NUMBER(1, 1e6), .initial = 2, QUEUE(dualpi2.coupling)},
    {.name = "step_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 1, QUEUE(dualpi2.step_ns)},
    {.name = "step_packets", LAB_WHOLE(0, 1e9), .initial = 2, QUEUE(dualpi2.step_packets)},
    {.name = "classic_share", LAB_NUMBER(0, 1), .initial = 0.1, QUEUE(dualpi2.classic_share)},
};

#define VARIANT(id, name) [WEIR__QUEUE_##id] = LAB_VARIANT(#name, name##_fields),
const struct lab_variant lab_queues[] = {WEIR__QUEUE_NAMES(VARIANT)};
const gsize lab_n_queues = G_N_ELEMENTS(lab_queues);
G_STATIC_ASSERT(G_N_ELEMENTS(lab_queues) == WEIR__QUEUE_DISCIPLINES);

/* time_ms is bytes at the nominal rate: a buffer does not shrink with the capacity, and an outage
 * does not make it endless. */
static void put_limit(struct weir__queue_limit *limit, int64_t rate_bps)
{
    if (limit->time_ns > 0) {
        double bytes = floor((double)limit->time_ns * (double)rate_bps / 8e9);
        int64_t time_bytes = MAX((int64_t)MIN(bytes, 1e15), 1);
        limit->bytes = limit->bytes > 0 ? MIN(limit->bytes, time_bytes) : time_bytes;
        limit->time_ns = 0;
    }
    if (limit->packets == 0 && limit->bytes == 0) {
        limit->packets = DEFAULT_PACKETS;
    }
}

/* Nothing at the place: the default. rate_bps > 0 and delay_ns are those that times and the
 * automatic values of RED are made of. */
gboolean lab_queue_read(const struct lab_place *place, int64_t rate_bps, int64_t delay_ns,
                        struct weir__queue_config *config)
{
    gsize discipline = WEIR__QUEUE_DROPTAIL;
    *config = (struct weir__queue_config){.limit = {0}};
    if (!lab_variant_read(lab_queues, lab_n_queues, "discipline", place, config, &discipline)) {
        return FALSE;
    }
    config->discipline = (enum weir__queue_discipline)discipline;
    put_limit(&config->limit, rate_bps);
    return weir__queue_check(config, rate_bps, delay_ns) == WEIR_OK ||
           lab_fail(place, "RED needs min_packets less than max_packets (0 = automatic)");
}
