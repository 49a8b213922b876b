/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/proved_rate.h"

#include <math.h>

#include "weir/units.h"

#define MEMORY_S 10.0 /* a key frame or a bunch of reports makes no rate */
#define LEAST_S  2.0
#define SLOT_S   30.0
#define PAUSE_NS WEIR_SECONDS(1)

void weir__proved_rate_init(struct weir__proved_rate *proved)
{
    *proved = (struct weir__proved_rate){.newest_sent_ns = WEIR_UNKNOWN_NS};
}

static void add(struct weir__proved_rate *proved, int64_t wire_bytes, double dt_s)
{
    double kept = fmax(1.0 - dt_s / MEMORY_S, 0.0);
    proved->bits = kept * proved->bits + 8.0 * (double)wire_bytes;
    proved->seconds = kept * proved->seconds + dt_s;
    proved->slot_s += dt_s;
    if (proved->slot_s >= SLOT_S) {
        proved->slot_s = 0.0;
        proved->best_bps[1] = proved->best_bps[0];
        proved->best_bps[0] = 0.0;
    }
    if (proved->seconds >= LEAST_S) {
        proved->best_bps[0] = fmax(proved->best_bps[0], proved->bits / proved->seconds);
    }
}

void weir__proved_rate_on_packets(struct weir__proved_rate *proved, int64_t newest_sent_ns,
                                  int64_t wire_bytes)
{
    int64_t former_ns = proved->newest_sent_ns;
    if (former_ns == WEIR_UNKNOWN_NS) {
        proved->newest_sent_ns = newest_sent_ns;
        return;
    }
    int64_t dt_ns = weir_max_i64(newest_sent_ns - former_ns, 0);
    proved->newest_sent_ns = former_ns + dt_ns;
    if (dt_ns < PAUSE_NS) {
        add(proved, wire_bytes, (double)dt_ns * 1e-9);
    }
}

void weir__proved_rate_on_report(struct weir__proved_rate *proved, int64_t wire_bytes,
                                 int64_t interval_ns)
{
    add(proved, wire_bytes, (double)interval_ns * 1e-9);
}

int64_t weir__proved_rate_bps(const struct weir__proved_rate *proved)
{
    return (int64_t)fmin(fmax(proved->best_bps[0], proved->best_bps[1]), (double)WEIR_MAX_BPS);
}
