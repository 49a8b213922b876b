/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each algorithm of the registry costs by itself: bytes of state, and nanoseconds for each
 * packet, its share of the feedback and the questions a session asks after every event included.
 * Run on demand, from a release build; the numbers depend on the machine. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "control/driver.h"

enum { ROUNDS = 7, FEEDBACKS = 20000, PACKETS = 16, LOSE_EVERY = 100, LIMIT_NS = 1000 };

#define SPACING_NS WEIR_MS(1)
#define RTT_NS     WEIR_MS(50)

static double clock_ns(void)
{
    struct timespec ts;
    timespec_get(&ts, TIME_UTC);
    return 1e9 * (double)ts.tv_sec + (double)ts.tv_nsec;
}

struct life {
    struct weir__driver driver;
    int64_t now_ns;
    int64_t n_sent;
    int64_t asked; /* keeps the compiler from dropping the work */
};

/* What a session asks after every event. */
static void ask(struct life *life)
{
    struct weir_control control;
    weir__driver_get_output(&life->driver, &control);
    life->asked += control.rate_bps;
    while (weir__driver_next_timer_ns(&life->driver) <= life->now_ns) {
        weir__driver_on_timer(&life->driver, life->now_ns);
        weir__driver_get_output(&life->driver, &control);
    }
}

static void send_packets(struct life *life)
{
    for (int i = 0; i < PACKETS; i++) {
        struct weir_sent_packet sent = {.seq = life->n_sent++,
                                        .sent_ns = life->now_ns,
                                        .wire_bytes = 1200,
                                        .in_flight_bytes = 50 * 1200,
                                        .network_limited = true};
        weir__driver_on_sent(&life->driver, &sent);
        ask(life);
        life->now_ns += SPACING_NS;
    }
}

/* About the packets that left an RTT ago. */
static void report_packets(struct life *life)
{
    struct weir_packet_report packets[PACKETS];
    int64_t first = life->n_sent - RTT_NS / SPACING_NS - PACKETS;
    for (int i = 0; i < PACKETS && first >= 0; i++) {
        int64_t seq = first + i;
        bool lost = seq % LOSE_EVERY == 0;
        packets[i] = (struct weir_packet_report){
            .seq = seq,
            .sent_ns = seq * SPACING_NS,
            .arrived_ns = lost ? WEIR_UNKNOWN_NS : seq * SPACING_NS + RTT_NS / 2,
            .wire_bytes = 1200,
            .status = lost ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED};
    }
    if (first >= 0) {
        struct weir_feedback feedback = {.now_ns = life->now_ns,
                                         .rtt_ns = RTT_NS,
                                         .in_flight_bytes = 50 * 1200,
                                         .packets = packets,
                                         .n_packets = PACKETS};
        weir__driver_on_feedback(&life->driver, &feedback);
        ask(life);
    }
}

static double measure_once(const struct weir_controller *controller)
{
    static struct life life;
    double params[WEIR_MAX_PARAMS];
    memset(&life, 0, sizeof(life));
    weir__params_resolve(controller, NULL, 0, params, NULL);
    struct weir_config config = {
        .params = params,
        .limits = {.min_bps = 30000, .max_bps = 10000000, .start_bps = 300000},
        .packet_bytes = 1200,
        .seed = 1};
    weir__driver_init(&life.driver, config.packet_bytes);
    weir__driver_start(&life.driver, controller, &config, WEIR_UNKNOWN_NS, 0);
    double t0 = clock_ns();
    for (int i = 0; i < FEEDBACKS; i++) {
        send_packets(&life);
        report_packets(&life);
    }
    return (clock_ns() - t0) / ((double)FEEDBACKS * PACKETS);
}

/* The best of a few runs: the machine's other work only adds. */
static double measure(const struct weir_controller *controller)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double cost = measure_once(controller);
        best = cost < best ? cost : best;
    }
    return best;
}

int main(void)
{
    int n_over = 0;
    for (size_t i = 0; weir__controller_at(i) != NULL; i++) {
        const struct weir_controller *c = weir__controller_at(i);
        double ns = measure(c);
        printf("%-12s %5zu bytes of %d   %7.1f ns per packet, %5.2f x the limit of %d ns\n",
               c->name, c->state_bytes, WEIR_STATE_MAX_BYTES, ns, ns / LIMIT_NS, (int)LIMIT_NS);
        n_over += ns > LIMIT_NS;
    }
    printf("%d over the limit\n", n_over);
    return 0;
}
