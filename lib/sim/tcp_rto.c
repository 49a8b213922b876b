/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp_rto.h"
#include "weir/units.h"

#define MOST_BACKOFF 64

/* Initial 3 s and clock of 10 ms as ns-2, minimum 0.2 s as Linux, maximum 60 s. */
void weir__tcp_rto_config_default(struct weir__tcp_rto_config *config)
{
    *config = (struct weir__tcp_rto_config){.initial_ns = WEIR_SECONDS(3),
                                            .min_ns = WEIR_MS(200),
                                            .max_ns = WEIR_SECONDS(60),
                                            .tick_ns = WEIR_MS(10)};
}

void weir__tcp_rto_init(struct weir__tcp_rto *rto, const struct weir__tcp_rto_config *config)
{
    *rto = (struct weir__tcp_rto){.config = *config, .backoff = 1};
}

/* RFC 6298 2.2 and 2.3: a round trip of a packet that was sent once. Ends the backoff. */
void weir__tcp_rto_on_sample(struct weir__tcp_rto *rto, int64_t rtt_ns)
{
    if (!rto->sampled) {
        rto->sampled = true;
        rto->srtt_ns = rtt_ns;
        rto->rttvar_ns = rtt_ns / 2;
    } else {
        int64_t error_ns = rtt_ns - rto->srtt_ns;
        int64_t deviation_ns = error_ns < 0 ? -error_ns : error_ns;
        rto->rttvar_ns += (deviation_ns - rto->rttvar_ns) / 4;
        rto->srtt_ns += error_ns / 8;
    }
    rto->backoff = 1;
}

/* RFC 6298 5.5. */
void weir__tcp_rto_on_timeout(struct weir__tcp_rto *rto)
{
    rto->backoff = weir_min_i64(2 * rto->backoff, MOST_BACKOFF);
}

/* The timeout to arm now, min_ns .. max_ns. */
int64_t weir__tcp_rto_ns(const struct weir__tcp_rto *rto)
{
    const struct weir__tcp_rto_config *c = &rto->config;
    int64_t base_ns = c->initial_ns;
    if (rto->sampled) {
        base_ns = rto->srtt_ns + weir_max_i64(c->tick_ns, 4 * rto->rttvar_ns);
    }
    return weir_min_i64(weir_max_i64(base_ns, c->min_ns) * rto->backoff, c->max_ns);
}
