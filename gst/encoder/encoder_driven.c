/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One encoder. It is counted by reference, because the worker sets properties without the set's
 * lock; the element itself is held weakly, so that driving it does not keep it alive. */
#include "encoder/encoder_driven.h"

#include "common/pipeline_walk.h"
#include "encoder/encoder_property.h"
#include "weir/units.h"

GstWeirEncoder *
gst_weir_encoder_new (GstElement *element, const GstWeirEncoderInfo *info)
{
  GstWeirEncoder *self = g_atomic_rc_box_new0 (GstWeirEncoder);
  g_autoptr (GstObject) parent = gst_object_get_parent (GST_OBJECT (element));
  g_weak_ref_init (&self->element, element);
  gst_weir_encoder_get_limits (element, info, &self->low_bps, &self->high_bps);
  self->identity = element;
  self->name = gst_object_get_name (GST_OBJECT (element));
  self->info = *info;
  self->had_parent = parent != NULL;
  self->share = GST_WEIR_NO_SHARE;
  return self;
}

GstWeirEncoder *
gst_weir_encoder_ref (GstWeirEncoder *self)
{
  return g_atomic_rc_box_acquire (self);
}

static GstPad *
find_probed_pad (GstWeirEncoder *self)
{
  g_autoptr (GstElement) element = self->probe != 0 ? g_weak_ref_get (&self->element) : NULL;
  return element != NULL ? gst_element_get_static_pad (element, "sink") : NULL;
}

static void
clear (gpointer data)
{
  GstWeirEncoder *self = data;
  g_autoptr (GstPad) probed = find_probed_pad (self);
  if (probed != NULL) {
    gst_pad_remove_probe (probed, self->probe);
  }
  g_weak_ref_clear (&self->element);
  g_free (self->name);
}

void
gst_weir_encoder_unref (GstWeirEncoder *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/* Who is asked, and may have gone when a frame comes. */
typedef struct
{
  GWeakRef asked;
  GstWeirSkipsFrame skips;
} Skipper;

static void
free_skipper (gpointer data)
{
  Skipper *skipper = data;
  g_weak_ref_clear (&skipper->asked);
  g_free (skipper);
}

static GstPadProbeReturn
on_frame (GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, gpointer data)
{
  Skipper *skipper = data;
  g_autoptr (GstElement) asked = g_weak_ref_get (&skipper->asked);
  g_autoptr (GstElement) encoder = gst_pad_get_parent_element (pad);
  gboolean skips = asked != NULL && encoder != NULL && skipper->skips (asked, encoder);
  return skips ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* From now on asked is asked, before each frame of the encoder (which is element), whether it shall
 * be left out; until the last reference to the encoder is given up. Sound is never left out. Call
 * it once. */
void
gst_weir_encoder_skip_frames (GstWeirEncoder *self, GstElement *element, GstElement *asked,
                              GstWeirSkipsFrame skips)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  if (pad == NULL || gst_weir_has_class (element, "Audio")) {
    return;
  }
  Skipper *skipper = g_new0 (Skipper, 1);
  g_weak_ref_init (&skipper->asked, asked);
  skipper->skips = skips;
  self->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, skipper, free_skipper);
}

/* A reference, or NULL when the element has been freed. */
GstElement *
gst_weir_encoder_get_element (GstWeirEncoder *self)
{
  return g_weak_ref_get (&self->element);
}

/* The caller holds a reference to element. An element that has gone may have left its address to
 * another one, hence the second look. */
gboolean
gst_weir_encoder_is (GstWeirEncoder *self, GstElement *element)
{
  if (self->identity != element) {
    return FALSE;
  }
  g_autoptr (GstElement) mine = gst_weir_encoder_get_element (self);
  return mine == element;
}

/* Freed, or taken out of the bin it was found in. */
gboolean
gst_weir_encoder_is_gone (GstWeirEncoder *self)
{
  g_autoptr (GstElement) element = gst_weir_encoder_get_element (self);
  if (element == NULL) {
    return TRUE;
  }
  g_autoptr (GstObject) parent = gst_object_get_parent (GST_OBJECT (element));
  return self->had_parent && parent == NULL;
}

/* The nearest bitrate not above bitrate_bps that its property can hold, or its least. */
gint64
gst_weir_encoder_quantise_bps (const GstWeirEncoder *self, gint64 bitrate_bps)
{
  gint64 limited_bps = CLAMP (bitrate_bps, self->low_bps, self->high_bps);
  return limited_bps / self->info.unit_bps * self->info.unit_bps;
}

/* When (monotonic clock) it may be set to wanted_bps, a value its property can hold: at once the
 * first time; WEIR_NEVER_NS when it has it already, cannot change, or the step is not worth it. */
gint64
gst_weir_encoder_due_ns (const GstWeirEncoder *self, gint64 wanted_bps)
{
  gint64 step_bps = ABS (wanted_bps - self->set_bps);
  if (self->fixed || step_bps == 0) {
    return WEIR_NEVER_NS;
  }
  if (self->set_bps == 0) {
    return 0;
  }
  if ((double) step_bps * 1e6 < (double) self->set_bps * (double) self->info.step_ppm) {
    return WEIR_NEVER_NS;
  }
  return self->set_ns + (wanted_bps < self->set_bps ? self->info.down_ns : self->info.up_ns);
}
