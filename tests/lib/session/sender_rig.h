/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending session with a controller that answers what the test says and remembers what it was
 * told, and the RTCP of a peer. */
#ifndef WEIR_TESTS_SENDER_RIG_H
#define WEIR_TESTS_SENDER_RIG_H

#include "../../read_formats.h"
#include "codec/sr_rr.h"
#include "session/sender_internal.h"
#include "test.h"
#include "weir/receiver.h"

#define RIG_SSRC 0xcafebabe
#define RIG_PEER 0x11223344

enum { RIG_MAX_NEWS = 20000 };

/* What the controller was told, and what it answers. */
static struct {
    struct weir_control control;
    int64_t next_timer_ns;
    int64_t seeded_rtt_ns;
    struct weir_config config;
    struct weir_limits limits;
    struct weir_sent_packet sent;
    struct weir_feedback feedback; /* the last; its packets are in news */
    struct weir_report report;
    struct weir_packet_report news[RIG_MAX_NEWS];
    size_t n_news;
    int n_inits, n_sent, n_feedbacks, n_reports, n_timers, n_path_changes, n_limits;
} probe;

static inline void probe_init(void *state, const struct weir_config *config)
{
    (void)state;
    probe.config = *config;
    probe.limits = config->limits;
    probe.n_inits++;
}

static inline void probe_on_packet_sent(void *state, const struct weir_path *path,
                                        const struct weir_sent_packet *sent)
{
    (void)path;
    (void)state;
    probe.sent = *sent;
    probe.n_sent++;
}

/* Checks the contract of lib/control/controller.h on the way. */
static inline void probe_on_feedback(void *state, const struct weir_path *path,
                                     const struct weir_feedback *feedback)
{
    (void)path;
    (void)state;
    g_assert_cmpuint(feedback->n_packets, >=, 1);
    g_assert_cmpuint(feedback->n_packets, <=, WEIR_FEEDBACK_MAX_PACKETS);
    g_assert_cmpint(feedback->in_flight_bytes, >=, 0);
    g_assert_true(feedback->rtt_ns == WEIR_UNKNOWN_NS ||
                  (feedback->rtt_ns >= 1 && feedback->rtt_ns <= WEIR_SECONDS(10)));
    for (size_t i = 0; i < feedback->n_packets; i++) {
        if (i > 0) {
            g_assert_cmpint(feedback->packets[i].seq, >, feedback->packets[i - 1].seq);
        }
        if (probe.n_news < RIG_MAX_NEWS) {
            probe.news[probe.n_news++] = feedback->packets[i];
        }
    }
    probe.feedback = *feedback;
    probe.n_feedbacks++;
}

static inline void probe_on_report(void *state, const struct weir_path *path,
                                   const struct weir_report *report)
{
    (void)path;
    (void)state;
    g_assert_cmpint(report->interval_ns, >, 0);
    g_assert_cmpint(report->lost_packets, >=, 0);
    g_assert_cmpint(report->lost_packets, <=, report->expected_packets);
    g_assert_cmpint(report->packet_bytes, >=, 1);
    probe.report = *report;
    probe.n_reports++;
}

static inline void probe_on_timer(void *state, int64_t now_ns)
{
    (void)state;
    (void)now_ns;
    probe.n_timers++;
    probe.next_timer_ns = WEIR_NEVER_NS;
}

static inline void probe_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)state;
    (void)now_ns;
    probe.n_path_changes++;
}

static inline void probe_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)state;
    (void)now_ns;
    probe.limits = *limits;
    probe.n_limits++;
}

static inline void probe_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)state;
    (void)now_ns;
    probe.seeded_rtt_ns = weir__rtt_srtt_ns(&path->rtt);
}

static inline int64_t probe_next_timer_ns(const void *state)
{
    (void)state;
    return probe.next_timer_ns;
}

static inline void probe_get_output(const void *state, struct weir_control *control)
{
    (void)state;
    *control = probe.control;
}

static inline void probe_get_variables(const void *state, struct weir_variables *to)
{
    (void)state;
    weir_tell(to, "answer", 42.0);
}

static const struct weir_controller rig_controller = {
    .name = "probe",
    .needs = WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS | WEIR_HAS_REPORT_FORM,
    .init = probe_init,
    .on_packet_sent = probe_on_packet_sent,
    .on_feedback = probe_on_feedback,
    .on_report = probe_on_report,
    .on_timer = probe_on_timer,
    .on_path_change = probe_on_path_change,
    .set_limits = probe_set_limits,
    .seed_rtt = probe_seed_rtt,
    .next_timer_ns = probe_next_timer_ns,
    .get_output = probe_get_output,
    .get_variables = probe_get_variables,
};

struct rig {
    struct weir_sender *sender;
    int64_t now_ns;
    uint16_t rtp_seq;       /* of the next packet */
    uint16_t transport_seq; /* likewise; used when has_transport */
    bool has_transport;
    uint32_t rtp_bytes;
    int64_t queued_bytes;
    uint32_t flags; /* enum weir_sent_flags */
    int64_t waited_ns;
    uint32_t member; /* of what is sent and of what comes back */
    uint32_t peer;   /* whose transport-wide feedback it is */
    uint8_t fb_count;
};

