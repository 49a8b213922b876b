/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/limited_by.h"

#include "session/recent_loss.h"

/* How long a loss and a fall of the rate explain a rate that has not come back. */
#define MEMORY_NS WEIR_SECONDS(WEIR__RECENT_LOSS_SECONDS)
/* "Lately": at least so long, and long enough for the algorithm to have answered. */
#define LATELY_NS WEIR_SECONDS(1)

enum { LATELY_RTTS = 4, LATELY_INTERVALS = 2 };

static const struct {
    const char *name;
    const char *text;
} causes[] = {
    [WEIR_LIMITED_BY_STARTING] = {"starting", "Starting: no round-trip time has been measured yet"},
    [WEIR_LIMITED_BY_CIRCUIT_BREAKER] =
        {"circuit-breaker", "Circuit breaker (RFC 8083): the network carries far less than "
                            "is sent, or no reports arrive"},
    [WEIR_LIMITED_BY_NO_FEEDBACK] = {"no-feedback",
                                     "No feedback: the receiver's reports have stopped coming"},
    [WEIR_LIMITED_BY_SEND_QUEUE] = {"send-queue", "Send queue: waiting packets are drained first"},
    [WEIR_LIMITED_BY_APPLICATION] = {"application",
                                     "Application: the source sends less than it may"},
    [WEIR_LIMITED_BY_MINIMUM] =
        {"minimum",
         "Minimum: held at the configured minimum bitrate, although less would be right"},
    [WEIR_LIMITED_BY_RECEIVER] = {"receiver", "Receiver: its REMB allows no more"},
    [WEIR_LIMITED_BY_MAXIMUM] = {"maximum", "Maximum: the configured maximum bitrate is reached"},
    [WEIR_LIMITED_BY_LOSS] =
        {"loss", "Loss: packets were lost lately, or the rate has not recovered since"},
    [WEIR_LIMITED_BY_DELAY] =
        {"delay", "Delay: packets queue on the path, and the rate is held down because of that"},
    [WEIR_LIMITED_BY_PROBING] = {"probing", "Nothing: the rate is rising to find the capacity"},
    [WEIR_LIMITED_BY_ALGORITHM] = {"algorithm", "The algorithm holds its rate"},
};

static bool is_cause(enum weir_limited_by cause)
{
    return (size_t)cause < sizeof(causes) / sizeof(causes[0]);
}

const char *weir_limited_by_name(enum weir_limited_by cause)
{
    return is_cause(cause) ? causes[cause].name : "unknown";
}

const char *weir_limited_by_text(enum weir_limited_by cause)
{
    return is_cause(cause) ? causes[cause].text : "Unknown";
}

