/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/sender_reports.h"

#include <string.h>

#include "codec/rtcp.h"
#include "codec/sr_rr.h"
#include "weir/units.h"

#define INTERVAL_NS WEIR_SECONDS(1)
/* Where RR are all there is, each sender report is a chance to see the queue on the way there; a
 * round-trip time as old as a second makes the rate swing. */
#define ECHO_INTERVAL_NS WEIR_MS(200)
#define MAX_INTERVAL_NS  WEIR_SECONDS(5)

enum { DEFAULT_CLOCK_RATE_HZ = 90000, SHARE = 20, MAX_HZ = 1000000000, UDP_IP_BYTES = 28 };

void weir__sender_reports_init(struct weir__sender_reports *reports, const char *cname,
                               uint64_t seed)
{
    memset(reports, 0, sizeof(*reports));
    reports->random = seed;
    reports->next_ns = WEIR_NEVER_NS;
    reports->built_ns = WEIR_UNKNOWN_NS;
    const char *name = cname ? cname : "weir";
    for (size_t i = 0; i + 1 < sizeof(reports->cname) && name[i] != '\0'; i++) {
        reports->cname[i] = name[i];
    }
}

/* A number in [0, 1) from splitmix64. */
static double random_unit(struct weir__sender_reports *reports)
{
    reports->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = reports->random;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* The entry of an SSRC; a new SSRC takes a free one, or the one whose newest packet is oldest. */
static struct weir__report_stream *get_stream(struct weir__sender_reports *reports, uint32_t member,
                                              uint32_t ssrc)
{
    struct weir__report_stream *place = &reports->streams[0];
    for (int i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        struct weir__report_stream *stream = &reports->streams[i];
        if (stream->in_use && stream->ssrc == ssrc) {
            stream->member = stream->member == WEIR__NO_MEMBER ? member : stream->member;
            return stream;
        }
        if (place->in_use && (!stream->in_use || stream->timestamp_ns < place->timestamp_ns)) {
            place = stream;
        }
    }
    *place = (struct weir__report_stream){
        .ssrc = ssrc, .in_use = true, .member = member, .clock_rate_hz = DEFAULT_CLOCK_RATE_HZ};
    return place;
}

enum weir_status weir__sender_reports_set_clock_rate(struct weir__sender_reports *reports,
                                                     uint32_t member, uint32_t ssrc, uint32_t hz)
{
    if (hz < 1 || hz > MAX_HZ) {
        return WEIR_ERROR_RANGE;
    }
    get_stream(reports, member, ssrc)->clock_rate_hz = hz;
    return WEIR_OK;
}

uint32_t weir__sender_reports_clock_rate_hz(const struct weir__sender_reports *reports,
                                            uint32_t ssrc)
{
    for (int i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        if (reports->streams[i].in_use && reports->streams[i].ssrc == ssrc) {
            return reports->streams[i].clock_rate_hz;
        }
    }
    return DEFAULT_CLOCK_RATE_HZ;
}

void weir__sender_reports_on_packet(struct weir__sender_reports *reports, int64_t now_ns,
                                    uint32_t member, uint32_t ssrc, uint32_t rtp_timestamp,
                                    uint32_t payload_bytes)
{
    struct weir__report_stream *stream = get_stream(reports, member, ssrc);
    if (stream->sent_packets == 0 || stream->rtp_timestamp != rtp_timestamp) {
        stream->rtp_timestamp = rtp_timestamp;
        stream->timestamp_ns = now_ns;
    }
    stream->sent_packets++;
    stream->payload_octets += payload_bytes;
    if (reports->next_ns == WEIR_NEVER_NS) {
        reports->next_ns = now_ns;
    }
}

uint32_t weir__sender_reports_member(const struct weir__sender_reports *reports, uint32_t ssrc)
{
    for (int i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        if (reports->streams[i].in_use && reports->streams[i].ssrc == ssrc) {
            return reports->streams[i].member;
        }
    }
    return WEIR__NO_MEMBER;
}

void weir__sender_reports_forget_member(struct weir__sender_reports *reports, uint32_t member)
{
    for (int i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        if (reports->streams[i].member == member) {
            reports->streams[i].member = WEIR__NO_MEMBER;
        }
    }
}

/* The RTP timestamp of this moment, extrapolated from the newest frame. */
static uint32_t timestamp_now(const struct weir__report_stream *stream, int64_t now_ns)
{
    int64_t since_ns = weir_max_i64(now_ns - stream->timestamp_ns, 0);
    int64_t seconds = since_ns / WEIR_SECONDS(1);
    int64_t rest_ns = since_ns % WEIR_SECONDS(1);
    uint64_t ticks = (uint64_t)seconds * stream->clock_rate_hz +
                     (uint64_t)rest_ns * stream->clock_rate_hz / UINT64_C(1000000000);
    return stream->rtp_timestamp + (uint32_t)ticks;
}

/* Cursor over the datagram that is being written. */
struct output {
    uint8_t *buffer;
    size_t capacity;
    size_t len;
};

/* SR and SDES of one SSRC, both or nothing. */
static bool put_stream(struct output *output, const struct weir__report *report, const char *cname)
{
    size_t report_bytes, sdes_bytes;
    uint8_t *at = output->buffer + output->len;
    size_t left = output->capacity - output->len;
    if (weir__report_build(report, at, left, &report_bytes) != WEIR_OK ||
        weir__sdes_build(report->ssrc, cname, at + report_bytes, left - report_bytes,
                         &sdes_bytes) != WEIR_OK) {
        return false;
    }
    output->len += report_bytes + sdes_bytes;
    return true;
}

static struct weir__report stream_report(const struct weir__report_stream *stream,
                                         const struct weir__report_request *request)
{
    return (struct weir__report){
        .is_sr = true,
        .ssrc = stream->ssrc,
        .ntp = request->ntp_time,
        .rtp_timestamp = timestamp_now(stream, request->now_ns),
        .sent_packets = stream->sent_packets,
        .sent_octets = stream->payload_octets,
    };
}

/* Whether a report about the stream is wanted, and there is something to say. */
static bool is_reported(const struct weir__report_stream *stream,
                        const struct weir__report_request *request)
{
    return stream->in_use && stream->sent_packets > 0 && stream->member == request->member;
}

/* Reports of the streams, starting where the last compound had no more room. */
static void put_streams(struct weir__sender_reports *reports, struct output *output,
                        const struct weir__report_request *request)
{
    unsigned first = reports->first_stream;
    for (unsigned i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        unsigned index = (first + i) % WEIR__HISTORY_STREAMS;
        const struct weir__report_stream *stream = &reports->streams[index];
        if (!is_reported(stream, request)) {
            continue;
        }
        struct weir__report report = stream_report(stream, request);
        if (!put_stream(output, &report, reports->cname)) {
            reports->first_stream = (uint8_t)index;
            return;
        }
    }
}

/* Answers that do not fit are left out. */
static void put_answers(struct output *output, const struct weir__report_request *request,
                        uint32_t ssrc)
{
    size_t size_bytes;
    if (request->n_answers > 0 &&
        weir__xr_build_dlrr(ssrc, request->answers, request->n_answers,
                            output->buffer + output->len, output->capacity - output->len,
                            &size_bytes) == WEIR_OK) {
        output->len += size_bytes;
    }
}

/* RFC 3550 6.2, 6.3.1: a twentieth of the rate, randomised over [0.5, 1.5]. */
static int64_t next_interval_ns(struct weir__sender_reports *reports, size_t report_bytes,
                                const struct weir__report_request *request)
{
    int64_t share_bps = weir_max_i64(request->sent_bps / SHARE, 1);
    int64_t share_ns = weir_send_time_ns((int64_t)report_bytes + UDP_IP_BYTES, share_bps);
    int64_t least_ns = request->only_echoes ? ECHO_INTERVAL_NS : INTERVAL_NS;
    int64_t mean_ns =
        weir_clamp_i64(2 * weir_min_i64(share_ns, MAX_INTERVAL_NS), least_ns, MAX_INTERVAL_NS);
    return (int64_t)((double)mean_ns * (0.5 + random_unit(reports)));
}

static uint32_t opening_ssrc(const struct weir__sender_reports *reports,
                             const struct weir__report_request *request)
{
    for (int i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        if (is_reported(&reports->streams[i], request)) {
            return reports->streams[i].ssrc;
        }
    }
    return request->local_ssrc;
}

enum weir_status weir__sender_reports_build(struct weir__sender_reports *reports,
                                            const struct weir__report_request *request,
                                            uint8_t *buffer, size_t capacity, size_t *len)
{
    struct output output = {.buffer = buffer, .capacity = capacity};
    uint32_t ssrc = opening_ssrc(reports, request);
    put_streams(reports, &output, request);
    if (output.len == 0) {
        struct weir__report empty = {.is_sr = false, .ssrc = ssrc};
        bool nothing_sent = reports->next_ns == WEIR_NEVER_NS;
        if (!nothing_sent || !put_stream(&output, &empty, reports->cname)) {
            return WEIR_ERROR_NO_SPACE;
        }
    } else {
        weir__sender_reports_on_echo_source(reports, request->now_ns,
                                            weir__ntp_mid32(request->ntp_time));
        bool together = reports->built_ns == request->now_ns;
        reports->built_bytes = output.len + (together ? reports->built_bytes : 0);
        reports->built_ns = request->now_ns;
        reports->next_ns =
            request->now_ns + next_interval_ns(reports, reports->built_bytes, request);
    }
    put_answers(&output, request, ssrc);
    *len = output.len;
    return WEIR_OK;
}

void weir__sender_reports_on_echo_source(struct weir__sender_reports *reports, int64_t now_ns,
                                         uint32_t mid32)
{
    struct weir__report_echo echo = {.mid32 = mid32, .sent_ns = now_ns};
    const struct weir__report_echo *newest =
        &reports->echoes[(reports->n_echoes - 1) % WEIR__REPORT_ECHOES];
    if (newest->mid32 != mid32 || newest->sent_ns != now_ns) {
        reports->echoes[reports->n_echoes % WEIR__REPORT_ECHOES] = echo;
        reports->n_echoes++;
    }
}

/* RFC 3550 6.4.1, with our own send time of that report in place of A - LSR: the answer does not
 * depend on the wall clock, and a made-up LSR has none. */
int64_t weir__sender_reports_rtt_ns(const struct weir__sender_reports *reports, int64_t now_ns,
                                    uint32_t lsr_mid32, uint32_t dlsr_mid32)
{
    if (lsr_mid32 == 0) {
        return WEIR_UNKNOWN_NS;
    }
    for (int i = 0; i < WEIR__REPORT_ECHOES; i++) {
        const struct weir__report_echo *echo = &reports->echoes[i];
        if (echo->mid32 != lsr_mid32) {
            continue;
        }
        int64_t rtt_ns = now_ns - echo->sent_ns - weir__mid32_to_ns(dlsr_mid32);
        bool believed = rtt_ns > -WEIR_MS(1) && rtt_ns <= WEIR_SECONDS(10);
        return believed ? weir_max_i64(rtt_ns, WEIR_US(100)) : WEIR_UNKNOWN_NS;
    }
    return WEIR_UNKNOWN_NS;
}
