/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two receivers of the same packets, each with a link of its own, in virtual time. The first is
 * behind the bottleneck of the rig, the second behind another. WEIR_RECEIVERS=all runs every
 * algorithm, eight seeds each. */
#include "fault_rig.h"

#include "weir/controller.h"

enum { SECOND = 0x2222, MAX_WAITING = 1 << 14 };

#define DELAY_MS     25
#define FROM_S       30
#define SECONDS      60
#define WIDE_MBPS    2.0
#define TAKES_OVER_S 5

/* The link of the second, which may join later, and leave (0: it stays). */
struct link_case {
    double mbps;
    int64_t buffer_ms;
    double joins_s, leaves_s;
};

static const struct link_case narrow[] = {{0.5, 100, 0, 0}, {0.5, 100, 20, 0}, {0.5, 1000, 0, 0}};
static const struct link_case wider = {10, 300, 5, 0};

struct trial {
    const char *algorithm;
    uint32_t format;
    const struct link_case *link;
    unsigned seed;
    unsigned n_seeds; /* whose mean is judged */
};

struct waiting {
    int64_t at_ns;
    struct rig_packet packet;
};

struct second {
    const struct link_case *link;
    struct weir_receiver *receiver;
    int64_t n_seen, free_ns;
    uint64_t report_seen;                /* index in the queue of the rig's bottleneck */
    struct waiting waiting[MAX_WAITING]; /* until it arrives */
    uint64_t first, end;
    GQueue *messages; /* back to the sender */
    int64_t n_sent, n_lost;
};

struct outcome {
    double allowed_kbps;
    double lost;   /* by the second, or who is alone */
    double steers; /* the second, of the time */
};

static bool is_measured(const struct fault_rig *rig)
{
    return rig->now_ns >= WEIR_SECONDS(FROM_S);
}

static struct second *begin(const struct link_case *link, uint32_t format)
{
    struct second *second = g_new0(struct second, 1);
    struct weir_receiver_config config;
    enum weir_status status;
    weir_receiver_config_init(&config);
    config.format = format;
    config.transport_seq_id = RIG_TRANSPORT_ID;
    config.seed = 99;
    config.local_ssrc = SECOND;
    second->receiver = weir_receiver_create(&config, 0, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    second->messages = g_queue_new();
    second->link = link;
    return second;
}

/* A queue of so many ms, from which packets leave in order. */
static void offer(struct second *second, const struct fault_rig *rig, struct rig_packet packet)
{
    int64_t backlog_ns = weir_max_i64(second->free_ns - rig->now_ns, 0);
    int64_t send_ns =
        weir_send_time_ns(packet.bytes + RIG_OVERHEAD, (int64_t)(second->link->mbps * 1e6));
    bool has_room = backlog_ns + send_ns <= WEIR_MS(second->link->buffer_ms);
    second->n_sent += is_measured(rig);
    second->n_lost += is_measured(rig) && !has_room;
    if (!has_room) {
        g_free(packet.report);
        return;
    }
    second->free_ns = rig->now_ns + backlog_ns + send_ns;
    g_assert_cmpuint(second->end - second->first, <, MAX_WAITING);
    second->waiting[second->end++ % MAX_WAITING] =
        (struct waiting){second->free_ns + WEIR_MS(DELAY_MS), packet};
}

/* Media, and sender reports. */
static void look(struct second *second, struct fault_rig *rig)
{
    bool left = second->link->leaves_s > 0 && rig_s(rig->now_ns) >= second->link->leaves_s;
    bool joined = rig_s(rig->now_ns) >= second->link->joins_s && !left;
    for (; second->n_seen < rig->ends[0].n_sent; second->n_seen++) {
        if (joined) {
            offer(second, rig, rig->ends[0].packets[second->n_seen % RIG_NUMBERS]);
        }
    }
    uint64_t end = rig->first_waiting + rig->n_waiting;
    for (uint64_t i = second->report_seen; i < end; i++) {
        const struct rig_packet *packet = rig->waiting[i % RIG_NUMBERS].packet;
        if (joined && i >= rig->first_waiting && packet->report) {
            struct rig_packet copy = *packet;
            copy.report = g_memdup2(packet->report, packet->bytes);
            offer(second, rig, copy);
        }
    }
    second->report_seen = end;
}

static void arrive(struct second *second, struct fault_rig *rig)
{
    const struct rig_packet *packet = &second->waiting[second->first++ % MAX_WAITING].packet;
    if (packet->report) {
        weir_receiver_on_rtcp(second->receiver, rig_peer_ns(rig, 0, rig->now_ns, 0), packet->report,
                              packet->bytes);
        g_free(packet->report);
    } else {
        rig_give_receiver(rig, second->receiver, packet);
    }
}

static void tell(struct second *second, struct fault_rig *rig)
{
    int64_t peer_ns = rig_peer_ns(rig, 0, rig->now_ns, 0);
    bool left = second->link->leaves_s > 0 && rig_s(rig->now_ns) >= second->link->leaves_s;
    while (!left && weir_receiver_next_feedback_ns(second->receiver) <= peer_ns) {
        struct rig_message *message = g_malloc0(sizeof(*message) + 1500);
        message->at_ns = rig->now_ns + WEIR_MS(DELAY_MS);
        weir_receiver_build_feedback(second->receiver, peer_ns, rig_ntp(rig, peer_ns),
                                     message->u.data, 1400, &message->len);
        rig_insert(second->messages, message);
    }
}

static int64_t first_ns(const struct second *second)
{
    int64_t arrives_ns = second->first < second->end
                             ? second->waiting[second->first % MAX_WAITING].at_ns
                             : WEIR_NEVER_NS;
    return weir_min_i64(arrives_ns, rig_first_ns(second->messages));
}

static void step(struct second *second, struct fault_rig *rig)
{
    look(second, rig);
    while (second->first < second->end &&
           second->waiting[second->first % MAX_WAITING].at_ns <= rig->now_ns) {
        arrive(second, rig);
    }
    tell(second, rig);
    while (rig_first_ns(second->messages) <= rig->now_ns) {
        struct rig_message *message = g_queue_pop_head(second->messages);
        if (message->len > 0) {
            weir_sender_on_rtcp(rig->sender, rig->now_ns, 0, message->u.data, message->len);
        }
        g_free(message);
    }
}

static bool steers(const struct fault_rig *rig)
{
    struct weir_reporter reporters[4];
    size_t n = weir_sender_get_reporters(rig->sender, reporters, 4);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        found |= reporters[i].steers && reporters[i].ssrc == SECOND;
    }
    return found;
}

