/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the rig measures while it runs. */
#ifndef WEIR_TESTS_FAULT_FIGURES_H
#define WEIR_TESTS_FAULT_FIGURES_H

#include "fault_state.h"

#include <inttypes.h>

static inline int64_t rig_sample_ns(const struct fault_rig *rig)
{
    return rig->c->is_soak ? WEIR_SECONDS(1) : RIG_SAMPLE_NS;
}

/* Rates above what the guard could take for proved: twice the rate at which packets that were
 * reported received had been sent, over 50 ms at least, within its 10 s. Counted in bins of 10 ms,
 * of which one more than fits may overlap such a window; looked for once a second at least. */
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
    const struct fault_demand *demand = &rig->c->demands[i];
    double now_s = rig_s(rig->now_ns);
    return demand->figure != FAULT_NONE && now_s >= demand->from_s && now_s < demand->to_s;
}

static inline double rig_queue_ms(const struct fault_rig *rig)
{
    double mbps = rig_mbps(rig);
    if (mbps <= 0.0 || rig->n_waiting == 0) {
        return 0.0;
    }
    const struct rig_packet *first = rig->waiting[rig->first_waiting % RIG_NUMBERS].packet;
    double bytes = (double)(rig->waiting_bytes - first->bytes - RIG_OVERHEAD);
    bool served = rig->served_ns != WEIR_NEVER_NS;
    return 8e-3 * bytes / mbps + (served ? 1e-6 * (double)(rig->served_ns - rig->now_ns) : 0.0);
}

static inline void rig_check_limits(struct fault_rig *rig, const struct weir_output *output)
{
    bool ceased = (output->state & WEIR_STATE_BREAKER_CEASED) != 0;
    int64_t least_bps = ceased ? 0 : rig->limits.min_bps;
    if (output->target_media_bps < least_bps || output->target_media_bps > rig->limits.max_bps) {
        rig_broken(rig, "target %" PRId64 " bit/s is outside the limits", output->target_media_bps);
    }
    if (output->allowed_wire_bps < least_bps || output->pacing_wire_bps < least_bps) {
        rig_broken(rig, "%" PRId64 " bit/s allowed, less than the minimum",
                   output->allowed_wire_bps);
    }
    bool doubles = strcmp(rig->run->algorithm, "sluice") == 0; /* others pace as their papers say */
    if (doubles &&
        output->pacing_wire_bps > MAX(2 * output->allowed_wire_bps, output->probe_wire_bps)) {
        rig_broken(rig, "pacing at %" PRId64 " bit/s", output->pacing_wire_bps);
    }
    if (output->window_bytes <= 0 && !ceased) {
        rig_broken(rig, "a window of %" PRId64 " bytes", output->window_bytes);
    }
}

static inline void rig_check_variables(struct fault_rig *rig)
{
    struct weir_variable variables[64];
    size_t n = weir_sender_get_variables(rig->sender, variables, 64);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(variables[i].value)) {
            rig_broken(rig, "%s is not finite", variables[i].name);
        }
    }
}

/* What is counted of a packet is counted once. Receiver reports are sums: under them a packet
 * leaves the history without a report of its own. */
static inline void rig_check_stats(struct fault_rig *rig)
{
    struct weir_sender_stats stats;
    weir_sender_get_stats(rig->sender, &stats);
    if (stats.rtt_ns != WEIR_UNKNOWN_NS && (stats.rtt_ns <= 0 || stats.rtt_ns > WEIR_SECONDS(10))) {
        rig_broken(rig, "a round trip of %" PRId64 " ns", stats.rtt_ns);
    }
    if (stats.queueing_ns != WEIR_UNKNOWN_NS && stats.queueing_ns < 0) {
        rig_broken(rig, "a queue of %" PRId64 " ns", stats.queueing_ns);
    }
    if (stats.in_flight_bytes < 0) {
        rig_broken(rig, "%" PRId64 " bytes in flight", stats.in_flight_bytes);
    }
    uint64_t fates = stats.packets_received + stats.packets_lost;
    fates += rig->run->format == WEIR_FEEDBACK_RR ? 0 : stats.packets_unknown;
    if (fates > stats.packets_sent) {
        rig_broken(
            rig,
            "of %" PRIu64 " packets %" PRIu64 " received, %" PRIu64 " lost, %" PRIu64 " unknown",
            stats.packets_sent, stats.packets_received, stats.packets_lost, stats.packets_unknown);
    }
}

