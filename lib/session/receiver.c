/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiving session: settings and statistics. What comes in is in receiver_input.c, what goes out
 * in receiver_report.c. */
#include "weir/receiver.h"

#include <stdlib.h>
#include <string.h>

#include "quality/voice.h"
#include "session/receiver_state.h"

#define RATE_BIN_NS WEIR_MS(20)
/* How long a packet waits for its report is half of the reaction time of a control loop on a short
 * path. Slow flows do not report more often for it: RTCP has 5 % of what arrives. */
#define INTERVAL_AUTO_MAX_NS WEIR_MS(50)
#define INTERVAL_MAX_NS      WEIR_SECONDS(10)
#define CLOCK_RATE_MAX_HZ    1000000000
#define MTU_MAX_BYTES        65507
#define OVERHEAD_MAX_BYTES   1000

enum { DEFAULT_CLOCK_RATE_HZ = 90000, DEFAULT_OVERHEAD_BYTES = 28, DEFAULT_MTU_BYTES = 1200 };

void weir_receiver_config_init(struct weir_receiver_config *config)
{
    *config = (struct weir_receiver_config){
        .size = sizeof *config,
        .format = WEIR_FEEDBACK_CCFB,
        .interval_max_ns = INTERVAL_AUTO_MAX_NS,
        .extra_compounds = true,
        .clock_rate_hz = DEFAULT_CLOCK_RATE_HZ,
        .overhead_bytes = DEFAULT_OVERHEAD_BYTES,
        .mtu_bytes = DEFAULT_MTU_BYTES,
    };
}

static enum weir_status check_format(uint32_t format, int64_t interval_ns)
{
    const struct weir__format *known = weir__format_at(weir__format_index(format));
    if (known == NULL || !weir__format_is_written(known)) {
        return WEIR_ERROR_ARGUMENT;
    }
    return interval_ns >= 0 && interval_ns <= INTERVAL_MAX_NS ? WEIR_OK : WEIR_ERROR_RANGE;
}

static enum weir_status check_config(const struct weir_receiver_config *config)
{
    if (config == NULL || config->size != sizeof *config) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (config->clock_rate_hz < 1 || config->clock_rate_hz > CLOCK_RATE_MAX_HZ ||
        config->overhead_bytes > OVERHEAD_MAX_BYTES || config->mtu_bytes > MTU_MAX_BYTES ||
        config->mtu_bytes < WEIR__RECEIVER_MIN_CAPACITY ||
        config->interval_max_ns < WEIR__RECEIVER_INTERVAL_MIN_NS ||
        config->interval_max_ns > INTERVAL_MAX_NS) {
        return WEIR_ERROR_RANGE;
    }
    return check_format(config->format, config->interval_ns);
}

static void init(struct weir_receiver *receiver, const struct weir_receiver_config *config,
                 int64_t now_ns)
{
    receiver->config = *config;
    receiver->format = weir__format_at(weir__format_index(config->format));
    strncpy(receiver->cname, config->cname != NULL ? config->cname : "weir",
            WEIR__RECEIVER_CNAME_BYTES);
    receiver->config.cname = NULL; /* the caller's text need not live on */
    receiver->now_ns = now_ns;
    receiver->report_ns = WEIR_UNKNOWN_NS;
    weir__feedback_timing_init(&receiver->timing, config->seed);
    receiver->timing.per_packet = config->per_packet;
    receiver->timing.extra_compounds = config->extra_compounds;
    weir__rate_meter_init(&receiver->rate, RATE_BIN_NS);
    weir__receive_estimate_init(&receiver->estimate);
    weir__rtt_init(&receiver->rtt, 0);
}

struct weir_receiver *weir_receiver_create(const struct weir_receiver_config *config,
                                           int64_t now_ns, enum weir_status *status)
{
    enum weir_status checked = check_config(config);
    struct weir_receiver *receiver = NULL;
    if (checked == WEIR_OK) {
        receiver = calloc(1, sizeof *receiver);
        checked = receiver != NULL ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
    }
    if (receiver != NULL) {
        init(receiver, config, now_ns);
    }
    if (status != NULL) {
        *status = checked;
    }
    return receiver;
}

void weir_receiver_destroy(struct weir_receiver *receiver)
{
    free(receiver);
}