/* second: NULL for the first receiver alone. */
static struct outcome live(const struct trial *trial, const struct fault_case *path,
                           struct second *second, enum weir_receivers receivers)
{
    struct fault_run run = {
        .c = path, .algorithm = trial->algorithm, .format = trial->format, .seed = trial->seed};
    struct fault_rig *rig = rig_new_run(&run);
    int64_t n_samples = 0, n_steers = 0, sample_ns = WEIR_SECONDS(FROM_S);
    g_assert_cmpint(weir_sender_set_receivers(rig->sender, 0, receivers), ==, WEIR_OK);
    while (rig->now_ns < rig->end_ns) {
        int64_t second_ns = second ? weir_max_i64(first_ns(second), rig->now_ns) : WEIR_NEVER_NS;
        rig->now_ns = weir_min_i64(rig_next_ns(rig), second_ns);
        rig_step(rig);
        if (second) {
            step(second, rig);
        }
        for (; sample_ns <= rig->now_ns; sample_ns += WEIR_MS(100)) {
            n_steers += steers(rig);
            n_samples++;
        }
    }
    const struct rig_seen *seen = &rig->seen[0];
    double first_lost = (double)seen->n_lost / (double)seen->n_sent;
    struct outcome outcome = {
        .allowed_kbps = 1e-3 * seen->allowed_sum / (double)seen->n_samples,
        .lost = second && second->n_sent > 0 ? (double)second->n_lost / (double)second->n_sent
                                             : first_lost,
        .steers = (double)n_steers / (double)n_samples,
    };
    rig_free(rig);
    return outcome;
}

static struct fault_case make_path(const struct trial *trial)
{
    return (struct fault_case){.name = "receivers",
                               .phases = {{0, WIDE_MBPS, DELAY_MS}},
                               .max_mbps = 10,
                               .seconds = SECONDS,
                               .format = trial->format,
                               .algorithm = trial->algorithm,
                               .demands = {{FAULT_OVER, FROM_S, SECONDS, 0, NULL}}};
}

