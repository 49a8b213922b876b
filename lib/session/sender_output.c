/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the controller's rate to what the program may do: limits, caps, shares of media. */
#include <string.h>

#include "base/prefetch.h"
#include "session/prefetch.h"
#include "session/sender_internal.h"

/* How far the share of media may drift before the controller gets new limits, and how often. */
#define RATIO_TOLERANCE  0.02
#define LIMITS_PERIOD_NS WEIR_SECONDS(1)
/* Time in which the send queue shall drain, and the part of it that is normal: a frame on its way
 * through the pacer. An encoder is down in 0.1 s; with twice the time a frame waits 10 ms more in
 * the mean. With a normal queue of 33 ms, a frame of 30 a second, each large frame lowers the
 * target while it leaves, and live pipelines use 2 to 4 % less. */
#define DRAIN_NS        WEIR_MS(250)
#define QUEUE_NORMAL_NS WEIR_MS(50)
/* "Uses what it may": the produced rate over at least this long, RFC 5348 8.2.1 for encoders. */
#define PRODUCED_NS      WEIR_MS(500)
#define FORMAT_ACTIVE_NS WEIR_SECONDS(10)

/* Of a controller's state, which begins with what each packet needs: what a packet that leaves may
 * need, and what feedback may. Only the time depends on it. */
enum { PACKET_STATE_BYTES = 840, FEEDBACK_STATE_BYTES = 1024 };

static int64_t scaled(int64_t value, double factor)
{
    double result = (double)value * factor;
    return result >= (double)WEIR_MAX_BPS ? WEIR_MAX_BPS : (int64_t)(result + 0.5);
}

/* The limits in wire rates. Room for repair is a matter of the maximum alone, and for no more of it
 * than media: those who ask for retransmissions would otherwise raise what is sent whatever the
 * network carries. */
static struct weir_limits wire_limits(const struct weir_sender *sender)
{
    double payload = weir__packet_sizes_payload_ratio(&sender->sizes);
    double media = weir__packet_sizes_media_ratio(&sender->sizes);
    double most = 1.0 / (media < payload / 2.0 ? payload / 2.0 : media);
    return (struct weir_limits){
        .min_bps = weir_max_i64(scaled(sender->media_limits.min_bps, 1.0 / payload), 1),
        .max_bps = weir_max_i64(scaled(sender->media_limits.max_bps, most), 1),
        .start_bps = weir_max_i64(scaled(sender->media_limits.start_bps, 1.0 / payload), 1),
    };
}

void weir__sender_set_wire_limits(struct weir_sender *sender)
{
    sender->wire_limits = wire_limits(sender);
    sender->limits_ns = sender->now_ns;
}

static bool is_near(int64_t now_bps, int64_t before_bps)
{
    double drift = (double)now_bps / (double)weir_max_i64(before_bps, 1);
    return drift > 1.0 - RATIO_TOLERANCE && drift < 1.0 + RATIO_TOLERANCE;
}

/* Gives the controller the limits anew; without force only after a drift. */
void weir__sender_update_limits(struct weir_sender *sender, bool force)
{
    struct weir_limits limits = wire_limits(sender);
    bool small = is_near(limits.min_bps, sender->wire_limits.min_bps) &&
                 is_near(limits.max_bps, sender->wire_limits.max_bps);
    if (!force && (small || sender->now_ns - sender->limits_ns < LIMITS_PERIOD_NS)) {
        return;
    }
    weir__sender_set_wire_limits(sender);
    weir__trace_limits(&sender->tracer, sender->now_ns, &limits);
    weir__driver_set_limits(&sender->driver, &limits, sender->now_ns);
}

/* Whether what was sent in the last window_ns, and waiting_bytes more, come to 0.9 of what was
 * allowed. Silence counts: the first packet after it makes no rate. */
static bool uses_allowed_rate(const struct weir_sender *sender, int64_t window_ns,
                              int64_t waiting_bytes)
{
    struct weir__rate_span span = weir__rate_meter_span(&sender->sent, sender->now_ns, window_ns);
    int64_t since_start_ns = sender->now_ns - sender->first_sent_ns;
    int64_t duration_ns = weir_max_i64(span.duration_ns, weir_min_i64(window_ns, since_start_ns));
    int64_t rate_bps = weir_rate_bps(span.bytes + waiting_bytes, duration_ns);
    return (double)rate_bps >= 0.9 * (double)sender->output.allowed_wire_bps;
}

