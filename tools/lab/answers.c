/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "answers.h"
#include "plugins.h"
#include "scenario/error.h"
#include "weir/trace.h"

/* A flow whose algorithm came with a plugin. */
struct watched {
    const struct lab_flow *flow;
    struct lab_answers *answers;
};

struct lab_answers {
    volatile sig_atomic_t *stop;
    char *wrong; /* the first sentence */
    struct watched *flows;
};

/* What weir/contract.h wants to be 0 or more. */
static const char *find_negative(const struct weir_output *control, int64_t *value)
{
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {{"rate_bps", control->allowed_wire_bps},
                  {"pacing_bps", control->pacing_wire_bps},
                  {"window_bytes", control->window_bytes}};
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (fields[i].value < 0) {
            *value = fields[i].value;
            return fields[i].name;
        }
    }
    return NULL;
}

static void on_trace(void *user, const struct weir_trace_record *record)
{
    const struct watched *watched = user;
    struct lab_answers *answers = watched->answers;
    int64_t value = 0;
    const char *name = record->kind == WEIR_TRACE_CONTROL && !answers->wrong
                           ? find_negative(&record->output, &value)
                           : NULL;
    if (name) {
        answers->wrong =
            g_strdup_printf("flow '%s', after %.3f s: %s answered %s = %" G_GINT64_FORMAT
                            "; it must be 0 or more%s",
                            watched->flow->name, (double)record->now_ns / 1e9,
                            watched->flow->media.sender.algorithm, name, value,
                            value == INT64_MIN ? " (this is what x86-64 makes of a NaN)" : "");
        *answers->stop = 1;
    }
}

struct lab_answers *lab_answers_watch(struct lab_world *world, const struct lab_scenario *scenario,
                                      volatile sig_atomic_t *stop)
{
    struct lab_answers *answers = g_new0(struct lab_answers, 1);
    answers->stop = stop;
    answers->flows = g_new0(struct watched, scenario->n_flows + 1);
    for (guint i = 0; i < scenario->n_flows; i++) {
        struct weir__media_flow *media = lab_world_media(world, i);
        answers->flows[i] = (struct watched){scenario->flows[i], answers};
        if (media && lab_plugins_have(scenario->flows[i]->media.sender.algorithm)) {
            weir_sender_set_trace(weir__media_flow_sender(media), on_trace, &answers->flows[i]);
        }
    }
    return answers;
}

gboolean lab_answers_check(const struct lab_answers *answers, GError **error)
{
    if (answers->wrong) {
        g_set_error_literal(error, LAB_ERROR, LAB_ERROR_INPUT, answers->wrong);
    }
    return !answers->wrong;
}

void lab_answers_free(struct lab_answers *answers)
{
    g_free(answers->wrong);
    g_free(answers->flows);
    g_free(answers);
}
