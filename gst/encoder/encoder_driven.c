/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One encoder. It is counted by reference, because the worker sets properties without the set's
 * lock; the element itself is held weakly, so that driving it does not keep it alive. */
#include "encoder/encoder_driven.h"

#include "encoder/encoder_property.h"
#include "weir/units.h"

GstWeirEncoder *
gst_weir_encoder_new (GstElement *element, const GstWeirEncoderInfo *info)
{
  GstWeirEncoder *encoder = g_atomic_rc_box_new0 (GstWeirEncoder);
  GstObject *parent = gst_object_get_parent (GST_OBJECT (element));
  g_weak_ref_init (&encoder->element, element);
  gst_weir_encoder_get_limits (element, info, &encoder->low_bps, &encoder->high_bps);
  encoder->identity = element;
  encoder->name = gst_object_get_name (GST_OBJECT (element));
  encoder->info = *info;
  encoder->had_parent = parent != NULL;
  encoder->share = GST_WEIR_NO_SHARE;
  g_clear_pointer (&parent, gst_object_unref);
  return encoder;
}

GstWeirEncoder *
gst_weir_encoder_ref (GstWeirEncoder *encoder)
{
  return g_atomic_rc_box_acquire (encoder);
}

static void
clear (gpointer data)
{
  GstWeirEncoder *encoder = data;
  g_weak_ref_clear (&encoder->element);
  g_free (encoder->name);
}

void
gst_weir_encoder_unref (GstWeirEncoder *encoder)
{
  g_atomic_rc_box_release_full (encoder, clear);
}

/* A reference, or NULL when the element has been freed. */
GstElement *
gst_weir_encoder_get_element (GstWeirEncoder *encoder)
{
  return g_weak_ref_get (&encoder->element);
}

/* The caller holds a reference to element. An element that has gone may have left its address to
 * another one, hence the second look. */
gboolean
gst_weir_encoder_is (GstWeirEncoder *encoder, GstElement *element)
{
  if (encoder->identity != element) {
    return FALSE;
  }
  GstElement *mine = gst_weir_encoder_get_element (encoder);
  gboolean same = mine == element;
  g_clear_pointer (&mine, gst_object_unref);
  return same;
}

/* Freed, or taken out of the bin it was found in. */
gboolean
gst_weir_encoder_is_gone (GstWeirEncoder *encoder)
{
  GstElement *element = gst_weir_encoder_get_element (encoder);
  if (element == NULL) {
    return TRUE;
  }
  GstObject *parent = gst_object_get_parent (GST_OBJECT (element));
  gboolean gone = encoder->had_parent && parent == NULL;
  g_clear_pointer (&parent, gst_object_unref);
  gst_object_unref (element);
  return gone;
}

/* The nearest bitrate not above bitrate_bps that its property can hold, or its least. */
gint64
gst_weir_encoder_quantise_bps (const GstWeirEncoder *encoder, gint64 bitrate_bps)
{
  gint64 limited_bps = CLAMP (bitrate_bps, encoder->low_bps, encoder->high_bps);
  return limited_bps / encoder->info.unit_bps * encoder->info.unit_bps;
}

/* When (monotonic clock) it may be set to wanted_bps, a value its property can hold: at once the
 * first time; WEIR_NEVER_NS when it has it already, cannot change, or the step is not worth it. */
gint64
gst_weir_encoder_due_ns (const GstWeirEncoder *encoder, gint64 wanted_bps)
{
  gint64 step_bps = ABS (wanted_bps - encoder->set_bps);
  if (encoder->fixed || step_bps == 0) {
    return WEIR_NEVER_NS;
  }
  if (encoder->set_bps == 0) {
    return 0;
  }
  if ((double) step_bps * 1e6 < (double) encoder->set_bps * (double) encoder->info.step_ppm) {
    return WEIR_NEVER_NS;
  }
  return encoder->set_ns
         + (wanted_bps < encoder->set_bps ? encoder->info.down_ns : encoder->info.up_ns);
}
