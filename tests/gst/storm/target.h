/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element that the storm is about, with what is linked to it: pads of our own that take what
 * leaves, and answer what they like. */
#ifndef TESTS_GST_STORM_TARGET_H
#define TESTS_GST_STORM_TARGET_H

#include "common/rate_query.h"

#include <gst/gst.h>
#include <string.h>

typedef struct
{
  GstElement *element;
  GstElement *encoder; /* before weirsend, else NULL */
  GstPad *drain;       /* behind src; weirlink has one for each pair */
} Target;

/* Pads without a parent that take everything. Flow returns come by the clock's last bits: mostly
 * GST_FLOW_OK. */
static GstFlowReturn
drain_chain (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstBuffer *buffer)
{
  static const GstFlowReturn answers[]
      = { GST_FLOW_FLUSHING, GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_ERROR };
  gint64 dice = g_get_monotonic_time () % 64;
  gst_buffer_unref (buffer);
  return dice < (gint64) G_N_ELEMENTS (answers) ? answers[dice] : GST_FLOW_OK;
}

static gboolean
drain_event (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* As a weirsend whose target changes all the time, and is seldom kept to. */
static gboolean
drain_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstWeirRatePicture picture;
  gint64 now_us = g_get_monotonic_time ();
  if (!gst_weir_rate_query_parse (query, &picture)) {
    return gst_pad_query_default (pad, parent, query);
  }
  const GstWeirRate rate = { now_us / 4096 % 64 * 4000, (guint64) now_us };
  gst_weir_rate_query_answer (query, &rate);
  return TRUE;
}

/* Behind pad, which may have gone already. */
static GstPad *
drain_new (GstPad *pad)
{
  static GstStaticPadTemplate any
      = GST_STATIC_PAD_TEMPLATE ("drain", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  GstPad *drain = gst_object_ref_sink (gst_pad_new_from_static_template (&any, NULL));
  gst_pad_set_chain_function (drain, drain_chain);
  gst_pad_set_event_function (drain, drain_event);
  gst_pad_set_query_function (drain, drain_query);
  gst_pad_set_active (drain, TRUE);
  if (gst_pad_link_full (pad, drain, GST_PAD_LINK_CHECK_NOTHING) != GST_PAD_LINK_OK) {
    gst_pad_set_active (drain, FALSE);
    gst_clear_object (&drain);
  }
  return drain;
}

static void
drain_free (GstPad *drain)
{
  if (drain != NULL) {
    GstPad *peer = gst_pad_get_peer (drain);
    if (peer != NULL) {
      gst_pad_unlink (peer, drain);
      gst_object_unref (peer);
    }
    gst_pad_set_active (drain, FALSE);
    gst_object_unref (drain);
  }
}

/* Nobody reads what it says. */
static GstBusSyncReply
drop_message (G_GNUC_UNUSED GstBus *bus, GstMessage *message, G_GNUC_UNUSED gpointer user)
{
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
target_init (Target *target, const gchar *factory, GstElement *encoder)
{
  GstBus *bus = gst_bus_new ();
  *target = (Target){ .element = gst_element_factory_make (factory, NULL), .encoder = encoder };
  g_assert_nonnull (target->element);
  gst_object_ref_sink (target->element);
  gst_bus_set_sync_handler (bus, drop_message, NULL, NULL);
  gst_element_set_bus (target->element, bus);
  gst_object_unref (bus);
  GstPad *src = gst_element_get_static_pad (target->element, "src");
  if (src != NULL) {
    target->drain = drain_new (src);
    gst_object_unref (src);
  }
  if (encoder != NULL) {
    GstPad *out = gst_element_get_static_pad (encoder, "src");
    GstPad *in = gst_element_get_static_pad (target->element, "sink");
    gst_pad_link_full (out, in, GST_PAD_LINK_CHECK_NOTHING);
    gst_object_unref (out);
    gst_object_unref (in);
  }
}

/* Whatever happened to it: it goes to NULL, and nobody else has it. */
static void
target_clear (Target *target)
{
  gst_element_set_state (target->element, GST_STATE_NULL);
  if (target->encoder != NULL) {
    gst_element_set_state (target->encoder, GST_STATE_NULL);
  }
  drain_free (target->drain);
  gst_element_set_bus (target->element, NULL);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (target->element), ==, 1);
  gst_object_unref (target->element);
  gst_clear_object (&target->encoder);
}

/* A pad of the element by chance; NULL: it has none now. Unref it. */
static GstPad *
target_any_pad (Target *target, GRand *dice, GstPadDirection direction)
{
  GstPad *chosen = NULL;
  GST_OBJECT_LOCK (target->element);
  guint n = 0;
  for (GList *l = target->element->pads; l != NULL; l = l->next) {
    if (GST_PAD_DIRECTION (l->data) == direction && g_rand_int_range (dice, 0, (gint) ++n) == 0) {
      chosen = l->data;
    }
  }
  if (chosen != NULL) {
    gst_object_ref (chosen);
  }
  GST_OBJECT_UNLOCK (target->element);
  return chosen;
}

#endif
