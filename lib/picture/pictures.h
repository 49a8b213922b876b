/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object behind weir/picture.h, for those that embed it. */
#ifndef WEIR_PICTURE_PICTURES_H
#define WEIR_PICTURE_PICTURES_H

#include "picture/ladder.h"
#include <stdbool.h>

struct weir_pictures {
    struct weir__ladder ladder;
    int64_t shrink_bps[WEIR__LADDER_MAX]; /* a step gives way below this target ... */
    int64_t grow_bps[WEIR__LADDER_MAX];   /* ... and comes back at that */
    bool refused[WEIR__LADDER_MAX];       /* downstream does not take it */

    uint32_t step;
    enum weir_picture_reason reason;
    bool begun;                        /* the first step has been chosen */
    bool timed;                        /* there has been a frame: what follows means something */
    int64_t now_ns;                    /* of the last frame */
    int64_t changed_ns;                /* of the last change of step */
    int64_t poor_ns[WEIR__LADDER_MAX]; /* since when the target is below shrink_bps ... */
    int64_t rich_ns[WEIR__LADDER_MAX]; /* ... at or above grow_bps; WEIR_NEVER_NS: it is not */

    uint64_t media_bytes; /* as of the last frame */
    int64_t peak_bps;     /* the highest target of about the last second ... */
    int64_t peak_ns;      /* ... and when it was */
    int64_t fell_ns;      /* when that last became less */
    int64_t followed_bps; /* the last such target that the encoder followed at this step; 0: none */
    int64_t excess_bits;  /* beyond what the target allows, since ... */
    int64_t excess_ns;    /* ... then, when the encoder began to make more ... */
    int64_t made_bits;    /* ... and what it has made since */

    bool grew;           /* the last change was to a larger step */
    int64_t floor_bps;   /* what the encoder made ... */
    uint32_t floor_step; /* ... at the last step where it did not follow; with patience_ns */
    int64_t floor_ns;
    int64_t proved_bps;  /* the target that it had followed there until it fell; 0: none */
    int64_t patience_ns; /* how long that keeps larger steps from being tried; 0: it never failed */
};

#endif