void weir__limited_by_init(struct weir__limited_by *cause)
{
    *cause = (struct weir__limited_by){.rose_ns = WEIR_UNKNOWN_NS,
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

void weir__limited_by_on_loss(struct weir__limited_by *cause, int64_t now_ns, int64_t rtt_ns)
{
    if (!is_within(cause->event_ns, now_ns, weir_max_i64(rtt_ns, 0))) {
        cause->event_ns = now_ns;
        cause->before_bps = cause->rate_bps;
    }
    cause->lost_ns = now_ns;
}

void weir__limited_by_on_rate(struct weir__limited_by *cause, int64_t now_ns, int64_t rate_bps,
                              int64_t rtt_ns)
{
    if (rate_bps > cause->rate_bps) {
        cause->rose_ns = now_ns;
    }
    cause->rate_bps = rate_bps;
    if (rate_bps >= cause->peak_bps || !is_within(cause->peak_ns, now_ns, MEMORY_NS)) {
        cause->peak_bps = rate_bps;
        cause->peak_ns = now_ns;
        cause->peak_rtt_ns = rtt_ns;
    }
}

void weir__limited_by_on_queue(struct weir__limited_by *cause, int64_t now_ns, int64_t queue_ns,
                               int64_t target_ns)
{
    if (target_ns > 0 && queue_ns != WEIR_UNKNOWN_NS && queue_ns >= target_ns) {
        cause->queued_ns = now_ns;
    }
}

static int64_t lately_ns(const struct weir__limited_by_facts *now)
{
    int64_t rtts_ns = LATELY_RTTS * weir_max_i64(now->output->rtt_ns, 0);
    int64_t intervals_ns = LATELY_INTERVALS * weir_max_i64(now->feedback_interval_ns, 0);
    return weir_max_i64(LATELY_NS, weir_max_i64(rtts_ns, intervals_ns));
}

static bool has_lost_lately(const struct weir__limited_by *memory,
                            const struct weir__limited_by_facts *now)
{
    return is_within(memory->lost_ns, now->now_ns, lately_ns(now));
}

static bool is_broken(const struct weir__limited_by_facts *now)
{
    uint32_t state = now->output->state;
    return (state & WEIR_STATE_BREAKER_CEASED) ||
           ((state & WEIR_STATE_BREAKER_REDUCED) &&
            weir__breaker_cap_bps(now->breaker) <= now->wanted_bps);
}

static bool is_drained(const struct weir__limited_by_facts *now)
{
    const struct weir_output *output = now->output;
    int64_t leaving_bps = weir_min_i64(output->allowed_wire_bps, output->pacing_wire_bps);
    return (output->state & WEIR_STATE_QUEUE_PUSHBACK) &&
           output->target_wire_bps < leaving_bps - leaving_bps / 10;
}

/* A source that loses packets may well be told to send less at the same time; one that uses less
 * than half of what it may is not held by that. */
static bool is_source_slow(const struct weir__limited_by *memory,
                           const struct weir__limited_by_facts *now)
{
    if (!(now->output->state & WEIR_STATE_APP_LIMITED)) {
        return false;
    }
    return !has_lost_lately(memory, now) ||
           weir__rate_meter_bps(now->sent, now->now_ns, LATELY_NS) <
               now->output->allowed_wire_bps / 2;
}

/* With one bitrate for both limits it depends on what the algorithm wanted. */
static bool is_at_minimum(const struct weir__limited_by_facts *now)
{
    return (now->output->state & WEIR_STATE_AT_MIN) &&
           !((now->output->state & WEIR_STATE_AT_MAX) &&
             now->control->rate_bps >= now->max_wire_bps);
}

/* An algorithm that aims at a queue may ignore losses: only a rate that fell tells. */
static bool is_held_by_loss(const struct weir__limited_by *memory,
                            const struct weir__limited_by_facts *now)
{
    if (now->control->queue_target_ns > 0) {
        return is_within(memory->lost_ns, now->now_ns, MEMORY_NS) &&
               memory->rate_bps < memory->before_bps - memory->before_bps / 10;
    }
    return has_lost_lately(memory, now) || (is_within(memory->lost_ns, now->now_ns, MEMORY_NS) &&
                                            memory->rate_bps < memory->before_bps);
}

static bool is_held_by_delay(const struct weir__limited_by *memory,
                             const struct weir__limited_by_facts *now)
{
    int64_t rtt_ns = now->output->rtt_ns;
    if (now->control->queue_target_ns > 0) {
        return is_within(memory->queued_ns, now->now_ns, lately_ns(now));
    }
    return memory->rate_bps < memory->peak_bps - memory->peak_bps / 10 &&
           memory->peak_rtt_ns != WEIR_UNKNOWN_NS &&
           rtt_ns > memory->peak_rtt_ns + memory->peak_rtt_ns / 10;
}

static bool is_rising(const struct weir__limited_by *memory,
                      const struct weir__limited_by_facts *now)
{
    return (now->output->state & WEIR_STATE_SLOW_START) ||
           is_within(memory->rose_ns, now->now_ns, lately_ns(now));
}

/* The first that holds. Before there is a path that could limit anything, it is why there is none;
 * then what the program does and has configured, and what the receiver asks for. */
enum weir_limited_by weir__limited_by_find(const struct weir__limited_by *memory,
                                           const struct weir__limited_by_facts *now)
{
    uint32_t state = now->output->state;
    bool is_starting = (state & WEIR_STATE_STARTING) || now->output->rtt_ns == WEIR_UNKNOWN_NS;
    return !now->has_sent                                         ? WEIR_LIMITED_BY_STARTING
           : is_broken(now)                                       ? WEIR_LIMITED_BY_CIRCUIT_BREAKER
           : (state & WEIR_STATE_NO_FEEDBACK) && now->is_awaiting ? WEIR_LIMITED_BY_NO_FEEDBACK
           : is_starting                                          ? WEIR_LIMITED_BY_STARTING
           : is_drained(now)                                      ? WEIR_LIMITED_BY_SEND_QUEUE
           : is_source_slow(memory, now)                          ? WEIR_LIMITED_BY_APPLICATION
           : is_at_minimum(now)                                   ? WEIR_LIMITED_BY_MINIMUM
           : (state & WEIR_STATE_REMB_CAPPED)                     ? WEIR_LIMITED_BY_RECEIVER
           : (state & WEIR_STATE_AT_MAX)                          ? WEIR_LIMITED_BY_MAXIMUM
           : is_held_by_loss(memory, now)                         ? WEIR_LIMITED_BY_LOSS
           : is_held_by_delay(memory, now)                        ? WEIR_LIMITED_BY_DELAY
           : is_rising(memory, now)                               ? WEIR_LIMITED_BY_PROBING
                                                                  : WEIR_LIMITED_BY_ALGORITHM;
}
