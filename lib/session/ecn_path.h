/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the path carry ECN? Found out by sending it and comparing what each packet left with to what
 * the receiver reports of it, as RFC 9000 13.4.2 and appendix A.4 do; RFC 6679 7.2 has the same
 * tests by sums.
 *
 *     off -> testing -> capable
 *             |   |        |
 *             |   +--------+--> bleached, remarked, mangled, dropped: no ECN until a new test
 *             +<-> unreported: no ECN until somebody reports codepoints
 *
 * Differs from RFC 9000:
 * - Where each packet is reported by itself (RFC 8888) no sums are needed. Those of RFC 6679 are
 *   taken packet by packet too, for all that left with one codepoint.
 * - Packets within WEIR__ECN_SLACK_PACKETS of a change of what leaves contradict nothing: elements
 *   and queues between the session and the socket may hold packets when its option changes.
 * - While testing, packets stay ECN-capable until one is reported, but for no longer than
 *   WEIR__ECN_TEST_NS without: RFC 9000 has ten packets or three timeouts. Then nobody may be there
 *   who reports, so that is no failure; the test is repeated once somebody does, and then it is.
 *
 * Invariant: a mark is believed only of a packet that left ECN-capable. */
#ifndef WEIR_ECN_PATH_H
#define WEIR_ECN_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/ecn.h"
#include "weir/units.h"

enum {
    WEIR__ECN_CHANGES = 8, /* of what leaves, that are remembered */
    WEIR__ECN_SLACK_PACKETS = 128,
    WEIR__ECN_ALL_MARKED_PACKETS = 32 /* the first so many all marked: no queue does that */
};
#define WEIR__ECN_TEST_NS WEIR_SECONDS(1)

/* Zero-initialise. */
struct weir__ecn_path {
    enum weir_ecn wish; /* WEIR_ECN_NOT_ECT: off */
    enum weir_ecn_path state;
    int64_t tested_ns; /* when the first packet of the test left; 0: none has */
    bool heard;        /* somebody reports codepoints */
    uint32_t marked_first;
    uint32_t n_changes;
    uint64_t packets_ce;    /* marks believed */
    uint64_t packets_wrong; /* reports that contradict what was sent */
    struct {
        int64_t seq; /* from this packet on */
        enum weir_ecn ecn;
    } changes[WEIR__ECN_CHANGES]; /* the newest last */
};

/* Tests the path with that codepoint; NOT_ECT: none. */
void weir__ecn_path_start(struct weir__ecn_path *self, enum weir_ecn wish);

/* What the next packet is to leave with. */
enum weir_ecn weir__ecn_path_next(const struct weir__ecn_path *self);

/* A packet left with that codepoint, whatever was asked for. seq grows. */
void weir__ecn_path_on_sent(struct weir__ecn_path *self, int64_t now_ns, int64_t seq,
                            enum weir_ecn ecn);

/* The receiver reports that the packet arrived with that codepoint. Returns what of it is to be
 * believed. */
enum weir_ecn weir__ecn_path_on_received(struct weir__ecn_path *self, int64_t seq,
                                         enum weir_ecn ecn);

/* Feedback that steers tells of packets without their codepoints: marks would go unanswered. */
void weir__ecn_path_on_untold(struct weir__ecn_path *self);

/* A receiver reports that of the packets first_seq to last_seq so many arrived with each codepoint
 * (by enum weir_ecn). If what leaves changed between, it is not known which left with what:
 * what is learnt is that some arrive as they should. Returns how many are believed to be marked. */
uint32_t weir__ecn_path_on_counts(struct weir__ecn_path *self, int64_t first_seq, int64_t last_seq,
                                  const uint32_t packets[4]);

#endif
