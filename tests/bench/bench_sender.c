/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sending session costs: nanoseconds for each packet that leaves (next_send + on_sent), and
 * for each packet that feedback reports. Prints the figure and its ratio to the limit. Run on
 * demand, from a release build; the numbers depend on the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../read_formats.h"
#include "weir/sender.h"

enum {
    ROUNDS = 7,
    FEEDBACKS = 20000,
    MAX_REPORTED = 64,
    LIMIT_SENT_NS = 300,
    LIMIT_REPORT_NS = 100
};

#define SSRC       0xcafebabeu
#define SPACING_NS WEIR_US(1000)

static double clock_ns(void)
{
    struct timespec ts;
    timespec_get(&ts, TIME_UTC);
    return 1e9 * (double)ts.tv_sec + (double)ts.tv_nsec;
}

struct run {
    struct weir_sender *sender;
    int64_t now_ns;
    uint16_t seq;
    int64_t blocked; /* keeps the compiler from dropping the work */
};

static struct run start(const char *algorithm)
{
    struct weir_sender_config config;
    weir_sender_config_init(&config);
    config.algorithm = algorithm;
    struct run run = {.sender = weir_sender_create(&config, 0, NULL)};
    if (!run.sender) {
        fprintf(stderr, "cannot create a session with %s\n", algorithm);
        exit(1);
    }
    return run;
}

static void send_packets(struct run *run, int n)
{
    for (int i = 0; i < n; i++) {
        struct weir_sent sent = {
            .ssrc = SSRC,
            .rtp_seq = run->seq,
            .rtp_timestamp = (uint32_t)run->seq / 8 * 3000,
            .transport_seq = run->seq,
            .has_transport_seq = true,
            .rtp_bytes = 1200,
            .payload_bytes = 1180,
            .queued_bytes = 1200,
        };
        run->blocked += weir_sender_next_send_ns(run->sender, run->now_ns, 1200) > run->now_ns;
        weir_sender_on_sent(run->sender, run->now_ns, &sent);
        run->seq++;
        run->now_ns += SPACING_NS;
    }
}

/* One packet in fifty is lost. */
static bool is_received(uint16_t seq)
{
    return seq % 50 != 7;
}

static size_t build_ccfb(const struct run *run, int n, uint8_t *buffer, size_t capacity)
{
    struct weir__feedback_entry entries[MAX_REPORTED];
    size_t len, n_written;
    for (int i = 0; i < n; i++) {
        uint16_t seq = (uint16_t)(run->seq - n + i);
        bool received = is_received(seq);
        entries[i] = (struct weir__feedback_entry){
            .arrival_ns = received ? (i + 1 - n) * SPACING_NS : 0,
            .ssrc = SSRC,
            .seq = seq,
            .received = received,
            .has_time = received,
        };
    }
    struct ccfb ccfb = {.sender_ssrc = 1,
                        .report_mid32 = (uint32_t)(run->now_ns / 1000 * 65536 / 1000000)};
    ccfb_build(&ccfb, entries, (size_t)n, buffer, capacity, &len, &n_written);
    return len;
}

static size_t build_twcc(const struct run *run, int n, uint8_t *buffer, size_t capacity)
{
    struct weir__feedback_entry entries[MAX_REPORTED];
    size_t len, n_written;
    for (int i = 0; i < n; i++) {
        uint16_t seq = (uint16_t)(run->seq - n + i);
        bool received = is_received(seq);
        entries[i] = (struct weir__feedback_entry){
            .arrival_ns = received ? run->now_ns - (n - 1 - i) * SPACING_NS : 0,
            .seq = seq,
            .received = received,
            .has_time = received,
        };
    }
    struct twcc twcc = {.sender_ssrc = 1, .media_ssrc = SSRC};
    twcc_build(&twcc, entries, (size_t)n, buffer, capacity, &len, &n_written);
    return len;
}

struct cost {
    double sent_ns;
    double report_ns;
};

typedef size_t build_fn(const struct run *run, int n, uint8_t *buffer, size_t capacity);

/* n packets, then feedback about them 10 ms later, over and over. */
static struct cost measure_once(const char *algorithm, build_fn *build, int n)
{
    struct run run = start(algorithm);
    struct cost cost = {0, 0};
    for (int k = 0; k < FEEDBACKS; k++) {
        uint8_t buffer[512];
        double t0 = clock_ns();
        send_packets(&run, n);
        double t1 = clock_ns();
        run.now_ns += WEIR_MS(10);
        size_t len = build(&run, n, buffer, sizeof(buffer));
        double t2 = clock_ns();
        weir_sender_on_rtcp(run.sender, run.now_ns, 0, buffer, len);
        cost.report_ns += clock_ns() - t2;
        cost.sent_ns += t1 - t0;
        if (weir_sender_next_timer_ns(run.sender) <= run.now_ns) {
            weir_sender_on_timer(run.sender, run.now_ns);
        }
    }
    struct weir_sender_stats stats;
    weir_sender_get_stats(run.sender, &stats);
    if (stats.packets_received < (uint64_t)FEEDBACKS * (uint64_t)n * 9 / 10) {
        fprintf(stderr, "the feedback was not understood\n");
        exit(1);
    }
    weir_sender_destroy(run.sender);
    cost.sent_ns /= (double)FEEDBACKS * n;
    cost.report_ns /= (double)FEEDBACKS * n;
    return cost;
}

/* The best of a few runs: the machine's other work only adds. */
static struct cost measure(const char *algorithm, build_fn *build, int n)
{
    struct cost best = {1e9, 1e9};
    for (int i = 0; i < ROUNDS; i++) {
        struct cost cost = measure_once(algorithm, build, n);
        best.sent_ns = cost.sent_ns < best.sent_ns ? cost.sent_ns : best.sent_ns;
        best.report_ns = cost.report_ns < best.report_ns ? cost.report_ns : best.report_ns;
    }
    return best;
}

static void print_line(const char *algorithm, const char *what, double ns, double limit_ns)
{
    printf("%-12s %-28s %8.1f ns   %5.2f x the limit of %.0f ns\n", algorithm, what, ns,
           ns / limit_ns, limit_ns);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        build_fn *build;
        int n;
    } cases[] = {
        {"CCFB of 32, per packet", build_ccfb, 32},
        {"CCFB of 64, per packet", build_ccfb, 64},
        {"TWCC of 32, per packet", build_twcc, 32},
        {"TWCC of 64, per packet", build_twcc, 64},
    };
    size_t n_algorithms = argc > 1 ? (size_t)argc - 1 : weir_algorithm_count();
    for (size_t a = 0; a < n_algorithms; a++) {
        const char *algorithm = argc > 1 ? argv[a + 1] : weir_algorithm_name(a);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            struct cost cost = measure(algorithm, cases[i].build, cases[i].n);
            if (i == 0) {
                print_line(algorithm, "next_send + on_sent", cost.sent_ns, LIMIT_SENT_NS);
            }
            print_line(algorithm, cases[i].name, cost.report_ns, LIMIT_REPORT_NS);
        }
    }
    return 0;
}
