/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a sequence of calls of a sending session, one byte for each and more for its arguments.
 * After each of them the promises of sender.h hold. */
#include <stdbool.h>
#include <string.h>

#include "../read_formats.h"
#include "check.h"
#include "codec/sr_rr.h"
#include "input.h"
#include "weir/controller.h"
#include "weir/sender.h"

enum { MAX_REPORTED = 64, BUFFER_BYTES = 1500, N_SSRCS = 20, N_MEMBERS = 9 };

#define MIN_BPS WEIR_KBPS(30)
#define MAX_BPS WEIR_MBPS(20)

struct session {
    struct weir_sender *sender;
    struct weir_limits limits;
    int64_t now_ns;
    uint16_t rtp_seq;
    uint16_t transport_seq;
    uint32_t member; /* of the newest packet: what comes back is of it */
    struct fuzz_input input;
};

static unsigned take(struct session *session)
{
    return fuzz_take(&session->input);
}

static uint32_t take_u32(struct session *session)
{
    return fuzz_take_u32(&session->input);
}

static void check_output(const struct session *session)
{
    struct weir_output output;
    weir_sender_get_output(session->sender, &output);
    if (output.state & WEIR_STATE_BREAKER_CEASED) {
        CHECK(output.allowed_wire_bps == 0 && output.target_media_bps == 0);
        CHECK(weir_sender_next_send_ns(session->sender, session->now_ns, 100) == WEIR_NEVER_NS);
        CHECK(weir_sender_next_audio_ns(session->sender, session->now_ns, 100) == WEIR_NEVER_NS);
    } else {
        CHECK(output.target_media_bps >= session->limits.min_bps);
        CHECK(output.target_media_bps <= session->limits.max_bps);
        CHECK(output.allowed_wire_bps >= session->limits.min_bps);
        CHECK(output.pacing_wire_bps > 0);
    }
    CHECK(output.window_bytes >= 0);
    CHECK(output.rtt_ns == WEIR_UNKNOWN_NS ||
          (output.rtt_ns >= WEIR_US(100) && output.rtt_ns <= WEIR_SECONDS(10)));
}

static void check_stats(const struct session *session)
{
    struct weir_sender_stats stats;
    weir_sender_get_stats(session->sender, &stats);
    CHECK(stats.in_flight_bytes >= 0);
    CHECK((uint64_t)stats.in_flight_bytes <= stats.bytes_sent_wire);
    CHECK(stats.loss_ppm >= 0 && stats.loss_ppm <= 1000000);
    CHECK(stats.packets_lost <= UINT64_MAX / 2);
    CHECK(stats.bytes_sent_media <= stats.bytes_sent_wire);
    CHECK(stats.sent_wire_bps >= 0 && stats.delivered_wire_bps >= 0);
    CHECK(stats.remb_bps >= 0);
}

static void send_packets(struct session *session)
{
    unsigned n = take(session) % 32;
    unsigned how = take(session);
    for (unsigned i = 0; i < n; i++) {
        struct weir_sent sent = {
            .ssrc = 1 + (how & 0x40 ? i % N_SSRCS : 0),
            .rtp_timestamp = (uint32_t)i / 4 * 3000,
            .rtp_seq = session->rtp_seq++,
            .transport_seq = session->transport_seq,
            .has_transport_seq = (how & 0x80) != 0,
            .rtp_bytes = 40 + how * 5,
            .payload_bytes = 20 + how * 5,
            .queued_bytes = (how & 0x20) ? (int64_t)(n - i) * 1000 : 0,
            .flags = how & (WEIR_SENT_AUDIO | WEIR_SENT_REPAIR),
            .member = (how & 0x10) ? i % N_MEMBERS : 0,
        };
        session->member = sent.member;
        session->transport_seq = (uint16_t)(session->transport_seq + sent.has_transport_seq);
        CHECK(weir_sender_on_sent(session->sender, session->now_ns, &sent) == WEIR_OK);
        session->now_ns += WEIR_US(how & 0x1f) * 100;
    }
}

static void pass_time(struct session *session)
{
    static const int64_t steps_ns[] = {
        WEIR_US(50),     WEIR_MS(1),      WEIR_MS(10),      WEIR_MS(100), WEIR_MS(700),
        WEIR_SECONDS(3), WEIR_SECONDS(7), WEIR_SECONDS(61), -WEIR_MS(5),  -WEIR_SECONDS(100)};
    session->now_ns += steps_ns[take(session) % (sizeof(steps_ns) / sizeof(steps_ns[0]))];
}

static void give_rtcp(struct session *session, const uint8_t *data, size_t len)
{
    enum weir_status status =
        weir_sender_on_rtcp(session->sender, session->now_ns, session->member, data, len);
    CHECK(status <= WEIR_OK);
}

static void raw_rtcp(struct session *session)
{
    size_t len;
    const uint8_t *data = fuzz_take_bytes(&session->input, &len);
    give_rtcp(session, data, len);
}

