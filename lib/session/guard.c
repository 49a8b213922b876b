/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/guard.h"

#include <string.h>

/* One round trip, so that a doubling per round trip can pass, but not so short that a packet or two
 * make a rate. */
#define MIN_WINDOW_NS WEIR_MS(50)
#define BIN_NS        WEIR_MS(5)
#define SECOND_NS     WEIR_SECONDS(1)
#define PAUSE_NS      SECOND_NS /* without a packet */
#define SAVED_NS      WEIR_SECONDS(300)
#define SAVED_SHARE   2 /* a half of it */

void weir__guard_init(struct weir__guard *guard)
{
    memset(guard, 0, sizeof(*guard));
    guard->newest_sent_ns = WEIR_UNKNOWN_NS;
    guard->last_sent_ns = WEIR_UNKNOWN_NS;
    guard->saved_ns = WEIR_UNKNOWN_NS;
    guard->resumed_ns = WEIR_UNKNOWN_NS;
    weir__rate_meter_init(&guard->proved, BIN_NS);
}

bool weir__budget_take(struct weir__budget *budget, int64_t now_ns, int64_t datagrams_per_s)
{
    int64_t cost_ns = SECOND_NS / datagrams_per_s;
    int64_t full_ns = budget->used ? weir_max_i64(budget->full_ns, now_ns) : now_ns;
    if (full_ns - now_ns > SECOND_NS - cost_ns) {
        return false;
    }
    *budget = (struct weir__budget){.full_ns = full_ns + cost_ns, .used = true};
    return true;
}

int64_t weir__guard_rtt_ns(int64_t now_ns, int64_t sent_ns, int64_t hold_ns)
{
    int64_t rtt_ns = now_ns - sent_ns - hold_ns;
    if (hold_ns < 0 || rtt_ns <= -WEIR__GUARD_HOLD_ROUNDING_NS || rtt_ns > WEIR_SECONDS(10)) {
        return WEIR_UNKNOWN_NS;
    }
    return weir_max_i64(rtt_ns, WEIR__GUARD_MIN_RTT_NS);
}

/* What was proved in the ten seconds before. Each packet asks: nearly always in the second of the
 * newest report, when all that is kept is of these seconds. */
static int64_t best_bps(const struct weir__guard *guard, int64_t now_ns)
{
    int64_t now_second = now_ns / SECOND_NS;
    if (now_second <= guard->second) {
        return guard->kept_bps;
    }
    int64_t best_bps = 0;
    for (int64_t second = now_second - WEIR__GUARD_SECONDS + 1; second <= guard->second; second++) {
        best_bps = weir_max_i64(best_bps, guard->best_bps[(uint64_t)second % WEIR__GUARD_SECONDS]);
    }
    return best_bps;
}

static bool is_pausing(const struct weir__guard *guard, int64_t now_ns)
{
    return !guard->waits && guard->last_sent_ns != WEIR_UNKNOWN_NS &&
           now_ns - guard->last_sent_ns > PAUSE_NS;
}

/* Before time takes it. */
static void save(struct weir__guard *guard, int64_t now_ns)
{
    if (is_pausing(guard, now_ns) && guard->saved_ns != guard->last_sent_ns) {
        guard->saved_bps = best_bps(guard, guard->last_sent_ns);
        guard->saved_ns = guard->last_sent_ns;
        guard->resumed_ns = WEIR_UNKNOWN_NS;
    }
}

void weir__guard_on_sent(struct weir__guard *guard, int64_t now_ns)
{
    save(guard, now_ns);
    guard->resumed_ns = is_pausing(guard, now_ns) ? now_ns : guard->resumed_ns;
    guard->last_sent_ns = now_ns;
}

void weir__guard_on_queue(struct weir__guard *guard, int64_t now_ns, bool waits)
{
    if (waits || guard->waits) {
        weir__guard_on_sent(guard, now_ns);
    }
    guard->waits = waits;
}

