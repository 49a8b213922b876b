/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/link.h"
#include "sim/network/link_service.h"
#include "weir/ecn.h"
#include "weir/units.h"
#include <assert.h>
#include <math.h>

#define STREAMS_PER_LINK 4
#define BYTE_PER_NS_BPS  INT64_C(8000000000) /* up to this rate every packet takes some time */
#define FALLBACK_RATE_BPS                                                                          \
    WEIR_MBPS(1) /* nominal rate of a link that starts in an outage for ever */

static bool is_probability(double p)
{
    return p >= 0.0 && p <= 1.0;
}

static bool are_delays(const struct weir__schedule_step *steps, size_t n_steps)
{
    for (size_t i = 0; i < n_steps; i++) {
        if (!weir__is_delay(steps[i].delay_ns)) {
            return false;
        }
    }
    return true;
}

static enum weir__link_service service_kind(const struct weir__link_config *config)
{
    return config->n_trace > 0               ? WEIR__LINK_BY_TRACE
           : config->shaper.rate_bps > 0     ? WEIR__LINK_SHAPED
           : config->aggregation.packets > 0 ? WEIR__LINK_IN_AGGREGATES
                                             : WEIR__LINK_AT_RATE;
}

/* Says in a user's words which value is outside its range; NULL = none. The queue is checked by
 * weir__link_init(). */
const char *weir__link_fault(const struct weir__link_config *c)
{
    if (c->capacity_bps < 0) {
        return "capacity must be 0 (outage) or more bit/s";
    }
    if (!weir__is_delay(c->delay_ns) || !weir__is_delay(c->jitter_ns) ||
        !weir__is_delay(c->reorder_delay_ns) || !are_delays(c->delay_steps, c->n_delay_steps)) {
        return "delay, jitter and reorder delay must be 0 to 3600 s";
    }
    if (!is_probability(c->duplicate) || !is_probability(c->reorder) ||
        !is_probability(c->corrupt)) {
        return "duplicate, reorder and corrupt must be probabilities, 0 to 1";
    }
    if (weir__link_loss_check(&c->loss) != WEIR_OK) {
        return "loss: a parameter of the model is outside its range";
    }
    if (weir__token_bucket_check(&c->policer) != WEIR_OK ||
        weir__token_bucket_check(&c->shaper) != WEIR_OK) {
        return "policer and shaper: the rate must be 0 (none) to 10^12 bit/s, the burst 1 to 10^9 "
               "bytes";
    }
    if (weir__aggregation_check(&c->aggregation) != WEIR_OK) {
        return "aggregates: 0 (none) to 65536 packets, an airtime of 1 ns to 3600 s, an access "
               "time of 0 to 3600 s";
    }
    if ((c->n_trace > 0) + (c->shaper.rate_bps > 0) + (c->aggregation.packets > 0) > 1) {
        return "at most one of trace, shaper and aggregates";
    }
    if (c->n_trace > 0 && weir__capacity_trace_check(c->trace_ms, c->n_trace) != WEIR_OK) {
        return "trace: its times must not descend, and end later than 0";
    }
    return NULL;
}

/* The rate that RED's automatic settings take for the link's: the first that is not an outage, or
 * the mean of the trace. */
static int64_t nominal_rate_bps(const struct weir__link_config *config)
{
    if (config->n_trace > 0) {
        return weir__capacity_trace_mean_bps(config->trace_ms, config->n_trace);
    }
    if (config->capacity_bps > 0 && (config->n_steps == 0 || config->steps[0].at_ns > 0)) {
        return config->capacity_bps;
    }
    for (size_t i = 0; i < config->n_steps; i++) {
        if (config->steps[i].rate_bps > 0) {
            return config->steps[i].rate_bps;
        }
    }
    return FALLBACK_RATE_BPS;
}

static void on_served(void *target);
static void on_propagated(void *target);
static void on_foreseen(void *target);
static void on_late_propagated(void *target);

