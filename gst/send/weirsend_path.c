/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path that the elements of a group share, and its lock, which is each one's session lock. */
#include "send/weirsend_private.h"

GstWeirPath *
gst_weir_path_new (void)
{
  GstWeirPath *path = g_new0 (GstWeirPath, 1);
  g_mutex_init (&path->lock);
  g_atomic_ref_count_init (&path->refs);
  return path;
}

GstWeirPath *
gst_weir_path_ref (GstWeirPath *path)
{
  g_atomic_ref_count_inc (&path->refs);
  return path;
}

void
gst_weir_path_unref (GstWeirPath *path)
{
  if (g_atomic_ref_count_dec (&path->refs)) {
    g_mutex_clear (&path->lock);
    g_free (path);
  }
}

void
gst_weir_send_lock (GstWeirSend *self)
{
  g_mutex_lock (&self->path->lock);
}

void
gst_weir_send_unlock (GstWeirSend *self)
{
  g_mutex_unlock (&self->path->lock);
}

/* Waits for a condition of this element; the lock is free meanwhile. */
void
gst_weir_send_wait_locked (GstWeirSend *self, GCond *condition)
{
  g_cond_wait (condition, &self->path->lock);
}

/* The same until end_us of g_get_monotonic_time () at most. FALSE: that time has passed. */
gboolean
gst_weir_send_wait_until_locked (GstWeirSend *self, GCond *condition, gint64 end_us)
{
  return g_cond_wait_until (condition, &self->path->lock, end_us);
}
