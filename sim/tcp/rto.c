/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/rto.h"
#include "weir/units.h"

#define MOST_BACKOFF     64
#define LONGEST_TRUSTED  8 /* backoff beyond which the smoothed round trip is no longer believed */
#define SRTT_GAIN_INV    8
#define RTTVAR_GAIN_INV  4
#define RTTVAR_INFLUENCE 4

/* Initial 3 s and clock of 10 ms as ns-2, minimum 0.2 s as Linux, maximum 60 s. */
void weir__tcp_rto_config_default(struct weir__tcp_rto_config *config)
{
    *config = (struct weir__tcp_rto_config){.initial_ns = WEIR_SECONDS(3),
                                            .min_ns = WEIR_MS(200),
                                            .max_ns = WEIR_SECONDS(60),
                                            .tick_ns = WEIR_MS(10)};
}

/* No sample yet: the initial timeout holds. */
void weir__tcp_rto_init(struct weir__tcp_rto *rto, const struct weir__tcp_rto_config *config)
{
    *rto = (struct weir__tcp_rto){
        .config = *config, .base_ns = config->initial_ns, .backoff = 1, .starts_afresh = true};
}

/* What a clock of whole ticks measures between two times: the ticks in between, at least one
 * (ns-2). */
static int64_t ticked(int64_t tick_ns, int64_t from_ns, int64_t to_ns)
{
    if (tick_ns == 0) {
        return to_ns - from_ns;
    }
    return weir_max_i64(1, to_ns / tick_ns - from_ns / tick_ns) * tick_ns;
}

/* RFC 6298 2.2 and 2.3: a packet that was sent once, at sent_ns, is acknowledged. Ends the backoff.
 */
void weir__tcp_rto_on_sample(struct weir__tcp_rto *rto, int64_t sent_ns, int64_t now_ns)
{
    int64_t sample_ns = ticked(rto->config.tick_ns, sent_ns, now_ns);
    rto->latest_ns = now_ns - sent_ns;
    if (rto->starts_afresh) {
        rto->starts_afresh = false;
        rto->srtt_ns = rto->latest_ns;
        rto->ticked_ns = sample_ns;
        rto->rttvar_ns = sample_ns / 2;
    } else {
        int64_t error_ns = sample_ns - rto->ticked_ns;
        int64_t deviation_ns = error_ns < 0 ? -error_ns : error_ns;
        rto->srtt_ns += (rto->latest_ns - rto->srtt_ns) / SRTT_GAIN_INV;
        rto->rttvar_ns += (deviation_ns - rto->rttvar_ns) / RTTVAR_GAIN_INV;
        rto->ticked_ns += error_ns / SRTT_GAIN_INV;
    }
    rto->base_ns =
        rto->ticked_ns + weir_max_i64(rto->config.tick_ns, RTTVAR_INFLUENCE * rto->rttvar_ns);
    rto->backoff = 1;
}

/* RFC 6298 5.5. After several timeouts in a row the next sample replaces what was smoothed before
 * (RFC 6298 5.7 allows it, ns-2 does it). */
void weir__tcp_rto_on_timeout(struct weir__tcp_rto *rto)
{
    rto->backoff = weir_min_i64(2 * rto->backoff, MOST_BACKOFF);
    rto->starts_afresh = rto->starts_afresh || rto->backoff > LONGEST_TRUSTED;
}

/* The timeout to arm now, min_ns .. max_ns. */
int64_t weir__tcp_rto_ns(const struct weir__tcp_rto *rto)
{
    const struct weir__tcp_rto_config *c = &rto->config;
    return weir_min_i64(weir_max_i64(rto->base_ns, c->min_ns) * rto->backoff, c->max_ns);
}
