/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/queue.h"
#include <math.h>

#define LONGEST_MS      3600000.0
#define DEFAULT_PACKETS 100

struct queue_draft {
    struct weir__queue_limit limit;
    struct weir__red_config red;
    struct weir__codel_config codel;
    struct weir__fq_codel_config fq_codel;
};

#define QUEUE(member) offsetof(struct queue_draft, member)
#define LIMIT_FIELDS                                                                               \
    {.name = "packets",                                                                            \
     .kind = LAB_FIELD_WHOLE,                                                                      \
     .min = 1,                                                                                     \
     .max = 1e9,                                                                                   \
     .offset = QUEUE(limit.packets)},                                                              \
        {.name = "bytes",                                                                          \
         .kind = LAB_FIELD_WHOLE,                                                                  \
         .min = 1,                                                                                 \
         .max = 1e12,                                                                              \
         .offset = QUEUE(limit.bytes)},                                                            \
    {                                                                                              \
        .name = "time_ms", .kind = LAB_FIELD_SCALED, .scale = LAB_NS_PER_MS, .min = 1e-3,          \
        .max = LONGEST_MS, .offset = QUEUE(limit.time_ns)                                          \
    }

static const struct lab_field droptail_fields[] = {LIMIT_FIELDS};

static const struct lab_field red_fields[] = {
    LIMIT_FIELDS,
    {.name = "min_packets", .kind = LAB_FIELD_NUMBER, .max = 1e9, .offset = QUEUE(red.min_packets)},
    {.name = "max_packets", .kind = LAB_FIELD_NUMBER, .max = 1e9, .offset = QUEUE(red.max_packets)},
    {.name = "max_p",
     .kind = LAB_FIELD_NUMBER,
     .min = 1e-9,
     .max = 1,
     .initial = 0.1,
     .offset = QUEUE(red.max_p)},
    {.name = "weight", .kind = LAB_FIELD_NUMBER, .max = 0.999999, .offset = QUEUE(red.weight)},
    {.name = "mean_packet_bytes",
     .kind = LAB_FIELD_WHOLE,
     .min = 1,
     .max = 65535,
     .initial = 500,
     .offset = QUEUE(red.mean_packet_bytes)},
    {.name = "gentle", .kind = LAB_FIELD_BOOL, .initial = 1, .offset = QUEUE(red.gentle)},
    {.name = "wait", .kind = LAB_FIELD_BOOL, .initial = 1, .offset = QUEUE(red.wait)},
    {.name = "byte_mode", .kind = LAB_FIELD_BOOL, .offset = QUEUE(red.byte_mode)},
    {.name = "ecn", .kind = LAB_FIELD_BOOL, .offset = QUEUE(red.mark_ecn)},
};

#define CODEL_FIELDS                                                                               \
    {.name = "target_ms",                                                                          \
     .kind = LAB_FIELD_SCALED,                                                                     \
     .scale = LAB_NS_PER_MS,                                                                       \
     .min = 1e-3,                                                                                  \
     .max = LONGEST_MS,                                                                            \
     .initial = 5,                                                                                 \
     .offset = QUEUE(codel.target_ns)},                                                            \
        {.name = "interval_ms",                                                                    \
         .kind = LAB_FIELD_SCALED,                                                                 \
         .scale = LAB_NS_PER_MS,                                                                   \
         .min = 1e-3,                                                                              \
         .max = LONGEST_MS,                                                                        \
         .initial = 100,                                                                           \
         .offset = QUEUE(codel.interval_ns)},                                                      \
        {.name = "max_packet_bytes",                                                               \
         .kind = LAB_FIELD_WHOLE,                                                                  \
         .max = 65535,                                                                             \
         .initial = 1500,                                                                          \
         .offset = QUEUE(codel.max_packet_bytes)},                                                 \
    {                                                                                              \
        .name = "ecn", .kind = LAB_FIELD_BOOL, .offset = QUEUE(codel.mark_ecn)                     \
    }

static const struct lab_field codel_fields[] = {LIMIT_FIELDS, CODEL_FIELDS};
static const struct lab_field fq_codel_fields[] = {LIMIT_FIELDS,
                                                   CODEL_FIELDS,
                                                   {.name = "flows",
                                                    .kind = LAB_FIELD_WHOLE,
                                                    .min = 1,
                                                    .max = 65536,
                                                    .initial = 1024,
                                                    .offset = QUEUE(fq_codel.flows)},
                                                   {.name = "quantum_bytes",
                                                    .kind = LAB_FIELD_WHOLE,
                                                    .min = 1,
                                                    .max = 65535,
                                                    .initial = 1500,
                                                    .offset = QUEUE(fq_codel.quantum_bytes)}};

/* In the order of enum weir__queue_discipline. */
const struct lab_variant lab_queues[] = {
    {"droptail", droptail_fields, G_N_ELEMENTS(droptail_fields)},
    {"red", red_fields, G_N_ELEMENTS(red_fields)},
    {"codel", codel_fields, G_N_ELEMENTS(codel_fields)},
    {"fq_codel", fq_codel_fields, G_N_ELEMENTS(fq_codel_fields)},
};
const gsize lab_n_queues = G_N_ELEMENTS(lab_queues);

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

/* node: NULL = the default. rate_bps > 0 and delay_ns are those that times and the automatic values
 * of RED are made of. */
gboolean lab_queue_read(const struct lab_place *place, JsonNode *node, int64_t rate_bps,
                        int64_t delay_ns, struct weir__queue_config *config, GError **error)
{
    struct queue_draft queue = {.limit = {0}};
    gsize discipline = WEIR__QUEUE_DROPTAIL;
    if (!lab_variant_read(lab_queues, lab_n_queues, "discipline", place, node, &queue, &discipline,
                          error)) {
        return FALSE;
    }
    put_limit(&queue.limit, rate_bps);
    *config = (struct weir__queue_config){
        .discipline = (enum weir__queue_discipline)discipline,
        .limit = queue.limit,
        .red = queue.red,
        .codel = queue.codel,
        .fq_codel = queue.fq_codel,
    };
    if (weir__queue_check(config, rate_bps, delay_ns) != WEIR_OK) {
        return lab_fail(error, place, node,
                        "RED needs min_packets less than max_packets (0 = automatic)");
    }
    return TRUE;
}
