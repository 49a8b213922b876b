/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/trace_replay.h"
#include "control/replay.h"
#include "replay/trace_file.h"
#include "text/number.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WHY_BYTES 1024 /* of weir_param_check(): it lists up to 512 bytes of names */

struct run {
    struct weir__replay replay;
    struct lab_replay_result *result;
    FILE *csv; /* NULL = not wanted */
    int64_t start_ns;
    int64_t last_ns;
    double recorded_bits; /* rate x time so far */
    double replayed_bits;
    int64_t csv_recorded_bps; /* of the last row */
    int64_t csv_replayed_bps;
};

static gboolean G_GNUC_PRINTF(2, 3) fail(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
    return FALSE;
}

/* "K=V" of the algorithm into its values. */
static gboolean set_param(const struct weir_controller *controller, const char *text,
                          double values[WEIR_MAX_PARAMS], GError **error)
{
    const char *equals = strchr(text, '=');
    char why[WHY_BYTES];
    if (!equals) {
        return fail(error, "--param %s: must be NAME=VALUE", text);
    }
    g_autofree char *name = g_strndup(text, (gsize)(equals - text));
    struct weir_param_value given = {.name = name, .value_text = equals + 1};
    double value = 0.0;
    gboolean ok = weir_param_check(controller->name, &given, &value, why, sizeof why) == WEIR_OK;
    for (size_t i = 0; ok && i < controller->n_params; i++) {
        if (strcmp(controller->params[i].name, name) == 0) {
            values[i] = value;
        }
    }
    return ok || fail(error, "--param %s: %s", text, why);
}

static char *known_algorithms(void)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", weir_algorithm_name(i));
    }
    return g_string_free(text, FALSE);
}

static gboolean choose_algorithm(struct run *run, const struct lab_replay_options *options,
                                 GError **error)
{
    double values[WEIR_MAX_PARAMS];
    if (!options->algorithm) {
        weir__replay_init(&run->replay, NULL, NULL);
        return !options->params || !options->params[0] ||
               fail(error, "--param needs --algorithm: a replay of the recorded algorithm has the "
                           "recorded parameters");
    }
    const struct weir_controller *controller = weir__controller_find(options->algorithm);
    if (!controller) {
        g_autofree char *known = known_algorithms();
        fail(error, "--algorithm %s: there is no such algorithm; there are %s", options->algorithm,
             known);
        return FALSE;
    }
    weir__params_resolve(controller, NULL, 0, values, NULL);
    for (size_t i = 0; options->params && options->params[i]; i++) {
        if (!set_param(controller, options->params[i], values, error)) {
            return FALSE;
        }
    }
    weir__replay_init(&run->replay, controller, values);
    return TRUE;
}

static gboolean open_csv(struct run *run, const char *directory, GError **error)
{
    if (!directory) {
        return TRUE;
    }
    g_autofree char *name = g_build_filename(directory, "replay.csv", NULL);
    gboolean ok = g_mkdir_with_parents(directory, 0777) == 0;
    run->csv = ok ? fopen(name, "wb") : NULL;
    if (run->csv) {
        fputs("time_s,recorded_bps,replayed_bps\n", run->csv);
    } else {
        fail(error, "--out %s: cannot be written: %s", directory, g_strerror(errno));
    }
    return run->csv != NULL;
}

/* FALSE when a row could not be written. */
static gboolean close_csv(struct run *run)
{
    gboolean whole = !run->csv || !ferror(run->csv);
    return (!run->csv || fclose(run->csv) == 0) && whole;
}

static void write_row(struct run *run, int64_t recorded_bps, int64_t replayed_bps)
{
    if (!run->csv ||
        (recorded_bps == run->csv_recorded_bps && replayed_bps == run->csv_replayed_bps)) {
        return;
    }
    GString *row = g_string_new(NULL);
    lab_append_fixed(row, run->replay.now_ns - run->start_ns, LAB_SECONDS_DECIMALS);
    g_string_append_c(row, ',');
    lab_append_int(row, recorded_bps);
    g_string_append_c(row, ',');
    lab_append_int(row, replayed_bps);
    g_string_append_c(row, '\n');
    fwrite(row->str, 1, row->len, run->csv);
    g_string_free(row, TRUE);
    run->csv_recorded_bps = recorded_bps;
    run->csv_replayed_bps = replayed_bps;
}

