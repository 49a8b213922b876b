/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/limit.h"

#include "session/sender_internal.h"

/* How long a loss and a fall of the rate explain a rate that has not come back; the loss ratio of
 * the statistics is of the same time. */
#define MEMORY_NS WEIR_SECONDS(WEIR__LOSS_SECONDS)
/* "Lately": at least so long, and long enough for the algorithm to have answered. */
#define LATELY_NS WEIR_SECONDS(1)

enum { LATELY_RTTS = 4, LATELY_INTERVALS = 2 };

static const struct {
    const char *name;
    const char *text;
} limits[] = {
    [WEIR_LIMIT_STARTING] = {"starting", "Starting: no round-trip time has been measured yet"},
    [WEIR_LIMIT_CIRCUIT_BREAKER] = {"circuit-breaker",
                                    "Circuit breaker (RFC 8083): the network carries far less than "
                                    "is sent, or no reports arrive"},
    [WEIR_LIMIT_NO_FEEDBACK] = {"no-feedback",
                                "No feedback: the receiver's reports have stopped coming"},
    [WEIR_LIMIT_SEND_QUEUE] = {"send-queue", "Send queue: waiting packets are drained first"},
    [WEIR_LIMIT_APPLICATION] = {"application", "Application: the source sends less than it may"},
    [WEIR_LIMIT_MINIMUM] =
        {"minimum",
         "Minimum: held at the configured minimum bitrate, although less would be right"},
    [WEIR_LIMIT_RECEIVER] = {"receiver", "Receiver: its REMB allows no more"},
    [WEIR_LIMIT_MAXIMUM] = {"maximum", "Maximum: the configured maximum bitrate is reached"},
    [WEIR_LIMIT_LOSS] = {"loss", "Loss: packets were lost, and the rate fell because of that"},
    [WEIR_LIMIT_DELAY] =
        {"delay", "Delay: packets queue on the path, and the rate is held down because of that"},
    [WEIR_LIMIT_PROBING] = {"probing", "Nothing: the rate is rising to find the capacity"},
    [WEIR_LIMIT_ALGORITHM] = {"algorithm", "The algorithm holds its rate"},
};

static bool is_limit(enum weir_limit limit)
{
    return (size_t)limit < sizeof(limits) / sizeof(limits[0]);
}

const char *weir_limit_name(enum weir_limit limit)
{
    return is_limit(limit) ? limits[limit].name : "unknown";
}

const char *weir_limit_text(enum weir_limit limit)
{
    return is_limit(limit) ? limits[limit].text : "Unknown";
}

void weir__limit_init(struct weir__limit *limit)
{
    *limit = (struct weir__limit){.rose_ns = WEIR_UNKNOWN_NS,
                                  .lost_ns = WEIR_UNKNOWN_NS,
                                  .event_ns = WEIR_UNKNOWN_NS,
                                  .peak_ns = WEIR_UNKNOWN_NS,
                                  .peak_rtt_ns = WEIR_UNKNOWN_NS,
                                  .queued_ns = WEIR_UNKNOWN_NS};
}

static bool is_within(int64_t event_ns, int64_t now_ns, int64_t time_ns)
{
    return event_ns != WEIR_UNKNOWN_NS && now_ns - event_ns <= time_ns;
}

void weir__limit_on_loss(struct weir__limit *limit, int64_t now_ns, int64_t rtt_ns)
{
    if (!is_within(limit->event_ns, now_ns, weir_max_i64(rtt_ns, 0))) {
        limit->event_ns = now_ns;
        limit->before_bps = limit->rate_bps;
    }
    limit->lost_ns = now_ns;
}

void weir__limit_on_rate(struct weir__limit *limit, int64_t now_ns, int64_t rate_bps,
                         int64_t rtt_ns)
{
    if (rate_bps > limit->rate_bps) {
        limit->rose_ns = now_ns;
    }
    limit->rate_bps = rate_bps;
    if (rate_bps >= limit->peak_bps || !is_within(limit->peak_ns, now_ns, MEMORY_NS)) {
        limit->peak_bps = rate_bps;
        limit->peak_ns = now_ns;
        limit->peak_rtt_ns = rtt_ns;
    }
}

void weir__limit_on_queue(struct weir__limit *limit, int64_t now_ns, int64_t queue_ns,
                          int64_t target_ns)
{
    if (target_ns > 0 && queue_ns != WEIR_UNKNOWN_NS && queue_ns >= target_ns) {
        limit->queued_ns = now_ns;
    }
}

static int64_t lately_ns(const struct weir_sender *sender)
{
    int64_t rtts_ns = LATELY_RTTS * weir_max_i64(sender->output.rtt_ns, 0);
    int64_t intervals_ns = LATELY_INTERVALS * weir_max_i64(sender->counts.feedback_interval_ns, 0);
    return weir_max_i64(LATELY_NS, weir_max_i64(rtts_ns, intervals_ns));
}

static bool has_lost_lately(const struct weir_sender *sender)
{
    return is_within(sender->limit.lost_ns, sender->now_ns, lately_ns(sender));
}

