/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One budget for several streams. RFC 8699 5.3.1 splits by priority and gives what a flow with a
 * lower desired rate leaves over to the others; its pass over all flows is weir__allocate here, and
 * its desired rate, which no encoder tells, is what the stream was seen to produce. */
#include "session/shares.h"

#include <stdlib.h>

#include "session/allocation.h"

/* Longer than the 400 ms between the packets that tell of silence in Opus DTX. */
#define IDLE_NS WEIR_MS(500)
/* Over how long it is seen what a stream uses: a group of pictures of most encoders. */
#define PERIOD_NS WEIR_SECONDS(1)
/* An encoder within this part of its target is at its target, */
#define LENDS_BELOW 0.7
/* keeps this much of what it used, so that it can grow, */
#define HEADROOM 1.25
/* and shows that it grows when it comes to this part of what it kept. */
#define RETURNS_ABOVE 0.9
/* A lender takes back once it is ahead of what it kept by this and one packet. */
#define TAKE_BACK_NS WEIR_MS(100)
/* Headers of a packet before the first is seen: IPv4, UDP, RTP. */
#define HEADER_BYTES 40
#define MIN_RATIO    0.05

enum { MEAN_PACKETS = 64, DEFAULT_PACKET_BYTES = 1228, MAX_PACKET_BYTES = 65535 };

_Static_assert((int)WEIR_SHARES_MAX == (int)WEIR__ALLOCATE_MAX_SHARES, "one split for all");

void weir_share_config_init(struct weir_share_config *config)
{
    *config = (struct weir_share_config){
        .size = sizeof(*config),
        .weight = 1,
        .packet_bytes = DEFAULT_PACKET_BYTES,
        .min_media_bps = WEIR_KBPS(30),
        .max_media_bps = WEIR_MBPS(10),
    };
}

static enum weir_status check(const struct weir_share_config *config)
{
    if (!config || config->size != sizeof(*config) ||
        config->min_media_bps > config->max_media_bps) {
        return WEIR_ERROR_ARGUMENT;
    }
    bool in_range = config->weight >= 1 && config->weight <= WEIR__ALLOCATE_MAX_WEIGHT &&
                    config->packet_bytes >= 1 && config->packet_bytes <= MAX_PACKET_BYTES &&
                    config->min_media_bps >= 0 && config->max_media_bps <= WEIR_MAX_BPS;
    return in_range ? WEIR_OK : WEIR_ERROR_RANGE;
}

void weir__shares_init(struct weir_shares *shares)
{
    shares->now_ns = INT64_MIN;
}

struct weir_shares *weir_shares_create(enum weir_status *status)
{
    struct weir_shares *shares = calloc(1, sizeof(*shares));
    if (shares) {
        weir__shares_init(shares);
    }
    if (status) {
        *status = shares ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
    }
    return shares;
}

void weir_shares_destroy(struct weir_shares *shares)
{
    free(shares);
}

static uint32_t place_of(uint32_t share)
{
    return WEIR_SHARES_MAX - 1 - share;
}

/* NULL when there is no such share. */
static const struct weir__share_stream *peek(const struct weir_shares *shares, uint32_t share)
{
    bool exists = share < WEIR_SHARES_MAX && shares->streams[place_of(share)].in_use;
    return exists ? &shares->streams[place_of(share)] : NULL;
}

static struct weir__share_stream *find(struct weir_shares *shares, uint32_t share)
{
    return peek(shares, share) ? &shares->streams[place_of(share)] : NULL;
}

/* Time never goes back. */
static void advance(struct weir_shares *shares, int64_t now_ns)
{
    shares->now_ns = weir__steady_now_ns(&shares->steady, shares->now_ns, now_ns);
}

static int64_t since_ns(const struct weir_shares *shares, int64_t then_ns)
{
    uint64_t passed_ns = (uint64_t)shares->now_ns - (uint64_t)then_ns;
    return passed_ns > INT64_MAX ? INT64_MAX : (int64_t)passed_ns;
}

static double bits(double bps, int64_t duration_ns)
{
    return bps * (double)duration_ns / 1e9;
}

/* Share of payload in the wire bytes. */
static double ratio(const struct weir__share_stream *stream)
{
    double payload = stream->payload_mean_bytes / stream->wire_mean_bytes;
    return payload < MIN_RATIO ? MIN_RATIO : payload;
}

static int64_t to_wire_bps(const struct weir__share_stream *stream, int64_t media_bps)
{
    double wire_bps = (double)media_bps / ratio(stream) + 0.5;
    double limit_bps = (double)WEIR_MAX_BPS;
    return wire_bps >= limit_bps ? WEIR_MAX_BPS : (int64_t)wire_bps;
}

static int64_t to_media_bps(const struct weir__share_stream *stream, int64_t wire_bps)
{
    return weir_clamp_i64((int64_t)((double)wire_bps * ratio(stream)), stream->config.min_media_bps,
                          stream->config.max_media_bps);
}

