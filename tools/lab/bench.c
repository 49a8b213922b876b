/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab bench: how fast are whole runs, recording included? */
#include "command.h"
#include "run/simulate.h"
#include "text/writer.h"
#include <stdio.h>

static const char summary[] =
    "Measures the simulator on this machine: a reference scenario of 30 Reno flows, then 1 to "
    "10000\n"
    "flows with the same load each. Whole runs as weir-lab run does them, without time series.";
static const char description[] =
    "A packet is one that enters the network (data, ACKs and RTCP), however many links it passes.\n"
    "Close other programs first, and repeat: the figures vary with the machine by some percent.";

struct bench {
    const char *name;
    const char *scenario;
    const char *sets[3]; /* NULL-terminated */
    double duration_s;   /* 0 = the scenario's */
};

/* The scaling ones carry about the same number of packets each. */
static const struct bench benches[] = {
    {"reference", "bench.reference", {NULL}, 0.0},
    {"reno 1", "bench.flows", {"vars.N=1", NULL}, 20000.0},
    {"reno 10", "bench.flows", {"vars.N=10", NULL}, 2000.0},
    {"reno 100", "bench.flows", {"vars.N=100", NULL}, 200.0},
    {"reno 1000", "bench.flows", {"vars.N=1000", NULL}, 20.0},
    {"reno 10000", "bench.flows", {"vars.N=10000", NULL}, 2.0},
    {"tfrc 10", "bench.flows", {"vars.N=10", "vars.algorithm=tfrc", NULL}, 200.0},
    {"tfrc 100", "bench.flows", {"vars.N=100", "vars.algorithm=tfrc", NULL}, 20.0},
    {"tfrc 1000", "bench.flows", {"vars.N=1000", "vars.algorithm=tfrc", NULL}, 2.0},
    {"tfrc 10000", "bench.flows", {"vars.N=10000", "vars.algorithm=tfrc", NULL}, 1.0},
};

struct measured {
    double sim_s;
    double wall_s;
    double events;
    double packets;
};

static gboolean measure(const struct bench *bench, struct measured *measured, GError **error)
{
    const struct lab_overrides overrides = {.sets = bench->sets, .duration_s = bench->duration_s};
    const volatile sig_atomic_t never = 0;
    struct lab_progress silent;
    struct lab_run run;
    struct lab_scenario *scenario = lab_scenario_load(bench->scenario, &overrides, error);
    if (!scenario) {
        return FALSE;
    }
    gboolean good = lab_run_init(&run, scenario, error);
    if (good) {
        lab_progress_init(&silent, NULL, FALSE, 0);
        lab_run_simulate(&run, NULL, &silent, &never);
        *measured = (struct measured){.sim_s = (double)run.figures->sim_ns / 1e9,
                                      .wall_s = run.figures->wall_s,
                                      .events = (double)run.figures->events,
                                      .packets = (double)run.figures->packets};
        lab_run_finish(&run);
    }
    lab_scenario_free(scenario);
    return good;
}

static void write_one(struct lab_writer *writer, const char *name, const struct measured *measured)
{
    lab_write_object(writer, NULL);
    lab_write_text(writer, "name", name);
    lab_write_real(writer, "sim_s", measured->sim_s);
    lab_write_real(writer, "wall_s", measured->wall_s);
    lab_write_int(writer, "events", (int64_t)measured->events);
    lab_write_int(writer, "packets", (int64_t)measured->packets);
    lab_write_real(writer, "events_per_s", measured->events / measured->wall_s);
    lab_write_real(writer, "packets_per_s", measured->packets / measured->wall_s);
    lab_write_real(writer, "ns_per_packet", 1e9 * measured->wall_s / measured->packets);
    lab_write_end_object(writer);
}

static void print_one(const char *name, const struct measured *measured)
{
    printf("%-10s %7.0f s simulated in %6.2f s: %6.2f M events/s, %5.2f M packets/s, %5.0f ns per "
           "packet\n",
           name, measured->sim_s, measured->wall_s, measured->events / measured->wall_s / 1e6,
           measured->packets / measured->wall_s / 1e6, 1e9 * measured->wall_s / measured->packets);
    fflush(stdout);
}

static gboolean run_all(gboolean json, GError **error)
{
    struct lab_writer writer;
    gboolean good = TRUE;
    lab_writer_init(&writer);
    lab_write_text(&writer, "version", LAB_VERSION);
    lab_write_list(&writer, "runs");
    for (gsize i = 0; i < G_N_ELEMENTS(benches) && good; i++) {
        struct measured measured = {.wall_s = 0.0};
        good = measure(&benches[i], &measured, error);
        if (good && json) {
            write_one(&writer, benches[i].name, &measured);
        } else if (good) {
            print_one(benches[i].name, &measured);
        }
    }
    lab_write_end_list(&writer);
    g_autofree char *text = lab_writer_finish(&writer);
    if (good && json) {
        lab_command_print(text);
    }
    return good;
}

int lab_bench_main(int argc, char **argv)
{
    gboolean json = FALSE;
    char **operands = NULL;
    GError *error = NULL;
    const GOptionEntry entries[] = {
        {"json", 'j', 0, G_OPTION_ARG_NONE, &json, "Print one JSON object", NULL},
        G_OPTION_ENTRY_NULL};
    if (!lab_command_parse(argc, argv, NULL, summary, description, entries, NULL, &operands,
                           &error) ||
        !lab_command_expect(operands, 0, "bench takes no arguments", &error)) {
        g_strfreev(operands);
        return lab_command_fail(error, LAB_EXIT_WRONG);
    }
    g_strfreev(operands);
    return run_all(json, &error) ? LAB_EXIT_OK : lab_command_fail(error, LAB_EXIT_FAILED);
}