/* Limits without headroom over the wire: no overhead, and the header is all that is not media. */
static inline struct weir_sender_config rig_config(void)
{
    struct weir_sender_config config;
    weir_sender_config_init(&config);
    config.algorithm = "fixed";
    config.overhead_bytes = 0;
    config.seed = 1;
    return config;
}

static inline struct rig rig_new(const struct weir_sender_config *config)
{
    enum weir_status status = WEIR_ERROR_ARGUMENT;
    struct rig rig = {.now_ns = WEIR_SECONDS(100),
                      .rtp_seq = 65500,
                      .transport_seq = 65400,
                      .rtp_bytes = 1200,
                      .peer = RIG_PEER};
    memset(&probe, 0, sizeof(probe));
    probe.next_timer_ns = WEIR_NEVER_NS;
    probe.seeded_rtt_ns = WEIR_UNKNOWN_NS;
    probe.control.rate_bps = WEIR_MBPS(1);
    probe.control.window_bytes = WEIR_UNLIMITED_BYTES;
    rig.sender = weir_sender_create(config, rig.now_ns, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    rig.sender->driver.controller = &rig_controller;
    rig.sender->initial_bps = probe.control.rate_bps;
    weir__sender_refresh(rig.sender);
    return rig;
}

static inline struct rig rig_start(void)
{
    struct weir_sender_config config = rig_config();
    return rig_new(&config);
}

/* Other limits of member 0. */
static inline enum weir_status rig_set_limits(struct rig *rig, const struct weir_limits *limits)
{
    struct weir_member member;
    g_assert_cmpint(weir_sender_get_member(rig->sender, 0, &member), ==, WEIR_OK);
    member.limits = *limits;
    return weir_sender_set_member(rig->sender, rig->now_ns, 0, &member);
}

/* Members 1 to n - 1, which are as member 0 is. */
static inline void rig_add_members(struct rig *rig, uint32_t n)
{
    struct weir_member like;
    uint32_t member = 0;
    g_assert_cmpint(weir_sender_get_member(rig->sender, 0, &like), ==, WEIR_OK);
    for (uint32_t i = 1; i < n; i++) {
        g_assert_cmpint(weir_sender_add_member(rig->sender, rig->now_ns, &like, &member), ==,
                        WEIR_OK);
        g_assert_cmpuint(member, ==, i);
    }
}

static inline void rig_finish(struct rig *rig)
{
    weir_sender_destroy(rig->sender);
}

static inline void rig_send_ssrc(struct rig *rig, uint32_t ssrc, uint16_t rtp_seq)
{
    struct weir_sent sent = {
        .ssrc = ssrc,
        .rtp_seq = rtp_seq,
        .rtp_timestamp = (uint32_t)(rig->now_ns / WEIR_US(100) * 9),
        .transport_seq = rig->transport_seq,
        .has_transport_seq = rig->has_transport,
        .ecn = (uint8_t)weir_sender_get_ecn(rig->sender),
        .rtp_bytes = rig->rtp_bytes,
        .payload_bytes = rig->rtp_bytes - 12,
        .queued_bytes = rig->queued_bytes,
        .flags = rig->flags,
        .waited_ns = rig->waited_ns,
        .member = rig->member,
    };
    rig->transport_seq = (uint16_t)(rig->transport_seq + rig->has_transport);
    g_assert_cmpint(weir_sender_on_sent(rig->sender, rig->now_ns, &sent), ==, WEIR_OK);
}

/* n packets, one now and then one every spacing_ns; time goes on after each. */
static inline void rig_send(struct rig *rig, int n, int64_t spacing_ns)
{
    for (int i = 0; i < n; i++) {
        rig_send_ssrc(rig, RIG_SSRC, rig->rtp_seq++);
        rig->now_ns += spacing_ns;
    }
}

static inline enum weir_status rig_rtcp(struct rig *rig, const uint8_t *data, size_t len)
{
    return weir_sender_on_rtcp(rig->sender, rig->now_ns, rig->member, data, len);
}

/* RFC 8888 feedback of a peer: pattern 'r' received, 'c' received with CE, 'e' with ECT(0), '.'
 * not, for packets from begin on, one per ms, the last one hold_ns ago. Returns the size. */
static inline size_t rig_build_ccfb(const struct rig *rig, uint32_t peer, uint32_t ssrc,
                                    uint16_t begin, const char *pattern, int64_t hold_ns,
                                    uint8_t *buffer, size_t capacity)
{
    static struct weir__feedback_entry entries[RIG_MAX_NEWS];
    size_t n = strlen(pattern), len = 0, n_written = 0;
    for (size_t i = 0; i < n; i++) {
        bool received = pattern[i] != '.';
        entries[i] = (struct weir__feedback_entry){
            .arrival_ns = received ? -hold_ns - WEIR_MS((int64_t)(n - 1 - i)) : 0,
            .ssrc = ssrc,
            .seq = (uint16_t)(begin + i),
            .ecn = pattern[i] == 'c'   ? WEIR_ECN_CE
                   : pattern[i] == 'e' ? WEIR_ECN_ECT0
                                       : WEIR_ECN_NOT_ECT,
            .received = received,
            .has_time = received,
        };
    }
    struct ccfb ccfb = {
        .sender_ssrc = peer,
        .report_mid32 = (uint32_t)(rig->now_ns / 1000 * 65536 / 1000000),
    };
    g_assert_cmpint(ccfb_build(&ccfb, entries, n, buffer, capacity, &len, &n_written), ==, WEIR_OK);
    g_assert_cmpuint(n_written, ==, n);
    return len;
}

static inline enum weir_status rig_ccfb(struct rig *rig, uint16_t begin, const char *pattern)
{
    static uint8_t buffer[65536];
    size_t len = rig_build_ccfb(rig, RIG_PEER, RIG_SSRC, begin, pattern, 0, buffer, sizeof(buffer));
    return rig_rtcp(rig, buffer, len);
}

/* Transport-wide feedback, the same patterns; packets arrive 1 ms apart, the first at reference. */
static inline size_t rig_build_twcc(struct rig *rig, uint16_t begin, const char *pattern,
                                    int64_t reference_ns, uint8_t *buffer, size_t capacity)
{
    static struct weir__feedback_entry entries[RIG_MAX_NEWS];
    size_t n = strlen(pattern), len = 0, n_written = 0;
    for (size_t i = 0; i < n; i++) {
        bool received = pattern[i] != '.';
        entries[i] = (struct weir__feedback_entry){
            .arrival_ns = received ? reference_ns + WEIR_MS((int64_t)i) : 0,
            .seq = (uint16_t)(begin + i),
            .received = received,
            .has_time = received,
        };
    }
    struct twcc twcc = {
        .sender_ssrc = rig->peer,
        .media_ssrc = RIG_SSRC,
        .feedback_count = rig->fb_count++,
        .reference_ticks = (int32_t)(reference_ns / WEIR_MS(64)),
    };
    g_assert_cmpint(twcc_build(&twcc, entries, n, buffer, capacity, &len, &n_written), ==, WEIR_OK);
    g_assert_cmpuint(n_written, ==, n);
    return len;
}

static inline enum weir_status rig_twcc(struct rig *rig, uint16_t begin, const char *pattern,
                                        int64_t reference_ns)
{
    static uint8_t buffer[65536];
    size_t len = rig_build_twcc(rig, begin, pattern, reference_ns, buffer, sizeof(buffer));
    return rig_rtcp(rig, buffer, len);
}

/* A receiver report with one block. */
static inline enum weir_status rig_rr(struct rig *rig, uint32_t peer, uint32_t highest_seq,
                                      int32_t cumulative_lost, uint32_t lsr, uint32_t dlsr)
{
    uint8_t buffer[64];
    size_t len;
    struct weir__report report = {
        .ssrc = peer,
        .n_blocks = 1,
        .blocks = {{.ssrc = RIG_SSRC,
                    .highest_seq = highest_seq,
                    .cumulative_lost = cumulative_lost,
                    .lsr_mid32 = lsr,
                    .dlsr_mid32 = dlsr}},
    };
    g_assert_cmpint(weir__report_build(&report, buffer, sizeof(buffer), &len), ==, WEIR_OK);
    return rig_rtcp(rig, buffer, len);
}

static inline enum weir_status rig_remb_of(struct rig *rig, uint32_t peer, uint32_t ssrc,
                                           int64_t bitrate_bps)
{
    uint8_t buffer[64];
    size_t len;
    struct weir__bitrate_bound remb = {
        .bitrate_bps = bitrate_bps, .sender_ssrc = peer, .n_ssrcs = 1, .ssrcs = {ssrc}};
    g_assert_cmpint(remb_build(&remb, buffer, sizeof(buffer), &len), ==, WEIR_OK);
    return rig_rtcp(rig, buffer, len);
}

static inline enum weir_status rig_remb(struct rig *rig, uint32_t ssrc, int64_t bitrate_bps)
{
    return rig_remb_of(rig, RIG_PEER, ssrc, bitrate_bps);
}

static inline struct weir_output rig_output(const struct rig *rig)
{
    struct weir_output output;
    weir_sender_get_output(rig->sender, &output);
    return output;
}

static inline struct weir_sender_stats rig_stats(const struct rig *rig)
{
    struct weir_sender_stats stats;
    weir_sender_get_stats(rig->sender, &stats);
    return stats;
}

static inline void assert_same_output(const struct weir_output *a, const struct weir_output *b)
{
    g_assert_cmpint(a->allowed_wire_bps, ==, b->allowed_wire_bps);
    g_assert_cmpint(a->target_media_bps, ==, b->target_media_bps);
    g_assert_cmpint(a->pacing_wire_bps, ==, b->pacing_wire_bps);
    g_assert_cmpint(a->window_bytes, ==, b->window_bytes);
    g_assert_cmpint(a->rtt_ns, ==, b->rtt_ns);
    g_assert_cmpuint(a->state, ==, b->state);
}

#endif