/* The produced rate is what the encoder makes of its target: at 0.9 of the allowed rate it is held
 * by the controller, not by its content (common rule for throttled encoders). A frame that the
 * pacer spreads is no such sign by itself: a sender may use one RTT of unused credit at once (RFC
 * 5348 8.3), so what waits counts when it and the last RTT together exceed that. */
bool weir__sender_is_network_limited(const struct weir_sender *sender)
{
    int64_t rtt_ns = weir__rtt_srtt_ns(&sender->rtt);
    bool waits = sender->queued_bytes > 0;
    if (waits &&
        (rtt_ns == WEIR_UNKNOWN_NS || uses_allowed_rate(sender, rtt_ns, sender->queued_bytes))) {
        return true;
    }
    return uses_allowed_rate(sender, weir_max_i64(rtt_ns, PRODUCED_NS), 0);
}

/* What the program, the guard and the receiver allow at the most, whatever the controller wants. */
static int64_t ceiling_bps(const struct weir_sender *sender, int64_t remb_bps)
{
    const struct weir_limits *limits = &sender->wire_limits;
    int64_t start_bps = weir_max_i64(limits->start_bps, sender->initial_bps);
    int64_t proved_bps =
        weir_min_i64(weir__guard_ceiling_bps(&sender->guard, sender->now_ns, start_bps),
                     weir__queue_check_ceiling_bps(&sender->queue_check, sender->now_ns));
    int64_t heard_bps = weir__silence_bound_bps(&sender->silence, sender->now_ns);
    int64_t most_bps = weir_min_i64(weir_min_i64(limits->max_bps, proved_bps), heard_bps);
    return weir_min_i64(most_bps, remb_bps);
}

int64_t weir__sender_wanted_bps(const struct weir_sender *sender, int64_t remb_bps)
{
    int64_t wanted_bps = weir_min_i64(sender->control.rate_bps, ceiling_bps(sender, remb_bps));
    return weir_max_i64(wanted_bps, sender->wire_limits.min_bps);
}

/* INT64_MAX: the circuit breaker is closed. */
static int64_t breaker_cap_bps(const struct weir_sender *sender)
{
    bool reduced = sender->config.circuit_breaker && sender->breaker.state == WEIR__BREAKER_REDUCED;
    return reduced ? weir__breaker_cap_bps(&sender->breaker) : INT64_MAX;
}

/* At the maximum the share is the one by which the maximum was converted: the sizes of packets
 * change all the time, and an encoder that may do its best is to be left alone. */
static int64_t media_of(const struct weir_sender *sender, int64_t wire_bps)
{
    double most_bps = (double)sender->wire_limits.max_bps;
    bool at_max = (double)wire_bps >= (1.0 - RATIO_TOLERANCE) * most_bps;
    return scaled(wire_bps, at_max ? (double)sender->media_limits.max_bps / most_bps
                                   : weir__packet_sizes_media_ratio(&sender->sizes));
}

/* So much that the encoder makes what is wanted. What the queue needs to drain in time is taken
 * from it, up to half its rate. */
static int64_t target_media_bps(struct weir_sender *sender, int64_t wire_bps)
{
    double correction = weir__encoder_yield_correction(&sender->yield);
    int64_t target_bps = scaled(media_of(sender, wire_bps), correction);
    double queue_bits = 8.0 * (double)sender->queued_bytes;
    double normal_bits = (double)wire_bps * ((double)QUEUE_NORMAL_NS / 1e9);
    double pushback_bps = (queue_bits - normal_bits) / ((double)DRAIN_NS / 1e9);
    if (pushback_bps > 0) {
        double half_bps = (double)target_bps / 2.0;
        target_bps -= (int64_t)(pushback_bps < half_bps ? pushback_bps : half_bps);
        sender->output.state |= WEIR_STATE_QUEUE_PUSHBACK;
    }
    return weir_clamp_i64(target_bps, sender->media_limits.min_bps, sender->media_limits.max_bps);
}

/* The queue that a burst may meet at the bottleneck: what the controller aims at; where packets
 * leave as ECT(1), at most the step above which an L4S queue marks all. 0: none in particular. */
