/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending session: creation, settings, packets that leave, timers. */
#include "weir/sender.h"

#include <stdlib.h>
#include <string.h>

#include "session/sender_internal.h"

#define MAX_OVERHEAD_BYTES 1024u
/* A timer missed by more than this: the machine slept, or the clock jumped. */
#define JUMP_NS WEIR_SECONDS(10)
/* Deadlines of packets that nobody reports are put together, so that silence does not cost a
 * wake-up per packet. */
#define EXPIRY_STEP_NS WEIR_MS(100)
/* More than any send queue holds, and a number that can be summed. */
#define MAX_WAIT_NS WEIR_SECONDS(600)

enum { MAX_TIMER_RUNS = 8 };

void weir_sender_config_init(struct weir_sender_config *config)
{
    *config = (struct weir_sender_config){
        .size = sizeof(*config),
        .algorithm = "sluice",
        .limits = {.min_bps = WEIR_KBPS(30), .max_bps = WEIR_MBPS(10), .start_bps = WEIR_KBPS(300)},
        .overhead_bytes = 28,
        .packet_bytes = 1200,
        .feedback_formats = WEIR_FEEDBACK_ALL,
        .pacing = true,
        .circuit_breaker = true,
        .reorder_packets = WEIR_REORDER_PACKETS_MAX,
    };
}

static bool is_quantum_valid(int64_t quantum_ns)
{
    return quantum_ns >= 0 && quantum_ns <= WEIR_PACING_QUANTUM_MAX_NS;
}

static bool is_config_valid(const struct weir_sender_config *config)
{
    return config && config->size == sizeof(*config) && config->algorithm &&
           (config->params || config->n_params == 0) &&
           config->overhead_bytes <= MAX_OVERHEAD_BYTES && config->packet_bytes >= 1 &&
           config->packet_bytes <= UINT16_MAX && config->feedback_formats <= WEIR_FEEDBACK_ALL &&
           config->receivers <= WEIR_RECEIVERS_FIRST &&
           is_quantum_valid(config->pacing_quantum_ns) && config->reorder_packets >= 1 &&
           config->reorder_packets <= WEIR_REORDER_PACKETS_MAX;
}

/* Starts a controller whose parameters were checked. rtt_ns, start_bps: known from a predecessor;
 * WEIR_UNKNOWN_NS, 0. */
static void start_controller(struct weir_sender *sender, const struct weir_controller *controller,
                             int64_t rtt_ns, int64_t start_bps)
{
    struct weir_config config = {
        .params = sender->params,
        .limits = sender->wire_limits,
        .packet_bytes = weir_max_i64((int64_t)sender->sizes.wire_mean_bytes, 1),
        .seed = sender->config.seed,
    };
    if (start_bps > 0) {
        config.limits.start_bps =
            weir_clamp_i64(start_bps, config.limits.min_bps, config.limits.max_bps);
    }
    weir__trace_start(&sender->tracer, sender->now_ns, controller, &config, rtt_ns);
    weir__driver_start(&sender->driver, controller, &config, rtt_ns, sender->now_ns);
    weir__driver_get_output(&sender->driver, &sender->control);
    sender->initial_bps = sender->control.rate_bps;
}

static void set_pacing(struct weir_sender *sender, bool pacing)
{
    sender->config.pacing = pacing;
    weir__pacer_set_off(&sender->pacer, sender->now_ns, !pacing);
    weir__pacer_set_off(&sender->audio_pacer, sender->now_ns, !pacing);
}

/* Nothing is known yet of the clocks, formats and numbers of a transport. */
static void start_transport(struct weir_sender *sender, int transport)
{
    struct weir__sender_transport *state = &sender->transports[transport];
    memset(state, 0, sizeof(*state));
    weir__unheld_rtt_init(&state->unheld_rtt);
    weir__transport_numbers_init(&state->numbers, sender->config.seed + (uint64_t)transport);
    sender->members.transport_is_new[transport] = false;
}

