/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first loss-based control of Google Congestion Control (gcc-02 section 6, with the constants
 * of libwebrtc): 8 % more per second while less than 2 % are lost, nothing up to 10 %, and half the
 * share of the losses less above that. */
#ifndef WEIR_ESTIMATORS_LOSS_RULE_H
#define WEIR_ESTIMATORS_LOSS_RULE_H

#include <stdint.h>

#include "weir/units.h"

enum { WEIR__LOSS_RULE_LEAST_PACKETS = 20 };

struct weir__loss_rule {
    double rate_bps;
    double loss_ratio; /* of the newest packets that were enough */
    int64_t packets;   /* since then */
    int64_t lost;
    int64_t raised_ns;  /* WEIR_UNKNOWN_NS */
    int64_t lowered_ns; /* WEIR_UNKNOWN_NS */
};

void weir__loss_rule_init(struct weir__loss_rule *rule, double rate_bps);

/* What a report newly tells. rtt_ns >= 0. The rate stays within max_bps. */
void weir__loss_rule_update(struct weir__loss_rule *rule, int64_t packets, int64_t lost,
                            int64_t rtt_ns, double max_bps, int64_t now_ns);

#endif