static int64_t queue_target_ns(const struct weir_sender *sender)
{
    int64_t target_ns = sender->control.queue_target_ns;
    if (weir__ecn_path_next(&sender->ecn) != WEIR_ECN_ECT1) {
        return target_ns;
    }
    return target_ns > 0 ? weir_min_i64(target_ns, WEIR__L4S_STEP_NS) : WEIR__L4S_STEP_NS;
}

/* How far packets may leave before their even schedule: as far as the program or the controller
 * wants, but a burst waits at the bottleneck in the very queue that is to be short. */
static int64_t pacing_quantum_ns(const struct weir_sender *sender)
{
    const struct weir_control *control = &sender->control;
    int64_t quantum_ns = sender->config.pacing_quantum_ns;
    int64_t target_ns = queue_target_ns(sender);
    if (control->burst_bytes > 0) {
        int64_t burst_ns = weir_send_time_ns(control->burst_bytes, sender->output.pacing_wire_bps);
        quantum_ns = weir_max_i64(quantum_ns, burst_ns);
    }
    if (target_ns > 0) {
        quantum_ns = weir_min_i64(quantum_ns, target_ns / 2);
    }
    return weir_min_i64(quantum_ns, WEIR_PACING_QUANTUM_MAX_NS);
}

/* In proportion when the rate is held below what the controller asked for. */
static int64_t held(const struct weir_sender *sender, int64_t bps, int64_t allowed_bps)
{
    int64_t rate_bps = sender->control.rate_bps;
    return allowed_bps < rate_bps ? scaled(bps, (double)allowed_bps / (double)rate_bps) : bps;
}

static int64_t pacing_bps(const struct weir_sender *sender, int64_t allowed_bps)
{
    const struct weir_control *control = &sender->control;
    int64_t bps = control->pacing_bps > 0 ? control->pacing_bps : control->rate_bps;
    return weir_clamp_i64(held(sender, bps, allowed_bps), sender->wire_limits.min_bps,
                          WEIR_MAX_BPS);
}

/* The source makes what the pacer lets out, or less: the difference would pile up between them. A
 * pacer that is ahead of the allowed rate for a moment drains a queue, and gives no more to make;
 * for how long it is behind, and what that means for the source, the controller may know. What
 * bounds the rate bounds the source as well. */
static int64_t source_bps(const struct weir_sender *sender, int64_t allowed_bps)
{
    if (sender->control.source_bps <= 0) {
        return weir_min_i64(allowed_bps, sender->output.pacing_wire_bps);
    }
    int64_t most_bps = weir_min_i64(ceiling_bps(sender, sender->remb.bps), breaker_cap_bps(sender));
    return weir_min_i64(held(sender, sender->control.source_bps, allowed_bps), most_bps);
}

static uint32_t limit_states(const struct weir_sender *sender, int64_t allowed_bps)
{
    uint32_t state = 0;
    state |= allowed_bps <= sender->wire_limits.min_bps ? WEIR_STATE_AT_MIN : 0u;
    state |= allowed_bps >= sender->wire_limits.max_bps ? WEIR_STATE_AT_MAX : 0u;
    state |= sender->reports_only ? WEIR_STATE_REPORTS_ONLY : 0u;
    state |= sender->first_sent_ns != WEIR_UNKNOWN_NS && !sender->network_limited
                 ? WEIR_STATE_APP_LIMITED
                 : 0u;
    return state;
}

/* Bits of the controller's state that it may know of. */
#define CONTROLLER_STATES                                                                          \
    (WEIR_STATE_STARTING | WEIR_STATE_SLOW_START | WEIR_STATE_APP_LIMITED |                        \
     WEIR_STATE_NO_FEEDBACK | WEIR_STATE_REPORTS_ONLY)