/* After each change of what they depend on. */
static void note_plain(struct weir__link *link)
{
    bool at_rate = link->service_kind == WEIR__LINK_AT_RATE;
    link->plain_service =
        at_rate && !weir__queue_drops_inside(&link->queue) && !link->config.on_service;
    link->plain_wire = at_rate && !link->lossy && !link->unruly && link->config.jitter_ns == 0 &&
                       link->delay.next_change_ns == WEIR_NEVER_NS;
    link->foresees = link->config.fixed && link->plain_service && link->plain_wire &&
                     link->queue.plain && link->schedule.next_change_ns == WEIR_NEVER_NS &&
                     link->schedule.rate_bps > 0 && link->schedule.rate_bps <= BYTE_PER_NS_BPS;
}

/* An idle link in caller's memory, which must not move afterwards. WEIR_ERROR_RANGE when a value is
 * outside its range. On failure nothing is left to finish. */
enum weir_status weir__link_init(struct weir__link *link, struct weir__sim *sim,
                                 struct weir__packet_pool *pool,
                                 const struct weir__link_config *config)
{
    if (weir__link_fault(config)) {
        return WEIR_ERROR_RANGE;
    }
    *link = (struct weir__link){.config = *config, .sim = sim, .pool = pool};
    link->lossy = config->loss.model != WEIR__LOSS_NONE;
    link->unruly = config->corrupt > 0.0 || config->duplicate > 0.0 || config->reorder > 0.0 ||
                   config->ecn != WEIR__LINK_ECN_KEEPS;
    link->service_kind = service_kind(config);
    link->policed = config->policer.rate_bps > 0;
    link->tells_late =
        link->service_kind == WEIR__LINK_BY_TRACE || link->service_kind == WEIR__LINK_SHAPED;
    weir__token_bucket_init(&link->shaper, &config->shaper);
    weir__token_bucket_init(&link->policer, &config->policer);
    uint64_t stream = config->stream * STREAMS_PER_LINK;
    weir__random_init(&link->queue_random, config->seed, stream);
    weir__random_init(&link->path_random, config->seed, stream + 1);
    weir__random_init(&link->access_random, config->seed, stream + 3);
    struct weir__random loss_random;
    weir__random_init(&loss_random, config->seed, stream + 2);
    weir__link_loss_init(&link->loss, &config->loss, &loss_random, sim->now_ns);
    if (config->n_trace > 0) {
        weir__schedule_init(&link->schedule, nominal_rate_bps(config), NULL, 0, 0);
    } else {
        weir__schedule_init(&link->schedule, config->capacity_bps, config->steps, config->n_steps,
                            config->period_ns);
    }
    weir__capacity_trace_init(&link->trace, config->trace_ms, config->n_trace);
    weir__schedule_init(&link->delay, config->delay_ns, config->delay_steps, config->n_delay_steps,
                        config->delay_period_ns);
    enum weir_status status =
        weir__queue_init(&link->queue, &config->queue, nominal_rate_bps(config), config->delay_ns);
    note_plain(link);
    weir__timer_init(&link->service, sim, on_served, link);
    weir__delay_line_init_timer(&link->line, sim, link->foresees ? on_foreseen : on_propagated,
                                link);
    weir__delay_line_init_timer(&link->late_line, sim, on_late_propagated, link);
    return status == WEIR_OK && link->foresees ? weir__foresight_init(&link->foresight) : status;
}

/* Frees what the link allocated; packets belong to the pool. Accepts a zeroed link. */
void weir__link_finish(struct weir__link *link)
{
    weir__queue_finish(&link->queue);
    weir__foresight_finish(&link->foresight);
}

static inline int64_t send_time_ns(struct weir__link *link, int64_t size_bytes, int64_t rate_bps)
{
    struct weir__send_time *last = &link->send_times[(uint64_t)size_bytes % WEIR__SEND_TIMES];
    if (size_bytes != last->size_bytes || rate_bps != last->rate_bps) {
        *last = (struct weir__send_time){.rate_bps = rate_bps,
                                         .size_bytes = size_bytes,
                                         .time_ns = weir_send_time_ns(size_bytes, rate_bps)};
    }
    return last->time_ns;
}

