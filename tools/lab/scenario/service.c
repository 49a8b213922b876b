/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/service.h"

#define LONGEST_MS  3600000.0
#define HIGHEST_BPS 1e12

const struct lab_field lab_token_bucket_fields[] = {
    {.name = "rate_bps",
     .kind = LAB_FIELD_SCALED,
     .required = TRUE,
     .scale = 1.0,
     .min = 1,
     .max = HIGHEST_BPS,
     .offset = offsetof(struct weir__token_bucket_config, rate_bps)},
    {.name = "burst_bytes",
     .kind = LAB_FIELD_WHOLE,
     .required = TRUE,
     .min = 1,
     .max = 1e9,
     .offset = offsetof(struct weir__token_bucket_config, burst_bytes)},
};
const gsize lab_n_token_bucket_fields = G_N_ELEMENTS(lab_token_bucket_fields);

const struct lab_field lab_aggregation_fields[] = {
    {.name = "packets",
     .kind = LAB_FIELD_WHOLE,
     .min = 1,
     .max = 65536,
     .initial = 64,
     .offset = offsetof(struct weir__aggregation_config, packets)},
    {.name = "airtime_ms",
     .kind = LAB_FIELD_SCALED,
     .scale = LAB_NS_PER_MS,
     .min = 1e-3,
     .max = LONGEST_MS,
     .initial = 4,
     .offset = offsetof(struct weir__aggregation_config, airtime_ns)},
    {.name = "access_ms",
     .kind = LAB_FIELD_SCALED,
     .required = TRUE,
     .scale = LAB_NS_PER_MS,
     .max = LONGEST_MS,
     .offset = offsetof(struct weir__aggregation_config, access_ns)},
};
const gsize lab_n_aggregation_fields = G_N_ELEMENTS(lab_aggregation_fields);

/* Of a policer or a shaper; node: NULL = none. */
gboolean lab_token_bucket_read(const struct lab_place *place, JsonNode *node,
                               struct weir__token_bucket_config *config, GError **error)
{
    return node == NULL || lab_fields_read(lab_token_bucket_fields, lab_n_token_bucket_fields,
                                           place, node, config, error);
}

/* node: NULL = none. */
gboolean lab_aggregation_read(const struct lab_place *place, JsonNode *node,
                              struct weir__aggregation_config *config, GError **error)
{
    return node == NULL || lab_fields_read(lab_aggregation_fields, lab_n_aggregation_fields, place,
                                           node, config, error);
}
