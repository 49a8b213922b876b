/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a controller is told, and when. */
#include "../../test.h"
#include "control/driver.h"

static struct probe {
    const struct weir_path *path;
    int64_t n_feedback, n_lost, n_received, n_silence, n_timers;
    int64_t first_seq, last_seq, last_sent_ns;
} probe;

static void probe_init(void *state, const struct weir_config *config)
{
    (void)state;
    (void)config;
    probe = (struct probe){0};
}

static void probe_feedback(void *state, const struct weir_path *path,
                           const struct weir_feedback *feedback)
{
    (void)state;
    probe.path = path;
    probe.n_feedback++;
    probe.first_seq = feedback->packets[0].seq;
    probe.last_sent_ns = INT64_MIN;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        probe.n_lost += packet->status == WEIR_PACKET_LOST;
        probe.n_received += packet->status == WEIR_PACKET_RECEIVED;
        g_assert_cmpint(packet->sent_ns, >=, probe.last_sent_ns);
        g_assert_cmpint(packet->arrived_ns, ==, WEIR_UNKNOWN_NS);
        probe.last_sent_ns = packet->sent_ns;
        probe.last_seq = packet->seq;
    }
}

static void probe_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)state;
    (void)path;
    (void)now_ns;
    probe.n_silence++;
}

static int64_t probe_next_timer_ns(const void *state)
{
    (void)state;
    return WEIR_NEVER_NS;
}

static void probe_output(const void *state, struct weir_control *control)
{
    (void)state;
    *control = (struct weir_control){.rate_bps = 1, .window_bytes = WEIR_UNLIMITED_BYTES};
}

static const struct weir_controller rig = {.name = "probe",
                                           .needs = WEIR_HAS_REPORT_FORM,
                                           .init = probe_init,
                                           .on_feedback = probe_feedback,
                                           .on_silence = probe_silence,
                                           .next_timer_ns = probe_next_timer_ns,
                                           .get_output = probe_output};
static struct weir__driver driver;

static void start(void)
{
    weir__driver_init(&driver, 1000);
    weir__driver_start(&driver, &rig, &(struct weir_config){.packet_bytes = 1000}, WEIR_MS(100), 0);
}

static void send_packets(int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        struct weir_sent_packet sent = {
            .seq = driver.next_seq, .sent_ns = 0, .wire_bytes = 1000, .in_flight_bytes = 1000};
        weir__driver_on_sent(&driver, &sent);
    }
}

static void report(int64_t expected, int64_t lost)
{
    struct weir_report rr = {.now_ns = WEIR_SECONDS(1),
                             .rtt_ns = WEIR_MS(100),
                             .interval_ns = WEIR_SECONDS(1),
                             .expected_packets = expected,
                             .lost_packets = lost,
                             .packet_bytes = 1000,
                             .sent_bytes = expected * 1000};
    weir__driver_on_report(&driver, &rr);
}

/* Every ratio of losses to packets keeps its counts; of more than one feedback holds, its share. */
static void a_report_tells_of_as_many_packets_as_it_counts(void)
{
    for (int64_t expected = 1; expected <= 256; expected += 5) {
        for (int64_t lost = 0; lost <= expected; lost += 3) {
            start();
            send_packets(expected + 2);
            report(expected, lost);
            g_assert_cmpint(probe.n_lost, ==, lost);
            g_assert_cmpint(probe.n_received, ==, expected - lost);
            g_assert_cmpint(probe.last_seq, ==, expected - 1);
            g_assert_cmpint(probe.last_sent_ns, ==, WEIR_MS(900));
        }
    }
    start();
    send_packets(3000);
    report(2560, 256);
    g_assert_cmpint(probe.n_lost, ==, 26);
    g_assert_cmpint(probe.n_received, ==, 230);
    report(100, 0);
    g_assert_cmpint(probe.first_seq, ==, 2560);
}

/* A receiver that counts more packets than were sent tells of those that were. */
static void a_report_tells_of_no_packet_that_was_not_sent(void)
{
    start();
    send_packets(10);
    report(INT64_C(1) << 31, 1);
    g_assert_cmpint(probe.n_lost + probe.n_received, ==, 10);
    report(5, 0);
    g_assert_cmpint(probe.n_feedback, ==, 1);
}

static void events_bring_the_path_with_what_they_tell(void)
{
    start();
    send_packets(10);
    report(10, 0);
    g_assert_true(probe.path == &driver.path.now);
    g_assert_true(probe.path->reports_only);
    g_assert_cmpint(weir__rtt_latest_ns(&probe.path->rtt), ==, WEIR_MS(100));
}

static void silence_is_told_at_its_deadline(void)
{
    start();
    g_assert_cmpint(weir__driver_next_timer_ns(&driver), ==, WEIR_NEVER_NS);
    send_packets(1);
    int64_t due_ns = weir__driver_next_timer_ns(&driver);
    g_assert_cmpint(due_ns, ==, WEIR_MS(500));
    weir__driver_on_timer(&driver, due_ns - 1);
    g_assert_cmpint(probe.n_silence, ==, 0);
    weir__driver_on_timer(&driver, due_ns);
    weir__driver_on_timer(&driver, due_ns);
    g_assert_cmpint(probe.n_silence, ==, 1);
    g_assert_cmpint(weir__driver_next_timer_ns(&driver), ==, WEIR_NEVER_NS);
}

static int64_t probe_timeout_ns(const void *state, const struct weir_path *path)
{
    (void)state;
    return 3 * weir_path_srtt_ns(path);
}

