/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread waits under a lock of its choice until a time of a clock or until it is woken. No state
 * but the wait: what it is for is the caller's. */
#ifndef GST_WEIR_WAITER_H
#define GST_WEIR_WAITER_H

#include <gst/gst.h>

typedef struct
{
  GstClock *clock;     /* not owned */
  gboolean real_clock; /* its time is that of the machine */
  GCond changed;
  GstClockID id;   /* of the wait on another clock; NULL before the first */
  gint64 until_ns; /* what is waited for; WEIR_UNKNOWN_NS: nobody waits, or was woken */
} GstWeirWaiter;

void gst_weir_waiter_init (GstWeirWaiter *self, GstClock *clock);
void gst_weir_waiter_clear (GstWeirWaiter *self);

/* Returns at until_ns (WEIR_NEVER_NS: never), or earlier, when woken. One thread at a time, which
 * holds lock; lock is free meanwhile. until_ns stays as it is: the caller calls _done () with
 * whatever lock protects the waiter by then. */
void gst_weir_waiter_wait (GstWeirWaiter *self, GMutex *lock, gint64 until_ns);
void gst_weir_waiter_done (GstWeirWaiter *self);

/* Ends the wait, if there is one. With the lock held. */
void gst_weir_waiter_wake (GstWeirWaiter *self);

#endif