static void init_parts(struct weir_sender *sender, const struct weir_sender_config *config)
{
    weir__loss_detection_init(&sender->loss, (uint32_t)config->reorder_packets);
    weir__limited_by_init(&sender->limited_by);
    weir__rtt_init(&sender->rtt, 0);
    for (int i = 0; i < WEIR__TRANSPORTS; i++) {
        start_transport(sender, i);
    }
    weir__rate_meter_init(&sender->sent, WEIR__SENDER_RATE_BIN_NS);
    weir__rate_meter_init(&sender->delivered, WEIR__SENDER_RATE_BIN_NS);
    weir__guard_init(&sender->guard);
    weir__proved_rate_init(&sender->proved);
    weir__queue_check_init(&sender->queue_check);
    weir__silence_bound_init(&sender->silence);
    weir__breaker_init(&sender->breaker);
    weir__sender_reports_init(&sender->reports, config->cname, config->seed);
    weir__pacer_init(&sender->pacer, sender->now_ns, sender->wire_limits.start_bps);
    weir__pacer_init(&sender->audio_pacer, sender->now_ns, sender->wire_limits.start_bps);
    set_pacing(sender, config->pacing);
}

static void init_values(struct weir_sender *sender, const struct weir_sender_config *config)
{
    sender->config = *config;
    sender->config.algorithm = NULL; /* the caller's memory need not live on */
    sender->config.params = NULL;
    sender->config.cname = NULL;
    weir__tracer_init(&sender->tracer);
    weir_sender_set_trace(sender, config->on_trace, config->trace_user);
    weir__packet_sizes_init(&sender->sizes, config->packet_bytes, config->overhead_bytes);
    sender->first_sent_ns = WEIR_UNKNOWN_NS;
    sender->packet_feedback_ns = WEIR_UNKNOWN_NS;
    sender->least_delay_ns = WEIR_UNKNOWN_NS;
    weir__remb_init(&sender->remb);
    sender->network_limited = true;
    sender->counts.last_feedback_ns = WEIR_UNKNOWN_NS;
    sender->counts.feedback_interval_ns = WEIR_UNKNOWN_NS;
    for (int i = 0; i < WEIR__FORMATS; i++) {
        sender->format_seen_ns[i] = WEIR_UNKNOWN_NS;
    }
    weir__recent_loss_init(&sender->recent_loss);
}

static struct weir_sender *fail(enum weir_status *status, enum weir_status why)
{
    if (status) {
        *status = why;
    }
    return NULL;
}

/* The memory, with the first member. */
static enum weir_status session_create(const struct weir_sender_config *config, int64_t now_ns,
                                       struct weir_sender **created)
{
    uint32_t first;
    const struct weir_member member = {
        .limits = config->limits, .weight = 1, .overhead_bytes = config->overhead_bytes};
    struct weir_sender *sender = calloc(1, sizeof(*sender));
    enum weir_status status = sender ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
    if (status == WEIR_OK) {
        weir__shares_init(&sender->members.shares);
        status = weir__members_add(&sender->members, now_ns, &member, &first);
    }
    if (status != WEIR_OK) {
        weir_sender_destroy(sender);
        return status;
    }
    sender->media_limits = config->limits;
    *created = sender;
    return WEIR_OK;
}

struct weir_sender *weir_sender_create(const struct weir_sender_config *config, int64_t now_ns,
                                       enum weir_status *status)
{
    double params[WEIR_MAX_PARAMS] = {0};
    struct weir_sender *sender = NULL;
    if (!is_config_valid(config)) {
        return fail(status, WEIR_ERROR_ARGUMENT);
    }
    const struct weir_controller *controller = weir__controller_find(config->algorithm);
    if (!controller) {
        return fail(status, WEIR_ERROR_UNKNOWN_ALGORITHM);
    }
    enum weir_status done =
        weir__params_resolve(controller, config->params, config->n_params, params, NULL);
    if (done == WEIR_OK) {
        done = session_create(config, now_ns, &sender);
    }
    if (done != WEIR_OK) {
        return fail(status, done);
    }
    sender->now_ns = now_ns;
    sender->created_ns = now_ns;
    memcpy(sender->params, params, sizeof(params));
    init_values(sender, config);
    init_parts(sender, config);
    weir__sender_set_wire_limits(sender);
    weir__driver_init(&sender->driver, (int64_t)sender->sizes.wire_mean_bytes);
    start_controller(sender, controller, WEIR_UNKNOWN_NS, 0);
    weir__sender_refresh(sender);
    if (status) {
        *status = WEIR_OK;
    }
    return sender;
}

