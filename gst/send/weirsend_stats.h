/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property stats and the messages weir-stats, made of one moment of the session. Rates in
 * bit/s, times in ns; what is not known yet is left out. */
#ifndef GST_WEIR_SEND_STATS_H
#define GST_WEIR_SEND_STATS_H

#include "repair/repair.h"
#include "weir/weir.h"
#include <gst/gst.h>

#define GST_WEIR_VARIABLES_MAX 64
#define GST_WEIR_REPORTERS_MAX 8

/* One moment. */
typedef struct
{
  gboolean running; /* there is a session: else sender, queue and variables are empty */
  struct weir_sender_stats sender;
  struct weir_queue_stats queue;
  struct weir_output output;
  gint64 proved_bps; /* of this member's media; 0: not known yet */
  enum weir_ecn_path ecn;
  uint64_t packets_ecn_ce, packets_ecn_wrong;
  const gchar *algorithm;
  struct weir_variable variables[GST_WEIR_VARIABLES_MAX]; /* of the algorithm */
  gsize n_variables;
  GstStructure *encoders; /* owned */
  GstWeirRepairState repair;
  guint64 malformed_packets, discarded_packets, repair_packets, rtcp_datagrams;
  guint overhead_bytes;
  gboolean has_session; /* an RTP session */
  gchar *group;         /* owned; NULL: none, and what follows is empty */
  guint n_members;
  gdouble priority;
  gint64 share_bps;
  struct weir_reporter reporters[GST_WEIR_REPORTERS_MAX];
  gsize n_reporters;
} GstWeirMoment;

void gst_weir_moment_clear (GstWeirMoment *moment);

/* All there is. */
GstStructure *gst_weir_stats_all (const GstWeirMoment *moment);
/* What one wants to see every second, and the algorithm's variables. */
GstStructure *gst_weir_stats_summary (const GstWeirMoment *moment);

#endif
