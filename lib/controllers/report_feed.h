/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the calls of a session to the reports of estimators/virtual_report.h. A congestion mark
 * counts as a loss. */
#ifndef WEIR_CONTROLLERS_REPORT_FEED_H
#define WEIR_CONTROLLERS_REPORT_FEED_H

#include "control/controller.h"
#include "estimators/virtual_report.h"

static inline void weir__report_feed_sent(struct weir__virtual_report *reports,
                                          const struct weir_sent_packet *sent)
{
    weir__virtual_report_on_sent(reports, sent->sent_ns, sent->wire_bytes, sent->network_limited);
}

/* True when *summary was made. */
static inline bool weir__report_feed_feedback(struct weir__virtual_report *reports,
                                              const struct weir_path *path,
                                              const struct weir_feedback *feedback,
                                              struct weir__report_summary *summary)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_LATE) {
            weir__virtual_report_on_late(reports);
        } else if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
            weir__virtual_report_on_lost(reports, packet->sent_ns);
        } else {
            weir__virtual_report_on_received(reports);
        }
    }
    return weir__virtual_report_on_feedback(reports, feedback->now_ns, feedback->rtt_ns,
                                            path->is_alive, path->packet_bytes, summary);
}

/* True when *summary was made. */
static inline bool weir__report_feed_report(struct weir__virtual_report *reports,
                                            const struct weir_report *report,
                                            struct weir__report_summary *summary)
{
    struct weir__report_summary real = {
        .now_ns = report->now_ns,
        .interval_ns = report->interval_ns,
        .rtt_ns = report->rtt_ns,
        .expected_packets = report->expected_packets,
        .lost_packets = report->lost_packets,
        .sent_bytes = report->sent_bytes,
        .packet_bytes = report->packet_bytes,
        .network_limited = report->network_limited,
    };
    return weir__virtual_report_on_report(reports, &real, summary);
}

#endif
