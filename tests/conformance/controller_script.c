/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lives the life of one controller as a script on stdin tells it, and prints the rate in bit/s and
 * what VARIABLEs name after every event: variables, or members of its output.
 * test_oracle.py writes the scripts and compares.
 *
 *   controller_script ALGORITHM [VARIABLE...]
 *   param NAME VALUE | start | timer NOW | path NOW
 *   sent NOW SEQ BYTES IN_FLIGHT LIMITED
 *   feedback NOW RTT IN_FLIGHT N, then N times: SEQ SENT ARRIVED BYTES STATUS ECN
 *                             (0 not ECN-capable, 1 marked, 2 ECT(1))
 *   report NOW RTT INTERVAL EXPECTED LOST PACKET_BYTES SENT_BYTES LIMITED NEWEST_AGE MISSING_AGE
 *
 * Times in ns, -1 = unknown. What came of a probe that has ended with the event follows on the same
 * line: "probe", and the members of struct weir_probe_result but for the time. */
#include "control/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME      40
#define MAX_VARIABLES 32

static struct weir__driver driver;
static double params[WEIR_MAX_PARAMS];
static const struct weir_controller *controller; /* as it is, but for: */
static struct weir_controller noting;
static struct weir_probe_result probed;
static bool has_probed;

static void note_probe(void *state, const struct weir_path *path,
                       const struct weir_probe_result *result)
{
    probed = *result;
    has_probed = true;
    controller->on_probe(state, path, result);
}

/* Integers up to the end of what is asked for; false when the script ends before. */
static bool read_integers(int64_t *values, int n)
{
    for (int i = 0; i < n; i++) {
        if (scanf("%" SCNd64, &values[i]) != 1) {
            return false;
        }
    }
    return true;
}

static int64_t known(int64_t ns)
{
    return ns < 0 ? WEIR_UNKNOWN_NS : ns;
}

static bool find_part(const struct weir_control *control, const char *name, double *value)
{
    const struct {
        const char *name;
        int64_t value;
    } parts[] = {{"pacing_bps", control->pacing_bps},
                 {"source_bps", control->source_bps},
                 {"window_bytes", control->window_bytes}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strcmp(name, parts[i].name) == 0) {
            *value = (double)parts[i].value;
            return true;
        }
    }
    return false;
}

static bool find_variable(const char *name, double *value)
{
    struct weir_variable variables[MAX_VARIABLES];
    size_t n = weir__driver_get_variables(&driver, variables, MAX_VARIABLES);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(variables[i].name, name) == 0) {
            *value = variables[i].value;
            return true;
        }
    }
    return false;
}

static bool print_answer(char **names)
{
    struct weir_control control;
    weir__driver_get_output(&driver, &control);
    printf("%" PRId64, control.rate_bps);
    for (; *names != NULL; names++) {
        double value = 0.0;
        if (!find_variable(*names, &value) && !find_part(&control, *names, &value)) {
            return false;
        }
        printf(" %.17g", value);
    }
    if (has_probed) {
        printf(" probe %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
               probed.asked_bytes, probed.asked_bps, probed.sent_bytes, probed.received_bytes,
               probed.sent_bps, probed.delivered_bps);
    }
    has_probed = false;
    printf("\n");
    return true;
}

static bool read_param(void)
{
    char name[MAX_NAME];
    double value = 0.0;
    if (scanf("%39s %lf", name, &value) != 2) {
        return false;
    }
    for (size_t i = 0; i < controller->n_params; i++) {
        if (strcmp(controller->params[i].name, name) == 0) {
            params[i] = value;
            return true;
        }
    }
    return false;
}

static bool read_sent(void)
{
    int64_t v[5];
    if (!read_integers(v, 5)) {
        return false;
    }
    struct weir_sent_packet sent = {.sent_ns = v[0],
                                    .seq = v[1],
                                    .wire_bytes = v[2],
                                    .in_flight_bytes = v[3],
                                    .network_limited = v[4] != 0};
    weir__driver_on_sent(&driver, &sent);
    return true;
}

