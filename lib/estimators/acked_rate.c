/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/acked_rate.h"

#include <math.h>
#include <stddef.h>

#include "base/unwrap.h"

#define STEP_BACK_NS    WEIR_SECONDS(1)
#define LEAST_SPAN_NS   WEIR_MS(1)
#define GROUP_MAX_BYTES INT32_C(1000000000)

static struct weir__acked_group *group_at(struct weir__acked_rate *acked, int32_t i)
{
    return &acked->groups[(acked->oldest + i) % WEIR__ACKED_GROUPS];
}

static const struct weir__acked_group *peek(const struct weir__acked_rate *acked, int32_t i)
{
    return &acked->groups[(acked->oldest + i) % WEIR__ACKED_GROUPS];
}

static void drop_oldest(struct weir__acked_rate *acked)
{
    acked->packets -= peek(acked, 0)->packets;
    acked->oldest = (acked->oldest + 1) % WEIR__ACKED_GROUPS;
    acked->n--;
}

/* The smallest window of at least a second and 20 packets, but of no more than five seconds. */
static void trim(struct weir__acked_rate *acked)
{
    int64_t newest_ns = peek(acked, acked->n - 1)->last_arrived_ns;
    while (acked->n > 1) {
        const struct weir__acked_group *oldest = peek(acked, 0);
        int64_t span_ns = weir__time_diff_ns(newest_ns, oldest->first_arrived_ns);
        bool enough = acked->packets - oldest->packets >= WEIR__ACKED_LEAST;
        if (span_ns <= WEIR__ACKED_LEAST_NS || (span_ns <= WEIR__ACKED_MOST_NS && !enough)) {
            return;
        }
        drop_oldest(acked);
    }
}

static struct weir__acked_group *open_group(struct weir__acked_rate *acked, int64_t sent_ns,
                                            int64_t arrived_ns, int32_t bytes)
{
    if (acked->n == WEIR__ACKED_GROUPS) {
        drop_oldest(acked);
    }
    struct weir__acked_group *group = group_at(acked, acked->n++);
    *group = (struct weir__acked_group){.first_arrived_ns = arrived_ns,
                                        .last_arrived_ns = arrived_ns,
                                        .first_sent_ns = sent_ns,
                                        .last_sent_ns = sent_ns,
                                        .first_bytes = bytes,
                                        .last_bytes = bytes};
    return group;
}

static void join(struct weir__acked_group *group, int64_t sent_ns, int64_t arrived_ns,
                 int32_t bytes)
{
    if (weir__time_diff_ns(arrived_ns, group->last_arrived_ns) > 0) {
        group->last_arrived_ns = arrived_ns;
    }
    if (sent_ns < group->first_sent_ns) {
        group->first_sent_ns = sent_ns;
    }
    if (sent_ns >= group->last_sent_ns) {
        group->last_sent_ns = sent_ns;
        group->last_bytes = bytes;
    }
    group->bytes = (int32_t)weir_min_i64((int64_t)group->bytes + bytes, GROUP_MAX_BYTES);
    group->packets++;
}

void weir__acked_rate_add(struct weir__acked_rate *acked, int64_t sent_ns, int64_t arrived_ns,
                          int64_t wire_bytes)
{
    int32_t bytes = (int32_t)weir_clamp_i64(wire_bytes, 0, GROUP_MAX_BYTES);
    if (acked->n > 0 && weir__time_diff_ns(arrived_ns, peek(acked, acked->n - 1)->last_arrived_ns) <
                            -STEP_BACK_NS) {
        *acked = (struct weir__acked_rate){0};
    }
    struct weir__acked_group *group = acked->n > 0 ? group_at(acked, acked->n - 1) : NULL;
    if (!group || weir__time_diff_ns(arrived_ns, group->first_arrived_ns) >= WEIR__ACKED_GROUP_NS) {
        group = open_group(acked, sent_ns, arrived_ns, bytes);
    }
    join(group, sent_ns, arrived_ns, bytes);
    acked->packets++;
    trim(acked);
}

/* What the window holds. */
struct totals {
    int64_t bytes;
    int64_t first_sent_ns, last_sent_ns;
    int32_t last_bytes; /* of the packet that left last */
    int64_t largest_gap_ns, second_gap_ns;
};

static void note_gap(struct totals *w, int64_t gap_ns)
{
    if (gap_ns > w->largest_gap_ns) {
        w->second_gap_ns = w->largest_gap_ns;
        w->largest_gap_ns = gap_ns;
    } else if (gap_ns > w->second_gap_ns) {
        w->second_gap_ns = gap_ns;
    }
}

static struct totals sum_up(const struct weir__acked_rate *acked)
{
    struct totals w = {.first_sent_ns = INT64_MAX, .last_sent_ns = INT64_MIN};
    for (int32_t i = 0; i < acked->n; i++) {
        const struct weir__acked_group *group = peek(acked, i);
        w.bytes += group->bytes;
        w.first_sent_ns = weir_min_i64(w.first_sent_ns, group->first_sent_ns);
        if (group->last_sent_ns >= w.last_sent_ns) {
            w.last_sent_ns = group->last_sent_ns;
            w.last_bytes = group->last_bytes;
        }
        if (i > 0) {
            note_gap(&w, weir__time_diff_ns(group->first_arrived_ns,
                                            peek(acked, i - 1)->last_arrived_ns));
        }
    }
    return w;
}

static double rate_bps(int64_t bytes, int64_t span_ns)
{
    return 8e9 * (double)bytes / (double)weir_max_i64(span_ns, LEAST_SPAN_NS);
}

double weir__acked_rate_bps(const struct weir__acked_rate *acked)
{
    if (acked->packets < WEIR__ACKED_REQUIRED) {
        return 0.0;
    }
    struct totals w = sum_up(acked);
    const struct weir__acked_group *oldest = peek(acked, 0);
    int64_t arrived_ns =
        weir__time_diff_ns(peek(acked, acked->n - 1)->last_arrived_ns, oldest->first_arrived_ns);
    double received_bps =
        rate_bps(w.bytes - oldest->first_bytes, arrived_ns - w.largest_gap_ns + w.second_gap_ns);
    double sent_bps = rate_bps(w.bytes - w.last_bytes, w.last_sent_ns - w.first_sent_ns);
    return fmin(received_bps, sent_bps);
}
