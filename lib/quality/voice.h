/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Voice as its listener hears it, from what one end of the path knows: the E-model (weir/quality.h)
 * on loss and on the delay from mouth to ear. */
#ifndef WEIR_VOICE_H
#define WEIR_VOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

/* What the path does not know of the delay from mouth to ear: a packet is complete when the speech
 * in it has been spoken, and the receiver's playout buffer waits for the ones that come later. Both
 * as usual for voice: a packet of 20 ms, and a buffer of two at the least. */
#define WEIR__VOICE_PACKET_NS  WEIR_MS(20)
#define WEIR__VOICE_PLAYOUT_NS WEIR_MS(40)

enum { WEIR__VOICE_SECONDS = 10 };

struct weir__voice_score {
    double r_score;
    double mos;
};

/* G.711 with random loss. delay_ns: from mouth to ear; what is out of range counts as the bound. */
struct weir__voice_score weir__voice_score(double loss_ratio, int64_t delay_ns);

struct weir__voice_second {
    int64_t second; /* number of it */
    int64_t sent_packets;
    int64_t gone_packets;
    int64_t waited_ns;
};

/* The audio of a sender over the last ten seconds in which it spoke. Zero-initialise. */
struct weir__voice {
    bool has_spoken;
    uint32_t ssrc; /* of the packet before */
    uint16_t next_seq;
    int64_t spoke_ns;
    struct weir__voice_second seconds[WEIR__VOICE_SECONDS];
};

/* An audio packet leaves after it waited in the send queue, >= 0. Sequence numbers left out since
 * the packet before, if it was of the same stream, are of packets that were dropped there. */
void weir__voice_on_sent(struct weir__voice *voice, int64_t now_ns, uint32_t ssrc, uint16_t rtp_seq,
                         int64_t waited_ns);

/* Without audio so far 0 and 0. loss_ratio: what the path loses; rtt_ns: WEIR_UNKNOWN_NS counts no
 * delay at all, not even the send queue's. */
struct weir__voice_score weir__voice_sender_score(const struct weir__voice *voice,
                                                  double loss_ratio, int64_t rtt_ns);

#endif
