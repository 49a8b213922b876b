/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks over the links of a running pipeline, breadth first over "far pads": the pad of a real
 * element at the other end of a link, however many ghost pads lie between. Pads may be relinked or
 * removed meanwhile: every step holds references, and a pad that has gone is skipped.
 *
 * Bounds: WALK_MAX_ELEMENTS elements, FAR_PAD_MAX_HOPS ghost pads per link. */
#include "common/pipeline_walk.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (pipeline_walk_debug);
#define GST_CAT_DEFAULT pipeline_walk_debug

#define WALK_MAX_ELEMENTS 256
#define FAR_PAD_MAX_HOPS 32
#define MAX_RESYNCS 8

static void
ensure_debug_category (void)
{
  static gsize once = 0;
  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (pipeline_walk_debug, "weirwalk", 0, "Weir's walks over the pipeline");
    g_once_init_leave (&once, 1);
  }
}

typedef struct
{
  GHashTable *seen; /* pads entered, owned */
  GQueue pads;      /* pads still to enter, owned: each is a pad of a real element */
  guint n_elements;
} Walk;

gboolean
gst_weir_is_made_by (GstElement *element, const gchar *factory_name)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  return factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), factory_name);
}

/* Cameras with an encoder inside: their class does not say so, and one is a bin. */
static gboolean
is_encoding_camera (GstElement *element)
{
  return gst_weir_is_made_by (element, "uvch264src") || gst_weir_is_made_by (element, "rpicamsrc");
}

static gboolean
leads_into_a_bin (GstPad *pad)
{
  g_autoptr (GstElement) bin = gst_pad_get_parent_element (pad);
  return GST_IS_GHOST_PAD (pad) && (bin == NULL || !is_encoding_camera (bin));
}

/* The pad of a real element that pad (of a real element) exchanges data with, or NULL. */
GstPad *
gst_weir_far_pad (GstPad *pad)
{
  g_autoptr (GstPad) here = gst_object_ref (pad);
  for (guint hops = 0; here != NULL && hops < FAR_PAD_MAX_HOPS; hops++) {
    g_autoptr (GstPad) peer = gst_pad_get_peer (here);
    while (peer != NULL && leads_into_a_bin (peer)) {
      GstPad *inner = gst_ghost_pad_get_target (GST_GHOST_PAD (peer));
      gst_object_unref (peer);
      peer = inner;
    }
    if (peer == NULL || !GST_IS_PROXY_PAD (peer) || GST_IS_GHOST_PAD (peer)) {
      return g_steal_pointer (&peer);
    }
    gst_object_unref (here); /* out of a bin */
    here = GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (peer)));
  }
  return NULL;
}

/* Queues the far pad of near (a pad of an element already visited), once. */
static void
walk_enqueue (Walk *walk, GstPad *near)
{
  g_autoptr (GstPad) pad = gst_weir_far_pad (near);
  if (pad != NULL && g_hash_table_add (walk->seen, gst_object_ref (pad))) {
    g_queue_push_tail (&walk->pads, g_steal_pointer (&pad));
  }
}

static void
add_pad (const GValue *item, gpointer pads)
{
  g_ptr_array_add (pads, g_value_dup_object (item));
}

/* A list that changes meanwhile is read again. */
GPtrArray *
gst_weir_list_pads (GstIterator *iterator)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);
  guint resyncs = 0;
  while (iterator != NULL && gst_iterator_foreach (iterator, add_pad, pads) == GST_ITERATOR_RESYNC
         && resyncs++ < MAX_RESYNCS) {
    gst_iterator_resync (iterator);
    g_ptr_array_set_size (pads, 0);
  }
  g_clear_pointer (&iterator, gst_iterator_free);
  return pads;
}

/* Takes iterator. Returns how many pads there were. */
static guint
walk_enqueue_all (Walk *walk, GstIterator *iterator)
{
  g_autoptr (GPtrArray) pads = gst_weir_list_pads (iterator);
  for (guint i = 0; i < pads->len; i++) {
    walk_enqueue (walk, g_ptr_array_index (pads, i));
  }
  return pads->len;
}

/* Behind the element that owns pad: the pads it says are linked inside to pad, or, when it says
 * nothing, all its pads on the other side. */
static void
walk_past (Walk *walk, GstPad *pad, GstElement *element)
{
  if (walk_enqueue_all (walk, gst_pad_iterate_internal_links (pad)) == 0) {
    walk_enqueue_all (walk, GST_PAD_IS_SRC (pad) ? gst_element_iterate_sink_pads (element)
                                                 : gst_element_iterate_src_pads (element));
  }
}

/* Visits pad's element. TRUE: found, stop. */
static gboolean
walk_visit (Walk *walk, GstPad *pad, GstWeirVisit visit, gpointer user)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  GstWeirWalkNext next = element != NULL ? visit (pad, element, user) : GST_WEIR_WALK_NOT_PAST;
  if (next == GST_WEIR_WALK_ON) {
    walk_past (walk, pad, element);
  }
  return next == GST_WEIR_WALK_STOP;
}