static void start_period(struct weir_shares *shares, struct weir__share_stream *stream)
{
    stream->period_ns = shares->now_ns;
    stream->offered_ns = shares->now_ns;
    stream->offered_bits = 0;
    stream->used_bits = 0;
}

static struct weir__share_stream *free_place(struct weir_shares *shares, uint32_t *share)
{
    for (uint32_t i = 0; i < WEIR_SHARES_MAX; i++) {
        if (!peek(shares, i)) {
            *share = i;
            return &shares->streams[place_of(i)];
        }
    }
    return NULL;
}

enum weir_status weir_shares_add(struct weir_shares *shares, int64_t now_ns,
                                 const struct weir_share_config *config, uint32_t *share)
{
    enum weir_status status = shares && share ? check(config) : WEIR_ERROR_ARGUMENT;
    if (status != WEIR_OK) {
        return status;
    }
    struct weir__share_stream *stream = free_place(shares, share);
    if (!stream) {
        return WEIR_ERROR_NO_SPACE;
    }
    advance(shares, now_ns);
    int64_t payload_bytes = weir_max_i64((int64_t)config->packet_bytes - HEADER_BYTES, 1);
    *stream = (struct weir__share_stream){
        .in_use = true,
        .config = *config,
        .n_packets = 1,
        .payload_mean_bytes = (double)payload_bytes,
        .wire_mean_bytes = config->packet_bytes,
        .media_ns = shares->now_ns,
        .media_bps = config->min_media_bps,
    };
    start_period(shares, stream);
    shares->n_streams++;
    return WEIR_OK;
}

enum weir_status weir_shares_set(struct weir_shares *shares, uint32_t share,
                                 const struct weir_share_config *config)
{
    struct weir__share_stream *stream = shares ? find(shares, share) : NULL;
    enum weir_status status = stream ? check(config) : WEIR_ERROR_ARGUMENT;
    if (status != WEIR_OK) {
        return status;
    }
    stream->config = *config;
    stream->media_bps =
        weir_clamp_i64(stream->media_bps, config->min_media_bps, config->max_media_bps);
    return WEIR_OK;
}

void weir_shares_remove(struct weir_shares *shares, uint32_t share)
{
    struct weir__share_stream *stream = find(shares, share);
    if (stream) {
        stream->in_use = false;
        shares->n_streams--;
    }
}

/* A mean of all packets until there are enough to forget the oldest. */
static void measure(struct weir__share_stream *stream, uint32_t payload_bytes, uint32_t wire_bytes)
{
    if (stream->n_packets < MEAN_PACKETS) {
        stream->n_packets++;
    }
    double gain = 1.0 / stream->n_packets;
    double payload = payload_bytes < wire_bytes ? payload_bytes : wire_bytes;
    stream->payload_mean_bytes += (payload - stream->payload_mean_bytes) * gain;
    stream->wire_mean_bytes += (wire_bytes - stream->wire_mean_bytes) * gain;
}

/* Whether a lender sends more than it kept. */
static bool is_ahead(const struct weir_shares *shares, struct weir__share_stream *stream,
                     double packet_bits)
{
    double paid_bits = bits(stream->kept_bps, since_ns(shares, stream->ahead_ns));
    double left_bits = stream->ahead_bits > paid_bits ? stream->ahead_bits - paid_bits : 0.0;
    stream->ahead_bits = left_bits + packet_bits;
    stream->ahead_ns = shares->now_ns;
    return stream->ahead_bits >
           bits(stream->kept_bps, TAKE_BACK_NS) + 8.0 * stream->wire_mean_bytes;
}

bool weir_shares_on_media(struct weir_shares *shares, int64_t now_ns, uint32_t share,
                          uint32_t payload_bytes, uint32_t wire_bytes)
{
    struct weir__share_stream *stream = find(shares, share);
    if (!stream || wire_bytes == 0) {
        return false;
    }
    advance(shares, now_ns);
    measure(stream, payload_bytes, wire_bytes);
    stream->media_ns = shares->now_ns;
    bool returns = stream->idle || (stream->lends && is_ahead(shares, stream, 8.0 * wire_bytes));
    if (returns) {
        stream->idle = false;
        stream->lends = false;
        start_period(shares, stream);
    }
    stream->used_bits += 8.0 * wire_bytes;
    return returns;
}

