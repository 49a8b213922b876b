/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Speed of the simulator: events and packets per second of the reference scenario (20 Reno flows,
 * 10 Mbit/s, 1000 s), and the cost of a packet for 1 to 1000 flows at the same load per flow. */
#include "sim/path.h"
#include "weir/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct result {
    double wall_s;
    struct weir__path_stats stats;
};

static void ignore(void *user, const struct weir__path_outcome *outcome)
{
    (void)user;
    (void)outcome;
}

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* n Reno flows for duration_s; the first tenth warms up and is not measured. */
static struct result run(const char *cross_traffic, int64_t capacity_bps, int64_t queue_packets,
                         int64_t duration_s)
{
    struct weir__path_config config;
    struct weir__path *path = NULL;
    char error[200] = "";
    struct result result = {.wall_s = 0.0};
    weir__path_config_default(&config);
    config.capacity_bps = capacity_bps;
    config.delay_ns = WEIR_MS(50);
    config.queue.limit.packets = queue_packets;
    config.cross_traffic = cross_traffic;
    if (weir__path_create(&path, &config, ignore, NULL, error, sizeof error) != WEIR_OK) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    struct weir__path_stats before;
    weir__path_run_until(path, WEIR_SECONDS(duration_s) / 10);
    weir__path_get_stats(path, &before);
    double start_s = cpu_s();
    weir__path_run_until(path, WEIR_SECONDS(duration_s) + WEIR_SECONDS(duration_s) / 10);
    result.wall_s = cpu_s() - start_s;
    weir__path_get_stats(path, &result.stats);
    result.stats.events -= before.events;
    result.stats.cross.offered_packets -= before.cross.offered_packets;
    weir__path_destroy(path);
    return result;
}

static void bench_reference(void)
{
    static const char *const kinds[] = {"reno*20", "newreno*20", "sack*20"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct result r = run(kinds[i], WEIR_MBPS(10), 100, 1000);
        double packets = (double)r.stats.cross.offered_packets;
        printf("%-10s 10 Mbit/s 1000 s: %.3f s, %.1f M events/s, %.2f M packets/s, %.0f x real "
               "time\n",
               kinds[i], r.wall_s, (double)r.stats.events / r.wall_s / 1e6,
               packets / r.wall_s / 1e6, 1000.0 / r.wall_s);
    }
}

/* 500 kbit/s for each flow, so that every flow does the same whatever their number. */
static void bench_scaling(void)
{
    double first_ns = 0.0;
    for (int n = 1; n <= 1000; n *= 10) {
        char text[32];
        snprintf(text, sizeof text, "reno*%d", n);
        struct result r = run(text, n * WEIR_KBPS(500), 10 + 5 * n, 20000 / n);
        double packet_ns = 1e9 * r.wall_s / (double)r.stats.cross.offered_packets;
        if (n == 1) {
            first_ns = packet_ns;
        }
        printf("%4d flows: %.0f ns per packet (%.2f events), %.2f x one flow\n", n, packet_ns,
               (double)r.stats.events / (double)r.stats.cross.offered_packets,
               packet_ns / first_ns);
    }
}

int main(void)
{
    bench_reference();
    bench_scaling();
    return 0;
}
