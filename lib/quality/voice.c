/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/voice.h"

#include "weir/quality.h"

/* A longer gap in the sequence numbers is a stream that began anew: nobody drops ten seconds. */
#define GAP_MAX_PACKETS 500

struct weir__voice_score weir__voice_score(double loss_ratio, int64_t delay_ns)
{
    double r_score = weir_r_score(&weir_impairment_g711, loss_ratio, (double)delay_ns / 1e6);
    return (struct weir__voice_score){.r_score = r_score, .mos = weir_mos(r_score)};
}

static struct weir__voice_second *second_of(struct weir__voice *voice, int64_t now_ns)
{
    int64_t number = now_ns / WEIR_SECONDS(1);
    struct weir__voice_second *second = &voice->seconds[(uint64_t)number % WEIR__VOICE_SECONDS];
    if (second->second != number) {
        *second = (struct weir__voice_second){.second = number};
    }
    return second;
}

/* Packets between the one before and this one, which must have been dropped. Sets where the next is
 * expected; a repeated or overtaken number leaves it. */
static int64_t take_gap(struct weir__voice *voice, uint32_t ssrc, uint16_t rtp_seq)
{
    bool same = voice->has_spoken && voice->ssrc == ssrc;
    uint16_t gap = (uint16_t)(rtp_seq - voice->next_seq);
    if (same && gap > UINT16_MAX - GAP_MAX_PACKETS) {
        return 0;
    }
    voice->ssrc = ssrc;
    voice->next_seq = (uint16_t)(rtp_seq + 1);
    return same && gap <= GAP_MAX_PACKETS ? gap : 0;
}

void weir__voice_on_sent(struct weir__voice *voice, int64_t now_ns, uint32_t ssrc, uint16_t rtp_seq,
                         int64_t waited_ns)
{
    struct weir__voice_second *second = second_of(voice, now_ns);
    second->gone_packets += take_gap(voice, ssrc, rtp_seq);
    second->sent_packets++;
    second->waited_ns += waited_ns;
    voice->has_spoken = true;
    voice->spoke_ns = now_ns;
}

/* Silence does not age what was heard: the window ends with the last packet. */
static struct weir__voice_second sum(const struct weir__voice *voice)
{
    struct weir__voice_second sum = {.second = voice->spoke_ns / WEIR_SECONDS(1)};
    for (int i = 0; i < WEIR__VOICE_SECONDS; i++) {
        const struct weir__voice_second *second = &voice->seconds[i];
        if (second->second > sum.second - WEIR__VOICE_SECONDS) {
            sum.sent_packets += second->sent_packets;
            sum.gone_packets += second->gone_packets;
            sum.waited_ns += second->waited_ns;
        }
    }
    return sum;
}

struct weir__voice_score weir__voice_sender_score(const struct weir__voice *voice,
                                                  double loss_ratio, int64_t rtt_ns)
{
    if (!voice->has_spoken) {
        return (struct weir__voice_score){0};
    }
    struct weir__voice_second all = sum(voice);
    double gone_ratio = (double)all.gone_packets / (double)(all.gone_packets + all.sent_packets);
    int64_t delay_ns = 0;
    if (rtt_ns != WEIR_UNKNOWN_NS) {
        delay_ns = rtt_ns / 2 + all.waited_ns / all.sent_packets + WEIR__VOICE_PACKET_NS +
                   WEIR__VOICE_PLAYOUT_NS;
    }
    return weir__voice_score(gone_ratio + (1.0 - gone_ratio) * loss_ratio, delay_ns);
}
