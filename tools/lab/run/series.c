/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/series.h"
#include "scenario/error.h"
#include "text/number.h"
#include "weir/units.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BUFFER_BYTES 65536

struct table {
    char *path;
    FILE *file;
    GString *row; /* the present one */
    int error;    /* errno of the first failure */
};

struct lab_series {
    const struct lab_scenario *scenario;
    char *directory;
    char **variables; /* NULL-terminated: names of the columns of flows.csv after the others */
    struct table flows;
    struct table links;
    struct lab_counts *last; /* of each flow, at the end of the last bin */
};

static void set_error(GError **error, const char *what, const char *path, int number)
{
    g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "%s '%s': %s", what, path, g_strerror(number));
}

static void end_row(struct table *table)
{
    g_string_append_c(table->row, '\n');
    errno = 0;
    if (!table->error &&
        fwrite(table->row->str, 1, table->row->len, table->file) != table->row->len) {
        table->error = errno ? errno : EIO;
    }
    g_string_truncate(table->row, 0);
}

static gboolean table_open(struct table *table, const char *directory, const char *name,
                           const char *head, GError **error)
{
    table->path = g_build_filename(directory, name, NULL);
    table->row = g_string_new(head);
    table->file = g_fopen(table->path, "wb");
    if (!table->file) {
        set_error(error, "cannot write", table->path, errno);
        return FALSE;
    }
    setvbuf(table->file, NULL, _IOFBF, BUFFER_BYTES);
    end_row(table);
    return TRUE;
}

static gboolean table_close(struct table *table, GError **error)
{
    if (table->file && fclose(table->file) != 0 && !table->error) {
        table->error = errno;
    }
    table->file = NULL;
    if (table->error) {
        set_error(error, "cannot write", table->path, table->error);
    }
    return !table->error;
}

static void table_clear(struct table *table)
{
    table_close(table, NULL);
    g_free(table->path);
    if (table->row) {
        g_string_free(table->row, TRUE);
    }
}

/* The directory, without the result of an earlier run. */
static gboolean prepare(const char *directory, GError **error)
{
    if (g_mkdir_with_parents(directory, 0777) != 0) {
        set_error(error, "cannot create directory", directory, errno);
        return FALSE;
    }
    g_autofree char *old = g_build_filename(directory, "result.json", NULL);
    gboolean good = g_remove(old) == 0 || errno == ENOENT;
    if (!good) {
        set_error(error, "cannot replace", old, errno);
    }
    return good;
}

static gboolean write_file(const char *directory, const char *name, const char *text,
                           GError **error)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    GError *why = NULL;
    gboolean good = g_file_set_contents(path, text, -1, &why);
    if (!good) {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_IO, why->message);
        g_error_free(why);
    }
    return good;
}

/* Free with g_free. */
static char *flows_head(const struct lab_series *series)
{
    GString *head =
        g_string_new("time_s,flow,sent_bytes,received_bytes,goodput_bytes,sent_packets,"
                     "lost_packets,allowed_bps,target_bps,window_packets,rtt_ms,delay_ms,"
                     "generated_packets,discarded_packets");
    for (gsize i = 0; series->variables[i]; i++) {
        g_string_append_printf(head, ",%s", series->variables[i]);
    }
    return g_string_free(head, FALSE);
}

static gboolean open_all(struct lab_series *series, GError **error)
{
    g_autofree char *resolved = lab_scenario_text(series->scenario);
    g_autofree char *head = flows_head(series);
    return prepare(series->directory, error) &&
           write_file(series->directory, "scenario.json", resolved, error) &&
           table_open(&series->flows, series->directory, "flows.csv", head, error) &&
           table_open(&series->links, series->directory, "links.csv",
                      "time_s,link,capacity_bps,delivered_bytes,offered_packets,dropped_packets,"
                      "lost_packets,queue_packets,queue_packets_max,queue_ms",
                      error);
}

/* Creates the directory and begins the files. NULL and *error when that is impossible. The scenario
 * must outlive it. */
struct lab_series *lab_series_create(const char *directory, const struct lab_scenario *scenario,
                                     const char *const *variables, GError **error)
{
    const char *const none[] = {NULL};
    struct lab_series *series = g_new0(struct lab_series, 1);
    series->scenario = scenario;
    series->directory = g_strdup(directory);
    series->variables = g_strdupv((char **)(guintptr)(variables ? variables : none));
    if (!open_all(series, error)) {
        lab_series_destroy(series);
        return NULL;
    }
    series->last = g_new0(struct lab_counts, scenario->n_flows);
    return series;
}

/* Accepts NULL. */
void lab_series_destroy(struct lab_series *series)
{
    if (!series) {
        return;
    }
    table_clear(&series->flows);
    table_clear(&series->links);
    g_free(series->last);
    g_strfreev(series->variables);
    g_free(series->directory);
    g_free(series);
}