/* A well-formed packet, of which the input may change one byte. */
static void mutated_rtcp(struct session *session, uint8_t *buffer, size_t len)
{
    unsigned at = take(session);
    if (at < len) {
        buffer[at] = (uint8_t)take(session);
    }
    give_rtcp(session, buffer, len);
}

static void ccfb(struct session *session)
{
    struct weir__feedback_entry entries[MAX_REPORTED];
    uint8_t buffer[BUFFER_BYTES];
    size_t len, n_written, n = take(session) % MAX_REPORTED;
    uint16_t first = (uint16_t)(session->rtp_seq - take(session));
    uint32_t ssrc = 1 + take(session) % N_SSRCS;
    struct ccfb head = {.sender_ssrc = take(session) % 12, .report_mid32 = take_u32(session)};
    for (size_t i = 0; i < n; i++) {
        unsigned how = take(session);
        bool received = how % 4 != 0;
        entries[i] = (struct weir__feedback_entry){
            .arrival_ns = received ? -(int64_t)how * WEIR_MS(1) : 0,
            .ssrc = ssrc,
            .seq = (uint16_t)(first + i),
            .ecn = (uint8_t)(received ? how >> 6 : 0),
            .received = received,
            .has_time = received,
        };
    }
    if (ccfb_build(&head, entries, n, buffer, sizeof(buffer), &len, &n_written) == WEIR_OK) {
        mutated_rtcp(session, buffer, len);
    }
}

static void twcc(struct session *session)
{
    struct weir__feedback_entry entries[MAX_REPORTED];
    uint8_t buffer[BUFFER_BYTES];
    size_t len, n_written, n = 1 + take(session) % (MAX_REPORTED - 1);
    uint16_t first = (uint16_t)(session->transport_seq - take(session));
    struct twcc head = {
        .sender_ssrc = take(session) % 12, .media_ssrc = 1, .reference_ticks = 1000};
    int64_t arrival_ns = (int64_t)(take_u32(session) & 0xffff) * WEIR_MS(64);
    for (size_t i = 0; i < n; i++) {
        unsigned how = take(session);
        bool received = how % 4 != 0;
        arrival_ns += (int64_t)(how / 4) * WEIR_US(250);
        entries[i] = (struct weir__feedback_entry){
            .arrival_ns = received ? arrival_ns : 0,
            .seq = (uint16_t)(first + i),
            .received = received,
            .has_time = received,
        };
    }
    if (twcc_build(&head, entries, n, buffer, sizeof(buffer), &len, &n_written) == WEIR_OK) {
        mutated_rtcp(session, buffer, len);
    }
}

static void receiver_report(struct session *session)
{
    uint8_t buffer[BUFFER_BYTES];
    size_t len;
    struct weir__report report = {.ssrc = take(session) % 12, .n_blocks = 2};
    for (unsigned i = 0; i < 2; i++) {
        report.blocks[i] = (struct weir__report_block){
            .ssrc = 1 + take(session) % N_SSRCS,
            .highest_seq = (uint32_t)(session->rtp_seq - take(session)),
            .cumulative_lost = (int32_t)(take_u32(session) & 0xffffff) - 0x800000,
            .lsr_mid32 = take(session) << 16,
            .dlsr_mid32 = take(session) << 8,
        };
    }
    if (weir__report_build(&report, buffer, sizeof(buffer), &len) == WEIR_OK) {
        mutated_rtcp(session, buffer, len);
    }
}

static void remb(struct session *session)
{
    uint8_t buffer[BUFFER_BYTES];
    size_t len;
    struct weir__bitrate_bound packet = {.bitrate_bps = (int64_t)take_u32(session)
                                                        << (take(session) % 30),
                                         .sender_ssrc = 1,
                                         .n_ssrcs = 1,
                                         .ssrcs = {1 + take(session) % N_SSRCS}};
    if (remb_build(&packet, buffer, sizeof(buffer), &len) == WEIR_OK) {
        mutated_rtcp(session, buffer, len);
    }
}

static void results(struct session *session)
{
    struct weir_packet_result items[MAX_REPORTED];
    size_t n = take(session) % MAX_REPORTED;
    uint16_t first = (uint16_t)(session->transport_seq - take(session));
    for (size_t i = 0; i < n; i++) {
        unsigned how = take(session);
        items[i] = (struct weir_packet_result){
            .transport_seq = (uint16_t)(first + i),
            .received = how % 4 != 0,
            .sent_ns = how & 0x10 ? WEIR_UNKNOWN_NS : session->now_ns - WEIR_MS(how),
            .arrived_ns = how & 0x20 ? INT64_MAX - how : (int64_t)how * WEIR_SECONDS(1),
            .payload_bytes = how & 0x40 ? 20 + how * 5 : 0,
        };
    }
    CHECK(weir_sender_on_packet_results(session->sender, session->now_ns, session->member, items,
                                        n) <= WEIR_OK);
}