void weir_sender_destroy(struct weir_sender *sender)
{
    free(sender);
}

static int64_t next_expiry_ns(const struct weir_sender *sender)
{
    int64_t at_ns = weir__history_next_expiry_ns(&sender->history, weir__sender_max_age_ns(sender));
    if (at_ns == WEIR_NEVER_NS) {
        return at_ns;
    }
    int64_t into_step_ns = at_ns % EXPIRY_STEP_NS;
    return weir_time_add_ns(at_ns - into_step_ns, EXPIRY_STEP_NS);
}

/* On the session's scale. */
static int64_t next_timer_ns(const struct weir_sender *sender)
{
    int64_t next_ns = weir__driver_next_timer_ns(&sender->driver);
    next_ns = weir_min_i64(next_ns, next_expiry_ns(sender));
    next_ns = weir_min_i64(next_ns, weir__loss_next_timeout_ns(&sender->loss, &sender->history,
                                                               weir__sender_rto_ns(sender)));
    next_ns = weir_min_i64(next_ns, weir__silence_bound_next_ns(&sender->silence, sender->now_ns));
    if (sender->config.circuit_breaker) {
        next_ns = weir_min_i64(next_ns, weir__breaker_next_timer_ns(&sender->breaker));
    }
    next_ns = weir_min_i64(next_ns, weir__remb_end_ns(&sender->remb));
    return weir_min_i64(next_ns, weir__members_next_timer_ns(&sender->members));
}

int64_t weir_sender_next_timer_ns(const struct weir_sender *sender)
{
    return weir__steady_clock_ns(&sender->steady, next_timer_ns(sender));
}

static void new_path(struct weir_sender *sender)
{
    weir__queueing_restart(&sender->queueing);
    weir__proved_rate_init(&sender->proved);
    weir__trace_path(&sender->tracer, sender->now_ns);
    weir__driver_on_path_change(&sender->driver, sender->now_ns);
}

/* The path is new: nothing that was in flight will be reported. */
static void jump(struct weir_sender *sender)
{
    sender->counts.clock_jumps++;
    sender->breaker.unanswered_ns = WEIR_NEVER_NS;
    weir__silence_bound_init(&sender->silence);
    weir__history_expire(&sender->history, sender->now_ns, 0);
    weir__ecn_path_start(&sender->ecn, sender->ecn.wish); /* RFC 9000 13.4.2: on each new path */
    new_path(sender);
}

/* No higher than it was: whoever makes a lie known gains nothing by it. */
void weir__sender_start_anew(struct weir_sender *sender)
{
    int64_t start_bps =
        weir_min_i64(sender->wire_limits.start_bps, sender->output.allowed_wire_bps);
    weir__rtt_init(&sender->rtt, 0);
    weir__sender_forget_proof(sender);
    weir__queue_check_init(&sender->queue_check);
    new_path(sender);
    start_controller(sender, sender->driver.controller, WEIR_UNKNOWN_NS, start_bps);
}

/* The session's time: a step back is no time passing; a timer missed by more than JUMP_NS is a
 * jump. Silence without a deadline is neither. */
int64_t weir__sender_advance(struct weir_sender *sender, int64_t now_ns)
{
    bool stepped_back = now_ns < weir__steady_clock_ns(&sender->steady, sender->now_ns);
    sender->counts.clock_steps_back += stepped_back;
    now_ns = weir__steady_now_ns(&sender->steady, sender->now_ns, now_ns);
    bool jumped = false;
    if (now_ns - sender->now_ns > JUMP_NS) {
        int64_t due_ns = weir_max_i64(next_timer_ns(sender), sender->now_ns);
        jumped = due_ns < now_ns - JUMP_NS;
    }
    sender->now_ns = now_ns;
    if (jumped) {
        jump(sender);
    }
    return now_ns;
}

