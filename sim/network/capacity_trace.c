/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/capacity_trace.h"
#include "sim/base/text.h"
#include "weir/units.h"
#include <stdbool.h>
#include <string.h>

#define TUN_HEADER_BYTES  4
#define OPPORTUNITY_BYTES (WEIR__CAPACITY_TRACE_PACKET_BYTES + TUN_HEADER_BYTES)
#define LATEST_MS         INT64_C(1000000000) /* of a line */
#define OPPORTUNITY_BIT_NS                                                                         \
    (WEIR__CAPACITY_TRACE_PACKET_BYTES * 8 * WEIR_SECONDS(1)) /* rate x time */

/* Upper bound of the number of opportunities in the text. */
size_t weir__capacity_trace_count(const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == '\n';
    }
    return count;
}

/* Reads a line at *at, with its end; NULL, or what was expected instead. *at_ms is -1 for a line
 * without anything. */
static const char *read_line(const char **at, int64_t *at_ms)
{
    *at_ms = -1;
    *at += strspn(*at, " \t\r");
    const char *end = *at + strspn(*at, "0123456789"); /* a fraction would be read and cut off */
    if (**at != '\n' && **at != '\0' &&
        (!weir__text_number(at, 1, at_ms) || *at != end || *at_ms > LATEST_MS)) {
        return "expected a whole number of milliseconds up to 10^9";
    }
    *at += strspn(*at, " \t\r");
    if (**at != '\n' && **at != '\0') {
        return "expected nothing but a whole number of milliseconds";
    }
    *at += **at == '\n';
    return NULL;
}

/* Parses the text of a trace; lines without anything are skipped. Errors: WEIR_ERROR_MALFORMED with
 * the number of the line in error (may be NULL), WEIR_ERROR_NO_SPACE; *n is then untouched. */
enum weir_status weir__capacity_trace_parse(const char *text, int64_t *at_ms, size_t capacity,
                                            size_t *n, char *error, size_t error_size)
{
    size_t found = 0;
    int64_t last_ms = 0;
    for (size_t line = 1; *text != '\0'; line++) {
        int64_t line_ms = -1;
        const char *wrong = read_line(&text, &line_ms);
        if (!wrong && line_ms >= 0 && line_ms < last_ms) {
            wrong = "its time must not be earlier than that of the line before";
        }
        if (wrong) {
            weir__text_error(error, error_size, "line %zu: %s", line, wrong);
            return WEIR_ERROR_MALFORMED;
        }
        if (line_ms >= 0) {
            if (found == capacity) {
                weir__text_error(error, error_size, "line %zu: more than %zu lines", line, found);
                return WEIR_ERROR_NO_SPACE;
            }
            at_ms[found++] = line_ms;
            last_ms = line_ms;
        }
    }
    if (last_ms == 0) {
        weir__text_error(error, error_size, "a trace must have a line that is later than 0 ms");
        return WEIR_ERROR_MALFORMED;
    }
    *n = found;
    return WEIR_OK;
}

/* WEIR_ERROR_RANGE when the times descend or none is later than 0. */
enum weir_status weir__capacity_trace_check(const int64_t *at_ms, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (at_ms[i] < (i > 0 ? at_ms[i - 1] : 0) || at_ms[i] > LATEST_MS) {
            return WEIR_ERROR_RANGE;
        }
    }
    return n > 0 && at_ms[n - 1] > 0 ? WEIR_OK : WEIR_ERROR_RANGE;
}

/* At time 0. The times have passed weir__capacity_trace_check(), or n is 0. */
void weir__capacity_trace_init(struct weir__capacity_trace *trace, const int64_t *at_ms, size_t n)
{
    *trace = (struct weir__capacity_trace){.at_ms = at_ms, .n = n, .last_ns = -1};
}

/* Over a whole period. */
int64_t weir__capacity_trace_mean_bps(const int64_t *at_ms, size_t n)
{
    return weir_rate_bps((int64_t)n * WEIR__CAPACITY_TRACE_PACKET_BYTES, WEIR_MS(at_ms[n - 1]));
}

/* What the opportunities from 0 to until_ns, both included, can carry. */
double weir__capacity_trace_bits(const int64_t *at_ms, size_t n, int64_t until_ns)
{
    int64_t until_ms = until_ns / WEIR_MS(1);
    int64_t rest_ms = until_ms % at_ms[n - 1];
    size_t low = 0; /* the opportunities of the last period until rest_ms */
    size_t high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at_ms[middle] <= rest_ms) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    double count = (double)(until_ms / at_ms[n - 1]) * (double)n + (double)low;
    return count * 8.0 * WEIR__CAPACITY_TRACE_PACKET_BYTES;
}

