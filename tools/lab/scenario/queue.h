/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue of a link: {"discipline": "droptail", "packets": 50}. */
#ifndef WEIR_LAB_SCENARIO_QUEUE_H
#define WEIR_LAB_SCENARIO_QUEUE_H

#include "scenario/fields.h"
#include "sim/network/queue.h"

/* The disciplines and their fields, in the order of enum weir__queue_discipline. */
extern const struct lab_variant lab_queues[];
extern const gsize lab_n_queues;

gboolean lab_queue_read(const struct lab_place *place, int64_t rate_bps, int64_t delay_ns,
                        struct weir__queue_config *config);

#endif
