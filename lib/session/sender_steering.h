/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One reporter steers at a time, with one format: of two that share the packets between them, the
 * controller would get reports with holes, and whoever else sees our packets could claim what the
 * receiver denies.
 *
 * Invariant: while the one that steers tells news, nobody else is admitted, unless that one has
 * proved nothing and the other has. */
#ifndef WEIR_SENDER_STEERING_H
#define WEIR_SENDER_STEERING_H

#include <stdbool.h>
#include <stdint.h>

/* Who reports. */
struct weir__steerer {
    uint32_t format; /* enum weir_feedback_format, 0 for results of another stack */
    uint32_t ssrc;   /* 0 for those */
    bool has_proved; /* that it sees our packets: it names a stream of ours */
};

/* When somebody told news, and how often that is. */
struct weir__pulse {
    int64_t news_ns;     /* the last time */
    int64_t interval_ns; /* to the time before; falls slowly */
};

void weir__pulse_on_news(struct weir__pulse *pulse, int64_t now_ns);
/* Whether there was no news for a second and for three intervals. */
bool weir__pulse_is_silent(const struct weir__pulse *pulse, int64_t now_ns);

/* Whose feedback is used. Zero-initialise. */
struct weir__steering {
    bool known;
    struct weir__steerer steerer;
    struct weir__pulse pulse; /* news is that packets arrived */
    bool has_been_denied;
    int64_t denied_ns;
};

/* Receiver reports of whoever steers have denied what it told: nobody steers for a minute, but for
 * those reports. Returns false if there is nobody to whom that happens now. */
bool weir__steering_deny(struct weir__steering *steering, uint32_t ssrc, int64_t now_ns);
bool weir__steering_is_denied(const struct weir__steering *steering, int64_t now_ns);

/* Whether feedback of a steerer may be used: the first heard, until it is silent; one that has
 * proved itself at once if that one has not. */
bool weir__steering_admits(const struct weir__steering *steering,
                           const struct weir__steerer *steerer, int64_t now_ns);

/* Admitted feedback told that packets arrived. */
void weir__steering_on_news(struct weir__steering *steering, const struct weir__steerer *steerer,
                            int64_t now_ns);

#endif
