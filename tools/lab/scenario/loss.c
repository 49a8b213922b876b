/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/loss.h"
#include "scenario/json.h"

struct loss_draft {
    struct weir__link_loss_config config;
    JsonNode *packets;
};

#define LOSS(member) offsetof(struct loss_draft, member)
#define PROBABILITY(field, member)                                                                 \
    {                                                                                              \
        .name = field, .kind = LAB_FIELD_NUMBER, .required = TRUE, .max = 1,                       \
        .offset = LOSS(config.member)                                                              \
    }
#define VARIATION                                                                                  \
    {                                                                                              \
        .name = "variation", .kind = LAB_FIELD_NUMBER, .max = 1, .initial = 0.5,                   \
        .offset = LOSS(config.variation)                                                           \
    }
#define PACKETS(field, member)                                                                     \
    {                                                                                              \
        .name = field, .kind = LAB_FIELD_WHOLE, .required = TRUE, .min = 1, .max = 1e12,           \
        .offset = LOSS(config.member)                                                              \
    }

static const struct lab_field bernoulli_fields[] = {PROBABILITY("p", p)};
static const struct lab_field gilbert_fields[] = {
    PROBABILITY("p_good_to_bad", p_good_to_bad), PROBABILITY("p_bad_to_good", p_bad_to_good),
    PROBABILITY("p_loss_good", p_loss_good), PROBABILITY("p_loss_bad", p_loss_bad)};
static const struct lab_field periodic_fields[] = {PACKETS("every_packets", every_packets)};
static const struct lab_field timed_fields[] = {{.name = "mean_s",
                                                 .kind = LAB_FIELD_SCALED,
                                                 .required = TRUE,
                                                 .scale = LAB_NS_PER_S,
                                                 .min = 1e-6,
                                                 .max = 1e6,
                                                 .offset = LOSS(config.mean_ns)},
                                                VARIATION};
static const struct lab_field counted_fields[] = {PACKETS("mean_packets", mean_packets), VARIATION};
static const struct lab_field trace_fields[] = {
    {.name = "packets", .kind = LAB_FIELD_LIST, .required = TRUE, .offset = LOSS(packets)}};

/* In the order of enum weir__link_loss_model. */
const struct lab_variant lab_losses[] = {
    {"none", NULL, 0},
    {"bernoulli", bernoulli_fields, G_N_ELEMENTS(bernoulli_fields)},
    {"gilbert", gilbert_fields, G_N_ELEMENTS(gilbert_fields)},
    {"periodic", periodic_fields, G_N_ELEMENTS(periodic_fields)},
    {"timed", timed_fields, G_N_ELEMENTS(timed_fields)},
    {"counted", counted_fields, G_N_ELEMENTS(counted_fields)},
    {"trace", trace_fields, G_N_ELEMENTS(trace_fields)},
};
const gsize lab_n_losses = G_N_ELEMENTS(lab_losses);

static gboolean read_trace(const struct lab_place *loss, JsonNode *packets,
                           struct weir__link_loss_config *config, int64_t **trace_packets,
                           GError **error)
{
    const struct lab_field number = {.kind = LAB_FIELD_WHOLE, .min = 1, .max = 1e15};
    struct lab_place place = {.up = loss, .name = "packets"};
    gsize n = 0;
    if (!lab_numbers_read(&number, &place, packets, trace_packets, &n, error)) {
        return FALSE;
    }
    for (gsize i = 1; i < n; i++) {
        if ((*trace_packets)[i] <= (*trace_packets)[i - 1]) {
            return lab_fail(error, &place, packets,
                            "must be ascending, which %" G_GINT64_FORMAT " is not",
                            (*trace_packets)[i]);
        }
    }
    config->trace_packets = *trace_packets;
    config->n_trace = n;
    return TRUE;
}

/* node: NULL = no loss. Free *trace_packets, which config then points to, with g_free, also after a
 * failure. */
gboolean lab_loss_read(const struct lab_place *place, JsonNode *node,
                       struct weir__link_loss_config *config, int64_t **trace_packets,
                       GError **error)
{
    struct lab_place model_place = {.up = place, .name = "model"};
    struct loss_draft loss = {.packets = NULL};
    gsize model = WEIR__LOSS_NONE;
    if (node != NULL && lab_json_get(node, "model") == NULL) {
        return lab_fail(error, &model_place, NULL,
                        "is missing; it must be one of none, bernoulli, gilbert, periodic, timed, "
                        "counted, trace");
    }
    if (!lab_variant_read(lab_losses, lab_n_losses, "model", place, node, &loss, &model, error)) {
        return FALSE;
    }
    *config = loss.config;
    config->model = (enum weir__link_loss_model)model;
    return loss.packets == NULL || read_trace(place, loss.packets, config, trace_packets, error);
}
