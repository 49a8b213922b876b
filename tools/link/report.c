/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"
#include "error.h"
#include "weir/units.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* --- numbers in the C locale, whatever the user's is ---------------------------------------------
 */

static void add_real(GString *line, const char *format, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(line, g_ascii_formatd(text, sizeof text, format, value));
}

static void add_integer(GString *line, const char *name, int64_t value)
{
    g_string_append_printf(line, "\"%s\":%" G_GINT64_FORMAT ",", name, value);
}

static void add_time_ms(GString *line, const char *name, int64_t value_ns)
{
    g_string_append_printf(line, "\"%s\":", name);
    if (value_ns == WEIR_NEVER_NS) {
        g_string_append(line, "null");
    } else {
        add_real(line, "%.3f", (double)value_ns / 1e6);
    }
    g_string_append_c(line, ',');
}

static void end_object(GString *line)
{
    line->str[line->len - 1] = '}'; /* instead of the comma */
}

/* --- the line of JSON ----------------------------------------------------------------------------
 */

static void add_counters(GString *line, const struct weir__packet_counters *stats)
{
    add_integer(line, "offered_packets", stats->offered_packets);
    add_integer(line, "offered_bytes", stats->offered_bytes);
    add_integer(line, "delivered_packets", stats->delivered_packets);
    add_integer(line, "delivered_bytes", stats->delivered_bytes);
    add_integer(line, "dropped_packets", stats->dropped_packets);
    add_integer(line, "lost_packets", stats->lost_packets);
}

static void add_protocols(GString *line, const struct link_direction *direction)
{
    for (int protocol = 0; protocol < LINK_PROTOCOLS; protocol++) {
        struct weir__packet_counters stats;
        weir__path_get_flow_stats(direction->path, direction->flows[protocol], &stats);
        g_string_append_printf(line, "\"%s\":{", link_protocol_names[protocol]);
        add_counters(line, &stats);
        end_object(line);
        g_string_append_c(line, ',');
    }
}

static void add_direction(GString *line, const struct link_direction *direction,
                          struct weir__path_stats *last, int64_t interval_ns)
{
    struct weir__path_stats stats;
    weir__path_get_stats(direction->path, &stats);
    add_integer(line, "capacity_bps", stats.capacity_bps);
    add_integer(line, "offered_bps",
                weir_rate_bps(stats.user.offered_bytes - last->user.offered_bytes, interval_ns));
    add_integer(
        line, "delivered_bps",
        weir_rate_bps(stats.user.delivered_bytes - last->user.delivered_bytes, interval_ns));
    add_counters(line, &stats.user);
    add_integer(line, "queue_packets", stats.queue_packets);
    add_time_ms(line, "queue_ms", stats.queue_delay_ns);
    add_integer(line, "cross_bytes", stats.cross.delivered_bytes);
    add_integer(line, "too_large_packets", direction->too_large);
    add_integer(line, "unwritten_packets", direction->unwritten);
    add_time_ms(line, "late_ms_p50", link_lateness_quantile_ns(&direction->lateness, 0.5));
    add_time_ms(line, "late_ms_p99", link_lateness_quantile_ns(&direction->lateness, 0.99));
    add_time_ms(line, "late_ms_max", direction->lateness.most_ns);
    add_protocols(line, direction);
    *last = stats;
}

/* Counts are sums since the start, rates are of the time since the line before. */
GString *link_report_make_line(struct link_report *report, int64_t now_ns)
{
    static const char *const names[] = {"forward", "reverse"};
    GString *line = g_string_new("{\"time_s\":");
    add_real(line, "%.3f", (double)now_ns / 1e9);
    g_string_append_c(line, ',');
    for (int i = 0; i < 2; i++) {
        g_string_append_printf(line, "\"%s\":{", names[i]);
        add_direction(line, report->directions[i], &report->last_stats[i],
                      now_ns - report->last_stats_ns);
        end_object(line);
        g_string_append_c(line, ',');
    }
    end_object(line);
    g_string_append_c(line, '\n');
    report->last_stats_ns = now_ns;
    return line;
}

/* A reader that does not read must not hold up the packets: it misses lines. */
void link_report_print(struct link_report *report, int64_t now_ns)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    GString *line = link_report_make_line(report, now_ns);
    if (poll(&out, 1, 0) == 1 && (out.revents & POLLOUT)) {
        fputs(line->str, stdout);
        fflush(stdout);
    }
    g_string_free(line, TRUE);
}

