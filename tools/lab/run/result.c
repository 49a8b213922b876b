/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/result.h"
#include "text/number.h"
#include "text/writer.h"
#include <math.h>

/* Sums of doubles that stand for physical quantities: 12 digits are more than enough, and no reader
 * needs to see the rounding of the last bits. */
static void write_figure(struct lab_writer *writer, const char *name, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    if (isfinite(value)) {
        g_ascii_formatd(text, sizeof text, "%.12g", value);
        value = g_ascii_strtod(text, NULL);
    }
    lab_write_real(writer, name, value);
}

static void write_delays(struct lab_writer *writer, const double *values)
{
    lab_write_object(writer, "delay_ms");
    write_figure(writer, "mean", values[LAB_DELAY_MEAN_MS]);
    write_figure(writer, "p50", values[LAB_DELAY_P50_MS]);
    write_figure(writer, "p95", values[LAB_DELAY_P95_MS]);
    write_figure(writer, "p99", values[LAB_DELAY_P99_MS]);
    lab_write_end_object(writer);
}

static void write_late_ratios(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    if (!figures->late_ratios || figures->flow->n_prebuffers == 0) {
        return;
    }
    lab_write_object(writer, "late_ratio");
    for (size_t i = 0; i < figures->flow->n_prebuffers; i++) {
        GString *name = g_string_new("");
        lab_append_fixed(name, figures->flow->prebuffers_ns[i], LAB_SECONDS_DECIMALS);
        write_figure(writer, name->str, figures->late_ratios[i]);
        g_string_free(name, TRUE);
    }
    lab_write_end_object(writer);
}

/* Where frames are followed: with `repair` or `resend_ms`. */
static void write_frames(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    const struct weir__flow_meter *meter = &figures->counts.meter;
    if (meter->frames > 0) {
        int64_t lost = weir_max_i64(meter->frames - meter->whole_frames, 0);
        lab_write_int(writer, "frames", meter->frames);
        write_figure(writer, "lost_frames_ratio", lab_ratio(lost, meter->frames));
        write_figure(writer, "frame_delay_p50_ms", figures->values[LAB_FRAME_P50_MS]);
        write_figure(writer, "frame_delay_p95_ms", figures->values[LAB_FRAME_P95_MS]);
        write_figure(writer, "shown_delay_p95_ms", figures->values[LAB_SHOWN_P95_MS]);
        lab_write_int(writer, "skipped_frames", meter->skipped_frames);
        write_figure(writer, "frozen_s", (double)meter->frozen_ns / 1e9);
        lab_write_int(writer, "repair_packets", meter->repair_packets);
        lab_write_int(writer, "resent_packets", meter->resent_packets);
    }
}

/* Of an encoder whose picture is known. */
static void write_picture(struct lab_writer *writer, const struct weir__flow_meter *meter)
{
    if (meter->source_pixels > 0) {
        write_figure(writer, "pixel_share", lab_ratio(meter->pixels, meter->source_pixels));
        lab_write_int(writer, "resizes", meter->resizes);
    }
}

static void write_buffer(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    const struct weir__flow_meter *meter = &figures->counts.meter;
    lab_write_int(writer, "generated_packets", meter->generated_packets);
    lab_write_int(writer, "discarded_packets", meter->discarded_packets);
    write_figure(writer, "discard_ratio",
                 lab_ratio(meter->discarded_packets, meter->generated_packets));
    lab_write_int(writer, "feedback_packets", meter->feedback_packets);
    lab_write_int(writer, "feedback_bps", lab_figures_bps(figures, meter->feedback_bytes));
    write_picture(writer, meter);
    write_frames(writer, figures);
}

static void write_voice(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    write_figure(writer, "r_score", figures->values[LAB_R_SCORE]);
    write_figure(writer, "mos", figures->values[LAB_MOS]);
}

static void write_tcp(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    const struct weir__flow_meter *meter = &figures->counts.meter;
    lab_write_int(writer, "timeouts", meter->timeouts);
    lab_write_int(writer, "resent_packets", meter->resent_packets);
    lab_write_int(writer, "recoveries", meter->recoveries);
    write_figure(writer, "cov_new", figures->values[LAB_COV_NEW]);
}

static void write_fair(struct lab_writer *writer, const double *values)
{
    write_figure(writer, "rise_s", values[LAB_RISE_S]);
    write_figure(writer, "fall_s", values[LAB_FALL_S]);
    write_figure(writer, "converge_s", values[LAB_CONVERGE_S]);
}

static bool is_ecn_capable(const struct lab_flow *flow)
{
    return flow->kind == LAB_FLOW_TCP     ? weir__tcp_is_ecn_capable(&flow->tcp.tcp.tcp)
           : flow->kind == LAB_FLOW_MEDIA ? flow->media.ecn != WEIR_ECN_NOT_ECT
                                          : FALSE;
}

