/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trace records as JSON lines; docs/trace.md describes the fields. */
#include "weir/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct line {
    char *text;
    size_t capacity;
    size_t len;
    bool full;
};

static void put(struct line *line, const char *format, ...)
{
    if (line->full) {
        return;
    }
    va_list args;
    va_start(args, format);
    size_t left = line->capacity - line->len;
    int n = vsnprintf(line->text + line->len, left, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= left) {
        line->full = true;
        return;
    }
    line->len += (size_t)n;
}

static void put_integer(struct line *line, const char *key, int64_t value)
{
    put(line, ",\"%s\":%" PRId64, key, value);
}

/* A time that is not known, or a window that does not exist, is null. */
static void put_optional(struct line *line, const char *key, int64_t value)
{
    if (value == WEIR_UNKNOWN_NS || value == WEIR_NEVER_NS) {
        put(line, ",\"%s\":null", key);
    } else {
        put_integer(line, key, value);
    }
}

/* Names come from tables of letters, digits and '-'; anything that JSON would have to escape
 * becomes '_'. */
static void put_name(struct line *line, const char *key, const char *name)
{
    put(line, ",\"%s\":\"", key);
    for (const char *c = name ? name : ""; *c != '\0'; c++) {
        bool plain = *c >= ' ' && *c < 0x7f && *c != '"' && *c != '\\';
        put(line, "%c", plain ? *c : '_');
    }
    put(line, "\"");
}

/* Seventeen digits bring the same double back. The decimal point does not depend on the locale. */
static void put_number(struct line *line, const char *key, double value)
{
    char digits[40];
    if (!isfinite(value)) {
        put(line, ",\"%s\":null", key);
        return;
    }
    snprintf(digits, sizeof(digits), "%.17g", value);
    for (char *c = digits; *c != '\0'; c++) {
        if (!strchr("0123456789+-e", *c)) {
            *c = '.';
        }
    }
    put(line, ",\"%s\":%s", key, digits);
}

static void put_limits(struct line *line, const struct weir_limits *limits)
{
    put_integer(line, "min_bps", limits->min_bps);
    put_integer(line, "max_bps", limits->max_bps);
    put_integer(line, "start_bps", limits->start_bps);
}

static void put_start(struct line *line, const struct weir_trace_record *record)
{
    put_integer(line, "version", WEIR_TRACE_VERSION);
    put_name(line, "algorithm", record->name);
    put_integer(line, "seed", (int64_t)record->seed); /* many JSON readers know no more */
    put_limits(line, &record->limits);
    put_integer(line, "packet_bytes", record->wire_bytes);
    put_optional(line, "rtt_ns", record->rtt_ns);
    put_integer(line, "n_params", record->n_packets);
}

static void put_param(struct line *line, const struct weir_trace_record *record)
{
    put_name(line, "name", record->name);
    put_number(line, "value", record->value);
}

static void put_sent(struct line *line, const struct weir_trace_record *record)
{
    put_integer(line, "seq", record->seq);
    put_integer(line, "wire_bytes", record->wire_bytes);
    put_integer(line, "in_flight_bytes", record->in_flight_bytes);
    put_integer(line, "network_limited", record->network_limited);
}

static void put_feedback(struct line *line, const struct weir_trace_record *record)
{
    put_optional(line, "rtt_ns", record->rtt_ns);
    put_integer(line, "in_flight_bytes", record->in_flight_bytes);
    put_integer(line, "n_packets", record->n_packets);
}

static void put_packet(struct line *line, const struct weir_trace_record *record)
{
    static const char *const names[] = {"received", "lost", "late"};
    int64_t status = weir_clamp_i64(record->packet_status, 0, 2);
    put_integer(line, "seq", record->seq);
    put_name(line, "status", names[status]);
    put_integer(line, "sent_ns", record->sent_ns);
    put_optional(line, "arrived_ns", record->arrived_ns);
    put_integer(line, "wire_bytes", record->wire_bytes);
    put_integer(line, "ecn", record->ecn);
}

