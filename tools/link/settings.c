/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"
#include "error.h"
#include "weir/units.h"
#include <math.h>
#include <string.h>

#define DEFAULT_CAPACITY_BPS INT64_C(1000000000)
#define DEFAULT_QUEUE_NS     WEIR_MS(200)
#define DEFAULT_BURST_BYTES  15000

#define AT(field)      offsetof(struct link_settings, field)
#define PATH(field)    AT(path.link.field)
#define RATES          "bit/s from 0 to 100G, as in 800k, 2.5M"
#define TIMES          "a time from 0 to 3600s with its unit, as in 20ms, 1.5s"
#define CHANCES        "a probability from 0 to 1"
#define NAME(id, name) " " #name
#define DISCIPLINES    "one of" WEIR__QUEUE_NAMES(NAME)

/* Tables of words read better in columns than filled. */
/* clang-format off */
const struct link_setting link_settings_table[] = {
    {"capacity", LINK_RATE, PATH(capacity_bps), 0, 100e9, TRUE, "RATE",
     "Bit/s, k, M and G allowed; 0 is an outage (default 1G)", RATES},
    {"schedule", LINK_TEXT, AT(path.schedule), 0, 0, FALSE, "TEXT",
     "Capacity over time: SECONDS:RATE,... as in 0:2500k,20:1M; a last 60:repeat repeats it",
     ""},
    {"trace", LINK_TEXT, AT(path.trace_name), 0, 0, FALSE, "FILE",
     "Capacity from a trace in Mahimahi's format, one line per opportunity in ms", ""},
    {"delay", LINK_TIME, PATH(delay_ns), 0, 3600e9, TRUE, "TIME",
     "Propagation delay, one way: 20ms (default 0)", TIMES},
    {"delay-schedule", LINK_TEXT, AT(path.delay_schedule), 0, 0, FALSE, "TEXT",
     "Delay over time: SECONDS:TIME,... as in 20:90ms,40:50ms; a last 60:repeat repeats it",
     ""},
    {"jitter", LINK_TIME, PATH(jitter_ns), 0, 3600e9, TRUE, "TIME",
     "Adds a random delay from 0 to this to each packet, keeping the order", TIMES},
    {"queue-time", LINK_TIME, PATH(queue.limit.time_ns), 0, 3600e9, FALSE, "TIME",
     "Longest queue, in time at the capacity (default 200ms, without another limit); 0 is no limit",
     TIMES},
    {"queue-packets", LINK_WHOLE, PATH(queue.limit.packets), 0, 1e6, FALSE, "N",
     "Longest queue, in packets; the limit reached first applies", "packets from 0 (no limit) to 1000000"},
    {"queue-bytes", LINK_WHOLE, PATH(queue.limit.bytes), 0, 1e12, FALSE, "N",
     "Longest queue, in bytes", "bytes from 0 (no limit) to 10^12"},
    {"discipline", LINK_DISCIPLINE, PATH(queue.discipline), 0, 0, FALSE, "NAME",
     DISCIPLINES " (default droptail)", DISCIPLINES},
    {"ecn", LINK_SWITCH, AT(path.mark_ecn), 0, 0, FALSE, "on|off",
     "Mark ECN-capable packets in place of dropping them (default off; dualpi2 always marks)", "on or off"},
    {"policer-rate", LINK_RATE, PATH(policer.rate_bps), 0, 100e9, FALSE, "RATE",
     "Policer: drops before the queue what exceeds this rate plus a burst; 0 is none", RATES},
    {"policer-burst", LINK_WHOLE, PATH(policer.burst_bytes), 1, 1e9, FALSE, "N",
     "Its burst in bytes (default 15000)", "bytes from 1 to 10^9"},
    {"shaper-rate", LINK_RATE, PATH(shaper.rate_bps), 0, 100e9, FALSE, "RATE",
     "Shaper: packets leave at this rate after a burst at the capacity; 0 is none", RATES},
    {"shaper-burst", LINK_WHOLE, PATH(shaper.burst_bytes), 1, 1e9, FALSE, "N",
     "Its burst in bytes (default 15000)", "bytes from 1 to 10^9"},
    {"aggregate-packets", LINK_WHOLE, PATH(aggregation.packets), 0, 65536, FALSE, "N",
     "Aggregation as in Wi-Fi: up to N packets together; 0 is none", "packets from 0 (none) to 65536"},
    {"aggregate-time", LINK_TIME, PATH(aggregation.airtime_ns), 1, 3600e9, FALSE, "TIME",
     "Longest time to the start of an aggregate's last packet (default 4ms)",
     "a time from 1ns to 3600s with its unit, as in 4ms"},
    {"access-time", LINK_TIME, PATH(aggregation.access_ns), 0, 3600e9, FALSE, "TIME",
     "Mean wait for the channel before each aggregate, exponential (default 2ms)", TIMES},
    {"loss", LINK_REAL, AT(loss), 0, 1, TRUE, "P",
     "Probability that the link loses a packet", CHANCES},
    {"loss-burst", LINK_REAL, AT(loss_burst), 1, 10000, TRUE, "N",
     "Mean number of packets lost in a row (default 1: independent)", "packets from 1 to 10000"},
    {"duplicate", LINK_REAL, PATH(duplicate), 0, 1, FALSE, "P",
     "Probability that a packet arrives twice", CHANCES},
    {"reorder", LINK_REAL, PATH(reorder), 0, 1, FALSE, "P",
     "Probability that a packet is held back and overtaken", CHANCES},
    {"reorder-delay", LINK_TIME, PATH(reorder_delay_ns), 0, 3600e9, FALSE, "TIME",
     "How long it is held back (default 30ms)", TIMES},
    {"corrupt", LINK_REAL, PATH(corrupt), 0, 1, FALSE, "P",
     "Probability that a packet arrives with one bit flipped", CHANCES},
    {"seed", LINK_WHOLE, PATH(seed), 0, 9007199254740991.0, FALSE, "N",
     "Seed of all random draws (default 1)", "a whole number from 0 to 2^53 - 1"},
    {"cross-traffic", LINK_TEXT, AT(path.cross_traffic), 0, 0, FALSE, "TEXT",
     "Simulated competing traffic: reno*2;cbr:700k,on=20,off=20", ""},
};
/* clang-format on */
const gsize link_settings_count = G_N_ELEMENTS(link_settings_table);