/* A report that is being split is given up; what it did not tell is told in the new format. */
enum weir_status weir_receiver_set_format(struct weir_receiver *receiver, uint32_t format,
                                          int64_t interval_ns)
{
    if (receiver == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    enum weir_status status = check_format(format, interval_ns);
    if (status == WEIR_OK) {
        receiver->format = weir__format_at(weir__format_index(format));
        receiver->config.interval_ns = interval_ns;
        receiver->round.open = false;
    }
    return status;
}

void weir_receiver_set_ecn_counts(struct weir_receiver *receiver, bool ecn_counts)
{
    receiver->config.ecn_counts = ecn_counts;
}

void weir_receiver_set_transport_seq_id(struct weir_receiver *receiver, uint8_t id)
{
    receiver->config.transport_seq_id = id;
}

/* Of more than 16 streams the one set first is forgotten. */
enum weir_status weir_receiver_set_clock_rate(struct weir_receiver *receiver, uint32_t ssrc,
                                              uint32_t hz)
{
    if (receiver == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (hz < 1 || hz > CLOCK_RATE_MAX_HZ) {
        return WEIR_ERROR_RANGE;
    }
    int at = 0;
    while (at < receiver->n_clocks_set && receiver->clocks[at].ssrc != ssrc) {
        at++;
    }
    if (at == WEIR__RECEIVER_CLOCKS) {
        memmove(receiver->clocks, receiver->clocks + 1,
                sizeof receiver->clocks - sizeof receiver->clocks[0]);
        at--;
    }
    receiver->clocks[at] = (struct weir__clock_rate){.ssrc = ssrc, .hz = hz};
    receiver->n_clocks_set = (int)weir_max_i64(receiver->n_clocks_set, at + 1);
    struct weir__stream *stream = weir__receiver_find_stream(receiver, ssrc);
    if (stream != NULL) {
        stream->rr.clock_rate_hz = hz;
        stream->rr.has_transit = false;
    }
    return WEIR_OK;
}

static int64_t lost_packets(const struct weir_receiver *receiver)
{
    int64_t lost = receiver->lost_forgotten_packets;
    for (int i = 0; i < receiver->n_places; i++) {
        if (receiver->streams[i].in_use) {
            lost += weir__rr_source_lost_packets(&receiver->streams[i].rr);
        }
    }
    return lost;
}

static int64_t jitter_ns(const struct weir_receiver *receiver)
{
    for (int i = 0; i < receiver->n_places; i++) {
        const struct weir__rr_source *rr = &receiver->streams[i].rr;
        if (receiver->streams[i].in_use && rr->ssrc == receiver->last_ssrc) {
            return (int64_t)((double)rr->jitter_x16 / 16.0 * 1e9 / (double)rr->clock_rate_hz);
        }
    }
    return 0;
}

/* With the playout buffer that sounds best: a longer one loses fewer packets that are late, and
 * makes everybody wait for them; receivers of voice adapt theirs. */
static struct weir__voice_score best_score(const struct weir__reception *reception, int64_t path_ns)
{
    struct weir__voice_score best = {.r_score = 0.0, .mos = 1.0};
    for (int64_t playout_ns = WEIR__VOICE_PLAYOUT_NS;
         playout_ns <= WEIR__PLAYOUT_STEPS * WEIR__PLAYOUT_STEP_NS;
         playout_ns += WEIR__PLAYOUT_STEP_NS) {
        struct weir__voice_score score =
            weir__voice_score(weir__reception_unheard_ratio(reception, playout_ns),
                              path_ns + WEIR__VOICE_PACKET_NS + playout_ns);
        best = score.r_score > best.r_score ? score : best;
    }
    return best;
}

/* Voice quality from what is known here: half the smallest RTT (none while it is not known), and
 * the delays of packets above the fastest, with what the path does not know. A silent stream keeps
 * its score; 0 and 1 when there is none. */
static void fill_quality(const struct weir_receiver *receiver, struct weir_receiver_stats *stats)
{
    int64_t rtt_ns = weir__rtt_min_ns(&receiver->rtt);
    struct weir__voice_score score = {.r_score = 0.0, .mos = 1.0};
    if (receiver->n_streams > 0) {
        score = best_score(&receiver->reception, rtt_ns == WEIR_UNKNOWN_NS ? 0 : rtt_ns / 2);
    }
    stats->r_score = score.r_score;
    stats->mos = score.mos;
}

void weir_receiver_get_stats(const struct weir_receiver *receiver,
                             struct weir_receiver_stats *stats)
{
    int64_t now_ns = receiver->now_ns;
    *stats = receiver->stats;
    stats->packets_lost = lost_packets(receiver);
    stats->loss_ratio = weir__reception_loss_ratio(&receiver->reception, now_ns);
    stats->jitter_ns = jitter_ns(receiver);
    stats->delay_variation_ns = (int64_t)weir__reception_delay_ns(&receiver->reception, now_ns);
    stats->rtt_ns = weir__rtt_srtt_ns(&receiver->rtt);
    stats->received_wire_bps = weir__receiver_rate_bps(receiver, now_ns);
    fill_quality(receiver, stats);
}