static void set_rates(struct weir_sender *sender)
{
    struct weir_output *output = &sender->output;
    int64_t free_bps = weir__sender_wanted_bps(sender, INT64_MAX);
    int64_t allowed_bps =
        weir_max_i64(weir_min_i64(free_bps, sender->remb.bps), sender->wire_limits.min_bps);
    output->state |= allowed_bps < free_bps ? WEIR_STATE_REMB_CAPPED : 0u;
    int64_t cap_bps = breaker_cap_bps(sender);
    allowed_bps = weir_max_i64(weir_min_i64(allowed_bps, cap_bps), sender->wire_limits.min_bps);
    output->state |= cap_bps < INT64_MAX ? WEIR_STATE_BREAKER_REDUCED : 0u;
    bool is_silent = weir__silence_bound_bps(&sender->silence, sender->now_ns) < INT64_MAX;
    output->state |= is_silent ? WEIR_STATE_NO_FEEDBACK : 0u;
    weir__silence_bound_on_rate(&sender->silence, allowed_bps);
    output->state |= limit_states(sender, allowed_bps);
    output->allowed_wire_bps = allowed_bps;
    output->pacing_wire_bps = pacing_bps(sender, allowed_bps);
    output->target_media_bps = target_media_bps(sender, source_bps(sender, allowed_bps));
    output->target_wire_bps =
        scaled(output->target_media_bps, 1.0 / weir__packet_sizes_media_ratio(&sender->sizes));
    output->window_bytes = sender->control.window_bytes;
}

/* Packets then leave at the rate of the probe. Not while anything but the algorithm holds the rate
 * down: it would prove what nobody may use. */
static void set_probe(struct weir_sender *sender)
{
    struct weir_output *output = &sender->output;
    const struct weir_control *control = &sender->control;
    uint32_t held = WEIR_STATE_REMB_CAPPED | WEIR_STATE_BREAKER_REDUCED;
    if (control->probe_bytes > 0 && !(output->state & held)) {
        output->probe_wire_bytes = control->probe_bytes;
        output->probe_wire_bps = control->probe_bps;
        output->pacing_wire_bps = weir_max_i64(output->pacing_wire_bps, control->probe_bps);
    }
}

/* With nothing in flight one packet may always leave, or a window smaller than it would stop the
 * flow for ever. */
static bool is_blocked(const struct weir_sender *sender, int64_t in_flight_bytes,
                       uint32_t rtp_bytes)
{
    int64_t wire_bytes = (int64_t)rtp_bytes + sender->sizes.overhead_bytes;
    int64_t window_bytes = sender->output.window_bytes;
    bool full = in_flight_bytes > 0 && window_bytes != WEIR_UNLIMITED_BYTES &&
                in_flight_bytes + wire_bytes > window_bytes;
    return full || (sender->output.state & WEIR_STATE_BREAKER_CEASED);
}

/* What a pacer says, on a clock that shows now_ns: it may have gone back since the last event. */
static int64_t paced_ns(const struct weir_sender *sender, const struct weir__pacer *pacer,
                        int64_t now_ns)
{
    struct weir__steady steady = sender->steady;
    weir__steady_now_ns(&steady, sender->now_ns, now_ns);
    return sender->config.pacing ? weir__steady_clock_ns(&steady, weir__pacer_next_ns(pacer))
                                 : now_ns;
}

int64_t weir_sender_next_send_ns(const struct weir_sender *sender, int64_t now_ns,
                                 uint32_t rtp_bytes)
{
    if (is_blocked(sender, sender->history.in_flight_bytes, rtp_bytes)) {
        return WEIR_NEVER_NS;
    }
    return paced_ns(sender, &sender->pacer, now_ns);
}

/* In flight audio alone may fill the window, and video beside it as well: twice the window for a
 * moment, since video then waits until all of it is below one. */
int64_t weir_sender_next_audio_ns(const struct weir_sender *sender, int64_t now_ns,
                                  uint32_t rtp_bytes)
{
    if (is_blocked(sender, weir__history_audio_in_flight_bytes(&sender->history), rtp_bytes)) {
        return WEIR_NEVER_NS;
    }
    return paced_ns(sender, &sender->audio_pacer, now_ns);
}

static int64_t queueing_ns(const struct weir_sender *sender)
{
    int64_t one_way_ns = weir__queueing_ns(&sender->queueing, sender->now_ns);
    int64_t rtt_ns = weir__rtt_srtt_ns(&sender->rtt);
    if (one_way_ns != WEIR_UNKNOWN_NS || rtt_ns == WEIR_UNKNOWN_NS) {
        return one_way_ns;
    }
    return weir_max_i64(rtt_ns - weir__rtt_min_ns(&sender->rtt), 0);
}