/* --- values -------------------------------------------------------------------------------- */

struct unit {
    const char *name;
    double factor;
};

/* A decimal number without a sign; where it ends is *rest. */
static gboolean read_number(const char *text, double *value, const char **rest)
{
    char *end = NULL;
    if (!g_ascii_isdigit(text[0]) || g_ascii_tolower(text[1]) == 'x') {
        return FALSE;
    }
    *value = g_ascii_strtod(text, &end);
    *rest = end;
    return isfinite(*value);
}

static gboolean read_with_unit(const char *text, const struct unit *units, int64_t *value)
{
    double number = 0.0;
    const char *rest = NULL;
    if (!read_number(text, &number, &rest)) {
        return FALSE;
    }
    for (; units->name; units++) {
        if (strcmp(rest, units->name) == 0) {
            double scaled = number * units->factor;
            *value = (int64_t)(scaled + 0.5);
            return scaled < 9e18;
        }
    }
    return FALSE;
}

/* Bit/s: a number, with k, M or G for thousands, millions, thousand millions. */
gboolean link_value_rate(const char *text, int64_t *rate_bps)
{
    static const struct unit units[] = {{"", 1.0}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};
    return read_with_unit(text, units, rate_bps);
}

/* A number and ns, us, ms or s. A bare number is refused, unless it is 0: nanoseconds would be as
 * right as seconds. */
gboolean link_value_time(const char *text, int64_t *time_ns)
{
    static const struct unit units[] = {
        {"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
    if (strcmp(text, "0") == 0) {
        *time_ns = 0;
        return TRUE;
    }
    return read_with_unit(text, units, time_ns);
}

gboolean link_value_whole(const char *text, int64_t *value)
{
    guint64 number = 0;
    if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT64, &number, NULL)) {
        return FALSE;
    }
    *value = (int64_t)number;
    return TRUE;
}

gboolean link_value_real(const char *text, double *value)
{
    const char *rest = NULL;
    return read_number(text, value, &rest) && *rest == '\0';
}

/* --- settings ------------------------------------------------------------------------------ */