/* Begins to send the next packet, if the link is free, not in an outage and has one. */
static void serve(struct weir__link *link)
{
    if (link->in_service) {
        return;
    }
    int64_t now_ns = link->sim->now_ns;
    int64_t rate_bps = weir__schedule_value(&link->schedule, now_ns);
    if (rate_bps <= 0) {
        link->channel = WEIR__CHANNEL_IDLE;
        weir__timer_set(&link->service, link->sim, link->schedule.next_change_ns);
        return;
    }
    if (!link->plain_service) {
        weir__link_serve_specially(link, now_ns, rate_bps);
        return;
    }
    link->in_service = weir__queue_pop(&link->queue, now_ns);
    if (link->in_service) {
        int64_t send_ns = send_time_ns(link, link->in_service->size_bytes, rate_bps);
        weir__timer_set(&link->service, link->sim, weir_time_add_ns(now_ns, send_ns));
    }
}

/* Counts a packet that enters, and drops it for the policer: false. */
static inline bool admit(struct weir__link *link, struct weir__packet *packet)
{
    weir__packet_count(&link->total.offered_packets, &link->total.offered_bytes,
                       packet->size_bytes);
    if (link->policed &&
        !weir__token_bucket_admits(&link->policer, link->sim->now_ns, packet->size_bytes)) {
        weir__link_discard(link, packet, WEIR__DROP_QUEUE);
        return false;
    }
    return true;
}

/* Whether there is a place in the queue, and memory for the packet's times. What has been sent is
 * counted only if the queue looks full. */
static inline bool has_place(struct weir__link *link)
{
    struct weir__foresight *foresight = &link->foresight;
    int64_t most_packets = link->queue.limit.packets;
    if (weir__foresight_packets(foresight) >= most_packets) {
        weir__foresight_catch_up(foresight, link->sim);
    }
    return weir__foresight_packets(foresight) < most_packets &&
           (weir__foresight_has_room(foresight) ||
            weir__foresight_make_room(foresight, link->sim, link->delay.delay_ns, &link->total));
}

/* Decides when a packet will have been sent that enters a link that foresees; WEIR_NEVER_NS: it was
 * dropped. */
static inline int64_t foresee(struct weir__link *link, struct weir__packet *packet)
{
    int64_t size_bytes = packet->size_bytes;
    if (!has_place(link)) {
        weir__link_discard(link, packet, WEIR__DROP_QUEUE);
        return WEIR_NEVER_NS;
    }
    return weir__foresight_add(&link->foresight, link->sim, size_bytes,
                               send_time_ns(link, size_bytes, link->schedule.rate_bps));
}

/* A packet enters a link that does not foresee. A service that ends now, and was armed no later
 * than the event that is handled, ends first, and its packet makes a place: foresight.h says why.
 */
static void queue(struct weir__link *link, struct weir__packet *packet)
{
    int64_t now_ns = link->sim->now_ns;
    if (link->in_service && link->service.time_ns == now_ns &&
        link->service.armed_ns <= link->sim->armed_ns) {
        weir__timer_set(&link->service, link->sim, WEIR_NEVER_NS);
        on_served(link);
    }
    int64_t rate_bps = weir__schedule_value(&link->schedule, now_ns);
    if (weir__queue_push(&link->queue, packet, now_ns, rate_bps, &link->queue_random)) {
        if (!link->plain_service) {
            weir__link_discard_dropped(link);
        }
        if (!link->in_service) {
            serve(link);
        }
    } else {
        weir__link_discard(link, packet, WEIR__DROP_QUEUE);
    }
}

