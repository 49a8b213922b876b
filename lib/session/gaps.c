/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/gaps.h"

#include <stdbool.h>

#include "base/unwrap.h"

static bool ends_after(const struct weir__gap *gap, int64_t rtp)
{
    return weir__serial_newer(gap->end_rtp, (uint32_t)rtp, 32);
}

static uint32_t oldest(const struct weir__gaps *gaps)
{
    return gaps->n_gaps > WEIR__GAPS ? gaps->n_gaps - WEIR__GAPS : 0;
}

/* Never sent in the gaps before number i of those in the ring. */
static uint32_t skipped_before(const struct weir__gaps *gaps, uint32_t i)
{
    return i == oldest(gaps) ? gaps->forgotten_packets
                             : gaps->gaps[(i - 1) % WEIR__GAPS].skipped_packets;
}

/* The oldest gap makes room. */
void weir__gaps_add(struct weir__gaps *gaps, int64_t end_rtp, uint32_t skipped_packets)
{
    uint32_t all = skipped_before(gaps, gaps->n_gaps) + skipped_packets;
    struct weir__gap *gap = &gaps->gaps[gaps->n_gaps % WEIR__GAPS];
    if (gaps->n_gaps >= WEIR__GAPS) {
        gaps->forgotten_packets = gap->skipped_packets;
    }
    *gap = (struct weir__gap){.end_rtp = (uint32_t)end_rtp, .skipped_packets = all};
    gaps->n_gaps++;
}

/* The first gap in the ring that ends after rtp; n_gaps when there is none. */
static uint32_t find_after(const struct weir__gaps *gaps, int64_t rtp)
{
    uint32_t i = gaps->n_gaps;
    while (i > oldest(gaps) && ends_after(&gaps->gaps[(i - 1) % WEIR__GAPS], rtp)) {
        i--;
    }
    return i;
}

void weir__gaps_fill(struct weir__gaps *gaps, int64_t rtp)
{
    uint32_t i = find_after(gaps, rtp);
    if (i == gaps->n_gaps ||
        gaps->gaps[i % WEIR__GAPS].skipped_packets == skipped_before(gaps, i)) {
        return;
    }
    for (; i != gaps->n_gaps; i++) {
        gaps->gaps[i % WEIR__GAPS].skipped_packets--;
    }
}

uint32_t weir__gaps_before(const struct weir__gaps *gaps, int64_t rtp)
{
    return skipped_before(gaps, find_after(gaps, rtp));
}
