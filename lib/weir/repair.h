/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much forward error correction (FEC) for what the path loses? So much that at most a given
 * share of frames stays lost, and no more: repair is taken from the picture, since both share one
 * rate. Where a packet that is sent again comes in time, that repairs and FEC does not.
 *
 *     struct weir_repair *repair = weir_repair_create(&config, &status);
 *     weir_repair_on_media(repair, packet_ends_frame);          // for each packet of media
 *     ...
 *     weir_repair_update(repair, now_ns, &view, &advice);       // about once a second
 *     set_percentage(fec_encoder, advice.percent);
 *
 * The repair packets that leave are told to the sending session with WEIR_SENT_REPAIR; its target
 * then leaves them room. All calls of one object come from one thread at a time. Nothing is
 * allocated after create. */
#ifndef WEIR_REPAIR_H
#define WEIR_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

struct weir_repair_config {
    size_t size;             /* sizeof this struct, set by weir_repair_config_init */
    uint32_t frame_loss_ppm; /* share of frames that may stay lost, 1 .. 1000000; default 10000 */
    uint32_t max_percent;    /* repair packets per 100 of media at the most, 0 .. 100; default 50:
                                a third of all packets */
    int64_t wait_ns; /* how late a packet that is sent again may come: how long the receiver waits
                        before FEC repairs, or what it shows its frames later than they come; 150
                        ms where it does neither (a picture that stands longer is a freeze:
                        freezeCount of W3C webrtc-stats); 0: packets are not sent again.
                        Default 0 */
};

/* What is known of the path and of the media; a sending session has all of it. */
struct weir_repair_view {
    int64_t loss_ppm;         /* weir_sender_stats.loss_ppm */
    int64_t burst_milli;      /* weir_sender_stats.loss_burst_milli */
    int64_t rtt_ns;           /* or WEIR_UNKNOWN_NS: nothing sent again is counted on */
    int64_t target_media_bps; /* that the encoder has now */
    int64_t min_media_bps;    /* that repair has to leave to it */
};

/* Why there is as much repair as there is. */
enum weir_repair_reason {
    WEIR_REPAIR_NO_LOSS, /* none: few enough frames are lost without */
    WEIR_REPAIR_RESENT,  /* none: what is sent again comes in time */
    WEIR_REPAIR_LOSS,    /* as much as keeps the share of lost frames */
    WEIR_REPAIR_MAXIMUM, /* all that is allowed and of use, but more frames stay lost */
    WEIR_REPAIR_BUDGET,  /* less than that: the encoder would fall below its minimum */
    WEIR_REPAIR_NO_USE   /* none: it would save less than a third of the frames, because more
                            packets are lost in a row than a frame has, or hardly any arrive */
};

struct weir_repair_advice {
    uint32_t percent;        /* repair packets per 100 of media */
    uint32_t loss_percent;   /* packets that stay lost without FEC: for a codec that repairs within
                                its packets (Opus); 0: none worth it */
    uint32_t frame_loss_ppm; /* share of frames that are expected to stay lost with that */
    enum weir_repair_reason reason;
};

struct weir_repair;

WEIR_API void weir_repair_config_init(struct weir_repair_config *config);
/* The only allocation. NULL on failure; *status (may be NULL) is WEIR_ERROR_ARGUMENT (a NULL,
 * size), _RANGE or _NO_MEMORY. */
WEIR_API struct weir_repair *weir_repair_create(const struct weir_repair_config *config,
                                                enum weir_status *status);
/* NULL is allowed. */
WEIR_API void weir_repair_destroy(struct weir_repair *repair);

/* Changes the configuration from the next update on; errors as in create, and nothing changes. */
WEIR_API enum weir_status weir_repair_set(struct weir_repair *repair,
                                          const struct weir_repair_config *config);

/* A packet of media, but not of repair, came from the encoder. */
WEIR_API void weir_repair_on_media(struct weir_repair *repair, bool ends_frame);

/* Looks again: more repair comes at once, less only after 10 s in which less would do. Times that
 * go back count as no time passing. */
WEIR_API void weir_repair_update(struct weir_repair *repair, int64_t now_ns,
                                 const struct weir_repair_view *view,
                                 struct weir_repair_advice *advice);

/* A word for statistics, such as "loss"; never NULL. */
WEIR_API const char *weir_repair_reason_name(enum weir_repair_reason reason);

WEIR_END_DECLS
#endif
