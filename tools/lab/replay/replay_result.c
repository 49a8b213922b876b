/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/replay_result.h"
#include "text/writer.h"
#include "weir/units.h"

/* May be called again. */
void lab_replay_result_clear(struct lab_replay_result *result)
{
    g_clear_pointer(&result->recorded_algorithm, g_free);
    g_clear_pointer(&result->algorithm, g_free);
}

/* The object that docs/lab.md describes. Free with g_free. */
char *lab_replay_to_json(const struct lab_replay_result *result)
{
    struct lab_writer writer;
    lab_writer_init(&writer);
    lab_write_text(&writer, "recorded_algorithm", result->recorded_algorithm);
    lab_write_text(&writer, "algorithm", result->algorithm);
    lab_write_int(&writer, "records", result->records);
    lab_write_seconds(&writer, "duration_s", result->duration_ns);
    lab_write_int(&writer, "decisions", result->decisions);
    if (result->is_compared) {
        lab_write_int(&writer, "differences", result->differences);
    } else {
        lab_write_text(&writer, "differences", NULL);
    }
    if (result->first_difference_ns == WEIR_UNKNOWN_NS) {
        lab_write_text(&writer, "first_difference_s", NULL);
    } else {
        lab_write_seconds(&writer, "first_difference_s", result->first_difference_ns);
    }
    lab_write_real(&writer, "recorded_bps", result->recorded_bps);
    lab_write_real(&writer, "replayed_bps", result->replayed_bps);
    return lab_writer_finish(&writer);
}

/* A sentence or two for people. Free with g_free. */
char *lab_replay_to_text(const struct lab_replay_result *result)
{
    GString *text = g_string_new(NULL);
    double duration_s = (double)result->duration_ns * 1e-9;
    g_string_append_printf(text,
                           "%s: %" G_GINT64_FORMAT " records, %.1f s, %" G_GINT64_FORMAT
                           " decisions, mean rate %.0f kbit/s\n",
                           result->recorded_algorithm, result->records, duration_s,
                           result->decisions, result->recorded_bps / 1e3);
    if (!result->is_compared) {
        g_string_append_printf(text, "%s would have answered %.0f kbit/s on average\n",
                               result->algorithm, result->replayed_bps / 1e3);
    } else if (result->differences == 0) {
        g_string_append(text, "the replay gives the same answers, bit for bit\n");
    } else {
        g_string_append_printf(text,
                               "the replay differs %" G_GINT64_FORMAT
                               " times, first after %.6f s: the algorithm is not the same any "
                               "more\n",
                               result->differences, (double)result->first_difference_ns * 1e-9);
    }
    return g_string_free(text, FALSE);
}
