/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/rr_source.h"

#include "base/unwrap.h"
#include "weir/units.h"

/* Constants of RFC 3550 A.1. */
enum {
    MIN_SEQUENTIAL = 2,  /* packets in order before a source is believed */
    MAX_DROPOUT = 3000,  /* a jump forward below this is loss */
    MAX_MISORDER = 100,  /* a jump back up to this is reordering */
    RTP_SEQ_MOD = 65536, /* anything between the two is a restart, if it is confirmed */
    NO_BAD_SEQ = RTP_SEQ_MOD + 1
};

/* s24 of the report block. */
enum { LOST_MIN = -0x800000, LOST_MAX = 0x7fffff };

/* init_seq of RFC 3550 A.1: counting starts again at seq. */
static void restart(struct weir__rr_source *source, uint16_t seq)
{
    source->base_seq = seq;
    source->max_seq = seq;
    source->bad_seq = NO_BAD_SEQ;
    source->cycles = 0;
    source->received_packets = 0;
    source->received_prior_packets = 0;
    source->expected_prior_packets = 0;
    source->has_transit = false;
}

void weir__rr_source_init(struct weir__rr_source *source, uint32_t ssrc, uint32_t clock_rate_hz,
                          uint16_t first_seq)
{
    *source = (struct weir__rr_source){.ssrc = ssrc, .clock_rate_hz = clock_rate_hz};
    restart(source, first_seq);
    source->max_seq = (uint16_t)(first_seq - 1);
    source->probation_packets = MIN_SEQUENTIAL;
}

/* A source becomes valid with MIN_SEQUENTIAL packets in order; the last of them is the first that
 * counts. */
static bool probe(struct weir__rr_source *source, uint16_t seq)
{
    bool in_order = seq == (uint16_t)(source->max_seq + 1);
    source->max_seq = seq;
    if (!in_order) {
        source->probation_packets = MIN_SEQUENTIAL - 1;
        return false;
    }
    source->probation_packets--;
    if (source->probation_packets > 0) {
        return false;
    }
    restart(source, seq);
    return true;
}

/* update_seq of RFC 3550 A.1 for a valid source. */
static bool update_seq(struct weir__rr_source *source, uint16_t seq)
{
    unsigned step = (uint16_t)(seq - source->max_seq);
    if (step < MAX_DROPOUT) {
        if (seq < source->max_seq) {
            source->cycles += RTP_SEQ_MOD;
        }
        source->max_seq = seq;
        return true;
    }
    if (step > RTP_SEQ_MOD - MAX_MISORDER) {
        return true; /* reordered or a duplicate */
    }
    if (seq != source->bad_seq) {
        source->bad_seq = (seq + 1U) % RTP_SEQ_MOD;
        return false;
    }
    restart(source, seq); /* two in a row: the sender started again without telling */
    return true;
}

/* A time in timestamp units, modulo 2^32. Seconds first, so that nothing overflows. */
static uint32_t to_timestamp(int64_t time_ns, uint32_t clock_rate_hz)
{
    int64_t seconds = time_ns / WEIR_SECONDS(1);
    int64_t rest_ns = time_ns % WEIR_SECONDS(1);
    int64_t rest_units = rest_ns * (int64_t)clock_rate_hz / WEIR_SECONDS(1);
    return (uint32_t)((uint64_t)seconds * clock_rate_hz + (uint64_t)rest_units);
}

/* RFC 3550 A.8: J += (|D| - J) / 16, in sixteenths and rounded. */
static void update_jitter(struct weir__rr_source *source, uint32_t timestamp, int64_t arrival_ns)
{
    uint32_t transit = to_timestamp(arrival_ns, source->clock_rate_hz) - timestamp;
    if (source->has_transit) {
        int64_t d = weir__serial_diff(transit, source->transit, 32);
        source->jitter_x16 += (uint64_t)(d < 0 ? -d : d) - ((source->jitter_x16 + 8) >> 4);
    }
    source->transit = transit;
    source->has_transit = true;
}

/* Every packet of the SSRC, duplicates included, in the order of arrival. */
bool weir__rr_source_on_packet(struct weir__rr_source *source, uint16_t seq, uint32_t timestamp,
                               int64_t arrival_ns)
{
    bool accepted = source->probation_packets > 0 ? probe(source, seq) : update_seq(source, seq);
    if (!accepted) {
        return false;
    }
    source->received_packets++;
    if (source->clock_rate_hz > 0) {
        update_jitter(source, timestamp, arrival_ns);
    }
    return true;
}

void weir__rr_source_on_sr(struct weir__rr_source *source, uint64_t ntp, int64_t arrival_ns)
{
    source->has_sr = true;
    source->sr_mid32 = weir__ntp_mid32(ntp);
    source->sr_arrival_ns = arrival_ns;
}

uint32_t weir__rr_source_extended_seq(const struct weir__rr_source *source)
{
    return (uint32_t)(source->cycles + source->max_seq);
}

/* Packets from the first to the newest, whether they came or not (RFC 3550 A.3). */
static uint64_t expected_packets(const struct weir__rr_source *source)
{
    return source->cycles + source->max_seq - source->base_seq + 1;
}

int64_t weir__rr_source_lost_packets(const struct weir__rr_source *source)
{
    if (!weir__rr_source_valid(source)) {
        return 0;
    }
    return (int64_t)(expected_packets(source) - source->received_packets);
}

/* Loss since the last report as a fraction of 256, and the start of the next interval (A.3). */
static uint8_t take_fraction(struct weir__rr_source *source)
{
    uint64_t expected = expected_packets(source);
    int64_t interval = (int64_t)(expected - source->expected_prior_packets);
    int64_t received = (int64_t)(source->received_packets - source->received_prior_packets);
    source->expected_prior_packets = expected;
    source->received_prior_packets = source->received_packets;
    int64_t lost = interval - received;
    if (interval <= 0 || lost <= 0) {
        return 0;
    }
    return (uint8_t)weir_min_i64(256 * lost / interval, UINT8_MAX);
}

/* Time since the last SR in 1/65536 s, saturating (RFC 3550 6.4.1); 0 without one. */
static uint32_t delay_since_sr(const struct weir__rr_source *source, int64_t now_ns)
{
    int64_t delay_ns = now_ns - source->sr_arrival_ns;
    if (!source->has_sr || delay_ns < 0) {
        return 0;
    }
    /* 65536 / 10^9 = 128 / 1953125 */
    int64_t units = delay_ns / 1953125 * 128 + delay_ns % 1953125 * 128 / 1953125;
    return (uint32_t)weir_min_i64(units, UINT32_MAX);
}

/* Only for a valid source. */
void weir__rr_source_take_block(struct weir__rr_source *source, int64_t now_ns,
                                struct weir__report_block *block)
{
    *block = (struct weir__report_block){
        .ssrc = source->ssrc,
        .fraction_lost = take_fraction(source),
        .cumulative_lost =
            (int32_t)weir_clamp_i64(weir__rr_source_lost_packets(source), LOST_MIN, LOST_MAX),
        .highest_seq = weir__rr_source_extended_seq(source),
        .jitter = (uint32_t)(source->jitter_x16 >> 4), /* a mean of |D| <= 2^31 */
        .lsr_mid32 = source->has_sr ? source->sr_mid32 : 0,
        .dlsr_mid32 = delay_since_sr(source, now_ns),
    };
}