/* controller: NULL when there is none of that name. */
static enum weir_status replace_controller(struct weir_sender *sender, int64_t now_ns,
                                           const struct weir_controller *controller,
                                           const struct weir_param_value *params, size_t n_params)
{
    if (!params && n_params > 0) {
        return WEIR_ERROR_ARGUMENT;
    }
    enum weir_status status =
        controller ? weir__params_resolve(controller, params, n_params, sender->params, NULL)
                   : WEIR_ERROR_UNKNOWN_ALGORITHM;
    if (status != WEIR_OK) {
        return status;
    }
    weir__sender_advance(sender, now_ns);
    bool started = sender->first_sent_ns != WEIR_UNKNOWN_NS;
    start_controller(sender, controller, weir__rtt_srtt_ns(&sender->rtt),
                     started ? sender->output.allowed_wire_bps : 0);
    weir__sender_refresh(sender);
    return WEIR_OK;
}

enum weir_status weir_sender_set_algorithm(struct weir_sender *sender, int64_t now_ns,
                                           const char *algorithm,
                                           const struct weir_param_value *params, size_t n_params)
{
    return algorithm ? replace_controller(sender, now_ns, weir__controller_find(algorithm), params,
                                          n_params)
                     : WEIR_ERROR_ARGUMENT;
}

enum weir_status weir_sender_set_params(struct weir_sender *sender, int64_t now_ns,
                                        const struct weir_param_value *params, size_t n_params)
{
    return replace_controller(sender, now_ns, sender->driver.controller, params, n_params);
}

/* What has changed with the members. The means move at once by what each packet will now cost. */
static void follow_members(struct weir_sender *sender)
{
    uint32_t overhead_bytes = weir__members_overhead_bytes(&sender->members);
    struct weir_limits limits = weir__members_limits(&sender->members);
    bool same = overhead_bytes == sender->sizes.overhead_bytes &&
                memcmp(&limits, &sender->media_limits, sizeof(limits)) == 0;
    for (int i = 0; i < WEIR__TRANSPORTS; i++) {
        if (sender->members.transport_is_new[i]) {
            start_transport(sender, i);
        }
    }
    weir__packet_sizes_set_overhead(&sender->sizes, overhead_bytes);
    sender->media_limits = limits;
    if (!same) {
        weir__sender_update_limits(sender, true);
    }
    weir__sender_refresh(sender);
}

static bool is_member_valid(const struct weir_member *member)
{
    return member && member->overhead_bytes <= MAX_OVERHEAD_BYTES;
}

enum weir_status weir_sender_add_member(struct weir_sender *sender, int64_t now_ns,
                                        const struct weir_member *config, uint32_t *member)
{
    if (!is_member_valid(config) || !member) {
        return WEIR_ERROR_ARGUMENT;
    }
    weir__sender_advance(sender, now_ns);
    enum weir_status status = weir__members_add(&sender->members, sender->now_ns, config, member);
    if (status != WEIR_OK) {
        return status;
    }
    follow_members(sender);
    if (sender->first_sent_ns == WEIR_UNKNOWN_NS) {
        start_controller(sender, sender->driver.controller, WEIR_UNKNOWN_NS, 0);
        weir__sender_refresh(sender);
    }
    return WEIR_OK;
}

enum weir_status weir_sender_set_member(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                                        const struct weir_member *config)
{
    if (!is_member_valid(config)) {
        return WEIR_ERROR_ARGUMENT;
    }
    weir__sender_advance(sender, now_ns);
    enum weir_status status = weir__members_set(&sender->members, member, config);
    if (status == WEIR_OK) {
        follow_members(sender);
    }
    return status;
}

enum weir_status weir_sender_remove_member(struct weir_sender *sender, int64_t now_ns,
                                           uint32_t member)
{
    weir__sender_advance(sender, now_ns);
    enum weir_status status = weir__members_remove(&sender->members, member);
    if (status == WEIR_OK) {
        weir__sender_reports_forget_member(&sender->reports, member);
        sender->queued_bytes = weir__members_queued_bytes(&sender->members);
        weir__pacer_on_queue(&sender->pacer, sender->now_ns, sender->queued_bytes > 0);
        weir__guard_on_queue(&sender->guard, sender->now_ns, sender->queued_bytes > 0);
        follow_members(sender);
    }
    return status;
}

