/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/receive_rate.h"

#include <string.h>

#include "weir/units.h"

#define GRAINS_PER_WINDOW 16

static int64_t newest_ns(const struct weir__receive_rate *rate)
{
    return rate->entries[rate->n - 1].last_ns;
}

/* Forgets what is older than two windows before the newest arrival. */
static void trim(struct weir__receive_rate *rate, int64_t window_ns)
{
    size_t drop = 0;
    while (newest_ns(rate) - rate->entries[drop].last_ns > 2 * window_ns) {
        int64_t last_ns = rate->entries[drop].last_ns;
        rate->forgotten_ns = rate->trimmed ? weir_max_i64(rate->forgotten_ns, last_ns) : last_ns;
        rate->trimmed = true;
        drop++;
    }
    if (drop > 0) {
        rate->n -= drop;
        memmove(rate->entries, rate->entries + drop, rate->n * sizeof(rate->entries[0]));
    }
    if (rate->n <= WEIR__RECEIVE_RATE_ENTRIES / 2) {
        rate->grain_ns = 0;
    }
}

/* Lets neighbours within a grain share an entry. */
static void compact(struct weir__receive_rate *rate)
{
    size_t kept = 0;
    for (size_t i = 1; i < rate->n; i++) {
        struct weir__receive_rate_entry *last = &rate->entries[kept];
        if (rate->entries[i].last_ns - last->first_ns < rate->grain_ns) {
            last->last_ns = rate->entries[i].last_ns;
            last->bytes += rate->entries[i].bytes;
        } else {
            rate->entries[++kept] = rate->entries[i];
        }
    }
    rate->n = kept + 1;
}

/* Makes room for one entry. */
static void make_room(struct weir__receive_rate *rate, int64_t window_ns)
{
    if (rate->n == WEIR__RECEIVE_RATE_ENTRIES) {
        rate->grain_ns = weir_max_i64(rate->grain_ns, window_ns / GRAINS_PER_WINDOW);
        compact(rate);
    }
    while (rate->n == WEIR__RECEIVE_RATE_ENTRIES) {
        rate->grain_ns = 2 * rate->grain_ns + 1;
        compact(rate);
    }
}

/* Whether an arrival belongs to an entry that begins no later. */
static bool belongs(const struct weir__receive_rate *rate,
                    const struct weir__receive_rate_entry *entry, int64_t at_ns)
{
    return at_ns <= entry->last_ns || at_ns - entry->first_ns < rate->grain_ns;
}

void weir__receive_rate_begin(struct weir__receive_rate *rate, int64_t at_ns, int64_t window_ns)
{
    if (rate->n > 0 && newest_ns(rate) - at_ns > 4 * window_ns + WEIR_SECONDS(1)) {
        *rate = (struct weir__receive_rate){0};
    }
}

void weir__receive_rate_add(struct weir__receive_rate *rate, int64_t at_ns, int64_t bytes,
                            int64_t window_ns)
{
    make_room(rate, window_ns);
    size_t at = rate->n;
    while (at > 0 && rate->entries[at - 1].first_ns > at_ns) {
        at--;
    }
    if (at > 0 && belongs(rate, &rate->entries[at - 1], at_ns)) {
        struct weir__receive_rate_entry *entry = &rate->entries[at - 1];
        entry->last_ns = weir_max_i64(entry->last_ns, at_ns);
        entry->bytes += bytes;
    } else {
        memmove(rate->entries + at + 1, rate->entries + at,
                (rate->n - at) * sizeof(rate->entries[0]));
        rate->entries[at] = (struct weir__receive_rate_entry){at_ns, at_ns, bytes};
        rate->n++;
    }
    trim(rate, window_ns);
}

/* Bytes that arrived after start_ns. */
static double bytes_since(const struct weir__receive_rate *rate, int64_t start_ns)
{
    double bytes = 0.0;
    for (size_t i = rate->n; i-- > 0 && rate->entries[i].last_ns > start_ns;) {
        const struct weir__receive_rate_entry *entry = &rate->entries[i];
        double part = 1.0;
        if (entry->first_ns <= start_ns) {
            part = (double)(entry->last_ns - start_ns) / (double)(entry->last_ns - entry->first_ns);
        }
        bytes += part * (double)entry->bytes;
    }
    return bytes;
}

double weir__receive_rate_get(const struct weir__receive_rate *rate, int64_t window_ns)
{
    if (rate->n == 0) {
        return 0.0;
    }
    int64_t span_ns = window_ns;
    if (rate->trimmed) {
        int64_t known_ns = newest_ns(rate) - rate->forgotten_ns;
        span_ns = weir_clamp_i64(known_ns, (window_ns + 1) / 2, window_ns);
    }
    return bytes_since(rate, newest_ns(rate) - span_ns) / ((double)span_ns * 1e-9);
}
