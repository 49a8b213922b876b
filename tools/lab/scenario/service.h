/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a link lets packets pass, besides its rate: {"rate_bps": 2e6, "burst_bytes": 30000} of a
 * policer or a shaper, {"packets": 64, "airtime_ms": 4, "access_ms": 3} of aggregates. */
#ifndef WEIR_LAB_SCENARIO_SERVICE_H
#define WEIR_LAB_SCENARIO_SERVICE_H

#include "scenario/fields.h"
#include "sim/network/aggregation.h"
#include "sim/network/token_bucket.h"

extern const struct lab_field lab_token_bucket_fields[];
extern const gsize lab_n_token_bucket_fields;
extern const struct lab_field lab_aggregation_fields[];
extern const gsize lab_n_aggregation_fields;

gboolean lab_token_bucket_read(const struct lab_place *place, JsonNode *node,
                               struct weir__token_bucket_config *config, GError **error);
gboolean lab_aggregation_read(const struct lab_place *place, JsonNode *node,
                              struct weir__aggregation_config *config, GError **error);

#endif