/* --- the log -------------------------------------------------------------------------------------
 */

static void add_rate(GString *line, int64_t bytes, int64_t interval_ns)
{
    g_string_append_printf(line, ",%" G_GINT64_FORMAT, weir_rate_bps(bytes, interval_ns));
}

static void write_log(struct link_report *report, int64_t now_ns)
{
    const struct link_direction *direction = report->directions[0];
    const struct weir__path_stats *last = &report->last_log;
    int64_t interval_ns = now_ns - report->last_log_ns;
    struct weir__path_stats stats;
    GString *line = g_string_new(NULL);
    weir__path_get_stats(direction->path, &stats);
    add_real(line, "%.3f", (double)now_ns / 1e9);
    g_string_append_printf(line, ",%" G_GINT64_FORMAT, stats.capacity_bps);
    add_rate(line, stats.user.offered_bytes - last->user.offered_bytes, interval_ns);
    add_rate(line, stats.user.delivered_bytes - last->user.delivered_bytes, interval_ns);
    add_rate(line, stats.cross.delivered_bytes - last->cross.delivered_bytes, interval_ns);
    g_string_append_c(line, ',');
    if (stats.queue_delay_ns != WEIR_NEVER_NS) {
        add_real(line, "%.3f", (double)stats.queue_delay_ns / 1e6);
    }
    g_string_append_printf(line, ",%" G_GINT64_FORMAT,
                           stats.user.dropped_packets + stats.user.lost_packets -
                               last->user.dropped_packets - last->user.lost_packets);
    for (int protocol = LINK_TCP; protocol <= LINK_UDP; protocol++) {
        struct weir__packet_counters one;
        weir__path_get_flow_stats(direction->path, direction->flows[protocol], &one);
        add_rate(line, one.delivered_bytes - report->last_protocols[protocol].delivered_bytes,
                 interval_ns);
        report->last_protocols[protocol] = one;
    }
    fprintf(report->log, "%s\n", line->str);
    g_string_free(line, TRUE);
    report->last_log = stats;
    report->last_log_ns = now_ns;
}

/* --- when ----------------------------------------------------------------------------------------
 */

/* stats_interval_ns may be WEIR_NEVER_NS. */
void link_report_init(struct link_report *report, const struct link_direction *forward,
                      const struct link_direction *reverse, int64_t stats_interval_ns)
{
    *report = (struct link_report){.directions = {forward, reverse},
                                   .stats_interval_ns = stats_interval_ns,
                                   .next_stats_ns = stats_interval_ns,
                                   .next_log_ns = WEIR_NEVER_NS};
}

/* Empties the file and writes its header. */
gboolean link_report_open_log(struct link_report *report, const char *location, int64_t interval_ns,
                              GError **error)
{
    report->log = fopen(location, "we");
    if (!report->log) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED, "the log cannot be written: %s: %s",
                    location, g_strerror(errno));
        return FALSE;
    }
    fputs(
        "time_s,capacity_bps,offered_bps,delivered_bps,cross_bps,queue_ms,drops,tcp_bps,udp_bps\n",
        report->log);
    fflush(report->log);
    report->log_interval_ns = interval_ns;
    report->next_log_ns = interval_ns;
    return TRUE;
}

void link_report_finish(struct link_report *report)
{
    if (report->log) {
        fclose(report->log);
        report->log = NULL;
    }
}

int64_t link_report_next_ns(const struct link_report *report)
{
    return weir_min_i64(report->next_stats_ns, report->next_log_ns);
}

/* The first time after now at which something that happens every interval is due. */
static int64_t next_due_ns(int64_t due_ns, int64_t interval_ns, int64_t now_ns)
{
    return due_ns + ((now_ns - due_ns) / interval_ns + 1) * interval_ns;
}

/* Writes what is due. */
void link_report_run(struct link_report *report, int64_t now_ns)
{
    if (now_ns >= report->next_log_ns) {
        report->next_log_ns = next_due_ns(report->next_log_ns, report->log_interval_ns, now_ns);
        write_log(report, now_ns);
    }
    if (now_ns >= report->next_stats_ns) {
        report->next_stats_ns =
            next_due_ns(report->next_stats_ns, report->stats_interval_ns, now_ns);
        link_report_print(report, now_ns);
    }
}
