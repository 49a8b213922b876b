/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/receive_rate.h"

#include <string.h>

#include "weir/units.h"

/* Forgets what is older than two windows before the newest arrival. */
static void trim(struct weir__receive_rate *rate, int64_t window_ns)
{
    int64_t newest_ns = rate->entries[rate->n - 1].at_ns;
    size_t drop = 0;
    while (newest_ns - rate->entries[drop].at_ns > 2 * window_ns) {
        rate->forgotten_ns = rate->entries[drop].at_ns;
        rate->trimmed = true;
        drop++;
    }
    rate->n -= drop;
    memmove(rate->entries, rate->entries + drop, rate->n * sizeof(rate->entries[0]));
}

/* Halves the number of entries. */
static void merge_pairs(struct weir__receive_rate *rate)
{
    for (size_t i = 0; i < rate->n / 2; i++) {
        const struct weir__arrivals *first = &rate->entries[2 * i];
        const struct weir__arrivals *second = &rate->entries[2 * i + 1];
        rate->entries[i] = (struct weir__arrivals){
            .at_ns = second->at_ns, .bytes = first->bytes + second->bytes, .merged = true};
    }
    rate->n /= 2;
}

static void insert(struct weir__receive_rate *rate, size_t at, struct weir__arrivals arrival)
{
    memmove(rate->entries + at + 1, rate->entries + at, (rate->n - at) * sizeof(rate->entries[0]));
    rate->entries[at] = arrival;
    rate->n++;
}

void weir__receive_rate_add(struct weir__receive_rate *rate, int64_t at_ns, int64_t bytes,
                            int64_t window_ns)
{
    if (rate->n > 0 && rate->entries[rate->n - 1].at_ns - at_ns > 4 * window_ns + WEIR_SECONDS(1)) {
        *rate = (struct weir__receive_rate){0};
    }
    if (rate->n == WEIR__RECEIVE_RATE_ENTRIES) {
        merge_pairs(rate);
    }
    size_t at = rate->n;
    while (at > 0 && rate->entries[at - 1].at_ns > at_ns) {
        at--;
    }
    if (at > 0 && rate->entries[at - 1].at_ns == at_ns) {
        rate->entries[at - 1].bytes += bytes;
    } else if (at < rate->n && rate->entries[at].merged) {
        rate->entries[at].bytes += bytes;
    } else {
        insert(rate, at, (struct weir__arrivals){.at_ns = at_ns, .bytes = bytes, .merged = false});
    }
    trim(rate, window_ns);
}

/* Bytes that arrived after start_ns. */
static double bytes_since(const struct weir__receive_rate *rate, int64_t start_ns)
{
    double bytes = 0.0;
    for (size_t i = rate->n; i-- > 0 && rate->entries[i].at_ns > start_ns;) {
        const struct weir__arrivals *entry = &rate->entries[i];
        double part = 1.0;
        if (entry->merged && i > 0 && rate->entries[i - 1].at_ns < start_ns) {
            part = (double)(entry->at_ns - start_ns) /
                   (double)(entry->at_ns - rate->entries[i - 1].at_ns);
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
    int64_t newest_ns = rate->entries[rate->n - 1].at_ns;
    int64_t span_ns = window_ns;
    if (rate->trimmed) {
        int64_t known_ns = newest_ns - rate->forgotten_ns;
        span_ns = weir_clamp_i64(known_ns, (window_ns + 1) / 2, window_ns);
    }
    return bytes_since(rate, newest_ns - span_ns) / ((double)span_ns * 1e-9);
}

double weir__receive_rate_young(const struct weir__receive_rate *rate, int64_t window_ns)
{
    if (rate->n == 0) {
        return 0.0;
    }
    int64_t newest_ns = rate->entries[rate->n - 1].at_ns;
    int64_t age_ns = newest_ns - rate->entries[0].at_ns;
    int64_t span_ns = weir_clamp_i64(age_ns, (window_ns + 1) / 2, window_ns);
    return bytes_since(rate, newest_ns - span_ns - 1) / ((double)span_ns * 1e-9);
}
