/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every algorithm of the registry inside a session, on paths that no sane network has: the answer
 * stays within the limits, time goes on, and when the path is good again the rate recovers. */
#include "../test.h"
#include "control/controller.h"
#include "weir/sender.h"

#include <math.h>

#define MAX_IN_FLIGHT (1 << 16) /* transport-wide numbers */
#define MAX_RESULTS   2000
/* A sanitizer sees as much in a tenth of the packets. */
#define SHARE (TEST_IS_SANITIZED ? 10 : 1)

/* A path, and a source that always has a packet. Change at will. */
struct extreme {
    const char *algorithm;
    struct weir_sender *sender;
    struct weir_limits limits;
    int64_t now_ns;
    int64_t rtt_ns;
    int64_t feedback_ns; /* interval of feedback; 0 = after each packet */
    int64_t gap_ns;      /* the source makes one packet in this time; 0 = as many as may leave */
    int64_t loss_percent;
    bool silent;    /* no feedback comes through */
    bool unpaced;   /* sends whatever the session says */
    uint32_t bytes; /* of RTP; 0 = 1 to 65535, by turns */
    /* what happened */
    struct weir_packet_result packets[MAX_IN_FLIGHT];
    int64_t n_sent, n_reported;
    int64_t next_packet_ns, next_feedback_ns;
    uint64_t random;
};

static void begin(struct extreme *e, const struct weir_controller *controller)
{
    struct weir_sender_config config;
    enum weir_status status;
    *e = (struct extreme){.algorithm = controller->name,
                          .rtt_ns = WEIR_MS(100),
                          .feedback_ns = WEIR_MS(50),
                          .bytes = 1200,
                          .random = 1};
    weir_sender_config_init(&config);
    config.algorithm = controller->name;
    config.circuit_breaker = false;
    e->limits = config.limits;
    e->sender = weir_sender_create(&config, 0, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
}

static void end(struct extreme *e)
{
    weir_sender_destroy(e->sender);
    e->sender = NULL;
}

static void check(const struct extreme *e)
{
    struct weir_output output;
    struct weir_variable variables[64];
    weir_sender_get_output(e->sender, &output);
    g_assert_cmpint(output.target_media_bps, >=, e->limits.min_bps);
    g_assert_cmpint(output.target_media_bps, <=, e->limits.max_bps);
    g_assert_cmpint(output.allowed_wire_bps, >=, e->limits.min_bps);
    g_assert_cmpint(output.allowed_wire_bps, <=,
                    20 * e->limits.max_bps); /* share of media >= 5 % */
    g_assert_cmpint(output.window_bytes, >, 0);
    size_t n = weir_sender_get_variables(e->sender, variables, 64);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(variables[i].value)) {
            g_error("%s: %s is not finite", e->algorithm, variables[i].name);
        }
    }
}

static bool is_lost(struct extreme *e)
{
    e->random = e->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)(e->random >> 33) % 100 < e->loss_percent;
}

static void send_packet(struct extreme *e)
{
    static const uint32_t sizes[] = {1, 65535, 100, 1200, 13, 9000};
    uint32_t bytes = e->bytes > 0 ? e->bytes : sizes[e->n_sent % 6];
    uint16_t seq = (uint16_t)e->n_sent;
    struct weir_sent sent = {.ssrc = 1,
                             .rtp_seq = seq,
                             .rtp_timestamp = (uint32_t)(e->now_ns / 11111),
                             .transport_seq = seq,
                             .has_transport_seq = true,
                             .rtp_bytes = bytes,
                             .payload_bytes = bytes > 12 ? bytes - 12 : 0,
                             .queued_bytes = e->gap_ns > 0 ? 0 : bytes};
    bool lost = is_lost(e);
    g_assert_cmpint(weir_sender_on_sent(e->sender, e->now_ns, &sent), ==, WEIR_OK);
    e->packets[seq] = (struct weir_packet_result){.transport_seq = seq,
                                                  .received = !lost,
                                                  .sent_ns = e->now_ns,
                                                  .arrived_ns = lost ? WEIR_UNKNOWN_NS
                                                                     : e->now_ns + e->rtt_ns / 2};
    e->n_sent++;
    e->next_packet_ns = e->now_ns + e->gap_ns;
}

/* Reports what left an RTT ago or earlier. */
static void send_feedback(struct extreme *e)
{
    static struct weir_packet_result results[MAX_RESULTS];
    size_t n = 0;
    if (e->n_sent - e->n_reported > MAX_IN_FLIGHT) {
        e->n_reported = e->n_sent - MAX_IN_FLIGHT;
    }
    while (e->n_reported < e->n_sent && n < MAX_RESULTS &&
           e->packets[(uint16_t)e->n_reported].sent_ns + e->rtt_ns <= e->now_ns) {
        results[n++] = e->packets[(uint16_t)e->n_reported++];
    }
    if (n > 0 && !e->silent) {
        weir_sender_on_packet_results(e->sender, e->now_ns, 0, results, n);
    }
    e->next_feedback_ns = e->now_ns + weir_max_i64(e->feedback_ns, WEIR_US(1));
}

/* When the next packet leaves: the source has one, and the session lets it go. */
static int64_t next_packet_ns(const struct extreme *e)
{
    uint32_t bytes = e->bytes > 0 ? e->bytes : 65535;
    int64_t allowed_ns = weir_sender_next_send_ns(e->sender, e->now_ns, bytes);
    return weir_max_i64(e->next_packet_ns, e->unpaced ? 0 : allowed_ns);
}