/* A packet enters. */
void weir__link_offer(struct weir__link *link, struct weir__packet *packet)
{
    if (!admit(link, packet)) {
        return;
    }
    if (!link->foresees) {
        queue(link, packet);
        return;
    }
    int64_t sent_ns = foresee(link, packet);
    if (sent_ns != WEIR_NEVER_NS) {
        weir__delay_line_push_ahead(&link->line, packet, sent_ns, link->delay.delay_ns);
    }
}

/* A packet enters a link that foresees, and stays the caller's, who is told when it comes out: that
 * needs no event. WEIR_NEVER_NS: it was dropped. */
int64_t weir__link_pass(struct weir__link *link, struct weir__packet *packet)
{
    int64_t sent_ns = admit(link, packet) ? foresee(link, packet) : WEIR_NEVER_NS;
    return weir_time_add_ns(sent_ns, link->delay.delay_ns);
}

/* RFC 8868 2.3 as printed: a truncated normal distribution, folded to delays >= 0. */
static int64_t draw_normal_ns(struct weir__random *random, int64_t std_ns)
{
    double bound_ns = 3.0 * (double)std_ns;
    double z_ns = fabs(weir__random_normal(random) * (double)std_ns);
    return (int64_t)((z_ns < bound_ns ? z_ns : bound_ns) + 0.5);
}

static int64_t draw_delay_ns(struct weir__link *link)
{
    const struct weir__link_config *config = &link->config;
    struct weir__random *random = &link->path_random;
    int64_t delay_ns = weir__schedule_value(&link->delay, link->sim->now_ns);
    if (config->jitter_ns == 0) {
        return delay_ns;
    }
    return delay_ns + (config->jitter_model == WEIR__JITTER_RFC8868
                           ? draw_normal_ns(random, config->jitter_ns)
                           : weir__random_below(random, config->jitter_ns + 1));
}

/* A copy directly behind the packet; none when the pool is empty. */
static void duplicate(struct weir__link *link, struct weir__delay_line *line,
                      struct weir__packet *packet)
{
    struct weir__packet *copy = weir__packet_take(link->pool);
    if (copy) {
        weir__packet_copy(copy, packet);
        packet->duplicated = true;
        if (link->config.on_duplicate) {
            link->config.on_duplicate(link->config.drop_target, copy);
        }
        weir__packet_count(&link->total.duplicated_packets, &link->total.duplicated_bytes,
                           packet->size_bytes);
        weir__delay_line_push(line, copy, 0);
    }
}

static void rewrite_ecn(const struct weir__link_config *config, struct weir__packet *packet)
{
    switch (config->ecn) {
    case WEIR__LINK_ECN_BLEACHES:
        packet->ecn = WEIR_ECN_NOT_ECT;
        break;
    case WEIR__LINK_ECN_TO_ECT0:
        packet->ecn = packet->ecn == WEIR_ECN_ECT1 ? WEIR_ECN_ECT0 : packet->ecn;
        break;
    case WEIR__LINK_ECN_TO_ECT1:
        packet->ecn = packet->ecn == WEIR_ECN_ECT0 ? WEIR_ECN_ECT1 : packet->ecn;
        break;
    case WEIR__LINK_ECN_MARKS:
        packet->ecn = packet->ecn == WEIR_ECN_NOT_ECT ? WEIR_ECN_NOT_ECT : WEIR_ECN_CE;
        break;
    case WEIR__LINK_ECN_KEEPS:
    case WEIR__LINK_ECN_DROPS:
        break;
    }
}

/* The packet has left the sender's interface: what the wire does to it. */
static void propagate(struct weir__link *link, struct weir__packet *packet)
{
    const struct weir__link_config *config = &link->config;
    struct weir__random *random = &link->path_random;
    if (!link->unruly) {
        weir__delay_line_push(&link->line, packet, draw_delay_ns(link));
        return;
    }
    rewrite_ecn(config, packet);
    packet->corrupt = packet->corrupt || weir__random_chance(random, config->corrupt);
    bool late = weir__random_chance(random, config->reorder);
    struct weir__delay_line *line = late ? &link->late_line : &link->line;
    int64_t delay_ns = draw_delay_ns(link) + (late ? config->reorder_delay_ns : 0);
    weir__delay_line_push(line, packet, delay_ns);
    if (weir__random_chance(random, config->duplicate)) {
        duplicate(link, line, packet);
    }
}