/* Names in scenarios have no commas and no quotes. */
static void begin_row(GString *row, int64_t end_ns, const char *name)
{
    lab_append_fixed(row, end_ns, LAB_SECONDS_DECIMALS);
    g_string_append_c(row, ',');
    g_string_append(row, name);
}

static void add_int(GString *row, int64_t value)
{
    g_string_append_c(row, ',');
    lab_append_int(row, value);
}

/* To a thousandth: of a packet. */
static void add_thousandths(GString *row, double value)
{
    g_string_append_c(row, ',');
    lab_append_fixed(row, (int64_t)(value * 1000.0 + 0.5), 3);
}

/* Milliseconds, nothing for a time that is not known. */
static void add_ms(GString *row, int64_t value_ns)
{
    g_string_append_c(row, ',');
    if (value_ns != WEIR_UNKNOWN_NS) {
        lab_append_fixed(row, value_ns, LAB_MS_DECIMALS);
    }
}

/* Nothing when the flow's algorithm has no such variable, or no value for it. */
static void add_variable(GString *row, const struct lab_variables *variables, const char *name)
{
    g_string_append_c(row, ',');
    for (size_t i = 0; i < variables->n; i++) {
        if (strcmp(variables->all[i].name, name) == 0 && isfinite(variables->all[i].value)) {
            lab_append_real(row, variables->all[i].value);
        }
    }
}

static int64_t mean_delay_ns(const struct weir__flow_meter *now,
                             const struct weir__flow_meter *last)
{
    int64_t packets = now->received_packets - last->received_packets;
    return packets > 0 ? (int64_t)((now->delay_sum_ns - last->delay_sum_ns) / (double)packets)
                       : WEIR_UNKNOWN_NS;
}

/* The row of a bin that ends at end_ns; counts are sums since the start. */
void lab_series_add_flow(struct lab_series *series, guint flow, int64_t end_ns,
                         const struct lab_counts *counts, const struct weir__flow_state *state,
                         const struct lab_variables *variables)
{
    GString *row = series->flows.row;
    const struct weir__flow_meter *now = &counts->meter;
    const struct weir__flow_meter *last = &series->last[flow].meter;
    const struct weir__packet_counters *route = &counts->route;
    const struct weir__packet_counters *last_route = &series->last[flow].route;
    begin_row(row, end_ns, series->scenario->flows[flow]->name);
    add_int(row, now->sent_bytes - last->sent_bytes);
    add_int(row, now->received_bytes - last->received_bytes);
    add_int(row, now->goodput_bytes - last->goodput_bytes);
    add_int(row, now->sent_packets - last->sent_packets);
    add_int(row, route->dropped_packets + route->lost_packets - last_route->dropped_packets -
                     last_route->lost_packets);
    add_int(row, state->allowed_bps);
    add_int(row, state->target_bps);
    add_thousandths(row, state->window_packets);
    add_ms(row, state->rtt_ns);
    add_ms(row, mean_delay_ns(now, last));
    add_int(row, now->generated_packets - last->generated_packets);
    add_int(row, now->discarded_packets - last->discarded_packets);
    for (gsize i = 0; series->variables[i]; i++) {
        add_variable(row, variables, series->variables[i]);
    }
    end_row(&series->flows);
    series->last[flow] = *counts;
}

/* The row of a bin of bin_ns that ends at end_ns. */
void lab_series_add_link(struct lab_series *series, guint link, int64_t end_ns, int64_t bin_ns,
                         const struct lab_link_difference *difference,
                         const struct lab_link_bin *bin)
{
    GString *row = series->links.row;
    begin_row(row, end_ns, series->scenario->links[link]->name);
    add_int(row, (int64_t)(difference->capacity_bits * 1e9 / (double)bin_ns + 0.5));
    add_int(row, difference->counters.delivered_bytes);
    add_int(row, difference->counters.offered_packets);
    add_int(row, difference->counters.dropped_packets);
    add_int(row, difference->counters.lost_packets);
    add_thousandths(row,
                    bin->looks > 0 ? (double)bin->queue_packets_sum / (double)bin->looks : 0.0);
    add_int(row, bin->queue_packets_max);
    add_ms(row, bin->wait_looks > 0 ? (int64_t)(bin->wait_sum_ns / (double)bin->wait_looks)
                                    : WEIR_UNKNOWN_NS);
    end_row(&series->links);
}

/* Closes the files and writes the result beside them, unless one of them is not whole. */
gboolean lab_series_finish(struct lab_series *series, const char *result, GError **error)
{
    gboolean flows = table_close(&series->flows, error);
    gboolean links = table_close(&series->links, flows ? error : NULL);
    return flows && links && write_file(series->directory, "result.json", result, error);
}
