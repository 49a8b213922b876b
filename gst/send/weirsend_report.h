/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the element tells the application, and when: statistics, changes of the target, the trace,
 * and warnings. Where nothing else is said the caller holds a lock of its own, which is not held
 * while anything is told. */
#ifndef GST_WEIR_SEND_REPORT_H
#define GST_WEIR_SEND_REPORT_H

#include "send/weirsend_trace.h"
#include "send/weirsend_warnings.h"
#include <gst/gst.h>

typedef struct
{
  GstElement *element; /* that speaks; not owned */

  guint64 stats_interval_ns; /* 0: none */
  gint64 stats_due_ns;
  gint64 notify_due_ns; /* of the target */
  gint64 notified_ns;   /* the last time; WEIR_UNKNOWN_NS */
  gint64 target_bps, notified_bps;
  GstWeirSendTrace trace;
  GstWeirSendWatch watch;

  gboolean trace_failed; /* it could not be written, and that was told */
  guint faults_told;     /* in this run; of the one thread that tells */

  GMutex lock;           /* protects complaints; nothing is locked under it */
  GPtrArray *complaints; /* texts, until there is a bus to post them on */
} GstWeirReport;

/* What is to be told now. */
typedef struct
{
  gboolean target;
  gboolean stats;
  GString *trace;
  gchar *warnings[GST_WEIR_N_WARNINGS];
} GstWeirNews;

void gst_weir_report_init (GstWeirReport *self, GstElement *element);
void gst_weir_report_clear (GstWeirReport *self);

/* A run begins. fed: something is linked to the sink pad. */
void gst_weir_report_begin (GstWeirReport *self, gint64 now_ns, guint64 stats_interval_ns,
                            gboolean fed);
void gst_weir_report_set_stats_interval (GstWeirReport *self, guint64 interval_ns, gint64 now_ns);

/* What happens. */
void gst_weir_report_on_target (GstWeirReport *self, gint64 target_bps, gint64 now_ns);
/* TRUE: it is the first line that waits, so next_ns () is another now. */
gboolean gst_weir_report_on_trace (GstWeirReport *self, const struct weir_trace_record *record);

/* When there is something to tell; WEIR_NEVER_NS. */
gint64 gst_weir_report_next_ns (const GstWeirReport *self);
/* view may be NULL before watch.look_ns. FALSE: there is no news. */
gboolean gst_weir_report_take_news (GstWeirReport *self, const GstWeirSendView *view, gint64 now_ns,
                                    GstWeirNews *news);

/* From here on without the caller's lock. */

/* A trace begins in that file (nullable: none), as gst_weir_trace_open (). FALSE: an error was
 * posted. */
gboolean gst_weir_report_open_trace (GstWeirReport *self, const gchar *location, guint64 max_bytes);
/* Writes the rest, and warns when that cannot be done, unless an earlier part could not be written.
 */
void gst_weir_report_close_trace (GstWeirReport *self);

/* Tells news, which is empty then. stats: taken; only looked at if they are news. FALSE: the trace
 * could not be written, and is to be closed. */
gboolean gst_weir_report_tell (GstWeirReport *self, GstWeirNews *news, GstStructure *stats);

/* Posts text (taken; nullable) as a warning, at the latest when the element is in a pipeline. */
void gst_weir_report_complain (GstWeirReport *self, gchar *text);
/* Warns of what is wrong behind the element: GstWeirNetworkFault, each once in a run. */
void gst_weir_report_network_faults (GstWeirReport *self, guint faults);
/* Now there is a bus. */
void gst_weir_report_post_complaints (GstWeirReport *self);

#endif
