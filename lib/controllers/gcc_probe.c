/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "controllers/gcc_probe.h"

#include <math.h>

#define FIRST_FACTOR   3.0
#define SECOND_FACTOR  6.0
#define FURTHER_FACTOR 2.0
#define FURTHER_SHARE  0.7 /* of the rate that was tried, or there is no further probe */
#define LEAST_PACKETS  5
#define LEAST_S        0.015
/* A cluster counts if most of it arrived, at no more than twice the rate at which it left: what
 * arrives faster was held up together. */
#define RECEIVED_SHARE 0.8
#define MOST_RATIO     2.0
/* What arrives slower than it left has filled a queue: the capacity is a little below. */
#define SLOWER         0.9
#define SLOWER_SHARE   0.95
#define LEAST_OF_ACKED 0.85
/* libwebrtc sees to it that a probe leaves at its rate; here the program may have nothing to send.
 */
#define SENT_SHARE 0.8

void weir__gcc_probe_init(struct weir__gcc_probe *probe, double start_bps)
{
    *probe = (struct weir__gcc_probe){.rate_bps = FIRST_FACTOR * start_bps,
                                      .second_bps = SECOND_FACTOR * start_bps};
}

double weir__gcc_probe_bps(const struct weir__gcc_probe *probe, double max_bps)
{
    return fmin(probe->rate_bps, max_bps);
}

int64_t weir__gcc_probe_bytes(double probe_bps, int64_t packet_bytes)
{
    double least_bytes = (double)(LEAST_PACKETS * packet_bytes);
    return probe_bps > 0.0 ? llround(fmax(least_bytes, LEAST_S * probe_bps / 8.0)) : 0;
}

static double proved_bps(const struct weir_probe_result *result, double acked_bps)
{
    double sent_bps = (double)result->sent_bps;
    double delivered_bps = (double)result->delivered_bps;
    bool is_whole = (double)result->sent_bytes >= SENT_SHARE * (double)result->asked_bytes &&
                    (double)result->received_bytes >= RECEIVED_SHARE * (double)result->sent_bytes &&
                    sent_bps >= SENT_SHARE * (double)result->asked_bps;
    if (!is_whole || delivered_bps <= 0.0 || delivered_bps > MOST_RATIO * sent_bps) {
        return 0.0;
    }
    double share = delivered_bps < SLOWER * sent_bps ? SLOWER_SHARE : 1.0;
    double bps = share * fmin(sent_bps, delivered_bps);
    return bps >= LEAST_OF_ACKED * acked_bps ? bps : 0.0;
}

double weir__gcc_probe_take(struct weir__gcc_probe *probe, const struct weir_probe_result *result,
                            double acked_bps)
{
    double bps = proved_bps(result, acked_bps);
    if (probe->second_bps > 0.0) {
        probe->rate_bps = probe->second_bps;
        probe->second_bps = 0.0;
    } else {
        bool capped = (double)result->asked_bps < probe->rate_bps - 1.0; /* the maximum was tried */
        bool further = !capped && bps >= FURTHER_SHARE * probe->rate_bps;
        probe->rate_bps = further ? FURTHER_FACTOR * bps : 0.0;
    }
    return bps;
}