enum weir_status weir_sender_get_member(const struct weir_sender *sender, uint32_t member,
                                        struct weir_member *config)
{
    if (!weir__members_has(&sender->members, member)) {
        return WEIR_ERROR_ARGUMENT;
    }
    *config = sender->members.places[member].config;
    return WEIR_OK;
}

void weir_sender_on_media(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                          uint32_t payload_bytes, uint32_t wire_bytes)
{
    if (weir__members_has(&sender->members, member)) {
        weir__sender_advance(sender, now_ns);
        weir__encoder_yield_on_media(&sender->yield, sender->now_ns, payload_bytes,
                                     sender->output.target_media_bps);
        weir__members_on_media(&sender->members, sender->now_ns, member, payload_bytes, wire_bytes);
        weir__members_split(&sender->members, sender->now_ns, sender->output.target_wire_bps);
    }
}

void weir_sender_set_pacing(struct weir_sender *sender, int64_t now_ns, bool pacing)
{
    weir__sender_advance(sender, now_ns);
    set_pacing(sender, pacing);
}

enum weir_status weir_sender_set_pacing_quantum(struct weir_sender *sender, int64_t now_ns,
                                                int64_t quantum_ns)
{
    if (!is_quantum_valid(quantum_ns)) {
        return WEIR_ERROR_RANGE;
    }
    weir__sender_advance(sender, now_ns);
    sender->config.pacing_quantum_ns = quantum_ns;
    weir__sender_refresh(sender);
    return WEIR_OK;
}

enum weir_status weir_sender_set_receivers(struct weir_sender *sender, int64_t now_ns,
                                           enum weir_receivers receivers)
{
    weir__sender_advance(sender, now_ns);
    if (receivers > WEIR_RECEIVERS_FIRST) {
        return WEIR_ERROR_RANGE;
    }
    sender->config.receivers = receivers;
    return WEIR_OK;
}

enum weir_status weir_sender_set_ecn(struct weir_sender *sender, int64_t now_ns, enum weir_ecn ecn)
{
    weir__sender_advance(sender, now_ns);
    if (ecn > WEIR_ECN_ECT0) {
        return WEIR_ERROR_ARGUMENT;
    }
    weir__ecn_path_start(&sender->ecn, ecn);
    weir__sender_refresh(sender);
    return WEIR_OK;
}

void weir_sender_set_feedback_formats(struct weir_sender *sender, int64_t now_ns, uint32_t formats)
{
    weir__sender_advance(sender, now_ns);
    sender->config.feedback_formats = formats & WEIR_FEEDBACK_ALL;
    for (int i = 0; i < WEIR__TRANSPORTS; i++) {
        sender->transports[i].steering.known = false;
    }
    if (!(sender->config.feedback_formats & WEIR_FEEDBACK_REMB)) {
        weir__remb_init(&sender->remb);
    }
    weir__sender_refresh(sender);
}

void weir_sender_set_trace(struct weir_sender *sender,
                           void (*on_trace)(void *user, const struct weir_trace_record *record),
                           void *user)
{
    sender->tracer.on_trace = on_trace;
    sender->tracer.user = user;
}

enum weir_status weir_sender_set_clock_rate(struct weir_sender *sender, uint32_t member,
                                            uint32_t ssrc, uint32_t hz)
{
    return weir__members_has(&sender->members, member)
               ? weir__sender_reports_set_clock_rate(&sender->reports, member, ssrc, hz)
               : WEIR_ERROR_ARGUMENT;
}

bool weir_sender_find_stream(const struct weir_sender *sender, uint32_t ssrc, uint32_t *member)
{
    *member = weir__sender_reports_member(&sender->reports, ssrc);
    return *member != WEIR__NO_MEMBER;
}