static void write_what_applies(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    if (is_ecn_capable(figures->flow)) {
        lab_write_int(writer, "marked_packets", figures->counts.meter.marked_packets);
    }
    if (figures->has_buffer) {
        write_buffer(writer, figures);
    }
    if (figures->has_buffer || figures->is_voice) {
        write_figure(writer, "mouth_to_ear_ms", figures->values[LAB_MOUTH_TO_EAR_MS]);
    }
    if (figures->is_voice) {
        write_voice(writer, figures);
    }
    write_late_ratios(writer, figures);
    if (figures->is_tcp) {
        write_tcp(writer, figures);
    }
    if (figures->is_finite) {
        write_figure(writer, "completed_s", figures->values[LAB_COMPLETED_S]);
    }
    if (figures->waits_to_start) {
        write_figure(writer, "media_start_s", figures->values[LAB_MEDIA_START_S]);
    }
    if (figures->has_fair) {
        write_fair(writer, figures->values);
    }
}

static void write_flow_figures(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    const struct weir__flow_meter *meter = &figures->counts.meter;
    const struct weir__packet_counters *route = &figures->counts.route;
    int64_t lost_packets = route->dropped_packets + route->lost_packets;
    lab_write_int(writer, "goodput_bps", lab_figures_bps(figures, meter->goodput_bytes));
    lab_write_int(writer, "sent_bps", lab_figures_bps(figures, meter->sent_bytes));
    lab_write_int(writer, "sent_packets", meter->sent_packets);
    lab_write_int(writer, "received_packets", meter->received_packets);
    lab_write_int(writer, "lost_packets", lost_packets);
    write_figure(writer, "loss_ratio", lab_ratio(lost_packets, lab_counts_entered_packets(route)));
    write_figure(writer, "cov", figures->values[LAB_COV]);
    write_figure(writer, "cov_sent", figures->values[LAB_COV_SENT]);
    write_delays(writer, figures->values);
    write_figure(writer, "rtt_ms", figures->values[LAB_RTT_MS]);
    write_what_applies(writer, figures);
}

/* Of the data, in their order. */
static void write_way(struct lab_writer *writer, const struct lab_scenario *scenario,
                      const struct lab_flow *flow)
{
    lab_write_list(writer, "links");
    for (size_t i = 0; i < flow->n_links; i++) {
        lab_write_text(writer, NULL, scenario->links[flow->links[i]]->name);
    }
    lab_write_end_list(writer);
}

/* What steered the flow at the end of the window; NULL when it got no feedback in it. */
static const char *feedback_name(const struct lab_flow_figures *figures)
{
    if (figures->counts.meter.feedback_packets == 0) {
        return NULL;
    }
    return figures->reports_only ? "reports-only" : "per-packet";
}

static void write_variables(struct lab_writer *writer, const struct lab_variables *variables)
{
    lab_write_object(writer, "variables");
    for (size_t i = 0; variables && i < variables->n; i++) {
        write_figure(writer, variables->all[i].name, variables->all[i].value);
    }
    lab_write_end_object(writer);
}

static void write_flow(struct lab_writer *writer, const struct lab_scenario *scenario,
                       const struct lab_flow_figures *figures)
{
    lab_write_object(writer, NULL);
    lab_write_text(writer, "name", figures->flow->name);
    lab_write_text(writer, "group", figures->flow->group);
    lab_write_text(writer, "algorithm", figures->flow->algorithm);
    lab_write_bool(writer, "tested", figures->flow->tested);
    write_way(writer, scenario, figures->flow);
    if (figures->has_buffer) {
        lab_write_text(writer, "feedback", feedback_name(figures));
    }
    write_flow_figures(writer, figures);
    if (figures->has_buffer) {
        write_variables(writer, figures->variables);
    }
    lab_write_end_object(writer);
}

static void write_group(struct lab_writer *writer, const struct lab_flow_figures *figures)
{
    lab_write_object(writer, NULL);
    lab_write_text(writer, "group", figures->flow->group);
    lab_write_int(writer, "flows", figures->n_flows);
    write_flow_figures(writer, figures);
    lab_write_end_object(writer);
}

static void write_queue(struct lab_writer *writer, const char *name,
                        const struct lab_queue_figures *queue)
{
    lab_write_object(writer, name);
    write_figure(writer, "mean", queue->mean);
    write_figure(writer, "p50", queue->p50);
    write_figure(writer, "p95", queue->p95);
    write_figure(writer, "max", queue->max);
    lab_write_end_object(writer);
}

