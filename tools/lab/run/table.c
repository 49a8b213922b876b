/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/table.h"
#include <math.h>

#define MOST_FLOWS 40 /* listed one by one */
#define UNDEFINED  "-"

/* A number in `width` columns, to the right. */
static void add_number(GString *text, int width, int decimals, double value)
{
    char format[16];
    char number[G_ASCII_DTOSTR_BUF_SIZE + 320]; /* %f of the largest double */
    g_snprintf(format, sizeof format, "%%.%df", decimals);
    g_string_append_printf(text, " %*s", width,
                           isfinite(value) ? g_ascii_formatd(number, sizeof number, format, value)
                                           : UNDEFINED);
}

static int longest_name(const struct lab_figures *figures)
{
    glong longest = 12;
    for (guint i = 0; i < figures->n_groups; i++) {
        longest = MAX(longest, g_utf8_strlen(figures->groups[i].flow->group, -1) + 10);
    }
    for (guint i = 0; i < MIN(figures->scenario->n_flows, MOST_FLOWS); i++) {
        longest = MAX(longest, g_utf8_strlen(figures->flows[i].flow->name, -1));
    }
    for (guint i = 0; i < figures->scenario->n_links; i++) {
        longest = MAX(longest, g_utf8_strlen(figures->links[i].name, -1));
    }
    return (int)MIN(longest, 40);
}

static gboolean has_voice(const struct lab_figures *figures)
{
    for (guint i = 0; i < figures->n_groups; i++) {
        if (figures->groups[i].is_voice) {
            return TRUE;
        }
    }
    return FALSE;
}

static void add_name(GString *text, int width, const char *name)
{
    g_string_append(text, name);
    for (glong n = g_utf8_strlen(name, -1); n < width; n++) {
        g_string_append_c(text, ' ');
    }
}

static void add_flow(GString *text, int width, const char *name, const char *algorithm,
                     const struct lab_flow_figures *flow)
{
    const struct weir__packet_counters *route = &flow->counts.route;
    add_name(text, width, name);
    g_string_append_printf(text, " %-14s", algorithm);
    add_number(text, 10, 1, (double)lab_figures_bps(flow, flow->counts.meter.goodput_bytes) / 1e3);
    add_number(text, 10, 1, (double)lab_figures_bps(flow, flow->counts.meter.sent_bytes) / 1e3);
    add_number(text, 7, 2,
               100.0 * lab_ratio(route->dropped_packets + route->lost_packets,
                                 lab_counts_entered_packets(route)));
    add_number(text, 6, 2, flow->values[LAB_COV]);
    add_number(text, 8, 1, flow->values[LAB_DELAY_MEAN_MS]);
    add_number(text, 8, 1, flow->values[LAB_DELAY_P95_MS]);
    add_number(text, 8, 1, flow->values[LAB_RTT_MS]);
    if (flow->is_voice) {
        add_number(text, 6, 1, flow->values[LAB_R_SCORE]);
    }
    g_string_append_c(text, '\n');
}

static void add_flow_head(GString *text, int width, const char *what, gboolean voice)
{
    add_name(text, width, what);
    g_string_append_printf(text, " %-14s %10s %10s %7s %6s %8s %8s %8s%s\n", "algorithm", "goodput",
                           "sent", "lost", "cov", "delay", "p95", "rtt", voice ? "      R" : "");
    add_name(text, width, "");
    g_string_append_printf(text, " %-14s %10s %10s %7s %6s %8s %8s %8s\n", "", "kbit/s", "kbit/s",
                           "%", "", "ms", "ms", "ms");
}

static void add_flows(GString *text, int width, gboolean voice, const struct lab_figures *figures)
{
    guint n_flows = figures->scenario->n_flows;
    add_flow_head(text, width, "flow", voice);
    for (guint i = 0; i < MIN(n_flows, MOST_FLOWS); i++) {
        const struct lab_flow_figures *flow = &figures->flows[i];
        add_flow(text, width, flow->flow->name, flow->flow->algorithm, flow);
    }
    if (n_flows > MOST_FLOWS) {
        g_string_append_printf(text, "... and %u more: --json shows all\n", n_flows - MOST_FLOWS);
    }
}

