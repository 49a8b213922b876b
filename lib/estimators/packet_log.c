/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/packet_log.h"

#include <string.h>

#include "weir/units.h"

enum { RING = WEIR__PACKET_LOG_PARTS + 1 };

void weir__packet_log_init(struct weir__packet_log *log, int64_t window_ns)
{
    memset(log, 0, sizeof(*log));
    log->part_ns = weir_max_i64(window_ns / WEIR__PACKET_LOG_PARTS, 1);
}

static int64_t number_at(const struct weir__packet_log *log, int64_t at_ns)
{
    return (at_ns - log->begin_ns) / log->part_ns;
}

static bool is_in_window(const struct weir__packet_log *log, int64_t number)
{
    return number > number_at(log, log->newest_ns) - RING;
}

static void begin(struct weir__packet_log *log, int64_t at_ns)
{
    weir__packet_log_init(log, log->part_ns * WEIR__PACKET_LOG_PARTS);
    log->known = true;
    log->begin_ns = at_ns;
    log->newest_ns = at_ns;
    for (int64_t i = 0; i < RING; i++) {
        log->parts[i].number = -1;
    }
}

static struct weir__packet_counts *part(struct weir__packet_log *log, int64_t number)
{
    struct weir__packet_log_part *part = &log->parts[number % RING];
    if (part->number != number) {
        *part = (struct weir__packet_log_part){.number = number,
                                               .counts = {.greatest_delay_ns = INT64_MIN}};
    }
    return &part->counts;
}

void weir__packet_log_on_arrival(struct weir__packet_log *log, int64_t at_ns, int64_t bytes,
                                 int64_t delay_ns, bool marked)
{
    int64_t two_windows_ns = 2 * log->part_ns * WEIR__PACKET_LOG_PARTS;
    if (!log->known || at_ns < log->newest_ns - two_windows_ns) {
        begin(log, at_ns);
    }
    log->newest_ns = weir_max_i64(log->newest_ns, at_ns);
    if (at_ns < log->begin_ns || !is_in_window(log, number_at(log, at_ns))) {
        return;
    }
    struct weir__packet_counts *counts = part(log, number_at(log, at_ns));
    counts->bytes += bytes;
    counts->n_arrived++;
    counts->n_marked += marked;
    if (delay_ns != WEIR_UNKNOWN_NS) {
        counts->greatest_delay_ns = weir_max_i64(counts->greatest_delay_ns, delay_ns);
    }
}

void weir__packet_log_on_lost(struct weir__packet_log *log, int64_t n_lost)
{
    if (log->known && n_lost > 0) {
        part(log, number_at(log, log->newest_ns))->n_lost += n_lost;
    }
}

struct weir__packet_counts weir__packet_log_counts(const struct weir__packet_log *log)
{
    struct weir__packet_counts all = {.greatest_delay_ns = INT64_MIN};
    for (int64_t i = 0; log->known && i < RING; i++) {
        const struct weir__packet_counts *counts = &log->parts[i].counts;
        if (log->parts[i].number < 0 || !is_in_window(log, log->parts[i].number)) {
            continue;
        }
        all.bytes += counts->bytes;
        all.n_arrived += counts->n_arrived;
        all.n_marked += counts->n_marked;
        all.n_lost += counts->n_lost;
        all.greatest_delay_ns = weir_max_i64(all.greatest_delay_ns, counts->greatest_delay_ns);
    }
    return all;
}

/* From the beginning of the oldest part to the newest arrival. */
static int64_t covered_ns(const struct weir__packet_log *log)
{
    int64_t oldest = number_at(log, log->newest_ns) - WEIR__PACKET_LOG_PARTS;
    int64_t from_ns = log->begin_ns + weir_max_i64(oldest, 0) * log->part_ns;
    return log->newest_ns - from_ns;
}

double weir__packet_log_bps(const struct weir__packet_log *log)
{
    if (!log->known) {
        return 0.0;
    }
    int64_t window_ns = log->part_ns * WEIR__PACKET_LOG_PARTS;
    double over_s = (double)weir_max_i64(covered_ns(log), window_ns) * 1e-9;
    return 8.0 * (double)weir__packet_log_counts(log).bytes / over_s;
}