static void tell_controller(struct weir_sender *sender, int64_t seq, int64_t wire_bytes)
{
    struct weir_sent_packet packet = {
        .seq = seq,
        .sent_ns = sender->now_ns,
        .wire_bytes = wire_bytes,
        .in_flight_bytes = sender->history.in_flight_bytes,
        .network_limited = sender->network_limited,
    };
    weir__trace_sent(&sender->tracer, sender->now_ns, &packet);
    weir__driver_on_sent(&sender->driver, &packet);
}

static int64_t add_to_history(struct weir_sender *sender, const struct weir_sent *sent,
                              int64_t wire_bytes, uint32_t payload_bytes)
{
    struct weir__history_packet packet = {
        .sent_ns = sender->now_ns,
        .ssrc = sent->ssrc,
        .wire_bytes = (uint32_t)wire_bytes,
        .header_bytes = sent->rtp_bytes - payload_bytes,
        .rtp_seq = sent->rtp_seq,
        .transport_seq = sent->transport_seq,
        .has_transport_seq = sent->has_transport_seq &&
                             weir__members_counts_transport(&sender->members, sent->member),
        .is_audio = sent->flags & WEIR_SENT_AUDIO,
        .transport = sender->members.places[sent->member].transport,
    };
    weir__transport_numbers_on_sent(&sender->transports[packet.transport].numbers,
                                    packet.has_transport_seq, packet.transport_seq);
    weir__history_expire(&sender->history, sender->now_ns, weir__sender_max_age_ns(sender));
    return weir__history_on_sent(&sender->history, &packet);
}

/* The payload of a repair packet is nothing that the encoder makes. */
static void count_sent(struct weir_sender *sender, int64_t wire_bytes, uint32_t payload_bytes,
                       uint32_t flags)
{
    bool is_repair = flags & (WEIR_SENT_REPAIR | WEIR_SENT_PROBE);
    sender->counts.packets_sent++;
    sender->counts.bytes_sent_wire += (uint64_t)wire_bytes;
    sender->counts.bytes_sent_media += is_repair ? 0 : payload_bytes;
    weir__rate_meter_add(&sender->sent, sender->now_ns, wire_bytes);
    if (sender->first_sent_ns == WEIR_UNKNOWN_NS) {
        sender->first_sent_ns = sender->now_ns;
        sender->last_sent_ns = sender->now_ns;
    }
    sender->silent_ns = weir__sender_silence_ns(sender);
    sender->last_sent_ns = sender->now_ns;
}

/* Audio is charged to both pacers, and has waited for its own alone. */
static void pace(struct weir_sender *sender, int64_t wire_bytes, bool is_audio)
{
    bool backlogged = sender->queued_bytes > 0;
    if (is_audio) {
        weir__pacer_on_sent(&sender->audio_pacer, sender->now_ns, wire_bytes, backlogged);
        weir__pacer_on_ahead(&sender->pacer, sender->now_ns, wire_bytes);
    } else {
        weir__pacer_on_sent(&sender->pacer, sender->now_ns, wire_bytes, backlogged);
    }
}