/* At the end of a period: whether a stream lends, and what it keeps. */
static void judge(struct weir_shares *shares, struct weir__share_stream *stream, int64_t period_ns)
{
    double used_bps = stream->used_bits * 1e9 / (double)period_ns;
    bool lent = stream->lends;
    stream->lends = lent ? used_bps < RETURNS_ABOVE * stream->kept_bps
                         : stream->used_bits < LENDS_BELOW * stream->offered_bits;
    double min_bps = (double)to_wire_bps(stream, stream->config.min_media_bps);
    stream->kept_bps = used_bps * HEADROOM > min_bps ? used_bps * HEADROOM : min_bps;
    if (stream->lends && !lent) {
        stream->ahead_bits = 0;
        stream->ahead_ns = shares->now_ns;
    }
    start_period(shares, stream);
}

/* What the time since the last split tells of a stream. */
static void look(struct weir_shares *shares, struct weir__share_stream *stream)
{
    stream->idle = stream->idle || since_ns(shares, stream->media_ns) >= IDLE_NS;
    if (stream->idle) {
        return;
    }
    stream->offered_bits += bits((double)stream->offer_bps, since_ns(shares, stream->offered_ns));
    stream->offered_ns = shares->now_ns;
    int64_t period_ns = since_ns(shares, stream->period_ns);
    if (period_ns >= PERIOD_NS) {
        judge(shares, stream, period_ns);
    }
}

/* The limits in wire rates. Of very many very large minimums each is cut to its part of what can be
 * counted. */
static struct weir__share full_share(const struct weir_shares *shares,
                                     const struct weir__share_stream *stream)
{
    int64_t max_bps = to_wire_bps(stream, stream->config.max_media_bps);
    int64_t min_bps = to_wire_bps(stream, stream->config.min_media_bps);
    return (struct weir__share){
        .weight = stream->config.weight,
        .min_bps = weir_min_i64(min_bps, WEIR_MAX_BPS / shares->n_streams),
        .max_bps = max_bps,
    };
}

/* The same without what it lends. */
static struct weir__share used_share(const struct weir__share_stream *stream,
                                     struct weir__share full)
{
    if (stream->idle) {
        full.min_bps = 0;
        full.max_bps = 0;
    } else if (stream->lends) {
        bool keeps_all = stream->kept_bps >= (double)full.max_bps;
        full.max_bps = keeps_all ? full.max_bps : (int64_t)stream->kept_bps;
        full.max_bps = weir_max_i64(full.max_bps, full.min_bps);
    }
    return full;
}

/* A lender is told what it can have, if it takes all back together with the other lenders. */
static void tell(struct weir__share_stream *stream, int64_t full_bps, int64_t used_bps)
{
    bool lends = stream->idle || stream->lends;
    stream->wire_bps = used_bps;
    stream->offer_bps = lends ? weir_max_i64(full_bps, used_bps) : used_bps;
    stream->media_bps = to_media_bps(stream, stream->offer_bps);
}

void weir_shares_split(struct weir_shares *shares, int64_t now_ns, int64_t budget_wire_bps)
{
    struct weir__share full[WEIR_SHARES_MAX];
    struct weir__share used[WEIR_SHARES_MAX];
    struct weir__share_stream *streams[WEIR_SHARES_MAX];
    int64_t full_bps[WEIR_SHARES_MAX];
    int64_t used_bps[WEIR_SHARES_MAX];
    size_t n = 0;
    advance(shares, now_ns);
    for (uint32_t i = 0; i < WEIR_SHARES_MAX; i++) {
        struct weir__share_stream *stream = find(shares, i);
        if (stream) {
            look(shares, stream);
            full[n] = full_share(shares, stream);
            used[n] = used_share(stream, full[n]);
            streams[n++] = stream;
        }
    }
    weir__allocate(budget_wire_bps, full, n, full_bps);
    weir__allocate(budget_wire_bps, used, n, used_bps);
    for (size_t i = 0; i < n; i++) {
        tell(streams[i], full_bps[i], used_bps[i]);
    }
}

int64_t weir_shares_get_media_bps(const struct weir_shares *shares, uint32_t share)
{
    const struct weir__share_stream *stream = peek(shares, share);
    return stream ? stream->media_bps : 0;
}

int64_t weir_shares_get_wire_bps(const struct weir_shares *shares, uint32_t share)
{
    const struct weir__share_stream *stream = peek(shares, share);
    return stream ? stream->wire_bps : 0;
}

/* A single stream has nobody to lend to. */
int64_t weir_shares_next_timer_ns(const struct weir_shares *shares)
{
    int64_t next_ns = WEIR_NEVER_NS;
    for (uint32_t i = 0; i < WEIR_SHARES_MAX && shares->n_streams > 1; i++) {
        const struct weir__share_stream *stream = peek(shares, i);
        if (stream && !stream->idle) {
            int64_t idle_ns = weir_time_add_ns(stream->media_ns, IDLE_NS);
            int64_t judged_ns = weir_time_add_ns(stream->period_ns, PERIOD_NS);
            next_ns = weir_min_i64(next_ns, weir_min_i64(idle_ns, judged_ns));
        }
    }
    return weir__steady_clock_ns(&shares->steady, next_ns);
}