/* By the instants that they are counted from. */
static void write_rises(struct lab_writer *writer, const struct lab_link_figures *figures,
                        const struct lab_scenario *scenario)
{
    lab_write_object(writer, "rise_s");
    for (guint i = 0; i < scenario->n_rises; i++) {
        char name[32];
        g_snprintf(name, sizeof name, "%.15g", (double)scenario->rise_from_ns[i] / 1e9);
        write_figure(writer, name, figures->rise_s[i]);
    }
    lab_write_end_object(writer);
}

static void write_dualpi2_queue(struct lab_writer *writer, const char *name,
                                const struct weir__dualpi2_queue_counts *counts)
{
    lab_write_object(writer, name);
    lab_write_int(writer, "sent_packets", counts->sent_packets);
    lab_write_int(writer, "marked_packets", counts->marked_packets);
    lab_write_int(writer, "dropped_packets", counts->dropped_packets);
    write_figure(writer, "wait_ms",
                 counts->sent_packets > 0
                     ? (double)counts->waited_ns / 1e6 / (double)counts->sent_packets
                     : (double)NAN);
    lab_write_end_object(writer);
}

static void write_dualpi2(struct lab_writer *writer, const struct weir__dualpi2_counts *counts)
{
    lab_write_object(writer, "dualpi2");
    write_dualpi2_queue(writer, "l4s", &counts->l4s);
    write_dualpi2_queue(writer, "classic", &counts->classic);
    write_figure(writer, "overload_s", (double)counts->overload_ns / 1e9);
    lab_write_end_object(writer);
}

static void write_link(struct lab_writer *writer, const struct lab_link_figures *figures,
                       const struct lab_scenario *scenario)
{
    const struct weir__packet_counters *counters = &figures->counters;
    lab_write_object(writer, NULL);
    lab_write_text(writer, "name", figures->name);
    write_figure(writer, "capacity_bps", round(figures->capacity_bps));
    write_figure(writer, "utilization", figures->utilization);
    lab_write_int(writer, "offered_packets", counters->offered_packets);
    lab_write_int(writer, "delivered_packets", counters->delivered_packets);
    lab_write_int(writer, "dropped_packets", counters->dropped_packets);
    lab_write_int(writer, "lost_packets", counters->lost_packets);
    write_figure(
        writer, "loss_ratio",
        lab_ratio(counters->dropped_packets + counters->lost_packets, counters->offered_packets));
    write_queue(writer, "queue_packets", &figures->queue_packets);
    write_queue(writer, "queue_ms", &figures->queue_ms);
    if (figures->dualpi2) {
        write_dualpi2(writer, figures->dualpi2);
    }
    if (scenario->n_rises > 0) {
        write_rises(writer, figures, scenario);
    }
    lab_write_end_object(writer);
}

static void write_head(struct lab_writer *writer, const struct lab_figures *figures)
{
    lab_write_text(writer, "scenario", figures->scenario->name);
    lab_write_text(writer, "version", LAB_VERSION);
    lab_write_unsigned(writer, "seed", figures->scenario->seed);
    lab_write_bool(writer, "complete", figures->complete);
    lab_write_seconds(writer, "sim_s", figures->sim_ns);
    lab_write_seconds(writer, "from_s", figures->from_ns);
    lab_write_seconds(writer, "to_s", figures->to_ns);
    lab_write_seconds(writer, "bin_s", figures->scenario->bin_ns);
}

static void write_tail(struct lab_writer *writer, const struct lab_figures *figures)
{
    write_figure(writer, "jain", figures->jain);
    lab_write_object(writer, "jain_instantaneous");
    write_figure(writer, "p5", figures->jain_p5);
    write_figure(writer, "p50", figures->jain_p50);
    write_figure(writer, "p95", figures->jain_p95);
    lab_write_end_object(writer);
    lab_write_int(writer, "events", figures->events);
    lab_write_int(writer, "packets", figures->packets);
    lab_write_real(writer, "wall_s", figures->wall_s);
}

/* Free with g_free. The same figures give the same bytes. */
char *lab_result_json(const struct lab_figures *figures)
{
    struct lab_writer writer;
    lab_writer_init(&writer);
    write_head(&writer, figures);
    lab_write_list(&writer, "flows");
    for (guint i = 0; i < figures->scenario->n_flows; i++) {
        write_flow(&writer, figures->scenario, &figures->flows[i]);
    }
    lab_write_end_list(&writer);
    lab_write_list(&writer, "groups");
    for (guint i = 0; i < figures->n_groups; i++) {
        write_group(&writer, &figures->groups[i]);
    }
    lab_write_end_list(&writer);
    lab_write_list(&writer, "links");
    for (guint i = 0; i < figures->scenario->n_links; i++) {
        write_link(&writer, &figures->links[i], figures->scenario);
    }
    lab_write_end_list(&writer);
    write_tail(&writer, figures);
    return lab_writer_finish(&writer);
}
