/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/tracer.h"

#include "weir/units.h"

#define FIGURES_NS   WEIR_MS(100)
#define VARIABLES_NS WEIR_SECONDS(1)

enum { MAX_VARIABLES = 64 };

void weir__tracer_init(struct weir__tracer *tracer)
{
    *tracer = (struct weir__tracer){.figures_ns = WEIR_UNKNOWN_NS, .variables_ns = WEIR_UNKNOWN_NS};
}

static void tell(const struct weir__tracer *tracer, int64_t now_ns,
                 const struct weir_trace_record *record)
{
    if (tracer->on_trace) {
        struct weir_trace_record stamped = *record;
        stamped.now_ns = now_ns;
        tracer->on_trace(tracer->user, &stamped);
    }
}

/* All that init is called with, so that it can be called again. */
void weir__trace_start(const struct weir__tracer *tracer, int64_t now_ns,
                       const struct weir_controller *controller, const struct weir_config *config,
                       int64_t rtt_ns)
{
    tell(tracer, now_ns,
         &(struct weir_trace_record){
             .kind = WEIR_TRACE_START,
             .name = controller->name,
             .seed = config->seed,
             .limits = config->limits,
             .wire_bytes = config->packet_bytes,
             .rtt_ns = rtt_ns,
             .n_packets = (int64_t)controller->n_params,
         });
    for (size_t i = 0; i < controller->n_params; i++) {
        tell(tracer, now_ns,
             &(struct weir_trace_record){
                 .kind = WEIR_TRACE_PARAM,
                 .name = controller->params[i].name,
                 .value = config->params[i],
             });
    }
}

void weir__trace_limits(const struct weir__tracer *tracer, int64_t now_ns,
                        const struct weir_limits *limits)
{
    tell(tracer, now_ns, &(struct weir_trace_record){.kind = WEIR_TRACE_LIMITS, .limits = *limits});
}

void weir__trace_path(const struct weir__tracer *tracer, int64_t now_ns)
{
    tell(tracer, now_ns, &(struct weir_trace_record){.kind = WEIR_TRACE_PATH});
}

void weir__trace_timer(const struct weir__tracer *tracer, int64_t now_ns)
{
    tell(tracer, now_ns, &(struct weir_trace_record){.kind = WEIR_TRACE_TIMER});
}

void weir__trace_sent(const struct weir__tracer *tracer, int64_t now_ns,
                      const struct weir_sent_packet *packet)
{
    if (tracer->on_trace) {
        tell(tracer, now_ns,
             &(struct weir_trace_record){
                 .kind = WEIR_TRACE_SENT,
                 .seq = packet->seq,
                 .wire_bytes = packet->wire_bytes,
                 .in_flight_bytes = packet->in_flight_bytes,
                 .network_limited = packet->network_limited,
             });
    }
}

void weir__trace_feedback(const struct weir__tracer *tracer, int64_t now_ns,
                          const struct weir_feedback *feedback)
{
    if (!tracer->on_trace) {
        return;
    }
    tell(tracer, now_ns,
         &(struct weir_trace_record){
             .kind = WEIR_TRACE_FEEDBACK,
             .rtt_ns = feedback->rtt_ns,
             .in_flight_bytes = feedback->in_flight_bytes,
             .n_packets = (int64_t)feedback->n_packets,
         });
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        tell(tracer, now_ns,
             &(struct weir_trace_record){
                 .kind = WEIR_TRACE_PACKET,
                 .seq = packet->seq,
                 .sent_ns = packet->sent_ns,
                 .arrived_ns = packet->arrived_ns,
                 .wire_bytes = packet->wire_bytes,
                 .packet_status = (int64_t)packet->status,
                 .ecn = packet->ecn,
             });
    }
}

void weir__trace_report(const struct weir__tracer *tracer, int64_t now_ns,
                        const struct weir_report *report)
{
    tell(tracer, now_ns,
         &(struct weir_trace_record){
             .kind = WEIR_TRACE_REPORT,
             .rtt_ns = report->rtt_ns,
             .interval_ns = report->interval_ns,
             .expected_packets = report->expected_packets,
             .lost_packets = report->lost_packets,
             .wire_bytes = report->packet_bytes,
             .sent_bytes = report->sent_bytes,
             .network_limited = report->network_limited,
             .newest_age_ns = report->newest_age_ns,
             .missing_age_ns = report->missing_age_ns,
         });
}

void weir__trace_control(struct weir__tracer *tracer, int64_t now_ns,
                         const struct weir_control *control)
{
    if (!tracer->on_trace) {
        return;
    }
    const struct weir_control *before = &tracer->control;
    bool same = control->rate_bps == before->rate_bps &&
                control->pacing_bps == before->pacing_bps &&
                control->window_bytes == before->window_bytes && control->state == before->state;
    if (!same) {
        tracer->control = *control;
        tell(tracer, now_ns,
             &(struct weir_trace_record){
                 .kind = WEIR_TRACE_CONTROL,
                 .output = {.allowed_wire_bps = control->rate_bps,
                            .pacing_wire_bps = control->pacing_bps,
                            .window_bytes = control->window_bytes,
                            .state = control->state},
             });
    }
}

void weir__trace_output(struct weir__tracer *tracer, int64_t now_ns,
                        const struct weir_output *output)
{
    if (!tracer->on_trace) {
        return;
    }
    const struct weir_output *before = &tracer->output;
    bool same = output->allowed_wire_bps == before->allowed_wire_bps &&
                output->target_media_bps == before->target_media_bps &&
                output->pacing_wire_bps == before->pacing_wire_bps &&
                output->window_bytes == before->window_bytes && output->rtt_ns == before->rtt_ns &&
                output->state == before->state;
    if (!same) {
        tracer->output = *output;
        tell(tracer, now_ns,
             &(struct weir_trace_record){.kind = WEIR_TRACE_OUTPUT, .output = *output});
    }
}

static bool is_due(int64_t done_ns, int64_t now_ns, int64_t period_ns)
{
    return done_ns == WEIR_UNKNOWN_NS || now_ns - done_ns >= period_ns;
}

static void trace_variables(struct weir__tracer *tracer, int64_t now_ns,
                            const struct weir__driver *driver)
{
    struct weir_variable variables[MAX_VARIABLES];
    size_t n = weir__driver_get_variables(driver, variables, MAX_VARIABLES);
    for (size_t i = 0; i < n; i++) {
        tell(tracer, now_ns,
             &(struct weir_trace_record){
                 .kind = WEIR_TRACE_VARIABLE,
                 .name = variables[i].name,
                 .value = variables[i].value,
             });
    }
    tracer->variables_ns = now_ns;
}

bool weir__tracer_wants_figures(const struct weir__tracer *tracer, int64_t now_ns)
{
    return tracer->on_trace && is_due(tracer->figures_ns, now_ns, FIGURES_NS);
}

void weir__trace_figures(struct weir__tracer *tracer, int64_t now_ns,
                         enum weir_limited_by limited_by, int64_t queueing_ns,
                         int64_t send_queue_ns, const struct weir__driver *driver)
{
    tell(tracer, now_ns,
         &(struct weir_trace_record){
             .kind = WEIR_TRACE_FIGURES,
             .name = weir_limited_by_name(limited_by),
             .queueing_ns = queueing_ns,
             .send_queue_ns = send_queue_ns,
         });
    tracer->figures_ns = now_ns;
    if (is_due(tracer->variables_ns, now_ns, VARIABLES_NS)) {
        trace_variables(tracer, now_ns, driver);
    }
}
