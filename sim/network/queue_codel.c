/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CoDel by the pseudocode of RFC 8289 5. A marked packet is sent, and ends the row of drops of this
 * call, as in Linux (net/sched, include/net/codel_impl.h); the RFC leaves that open. */
#include "sim/network/queue_codel.h"
#include "weir/receiver.h"
#include "weir/units.h"
#include <math.h>

#define LONGEST_NS       WEIR_SECONDS(3600)
#define RECENT_INTERVALS 16 /* RFC 8289 5.5: within these a new row begins with the old rate */

/* RFC 8289 4.4: 5 ms and 100 ms; packets of 1500 bytes. */
void weir__codel_config_default(struct weir__codel_config *config)
{
    *config = (struct weir__codel_config){
        .target_ns = WEIR_MS(5), .interval_ns = WEIR_MS(100), .max_packet_bytes = 1500};
}

/* WEIR_ERROR_RANGE for a time that is not within 1 ns and one hour, or a negative size. */
enum weir_status weir__codel_check(const struct weir__codel_config *config)
{
    bool valid = config->target_ns > 0 && config->target_ns <= LONGEST_NS &&
                 config->interval_ns > 0 && config->interval_ns <= LONGEST_NS &&
                 config->max_packet_bytes >= 0;
    return valid ? WEIR_OK : WEIR_ERROR_RANGE;
}

/* RFC 8289 5.2: when to drop next after time_ns, count >= 1. IEEE 754 defines sqrt and division to
 * the last bit. */
int64_t weir__codel_control_law_ns(int64_t time_ns, int64_t interval_ns, int64_t count)
{
    return time_ns + (int64_t)((double)interval_ns / sqrt((double)count));
}

/* RFC 8289 5.6, dodequeue: the next packet, NULL when there is none, and whether it may be dropped.
 */
static struct weir__packet *take(struct weir__codel *codel, const struct weir__codel_config *config,
                                 struct weir__queue_fifo *fifo, int64_t now_ns, bool *may_drop)
{
    struct weir__packet *packet = weir__queue_fifo_take(fifo);
    *may_drop = false;
    if (!packet) {
        codel->first_above_ns = 0;
        return NULL;
    }
    if (now_ns - packet->queued_ns < config->target_ns || fifo->bytes <= config->max_packet_bytes) {
        codel->first_above_ns = 0;
    } else if (codel->first_above_ns == 0) {
        codel->first_above_ns = now_ns + config->interval_ns;
    } else {
        *may_drop = now_ns >= codel->first_above_ns;
    }
    return packet;
}

/* True: marked, and stays. False: goes to the dropped. */
static bool mark_or_drop(const struct weir__codel_config *config, struct weir__packet *packet,
                         struct weir__packet_list *dropped)
{
    if (config->mark_ecn && packet->ecn != WEIR_ECN_NOT_ECT) {
        packet->ecn = WEIR_ECN_CE;
        return true;
    }
    weir__packet_list_push(dropped, packet);
    return false;
}

/* While dropping: the drops that are due by now. */
static struct weir__packet *go_on(struct weir__codel *codel,
                                  const struct weir__codel_config *config,
                                  struct weir__queue_fifo *fifo, struct weir__packet *packet,
                                  struct weir__packet_list *dropped, int64_t now_ns)
{
    while (codel->dropping && now_ns >= codel->drop_next_ns) {
        bool may_drop = true;
        codel->count++;
        bool marked = mark_or_drop(config, packet, dropped);
        if (!marked) {
            packet = take(codel, config, fifo, now_ns, &may_drop);
        }
        codel->dropping = may_drop;
        if (may_drop) {
            codel->drop_next_ns =
                weir__codel_control_law_ns(codel->drop_next_ns, config->interval_ns, codel->count);
        }
        if (marked) {
            break;
        }
    }
    return packet;
}

/* The first drop. If dropping ended only lately, its rate then is where to begin. */
static struct weir__packet *begin(struct weir__codel *codel,
                                  const struct weir__codel_config *config,
                                  struct weir__queue_fifo *fifo, struct weir__packet *packet,
                                  struct weir__packet_list *dropped, int64_t now_ns)
{
    bool may_drop = true;
    if (!mark_or_drop(config, packet, dropped)) {
        packet = take(codel, config, fifo, now_ns, &may_drop);
    }
    codel->dropping = true;
    int64_t delta = codel->count - codel->last_count;
    bool recent = now_ns - codel->drop_next_ns < RECENT_INTERVALS * config->interval_ns;
    codel->count = delta > 1 && recent ? delta : 1;
    codel->drop_next_ns = weir__codel_control_law_ns(now_ns, config->interval_ns, codel->count);
    codel->last_count = codel->count;
    return packet;
}

/* RFC 8289 5.5, deque: the next packet to send, NULL when there is none. Those that must go before
 * it are appended to `dropped`. */
struct weir__packet *weir__codel_pop(struct weir__codel *codel,
                                     const struct weir__codel_config *config,
                                     struct weir__queue_fifo *fifo,
                                     struct weir__packet_list *dropped, int64_t now_ns)
{
    bool may_drop = false;
    struct weir__packet *packet = take(codel, config, fifo, now_ns, &may_drop);
    if (codel->dropping) {
        codel->dropping = may_drop;
        return go_on(codel, config, fifo, packet, dropped, now_ns);
    }
    return may_drop ? begin(codel, config, fifo, packet, dropped, now_ns) : packet;
}
