/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../session/sender_rig.h"
#include "control/replay.h"

enum { MAX_RECORDS = 80000 };
static struct weir_trace_record records[MAX_RECORDS];
static size_t n_records;
static struct weir__replay replay;

static void on_trace(void *user, const struct weir_trace_record *record)
{
    g_assert_true(user == records);
    if (n_records < MAX_RECORDS) {
        records[n_records++] = *record;
    }
}

/* A life with loss, silence, a sleep of the machine, new limits and a change of algorithm. */
static void live(struct rig *rig, const char *algorithm)
{
    GRand *rand = g_rand_new_with_seed(3);
    struct weir_limits limits = {.min_bps = 50000, .max_bps = 3000000, .start_bps = 100000};
    for (int round = 0; round < 600; round++) {
        uint16_t begin = rig->rtp_seq;
        char pattern[9] = {0};
        rig_send(rig, 8, WEIR_MS(g_rand_int_range(rand, 1, 6)));
        for (int i = 0; i < 8; i++) {
            pattern[i] = g_rand_int_range(rand, 0, 30) == 0 ? '.' : 'r';
        }
        rig->now_ns += round == 400 ? WEIR_SECONDS(60) : WEIR_MS(20);
        if (round < 200 || round > 300) {
            rig_ccfb(rig, begin, pattern);
        } else if (round % 25 == 0) {
            rig_rr(rig, RIG_PEER, (uint32_t)(rig->rtp_seq - 1) & 0xffff, round / 4, 0, 0);
        }
        if (weir_sender_next_timer_ns(rig->sender) <= rig->now_ns) {
            weir_sender_on_timer(rig->sender, rig->now_ns);
        }
        if (round == 450) {
            rig_set_limits(rig, &limits);
        }
        if (round == 500) {
            weir_sender_set_algorithm(rig->sender, rig->now_ns, algorithm, NULL, 0);
        }
    }
    g_rand_free(rand);
}

/* Records the life of a session; the caller destroys it. */
static struct weir_sender *record_life(const char *algorithm)
{
    struct weir_sender_config config = rig_config();
    config.algorithm = algorithm;
    config.on_trace = on_trace;
    config.trace_user = records;
    n_records = 0;
    struct rig rig = {.sender = weir_sender_create(&config, WEIR_SECONDS(1), NULL),
                      .now_ns = WEIR_SECONDS(1),
                      .rtp_bytes = 1200};
    live(&rig, algorithm);
    g_assert_cmpuint(n_records, <, MAX_RECORDS);
    return rig.sender;
}

static void replay_all(const struct weir_controller *other, const double *params)
{
    weir__replay_init(&replay, other, params);
    for (size_t i = 0; i < n_records; i++) {
        g_assert_cmpint(weir__replay_record(&replay, &records[i]), ==, WEIR_OK);
    }
    g_assert_cmpint(weir__replay_finish(&replay), ==, WEIR_OK);
}

/* For every algorithm: the state that the trace leads to is the session's, to the byte, and so was
 * every answer on the way. */
static void test_a_trace_replays_exactly(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        struct weir_sender *sender = record_life(weir_algorithm_name(i));
        unsigned seen = 0;
        for (size_t k = 0; k < n_records; k++) {
            char line[WEIR_TRACE_LINE_BYTES];
            g_assert_cmpuint(weir_trace_format(&records[k], line, sizeof(line)), >, 0);
            seen |= 1u << records[k].kind;
        }
        g_assert_cmpuint(seen & 1u << WEIR_TRACE_PATH, !=, 0);
        replay_all(NULL, NULL);
        g_assert_cmpint(replay.decisions, >, 0);
        g_assert_cmpint(replay.differences, ==, 0);
        g_assert_cmpint(replay.first_difference_ns, ==, WEIR_UNKNOWN_NS);
        g_assert_true(
            memcmp(replay.driver.state, sender->driver.state, sizeof(replay.driver.state)) == 0);
        weir_sender_destroy(sender);
    }
}

/* Probes are made of what is sent and reported, and no record tells of them: those of the replay
 * spent as much, and ended as often. */
static void test_probes_replay_exactly(void)
{
    struct weir_sender *sender = record_life("gcc");
    int n_outputs = 0;
    for (size_t k = 0; k < n_records; k++) {
        n_outputs += records[k].kind == WEIR_TRACE_OUTPUT && records[k].output.probe_wire_bytes > 0;
    }
    g_assert_cmpint(n_outputs, >, 1);
    replay_all(NULL, NULL);
    const struct weir__probe *recorded = &sender->driver.probe, *replayed = &replay.driver.probe;
    g_assert_cmpint(recorded->paid_ns, >, 0);
    g_assert_cmpint(replayed->paid_ns, ==, recorded->paid_ns);
    g_assert_cmpint(replayed->stage, ==, recorded->stage);
    g_assert_cmpint(replayed->deadline_ns, ==, recorded->deadline_ns);
    g_assert_cmpint(replay.differences, ==, 0);
    weir_sender_destroy(sender);
}

/* One packet of thousands was reported a nanosecond later: found, and where. */
static void test_a_changed_trace_is_noticed(void)
{
    weir_sender_destroy(record_life("tfrc"));
    size_t k = n_records / 2;
    while (records[k].kind != WEIR_TRACE_FEEDBACK || records[k].rtt_ns == WEIR_UNKNOWN_NS) {
        k++;
    }
    records[k].rtt_ns += WEIR_MS(10);
    replay_all(NULL, NULL);
    g_assert_cmpint(replay.differences, >, 0);
    g_assert_cmpint(replay.first_difference_ns, >=, records[k].now_ns);
}

