/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements before one weirsend that repair what is lost: found by walking upstream, and told
 * once a second how much repair the losses are worth (weir/repair.h). Off, it leaves them as they
 * are; what it changed it sets back when it is switched off and at the end of a run.
 *
 * Threads: every function may be called from any thread. Properties are set by a worker, which runs
 * while it is on, so that nobody waits for an element's lock. */
#ifndef GST_WEIR_REPAIR_H
#define GST_WEIR_REPAIR_H

#include "weir/repair.h"
#include <gst/gst.h>

/* What is known of the path. */
typedef struct
{
  gint64 now_ns;
  struct weir_repair_view view;
  gboolean asked_for; /* the receiver asks for packets again */
} GstWeirRepairLook;

/* From the worker, and warn from whoever calls find (), with no lock held. */
typedef struct
{
  /* FALSE: nothing is known yet. */
  gboolean (*look) (gpointer user, GstWeirRepairLook *look);
  /* text: a sentence for people. */
  void (*warn) (gpointer user, const gchar *text);
} GstWeirRepairEvents;

/* For statistics. */
typedef struct
{
  gboolean known;                        /* it is on, and there is advice: */
  gboolean drives_fec, drives_in_packet; /* by percent, and by loss_percent */
  struct weir_repair_advice advice;
} GstWeirRepairState;

typedef struct _GstWeirRepair GstWeirRepair;

/* clock (not owned) is what the worker waits on. */
GstWeirRepair *gst_weir_repair_new (GstClock *clock, const GstWeirRepairEvents *events,
                                    gpointer user);
void gst_weir_repair_free (GstWeirRepair *self); /* stops; accepts NULL */

/* A run begins and ends. Not from two threads at once. */
void gst_weir_repair_start (GstWeirRepair *self);
void gst_weir_repair_stop (GstWeirRepair *self);

/* wait_ns: how long the receiver waits for a packet that is sent again. */
void gst_weir_repair_set (GstWeirRepair *self, gboolean on, gint64 wait_ns);
/* What feeds sinkpad may be another. media_flow: there should be something by now. */
void gst_weir_repair_find (GstWeirRepair *self, GstPad *sinkpad, gboolean media_flow);
/* A packet of video, but not of repair, came in. */
void gst_weir_repair_on_media (GstWeirRepair *self, gboolean ends_frame);
GstWeirRepairState gst_weir_repair_get_state (GstWeirRepair *self);

#endif