static void run_for(struct extreme *e, int64_t duration_ns)
{
    int64_t end_ns = e->now_ns + duration_ns;
    for (;;) {
        int64_t packet_ns = next_packet_ns(e);
        int64_t timer_ns = weir_sender_next_timer_ns(e->sender);
        int64_t next_ns = weir_min_i64(weir_min_i64(packet_ns, timer_ns), e->next_feedback_ns);
        if (next_ns > end_ns) {
            break;
        }
        e->now_ns = weir_max_i64(next_ns, e->now_ns);
        if (timer_ns <= e->now_ns) {
            weir_sender_on_timer(e->sender, e->now_ns);
        } else if (packet_ns <= e->now_ns) {
            send_packet(e);
        } else {
            send_feedback(e);
        }
        check(e);
    }
    e->now_ns = end_ns;
}

/* The path is good again: two minutes later the flow has left the floor, if it is given them. */
static void recovers(struct extreme *e)
{
    struct weir_output output;
    e->rtt_ns = WEIR_MS(100);
    e->feedback_ns = WEIR_MS(50);
    e->gap_ns = 0;
    e->next_packet_ns = 0;
    e->next_feedback_ns = e->now_ns;
    e->loss_percent = 0;
    e->silent = false;
    e->unpaced = false;
    e->bytes = 1200;
    run_for(e, WEIR_SECONDS(120) / SHARE);
    weir_sender_get_output(e->sender, &output);
    g_test_message("%s: %d bit/s after it", e->algorithm, (int)output.allowed_wire_bps);
    if (SHARE == 1 && output.allowed_wire_bps <= 2 * e->limits.min_bps) {
        g_test_fail_printf("%s: still at the floor", e->algorithm);
    }
}

static void round_trip_time_zero(struct extreme *e)
{
    e->rtt_ns = 0;
    e->feedback_ns = 0;
    run_for(e, WEIR_SECONDS(1) / SHARE);
}

static void round_trip_time_a_minute(struct extreme *e)
{
    e->rtt_ns = WEIR_SECONDS(60);
    run_for(e, WEIR_SECONDS(200));
}

static void one_packet_per_minute(struct extreme *e)
{
    e->gap_ns = WEIR_SECONDS(60);
    run_for(e, WEIR_SECONDS(3 * 3600));
    g_assert_cmpint(e->n_sent, >=, 100);
}

static void a_hundred_thousand_packets_per_second(struct extreme *e)
{
    e->gap_ns = WEIR_US(10);
    e->unpaced = true;
    e->bytes = 100;
    e->rtt_ns = WEIR_MS(20);
    e->feedback_ns = WEIR_MS(5);
    run_for(e, WEIR_SECONDS(2) / SHARE);
    g_assert_cmpint(e->n_sent, >=, 199000 / SHARE);
}

static void packets_of_one_to_65535_bytes(struct extreme *e)
{
    e->bytes = 0;
    run_for(e, WEIR_SECONDS(60));
    e->loss_percent = 5;
    run_for(e, WEIR_SECONDS(60));
}

static void all_is_lost(struct extreme *e)
{
    run_for(e, WEIR_SECONDS(5));
    e->loss_percent = 100;
    run_for(e, WEIR_SECONDS(60));
}

static void no_feedback_for_an_hour(struct extreme *e)
{
    run_for(e, WEIR_SECONDS(5));
    e->silent = true;
    run_for(e, WEIR_SECONDS(3600));
}

static void thrice_as_many_losses_as_there_are_numbers(struct extreme *e)
{
    e->gap_ns = WEIR_US(10);
    e->unpaced = true;
    e->bytes = 100;
    e->rtt_ns = WEIR_MS(20);
    e->feedback_ns = WEIR_MS(5);
    e->loss_percent = 100;
    run_for(e, WEIR_SECONDS(2) / SHARE);
    g_assert_cmpint(e->n_sent, >=, 199000 / SHARE); /* of 16 bits */
}

static const struct {
    const char *name;
    void (*run)(struct extreme *e);
} extremes[] = {
    {"round_trip_time_zero", round_trip_time_zero},
    {"round_trip_time_a_minute", round_trip_time_a_minute},
    {"one_packet_per_minute", one_packet_per_minute},
    {"a_hundred_thousand_packets_per_second", a_hundred_thousand_packets_per_second},
    {"packets_of_one_to_65535_bytes", packets_of_one_to_65535_bytes},
    {"all_is_lost", all_is_lost},
    {"no_feedback_for_an_hour", no_feedback_for_an_hour},
    {"thrice_as_many_losses_as_there_are_numbers", thrice_as_many_losses_as_there_are_numbers},
};

struct plan {
    const struct weir_controller *controller;
    void (*run)(struct extreme *e);
};

static void survives(const void *data)
{
    static struct extreme e;
    const struct plan *plan = data;
    begin(&e, plan->controller);
    plan->run(&e);
    recovers(&e);
    end(&e);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    for (size_t i = 0; weir__controller_at(i) != NULL; i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(extremes); k++) {
            struct plan *plan = g_new(struct plan, 1);
            *plan = (struct plan){weir__controller_at(i), extremes[k].run};
            char *path = g_strdup_printf("/%s/%s", plan->controller->name, extremes[k].name);
            g_test_add_data_func_full(path, plan, survives, g_free);
            g_free(path);
        }
    }
    return g_test_run();
}
