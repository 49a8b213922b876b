/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the rig measures while it runs, and the verdict. */
#ifndef WEIR_TESTS_FAULT_FIGURES_H
#define WEIR_TESTS_FAULT_FIGURES_H

#include "fault_state.h"

/* Rates above what the guard could take for proved: twice the rate at which packets that were
 * reported received had been sent, over 50 ms at least, within its 10 s. Counted in bins of 10 ms,
 * of which one more than fits may overlap such a window. */
static inline void rig_prove(struct fault_rig *rig, int64_t sent_ns, int64_t wire_bytes)
{
    int64_t bin = sent_ns / RIG_PROOF_BIN_NS;
    size_t slot = (size_t)(bin % RIG_PROOF_BINS);
    if (rig->proof_bin[slot] != bin) {
        rig->proof_bin[slot] = bin;
        rig->proof_bytes[slot] = 0;
    }
    rig->proof_bytes[slot] += wire_bytes;
}

static inline double rig_proved_bps(const struct fault_rig *rig)
{
    int64_t newest = rig->now_ns / RIG_PROOF_BIN_NS;
    int64_t sum = 0, best = 0;
    for (int64_t bin = weir_max_i64(newest - RIG_PROOF_BINS + 1, 0); bin <= newest; bin++) {
        size_t slot = (size_t)(bin % RIG_PROOF_BINS);
        sum += rig->proof_bin[slot] == bin ? rig->proof_bytes[slot] : 0;
        int64_t old = bin - 7;
        size_t old_slot = (size_t)(weir_max_i64(old, 0) % RIG_PROOF_BINS);
        sum -= old >= newest - RIG_PROOF_BINS + 1 && rig->proof_bin[old_slot] == old
                   ? rig->proof_bytes[old_slot]
                   : 0;
        best = weir_max_i64(best, sum);
    }
    return 8.0 * (double)best / 0.05;
}

static inline bool rig_in_window(const struct fault_rig *rig, size_t i)
{
    const struct fault_window *window = &rig->c->windows[i];
    double now_s = rig_s(rig->now_ns);
    return now_s >= window->from_s && now_s < window->to_s;
}

static inline double rig_queue_ms(const struct fault_rig *rig)
{
    double mbps = rig_phase(rig)->mbps;
    if (mbps <= 0.0 || rig->n_waiting == 0) {
        return 0.0;
    }
    const struct rig_packet *first = rig->waiting[rig->first_waiting % RIG_NUMBERS].packet;
    double bytes = (double)(rig->waiting_bytes - first->bytes - RIG_OVERHEAD);
    bool served = rig->served_ns != WEIR_NEVER_NS;
    return 8e-3 * bytes / mbps + (served ? 1e-6 * (double)(rig->served_ns - rig->now_ns) : 0.0);
}

static inline void rig_check_output(struct fault_rig *rig, const struct weir_output *output)
{
    struct weir_variable variables[64];
    struct weir_sender_stats stats;
    g_assert_cmpint(output->target_media_bps, >=, rig->limits.min_bps);
    g_assert_cmpint(output->target_media_bps, <=, rig->limits.max_bps);
    g_assert_cmpint(output->allowed_wire_bps, >=, rig->limits.min_bps);
    g_assert_cmpint(output->pacing_wire_bps, >=, rig->limits.min_bps);
    g_assert_cmpint(output->pacing_wire_bps, <=,
                    MAX(3 * output->allowed_wire_bps, output->probe_wire_bps)); /* gcc: 2.5 */
    g_assert_cmpint(output->window_bytes, >, 0);
    size_t n = weir_sender_get_variables(rig->sender, variables, 64);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(variables[i].value)) {
            g_error("%s: %s is not finite", rig->c->name, variables[i].name);
        }
    }
    weir_sender_get_stats(rig->sender, &stats);
    g_assert_true(stats.rtt_ns == WEIR_UNKNOWN_NS ||
                  (stats.rtt_ns > 0 && stats.rtt_ns <= WEIR_SECONDS(10)));
    g_assert_true(stats.queueing_ns == WEIR_UNKNOWN_NS || stats.queueing_ns >= 0);
    g_assert_cmpint(stats.in_flight_bytes, >=, 0);
}

/* What is allowed while nothing is sent does no harm, and is not judged. The start rate is one of
 * media; on the wire it is as much more as the packets' headers are. */
