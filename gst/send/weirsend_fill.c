/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_fill.h"

void
gst_weir_fill_reset (GstWeirFill *self)
{
  *self = (GstWeirFill){ .on = self->on };
}

void
gst_weir_fill_on_media (GstWeirFill *self, const GstWeirFillPacket *packet)
{
  self->recent[self->n_left % GST_WEIR_FILL_MAX] = *packet;
  self->n_left++;
}

gboolean
gst_weir_fill_on_repair (GstWeirFill *self)
{
  gboolean is_copy = self->on && self->n_awaited > 0;
  self->n_awaited -= is_copy ? 1 : 0;
  return is_copy;
}

static void
forget_probe (GstWeirFill *self)
{
  self->asked_bytes = 0;
  self->n_asked = 0;
  self->n_awaited = 0;
}

/* The newest first: a receiver still knows those. */
static const GstWeirFillPacket *
choose (const GstWeirFill *self)
{
  guint64 n_known = MIN (self->n_left, GST_WEIR_FILL_MAX);
  return &self->recent[(self->n_left - 1 - self->n_asked % n_known) % GST_WEIR_FILL_MAX];
}

guint
gst_weir_fill_plan (GstWeirFill *self, gint64 left_bytes,
                    GstWeirFillPacket packets[GST_WEIR_FILL_MAX])
{
  guint n = 0;
  if (left_bytes <= 0) {
    forget_probe (self);
  }
  while (self->on && self->n_left > 0 && self->asked_bytes < left_bytes
         && self->n_asked < GST_WEIR_FILL_MAX) {
    packets[n] = *choose (self);
    self->asked_bytes += packets[n].wire_bytes;
    self->n_asked++;
    self->n_awaited++;
    n++;
  }
  return n;
}

GstEvent *
gst_weir_fill_make_request (const GstWeirFillPacket *packet)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                               gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
                                                  G_TYPE_UINT, (guint) packet->seq, "ssrc",
                                                  G_TYPE_UINT, packet->ssrc, NULL));
}
