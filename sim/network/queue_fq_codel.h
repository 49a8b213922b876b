/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FQ-CoDel (RFC 8290): a CoDel queue for each flow, served in turns of a quantum of bytes; flows
 * that begin to send, or send little, come before the others.
 *
 * A flow's queue is its number and its packets' subflow, modulo the queues: flows of a simulation
 * share none as long as there are no more of them than queues. */
#ifndef WEIR_SIM_QUEUE_FQ_CODEL_H
#define WEIR_SIM_QUEUE_FQ_CODEL_H

#include "sim/network/queue_codel.h"

/* Fill with weir__fq_codel_config_default() first. */
struct weir__fq_codel_config {
    int64_t flows;         /* queues, 1 .. 65536 */
    int64_t quantum_bytes; /* > 0, of a turn */
};

struct weir__fq_codel;

void weir__fq_codel_config_default(struct weir__fq_codel_config *config);
enum weir_status weir__fq_codel_create(struct weir__fq_codel **fq,
                                       const struct weir__fq_codel_config *config,
                                       const struct weir__codel_config *codel);
void weir__fq_codel_destroy(struct weir__fq_codel *fq); /* NULL is allowed */
void weir__fq_codel_push(struct weir__fq_codel *fq, struct weir__packet *packet, int64_t now_ns);
void weir__fq_codel_relieve(struct weir__fq_codel *fq, struct weir__packet_list *dropped);
struct weir__packet *weir__fq_codel_pop(struct weir__fq_codel *fq,
                                        struct weir__packet_list *dropped, int64_t now_ns);
struct weir__packet *weir__fq_codel_take(struct weir__fq_codel *fq);

#endif