/* The pacer's own wait, and the time that what is queued takes to leave. */
static int64_t send_queue_ns(const struct weir_sender *sender)
{
    uint32_t packet_bytes = (uint32_t)sender->sizes.wire_mean_bytes;
    int64_t now_ns = weir__steady_clock_ns(&sender->steady, sender->now_ns);
    int64_t next_ns = weir_sender_next_send_ns(sender, now_ns, packet_bytes);
    int64_t pacing_bps = sender->output.pacing_wire_bps;
    if (next_ns == WEIR_NEVER_NS) {
        return WEIR_UNKNOWN_NS;
    }
    int64_t drain_ns =
        sender->queued_bytes > 0 ? weir_send_time_ns(sender->queued_bytes, pacing_bps) : 0;
    return weir_time_add_ns(weir_max_i64(next_ns - now_ns, 0), drain_ns);
}

static enum weir_limited_by find_limit(const struct weir_sender *sender)
{
    const struct weir__limited_by_facts facts = {
        .now_ns = sender->now_ns,
        .output = &sender->output,
        .control = &sender->control,
        .breaker = &sender->breaker,
        .sent = &sender->sent,
        .wanted_bps = weir__sender_wanted_bps(sender, sender->remb.bps),
        .max_wire_bps = sender->wire_limits.max_bps,
        .feedback_interval_ns = sender->counts.feedback_interval_ns,
        .has_sent = sender->first_sent_ns != WEIR_UNKNOWN_NS,
        .is_awaiting = sender->history.in_flight_bytes > 0,
    };
    return weir__limited_by_find(&sender->limited_by, &facts);
}

/* Asks the controller and computes the output anew; call after every event. */
void weir__sender_refresh(struct weir_sender *sender)
{
    weir__remb_expire(&sender->remb, sender->now_ns);
    weir__driver_get_output(&sender->driver, &sender->control);
    weir__trace_control(&sender->tracer, sender->now_ns, &sender->control);
    sender->output = (struct weir_output){.state = sender->control.state & CONTROLLER_STATES,
                                          .rtt_ns = weir__rtt_srtt_ns(&sender->rtt)};
    if (sender->config.circuit_breaker && sender->breaker.state == WEIR__BREAKER_CEASED) {
        sender->output.state |= WEIR_STATE_BREAKER_CEASED;
    } else {
        set_rates(sender);
        set_probe(sender);
    }
    weir__limited_by_on_rate(&sender->limited_by, sender->now_ns, sender->control.rate_bps,
                             sender->output.rtt_ns);
    weir__limited_by_on_queue(&sender->limited_by, sender->now_ns, sender->driver.path.now.queue_ns,
                              sender->control.queue_target_ns);
    weir__members_split(&sender->members, sender->now_ns, sender->output.target_wire_bps);
    sender->output.limited_by = find_limit(sender);
    weir__pacer_set_rate(&sender->pacer, sender->now_ns, sender->output.pacing_wire_bps);
    sender->pacer.quantum_ns = pacing_quantum_ns(sender);
    weir__pacer_set_rate(&sender->audio_pacer, sender->now_ns, sender->output.pacing_wire_bps);
    if (weir__tracer_wants_figures(&sender->tracer, sender->now_ns)) {
        weir__trace_figures(&sender->tracer, sender->now_ns, sender->output.limited_by,
                            queueing_ns(sender), send_queue_ns(sender), &sender->driver);
    }
    weir__trace_output(&sender->tracer, sender->now_ns, &sender->output);
}

void weir_sender_get_output(const struct weir_sender *sender, struct weir_output *output)
{
    *output = sender->output;
}

enum weir_status weir_sender_get_share(const struct weir_sender *sender, uint32_t member,
                                       struct weir_share *share)
{
    if (!weir__members_has(&sender->members, member)) {
        return WEIR_ERROR_ARGUMENT;
    }
    weir__members_get_share(&sender->members, member, &sender->output, share);
    return WEIR_OK;
}

enum weir_ecn weir_sender_get_ecn(const struct weir_sender *sender)
{
    return weir__ecn_path_next(&sender->ecn);
}

enum weir_ecn_path weir_sender_get_ecn_path(const struct weir_sender *sender, uint64_t *packets_ce,
                                            uint64_t *packets_wrong)
{
    if (packets_ce) {
        *packets_ce = sender->ecn.packets_ce;
    }
    if (packets_wrong) {
        *packets_wrong = sender->ecn.packets_wrong;
    }
    return sender->ecn.state;
}

