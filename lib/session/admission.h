/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flood of RTCP must cost little, and must not crowd out the feedback that steers. So each
 * reporter that has proved itself has a budget of its own, strangers share a small one, and what
 * nobody would read is charged to nobody. */
#ifndef WEIR_ADMISSION_H
#define WEIR_ADMISSION_H

#include "session/guard.h"
#include "session/reporter.h"

/* Whether a datagram may be read; takes it from the budget of who sent its first packet that is
 * read. */
bool weir__admission_take(struct weir__guard *guard, struct weir__reporters *reporters,
                          int64_t now_ns, uint32_t transport, const uint8_t *data, size_t len);

#endif