static void test_another_algorithm_answers_for_itself(void)
{
    const struct weir_controller *fixed = weir__controller_find("fixed");
    struct weir_param_value rate = {.name = "rate-bps", .value = 123456};
    double params[WEIR_MAX_PARAMS];
    weir_sender_destroy(record_life("tfrc"));
    g_assert_cmpint(weir__params_resolve(fixed, &rate, 1, params, NULL), ==, WEIR_OK);
    replay_all(fixed, params);
    g_assert_cmpint(replay.control.rate_bps, ==, 123456);
    g_assert_cmpint(replay.recorded.rate_bps, !=, 123456);
    g_assert_cmpint(replay.differences, ==, 0);
    weir_sender_destroy(record_life("fixed"));
    const struct weir_controller *tfrc = weir__controller_find("tfrc");
    g_assert_cmpint(weir__params_resolve(tfrc, NULL, 0, params, NULL), ==, WEIR_OK);
    replay_all(tfrc, params);
    g_assert_cmpint(replay.control.rate_bps, >, 0);
}

/* Each record in a place where it cannot be. */
static void test_records_out_of_place_are_refused(void)
{
    weir_sender_destroy(record_life("tfrc"));
    for (size_t skipped = 0; skipped < 40; skipped++) {
        enum weir_trace_kind kind = records[skipped].kind;
        bool vital = kind == WEIR_TRACE_START || kind == WEIR_TRACE_PARAM ||
                     kind == WEIR_TRACE_FEEDBACK || kind == WEIR_TRACE_PACKET ||
                     kind == WEIR_TRACE_SENT;
        enum weir_status status = WEIR_OK;
        weir__replay_init(&replay, NULL, NULL);
        for (size_t i = 0; i < 200 && status == WEIR_OK; i++) {
            status = i == skipped ? WEIR_OK : weir__replay_record(&replay, &records[i]);
        }
        g_assert_true(vital == (status != WEIR_OK));
    }
}

/* Wherever it was, also behind the change of algorithm: packets are numbered throughout. */
static void test_a_sent_packet_that_is_missing_is_missed(void)
{
    weir_sender_destroy(record_life("tfrc"));
    for (size_t skipped = 0; skipped + 100 < n_records; skipped += 997) {
        while (records[skipped].kind != WEIR_TRACE_SENT) {
            skipped++;
        }
        enum weir_status status = WEIR_OK;
        size_t i = 0;
        weir__replay_init(&replay, NULL, NULL);
        for (; i < n_records && status == WEIR_OK; i++) {
            status = i == skipped ? WEIR_OK : weir__replay_record(&replay, &records[i]);
        }
        g_assert_cmpint(status, ==, WEIR_ERROR_MALFORMED);
        g_assert_cmpint(records[i - 1].kind, ==, WEIR_TRACE_SENT);
        g_assert_cmpint(records[i - 1].seq, ==, records[skipped].seq + 1);
    }
}

static void test_what_cannot_be_run_says_so(void)
{
    struct weir_trace_record start = {
        .kind = WEIR_TRACE_START, .name = "no-such", .rtt_ns = WEIR_UNKNOWN_NS};
    weir__replay_init(&replay, NULL, NULL);
    g_assert_cmpint(weir__replay_finish(&replay), ==, WEIR_ERROR_TRUNCATED);
    g_assert_cmpint(weir__replay_record(&replay, &start), ==, WEIR_ERROR_UNKNOWN_ALGORITHM);
    start.name = "tfrc";
    start.n_packets = 1;
    weir__replay_init(&replay, NULL, NULL);
    g_assert_cmpint(weir__replay_record(&replay, &start), ==, WEIR_ERROR_UNKNOWN_PARAM);
    weir_sender_destroy(record_life("tfrc"));
    weir__replay_init(&replay, NULL, NULL);
    g_assert_cmpint(weir__replay_record(&replay, &records[0]), ==, WEIR_OK);
    g_assert_cmpint(weir__replay_finish(&replay), ==, WEIR_ERROR_TRUNCATED);
    struct weir_trace_record param = records[1];
    param.name = "no-such";
    g_assert_cmpint(weir__replay_record(&replay, &param), ==, WEIR_ERROR_UNKNOWN_PARAM);
    weir_sender_destroy(record_life("sluice")); /* without parameters: any record may follow */
    for (int kind = WEIR_TRACE_PART; kind < 100; kind += 99 - WEIR_TRACE_PART) {
        struct weir_trace_record unknown = {.kind = (enum weir_trace_kind)kind};
        weir__replay_init(&replay, NULL, NULL);
        g_assert_cmpint(weir__replay_record(&replay, &records[0]), ==, WEIR_OK);
        unknown.now_ns = records[0].now_ns;
        g_assert_cmpint(weir__replay_record(&replay, &unknown), ==, WEIR_ERROR_MALFORMED);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/replay/a_trace_replays_exactly", test_a_trace_replays_exactly);
    g_test_add_func("/replay/probes_replay_exactly", test_probes_replay_exactly);
    g_test_add_func("/replay/a_changed_trace_is_noticed", test_a_changed_trace_is_noticed);
    g_test_add_func("/replay/another_algorithm_answers_for_itself",
                    test_another_algorithm_answers_for_itself);
    g_test_add_func("/replay/records_out_of_place_are_refused",
                    test_records_out_of_place_are_refused);
    g_test_add_func("/replay/a_sent_packet_that_is_missing_is_missed",
                    test_a_sent_packet_that_is_missing_is_missed);
    g_test_add_func("/replay/what_cannot_be_run_says_so", test_what_cannot_be_run_says_so);
    return g_test_run();
}
