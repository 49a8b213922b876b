/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of video frames that stay lost, of which a part of the packets is repair (RFC 5109:
 * parity over groups of a frame's packets, sent behind them).
 *
 * Losses are those of a two-state channel (Gilbert): good packets arrive, bad ones do not. Each
 * repair packet covers an even part of the frame and brings back one lost packet of it; a frame is
 * lost when any part stays incomplete. How the state goes on from a part to its repair packet is
 * exact; parts are taken as independent of each other. */
#ifndef WEIR_ESTIMATORS_FRAME_LOSS_H
#define WEIR_ESTIMATORS_FRAME_LOSS_H

/* A frame has this many packets at the most; larger ones count as this. */
enum { WEIR__FRAME_LOSS_PACKETS = 64 };

struct weir__lossy_channel {
    double loss;  /* share of packets, in [0, 1) */
    double burst; /* packets lost in a row, on the average; less than chance makes is chance */
};

/* Means over frames: media_packets >= 1, repair_packets in [0, media_packets]. What is between two
 * whole numbers is a mixture of both. The result is in [0, 1]. */
double weir__frame_loss(const struct weir__lossy_channel *channel, double media_packets,
                        double repair_packets);

#endif