static void leave(struct weir__link *link, struct weir__packet *packet)
{
    bool unwanted = link->config.ecn == WEIR__LINK_ECN_DROPS && packet->ecn != WEIR_ECN_NOT_ECT;
    if (unwanted || (link->lossy && weir__link_loss_takes(&link->loss, link->sim->now_ns))) {
        weir__link_discard(link, packet, WEIR__DROP_LOSS);
    } else {
        propagate(link, packet);
    }
}

/* Of a link that is not plain: `packet` and those behind it have been sent, or the channel is ours.
 */
static void on_served_specially(struct weir__link *link, struct weir__packet *packet)
{
    if (link->channel == WEIR__CHANNEL_AWAITED) {
        link->channel = WEIR__CHANNEL_OURS;
    }
    serve(link);
    while (packet) {
        struct weir__packet *next = packet->next;
        if (link->tells_late) {
            weir__link_tell_service(link, packet);
        }
        leave(link, packet);
        packet = next;
    }
}

/* The last bit of the packet has been sent, or an outage may be over. */
static void on_served(void *target)
{
    struct weir__link *link = target;
    struct weir__packet *packet = link->in_service;
    link->in_service = NULL;
    if (!link->plain_wire) {
        on_served_specially(link, packet);
        return;
    }
    serve(link);
    if (packet) {
        weir__delay_line_push(&link->line, packet, link->delay.delay_ns);
    }
}

static void deliver(struct weir__link *link, struct weir__packet *packet)
{
    weir__packet_count(&link->total.delivered_packets, &link->total.delivered_bytes,
                       packet->size_bytes);
    weir__port_send(&link->config.out, packet);
}

/* Of the packets behind, what the last calls asked for may be read. */
static void look_ahead(const struct weir__link *link)
{
    const struct weir__packet *next = link->line.list.head;
    if (next && next->next) {
        weir__prefetch(next->next->next, sizeof *next);
        link->config.on_approach(link->config.drop_target, next);
    }
}

static void on_propagated(void *target)
{
    struct weir__link *link = target;
    struct weir__packet *packet = weir__delay_line_pop(&link->line);
    if (link->config.on_approach) {
        look_ahead(link);
    }
    deliver(link, packet);
}

/* Of a link that foresees, which counts what it delivers when it is asked. */
static void on_foreseen(void *target)
{
    struct weir__link *link = target;
    struct weir__packet *packet = weir__delay_line_pop_ahead(&link->line, link->delay.delay_ns);
    if (link->config.on_approach) {
        look_ahead(link);
    }
    weir__port_send(&link->config.out, packet);
}

static void on_late_propagated(void *target)
{
    struct weir__link *link = target;
    deliver(link, weir__delay_line_pop(&link->late_line));
}

/* A constant rate from the next packet to start service on; replaces the schedule and the trace. */
void weir__link_set_capacity(struct weir__link *link, int64_t capacity_bps)
{
    assert(!link->config.fixed);
    if (link->service_kind == WEIR__LINK_BY_TRACE) {
        link->service_kind = WEIR__LINK_AT_RATE;
        link->tells_late = false;
        note_plain(link);
    }
    weir__schedule_init(&link->schedule, capacity_bps, NULL, 0, 0);
    serve(link);
}

/* For the packets that begin to propagate from now on; they do not overtake earlier ones. Replaces
 * the delay steps. */
void weir__link_set_delay(struct weir__link *link, int64_t delay_ns)
{
    assert(!link->config.fixed);
    weir__schedule_init(&link->delay, delay_ns, NULL, 0, 0);
    note_plain(link);
}

