/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lives the life of one tfrc controller as a script on stdin tells it, and prints the rate and the
 * loss event rate after every event. test_tfrc_oracle.py writes the scripts and compares.
 *   param NAME VALUE | start | sent NOW SEQ BYTES LIMITED | timer NOW
 *   feedback NOW RTT N, then N times: SEQ SENT ARRIVED BYTES STATUS    (times in ns, -1 = unknown)
 */
#include "controller.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME 40

static _Alignas(max_align_t) unsigned char state[WEIR_STATE_MAX_BYTES];
static double params[WEIR_MAX_PARAMS];
static const struct weir_controller *tfrc;

static int64_t known(int64_t ns)
{
    return ns < 0 ? WEIR_UNKNOWN_NS : ns;
}

static void print_answer(void)
{
    struct weir_variable variables[2];
    tfrc->get_variables(state, variables, 2);
    printf("%.17g %.17g\n", variables[1].value, variables[0].value);
}

static int read_param(void)
{
    char name[MAX_NAME];
    double value = 0.0;
    if (scanf("%39s %lf", name, &value) != 2) {
        return 1;
    }
    for (size_t i = 0; i < tfrc->n_params; i++) {
        if (strcmp(tfrc->params[i].name, name) == 0) {
            params[i] = value;
            return 0;
        }
    }
    return 1;
}

static int read_sent(void)
{
    struct weir_sent_packet sent = {0};
    int limited = 0;
    if (scanf("%" SCNd64 " %" SCNd64 " %" SCNd64 " %d", &sent.sent_ns, &sent.seq, &sent.wire_bytes,
              &limited) != 4) {
        return 1;
    }
    sent.network_limited = limited != 0;
    tfrc->on_packet_sent(state, &sent);
    return 0;
}

static int read_feedback(void)
{
    static struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
    struct weir_feedback feedback = {.packets = packets};
    if (scanf("%" SCNd64 " %" SCNd64 " %zu", &feedback.now_ns, &feedback.rtt_ns,
              &feedback.n_packets) != 3 ||
        feedback.n_packets > WEIR_FEEDBACK_MAX_PACKETS) {
        return 1;
    }
    feedback.rtt_ns = known(feedback.rtt_ns);
    for (size_t i = 0; i < feedback.n_packets; i++) {
        struct weir_packet_report *p = &packets[i];
        int status = 0;
        if (scanf("%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %d", &p->seq, &p->sent_ns,
                  &p->arrived_ns, &p->wire_bytes, &status) != 5) {
            return 1;
        }
        p->arrived_ns = known(p->arrived_ns);
        p->status = (enum weir_packet_status)status;
    }
    tfrc->on_feedback(state, &feedback);
    return 0;
}

static int read_timer(void)
{
    int64_t now_ns = 0;
    if (scanf("%" SCNd64, &now_ns) != 1) {
        return 1;
    }
    if (tfrc->next_timer_ns(state) <= now_ns) {
        tfrc->on_timer(state, now_ns);
    }
    return 0;
}

static void begin(void)
{
    struct weir_config config = {
        .params = params,
        .limits = {.min_bps = 30000, .max_bps = 10000000, .start_bps = 300000},
        .packet_bytes = 1000};
    tfrc->init(state, &config, 0);
}

int main(void)
{
    char word[MAX_NAME];
    tfrc = weir__controller_find("tfrc");
    if (tfrc == NULL || weir__params_resolve(tfrc, NULL, 0, params, NULL) != WEIR_OK) {
        return 1;
    }
    while (scanf("%39s", word) == 1) {
        int failed = 0;
        if (strcmp(word, "param") == 0) {
            failed = read_param();
            if (!failed) {
                continue;
            }
        } else if (strcmp(word, "start") == 0) {
            begin();
        } else if (strcmp(word, "sent") == 0) {
            failed = read_sent();
        } else if (strcmp(word, "feedback") == 0) {
            failed = read_feedback();
        } else {
            failed = strcmp(word, "timer") != 0 || read_timer();
        }
        if (failed) {
            fprintf(stderr, "bad script at \"%s\"\n", word);
            return 1;
        }
        print_answer();
    }
    return 0;
}
