/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a link loses beside its queue: {"model": "bernoulli", "p": 0.01}. */
#ifndef WEIR_LAB_SCENARIO_LOSS_H
#define WEIR_LAB_SCENARIO_LOSS_H

#include "scenario/fields.h"
#include "sim/network/loss.h"

/* The models and their fields, in the order of enum weir__link_loss_model. */
extern const struct lab_variant lab_losses[];
extern const gsize lab_n_losses;

gboolean lab_loss_read(const struct lab_place *place, struct weir__link_loss_config *config,
                       int64_t **trace_packets);

#endif
