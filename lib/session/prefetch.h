/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Of thousands of sessions none is in the processor's cache when its turn comes. Whoever knows that
 * a session's turn is next asks here for what it will need; nothing else changes. */
#ifndef WEIR_SESSION_PREFETCH_H
#define WEIR_SESSION_PREFETCH_H

#include "weir/receiver.h"
#include "weir/sender.h"

/* What a packet that leaves needs. */
void weir__sender_prefetch(const struct weir_sender *sender);
/* What feedback needs. */
void weir__sender_prefetch_feedback(const struct weir_sender *sender);
/* What a packet that arrives needs, and a report. */
void weir__receiver_prefetch(const struct weir_receiver *receiver);

#endif
