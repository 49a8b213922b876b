/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What arrives, and the feedback on it: the library's receiver, made anew when what it has to know
 * beforehand becomes known. Any thread may call any function. */
#ifndef GST_WEIR_RECEPTION_H
#define GST_WEIR_RECEPTION_H

#include "common/rtp_caps.h"
#include "weir/receiver.h"

typedef struct
{
  GstClock *clock; /* not owned */

  GMutex lock; /* protects all below; nothing else is locked under it but the clock */
  struct weir_receiver *receiver; /* between start and stop */
  struct weir_receiver_config config;
  gboolean has_packets;       /* the receiver has seen some: it cannot be made anew */
  gboolean numbers_seen;      /* a packet carried the transport-wide number */
  gint64 first_unreported_ns; /* of those that a session has yet to report; WEIR_UNKNOWN_NS */
  gint64 arrived_ns;          /* the last one */
} GstWeirReception;

void gst_weir_reception_init (GstWeirReception *self, GstClock *clock);
void gst_weir_reception_clear (GstWeirReception *self);

/* format: one of enum weir_feedback_format; interval_ns: 0 is automatic. */
void gst_weir_reception_start (GstWeirReception *self, guint format, gint64 interval_ns,
                               gboolean ecn_counts, guint overhead_bytes);
void gst_weir_reception_stop (GstWeirReception *self);

void gst_weir_reception_set_format (GstWeirReception *self, guint format, gint64 interval_ns,
                                    gboolean ecn_counts);
void gst_weir_reception_set_caps (GstWeirReception *self, const GstWeirRtpCaps *caps);
/* Of the feedback: a session's, whose RTCP it travels in. */
void gst_weir_reception_set_ssrc (GstWeirReception *self, guint32 ssrc);

/* A packet that arrived age_ns (0 and more) ago. FALSE: it is no RTP. */
gboolean gst_weir_reception_take_rtp (GstWeirReception *self, gint64 age_ns, enum weir_ecn ecn,
                                      const guint8 *data, gsize size);
void gst_weir_reception_take_rtcp (GstWeirReception *self, const guint8 *data, gsize size);
/* A session has just reported the packets that carry a transport-wide number. */
void gst_weir_reception_note_session_report (GstWeirReception *self);

/* When feedback is due; WEIR_NEVER_NS. In a session that is what the session does not write itself.
 */
gint64 gst_weir_reception_next_ns (GstWeirReception *self, gboolean in_session);
/* Writes what is due; returns its size, 0: nothing. In a session that is one packet to append. */
gsize gst_weir_reception_build (GstWeirReception *self, gboolean in_session, guint8 *data,
                                gsize size);

/* Is the format one that needs the transport-wide number, and the caps have none? */
gboolean gst_weir_reception_lacks_numbers (GstWeirReception *self);
/* weir-stats, as weirrecv describes them. */
GstStructure *gst_weir_reception_make_stats (GstWeirReception *self);

#endif
