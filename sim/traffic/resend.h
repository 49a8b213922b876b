/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of a media flow that are asked for and sent again, as GStreamer's rtpjitterbuffer and
 * rtprtxsend do it. A receiver that misses a packet asks for it (generic NACK, RFC 4585 6.2.1), and
 * again after each round trip, for as long as it waits. A sender keeps its packets for a second;
 * what it sends again has an SSRC and sequence numbers of its own and names the packet that it is
 * a copy of (RFC 4588 4), so the loss of a copy is seen by the next request.
 *
 * Packets of the flow are counted twice: on the wire (the index of a packet, copies included) and
 * as first sent (the number of a packet, of which the RTP sequence number is the lower part). */
#ifndef WEIR_SIM_RESEND_H
#define WEIR_SIM_RESEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packets that are kept, and that may be on their way. */
#define WEIR__RESEND_PACKETS 4096
/* Packets that the receiver misses at one time; of more the first are given up. */
#define WEIR__RESEND_MISSED 512
/* A copy is longer by the number of what it is a copy of (RFC 4588 4). */
#define WEIR__RESEND_BYTES 2

/* What is to be known of a packet in order to send it again. */
struct weir__resend_packet {
    int64_t number; /* -1: there is no such packet */
    int64_t sent_ns;
    int64_t wire_bytes;
    uint64_t token;
    uint32_t fec_name;
};

/* A packet on its way. */
struct weir__resend_way {
    int64_t number;
    uint16_t rtp_seq;
};

struct weir__resend_missed {
    int64_t number;
    int64_t noticed_ns;
    int64_t asked_ns; /* first; WEIR_NEVER_NS: not yet */
    int64_t ask_ns;   /* next */
};

struct weir__resend {
    int64_t wait_ns; /* how long the receiver waits for a packet */
    int64_t sent;    /* packets that left for the first time ... */
    int64_t copies;  /* ... and those that left again */
    struct weir__resend_packet kept[WEIR__RESEND_PACKETS];
    struct weir__resend_way ways[WEIR__RESEND_PACKETS];

    int64_t end;       /* the number behind the highest that arrived */
    int64_t rtt_ns;    /* from a request until its answer, smoothed; 0: none yet */
    int64_t jitter_ns; /* of the packets that arrive (RFC 3550 6.4.1); 0: unknown */
    size_t n_missed;
    struct weir__resend_missed missed[WEIR__RESEND_MISSED]; /* the oldest first */
};

struct weir__resend *weir__resend_create(int64_t wait_ns); /* NULL: no memory */
void weir__resend_destroy(struct weir__resend *resend);    /* NULL is allowed */

/* The sender. A packet leaves for the first time, with that index on the wire; its number is set
 * here. */
void weir__resend_on_sent(struct weir__resend *resend, int64_t index,
                          const struct weir__resend_packet *packet);
/* A copy of a packet leaves. */
void weir__resend_on_copy(struct weir__resend *resend, int64_t index, int64_t number);
/* The RTP sequence number of what left with that index. */
uint16_t weir__resend_rtp_seq(const struct weir__resend *resend, int64_t index);
/* The packet with that RTP sequence number, or of that number, while it is kept. */
struct weir__resend_packet weir__resend_requested(const struct weir__resend *resend, int64_t now_ns,
                                                  uint16_t rtp_seq);
struct weir__resend_packet weir__resend_kept(const struct weir__resend *resend, int64_t number);

/* The receiver. A packet arrives; false when it is of no use: it was there before, or has been
 * given up. */
bool weir__resend_on_arrival(struct weir__resend *resend, int64_t now_ns, int64_t index);
/* When there will be something to ask for; WEIR_NEVER_NS. */
int64_t weir__resend_next_ns(const struct weir__resend *resend);
/* The RTP sequence numbers to ask for now, in ascending order; at most so many. */
size_t weir__resend_ask(struct weir__resend *resend, int64_t now_ns, uint16_t *rtp_seqs,
                        size_t capacity);

#endif
