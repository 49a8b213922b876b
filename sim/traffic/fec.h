/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a media flow and the forward error correction of their packets, as GStreamer's
 * rtpulpfecenc and rtpulpfecdec do it (RFC 5109): behind a frame come parity packets over even
 * parts of it, and each brings back one lost packet of its part. Which frames become whole, and
 * when?
 *
 * When it does is the receiver's: at once, whenever a packet comes (libwebrtc); or as rtpulpfecdec
 * behind rtpjitterbuffer, which gives a packet up when it is so much later than its frame came over
 * the path at its fastest. What is noticed to be missing still later is given up at once. The
 * packets that are there then are all that it is repaired from. That buffer keeps the order, so
 * frames also wait for repair packets that may be sent again, until what comes behind them says
 * that they were of repair (examples/early_fec.py).
 *
 * The newest WEIR__FEC_FRAMES frames are followed. Packets of a frame beyond the first
 * WEIR__FEC_PACKETS are neither repaired nor missed. */
#ifndef WEIR_SIM_FEC_H
#define WEIR_SIM_FEC_H

#include "sim/base/histogram.h"
#include "weir/repair.h"

#define WEIR__FEC_FRAMES  512
#define WEIR__FEC_PACKETS 128
/* Of a repair packet beside the longest packet that it repairs: FEC and level header. */
#define WEIR__FEC_HEADER_BYTES 18

struct weir__fec_frame {
    int64_t number; /* -1: none */
    int64_t made_ns;
    uint32_t media;
    uint32_t repair;
    uint32_t made_repair; /* of those */
    uint32_t end;         /* behind the last packet that came: of media, then of repair */
    bool is_due;          /* what is missing has been given up once */
    bool is_key;
    bool whole;
    bool media_in[WEIR__FEC_PACKETS];
    bool repair_in[WEIR__FEC_PACKETS];
};

struct weir__fec {
    struct weir_repair *policy; /* NULL: percent stays */
    uint32_t percent;           /* repair packets per 100 of media */
    double budget_packets;      /* that may be made */
    int64_t looked_ns;          /* when the policy was asked last */
    int64_t frames;             /* made so far; the newest is still being made until it ends */
    int64_t whole_frames;
    int64_t repair_packets;             /* made */
    struct weir__histogram delay;       /* from the making of a frame until it is whole ... */
    struct weir__histogram shown_delay; /* ... and, of those shown, until they were */
    int64_t freeze_ns;                  /* a picture that stands longer is a freeze */
    int64_t shown_frames;               /* up to the newest one shown, with those that were not */
    int64_t shown_ns;                   /* that one */
    int64_t frozen_ns;                  /* in all freezes that are over */
    int64_t wait_ns;                    /* for what may be sent again */
    int64_t fec_wait_ns;                /* before FEC repairs; 0: it does at once */
    int64_t least_ns;                   /* of all packets, from the making of their frame */
    int64_t newest;                     /* frame of which a packet came */
    int64_t due_frames;                 /* frames up to that have is_due */
    int64_t gives_up_ns; /* frames become whole that refer to a lost one, which is waited
                            for no longer then; WEIR_NEVER_NS */
    struct weir__fec_frame ring[WEIR__FEC_FRAMES];
};

/* percent: what it starts with; follows: a policy sets it from then on; frames are made so often;
 * wait_ns: that long a lost packet is waited for, 0 where nothing is sent again; fec_wait_ns:
 * that long before FEC repairs it, 0: not. NULL: no memory. */
struct weir__fec *weir__fec_create(uint32_t percent, bool follows, int64_t frame_interval_ns,
                                   int64_t wait_ns, int64_t fec_wait_ns);
void weir__fec_destroy(struct weir__fec *fec); /* NULL is allowed */

/* A packet of media of the frame that is being made; returns the name by which it arrives, > 0. */
uint32_t weir__fec_on_media(struct weir__fec *fec, int64_t now_ns, bool ends_frame, bool is_key);
/* The frame has ended: the name of its next repair packet, 0 when there is none (left). */
uint32_t weir__fec_next_repair(struct weir__fec *fec);
/* A packet of that name arrives. */
void weir__fec_on_arrival(struct weir__fec *fec, int64_t now_ns, uint32_t name);

/* Whether it is time to ask the policy, once a second; then what it is told. */
bool weir__fec_is_due(const struct weir__fec *fec, int64_t now_ns);
void weir__fec_look(struct weir__fec *fec, int64_t now_ns, const struct weir_repair_view *view);

#endif
