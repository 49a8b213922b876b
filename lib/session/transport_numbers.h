/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transport-wide numbers that the session gives to packets. One in WEIR__NUMBERS_SPACING is
 * left out, at random: who reports that it arrived, reports what never was (RFC 9000 21.4 guards
 * against the same). Which ones is a function of a key and the number, so nothing is remembered;
 * the key is not meant to withstand cryptanalysis. A liar sees by RTP numbers between which packets
 * one is missing, and may admit the losses there: the closer they are, the more losses it admits.
 *
 * Two different numbers prove a lie; one could be a damaged packet. A liar is not believed until it
 * has told none for WEIR__NUMBERS_DISBELIEF_NS.
 *
 * Invariant: was_left_out(n) implies that no packet carried n since `first`. */
#ifndef WEIR_TRANSPORT_NUMBERS_H
#define WEIR_TRANSPORT_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

enum { WEIR__NUMBERS_SPACING = 16 };
#define WEIR__NUMBERS_DISBELIEF_NS WEIR_SECONDS(60)

struct weir__transport_numbers {
    uint64_t key;
    int64_t first; /* since which all packets have had our numbers; -1 = the last had another's */
    int64_t next;  /* not given yet; its low 16 bits are carried */
    bool
        has_invented; /* since the last honest while: a number left out was reported received ... */
    bool has_lied;    /* ... and another one */
    uint16_t invented;
    int64_t invented_ns; /* the newest of them */
};

void weir__transport_numbers_init(struct weir__transport_numbers *numbers, uint64_t key);

/* For the packet that leaves next. */
uint16_t weir__transport_numbers_take(struct weir__transport_numbers *numbers);

/* A packet left with this number, or (has_number false) with none that is known. */
void weir__transport_numbers_on_sent(struct weir__transport_numbers *numbers, bool has_number,
                                     uint16_t number);

/* Of the newest 65536 numbers. */
bool weir__transport_numbers_was_left_out(const struct weir__transport_numbers *numbers,
                                          uint16_t number);

/* A number that was left out was reported received. */
void weir__transport_numbers_on_invented(struct weir__transport_numbers *numbers, int64_t now_ns,
                                         uint16_t number);
/* Whether who reports on these numbers is a liar. */
bool weir__transport_numbers_is_disbelieved(const struct weir__transport_numbers *numbers,
                                            int64_t now_ns);

#endif
