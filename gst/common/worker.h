/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that does what is due, sleeps until something else is, and can be woken. */
#ifndef GST_WEIR_WORKER_H
#define GST_WEIR_WORKER_H

#include "common/waiter.h"

/* Does what is due; answers when the next turn is, by the worker's clock (WEIR_NEVER_NS: not before
 * somebody wakes it). Runs on the worker's thread with no lock of the worker's held. */
typedef gint64 (*GstWeirTurn) (gpointer user);

typedef struct
{
  GstWeirTurn turn;
  gpointer user;

  GMutex lock; /* protects all below; nothing else is locked under it */
  GstWeirWaiter waiter;
  GThread *thread; /* NULL: it does not run */
  gboolean running;
  gboolean woken; /* there is to be a turn that has not begun */
} GstWeirWorker;

/* clock is not owned. */
void gst_weir_worker_init (GstWeirWorker *self, GstClock *clock, GstWeirTurn turn, gpointer user);
void gst_weir_worker_clear (GstWeirWorker *self);

/* The time of its clock. */
gint64 gst_weir_worker_now_ns (const GstWeirWorker *self);

/* Begins with a turn; does nothing when it runs. */
void gst_weir_worker_start (GstWeirWorker *self, const gchar *name);
/* Waits until the turn under way, if there is one, has ended. Not from within a turn. */
void gst_weir_worker_stop (GstWeirWorker *self);

/* There will be another turn at once; */
void gst_weir_worker_wake (GstWeirWorker *self);
/* not later than due_ns. */
void gst_weir_worker_wake_by (GstWeirWorker *self, gint64 due_ns);

#endif
