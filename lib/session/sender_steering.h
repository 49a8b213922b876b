/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One per-packet format steers at a time: of two that share the packets between them, the
 * controller would get reports with holes. */
#ifndef WEIR_SENDER_STEERING_H
#define WEIR_SENDER_STEERING_H

#include <stdbool.h>
#include <stdint.h>

/* The format whose feedback is used. Zero-initialise. */
struct weir__steering {
    bool known;
    uint32_t format;     /* enum weir_feedback_format, 0 for results of another stack */
    int64_t news_ns;     /* when it last told that packets arrived */
    int64_t interval_ns; /* between those times, 0 before two of them; falls slowly */
};

/* Whether feedback of a format may be used: the first heard, until it has told nothing for a second
 * and for three of its intervals. */
bool weir__steering_admits(const struct weir__steering *steering, uint32_t format, int64_t now_ns);

/* Admitted feedback of a format told that packets arrived. */
void weir__steering_on_news(struct weir__steering *steering, uint32_t format, int64_t now_ns);

#endif