/* Rates summed, the others means; only where a group is more than one flow. */
static void add_groups(GString *text, int width, gboolean voice, const struct lab_figures *figures)
{
    if (figures->n_groups == figures->scenario->n_flows) {
        return;
    }
    g_string_append_c(text, '\n');
    add_flow_head(text, width, "group", voice);
    for (guint i = 0; i < figures->n_groups; i++) {
        const struct lab_flow_figures *group = &figures->groups[i];
        g_autofree char *name = g_strdup_printf("%s (%u)", group->flow->group, group->n_flows);
        add_flow(text, width, name, group->flow->algorithm, group);
    }
}

static void add_links(GString *text, int width, const struct lab_figures *figures)
{
    g_string_append_c(text, '\n');
    add_name(text, width, "link");
    g_string_append_printf(text, " %12s %8s %7s %9s %9s %9s %9s\n", "capacity", "used", "lost",
                           "queue", "queue p95", "wait", "wait p95");
    add_name(text, width, "");
    g_string_append_printf(text, " %12s %8s %7s %9s %9s %9s %9s\n", "kbit/s", "%", "%", "packets",
                           "packets", "ms", "ms");
    for (guint i = 0; i < figures->scenario->n_links; i++) {
        const struct lab_link_figures *link = &figures->links[i];
        add_name(text, width, link->name);
        add_number(text, 12, 1, link->capacity_bps / 1e3);
        add_number(text, 8, 2, 100.0 * link->utilization);
        add_number(text, 7, 2,
                   100.0 * lab_ratio(link->counters.dropped_packets + link->counters.lost_packets,
                                     link->counters.offered_packets));
        add_number(text, 9, 1, link->queue_packets.mean);
        add_number(text, 9, 0, link->queue_packets.p95);
        add_number(text, 9, 1, link->queue_ms.mean);
        add_number(text, 9, 1, link->queue_ms.p95);
        g_string_append_c(text, '\n');
    }
}

/* Of links that came to be in use after one of the instants. */
static void add_rises(GString *text, const struct lab_figures *figures)
{
    const struct lab_scenario *scenario = figures->scenario;
    for (guint i = 0; i < scenario->n_links; i++) {
        const struct lab_link_figures *link = &figures->links[i];
        gboolean named = FALSE;
        for (guint k = 0; k < scenario->n_rises; k++) {
            if (isfinite(link->rise_s[k])) {
                g_string_append_printf(text, "%s%s", named ? "," : link->name,
                                       named ? "" : ": 90 % in use");
                add_number(text, 1, 2, link->rise_s[k]);
                g_string_append(text, " s after");
                add_number(text, 1, 2, (double)scenario->rise_from_ns[k] / 1e9);
                g_string_append(text, " s");
                named = TRUE;
            }
        }
        g_string_append(text, named ? "\n" : "");
    }
}

/* One flow is always fair to itself. */
static void add_tail(GString *text, const struct lab_figures *figures)
{
    g_string_append_c(text, '\n');
    if (figures->n_compared > 1) {
        g_string_append(text, "Jain's index");
        add_number(text, 1, 3, figures->jain);
        g_string_append(text, "; ");
    }
    g_string_append_printf(text, "%" G_GINT64_FORMAT " events, %" G_GINT64_FORMAT " packets",
                           figures->events, figures->packets);
    if (figures->wall_s > 0.0) {
        g_string_append_printf(text, ", %.2f s (%.2f M events/s)", figures->wall_s,
                               (double)figures->events / figures->wall_s / 1e6);
    }
    g_string_append(text, "\n");
}

/* Free with g_free. */
char *lab_result_table(const struct lab_figures *figures)
{
    GString *text = g_string_new(NULL);
    int width = longest_name(figures);
    gboolean voice = has_voice(figures);
    g_string_append_printf(text, "%s, seed %" G_GUINT64_FORMAT ", measured from",
                           figures->scenario->name, (guint64)figures->scenario->seed);
    add_number(text, 1, 1, (double)figures->from_ns / 1e9);
    g_string_append(text, " s to");
    add_number(text, 1, 1, (double)figures->to_ns / 1e9);
    g_string_append(text, figures->complete ? " s\n\n" : " s: INTERRUPTED, not complete\n\n");
    add_flows(text, width, voice, figures);
    add_groups(text, width, voice, figures);
    add_links(text, width, figures);
    add_rises(text, figures);
    add_tail(text, figures);
    return g_string_free(text, FALSE);
}