/* By the targets: those of members that lend are what they take back. */
int64_t weir_sender_get_proved_bps(const struct weir_sender *sender, uint32_t member)
{
    struct weir_share share;
    if (weir_sender_get_share(sender, member, &share) != WEIR_OK) {
        return 0;
    }
    int64_t all_bps = weir_max_i64(sender->output.target_media_bps, 1);
    double part = sender->members.n_members == 1
                      ? 1.0
                      : (double)weir_min_i64(share.target_media_bps, all_bps) / (double)all_bps;
    return scaled(weir__proved_rate_bps(&sender->proved),
                  weir__packet_sizes_media_ratio(&sender->sizes) * part);
}

static uint32_t disbelieved(const struct weir_sender *sender)
{
    uint32_t n = 0;
    for (int i = 0; i < WEIR__TRANSPORTS; i++) {
        n += weir__transport_numbers_is_disbelieved(&sender->transports[i].numbers, sender->now_ns);
    }
    return n;
}

static uint32_t active_formats(const struct weir_sender *sender)
{
    uint32_t formats = 0;
    for (unsigned i = 0; i < WEIR__FORMATS; i++) {
        int64_t seen_ns = sender->format_seen_ns[i];
        if (seen_ns != WEIR_UNKNOWN_NS && sender->now_ns - seen_ns < FORMAT_ACTIVE_NS) {
            formats |= 1u << i;
        }
    }
    return formats;
}

/* Silence, in which nothing is reported, does not age the losses. */
static void fill_voice(const struct weir_sender *sender, struct weir_sender_stats *stats)
{
    bool heard = stats->last_feedback_ns != WEIR_UNKNOWN_NS;
    int64_t lost_ppm =
        heard ? weir__recent_loss_ppm(&sender->recent_loss, stats->last_feedback_ns) : 0;
    struct weir__voice_score score =
        weir__voice_sender_score(&sender->voice, (double)lost_ppm / 1e6, stats->rtt_ns);
    stats->r_score = score.r_score;
    stats->mos = score.mos;
}

void weir_sender_get_stats(const struct weir_sender *sender, struct weir_sender_stats *stats)
{
    *stats = sender->counts;
    stats->packets_unknown = sender->history.unknown_packets;
    stats->in_flight_bytes = sender->history.in_flight_bytes;
    stats->rtt_ns = weir__rtt_srtt_ns(&sender->rtt);
    stats->rtt_min_ns = weir__rtt_min_ns(&sender->rtt);
    /* Whole bins only: a feedback that has just come does not make the last moment dense. */
    int64_t until_ns = sender->now_ns - sender->now_ns % WEIR__SENDER_RATE_BIN_NS - 1;
    stats->sent_wire_bps = weir__rate_meter_bps(&sender->sent, until_ns, WEIR_SECONDS(1));
    stats->delivered_wire_bps = weir__rate_meter_bps(&sender->delivered, until_ns, WEIR_SECONDS(1));
    stats->loss_ppm = weir__recent_loss_ppm(&sender->recent_loss, sender->now_ns);
    stats->loss_burst_milli = weir__loss_bursts_milli(&sender->loss_bursts);
    stats->active_formats = active_formats(sender);
    stats->disbelieved = disbelieved(sender);
    stats->remb_bps = sender->remb.bps;
    stats->age_ns = sender->now_ns - sender->created_ns;
    stats->queueing_ns = queueing_ns(sender);
    stats->send_queue_ns = send_queue_ns(sender);
    fill_voice(sender, stats);
    stats->last_feedback_ns = weir__steady_clock_ns(&sender->steady, stats->last_feedback_ns);
}

size_t weir_sender_get_variables(const struct weir_sender *sender, struct weir_variable *variables,
                                 size_t n)
{
    return variables ? weir__driver_get_variables(&sender->driver, variables, n) : 0;
}

const char *weir_sender_get_algorithm(const struct weir_sender *sender)
{
    return sender->driver.controller->name;
}

