/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/receiver_state.h"

#include "base/prefetch.h"
#include "session/prefetch.h"

#define RATE_WINDOW_NS      WEIR_SECONDS(1)
#define RATE_SHORTEST_NS    WEIR_MS(100)
#define INTERVAL_UNKNOWN_NS WEIR_MS(50)
#define INTERVAL_REPORTS_NS WEIR_MS(100)

int64_t weir__receiver_advance(struct weir_receiver *receiver, int64_t now_ns)
{
    receiver->now_ns = weir__steady_now_ns(&receiver->steady, receiver->now_ns, now_ns);
    return receiver->now_ns;
}

struct weir__stream *weir__receiver_find_stream(struct weir_receiver *receiver, uint32_t ssrc)
{
    for (int i = 0; i < receiver->n_places; i++) {
        struct weir__stream *stream = &receiver->streams[i];
        if (stream->in_use && stream->rr.ssrc == ssrc) {
            return stream;
        }
    }
    return NULL;
}

void weir__receiver_forget(struct weir_receiver *receiver, struct weir__stream *stream)
{
    receiver->lost_forgotten_packets += weir__rr_source_lost_packets(&stream->rr);
    stream->in_use = false;
    receiver->n_streams--;
}

void weir__receiver_forget_silent(struct weir_receiver *receiver, int64_t now_ns)
{
    for (int i = 0; i < receiver->n_places; i++) {
        struct weir__stream *stream = &receiver->streams[i];
        if (stream->in_use && now_ns - stream->heard_ns > WEIR__RECEIVER_SILENT_NS) {
            weir__receiver_forget(receiver, stream);
        }
    }
}

int64_t weir__receiver_rate_bps(const struct weir_receiver *receiver, int64_t now_ns)
{
    struct weir__rate_span span = weir__rate_meter_span(&receiver->rate, now_ns, RATE_WINDOW_NS);
    return weir_rate_bps(span.bytes, weir_max_i64(span.duration_ns, RATE_SHORTEST_NS));
}

int64_t weir__receiver_interval_ns(const struct weir_receiver *receiver)
{
    if (receiver->config.interval_ns > 0) {
        return receiver->config.interval_ns;
    }
    if (receiver->format->kind != WEIR__FORMAT_PACKETS) {
        return INTERVAL_REPORTS_NS;
    }
    int64_t rtt_ns = weir__rtt_srtt_ns(&receiver->rtt);
    return rtt_ns == WEIR_UNKNOWN_NS ? INTERVAL_UNKNOWN_NS
                                     : weir_clamp_i64(rtt_ns, WEIR__RECEIVER_INTERVAL_MIN_NS,
                                                      receiver->config.interval_max_ns);
}

/* 2^32 / 10^9 of a duration >= 0, whole seconds first. */
static uint64_t ntp_duration(int64_t duration_ns)
{
    uint64_t duration = (uint64_t)duration_ns;
    uint64_t rest_ns = duration % UINT64_C(1000000000);
    return (duration / UINT64_C(1000000000) << 32) + (rest_ns << 32) / UINT64_C(1000000000);
}

/* Our clock as RTCP shows it: the wall clock of the first report, and from there on the monotonic
 * clock, so that arrival times do not jump when the wall clock is set. */
uint64_t weir__receiver_ntp(const struct weir_receiver *receiver, int64_t now_ns)
{
    return receiver->ntp_time + ntp_duration(weir_max_i64(now_ns - receiver->ntp_now_ns, 0));
}

void weir__receiver_prefetch(const struct weir_receiver *receiver)
{
    const struct weir__stream *stream = receiver->streams;
    weir__prefetch_between(receiver, receiver->cname);
    weir__prefetch_between(&receiver->now_ns, receiver->clocks);
    weir__prefetch_between(&receiver->timing, receiver->reception.seconds);
    weir__prefetch_between(&receiver->reception.heard_ns, receiver->rate.bytes);
    weir__prefetch_between(&receiver->rtt, receiver->streams);
    weir__prefetch_between(stream, stream->arrivals.slots);
}
