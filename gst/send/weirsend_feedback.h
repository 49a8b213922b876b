/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback on its way into the session of a member. Runs on RTCP threads, takes the session lock;
 * only feeds, never waits, never pushes media. What is fed is only read. */
#ifndef GST_WEIR_SEND_FEEDBACK_H
#define GST_WEIR_SEND_FEEDBACK_H

#include "send/weirsend_path.h"

/* One RTCP datagram, in the clear, from the member's own pad. */
void gst_weir_feedback_on_rtcp (GstWeirMember *member, GstBuffer *rtcp);

/* The same from an RTP session, which several members may hear: one hands on what it says. */
void gst_weir_feedback_on_session_rtcp (GstWeirMember *member, GstBuffer *rtcp);
/* What that session sends. */
void gst_weir_feedback_on_session_report (GstWeirMember *member, GstBuffer *rtcp);
/* Transport-wide numbers that it wrote. */
void gst_weir_feedback_on_numbers (GstWeirMember *member, const struct weir_rtp_info *packets,
                                   guint n);
/* Results that it has decoded, in an event with the structure RTPTWCCPackets; others are ignored.
 */
void gst_weir_feedback_on_event (GstWeirMember *member, GstEvent *event);

#endif