static struct outcome live_with(const struct trial *trial, const struct fault_case *path,
                                enum weir_receivers receivers)
{
    struct second *second = begin(trial->link, trial->format);
    struct outcome outcome = live(trial, path, second, receivers);
    for (; second->first < second->end; second->first++) {
        g_free(second->waiting[second->first % MAX_WAITING].packet.report);
    }
    weir_receiver_destroy(second->receiver);
    g_queue_free_full(second->messages, g_free);
    g_free(second);
    return outcome;
}

static struct outcome live_both(const struct trial *trial, enum weir_receivers receivers)
{
    struct fault_case path = make_path(trial);
    return live_with(trial, &path, receivers);
}

static struct outcome live_first_alone(const struct trial *trial)
{
    struct fault_case path = make_path(trial);
    return live(trial, &path, NULL, WEIR_RECEIVERS_WORST);
}

/* What happened before the second steered lasts longer than a run: aiad-h comes down from 2 Mbit/s
 * in 35 s (docs/controllers/aiad-h.md), and nada by receiver reports does not stop to oscillate
 * when it once has filled a buffer of 1 s, which it does not when it begins there. */
static bool is_marked_by_its_beginning(const struct trial *trial)
{
    return (strcmp(trial->algorithm, "aiad-h") == 0 && trial->link->joins_s > 0) ||
           (strcmp(trial->algorithm, "nada") == 0 && trial->format == WEIR_FEEDBACK_RR &&
            trial->link->buffer_ms == 1000);
}

/* The first tells of the beginning, and falls silent when the second steers. */
static struct outcome live_second_left_alone(const struct trial *trial)
{
    struct fault_case path = make_path(trial);
    path.mute_from_s = trial->link->joins_s + TAKES_OVER_S;
    path.mute_to_s = SECONDS;
    return live_with(trial, &path, WEIR_RECEIVERS_WORST);
}

/* The bottleneck of the rig is now the second's link. */
static struct outcome live_second_alone(const struct trial *trial)
{
    struct fault_case path = make_path(trial);
    path.queue_bytes = (int64_t)(trial->link->mbps * 125.0) * trial->link->buffer_ms;
    if (trial->link->joins_s > 0) {
        path.phases[1] = path.phases[0];
        path.phases[1].at_s = trial->link->joins_s;
        path.phases[1].mbps = trial->link->mbps;
    } else {
        path.phases[0].mbps = trial->link->mbps;
    }
    return live(trial, &path, NULL, WEIR_RECEIVERS_WORST);
}

static void add_share(struct outcome *mean, const struct outcome *of, unsigned n)
{
    mean->allowed_kbps += of->allowed_kbps / n;
    mean->lost += of->lost / n;
    mean->steers += of->steers / n;
}

static void print(const struct trial *trial, const char *who, const struct outcome *outcome)
{
    g_test_message("%-6s %-4s joins at %2.0f s, %4d ms: %-12s %4.0f kbit/s, lost %.3f, steers %.2f",
                   trial->algorithm,
                   trial->format == WEIR_FEEDBACK_CCFB   ? "ccfb"
                   : trial->format == WEIR_FEEDBACK_TWCC ? "twcc"
                                                         : "rr",
                   trial->link->joins_s, (int)trial->link->buffer_ms, who, outcome->allowed_kbps,
                   outcome->lost, outcome->steers);
}

/* As if the one with the narrow link were alone. */
static void test_the_worst_steers(const void *data)
{
    struct trial trial = *(const struct trial *)data;
    struct outcome alone = {0}, both = {0};
    for (trial.seed = 1; trial.seed <= trial.n_seeds; trial.seed++) {
        struct outcome of_alone = is_marked_by_its_beginning(&trial)
                                      ? live_second_left_alone(&trial)
                                      : live_second_alone(&trial);
        struct outcome of_both = live_both(&trial, WEIR_RECEIVERS_WORST);
        add_share(&alone, &of_alone, trial.n_seeds);
        add_share(&both, &of_both, trial.n_seeds);
    }
    print(&trial, "worst", &both);
    print(&trial, "alone", &alone);
    g_assert_cmpfloat(both.allowed_kbps, <, 1.2 * alone.allowed_kbps);
    g_assert_cmpfloat(both.allowed_kbps, >, 0.8 * alone.allowed_kbps);
    g_assert_cmpfloat(both.lost, <, alone.lost + 0.05);
    g_assert_cmpfloat(both.steers, >, 0.9);
}