static bool read_feedback(void)
{
    static const enum weir_ecn codepoints[] = {WEIR_ECN_NOT_ECT, WEIR_ECN_CE, WEIR_ECN_ECT1};
    static struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
    int64_t v[6];
    if (!read_integers(v, 4) || v[3] < 1 || v[3] > WEIR_FEEDBACK_MAX_PACKETS) {
        return false;
    }
    struct weir_feedback feedback = {.now_ns = v[0],
                                     .rtt_ns = known(v[1]),
                                     .in_flight_bytes = v[2],
                                     .packets = packets,
                                     .n_packets = (size_t)v[3]};
    for (size_t i = 0; i < feedback.n_packets; i++) {
        if (!read_integers(v, 6) || v[5] < 0 || v[5] > 2) {
            return false;
        }
        packets[i] = (struct weir_packet_report){.seq = v[0],
                                                 .sent_ns = v[1],
                                                 .arrived_ns = known(v[2]),
                                                 .wire_bytes = v[3],
                                                 .status = (enum weir_packet_status)v[4],
                                                 .ecn = codepoints[v[5]]};
    }
    weir__driver_on_feedback(&driver, &feedback);
    return true;
}

static bool read_report(void)
{
    int64_t v[10];
    if (!(controller->needs & WEIR_HAS_REPORT_FORM) || !read_integers(v, 10)) {
        return false;
    }
    struct weir_report report = {.now_ns = v[0],
                                 .rtt_ns = known(v[1]),
                                 .interval_ns = v[2],
                                 .expected_packets = v[3],
                                 .lost_packets = v[4],
                                 .packet_bytes = v[5],
                                 .sent_bytes = v[6],
                                 .network_limited = v[7] != 0,
                                 .newest_age_ns = v[8],
                                 .missing_age_ns = v[9]};
    weir__driver_on_report(&driver, &report);
    return true;
}

/* A timer that is due runs once: what it missed it may make good at the next. */
static bool read_timer(void)
{
    int64_t now_ns = 0;
    if (!read_integers(&now_ns, 1)) {
        return false;
    }
    if (weir__driver_next_timer_ns(&driver) <= now_ns) {
        weir__driver_on_timer(&driver, now_ns);
    }
    return true;
}

static bool read_path(void)
{
    int64_t now_ns = 0;
    if (!read_integers(&now_ns, 1)) {
        return false;
    }
    weir__driver_on_path_change(&driver, now_ns);
    return true;
}

static bool begin(void)
{
    struct weir_config config = {
        .params = params,
        .limits = {.min_bps = 30000, .max_bps = 10000000, .start_bps = 300000},
        .packet_bytes = 1000};
    weir__driver_init(&driver, config.packet_bytes);
    noting = *controller;
    noting.on_probe = controller->on_probe ? note_probe : NULL;
    weir__driver_start(&driver, &noting, &config, WEIR_UNKNOWN_NS, 0);
    return true;
}

static const struct {
    const char *word;
    bool (*read)(void);
} events[] = {{"start", begin},        {"sent", read_sent},   {"feedback", read_feedback},
              {"report", read_report}, {"timer", read_timer}, {"path", read_path}};

static bool live(const char *word, char **names)
{
    if (strcmp(word, "param") == 0) {
        return read_param();
    }
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (strcmp(word, events[i].word) == 0) {
            return events[i].read() && print_answer(names);
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    char word[MAX_NAME];
    controller = argc > 1 ? weir__controller_find(argv[1]) : NULL;
    if (controller == NULL || weir__params_resolve(controller, NULL, 0, params, NULL) != WEIR_OK) {
        return 1;
    }
    while (scanf("%39s", word) == 1) {
        if (!live(word, argv + 2)) {
            fprintf(stderr, "bad script at \"%s\"\n", word);
            return 1;
        }
    }
    return 0;
}