/* Half of what was proved when the source paused, for five minutes. */
static inline double rig_resumed_bps(const struct fault_rig *rig)
{
    double since_s = rig_s(rig->now_ns) - rig->c->pause_from_s;
    return since_s >= 0.0 && since_s < 301.0 ? rig->proved_before_pause_bps / 2.0 : 0.0;
}

/* What is allowed while nothing is sent does no harm, and is not judged. The start rate is one of
 * media; on the wire it is as much more as the packets' headers are: below 12 kbit/s of the least
 * packets that the source makes. */
static inline void rig_check_proof(struct fault_rig *rig, double allowed_bps)
{
    if (rig->c->pause_to_s > 0.0 && rig_s(rig->now_ns) < rig->c->pause_from_s) {
        rig->proved_before_pause_bps = rig_proved_bps(rig);
    }
    double payload = rig->c->audio ? RIG_AUDIO_BYTES : rig->payload_mean_bytes;
    double headers = RIG_HEADER + RIG_OVERHEAD;
    double start_bps = 1.1 * (double)rig->limits.start_bps * (payload + headers) / payload;
    start_bps = fmax(start_bps, 8.0 * (RIG_PAYLOAD + headers));
    if (!rig->has_sent || allowed_bps <= start_bps) {
        return;
    }
    rig->has_sent = false;
    if (rig->now_ns >= rig->proved_until_ns || allowed_bps > 2.0 * rig->proved_bps) {
        rig->proved_bps = rig_proved_bps(rig);
        rig->proved_until_ns = rig->now_ns + WEIR_SECONDS(1);
    }
    if (allowed_bps > fmax(2.0 * rig->proved_bps, rig_resumed_bps(rig))) {
        rig_broken(rig, "%.0f kbit/s allowed, %.0f proved", allowed_bps / 1e3,
                   rig->proved_bps / 1e3);
    }
}

/* The minimum, or less where the circuit breaker has stopped the media. */
static inline bool rig_is_at_min(const struct fault_rig *rig, const struct weir_output *output)
{
    return output->target_media_bps * 20 <= rig->limits.min_bps * 21;
}

static inline void rig_sample_reach(struct fault_rig *rig, struct rig_seen *seen)
{
    if (rig->now_ns - seen->second_ns < WEIR_SECONDS(1)) {
        return;
    }
    if (seen->second_ns > 0 && seen->reached_s <= 0.0 &&
        8.0 * (double)(rig->delivered_bytes - seen->second_bytes) >= 0.5e6 * rig_mbps(rig)) {
        seen->reached_s = rig_s(rig->now_ns);
    }
    seen->second_ns = rig->now_ns;
    seen->second_bytes = rig->delivered_bytes;
}

static inline void rig_sample_deviation(struct fault_rig *rig, struct rig_seen *seen,
                                        const struct weir_output *output)
{
    int64_t i = rig->n_samples / RIG_TWIN_SAMPLES;
    const GArray *twin = rig->run->twin ? rig->run->twin->allowed_bps : NULL;
    if (twin == NULL || rig->n_samples % RIG_TWIN_SAMPLES != 0 || i >= (int64_t)twin->len) {
        return;
    }
    double other = (double)g_array_index(twin, int64_t, i);
    seen->deviation =
        fmax(seen->deviation, fabs((double)output->allowed_wire_bps - other) / fmax(other, 1.0));
}

static inline void rig_sample_demand(struct fault_rig *rig, size_t i,
                                     const struct weir_output *output)
{
    const struct fault_demand *demand = &rig->c->demands[i];
    struct rig_seen *seen = &rig->seen[i];
    double allowed_bps = (double)output->allowed_wire_bps;
    int64_t sample_ns = rig_sample_ns(rig);
    if (seen->n_samples++ == 0 || rig->heard_ns > rig->now_ns - sample_ns) {
        seen->heard_bps = allowed_bps;
    }
    seen->capacity_bits += (int64_t)(rig_mbps(rig) * 1e6 * rig_s(sample_ns));
    seen->allowed_sum += allowed_bps;
    seen->at_min_s += rig_is_at_min(rig, output) ? rig_s(sample_ns) : 0.0;
    seen->gap_s = fmax(seen->gap_s, rig_s(rig->now_ns - rig->last_sent_ns));
    bool is_least = rig_is_at_min(rig, output);
    bool is_half = is_least || allowed_bps <= 0.5 * seen->heard_bps;
    if (seen->reached_s <= 0.0 && ((demand->figure == FAULT_HALF_S && is_half) ||
                                   (demand->figure == FAULT_MIN_S && is_least))) {
        seen->reached_s = rig_s(rig->now_ns);
    }
    if (demand->figure == FAULT_REACH_S) {
        rig_sample_reach(rig, seen);
    }
    rig_sample_deviation(rig, seen, output);
    if (seen->queue_ms && seen->n_queue < RIG_SAMPLES) {
        seen->queue_ms[seen->n_queue++] = (float)rig_queue_ms(rig);
    }
}