static int64_t saved_bps(const struct weir__guard *guard, int64_t now_ns)
{
    bool begins = is_pausing(guard, now_ns) && guard->saved_ns != guard->last_sent_ns;
    int64_t saved_ns = begins ? guard->last_sent_ns : guard->saved_ns;
    bool over = !begins && guard->resumed_ns != WEIR_UNKNOWN_NS &&
                now_ns - guard->resumed_ns >= WEIR__GUARD_SECONDS * SECOND_NS;
    if (saved_ns == WEIR_UNKNOWN_NS || over || now_ns - saved_ns > SAVED_NS) {
        return 0;
    }
    return begins ? best_bps(guard, saved_ns) : guard->saved_bps;
}

/* Empties the seconds that have passed. */
static void advance(struct weir__guard *guard, int64_t now_ns)
{
    int64_t second = now_ns / SECOND_NS;
    int64_t steps = weir_clamp_i64(second - guard->second, 0, WEIR__GUARD_SECONDS);
    if (steps == 0) {
        return;
    }
    for (int64_t i = 0; i < steps; i++) {
        guard->best_bps[(uint64_t)(second - i) % WEIR__GUARD_SECONDS] = 0;
    }
    guard->second = second;
    guard->kept_bps = 0;
    for (size_t i = 0; i < WEIR__GUARD_SECONDS; i++) {
        guard->kept_bps = weir_max_i64(guard->kept_bps, guard->best_bps[i]);
    }
}

/* A rate over less than MIN_WINDOW_NS is the rate of a packet or two: after silence, or between
 * reports that came together. */
void weir__guard_on_report(struct weir__guard *guard, int64_t now_ns, int64_t wire_bytes,
                           int64_t interval_ns)
{
    save(guard, now_ns);
    advance(guard, now_ns);
    int64_t bps = weir_rate_bps(wire_bytes, weir_max_i64(interval_ns, MIN_WINDOW_NS));
    int64_t *best = &guard->best_bps[(uint64_t)guard->second % WEIR__GUARD_SECONDS];
    *best = weir_max_i64(*best, bps);
    guard->kept_bps = weir_max_i64(guard->kept_bps, bps);
}

void weir__guard_on_delivered(struct weir__guard *guard, int64_t sent_ns, int64_t wire_bytes)
{
    weir__rate_meter_add(&guard->proved, sent_ns, wire_bytes);
    guard->newest_sent_ns = weir_max_i64(guard->newest_sent_ns, sent_ns);
}

void weir__guard_update(struct weir__guard *guard, int64_t now_ns, int64_t rtt_ns)
{
    if (guard->newest_sent_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    int64_t window_ns = weir_max_i64(rtt_ns, MIN_WINDOW_NS);
    struct weir__rate_span span =
        weir__rate_meter_span(&guard->proved, guard->newest_sent_ns, window_ns);
    weir__guard_on_report(guard, now_ns, span.bytes, span.duration_ns);
}

void weir__guard_forget(struct weir__guard *guard)
{
    memset(guard->best_bps, 0, sizeof(guard->best_bps));
    guard->kept_bps = 0;
    weir__rate_meter_init(&guard->proved, BIN_NS);
    guard->newest_sent_ns = WEIR_UNKNOWN_NS;
    guard->saved_ns = WEIR_UNKNOWN_NS;
    guard->resumed_ns = WEIR_UNKNOWN_NS;
}

int64_t weir__guard_ceiling_bps(const struct weir__guard *guard, int64_t now_ns, int64_t start_bps)
{
    int64_t proved_bps = best_bps(guard, now_ns);
    int64_t doubled_bps =
        proved_bps > INT64_MAX / WEIR__GUARD_GROWTH ? INT64_MAX : proved_bps * WEIR__GUARD_GROWTH;
    return weir_max_i64(weir_max_i64(start_bps, doubled_bps),
                        saved_bps(guard, now_ns) / SAVED_SHARE);
}
