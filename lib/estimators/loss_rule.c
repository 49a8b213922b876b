/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/loss_rule.h"

#include <math.h>
#include <stdbool.h>

#define LOW_LOSS         0.02
#define HIGH_LOSS        0.1
#define GROWTH           1.08
#define LEAST_GROWTH_BPS 1000.0
#define RAISE_NS         WEIR_SECONDS(1)
#define LOWER_NS         WEIR_MS(300) /* and a round trip */

void weir__loss_rule_init(struct weir__loss_rule *rule, double rate_bps)
{
    *rule = (struct weir__loss_rule){
        .rate_bps = rate_bps, .raised_ns = WEIR_UNKNOWN_NS, .lowered_ns = WEIR_UNKNOWN_NS};
}

static bool is_past(int64_t since_ns, int64_t wait_ns, int64_t now_ns)
{
    return since_ns == WEIR_UNKNOWN_NS || now_ns - since_ns >= wait_ns;
}

void weir__loss_rule_update(struct weir__loss_rule *rule, int64_t packets, int64_t lost,
                            int64_t rtt_ns, double max_bps, int64_t now_ns)
{
    rule->packets += packets;
    rule->lost += lost;
    if (rule->packets < WEIR__LOSS_RULE_LEAST_PACKETS) {
        return;
    }
    rule->loss_ratio = (double)rule->lost / (double)rule->packets;
    rule->packets = 0;
    rule->lost = 0;
    if (rule->loss_ratio <= LOW_LOSS) {
        if (is_past(rule->raised_ns, RAISE_NS, now_ns)) {
            rule->rate_bps = fmin(GROWTH * rule->rate_bps + LEAST_GROWTH_BPS, max_bps);
            rule->raised_ns = now_ns;
        }
    } else if (rule->loss_ratio > HIGH_LOSS &&
               is_past(rule->lowered_ns, LOWER_NS + rtt_ns, now_ns)) {
        rule->rate_bps *= 1.0 - 0.5 * rule->loss_ratio;
        rule->lowered_ns = now_ns;
    }
}
