/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a thread of the storm may do to an element, and how often. */
#ifndef TESTS_GST_STORM_MOVES_H
#define TESTS_GST_STORM_MOVES_H

#include "encoder/fake_encoder.h"
#include "storm/packets.h"
#include "storm/properties_by_chance.h"
#include "storm/target.h"
#include "storm/watchdog.h"

#define MOST_TARGETS 50
#define MOST_PADS 4 /* that one thread has requested */

typedef struct
{
  const gchar *factory;
  Target targets[MOST_TARGETS];
  guint n_targets;
  gchar *folder;
  Watchdog *dog;
  gint stop;      /* atomic */
  gint n_playing; /* atomic: threads */
} Storm;

typedef struct
{
  GstElement *element;
  GstPad *pad;
  GstPad *drain; /* behind a src pad, else NULL */
} Requested;

typedef struct
{
  Storm *storm;
  guint number;
  GRand *dice;
  Requested pads[MOST_PADS];
  GstElement *own_encoder; /* added by this thread, if it is */
} Player;

static void
change_state (Player *player, Target *target)
{
  static const GstState states[] = { GST_STATE_NULL,   GST_STATE_READY,   GST_STATE_READY,
                                     GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PLAYING };
  gint i = g_rand_int_range (player->dice, 0, G_N_ELEMENTS (states));
  gst_element_set_state (target->element, states[i]);
}

static void
play (G_GNUC_UNUSED Player *player, Target *target)
{
  gst_element_set_state (target->element, GST_STATE_PLAYING);
}

static void
flush (Player *player, Target *target)
{
  GstPad *pad = target_any_pad (target, player->dice, GST_PAD_SINK);
  if (pad != NULL) {
    gst_pad_send_event (pad, gst_event_new_flush_start ());
    gst_pad_send_event (pad, gst_event_new_flush_stop (one_in (player->dice, 2)));
    gst_object_unref (pad);
  }
}

/* As at the start of a stream. */
static void
begin_stream (GstPad *pad, GRand *dice)
{
  gst_pad_send_event (pad, gst_event_new_stream_start ("storm"));
  gst_pad_send_event (pad, caps_event (dice));
  gst_pad_send_event (pad, segment_event (dice));
}

static void
push (Player *player, Target *target)
{
  GstPad *pad = target_any_pad (target, player->dice, GST_PAD_SINK);
  if (pad == NULL) {
    return;
  }
  if (one_in (player->dice, 4)) {
    begin_stream (pad, player->dice);
  }
  for (gint n = g_rand_int_range (player->dice, 1, 20); n > 0; n--) {
    if (one_in (player->dice, 4)) {
      gst_pad_chain_list (pad, any_list (player->dice));
    } else {
      GstBuffer *buffer = any_buffer (player->dice);
      GstBuffer *shared = one_in (player->dice, 4) ? gst_buffer_ref (buffer) : NULL;
      gst_pad_chain (pad, buffer);
      gst_clear_buffer (&shared);
    }
  }
  gst_object_unref (pad);
}

static void
send_event (Player *player, Target *target)
{
  gboolean down = one_in (player->dice, 2);
  GstPad *pad = target_any_pad (target, player->dice, down ? GST_PAD_SINK : GST_PAD_SRC);
  if (pad != NULL) {
    gst_pad_send_event (pad, down ? any_downstream_event (player->dice)
                                  : any_upstream_event (player->dice));
    gst_object_unref (pad);
  }
}

static void
ask (Player *player, Target *target)
{
  GstPadDirection direction = one_in (player->dice, 2) ? GST_PAD_SINK : GST_PAD_SRC;
  GstPad *pad = target_any_pad (target, player->dice, direction);
  if (pad != NULL) {
    GstQuery *query = any_query (player->dice);
    GstIterator *links = gst_pad_iterate_internal_links (pad);
    gst_pad_query (pad, query);
    gst_query_unref (query);
    g_clear_pointer (&links, gst_iterator_free);
    gst_object_unref (pad);
  }
}

static void
touch_property (Player *player, Target *target)
{
  touch_a_property (G_OBJECT (target->element), player->dice, player->storm->folder);
}

static void
release_pad (Requested *requested)
{
  if (requested->pad != NULL) {
    gst_element_release_request_pad (requested->element, requested->pad);
    drain_free (requested->drain);
    gst_object_unref (requested->pad);
    gst_object_unref (requested->element);
    *requested = (Requested){ .pad = NULL };
  }
}

static void
request_pad (GstElement *element, const gchar *name, Requested *requested)
{
  GstPadTemplate *templ = gst_element_get_pad_template (element, name);
  GstPad *pad = templ != NULL ? gst_element_request_pad (element, templ, NULL, NULL) : NULL;
  if (pad != NULL) {
    *requested = (Requested){ .element = gst_object_ref (element), .pad = pad };
    if (GST_PAD_IS_SRC (pad)) {
      requested->drain = drain_new (pad);
    }
  }
}

static void
change_pads (Player *player, Target *target)
{
  static const gchar *const rtcp[] = { "rtcp_sink", "rtcp_src" };
  static const gchar *const pairs[] = { "sink_%u", "src_%u" };
  gint i = g_rand_int_range (player->dice, 0, MOST_PADS);
  gboolean is_link = strcmp (player->storm->factory, "weirlink") == 0;
  if (player->pads[i].pad != NULL) {
    release_pad (&player->pads[i]);
  } else {
    const gchar *name = is_link ? pairs[g_rand_int_range (player->dice, 0, G_N_ELEMENTS (pairs))]
                                : rtcp[g_rand_int_range (player->dice, 0, G_N_ELEMENTS (rtcp))];
    request_pad (target->element, name, &player->pads[i]);
  }
}

static void
relink (G_GNUC_UNUSED Player *player, Target *target)
{
  GstPad *src = gst_element_get_static_pad (target->element, "src");
  if (src != NULL) {
    gst_pad_unlink (src, target->drain);
    gst_pad_link_full (src, target->drain, GST_PAD_LINK_CHECK_NOTHING);
    gst_object_unref (src);
  }
}

static void
change_encoders (Player *player, Target *target)
{
  gboolean done = FALSE;
  if (target->encoder == NULL) {
    return;
  }
  if (player->own_encoder == NULL) {
    player->own_encoder = fake_encoder_new ("weirfakeenc");
  }
  if (one_in (player->dice, 2)) {
    g_signal_emit_by_name (target->element, "add-encoder", player->own_encoder, 1.0, (guint64) 0,
                           (guint64) 0, &done);
  } else {
    g_signal_emit_by_name (target->element, "remove-encoder", player->own_encoder, &done);
  }
}

static const struct
{
  const gchar *name;
  void (*play) (Player *player, Target *target);
  guint weight;
} moves[] = {
  { "change_state", change_state, 6 },
  { "play", play, 6 },
  { "flush", flush, 6 },
  { "push", push, 8 },
  { "send_event", send_event, 4 },
  { "ask", ask, 3 },
  { "touch_property", touch_property, 10 },
  { "change_pads", change_pads, 6 },
  { "relink", relink, 1 },
  { "change_encoders", change_encoders, 1 },
};

#endif