/* The answers that held until now count for the time they held. */
static void integrate(struct run *run, int64_t now_ns)
{
    double elapsed_s = (double)(now_ns - run->last_ns) * 1e-9;
    run->recorded_bits += elapsed_s * (double)run->replay.recorded.rate_bps;
    run->replayed_bits += elapsed_s * (double)run->replay.control.rate_bps;
    run->last_ns = now_ns;
}

static void on_first(struct run *run, const struct weir_trace_record *record)
{
    run->start_ns = record->now_ns;
    run->last_ns = record->now_ns;
    run->csv_recorded_bps = -1;
    run->result->recorded_algorithm =
        g_strdup(record->kind == WEIR_TRACE_START ? record->name : "");
}

static gboolean on_record(struct run *run, const struct lab_trace *trace,
                          const struct weir_trace_record *record, GError **error)
{
    if (run->result->records == 0) {
        on_first(run, record);
    }
    integrate(run, weir_max_i64(record->now_ns, run->last_ns));
    enum weir_status status = weir__replay_record(&run->replay, record);
    if (status != WEIR_OK) {
        g_autofree char *where = lab_trace_where(trace);
        fail(error, "%s: %s", where,
             status == WEIR_ERROR_MALFORMED
                 ? "this record cannot stand here: lines are missing or out of order"
                 : "the trace was made by a version with another algorithm or other parameters");
        return FALSE;
    }
    run->result->records++;
    write_row(run, run->replay.recorded.rate_bps, run->replay.control.rate_bps);
    return TRUE;
}

static gboolean run_all(struct run *run, struct lab_trace *trace, GError **error)
{
    const struct weir_trace_record *record = NULL;
    do {
        if (!lab_trace_read(trace, &record, error) ||
            (record && !on_record(run, trace, record, error))) {
            return FALSE;
        }
    } while (record);
    if (weir__replay_finish(&run->replay) != WEIR_OK) {
        g_autofree char *where = lab_trace_where(trace);
        fail(error, "%s: the trace ends %s", where,
             run->result->records == 0 ? "before it has begun" : "in the middle of an event");
        return FALSE;
    }
    return TRUE;
}

static void fill_result(const struct run *run)
{
    struct lab_replay_result *result = run->result;
    const struct weir__replay *replay = &run->replay;
    result->algorithm = g_strdup(replay->other ? replay->other->name : result->recorded_algorithm);
    result->duration_ns = run->last_ns - run->start_ns;
    result->is_compared = !replay->other;
    result->decisions = replay->decisions;
    result->differences = replay->differences;
    result->first_difference_ns = replay->first_difference_ns == WEIR_UNKNOWN_NS
                                      ? WEIR_UNKNOWN_NS
                                      : replay->first_difference_ns - run->start_ns;
    if (result->duration_ns > 0) {
        double duration_s = (double)result->duration_ns * 1e-9;
        result->recorded_bps = run->recorded_bits / duration_s;
        result->replayed_bps = run->replayed_bits / duration_s;
    }
}

/* Fills *result, which is to be cleared in any case. FALSE: *error has one line that says what is
 * wrong and where. */
gboolean lab_replay_run(const struct lab_replay_options *options, struct lab_replay_result *result,
                        GError **error)
{
    struct lab_trace trace;
    g_autofree struct run *run = g_new0(struct run, 1);
    run->result = result;
    *result = (struct lab_replay_result){.first_difference_ns = WEIR_UNKNOWN_NS};
    gboolean ok = lab_trace_open(&trace, options->location, error) &&
                  choose_algorithm(run, options, error) && open_csv(run, options->out, error) &&
                  run_all(run, &trace, error);
    if (ok) {
        fill_result(run);
    }
    if (!close_csv(run) && ok) {
        ok = FALSE;
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_IO, "--out %s: cannot be written: %s",
                    options->out, g_strerror(errno));
    }
    lab_trace_close(&trace);
    return ok;
}
