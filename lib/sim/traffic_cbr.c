/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic_cbr.h"
#include "weir/units.h"

static bool is_valid(const struct weir__cbr_config *c)
{
    bool phases = (c->on_ns > 0 && c->off_ns > 0) || (c->on_ns == 0 && c->off_ns == 0);
    return c->rate_bps > 0 && c->rate_bps <= INT64_C(1000000000000) && c->packet_bytes >= 1 &&
           c->packet_bytes <= 1000000 && c->start_ns >= 0 && phases;
}

/* The next packet is due one interval later; the fractions of nanoseconds add up, so that the
 * mean rate is exact. */
static void advance(struct weir__cbr *cbr)
{
    cbr->next_ns = weir_time_add_ns(cbr->next_ns, cbr->interval_ns);
    cbr->remainder += cbr->interval_remainder;
    if (cbr->remainder >= cbr->config.rate_bps) {
        cbr->remainder -= cbr->config.rate_bps;
        cbr->next_ns = weir_time_add_ns(cbr->next_ns, 1);
    }
}

/* Each "on" begins with a packet. */
static void skip_off(struct weir__cbr *cbr)
{
    if (cbr->config.on_ns > 0 && cbr->next_ns >= cbr->on_until_ns) {
        cbr->next_ns = weir_time_add_ns(cbr->on_until_ns, cbr->config.off_ns);
        cbr->on_until_ns = weir_time_add_ns(cbr->next_ns, cbr->config.on_ns);
        cbr->remainder = 0;
    }
}

static void arm(struct weir__cbr *cbr)
{
    bool over = cbr->next_ns >= cbr->config.stop_ns;
    weir__timer_set(&cbr->timer, cbr->sim, over ? WEIR_NEVER_NS : cbr->next_ns);
}

static void on_time(void *target)
{
    struct weir__cbr *cbr = target;
    advance(cbr);
    skip_off(cbr);
    arm(cbr);
    struct weir__packet *packet = weir__packet_take(cbr->pool);
    if (packet) {
        packet->size_bytes = (int32_t)cbr->config.packet_bytes;
        packet->flow = cbr->config.flow;
        packet->seq = cbr->sent_packets++;
        packet->sent_ns = cbr->sim->now_ns;
        weir__port_send(&cbr->config.out, packet);
    }
}

/* A source that starts by itself. Registers a timer; the memory must not move afterwards. */
enum weir_status weir__cbr_init(struct weir__cbr *cbr, struct weir__sim *sim,
                                struct weir__packet_pool *pool,
                                const struct weir__cbr_config *config)
{
    if (!is_valid(config)) {
        return WEIR_ERROR_RANGE;
    }
    int64_t bit_ns = config->packet_bytes * 8 * INT64_C(1000000000);
    *cbr = (struct weir__cbr){.config = *config,
                              .sim = sim,
                              .pool = pool,
                              .interval_ns = bit_ns / config->rate_bps,
                              .interval_remainder = bit_ns % config->rate_bps,
                              .next_ns = config->start_ns,
                              .on_until_ns = weir_time_add_ns(config->start_ns, config->on_ns)};
    enum weir_status status = weir__timer_init(&cbr->timer, sim, on_time, cbr);
    if (status == WEIR_OK) {
        arm(cbr);
    }
    return status;
}

static void on_arrival(void *target, struct weir__packet *packet)
{
    struct weir__cbr *cbr = target;
    cbr->arrived_packets++;
    cbr->arrived_bytes += packet->size_bytes;
    weir__packet_give(cbr->pool, packet);
}

/* The far end: counts. */
struct weir__port weir__cbr_sink_port(struct weir__cbr *cbr)
{
    return (struct weir__port){.on_packet = on_arrival, .target = cbr};
}
