/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trace records as JSON lines; docs/trace.md describes the fields. */
#include "session/trace.h"

#include "weir/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
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
    if ((size_t)n >= left) { /* an error, -1, is too much as well */
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

const char *const weir__trace_statuses[WEIR__TRACE_STATUSES] = {"received", "lost", "late"};

#define FIELD(type_, name_, member)                                                                \
    {                                                                                              \
        .name = (name_), .type = WEIR__TRACE_##type_,                                              \
        .offset = offsetof(struct weir_trace_record, member)                                       \
    }
#define INTEGER(name_, member) FIELD(INTEGER, name_, member)
#define TIME(name_, member)    FIELD(TIME, name_, member)
#define NAME(name_)            FIELD(NAME, name_, name)
#define NUMBER(name_)          FIELD(NUMBER, name_, value)
#define VERSION                FIELD(VERSION, "version", kind)
#define WINDOW                 FIELD(WINDOW, "window_bytes", output.window_bytes)
#define STATE                  FIELD(STATE, "state", output.state)

static const struct weir__trace_field start_fields[] = {
    VERSION,
    NAME("algorithm"),
    INTEGER("seed", seed), /* as a signed number: many JSON readers know no more */
    INTEGER("min_bps", limits.min_bps),
    INTEGER("max_bps", limits.max_bps),
    INTEGER("start_bps", limits.start_bps),
    INTEGER("packet_bytes", wire_bytes),
    TIME("rtt_ns", rtt_ns),
    INTEGER("n_params", n_packets),
};
static const struct weir__trace_field param_fields[] = {NAME("name"), NUMBER("value")};
static const struct weir__trace_field sent_fields[] = {
    INTEGER("seq", seq),
    INTEGER("wire_bytes", wire_bytes),
    INTEGER("in_flight_bytes", in_flight_bytes),
    INTEGER("network_limited", network_limited),
};
static const struct weir__trace_field feedback_fields[] = {
    TIME("rtt_ns", rtt_ns),
    INTEGER("in_flight_bytes", in_flight_bytes),
    INTEGER("n_packets", n_packets),
};
static const struct weir__trace_field packet_fields[] = {
    INTEGER("seq", seq),
    FIELD(STATUS, "status", packet_status),
    INTEGER("sent_ns", sent_ns),
    TIME("arrived_ns", arrived_ns),
    INTEGER("wire_bytes", wire_bytes),
    FIELD(ECN, "ecn", ecn),
};
static const struct weir__trace_field report_fields[] = {
    TIME("rtt_ns", rtt_ns),
    INTEGER("interval_ns", interval_ns),
    INTEGER("expected_packets", expected_packets),
    INTEGER("lost_packets", lost_packets),
    INTEGER("packet_bytes", wire_bytes),
    INTEGER("sent_bytes", sent_bytes),
    INTEGER("network_limited", network_limited),
    INTEGER("newest_age_ns", newest_age_ns),
    INTEGER("missing_age_ns", missing_age_ns),
};
static const struct weir__trace_field limits_fields[] = {
    INTEGER("min_bps", limits.min_bps),
    INTEGER("max_bps", limits.max_bps),
    INTEGER("start_bps", limits.start_bps),
};
static const struct weir__trace_field output_fields[] = {
    INTEGER("allowed_wire_bps", output.allowed_wire_bps),
    INTEGER("target_media_bps", output.target_media_bps),
    INTEGER("pacing_wire_bps", output.pacing_wire_bps),
    WINDOW,
    TIME("rtt_ns", output.rtt_ns),
    STATE,
};
static const struct weir__trace_field control_fields[] = {
    INTEGER("rate_bps", output.allowed_wire_bps),
    INTEGER("pacing_bps", output.pacing_wire_bps),
    WINDOW,
    STATE,
};
static const struct weir__trace_field part_fields[] = {VERSION, INTEGER("part", seq)};
static const struct weir__trace_field figures_fields[] = {
    NAME("limited_by"),
    TIME("queueing_ns", queueing_ns),
    TIME("send_queue_ns", send_queue_ns),
};

#define KIND(text, table)                                                                          \
    {                                                                                              \
        .name = (text), .fields = (table), .n_fields = sizeof(table) / sizeof((table)[0])          \
    }

const struct weir__trace_kind weir__trace_kinds[WEIR__TRACE_KINDS] = {
    [WEIR_TRACE_START] = KIND("start", start_fields),
    [WEIR_TRACE_PARAM] = KIND("param", param_fields),
    [WEIR_TRACE_SENT] = KIND("sent", sent_fields),
    [WEIR_TRACE_FEEDBACK] = KIND("feedback", feedback_fields),
    [WEIR_TRACE_PACKET] = KIND("packet", packet_fields),
    [WEIR_TRACE_REPORT] = KIND("report", report_fields),
    [WEIR_TRACE_TIMER] = {.name = "timer"},
    [WEIR_TRACE_LIMITS] = KIND("limits", limits_fields),
    [WEIR_TRACE_OUTPUT] = KIND("output", output_fields),
    [WEIR_TRACE_PATH] = {.name = "path"},
    [WEIR_TRACE_CONTROL] = KIND("control", control_fields),
    [WEIR_TRACE_PART] = KIND("part", part_fields),
    [WEIR_TRACE_FIGURES] = KIND("figures", figures_fields),
    [WEIR_TRACE_VARIABLE] = KIND("variable", param_fields),
};

static const char *status_name(int64_t status)
{
    return weir__trace_statuses[weir_clamp_i64(status, 0, WEIR__TRACE_STATUSES - 1)];
}

static void put_field(struct line *line, const struct weir__trace_field *field, const void *value)
{
    switch (field->type) {
    case WEIR__TRACE_TIME:
    case WEIR__TRACE_WINDOW:
        put_optional(line, field->name, *(const int64_t *)value);
        return;
    case WEIR__TRACE_STATUS:
        put_name(line, field->name, status_name(*(const int64_t *)value));
        return;
    case WEIR__TRACE_STATE:
        put_integer(line, field->name, *(const uint32_t *)value);
        return;
    case WEIR__TRACE_NUMBER:
        put_number(line, field->name, *(const double *)value);
        return;
    case WEIR__TRACE_NAME:
        put_name(line, field->name, *(const char *const *)value);
        return;
    case WEIR__TRACE_VERSION:
        put_integer(line, field->name, WEIR_TRACE_VERSION);
        return;
    default: /* WEIR__TRACE_INTEGER, WEIR__TRACE_ECN */
        put_integer(line, field->name, *(const int64_t *)value);
    }
}

size_t weir_trace_format(const struct weir_trace_record *record, char *line, size_t capacity)
{
    size_t kind = (size_t)record->kind;
    if (capacity == 0 || kind >= WEIR__TRACE_KINDS) {
        return 0;
    }
    struct line out = {.text = line, .capacity = capacity};
    put(&out, "{\"kind\":\"%s\"", weir__trace_kinds[kind].name);
    put_integer(&out, "now_ns", record->now_ns);
    for (size_t i = 0; i < weir__trace_kinds[kind].n_fields; i++) {
        const struct weir__trace_field *field = &weir__trace_kinds[kind].fields[i];
        put_field(&out, field, (const char *)record + field->offset);
    }
    put(&out, "}\n");
    if (out.full) {
        line[0] = '\0';
        return 0;
    }
    return out.len;
}