void
gst_weir_walk (GstPad *start, GstWeirVisit visit, gpointer user)
{
  Walk walk = { g_hash_table_new_full (NULL, NULL, gst_object_unref, NULL), G_QUEUE_INIT, 0 };
  ensure_debug_category ();
  walk_enqueue (&walk, start);
  while (!g_queue_is_empty (&walk.pads) && walk.n_elements++ < WALK_MAX_ELEMENTS) {
    g_autoptr (GstPad) pad = g_queue_pop_head (&walk.pads);
    if (walk_visit (&walk, pad, visit, user)) {
      break;
    }
  }
  g_queue_clear_full (&walk.pads, gst_object_unref);
  g_hash_table_unref (walk.seen);
}

typedef struct
{
  GPtrArray *encoders;
  GString *looked_at;
} Search;

gboolean
gst_weir_has_class (GstElement *element, const gchar *word)
{
  const gchar *klass = gst_element_class_get_metadata (GST_ELEMENT_GET_CLASS (element),
                                                       GST_ELEMENT_METADATA_KLASS);
  return klass != NULL && strstr (klass, word) != NULL;
}

/* The class of libnice's does not say so. */
gboolean
gst_weir_is_network_sink (GstElement *element)
{
  return gst_weir_is_made_by (element, "nicesink")
         || (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)
             && gst_weir_has_class (element, "Network"));
}

static gboolean
is_encoder (GstElement *element)
{
  return (gst_weir_has_class (element, "Encoder")
          && (gst_weir_has_class (element, "Video") || gst_weir_has_class (element, "Audio")))
         || is_encoding_camera (element);
}

static GstWeirWalkNext
visit_upstream (G_GNUC_UNUSED GstPad *pad, GstElement *element, gpointer user)
{
  Search *search = user;
  if (is_encoder (element)) {
    if (!g_ptr_array_find (search->encoders, element, NULL)) {
      g_ptr_array_add (search->encoders, gst_object_ref (element));
    }
    return GST_WEIR_WALK_NOT_PAST;
  }
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (element));
  g_string_append_printf (search->looked_at, "%s%s", search->looked_at->len > 0 ? ", " : "", name);
  return GST_WEIR_WALK_ON;
}

/* Breadth first, so the nearest encoders come first. Stops at each encoder: a transcoder's other
 * half is not ours. An element that is reached through two links is looked at for each. */
GPtrArray *
gst_weir_find_encoders (GstPad *sinkpad, gchar **looked_at)
{
  Search search = { g_ptr_array_new_with_free_func (gst_object_unref), g_string_new (NULL) };
  gst_weir_walk (sinkpad, visit_upstream, &search);
  GST_INFO_OBJECT (sinkpad, "%u encoders, behind: %s", search.encoders->len, search.looked_at->str);
  g_autofree gchar *names = g_string_free (search.looked_at, FALSE);
  if (looked_at != NULL) {
    *looked_at = g_steal_pointer (&names);
  }
  return search.encoders;
}

static GstWeirWalkNext
visit_downstream (G_GNUC_UNUSED GstPad *pad, GstElement *element, gpointer user)
{
  GstElement **encoder = user;
  if (!is_encoder (element)) {
    return GST_WEIR_WALK_ON;
  }
  *encoder = gst_object_ref (element);
  return GST_WEIR_WALK_STOP;
}

GstElement *
gst_weir_find_encoder_behind (GstPad *srcpad)
{
  GstElement *encoder = NULL;
  gst_weir_walk (srcpad, visit_downstream, &encoder);
  return encoder;
}

typedef struct
{
  const gchar *pad_name;
  GObject *session;
  GstElement *element;
} SessionSearch;

/* The element's internal-session, or NULL. A property of that name that is no object is not it. */
static GObject *
internal_session (GstElement *element)
{
  GObject *session = NULL;
  GParamSpec *spec
      = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "internal-session");
  if (spec != NULL && (spec->flags & G_PARAM_READABLE) != 0
      && g_type_is_a (spec->value_type, G_TYPE_OBJECT)) {
    g_object_get (element, "internal-session", &session, NULL);
  }
  return session;
}

/* By the wrong pad it is a session of others, and what it gives is not ours any more. */
static GstWeirWalkNext
visit_for_session (GstPad *pad, GstElement *element, gpointer user)
{
  SessionSearch *search = user;
  g_autoptr (GObject) session = internal_session (element);
  if (session == NULL) {
    return is_encoder (element) ? GST_WEIR_WALK_NOT_PAST : GST_WEIR_WALK_ON;
  }
  if (g_strcmp0 (GST_PAD_NAME (pad), search->pad_name) != 0) {
    return GST_WEIR_WALK_NOT_PAST;
  }
  search->session = g_steal_pointer (&session);
  search->element = gst_object_ref (element);
  return GST_WEIR_WALK_STOP;
}

GObject *
gst_weir_find_rtp_session (GstPad *pad, const gchar *pad_name, GstElement **element)
{
  SessionSearch search = { .pad_name = pad_name };
  gst_weir_walk (pad, visit_for_session, &search);
  GST_INFO_OBJECT (pad, "RTP session with %s: %" GST_PTR_FORMAT, pad_name, (void *) search.element);
  if (element != NULL) {
    *element = search.element;
  } else {
    g_clear_pointer (&search.element, gst_object_unref);
  }
  return search.session;
}

GstIterator *
gst_weir_iterate_one (GstPad *pad)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, pad);
  return gst_iterator_new_single (GST_TYPE_PAD, &value);
}
