/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/rate_meter.h"

#include <string.h>

#include "weir/units.h"

/* Division that rounds down, for times of any sign; mostly it is the newest bin again. */
static int64_t bin_of(const struct weir__rate_meter *meter, int64_t at_ns)
{
    if (at_ns >= meter->newest_ns && at_ns - meter->newest_ns < meter->bin_ns && meter->started) {
        return meter->newest_bin;
    }
    int64_t bin = at_ns / meter->bin_ns;
    return at_ns % meter->bin_ns < 0 ? bin - 1 : bin;
}

static int64_t *slot(struct weir__rate_meter *meter, int64_t bin)
{
    return &meter->bytes[(uint64_t)bin % WEIR__RATE_METER_BINS];
}

void weir__rate_meter_init(struct weir__rate_meter *meter, int64_t bin_ns)
{
    memset(meter, 0, sizeof(*meter));
    meter->bin_ns = weir_max_i64(bin_ns, 1);
}

/* Empties the bins between the newest and `bin`; after a gap longer than all of them the meter
 * starts anew, so that silence before a burst does not thin it out. */
static void advance(struct weir__rate_meter *meter, int64_t bin, int64_t at_ns)
{
    if (!meter->started || bin - meter->newest_bin >= WEIR__RATE_METER_BINS) {
        memset(meter->bytes, 0, sizeof(meter->bytes));
        meter->first_ns = at_ns;
        meter->started = true;
    } else {
        for (int64_t b = meter->newest_bin + 1; b <= bin; b++) {
            *slot(meter, b) = 0;
        }
    }
    meter->newest_bin = bin;
    meter->newest_ns = bin * meter->bin_ns;
}

void weir__rate_meter_add(struct weir__rate_meter *meter, int64_t at_ns, int64_t bytes)
{
    int64_t bin = bin_of(meter, at_ns);
    if (!meter->started || bin > meter->newest_bin) {
        advance(meter, bin, at_ns);
    } else if (meter->newest_bin - bin >= WEIR__RATE_METER_BINS) {
        return;
    }
    meter->first_ns = weir_min_i64(meter->first_ns, at_ns);
    *slot(meter, bin) += bytes;
}

struct weir__rate_span weir__rate_meter_span(const struct weir__rate_meter *meter, int64_t now_ns,
                                             int64_t window_ns)
{
    struct weir__rate_span span = {.bytes = 0, .duration_ns = 1};
    if (!meter->started) {
        return span;
    }

    int64_t last = bin_of(meter, now_ns);
    int64_t n_bins = weir_clamp_i64(window_ns / meter->bin_ns, 1, WEIR__RATE_METER_BINS - 1);
    int64_t first = weir_max_i64(last - n_bins, meter->newest_bin - WEIR__RATE_METER_BINS + 1);
    for (int64_t bin = first; bin <= weir_min_i64(last, meter->newest_bin); bin++) {
        span.bytes += meter->bytes[(uint64_t)bin % WEIR__RATE_METER_BINS];
    }
    int64_t start_ns = weir_max_i64((last - n_bins) * meter->bin_ns, meter->first_ns);
    span.duration_ns = weir_max_i64(now_ns - start_ns, meter->bin_ns);
    return span;
}

int64_t weir__rate_meter_bps(const struct weir__rate_meter *meter, int64_t now_ns,
                             int64_t window_ns)
{
    struct weir__rate_span span = weir__rate_meter_span(meter, now_ns, window_ns);
    return weir_rate_bps(span.bytes, span.duration_ns);
}