static bool is_broken(const struct weir_sender *sender, int64_t wanted_bps)
{
    uint32_t state = sender->output.state;
    return (state & WEIR_STATE_BREAKER_CEASED) ||
           ((state & WEIR_STATE_BREAKER_REDUCED) &&
            weir__breaker_cap_bps(&sender->breaker) <= wanted_bps);
}

static bool is_drained(const struct weir_sender *sender)
{
    const struct weir_output *output = &sender->output;
    int64_t leaving_bps = weir_min_i64(output->allowed_wire_bps, output->pacing_wire_bps);
    return (output->state & WEIR_STATE_QUEUE_PUSHBACK) &&
           output->target_wire_bps < leaving_bps - leaving_bps / 10;
}

/* A source that loses packets may well be told to send less at the same time; one that uses less
 * than half of what it may is not held by that. */
static bool is_source_slow(const struct weir_sender *sender)
{
    if (!(sender->output.state & WEIR_STATE_APP_LIMITED)) {
        return false;
    }
    return !has_lost_lately(sender) ||
           weir__rate_meter_bps(&sender->sent, sender->now_ns, LATELY_NS) <
               sender->output.allowed_wire_bps / 2;
}

/* With one bitrate for both limits it depends on what the algorithm wanted. */
static bool is_at_minimum(const struct weir_sender *sender)
{
    return (sender->output.state & WEIR_STATE_AT_MIN) &&
           !((sender->output.state & WEIR_STATE_AT_MAX) &&
             sender->control.rate_bps >= sender->wire_limits.max_bps);
}

/* An algorithm that aims at a queue may ignore losses: only a rate that fell tells. */
static bool is_held_by_loss(const struct weir_sender *sender)
{
    const struct weir__limit *limit = &sender->limit;
    if (sender->control.queue_target_ns > 0) {
        return is_within(limit->lost_ns, sender->now_ns, MEMORY_NS) &&
               limit->rate_bps < limit->before_bps - limit->before_bps / 10;
    }
    return has_lost_lately(sender) || (is_within(limit->lost_ns, sender->now_ns, MEMORY_NS) &&
                                       limit->rate_bps < limit->before_bps);
}

static bool is_held_by_delay(const struct weir_sender *sender)
{
    const struct weir__limit *limit = &sender->limit;
    int64_t rtt_ns = sender->output.rtt_ns;
    if (sender->control.queue_target_ns > 0) {
        return is_within(limit->queued_ns, sender->now_ns, lately_ns(sender));
    }
    return limit->rate_bps < limit->peak_bps - limit->peak_bps / 10 &&
           limit->peak_rtt_ns != WEIR_UNKNOWN_NS &&
           rtt_ns > limit->peak_rtt_ns + limit->peak_rtt_ns / 10;
}

static bool is_rising(const struct weir_sender *sender)
{
    return (sender->output.state & WEIR_STATE_SLOW_START) ||
           is_within(sender->limit.rose_ns, sender->now_ns, lately_ns(sender));
}

/* While there is no path yet that could limit anything. */
static bool find_outside(const struct weir_sender *sender, int64_t wanted_bps,
                         enum weir_limit *limit)
{
    uint32_t state = sender->output.state;
    if (sender->first_sent_ns == WEIR_UNKNOWN_NS) {
        *limit = WEIR_LIMIT_STARTING;
    } else if (is_broken(sender, wanted_bps)) {
        *limit = WEIR_LIMIT_CIRCUIT_BREAKER;
    } else if ((state & WEIR_STATE_NO_FEEDBACK) && sender->history.in_flight_bytes > 0) {
        *limit = WEIR_LIMIT_NO_FEEDBACK;
    } else if ((state & WEIR_STATE_STARTING) || sender->output.rtt_ns == WEIR_UNKNOWN_NS) {
        *limit = WEIR_LIMIT_STARTING;
    } else {
        return false;
    }
    return true;
}

/* What the program does and has configured, and what the receiver asks for. */
static bool find_wishes(const struct weir_sender *sender, enum weir_limit *limit)
{
    if (is_drained(sender)) {
        *limit = WEIR_LIMIT_SEND_QUEUE;
    } else if (is_source_slow(sender)) {
        *limit = WEIR_LIMIT_APPLICATION;
    } else if (is_at_minimum(sender)) {
        *limit = WEIR_LIMIT_MINIMUM;
    } else if (sender->output.state & WEIR_STATE_REMB_CAPPED) {
        *limit = WEIR_LIMIT_RECEIVER;
    } else if (sender->output.state & WEIR_STATE_AT_MAX) {
        *limit = WEIR_LIMIT_MAXIMUM;
    } else {
        return false;
    }
    return true;
}

enum weir_limit weir__limit_find(const struct weir_sender *sender, int64_t wanted_bps)
{
    enum weir_limit limit = WEIR_LIMIT_ALGORITHM;
    if (find_outside(sender, wanted_bps, &limit) || find_wishes(sender, &limit)) {
        return limit;
    }
    if (is_held_by_loss(sender)) {
        return WEIR_LIMIT_LOSS;
    }
    if (is_held_by_delay(sender)) {
        return WEIR_LIMIT_DELAY;
    }
    return is_rising(sender) ? WEIR_LIMIT_PROBING : WEIR_LIMIT_ALGORITHM;
}
