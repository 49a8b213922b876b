/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.h"
#include "error.h"
#include "weir/units.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Numbers are written by printf: the program keeps the C locale for them. */

/* --- the line of JSON ----------------------------------------------------------------------------
 */

static char *queue_ms(const struct weir__path_stats *stats, const char *never)
{
    return stats->queue_delay_ns == WEIR_NEVER_NS
               ? g_strdup(never)
               : g_strdup_printf("%.3f", (double)stats->queue_delay_ns / 1e6);
}

static void add_counters(GString *line, const struct weir__packet_counters *stats)
{
    g_string_append_printf(line,
                           "\"offered_packets\":%" PRId64 ",\"offered_bytes\":%" PRId64
                           ",\"delivered_packets\":%" PRId64 ",\"delivered_bytes\":%" PRId64
                           ",\"dropped_packets\":%" PRId64 ",\"lost_packets\":%" PRId64,
                           stats->offered_packets, stats->offered_bytes, stats->delivered_packets,
                           stats->delivered_bytes, stats->dropped_packets, stats->lost_packets);
}

static void add_protocols(GString *line, const struct link_direction *direction)
{
    for (int protocol = 0; protocol < LINK_PROTOCOLS; protocol++) {
        struct weir__packet_counters stats;
        weir__path_get_flow_stats(direction->path, direction->flows[protocol], &stats);
        g_string_append_printf(line, ",\"%s\":{", link_protocol_names[protocol]);
        add_counters(line, &stats);
        g_string_append_c(line, '}');
    }
}

static double late_ms(const struct link_direction *direction, double quantile)
{
    return (double)link_lateness_quantile_ns(&direction->lateness, quantile) / 1e6;
}

static void add_direction(GString *line, const struct link_direction *direction,
                          struct weir__path_stats *last, int64_t interval_ns)
{
    struct weir__path_stats stats;
    weir__path_get_stats(direction->path, &stats);
    g_autofree char *queue = queue_ms(&stats, "null");
    g_string_append_printf(
        line,
        "\"capacity_bps\":%" PRId64 ",\"offered_bps\":%" PRId64 ",\"delivered_bps\":%" PRId64 ",",
        stats.capacity_bps,
        weir_rate_bps(stats.user.offered_bytes - last->user.offered_bytes, interval_ns),
        weir_rate_bps(stats.user.delivered_bytes - last->user.delivered_bytes, interval_ns));
    add_counters(line, &stats.user);
    g_string_append_printf(line,
                           ",\"queue_packets\":%" PRId64 ",\"queue_ms\":%s,\"cross_bytes\":%" PRId64
                           ",\"too_large_packets\":%" PRId64 ",\"unwritten_packets\":%" PRId64
                           ",\"late_ms_p50\":%.3f,\"late_ms_p99\":%.3f,\"late_ms_max\":%.3f",
                           stats.queue_packets, queue, stats.cross.delivered_bytes,
                           direction->too_large, direction->unwritten, late_ms(direction, 0.5),
                           late_ms(direction, 0.99), (double)direction->lateness.most_ns / 1e6);
    add_protocols(line, direction);
    *last = stats;
}

/* Counts are sums since the start, rates are of the time since the line before. */
GString *link_report_make_line(struct link_report *report, int64_t now_ns)
{
    static const char *const names[] = {"forward", "reverse"};
    GString *line = g_string_new(NULL);
    g_string_printf(line, "{\"time_s\":%.3f", (double)now_ns / 1e9);
    for (int i = 0; i < 2; i++) {
        g_string_append_printf(line, ",\"%s\":{", names[i]);
        add_direction(line, report->directions[i], &report->last_stats[i],
                      now_ns - report->last_stats_ns);
        g_string_append_c(line, '}');
    }
    g_string_append(line, "}\n");
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

static void write_log(struct link_report *report, int64_t now_ns)
{
    const struct link_direction *direction = report->directions[0];
    const struct weir__path_stats *last = &report->last_log;
    int64_t interval_ns = now_ns - report->last_log_ns;
    struct weir__path_stats stats;
    weir__path_get_stats(direction->path, &stats);
    g_autofree char *queue = queue_ms(&stats, "");
    fprintf(report->log, "%.3f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%" PRId64,
            (double)now_ns / 1e9, stats.capacity_bps,
            weir_rate_bps(stats.user.offered_bytes - last->user.offered_bytes, interval_ns),
            weir_rate_bps(stats.user.delivered_bytes - last->user.delivered_bytes, interval_ns),
            weir_rate_bps(stats.cross.delivered_bytes - last->cross.delivered_bytes, interval_ns),
            queue,
            stats.user.dropped_packets + stats.user.lost_packets - last->user.dropped_packets -
                last->user.lost_packets);
    for (int protocol = LINK_TCP; protocol <= LINK_UDP; protocol++) {
        struct weir__packet_counters *before = &report->last_protocols[protocol];
        struct weir__packet_counters now;
        weir__path_get_flow_stats(direction->path, direction->flows[protocol], &now);
        fprintf(report->log, ",%" PRId64,
                weir_rate_bps(now.delivered_bytes - before->delivered_bytes, interval_ns));
        *before = now;
    }
    fputc('\n', report->log);
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
