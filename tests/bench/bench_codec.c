/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Speed of the parsers on the packets a sender gets most: prints nanoseconds for each packet and
 * millions of packets per second. Run on demand; the numbers depend on the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../read_formats.h"
#include "codec/sr_rr.h"

enum { PACKETS_PER_FEEDBACK = 30, PACKETS_PER_CCFB = 64, ROUNDS = 5, ITERATIONS = 1000000 };

static volatile uint64_t sink; /* keeps the compiler from dropping the work */

static double now_ns(void)
{
    struct timespec ts;
    timespec_get(&ts, TIME_UTC);
    return 1e9 * (double)ts.tv_sec + (double)ts.tv_nsec;
}

struct job {
    const char *name;
    uint8_t data[256];
    size_t size_bytes;
    size_t n_statuses; /* packets reported on; 0 = none */
    void (*parse)(const struct weir__rtcp_packet *packet);
};

static void parse_twcc(const struct weir__rtcp_packet *packet)
{
    struct twcc twcc;
    struct weir__feedback_entry entries[PACKETS_PER_FEEDBACK];
    if (twcc_parse(packet, &twcc, entries, PACKETS_PER_FEEDBACK) == WEIR_OK) {
        sink += (uint64_t)entries[PACKETS_PER_FEEDBACK - 1].arrival_ns;
    }
}

static void parse_ccfb(const struct weir__rtcp_packet *packet)
{
    struct ccfb ccfb;
    struct ccfb_peer peer = {0};
    struct weir__feedback_entry entries[PACKETS_PER_CCFB];
    if (ccfb_parse(packet, &peer, &ccfb, entries, PACKETS_PER_CCFB) == WEIR_OK) {
        sink += (uint64_t)entries[PACKETS_PER_CCFB - 1].arrival_ns;
    }
}

static void parse_report(const struct weir__rtcp_packet *packet)
{
    struct weir__report report;
    if (weir__report_parse(packet, &report) == WEIR_OK) {
        sink += report.blocks[0].highest_seq;
    }
}

/* One packet in twenty is lost, one delta in ten needs two bytes. */
static void build_twcc(struct job *job)
{
    struct twcc twcc = {.sender_ssrc = 1, .media_ssrc = 2};
    struct weir__feedback_entry entries[PACKETS_PER_FEEDBACK];
    int64_t arrival_ns = WEIR_SECONDS(10);
    size_t n;
    for (size_t i = 0; i < PACKETS_PER_FEEDBACK; i++) {
        bool lost = i % 20 == 7;
        arrival_ns += i % 10 == 5 ? WEIR_MS(80) : WEIR_MS(3);
        entries[i] = (struct weir__feedback_entry){.seq = (uint16_t)(65520 + i),
                                                   .received = !lost,
                                                   .has_time = !lost,
                                                   .arrival_ns = arrival_ns};
    }
    if (twcc_build(&twcc, entries, PACKETS_PER_FEEDBACK, job->data, sizeof job->data,
                   &job->size_bytes, &n) != WEIR_OK) {
        abort();
    }
}

static void build_ccfb(struct job *job)
{
    struct ccfb ccfb = {.sender_ssrc = 1, .report_mid32 = 77};
    struct weir__feedback_entry entries[PACKETS_PER_CCFB];
    size_t n;
    for (size_t i = 0; i < PACKETS_PER_CCFB; i++) {
        entries[i] = (struct weir__feedback_entry){.ssrc = 2,
                                                   .seq = (uint16_t)(65520 + i),
                                                   .received = i % 20 != 7,
                                                   .has_time = true,
                                                   .arrival_ns = -WEIR_MS(200 - 3 * (int64_t)i)};
    }
    if (ccfb_build(&ccfb, entries, PACKETS_PER_CCFB, job->data, sizeof job->data, &job->size_bytes,
                   &n) != WEIR_OK) {
        abort();
    }
}

static void build_rr(struct job *job)
{
    const struct weir__report report = {
        .ssrc = 1, .n_blocks = 1, .blocks = {{.ssrc = 2, .highest_seq = 70000}}};
    if (weir__report_build(&report, job->data, sizeof job->data, &job->size_bytes) != WEIR_OK) {
        abort();
    }
}

/* Walk and parse, as for a datagram from the network. The best of a few rounds. */
static double time_job(const struct job *job)
{
    double best_ns = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double start_ns = now_ns();
        for (int i = 0; i < ITERATIONS; i++) {
            struct weir__rtcp_walk walk;
            struct weir__rtcp_packet packet;
            weir__rtcp_walk_init(&walk, job->data, job->size_bytes);
            while (weir__rtcp_walk_next(&walk, &packet)) {
                job->parse(&packet);
            }
        }
        double each_ns = (now_ns() - start_ns) / ITERATIONS;
        best_ns = each_ns < best_ns ? each_ns : best_ns;
    }
    return best_ns;
}

int main(void)
{
    static struct job jobs[] = {
        {.name = "twcc", .n_statuses = PACKETS_PER_FEEDBACK, .parse = parse_twcc},
        {.name = "ccfb", .n_statuses = PACKETS_PER_CCFB, .parse = parse_ccfb},
        {.name = "rr", .n_statuses = 0, .parse = parse_report},
    };
    build_twcc(&jobs[0]);
    build_ccfb(&jobs[1]);
    build_rr(&jobs[2]);
    printf("%-6s %10s %10s %12s %16s\n", "parse", "bytes", "ns/packet", "Mpackets/s", "ns/status");
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        double each_ns = time_job(&jobs[i]);
        printf("%-6s %10zu %10.1f %12.2f ", jobs[i].name, jobs[i].size_bytes, each_ns,
               1e3 / each_ns);
        if (jobs[i].n_statuses > 0) {
            printf("%16.2f\n", each_ns / (double)jobs[i].n_statuses);
        } else {
            printf("%16s\n", "-");
        }
    }
    return 0;
}