/* What the schedule can carry from from_ns to until_ns, in bits per second times nanoseconds. */
static int64_t carried_bit_ns(struct weir__schedule *schedule, int64_t from_ns, int64_t until_ns)
{
    int64_t sum = 0;
    while (from_ns < until_ns) {
        int64_t rate_bps = weir__schedule_value(schedule, from_ns);
        int64_t next_ns = schedule->next_change_ns < until_ns ? schedule->next_change_ns : until_ns;
        sum += rate_bps * (next_ns - from_ns);
        from_ns = next_ns;
    }
    return sum;
}

/* A trace of length_ms, 1 or more, for a capacity that follows the schedule, which is at time 0: at
 * the end of each millisecond as many opportunities of 1500 bytes are over as it carries by then,
 * rounded down. So that the trace has its length, the last one is there in any case. Writes the
 * first `capacity`; returns how many there are. */
size_t weir__capacity_trace_make(struct weir__schedule *schedule, int64_t length_ms, int64_t *at_ms,
                                 size_t capacity)
{
    size_t n = 0;
    int64_t left_bit_ns = 0;
    int64_t last_ms = 0;
    for (int64_t ms = 1; ms <= length_ms; ms++) {
        left_bit_ns += carried_bit_ns(schedule, WEIR_MS(ms - 1), WEIR_MS(ms));
        for (; left_bit_ns >= OPPORTUNITY_BIT_NS || (ms == length_ms && last_ms < ms); n++) {
            left_bit_ns -= OPPORTUNITY_BIT_NS;
            last_ms = ms;
            if (n < capacity) {
                at_ms[n] = ms;
            }
        }
    }
    return n;
}

/* When opportunity `number` is, numbers counted from 0 through all repetitions. */
static int64_t opportunity_ns(const struct weir__capacity_trace *trace, int64_t number)
{
    int64_t n = (int64_t)trace->n;
    return WEIR_MS(number / n * trace->at_ms[n - 1] + trace->at_ms[number % n]);
}

/* Nobody used the opportunities up to now_ns. Skips whole periods, so that a long silence costs no
 * more than a period. */
static void pass_over(struct weir__capacity_trace *trace, int64_t now_ns)
{
    int64_t period_ns = WEIR_MS(trace->at_ms[trace->n - 1]);
    int64_t behind_ns = now_ns - opportunity_ns(trace, trace->next);
    if (behind_ns > 2 * period_ns) {
        trace->next += (behind_ns / period_ns - 1) * (int64_t)trace->n;
    }
    while (opportunity_ns(trace, trace->next) <= now_ns) {
        trace->next++;
    }
}

/* A packet of size_bytes >= 1 begins to be sent: returns when it has been. now_ns must not be
 * earlier than what the call before returned. */
int64_t weir__capacity_trace_send(struct weir__capacity_trace *trace, int64_t now_ns,
                                  int64_t size_bytes)
{
    if (trace->last_ns < now_ns) {
        trace->left_bytes = 0;
        pass_over(trace, now_ns);
    }
    trace->left_bytes -= size_bytes + TUN_HEADER_BYTES;
    while (trace->left_bytes < 0) {
        trace->last_ns = opportunity_ns(trace, trace->next++);
        trace->left_bytes += OPPORTUNITY_BYTES;
    }
    return trace->last_ns;
}

/* The queue is empty: what is left of the opportunity is lost. */
void weir__capacity_trace_rest(struct weir__capacity_trace *trace)
{
    trace->left_bytes = 0;
}

/* When `packets` of together `bytes` would have been sent behind the one that is being sent. */
int64_t weir__capacity_trace_sent_ns(const struct weir__capacity_trace *trace, int64_t packets,
                                     int64_t bytes)
{
    int64_t need_bytes = bytes + packets * TUN_HEADER_BYTES - trace->left_bytes;
    if (need_bytes <= 0) {
        return trace->last_ns;
    }
    int64_t more = (need_bytes + OPPORTUNITY_BYTES - 1) / OPPORTUNITY_BYTES;
    return opportunity_ns(trace, trace->next + more - 1);
}
