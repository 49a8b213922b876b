/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/unheld_rtt.h"

/* Two clocks drift apart by 1 ms in ten seconds (100 ppm); a path that got longer counts as such
 * after two windows at the latest. */
#define WINDOW_NS WEIR_SECONDS(10)
/* A first sample this long is held back for a moment: a backlog of messages comes oldest first. */
#define LONG_NS   WEIR_MS(200)
#define SETTLE_NS WEIR_MS(250)

static const struct weir__unheld_min none = {.sample_ns = INT64_MAX, .delay_ns = INT64_MAX};

void weir__unheld_rtt_init(struct weir__unheld_rtt *rtt)
{
    *rtt = (struct weir__unheld_rtt){.first_ns = WEIR_UNKNOWN_NS, .smallest = {none, none}};
}

static void turn_window(struct weir__unheld_rtt *rtt, int64_t now_ns)
{
    if (now_ns - rtt->window_ns < WINDOW_NS) {
        return;
    }
    bool recent = now_ns - rtt->window_ns < 2 * WINDOW_NS;
    rtt->smallest[1] = recent ? rtt->smallest[0] : none;
    rtt->smallest[0] = none;
    rtt->window_ns = now_ns;
}

static void note(struct weir__unheld_rtt *rtt, int64_t sample_ns, int64_t delay_ns)
{
    struct weir__unheld_min *smallest = &rtt->smallest[0];
    smallest->sample_ns = weir_min_i64(smallest->sample_ns, sample_ns);
    if (delay_ns != WEIR_UNKNOWN_NS) {
        smallest->delay_ns = weir_min_i64(smallest->delay_ns, delay_ns);
    } else { /* delays from before a jump of the clock are not comparable */
        smallest->delay_ns = INT64_MAX;
        rtt->smallest[1].delay_ns = INT64_MAX;
    }
}

/* The length of the empty path and what this packet waited above it. */
static int64_t without_hold_ns(const struct weir__unheld_rtt *rtt, int64_t sample_ns,
                               int64_t delay_ns)
{
    if (delay_ns == WEIR_UNKNOWN_NS) {
        return sample_ns;
    }
    const struct weir__unheld_min *smallest = rtt->smallest;
    int64_t base_ns = weir_min_i64(smallest[0].sample_ns, smallest[1].sample_ns);
    int64_t least_delay_ns = weir_min_i64(smallest[0].delay_ns, smallest[1].delay_ns);
    double rtt_ns = (double)base_ns + ((double)delay_ns - (double)least_delay_ns);
    return rtt_ns < (double)sample_ns ? (int64_t)rtt_ns : sample_ns;
}

int64_t weir__unheld_rtt_sample(struct weir__unheld_rtt *rtt, int64_t now_ns, int64_t sample_ns,
                                int64_t delay_ns)
{
    if (rtt->first_ns == WEIR_UNKNOWN_NS) {
        rtt->first_ns = now_ns;
        rtt->window_ns = now_ns;
    }
    turn_window(rtt, now_ns);
    note(rtt, sample_ns, delay_ns);
    int64_t rtt_ns = without_hold_ns(rtt, sample_ns, delay_ns);
    bool settling = now_ns - rtt->first_ns < SETTLE_NS;
    return settling && rtt_ns > LONG_NS ? WEIR_UNKNOWN_NS : rtt_ns;
}