static inline void rig_sample(struct fault_rig *rig)
{
    struct weir_output output;
    weir_sender_get_output(rig->sender, &output);
    double allowed_bps = (double)output.allowed_wire_bps;
    rig_check_limits(rig, &output);
    if (rig->n_samples % RIG_TWIN_SAMPLES == 0) {
        rig_check_variables(rig);
        rig_check_stats(rig);
    }
    if (rig->now_ns % RIG_PROOF_NS == 0) {
        rig_check_proof(rig, allowed_bps);
    }
    for (size_t i = 0; i < FAULT_DEMANDS; i++) {
        if (rig_in_window(rig, i)) {
            rig_sample_demand(rig, i, &output);
        }
    }
    if (rig->n_samples++ % RIG_TWIN_SAMPLES == 0 && !rig->c->is_soak) {
        g_array_append_val(rig->trail.allowed_bps, output.allowed_wire_bps);
        g_array_append_val(rig->trail.delivered, rig->delivered_bytes);
    }
    rig->next_sample_ns += rig_sample_ns(rig);
}

static inline int rig_compare(gconstpointer a, gconstpointer b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* What the capacity, the limits and the source let through in a window. */
static inline double rig_possible_bits(const struct fault_rig *rig, size_t i)
{
    double seconds = rig_s(rig->seen[i].n_samples * rig_sample_ns(rig));
    double limit_bps =
        rig->c->source_kbps > 0.0 ? rig->c->source_kbps * 1e3 : (double)rig->limits.max_bps;
    return fmin((double)rig->seen[i].capacity_bits, limit_bps * seconds);
}

static inline double rig_share_of_twin(const struct fault_rig *rig, size_t i)
{
    const struct fault_demand *demand = &rig->c->demands[i];
    const GArray *twin = rig->run->twin->delivered;
    double step_s = rig_s(rig_sample_ns(rig) * RIG_TWIN_SAMPLES);
    size_t from = (size_t)(demand->from_s / step_s + 0.5);
    size_t to = MIN((size_t)(demand->to_s / step_s + 0.5), twin->len - 1);
    double bytes = (double)(g_array_index(twin, int64_t, to) - g_array_index(twin, int64_t, from));
    return (double)rig->seen[i].delivered_bytes / fmax(bytes, 1.0);
}

/* The figure of a demand; what did not come in its time took all of it. */
static inline double rig_figure(struct fault_rig *rig, size_t i)
{
    const struct fault_demand *demand = &rig->c->demands[i];
    struct rig_seen *seen = &rig->seen[i];
    double reached_s = seen->reached_s > 0.0 ? seen->reached_s : demand->to_s;
    switch (demand->figure) {
    case FAULT_USE:
        return 8.0 * (double)seen->delivered_bytes / fmax(rig_possible_bits(rig, i), 1.0);
    case FAULT_OF_TWIN:
        return rig_share_of_twin(rig, i);
    case FAULT_OVER:
        return seen->allowed_sum * rig_s(rig_sample_ns(rig)) /
               fmax((double)seen->capacity_bits, 1.0);
    case FAULT_LOSS:
        return (double)seen->n_lost / (double)MAX(seen->n_sent, 1);
    case FAULT_Q95_MS:
        qsort(seen->queue_ms, (size_t)seen->n_queue, sizeof(float), rig_compare);
        return (double)seen->queue_ms[seen->n_queue * 95 / 100];
    case FAULT_GAP_S:
        return seen->gap_s;
    case FAULT_HALF_S:
    case FAULT_MIN_S:
    case FAULT_REACH_S:
        return reached_s - demand->from_s;
    case FAULT_AT_MIN_S:
        return seen->at_min_s;
    case FAULT_DEVIATION:
        return seen->deviation;
    default:
        return 0.0;
    }
}

#endif
