/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/worker.h"

void
gst_weir_worker_init (GstWeirWorker *self, GstClock *clock, GstWeirTurn turn, gpointer user)
{
  *self = (GstWeirWorker){ .turn = turn, .user = user };
  g_mutex_init (&self->lock);
  gst_weir_waiter_init (&self->waiter, clock);
}

void
gst_weir_worker_clear (GstWeirWorker *self)
{
  gst_weir_waiter_clear (&self->waiter);
  g_mutex_clear (&self->lock);
}

gint64
gst_weir_worker_now_ns (const GstWeirWorker *self)
{
  return (gint64) gst_clock_get_time (self->waiter.clock);
}

static gpointer
run (gpointer user)
{
  GstWeirWorker *self = user;
  g_mutex_lock (&self->lock);
  while (self->running) {
    self->woken = FALSE;
    g_mutex_unlock (&self->lock);
    gint64 next_ns = self->turn (self->user);
    g_mutex_lock (&self->lock);
    if (self->running && !self->woken && next_ns > gst_weir_worker_now_ns (self)) {
      gst_weir_waiter_wait (&self->waiter, &self->lock, next_ns);
      gst_weir_waiter_done (&self->waiter);
    }
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

void
gst_weir_worker_start (GstWeirWorker *self, const gchar *name)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->thread == NULL) {
    self->running = TRUE;
    self->woken = TRUE;
    self->thread = g_thread_new (name, run, self);
  }
}

void
gst_weir_worker_stop (GstWeirWorker *self)
{
  g_mutex_lock (&self->lock);
  GThread *thread = g_steal_pointer (&self->thread);
  self->running = FALSE;
  self->woken = FALSE;
  gst_weir_waiter_wake (&self->waiter);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&thread, g_thread_join);
}

void
gst_weir_worker_wake (GstWeirWorker *self)
{
  gst_weir_worker_wake_by (self, 0);
}

/* A turn under way may have asked for its next one before the caller changed something. */
void
gst_weir_worker_wake_by (GstWeirWorker *self, gint64 due_ns)
{
  g_mutex_lock (&self->lock);
  self->woken = self->running;
  if (due_ns < self->waiter.until_ns) {
    gst_weir_waiter_wake (&self->waiter);
  }
  g_mutex_unlock (&self->lock);
}