/* By feedback on packets. False: it has told too little lately. */
static bool tell_packets(const struct weir_sender *sender, const struct weir__reporter *reporter,
                         struct weir_reporter *told)
{
    const struct weir__steering *steering = &sender->transports[reporter->transport].steering;
    struct weir__reporter_figures figures;
    if (weir__pulse_is_silent(&reporter->path.pulse, sender->now_ns) ||
        !weir__reporter_path_get(&reporter->path, sender->now_ns, &figures)) {
        return false;
    }
    told->steers = steering->known && steering->steerer.ssrc == reporter->ssrc;
    told->loss_ppm = figures.loss_ppm;
    told->queueing_ns = figures.queueing_ns;
    return true;
}

/* By receiver reports: of several streams, and of several accounts, the most loss. */
static bool tell_reports(const struct weir_sender *sender, const struct weir__reporter *reporter,
                         struct weir_reporter *told)
{
    bool any = false;
    for (unsigned i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        const struct weir__accounts *accounts = &sender->accounts[i];
        for (unsigned k = 0; k < WEIR__ACCOUNTS; k++) {
            const struct weir__account *account = &accounts->entries[k];
            if (account->known && account->ssrc == reporter->ssrc &&
                account->transport == reporter->transport &&
                !weir__pulse_is_silent(&account->pulse, sender->now_ns)) {
                int64_t loss_ppm = account->loss_q16 * INT64_C(1000000) / 65536;
                told->steers |= k == accounts->steers;
                told->loss_ppm = weir_max_i64(told->loss_ppm, loss_ppm);
                any = true;
            }
        }
    }
    return any;
}

size_t weir_sender_get_reporters(const struct weir_sender *sender, struct weir_reporter *reporters,
                                 size_t n)
{
    size_t n_told = 0;
    for (int i = 0; i < WEIR__REPORTERS && n_told < n; i++) {
        const struct weir__reporter *reporter = &sender->reporters.entries[i];
        struct weir_reporter told = {.ssrc = reporter->ssrc,
                                     .transport = reporter->transport,
                                     .queueing_ns = WEIR_UNKNOWN_NS};
        bool tells = reporter->in_use && reporter->has_proved &&
                     (sender->reports_only ? tell_reports(sender, reporter, &told)
                                           : tell_packets(sender, reporter, &told));
        if (tells) {
            reporters[n_told++] = told;
        }
    }
    return n_told;
}

void weir__sender_prefetch(const struct weir_sender *sender)
{
    const struct weir__members *members = &sender->members;
    const struct weir__driver *driver = &sender->driver;
    weir__prefetch_between(sender, sender->sent.bytes);
    weir__prefetch_between(&sender->queue_check, sender->queue_check.floors);
    weir__prefetch_between(&sender->guard, &sender->guard.newest_sent_ns);
    weir__prefetch(&sender->counts.packets_sent, 3 * sizeof sender->counts.packets_sent);
    weir__prefetch_between(&sender->counts.last_feedback_ns, &sender->reports);
    weir__prefetch_between(&sender->reports, sender->reports.streams + 1);
    weir__prefetch_between(driver, &driver->probe.asked_bytes);
    weir__prefetch_between(&driver->path, driver->path.limited.runs);
    weir__prefetch_between(driver->state, driver->state + PACKET_STATE_BYTES);
    weir__prefetch(&sender->transports[0].numbers, sizeof sender->transports[0].numbers);
    weir__prefetch_between(members->shares.streams + WEIR_SHARES_MAX - 1, members->places + 1);
    weir__history_prefetch(&sender->history);
}

void weir__sender_prefetch_feedback(const struct weir_sender *sender)
{
    const struct weir__driver *driver = &sender->driver;
    const struct weir__reporter *reporter = sender->reporters.entries;
    weir__sender_prefetch(sender);
    weir__prefetch_between(&sender->queue_check, sender->queue_check.clear_bps);
    weir__prefetch_between(&sender->guard.newest_sent_ns, sender->guard.proved.bytes);
    weir__prefetch_between(&sender->packet_feedback_ns, sender->recent_loss.seconds + 1);
    weir__prefetch_between(&sender->loss_bursts, sender->delivered.bytes);
    weir__prefetch_between(&driver->path.limited, &driver->path.delivery);
    weir__prefetch_between(sender->transports, sender->transports + 1);
    weir__prefetch_between(reporter, reporter + 1);
    weir__prefetch_between(driver->state + PACKET_STATE_BYTES,
                           driver->state + FEEDBACK_STATE_BYTES);
}
