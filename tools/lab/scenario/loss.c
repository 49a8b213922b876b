/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/loss.h"

#define LOSS(member) .offset = offsetof(struct weir__link_loss_config, member)
#define PROBABILITY(field, member)                                                                 \
    {                                                                                              \
        .name = field, LAB_NUMBER(0, 1), .required = TRUE, LOSS(member)                            \
    }
#define PACKETS(field, member)                                                                     \
    {                                                                                              \
        .name = field, LAB_WHOLE(1, 1e12), .required = TRUE, LOSS(member)                          \
    }
#define VARIATION                                                                                  \
    {                                                                                              \
        .name = "variation", LAB_NUMBER(0, 1), .initial = 0.5, LOSS(variation)                     \
    }

static const struct lab_field bernoulli_fields[] = {PROBABILITY("p", p)};
static const struct lab_field gilbert_fields[] = {
    PROBABILITY("p_good_to_bad", p_good_to_bad), PROBABILITY("p_bad_to_good", p_bad_to_good),
    PROBABILITY("p_loss_good", p_loss_good), PROBABILITY("p_loss_bad", p_loss_bad)};
static const struct lab_field periodic_fields[] = {PACKETS("every_packets", every_packets)};
static const struct lab_field timed_fields[] = {
    {.name = "mean_s", LAB_SECONDS(1e-6, LAB_LONGEST_S), .required = TRUE, LOSS(mean_ns)},
    VARIATION};
static const struct lab_field counted_fields[] = {PACKETS("mean_packets", mean_packets), VARIATION};
static const struct lab_field trace_fields[] = {
    {.name = "packets", .kind = LAB_FIELD_LIST, .required = TRUE}};

/* In the order of enum weir__link_loss_model. */
const struct lab_variant lab_losses[] = {
    {.name = "none"},
    LAB_VARIANT("bernoulli", bernoulli_fields),
    LAB_VARIANT("gilbert", gilbert_fields),
    LAB_VARIANT("periodic", periodic_fields),
    LAB_VARIANT("timed", timed_fields),
    LAB_VARIANT("counted", counted_fields),
    LAB_VARIANT("trace", trace_fields),
};
const gsize lab_n_losses = G_N_ELEMENTS(lab_losses);

static gboolean read_trace(const struct lab_place *packets, struct weir__link_loss_config *config,
                           int64_t **trace_packets)
{
    const struct lab_field number = {LAB_WHOLE(1, 1e15)};
    if (!lab_numbers_read(&number, packets, trace_packets, &config->n_trace)) {
        return FALSE;
    }
    for (gsize i = 1; i < config->n_trace; i++) {
        if ((*trace_packets)[i] <= (*trace_packets)[i - 1]) {
            return lab_fail(packets, "must be ascending, which %" G_GINT64_FORMAT " is not",
                            (*trace_packets)[i]);
        }
    }
    config->trace_packets = *trace_packets;
    return TRUE;
}

/* Nothing at the place: no loss. Free *trace_packets, which config then points to, with g_free,
 * also after a failure. */
gboolean lab_loss_read(const struct lab_place *place, struct weir__link_loss_config *config,
                       int64_t **trace_packets)
{
    struct lab_place model_place = lab_at(place, "model");
    struct lab_place packets = lab_at(place, "packets");
    gsize model = WEIR__LOSS_NONE;
    if (place->node != NULL && model_place.node == NULL) {
        return lab_fail(&model_place, "is missing; it must be one of none, bernoulli, gilbert, "
                                      "periodic, timed, counted, trace");
    }
    if (!lab_variant_read(lab_losses, lab_n_losses, "model", place, config, &model)) {
        return FALSE;
    }
    config->model = (enum weir__link_loss_model)model;
    return model != WEIR__LOSS_TRACE || read_trace(&packets, config, trace_packets);
}
