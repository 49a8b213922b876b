/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets sent lately, found in O(1) by RTP or transport-wide sequence number, and the bytes in
 * flight. Everything is keyed by seq: 64 bits, from 0, one per packet really sent. */
#ifndef WEIR_HISTORY_H
#define WEIR_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "session/gaps.h"
#include "session/sent_ring.h"
#include "weir/units.h"

enum {
    WEIR__HISTORY_STREAMS = 16,
    WEIR__HISTORY_TRANSPORTS = 8,
    WEIR__HISTORY_MANY_WORDS = 15, /* of an RTP header: so many or more */
    WEIR__STREAM_OTHER = 31        /* one SSRC too many: counted, but cannot be found */
};

/* Reports are not later: it is what the largest ring holds of 10 Mbit/s. */
#define WEIR__HISTORY_NS WEIR_SECONDS(8)

enum weir__packet_state {
    WEIR__PACKET_FREE,
    WEIR__PACKET_SENT,     /* no report covers it */
    WEIR__PACKET_SUSPECT,  /* reported as not received, not yet lost */
    WEIR__PACKET_RECEIVED, /* final */
    WEIR__PACKET_LOST,     /* may become late */
    WEIR__PACKET_LATE,     /* final */
    WEIR__PACKET_UNTOLD    /* no report covers it, but later ones were received: not in flight */
};

struct weir__history_stream {
    uint32_t ssrc;
    int64_t first_seq; /* its first packet */
    int64_t last_seq;  /* its newest packet */
    int64_t last_rtp;  /* RTP sequence number of the newest packet, unwrapped */
    int64_t first_rtp; /* likewise, of the first one since the numbers started */
    uint64_t sent_packets;
    int64_t in_flight_bytes;
    bool is_audio; /* the newest packet is */
};

/* Zero-initialise, by fresh memory if possible: what was never used is then never touched. */
struct weir__history {
    struct weir__history_stream streams[WEIR__HISTORY_STREAMS];
    int64_t expired_seq;      /* packets below it are no longer in flight */
    int64_t in_flight_bytes;  /* sent or suspect, not expired */
    uint64_t unknown_packets; /* left the ring without ever being reported */
    uint8_t n_streams;
    uint8_t last_stream;
    uint16_t transport_next[WEIR__HISTORY_TRANSPORTS]; /* the number after the newest packet's */
    struct weir__sent_ring ring;
    struct weir__gaps gaps[WEIR__HISTORY_STREAMS]; /* numbers of a stream that were never sent */
};

struct weir__history_packet {
    int64_t sent_ns; /* never older than the packet before */
    uint32_t ssrc;
    uint32_t wire_bytes;
    uint32_t header_bytes;
    uint16_t rtp_seq;
    uint16_t transport_seq;
    bool has_transport_seq;
    bool is_audio;
    uint32_t transport; /* < WEIR__HISTORY_TRANSPORTS */
};

/* Asks for what the next packet that leaves will need, and for the oldest in flight. */
void weir__history_prefetch(const struct weir__history *history);

/* Adds a packet; returns its seq. When the ring is full it grows, if it can and the oldest packet
 * is in flight or was sent less than WEIR__HISTORY_NS ago; else that one leaves. */
int64_t weir__history_on_sent(struct weir__history *history,
                              const struct weir__history_packet *packet);

/* NULL when seq was not sent or has left the ring. */
const struct weir__sent_record *weir__history_peek(const struct weir__history *history,
                                                   int64_t seq);

/* seq of a packet; -1 when there is none in the ring. */
int64_t weir__history_find_rtp(const struct weir__history *history, uint32_t ssrc,
                               uint16_t rtp_seq);
/* Whether a number lies between the first and the newest of its stream, sent or not. */
bool weir__history_has_passed(const struct weir__history *history, uint32_t ssrc, uint16_t rtp_seq);
/* By a number that was carried, or counted as well. */
int64_t weir__history_find_transport(const struct weir__history *history, uint32_t transport,
                                     uint16_t transport_seq, bool only_carried);

/* Index of an SSRC that was sent; WEIR__STREAM_OTHER when it is not known. */
unsigned weir__history_find_stream(const struct weir__history *history, uint32_t ssrc);

/* Bytes in flight of the streams whose newest packet is audio, and of those that are one SSRC too
 * many. */
int64_t weir__history_audio_in_flight_bytes(const struct weir__history *history);

uint32_t weir__history_transport(const struct weir__sent_record *record);
bool weir__history_has_carried(const struct weir__sent_record *record);
/* RTP header in 4-byte words, at most WEIR__HISTORY_MANY_WORDS. */
unsigned weir__history_header_words(const struct weir__sent_record *record);
/* The packet carries this number, on its transport. */
void weir__history_set_transport(struct weir__history *history, int64_t seq,
                                 uint16_t transport_seq);

enum weir__packet_state weir__history_state(const struct weir__sent_record *record);
/* A receiver report sums up the numbers after after_rtp up to to_rtp of a stream, unwrapped as in
 * it. Returns how many of them had been told of before, packet by packet or in a sum. */
int64_t weir__history_sum_up(struct weir__history *history, unsigned stream, int64_t after_rtp,
                             int64_t to_rtp);
/* How many of those numbers were reported received, packet by packet. */
int64_t weir__history_count_received(const struct weir__history *history, unsigned stream,
                                     int64_t after_rtp, int64_t to_rtp);
/* Of a packet in the ring: whether such a sum has told of it. */
bool weir__history_is_summed(const struct weir__history *history, int64_t seq);

/* Changes the state of a packet in the ring; the bytes in flight follow. */
void weir__history_set_state(struct weir__history *history, int64_t seq,
                             enum weir__packet_state state);

/* The packets of a transport from from_seq to before to_seq of which no report tells leave the
 * bytes in flight: later ones were received. */
void weir__history_pass(struct weir__history *history, uint32_t transport, int64_t from_seq,
                        int64_t to_seq);

/* Packets sent max_age_ns ago or earlier leave the bytes in flight. */
void weir__history_expire(struct weir__history *history, int64_t now_ns, int64_t max_age_ns);
/* When the next packet will; WEIR_NEVER_NS when nothing is in flight. */
int64_t weir__history_next_expiry_ns(const struct weir__history *history, int64_t max_age_ns);

#endif
