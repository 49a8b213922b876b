/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/silence_bound.h"

#include <stdbool.h>

#include "weir/units.h"

#define PERIOD_NS WEIR_SECONDS(1)

enum { MAX_HALVINGS = 40 }; /* of any rate nothing is left */

void weir__silence_bound_init(struct weir__silence_bound *bound)
{
    *bound = (struct weir__silence_bound){.since_ns = WEIR_NEVER_NS};
}

void weir__silence_bound_on_sent(struct weir__silence_bound *bound, int64_t now_ns)
{
    if (bound->since_ns == WEIR_NEVER_NS || now_ns - bound->sent_ns >= WEIR_SECONDS(1)) {
        bound->since_ns = now_ns;
    }
    bound->sent_ns = now_ns;
}

void weir__silence_bound_on_life(struct weir__silence_bound *bound, int64_t now_ns,
                                 int64_t timeout_ns, int64_t in_flight_bytes)
{
    bound->since_ns = in_flight_bytes > 0 ? now_ns : WEIR_NEVER_NS;
    bound->timeout_ns = timeout_ns;
    bound->rate_bps = 0;
}

void weir__silence_bound_on_rate(struct weir__silence_bound *bound, int64_t rate_bps)
{
    if (bound->timeout_ns > 0 && bound->rate_bps == 0) {
        bound->rate_bps = rate_bps;
    }
}

static int64_t n_halvings(const struct weir__silence_bound *bound, int64_t now_ns)
{
    bool waits = bound->since_ns != WEIR_NEVER_NS && bound->rate_bps > 0;
    int64_t over_ns = waits ? now_ns - bound->since_ns - bound->timeout_ns : -1;
    return over_ns < 0 ? 0 : weir_min_i64(over_ns / PERIOD_NS + 1, MAX_HALVINGS);
}

int64_t weir__silence_bound_bps(const struct weir__silence_bound *bound, int64_t now_ns)
{
    int64_t n = n_halvings(bound, now_ns);
    return n == 0 ? INT64_MAX : bound->rate_bps >> n;
}

int64_t weir__silence_bound_next_ns(const struct weir__silence_bound *bound, int64_t now_ns)
{
    int64_t n = n_halvings(bound, now_ns);
    bool waits = bound->since_ns != WEIR_NEVER_NS && bound->rate_bps > 0 && n < MAX_HALVINGS;
    return waits ? weir_time_add_ns(bound->since_ns, bound->timeout_ns + n * PERIOD_NS)
                 : WEIR_NEVER_NS;
}