static void a_controller_says_how_long_it_waits(void)
{
    static struct weir_controller patient;
    struct weir_control control;
    patient = rig;
    patient.silence_timeout_ns = probe_timeout_ns;
    patient.next_timer_ns = NULL;
    weir__driver_init(&driver, 1000);
    weir__driver_start(&driver, &patient, &(struct weir_config){.packet_bytes = 1000}, WEIR_MS(100),
                       0);
    send_packets(1);
    g_assert_cmpint(weir__driver_next_timer_ns(&driver), ==, WEIR_MS(300));
    weir__driver_on_timer(&driver, WEIR_MS(300));
    weir__driver_get_output(&driver, &control);
    g_assert_cmpuint(control.state, ==, WEIR_STATE_NO_FEEDBACK);
    send_packets(1);
    report(2, 0);
    g_assert_cmpint(weir__driver_next_timer_ns(&driver), ==, WEIR_SECONDS(3)); /* 1 s was a pause */
    weir__driver_get_output(&driver, &control);
    g_assert_cmpuint(control.state, ==, WEIR_STATE_REPORTS_ONLY);
}

static int64_t n_results;
static struct weir_probe_result last_result;

static void prober_output(const void *state, struct weir_control *control)
{
    probe_output(state, control);
    control->probe_bytes = 2000;
    control->probe_bps = WEIR_MBPS(20);
}

static void prober_on_probe(void *state, const struct weir_path *path,
                            const struct weir_probe_result *result)
{
    (void)state;
    (void)path;
    n_results++;
    last_result = *result;
}

static int64_t probe_left_bytes(void)
{
    struct weir_control control;
    weir__driver_get_output(&driver, &control);
    g_assert_cmpint(control.probe_bps, ==, control.probe_bytes > 0 ? WEIR_MBPS(10) : 0);
    return control.probe_bytes;
}

static void start_prober(const struct weir_controller *controller)
{
    struct weir_config config = {.limits.max_bps = WEIR_MBPS(10), .packet_bytes = 1000};
    n_results = 0;
    weir__driver_init(&driver, 1000);
    weir__driver_start(&driver, controller, &config, WEIR_MS(100), 0);
}

/* It begins behind a packet, at the maximum at most, and its result comes with its last answer, or
 * with its time. */
static void a_probe_brings_one_result(void)
{
    struct weir_controller prober = rig;
    prober.get_output = prober_output;
    prober.on_feedback = NULL;
    prober.on_probe = prober_on_probe;
    start_prober(&prober);
    g_assert_cmpint(probe_left_bytes(), ==, 0);
    send_packets(1);
    g_assert_cmpint(probe_left_bytes(), ==, 2000);
    send_packets(1);
    g_assert_cmpint(probe_left_bytes(), ==, 1000);
    send_packets(1);
    g_assert_cmpint(probe_left_bytes(), ==, 0);
    struct weir_packet_report packets[] = {{.seq = 1, .wire_bytes = 1000},
                                           {.seq = 2, .wire_bytes = 1000}};
    weir__driver_on_feedback(&driver, &(struct weir_feedback){.rtt_ns = WEIR_UNKNOWN_NS,
                                                              .now_ns = WEIR_MS(90),
                                                              .packets = packets,
                                                              .n_packets = 2});
    g_assert_cmpint(n_results, ==, 1);
    g_assert_cmpint(last_result.received_bytes, ==, 2000);
    send_packets(1);
    weir__driver_on_timer(&driver, WEIR_MS(200) - 1);
    g_assert_cmpint(n_results, ==, 1);
    weir__driver_on_timer(&driver, WEIR_MS(200));
    g_assert_cmpint(n_results, ==, 2);
    g_assert_cmpint(last_result.sent_bytes, ==, 0);
}

/* From reports nothing could be learnt, another path or controller is another matter, and a
 * controller that takes no result asks in vain. */
static void there_is_no_probe_without_a_use(void)
{
    struct weir_controller prober = rig;
    prober.get_output = prober_output;
    start_prober(&prober);
    send_packets(2);
    g_assert_cmpint(probe_left_bytes(), ==, 0);
    prober.on_probe = prober_on_probe;
    send_packets(1);
    g_assert_cmpint(probe_left_bytes(), ==, 2000);
    weir__driver_on_path_change(&driver, 0);
    g_assert_cmpint(probe_left_bytes(), ==, 0);
    report(2, 0);
    send_packets(1);
    g_assert_cmpint(probe_left_bytes(), ==, 0);
    g_assert_cmpint(n_results, ==, 0);
}

static int64_t inherited_rtt_ns;

static void heir_init(void *state, const struct weir_config *config)
{
    (void)state;
    inherited_rtt_ns = weir__rtt_latest_ns(&config->path->rtt);
}

static void what_is_known_of_the_path_outlives_the_controller(void)
{
    static struct weir_controller heir;
    heir = rig;
    heir.init = heir_init;
    start();
    send_packets(10);
    report(10, 0);
    weir__driver_start(&driver, &heir, &(struct weir_config){.packet_bytes = 1}, WEIR_UNKNOWN_NS,
                       WEIR_SECONDS(2));
    g_assert_cmpint(inherited_rtt_ns, ==, WEIR_MS(100));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/driver/" #name, name)
    ADD(a_report_tells_of_as_many_packets_as_it_counts);
    ADD(a_report_tells_of_no_packet_that_was_not_sent);
    ADD(events_bring_the_path_with_what_they_tell);
    ADD(silence_is_told_at_its_deadline);
    ADD(a_controller_says_how_long_it_waits);
    ADD(a_probe_brings_one_result);
    ADD(there_is_no_probe_without_a_use);
    ADD(what_is_known_of_the_path_outlives_the_controller);
    return g_test_run();
}
