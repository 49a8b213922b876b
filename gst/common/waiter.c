/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/waiter.h"

#include "weir/units.h"

void
gst_weir_waiter_init (GstWeirWaiter *self, GstClock *clock)
{
  *self = (GstWeirWaiter){ .clock = clock,
                           .real_clock = GST_IS_SYSTEM_CLOCK (clock),
                           .until_ns = WEIR_UNKNOWN_NS };
  g_cond_init (&self->changed);
}

void
gst_weir_waiter_clear (GstWeirWaiter *self)
{
  g_clear_pointer (&self->id, gst_clock_id_unref);
  g_cond_clear (&self->changed);
}

/* The system clock's time passes by itself: a condition with a deadline costs one sleep, while
 * gst_clock_id_wait () takes two and a lock that all elements share. */
static void
wait_on_condition (GstWeirWaiter *self, GMutex *lock, gint64 until_ns)
{
  gint64 left_us = (until_ns - (gint64) gst_clock_get_time (self->clock) + 999) / 1000;
  if (left_us > 0) {
    g_cond_wait_until (&self->changed, lock, g_get_monotonic_time () + left_us);
  }
}

/* Any other clock (one that a test moves) has to be asked. */
static void
wait_on_clock (GstWeirWaiter *self, GMutex *lock, gint64 until_ns)
{
  GstClockTime time = (GstClockTime) weir_max_i64 (until_ns, 0);
  if (self->id == NULL) {
    self->id = gst_clock_new_single_shot_id (self->clock, time);
  } else {
    gst_clock_single_shot_id_reinit (self->clock, self->id, time);
  }
  g_mutex_unlock (lock);
  gst_clock_id_wait (self->id, NULL);
  g_mutex_lock (lock);
}

void
gst_weir_waiter_wait (GstWeirWaiter *self, GMutex *lock, gint64 until_ns)
{
  self->until_ns = until_ns;
  if (until_ns == WEIR_NEVER_NS) {
    g_cond_wait (&self->changed, lock);
  } else if (self->real_clock) {
    wait_on_condition (self, lock, until_ns);
  } else {
    wait_on_clock (self, lock, until_ns);
  }
}

void
gst_weir_waiter_done (GstWeirWaiter *self)
{
  self->until_ns = WEIR_UNKNOWN_NS;
}

void
gst_weir_waiter_wake (GstWeirWaiter *self)
{
  if (self->until_ns == WEIR_UNKNOWN_NS) {
    return;
  }
  self->until_ns = WEIR_UNKNOWN_NS;
  if (self->id != NULL) {
    gst_clock_id_unschedule (self->id);
  }
  g_cond_signal (&self->changed);
}