/* For the packets that begin to propagate from now on. */
void weir__link_set_jitter(struct weir__link *link, int64_t jitter_ns)
{
    assert(!link->config.fixed);
    link->config.jitter_ns = jitter_ns;
    note_plain(link);
}

/* Has passed weir__link_loss_check(). Continues the stream of random numbers of the model before.
 */
void weir__link_set_loss(struct weir__link *link, const struct weir__link_loss_config *loss)
{
    assert(!link->config.fixed);
    struct weir__random random = link->loss.random;
    link->config.loss = *loss;
    link->lossy = loss->model != WEIR__LOSS_NONE;
    weir__link_loss_init(&link->loss, loss, &random, link->sim->now_ns);
    note_plain(link);
}

/* The rate at the simulation's present time; of a trace the mean. */
int64_t weir__link_capacity_bps(const struct weir__link *link)
{
    if (link->sim->now_ns < link->schedule.next_change_ns) {
        return link->schedule.rate_bps;
    }
    struct weir__schedule copy = link->schedule;
    return weir__schedule_value(&copy, link->sim->now_ns);
}

/* What a packet that arrived now would wait, of a link that foresees. */
static int64_t foreseen_wait_ns(const struct weir__link *link)
{
    const struct weir__foresight *foresight = &link->foresight;
    int64_t queue_ns = weir_send_time_ns(weir__foresight_bytes(foresight), link->schedule.rate_bps);
    int64_t sent_ns = weir__foreseen_at(foresight, foresight->n_sent + 1)->sent_ns;
    return weir_time_add_ns(queue_ns, sent_ns - link->sim->now_ns);
}

/* The same of another. */
static int64_t wait_ns(const struct weir__link *link)
{
    int64_t rate_bps = weir__link_capacity_bps(link);
    bool busy = link->in_service || link->channel == WEIR__CHANNEL_AWAITED;
    int64_t serving_ns = busy ? link->service.time_ns - link->sim->now_ns : 0;
    int64_t queue_ns = link->service_kind == WEIR__LINK_AT_RATE || rate_bps <= 0
                           ? weir_send_time_ns(link->queue.bytes, rate_bps)
                           : weir__link_special_wait_ns(link, rate_bps);
    return weir_time_add_ns(queue_ns, serving_ns);
}

/* At the simulation's present time. */
struct weir__link_look weir__link_look(struct weir__link *link)
{
    if (!link->foresees) {
        return (struct weir__link_look){.packets = link->queue.packets, .wait_ns = wait_ns(link)};
    }
    if (weir__link_is_idle(link)) {
        return (struct weir__link_look){.packets = 0};
    }
    weir__foresight_catch_up(&link->foresight, link->sim);
    return (struct weir__link_look){.packets = weir__foresight_packets(&link->foresight),
                                    .wait_ns = foreseen_wait_ns(link)};
}

/* Up to date. */
const struct weir__packet_counters *weir__link_counters(struct weir__link *link)
{
    if (link->foresees) {
        weir__foresight_count_out(&link->foresight, link->sim, link->delay.delay_ns, &link->total);
    }
    return &link->total;
}

/* Nothing waits or is being sent. */
bool weir__link_is_idle(const struct weir__link *link)
{
    return link->foresees ? weir__foresight_free_ns(&link->foresight) <= link->sim->now_ns
                          : !link->in_service && link->queue.packets == 0;
}

/* Takes out one of the packets inside, NULL when there is none: for the end of the simulation, the
 * link must not be used afterwards. */
struct weir__packet *weir__link_take_inside(struct weir__link *link)
{
    struct weir__packet_list *lists[] = {&link->line.list, &link->late_line.list};
    struct weir__packet *packet = link->in_service;
    link->in_service = packet ? packet->next : NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && !packet; i++) {
        packet = weir__packet_list_pop(lists[i]);
    }
    return packet ? packet : weir__queue_take(&link->queue);
}