/* A link of 1 Gbit/s without delay that loses nothing. */
void link_settings_init(struct link_settings *settings)
{
    struct weir__path_config *path = &settings->path;
    *settings = (struct link_settings){.loss_burst = 1.0};
    weir__path_config_default(path);
    path->link.capacity_bps = DEFAULT_CAPACITY_BPS;
    path->link.delay_ns = 0;
    path->link.queue.limit = (struct weir__queue_limit){.time_ns = WEIR_UNKNOWN_NS};
    path->link.policer.burst_bytes = DEFAULT_BURST_BYTES;
    path->link.shaper.burst_bytes = DEFAULT_BURST_BYTES;
    path->link.aggregation.airtime_ns = WEIR_MS(4);
    path->link.aggregation.access_ns = WEIR_MS(2);
    path->max_packets = LINK_MAX_INSIDE;
}

void link_settings_finish(struct link_settings *settings)
{
    g_free(settings->path.trace_name);
    g_free(settings->path.schedule);
    g_free(settings->path.delay_schedule);
    g_free(settings->path.cross_traffic);
}

const struct link_setting *link_settings_find(const char *name)
{
    for (gsize i = 0; i < link_settings_count; i++) {
        if (strcmp(name, link_settings_table[i].name) == 0) {
            return &link_settings_table[i];
        }
    }
    return NULL;
}

static gboolean read_discipline(const char *text, enum weir__queue_discipline *discipline)
{
    for (int i = 0; i < WEIR__QUEUE_DISCIPLINES; i++) {
        if (strcmp(text, weir__queue_names[i]) == 0) {
            *discipline = (enum weir__queue_discipline)i;
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean read_switch(const char *text, bool *on)
{
    bool is_on = strcmp(text, "on") == 0;
    *on = is_on || (strcmp(text, "off") != 0 && *on);
    return is_on || strcmp(text, "off") == 0;
}

static gboolean read_integer(const struct link_setting *setting, const char *text, int64_t *value)
{
    switch (setting->kind) {
    case LINK_RATE:
        return link_value_rate(text, value);
    case LINK_TIME:
        return link_value_time(text, value);
    default:
        return link_value_whole(text, value);
    }
}

static gboolean in_range(const struct link_setting *setting, double value)
{
    return value >= setting->least && value <= setting->most;
}

/* Texts are checked when the path is made. A value outside its range changes nothing. */
gboolean link_settings_set(struct link_settings *settings, const struct link_setting *setting,
                           const char *text, GError **error)
{
    char *field = (char *)settings + setting->offset;
    int64_t integer = 0;
    double real = 0.0;
    gboolean good = TRUE;
    if (setting->kind == LINK_TEXT) {
        g_free(*(char **)(void *)field);
        *(char **)(void *)field = g_strdup(text);
    } else if (setting->kind == LINK_DISCIPLINE) {
        good = read_discipline(text, (enum weir__queue_discipline *)(void *)field);
    } else if (setting->kind == LINK_SWITCH) {
        good = read_switch(text, (bool *)field);
    } else if (setting->kind == LINK_REAL) {
        good = link_value_real(text, &real) && in_range(setting, real);
        *(double *)(void *)field = good ? real : *(double *)(void *)field;
    } else {
        good = read_integer(setting, text, &integer) && in_range(setting, (double)integer);
        *(int64_t *)(void *)field = good ? integer : *(int64_t *)(void *)field;
    }
    if (!good) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG, "%s '%s' is not %s", setting->name, text,
                    setting->range);
    }
    return good;
}

/* What is in the file of the trace, *text = NULL when there is none. Free with g_free. */
gboolean link_settings_read_trace(const struct link_settings *settings, char **text, GError **error)
{
    *text = NULL;
    if (!settings->path.trace_name) {
        return TRUE;
    }
    if (!g_file_get_contents(settings->path.trace_name, text, NULL, error)) {
        (*error)->domain = LINK_ERROR;
        (*error)->code = LINK_EXIT_WRONG;
        return FALSE;
    }
    return TRUE;
}

/* The texts stay those of the settings; the trace is not read. */
void link_settings_config(const struct link_settings *settings, struct weir__path_config *config)
{
    struct weir__queue_limit *limit = &config->link.queue.limit;
    *config = settings->path;
    if (limit->time_ns == WEIR_UNKNOWN_NS) {
        limit->time_ns = limit->packets > 0 || limit->bytes > 0 ? 0 : DEFAULT_QUEUE_NS;
    }
    weir__link_loss_in_bursts(&config->link.loss, settings->loss, settings->loss_burst);
}