static void put_report(struct line *line, const struct weir_trace_record *record)
{
    put_optional(line, "rtt_ns", record->rtt_ns);
    put_integer(line, "interval_ns", record->interval_ns);
    put_integer(line, "expected_packets", record->expected_packets);
    put_integer(line, "lost_packets", record->lost_packets);
    put_integer(line, "packet_bytes", record->wire_bytes);
    put_integer(line, "sent_bytes", record->sent_bytes);
    put_integer(line, "network_limited", record->network_limited);
    put_integer(line, "newest_age_ns", record->newest_age_ns);
    put_integer(line, "missing_age_ns", record->missing_age_ns);
}

static void put_output(struct line *line, const struct weir_trace_record *record)
{
    const struct weir_output *output = &record->output;
    put_integer(line, "allowed_wire_bps", output->allowed_wire_bps);
    put_integer(line, "target_media_bps", output->target_media_bps);
    put_integer(line, "pacing_wire_bps", output->pacing_wire_bps);
    put_optional(line, "window_bytes", output->window_bytes);
    put_optional(line, "rtt_ns", output->rtt_ns);
    put_integer(line, "state", output->state);
}

static void put_control(struct line *line, const struct weir_trace_record *record)
{
    const struct weir_output *answer = &record->output;
    put_integer(line, "rate_bps", answer->allowed_wire_bps);
    put_integer(line, "pacing_bps", answer->pacing_wire_bps);
    put_optional(line, "window_bytes", answer->window_bytes);
    put_integer(line, "state", answer->state);
}

static void put_part(struct line *line, const struct weir_trace_record *record)
{
    put_integer(line, "version", WEIR_TRACE_VERSION);
    put_integer(line, "part", record->seq);
}

static void put_figures(struct line *line, const struct weir_trace_record *record)
{
    put_name(line, "limited_by", record->name);
    put_optional(line, "queueing_ns", record->queueing_ns);
    put_optional(line, "send_queue_ns", record->send_queue_ns);
}

static void put_limits_record(struct line *line, const struct weir_trace_record *record)
{
    put_limits(line, &record->limits);
}

static void put_nothing(struct line *line, const struct weir_trace_record *record)
{
    (void)line;
    (void)record;
}

static const struct {
    const char *name;
    void (*put)(struct line *line, const struct weir_trace_record *record);
} kinds[] = {
    [WEIR_TRACE_START] = {"start", put_start},
    [WEIR_TRACE_PARAM] = {"param", put_param},
    [WEIR_TRACE_SENT] = {"sent", put_sent},
    [WEIR_TRACE_FEEDBACK] = {"feedback", put_feedback},
    [WEIR_TRACE_PACKET] = {"packet", put_packet},
    [WEIR_TRACE_REPORT] = {"report", put_report},
    [WEIR_TRACE_TIMER] = {"timer", put_nothing},
    [WEIR_TRACE_LIMITS] = {"limits", put_limits_record},
    [WEIR_TRACE_OUTPUT] = {"output", put_output},
    [WEIR_TRACE_PATH] = {"path", put_nothing},
    [WEIR_TRACE_CONTROL] = {"control", put_control},
    [WEIR_TRACE_PART] = {"part", put_part},
    [WEIR_TRACE_FIGURES] = {"figures", put_figures},
    [WEIR_TRACE_VARIABLE] = {"variable", put_param},
};

size_t weir_trace_format(const struct weir_trace_record *record, char *line, size_t capacity)
{
    size_t kind = (size_t)record->kind;
    if (capacity == 0 || kind >= sizeof(kinds) / sizeof(kinds[0])) {
        return 0;
    }
    struct line out = {.text = line, .capacity = capacity};
    put(&out, "{\"kind\":\"%s\"", kinds[kind].name);
    put_integer(&out, "now_ns", record->now_ns);
    kinds[kind].put(&out, record);
    put(&out, "}\n");
    if (out.full) {
        line[0] = '\0';
        return 0;
    }
    return out.len;
}