static inline void rig_check_proof(struct fault_rig *rig, double allowed_bps)
{
    double payload = rig->c->audio ? RIG_AUDIO_BYTES : RIG_PAYLOAD;
    double headers = RIG_HEADER + RIG_OVERHEAD;
    double start_bps = 1.1 * (double)rig->limits.start_bps * (payload + headers) / payload;
    double over = allowed_bps / fmax(2.0 * rig_proved_bps(rig), start_bps);
    if (rig->has_sent && over > rig->worst_over_proof) {
        rig->worst_over_proof = over;
        rig->worst_at_ns = rig->now_ns;
    }
    rig->has_sent = false;
}

static inline void rig_sample(struct fault_rig *rig)
{
    struct weir_output output;
    weir_sender_get_output(rig->sender, &output);
    rig_check_output(rig, &output);
    if (rig->now_ns % RIG_PROOF_NS == 0) {
        rig_check_proof(rig, (double)output.allowed_wire_bps);
    }
    for (size_t i = 0; i < RIG_WINDOWS; i++) {
        if (rig_in_window(rig, i)) {
            rig->seen[i].capacity_bits +=
                (int64_t)(rig_phase(rig)->mbps * 1e6 * rig_s(RIG_SAMPLE_NS));
            rig->seen[i].allowed_sum += (double)output.allowed_wire_bps;
            rig->seen[i].n_allowed++;
            if (rig->seen[i].n_queue < RIG_SAMPLES) {
                rig->seen[i].queue_ms[rig->seen[i].n_queue++] = (float)rig_queue_ms(rig);
            }
        }
    }
    rig->next_sample_ns += RIG_SAMPLE_NS;
}

static inline int rig_compare(gconstpointer a, gconstpointer b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static inline void rig_judge_window(struct fault_rig *rig, size_t i)
{
    const struct fault_window *window = &rig->c->windows[i];
    int64_t n = rig->seen[i].n_queue;
    if (window->to_s <= 0.0 || n == 0) {
        return;
    }
    double seconds = rig_s(n * RIG_SAMPLE_NS);
    double possible = (double)rig->seen[i].capacity_bits;
    double limit_bps =
        rig->c->source_kbps > 0.0 ? rig->c->source_kbps * 1e3 : (double)rig->limits.max_bps;
    possible = fmin(possible, limit_bps * seconds);
    double use = possible > 0.0 ? 8.0 * (double)rig->seen[i].delivered_bytes / possible : 1.0;
    double lost = (double)rig->seen[i].n_lost / (double)weir_max_i64(rig->seen[i].n_sent, 1);
    double over = rig->seen[i].capacity_bits > 0 ? rig->seen[i].allowed_sum * rig_s(RIG_SAMPLE_NS) /
                                                       (double)rig->seen[i].capacity_bits
                                                 : 0.0;
    qsort(rig->seen[i].queue_ms, (size_t)n, sizeof(float), rig_compare);
    double q95_ms = (double)rig->seen[i].queue_ms[n * 95 / 100];
    g_test_message("%s, %g to %g s: use %.3f, q95 %.1f ms, lost %.4f, allowed %.2f of the capacity",
                   rig->c->name, window->from_s, window->to_s, use, q95_ms, lost, over);
    if (use < window->least_use) {
        g_test_fail_printf("%s, %g to %g s: use %.3f, not %.2f", rig->c->name, window->from_s,
                           window->to_s, use, window->least_use);
    }
    if (window->most_q95_ms > 0.0 && q95_ms > window->most_q95_ms) {
        g_test_fail_printf("%s, %g to %g s: q95 %.1f ms, not %.0f", rig->c->name, window->from_s,
                           window->to_s, q95_ms, window->most_q95_ms);
    }
    if (window->most_loss > 0.0 && lost > window->most_loss) {
        g_test_fail_printf("%s, %g to %g s: %.4f lost, not %.3f", rig->c->name, window->from_s,
                           window->to_s, lost, window->most_loss);
    }
    if (window->most_over > 0.0 && over > window->most_over) {
        g_test_fail_printf("%s, %g to %g s: %.2f of the capacity allowed, not %.2f", rig->c->name,
                           window->from_s, window->to_s, over, window->most_over);
    }
}

static inline void rig_judge(struct fault_rig *rig)
{
    for (size_t i = 0; i < RIG_WINDOWS; i++) {
        rig_judge_window(rig, i);
    }
    if (rig->worst_over_proof > 1.0) {
        g_test_fail_printf("%s: %.2f times what may be allowed, at %.2f s", rig->c->name,
                           rig->worst_over_proof, rig_s(rig->worst_at_ns));
    }
}

#endif
