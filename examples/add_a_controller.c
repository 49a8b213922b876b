/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Example: additive increase, multiplicative decrease of a rate. How an algorithm of your own comes
 * to Weir, in either of two ways. As a plugin it needs the installed headers alone, and weir-lab
 * and weirsend load it. To join Weir, this file goes to lib/controllers/, its known answers to
 * tests/vectors/, and one line into controllers.def; then it is in the library, the conformance
 * tests and the benchmarks, too.
 * Specification: none; the simplest rule that shares a link.   Needs: which packets arrived.
 *
 * Run: cc -shared -fPIC -DPLUGIN -Ilib examples/add_a_controller.c -o build/example.so -lm
 * Run: ninja -C build tools/lab/weir-lab
 * Run: build/tools/lab/weir-lab run call --plugin build/example.so -a example -d 60
 *
 * Run: cp examples/add_a_controller.c lib/controllers/example.c
 * Run: cp examples/add_a_controller_answers.c tests/vectors/example.c
 * Run: echo 'WEIR_CONTROLLER(example, example)' >> lib/controllers/controllers.def
 * Run: ninja -C build tools/lab/weir-lab tests/conformance/test_conformance
 * Run: build/tools/lab/weir-lab run call --algorithm example --duration 60
 * Run: build/tests/conformance/test_conformance -p /example
 */
#include "weir/contract.h"

enum { PARAM_INCREASE, PARAM_DECREASE, N_PARAMS };

/* Name, unit, range and default of each number in the rule: checked before init sees a value. */
static const struct weir_param example_params[N_PARAMS] = {
    [PARAM_INCREASE] = WEIR_ROW_NUMBER("increase", "packets", 0.01, 10.0, 1.0,
                                       "Packets per RTT by which each RTT raises the rate."),
    [PARAM_DECREASE] =
        WEIR_ROW_NUMBER("decrease", "1", 0.05, 0.95, 0.5, "Share of the rate that a loss leaves."),
};

/* All there is to remember: a session keeps a copy, so no pointers, and at most 4096 bytes. What is
 * measured of the path (RTT, packet size, silence ...) comes with each event. */
struct example {
    double param[N_PARAMS];
    struct weir_limits limits;
    double rate_bps;
    int64_t increased_ns;  /* the last step up */
    int64_t decreased_seq; /* losses before it were answered */
    int64_t highest_seq;   /* sent */
    bool has_rtt;
};
WEIR_DEFINE_STATE(struct example);

static double bounded(const struct example *e, double rate_bps)
{
    double least = (double)e->limits.min_bps, most = (double)e->limits.max_bps;
    return rate_bps < least ? least : rate_bps > most ? most : rate_bps;
}

static void example_init(void *state, const struct weir_config *config)
{
    struct example *e = state;
    *e = (struct example){
        .param = {config->params[PARAM_INCREASE], config->params[PARAM_DECREASE]},
        .limits = config->limits,
        .rate_bps = (double)config->limits.start_bps,
        .increased_ns = config->now_ns,
    };
}

static void example_on_packet_sent(void *state, const struct weir_path *path,
                                   const struct weir_sent_packet *sent)
{
    (void)path;
    struct example *e = state;
    e->highest_seq = sent->seq;
}

/* Once per round trip: the losses of one window are one sign of congestion. */
static void decrease(struct example *e, int64_t seq)
{
    if (seq >= e->decreased_seq) {
        e->rate_bps = bounded(e, e->rate_bps * e->param[PARAM_DECREASE]);
        e->decreased_seq = e->highest_seq + 1;
    }
}

/* `increase` packets per RTT more, each RTT; feedback that comes late makes up for one step. That
 * nothing was lost proves more only when the source uses what it may. */
static void increase(struct example *e, const struct weir_path *path, int64_t now_ns)
{
    int64_t rtt_ns = weir_path_srtt_ns(path);
    if (!path->rtt.has_sample || now_ns - e->increased_ns < rtt_ns) {
        return;
    }
    e->increased_ns = now_ns;
    if (!path->app_limited) {
        double packet_bps = 8.0 * path->packet_bytes * 1e9 / (double)rtt_ns;
        e->rate_bps = bounded(e, e->rate_bps + e->param[PARAM_INCREASE] * packet_bps);
    }
}

static void example_on_feedback(void *state, const struct weir_path *path,
                                const struct weir_feedback *feedback)
{
    struct example *e = state;
    bool lost = false;
    e->has_rtt = path->rtt.has_sample;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
            decrease(e, packet->seq);
            lost = true;
        }
    }
    if (!lost) {
        increase(e, path, feedback->now_ns);
    }
}

/* Nothing was heard for four round trips and half a second: the path's own measure of silence, as
 * this table has no silence_timeout_ns. */
static void example_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)now_ns;
    struct example *e = state;
    e->rate_bps = bounded(e, e->rate_bps / 2.0);
}

static void example_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct example *e = state;
    e->limits = *limits;
    e->rate_bps = bounded(e, e->rate_bps);
}

static void example_get_output(const void *state, struct weir_control *control)
{
    const struct example *e = state;
    *control = (struct weir_control){
        .rate_bps = (int64_t)e->rate_bps,
        .window_bytes = WEIR_UNLIMITED_BYTES,
        .state = e->has_rtt ? 0u : WEIR_STATE_STARTING,
    };
}

const struct weir_controller weir_example = {
    .name = "example",
    .description = "An example: one packet per RTT more each RTT, half of it after a loss.",
    .spec = "none",
    .needs = WEIR_NEEDS_PACKETS,
    .state_bytes = sizeof(struct example),
    .params = example_params,
    .n_params = N_PARAMS,
    .init = example_init,
    .on_packet_sent = example_on_packet_sent,
    .on_feedback = example_on_feedback,
    .on_silence = example_on_silence,
    .set_limits = example_set_limits,
    .get_output = example_get_output,
};

#ifdef PLUGIN
const struct weir_plugin weir_plugin = {WEIR_CONTRACT_VERSION, 1, {&weir_example}};
#endif
