/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports for algorithms that were made for RTCP receiver reports, whatever the feedback is:
 * per-packet feedback becomes one virtual report every interval, real reports pass through unless
 * they come more often than that, and both are held back until they speak of enough packets to make
 * a loss ratio.
 *
 * Also knows when reports are overdue: no sign of life for three mean intervals while something was
 * sent. */
#ifndef WEIR_ESTIMATORS_VIRTUAL_REPORT_H
#define WEIR_ESTIMATORS_VIRTUAL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

/* A report with too few packets waits for the next, but this many of them are enough. */
#define WEIR__VIRTUAL_REPORT_MERGED_MAX 4

/* What happened between two reports. */
struct weir__report_summary {
    int64_t now_ns;
    int64_t interval_ns;      /* that it covers, > 0 */
    int64_t rtt_ns;           /* mean of the samples, WEIR_UNKNOWN_NS without any */
    int64_t expected_packets; /* > 0 */
    int64_t lost_packets;     /* in [0, expected_packets] */
    int64_t loss_events;      /* in [0, lost_packets]; losses within one RTT are one */
    int64_t sent_bytes;       /* wire */
    int64_t packet_bytes;     /* mean wire size, >= 1 */
    bool network_limited;     /* more than half of the bytes left so */
};

struct weir__virtual_report {
    int64_t interval_ns;   /* of virtual reports, and about the least of real ones */
    int64_t least_packets; /* that make a report */
    bool from_reports;     /* real ones, at present */
    /* collected since start_ns */
    int64_t start_ns; /* WEIR_UNKNOWN_NS before the first packet */
    int64_t expected_packets;
    int64_t lost_packets; /* less the late ones; < 0 when those were lost before */
    int64_t loss_events;
    int64_t sent_bytes;
    int64_t limited_bytes; /* those that left network-limited */
    double rtt_sum_ns;
    int64_t n_rtt;
    int64_t n_merged; /* intervals that had too few packets */
    /* kept from report to report */
    int64_t rtt_ns;   /* newest mean */
    int64_t event_ns; /* send time of the packet that began the newest loss event */
    double mean_ns;   /* interval between reports, gain 1/8; before the first the nominal one */
    bool has_mean;
    int64_t last_sent_ns;
    int64_t overdue_ns; /* WEIR_NEVER_NS: nothing is waited for */
    bool sent_since;    /* something was sent since overdue_ns was set */
    bool is_overdue;    /* and still no sign of life */
};

/* interval_ns > 0. least_packets 0 or 1: every report with news counts. */
void weir__virtual_report_init(struct weir__virtual_report *state, int64_t interval_ns,
                               int64_t least_packets);

/* After a packet left. Times do not go backwards. */
void weir__virtual_report_on_sent(struct weir__virtual_report *state, int64_t now_ns,
                                  int64_t wire_bytes, bool network_limited);

/* The packets of one feedback, one by one ... */
void weir__virtual_report_on_received(struct weir__virtual_report *state);
void weir__virtual_report_on_lost(struct weir__virtual_report *state, int64_t sent_ns);
void weir__virtual_report_on_late(struct weir__virtual_report *state);

/* ... and its end. alive: something arrived; losses that were found by timeout are no sign of life
 * and end no interval. rtt_ns: a sample or WEIR_UNKNOWN_NS. packet_bytes: mean wire size. True when
 * a virtual report is made. */
bool weir__virtual_report_on_feedback(struct weir__virtual_report *state, int64_t now_ns,
                                      int64_t rtt_ns, bool alive, double packet_bytes,
                                      struct weir__report_summary *summary);

/* A receiver report; expected_packets may be 0, loss_events is not read. True when *summary was
 * made. */
bool weir__virtual_report_on_report(struct weir__virtual_report *state,
                                    const struct weir__report_summary *report,
                                    struct weir__report_summary *summary);

/* At overdue_ns. True when something was sent and nothing heard for a whole waiting time, which
 * then begins anew; a silent sender waits for nothing until it sends again. */
bool weir__virtual_report_expire(struct weir__virtual_report *state, int64_t now_ns);

/* A new path: what was collected and learnt is forgotten. */
void weir__virtual_report_forget(struct weir__virtual_report *state);

#endif