enum weir_status weir_sender_on_sent(struct weir_sender *sender, int64_t now_ns,
                                     const struct weir_sent *sent)
{
    if (!sent || sent->rtp_bytes == 0 || sent->rtp_bytes > UINT16_MAX * 16u ||
        !weir__members_has(&sender->members, sent->member)) {
        return WEIR_ERROR_ARGUMENT;
    }
    now_ns = weir__sender_advance(sender, now_ns);
    int64_t wire_bytes = (int64_t)sent->rtp_bytes + sender->sizes.overhead_bytes;
    uint32_t payload_bytes =
        sent->payload_bytes < sent->rtp_bytes ? sent->payload_bytes : sent->rtp_bytes;
    int64_t seq = add_to_history(sender, sent, wire_bytes, payload_bytes);
    weir__ecn_path_on_sent(&sender->ecn, now_ns, seq, (enum weir_ecn)(sent->ecn & WEIR_ECN_CE));
    bool is_audio = sent->flags & WEIR_SENT_AUDIO;
    bool is_first = sender->first_sent_ns == WEIR_UNKNOWN_NS;
    int64_t pause_ns = is_first ? WEIR_UNKNOWN_NS : now_ns - sender->last_sent_ns;
    bool started = weir__packet_sizes_on_sent(&sender->sizes, wire_bytes, payload_bytes,
                                              sent->flags, pause_ns);
    count_sent(sender, wire_bytes, payload_bytes, sent->flags);
    sender->queued_bytes =
        weir__members_set_queued(&sender->members, sent->member, sent->queued_bytes);
    sender->network_limited = weir__sender_is_network_limited(sender);
    pace(sender, wire_bytes, is_audio);
    if (is_audio) {
        weir__voice_on_sent(&sender->voice, now_ns, sent->ssrc, sent->rtp_seq,
                            weir_clamp_i64(sent->waited_ns, 0, MAX_WAIT_NS));
    }
    weir__sender_reports_on_packet(&sender->reports, now_ns, sent->member, sent->ssrc,
                                   sent->rtp_timestamp, payload_bytes);
    weir__silence_bound_on_sent(&sender->silence, now_ns);
    weir__guard_on_sent(&sender->guard, now_ns);
    weir__guard_on_queue(&sender->guard, now_ns, sender->queued_bytes > 0);
    if (sender->config.circuit_breaker) {
        weir__breaker_on_sent(&sender->breaker, now_ns, sent->rtp_timestamp);
    }
    weir__sender_update_limits(sender, started);
    tell_controller(sender, seq, wire_bytes);
    weir__sender_refresh(sender);
    return WEIR_OK;
}

uint16_t weir_sender_take_transport_seq(struct weir_sender *sender, uint32_t member)
{
    if (!weir__members_has(&sender->members, member)) {
        return 0;
    }
    uint32_t transport = sender->members.places[member].transport;
    return weir__transport_numbers_take(&sender->transports[transport].numbers);
}

void weir_sender_on_transport_seq(struct weir_sender *sender, uint32_t ssrc, uint16_t rtp_seq,
                                  uint16_t transport_seq)
{
    int64_t seq = weir__history_find_rtp(&sender->history, ssrc, rtp_seq);
    const struct weir__sent_record *record = weir__history_peek(&sender->history, seq);
    if (record && weir__transport_counts(weir__history_transport(record))) {
        weir__history_set_transport(&sender->history, seq, transport_seq);
    }
}

void weir_sender_on_queue(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                          int64_t queued_bytes)
{
    if (!weir__members_has(&sender->members, member)) {
        return;
    }
    now_ns = weir__sender_advance(sender, now_ns);
    sender->queued_bytes = weir__members_set_queued(&sender->members, member, queued_bytes);
    weir__pacer_on_queue(&sender->pacer, now_ns, sender->queued_bytes > 0);
    weir__guard_on_queue(&sender->guard, now_ns, sender->queued_bytes > 0);
    weir__sender_refresh(sender);
}

/* A controller that asks for the same moment again and again is left to the next call. */
static void run_controller_timers(struct weir_sender *sender)
{
    for (int i = 0;
         i < MAX_TIMER_RUNS && weir__driver_next_timer_ns(&sender->driver) <= sender->now_ns; i++) {
        weir__trace_timer(&sender->tracer, sender->now_ns);
        weir__driver_on_timer(&sender->driver, sender->now_ns);
    }
}

void weir_sender_on_timer(struct weir_sender *sender, int64_t now_ns)
{
    now_ns = weir__sender_advance(sender, now_ns);
    if (now_ns >=
        weir__loss_next_timeout_ns(&sender->loss, &sender->history, weir__sender_rto_ns(sender))) {
        struct weir__batch batch;
        weir__batch_init(&batch, sender, NULL);
        weir__batch_finish_timeouts(&batch);
    }
    weir__history_expire(&sender->history, now_ns, weir__sender_max_age_ns(sender));
    if (sender->config.circuit_breaker) {
        weir__breaker_on_timer(&sender->breaker, now_ns);
    }
    run_controller_timers(sender);
    weir__sender_refresh(sender);
}
