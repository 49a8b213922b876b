/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Explicit Congestion Notification (RFC 3168): what packets carry, and whether a path carries it.
 */
#ifndef WEIR_ECN_H
#define WEIR_ECN_H

#include "status.h"

WEIR_BEGIN_DECLS

/* The ECN field of the IP header. */
enum weir_ecn { WEIR_ECN_NOT_ECT = 0, WEIR_ECN_ECT1 = 1, WEIR_ECN_ECT0 = 2, WEIR_ECN_CE = 3 };

/* What a sender knows of its path (RFC 6679 7.2, RFC 9000 13.4.2). */
enum weir_ecn_path {
    WEIR_ECN_PATH_OFF,     /* not asked for */
    WEIR_ECN_PATH_TESTING, /* packets leave ECN-capable, and no report tells yet how they arrive */
    WEIR_ECN_PATH_CAPABLE, /* they arrive as they left, or marked */
    WEIR_ECN_PATH_UNREPORTED, /* nobody reports how they arrive; none are sent until somebody does
                               */
    /* It failed, and none are sent until the next test: */
    WEIR_ECN_PATH_BLEACHED, /* they arrive as not ECN-capable, or who reports does not read the
                               field */
    WEIR_ECN_PATH_REMARKED, /* ECT(0) arrives as ECT(1), or the reverse */
    WEIR_ECN_PATH_MANGLED,  /* what left as not ECN-capable arrives otherwise, or the first 32
                               packets all arrive marked */
    WEIR_ECN_PATH_DROPPED   /* they do not arrive, others do */
};

/* A word for statistics, such as "capable"; never NULL. */
WEIR_API const char *weir_ecn_path_name(enum weir_ecn_path path);
/* A sentence for people; never NULL. */
WEIR_API const char *weir_ecn_path_text(enum weir_ecn_path path);

WEIR_END_DECLS
#endif
