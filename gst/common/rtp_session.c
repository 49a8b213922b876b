/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/rtp_session.h"

void
gst_weir_rtp_session_init (GstWeirRtpSession *self, GstElement *element,
                           const GstWeirRtpSessionEvents *events)
{
  *self = (GstWeirRtpSession){ .element = element, .events = events };
  g_mutex_init (&self->lock);
}

void
gst_weir_rtp_session_clear (GstWeirRtpSession *self)
{
  g_mutex_clear (&self->lock);
}

static void
on_receiving_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *rtcp, GstWeirRtpSession *self)
{
  self->events->on_rtcp (self->element, rtcp);
}

static gboolean
on_sending_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *rtcp, G_GNUC_UNUSED gboolean early,
                 GstWeirRtpSession *self)
{
  return self->events->on_sending_rtcp (self->element, rtcp);
}

static void
release (gpointer self, G_GNUC_UNUSED GClosure *closure)
{
  gst_object_unref (((GstWeirRtpSession *) self)->element);
}

/* A callback that still runs when the session is left must find the element alive. */
static void
connect (GstWeirRtpSession *self, GObject *session, const gchar *signal, GCallback callback)
{
  if (g_signal_lookup (signal, G_OBJECT_TYPE (session)) != 0) {
    gst_object_ref (self->element);
    g_signal_connect_data (session, signal, callback, self, release, 0);
  }
}

void
gst_weir_rtp_session_set (GstWeirRtpSession *self, GObject *session)
{
  if (session != NULL) {
    connect (self, session, "on-receiving-rtcp", G_CALLBACK (on_receiving_rtcp));
    connect (self, session, "on-sending-rtcp", G_CALLBACK (on_sending_rtcp));
  }
  g_mutex_lock (&self->lock);
  GObject *former = self->object;
  g_atomic_pointer_set (&self->object, session); /* read without the lock, too */
  g_mutex_unlock (&self->lock);
  if (former != NULL) {
    g_signal_handlers_disconnect_by_data (former, self);
    g_object_unref (former);
  }
}

GObject *
gst_weir_rtp_session_get (GstWeirRtpSession *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->object != NULL ? g_object_ref (self->object) : NULL;
}

gconstpointer
gst_weir_rtp_session_key (const GstWeirRtpSession *self)
{
  return g_atomic_pointer_get (&self->object);
}