/* The members besides the first have next to nothing of the limits. */
static void add_member(struct session *session, uint32_t number)
{
    const struct weir_member config = {.limits = {.min_bps = 1, .max_bps = 1, .start_bps = 1},
                                       .weight = 1};
    uint32_t member = 0;
    CHECK(weir_sender_add_member(session->sender, session->now_ns, &config, &member) == WEIR_OK);
    CHECK(member == number);
}

static void change_member(struct session *session, unsigned value)
{
    uint32_t number = 1 + value % (N_MEMBERS - 1);
    struct weir_member config;
    CHECK(weir_sender_get_member(session->sender, number, &config) == WEIR_OK);
    config.overhead_bytes = value;
    config.weight = 1 + value;
    config.rtp_session = value % 5;
    CHECK(weir_sender_set_member(session->sender, session->now_ns, number, &config) == WEIR_OK);
    weir_sender_on_media(session->sender, session->now_ns, number, value, 2 * value);
    if (value & 0x80) {
        CHECK(weir_sender_remove_member(session->sender, session->now_ns, number) == WEIR_OK);
        add_member(session, number);
    }
}

static void set_limits(struct session *session)
{
    struct weir_limits limits = {
        .min_bps = MIN_BPS + take(session) * 1000,
        .start_bps = WEIR_KBPS(300) + take(session) * 1000,
        .max_bps = WEIR_KBPS(100) + take(session) * 80000,
    };
    struct weir_member member;
    CHECK(weir_sender_get_member(session->sender, 0, &member) == WEIR_OK);
    member.limits = limits;
    if (weir_sender_set_member(session->sender, session->now_ns, 0, &member) == WEIR_OK) {
        session->limits = limits;
        session->limits.max_bps += N_MEMBERS - 1;
    }
}

static void set_algorithm(struct session *session)
{
    const char *name = weir_algorithm_name(take(session) % (weir_algorithm_count() + 1));
    enum weir_status status =
        weir_sender_set_algorithm(session->sender, session->now_ns, name, NULL, 0);
    CHECK((status == WEIR_OK) == (name != NULL));
}

static void build_report(struct session *session)
{
    uint8_t buffer[BUFFER_BYTES];
    size_t len = 0, capacity = take(session) * 4;
    uint64_t ntp = (uint64_t)take(session) << 32;
    if (weir_sender_build_report(session->sender, session->now_ns, session->member, ntp, buffer,
                                 capacity, &len) == WEIR_OK) {
        CHECK(len > 0 && len <= capacity && len % 4 == 0);
        weir_sender_on_report_sent(session->sender, session->now_ns, buffer, len);
    }
}

static void change_setting(struct session *session)
{
    struct weir_sender *sender = session->sender;
    unsigned value = take(session);
    switch (take(session) % 6) {
    case 0:
        change_member(session, value);
        break;
    case 1:
        weir_sender_set_pacing(sender, session->now_ns, value % 2);
        break;
    case 2:
        weir_sender_set_feedback_formats(sender, session->now_ns, value);
        break;
    case 3:
        weir_sender_on_queue(sender, session->now_ns, 0, (int64_t)value * 1000 - 5000);
        break;
    case 4:
        weir_sender_set_clock_rate(sender, value % N_MEMBERS, value, value * 1000);
        break;
    default:
        weir_sender_on_transport_seq(sender, 1, (uint16_t)(session->rtp_seq - value),
                                     session->transport_seq++);
        break;
    }
}

static void run_timers(struct session *session)
{
    int64_t due_ns = weir_sender_next_timer_ns(session->sender);
    if (due_ns < session->now_ns + WEIR_SECONDS(1) && due_ns > session->now_ns) {
        session->now_ns = due_ns;
    }
    weir_sender_on_timer(session->sender, session->now_ns);
}

typedef void step_fn(struct session *session);

static step_fn *const steps[] = {
    send_packets, send_packets, send_packets, pass_time,     pass_time,    run_timers,
    raw_rtcp,     ccfb,         twcc,         ccfb,          twcc,         receiver_report,
    remb,         results,      set_limits,   set_algorithm, build_report, change_setting,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session session = {.now_ns = WEIR_SECONDS(1), .rtp_seq = 65500, .input = {data, size}};
    struct weir_sender_config config;
    weir_sender_config_init(&config);
    config.limits.max_bps = MAX_BPS;
    config.algorithm = weir_algorithm_name(take(&session) % weir_algorithm_count());
    session.limits = config.limits;
    session.sender = weir_sender_create(&config, session.now_ns, NULL);
    CHECK(session.sender != NULL);
    for (uint32_t i = 1; i < N_MEMBERS; i++) {
        add_member(&session, i);
    }
    session.limits.max_bps += N_MEMBERS - 1;
    while (session.input.left > 0) {
        steps[take(&session) % (sizeof(steps) / sizeof(steps[0]))](&session);
        check_output(&session);
        check_stats(&session);
    }
    weir_sender_destroy(session.sender);
    return 0;
}