static void test_the_first_steers_if_told_to(const void *data)
{
    static const struct link_case later = {0.5, 100, 5, 0};
    struct trial trial = *(const struct trial *)data;
    trial.link = &later;
    struct outcome alone = live_first_alone(&trial);
    struct outcome both = live_both(&trial, WEIR_RECEIVERS_FIRST);
    print(&trial, "first", &both);
    g_assert_cmpfloat(both.allowed_kbps, ==, alone.allowed_kbps);
    g_assert_cmpfloat(both.steers, ==, 0);
}

static void test_a_better_receiver_changes_nothing(const void *data)
{
    struct trial trial = *(const struct trial *)data;
    trial.link = &wider;
    struct outcome alone = live_first_alone(&trial);
    struct outcome both = live_both(&trial, WEIR_RECEIVERS_WORST);
    print(&trial, "better", &both);
    g_assert_cmpfloat(both.allowed_kbps, ==, alone.allowed_kbps);
    g_assert_cmpfloat(both.steers, ==, 0);
}

/* Its link becomes the first's. */
static struct outcome live_second_widens(const struct trial *trial)
{
    struct fault_case path = make_path(trial);
    path.queue_bytes = (int64_t)(trial->link->mbps * 125.0) * trial->link->buffer_ms;
    path.phases[1] = path.phases[0];
    path.phases[1].at_s = trial->link->leaves_s;
    path.phases[0].mbps = trial->link->mbps;
    return live(trial, &path, NULL, WEIR_RECEIVERS_WORST);
}

/* As the first alone; or as if the narrow link had become the wide one, for algorithms that take
 * longer than a run to rise. */
static void test_the_worst_leaves(const void *data)
{
    static const struct link_case leaves = {0.5, 100, 0, 20};
    struct trial trial = *(const struct trial *)data;
    trial.link = &leaves;
    struct outcome alone = live_first_alone(&trial);
    struct outcome widens = live_second_widens(&trial);
    struct outcome both = live_both(&trial, WEIR_RECEIVERS_WORST);
    print(&trial, "left", &both);
    print(&trial, "alone", &alone);
    print(&trial, "widens", &widens);
    g_assert_cmpfloat(both.allowed_kbps, >, 0.8 * MIN(alone.allowed_kbps, widens.allowed_kbps));
    g_assert_cmpfloat(both.steers, ==, 0);
}

static void add(const char *what, const struct trial *like, size_t link, GTestDataFunc test)
{
    struct trial *trial = g_memdup2(like, sizeof(*like));
    trial->link = &narrow[link];
    char *name =
        g_strdup_printf("/receivers/%s/%s/%u/%zu", what, like->algorithm, like->format, link);
    g_test_add_data_func_full(name, trial, test, g_free);
    g_free(name);
}

int main(int argc, char **argv)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC, WEIR_FEEDBACK_RR};
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    bool all = g_strcmp0(g_getenv("WEIR_RECEIVERS"), "all") == 0;
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        struct trial trial = {.algorithm = weir_algorithm_name(i), .seed = 1};
        bool is_tried = strcmp(trial.algorithm, "sluice") == 0 ||
                        (!TEST_IS_SANITIZED && (strcmp(trial.algorithm, "gcc") == 0 ||
                                                strcmp(trial.algorithm, "tfrc") == 0));
        for (size_t f = 0; f < G_N_ELEMENTS(formats) && (all || is_tried); f++) {
            trial.format = formats[f];
            trial.n_seeds = all ? 8 : 1;
            for (size_t link = 0; link < G_N_ELEMENTS(narrow); link++) {
                add("the_worst_steers", &trial, link, test_the_worst_steers);
            }
            add("the_worst_leaves", &trial, 0, test_the_worst_leaves);
            add("the_first_steers_if_told_to", &trial, 0, test_the_first_steers_if_told_to);
            add("a_better_receiver_changes_nothing", &trial, 0,
                test_a_better_receiver_changes_nothing);
        }
    }
    return g_test_run();
}
