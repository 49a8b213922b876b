/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows that are no path: creation without memory, configurations, and days in a row. */
#ifndef WEIR_TESTS_FAULT_APART_H
#define WEIR_TESTS_FAULT_APART_H

#include "fault_rig.h"

#include "allocations.h"

#include <unistd.h>

/* How many allocations creation makes; each is then refused once: no session, a status that says
 * why. Returns what went wrong. */
static int64_t refuse_each(const struct weir_sender_config *sending,
                           const struct weir_receiver_config *receiving)
{
    int64_t n_wrong = 0, n_each = 1;
    for (int64_t i = -1; i < n_each; i++) {
        enum weir_status status = WEIR_OK;
        n_allocations = 0;
        failing_allocation = i;
        struct weir_sender *sender = weir_sender_create(sending, 0, &status);
        bool is_told = (sender == NULL) == (status == WEIR_ERROR_NO_MEMORY);
        struct weir_receiver *receiver =
            sender ? weir_receiver_create(receiving, 0, &status) : NULL;
        is_told &= (sender && receiver) ? status == WEIR_OK : status == WEIR_ERROR_NO_MEMORY;
        n_each = i < 0 ? n_allocations : n_each;
        n_wrong += !is_told || (sender && receiver) != (i < 0);
        weir_sender_destroy(sender);
        weir_receiver_destroy(receiver);
    }
    failing_allocation = -1;
    return n_wrong + (n_each < 2);
}

/* Creation fails cleanly, and after it nothing is allocated. */
static int64_t live_without_memory(const struct fault_run *run)
{
    struct weir_sender_config sending;
    struct weir_receiver_config receiving;
    weir_sender_config_init(&sending);
    weir_receiver_config_init(&receiving);
    sending.algorithm = run->algorithm;
    int64_t n_wrong = refuse_each(&sending, &receiving);
    struct fault_rig *rig = rig_new_run(run);
    n_allocations = 0;
    rig_run(rig);
    n_wrong += rig->n_broken + n_allocations;
    rig_free(rig);
    return n_wrong;
}

static int64_t live_configured(const struct fault_run *run, const struct weir_param_value *param,
                               const struct weir_limits *limits)
{
    struct fault_run other = *run;
    other.param = param;
    other.limits = limits;
    struct fault_rig *rig = rig_new_run(&other);
    rig_run(rig);
    int64_t n_broken = rig->n_broken;
    rig_free(rig);
    return n_broken;
}

/* 1 when a configuration is taken that its header forbids. */
static int64_t is_taken(const struct weir_sender_config *config)
{
    enum weir_status status = WEIR_OK;
    struct weir_sender *sender = weir_sender_create(config, 0, &status);
    bool taken = sender != NULL || status == WEIR_OK;
    weir_sender_destroy(sender);
    return taken;
}

static int64_t try_wrong_limits(const struct weir_sender_config *config)
{
    const struct weir_limits wrong[] = {{0, 2, 1},
                                        {-1, 2, 1},
                                        {2, 3, 1},
                                        {1, 2, 3},
                                        {1, INT64_MAX, 1},
                                        {1, WEIR_MBPS(100000) + 1, 1},
                                        {INT64_MIN, INT64_MAX, 0}};
    int64_t n_taken = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct weir_sender_config other = *config;
        other.limits = wrong[i];
        n_taken += is_taken(&other);
    }
    return n_taken;
}

static int64_t try_wrong_params(const struct weir_sender_config *config,
                                const struct weir_param *param)
{
    const struct weir_param_value wrong[] = {{param->name, NULL, NAN},
                                             {param->name, NULL, INFINITY},
                                             {param->name, NULL, param->max + 1.0},
                                             {param->name, NULL, param->min - 1.0},
                                             {param->name, "", 0.0},
                                             {param->name, "1 or 2", 0.0},
                                             {"no-such-parameter", NULL, 1.0}};
    int64_t n_taken = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct weir_sender_config other = *config;
        other.params = &wrong[i];
        other.n_params = 1;
        n_taken += is_taken(&other);
    }
    return n_taken;
}

/* Each parameter at both ends of its range, limits from 1 bit/s to 100 Gbit/s; and what is outside
 * is refused. */
static int64_t live_configurations(const struct fault_run *run)
{
    const struct weir_limits limits[] = {{1, 1, 1},
                                         {1, WEIR_MBPS(100000), 1},
                                         {1, WEIR_MBPS(100000), WEIR_MBPS(100000)},
                                         {WEIR_MBPS(10), WEIR_MBPS(10), WEIR_MBPS(10)}};
    struct weir_algorithm_info info;
    struct weir_sender_config config;
    g_assert_cmpint(weir_algorithm_get_info(run->algorithm, &info), ==, WEIR_OK);
    weir_sender_config_init(&config);
    config.algorithm = run->algorithm;
    int64_t n_broken = try_wrong_limits(&config);
    for (size_t i = 0; i < info.n_params; i++) {
        const struct weir_param *param = &info.params[i];
        const struct weir_param_value least = {param->name, NULL, param->min};
        const struct weir_param_value most = {param->name, NULL, param->max};
        n_broken += try_wrong_params(&config, param);
        n_broken += live_configured(run, &least, NULL) + live_configured(run, &most, NULL);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        n_broken += live_configured(run, NULL, &limits[i]);
    }
    return n_broken;
}

static int64_t resident_kb(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%*d %lld", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

struct soak {
    double flat;
    int64_t grown_kb, n_broken;
};

/* Tells of each hour; the first is what the others are compared with. */
static struct soak live_soak(const struct fault_run *run, const char *row)
{
    struct fault_rig *rig = rig_new_run(run);
    struct soak soak = {.flat = 0.0};
    double first_bps = 0.0;
    int64_t first_kb = 0, before_bytes = 0, hours = rig->end_ns / WEIR_SECONDS(3600);
    n_allocations = 0;
    for (int64_t hour = 1; hour <= hours; hour++) {
        rig->end_ns = WEIR_SECONDS(3600) * hour;
        rig_run(rig);
        double bps = 8.0 * (double)(rig->delivered_bytes - before_bytes) / 3600.0;
        int64_t kb = resident_kb();
        before_bytes = rig->delivered_bytes;
        first_bps = hour == 1 ? bps : first_bps;
        first_kb = hour == 1 ? kb : first_kb;
        soak.flat = fmax(soak.flat, fabs(bps - first_bps) / fmax(first_bps, 1.0));
        soak.grown_kb = MAX(soak.grown_kb, kb - first_kb);
        fprintf(stderr, "%s hour %" PRId64 ": %.2f kbit/s, %" PRId64 " kB\n", row, hour, bps / 1e3,
                kb);
    }
    soak.n_broken = rig->n_broken + n_allocations;
    rig_free(rig);
    return soak;
}

#endif
