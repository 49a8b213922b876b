/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An encoder for tests: it encodes nothing and writes down who set its bitrate, when, to what. */
#ifndef TESTS_GST_FAKE_ENCODER_H
#define TESTS_GST_FAKE_ENCODER_H

#include <gst/gst.h>

#define FAKE_MAX_SETS 2000

typedef struct
{
  guint value;
  gint64 time_us;
  GThread *thread;
} FakeSet;

typedef struct
{
  GstElement parent;
  GstPad *sink, *src;
  GMutex lock;
  guint bitrate;
  gint hold;   /* atomic: a set waits inside while this is not 0 */
  gint inside; /* atomic: sets that are being made */
  guint n_sets;
  FakeSet sets[FAKE_MAX_SETS];
} FakeEncoder;

typedef struct
{
  GstElementClass parent;
} FakeEncoderClass;

GType fake_encoder_get_type (void);
G_DEFINE_TYPE (FakeEncoder, fake_encoder, GST_TYPE_ELEMENT)
#define FAKE_ENCODER(e) ((FakeEncoder *) (gpointer) (e))

/* A test that forgets to let go gets an encoder that lets go by itself, and fails. */
static void
fake_encoder_wait_inside (FakeEncoder *self)
{
  g_atomic_int_inc (&self->inside);
  for (guint ms = 0; ms < 20000 && g_atomic_int_get (&self->hold) != 0; ms++) {
    g_usleep (1000);
  }
  g_atomic_int_add (&self->inside, -1);
}

static void
fake_encoder_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  FakeEncoder *self = FAKE_ENCODER (object);
  (void) id;
  (void) spec;
  fake_encoder_wait_inside (self);
  g_mutex_lock (&self->lock);
  self->bitrate = g_value_get_uint (value);
  g_assert_cmpuint (self->n_sets, <, FAKE_MAX_SETS);
  self->sets[self->n_sets++]
      = (FakeSet){ self->bitrate, g_get_monotonic_time (), g_thread_self () };
  g_mutex_unlock (&self->lock);
}

static void
fake_encoder_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  (void) id;
  (void) spec;
  g_value_set_uint (value, FAKE_ENCODER (object)->bitrate);
}

static void
fake_encoder_finalize (GObject *object)
{
  g_mutex_clear (&FAKE_ENCODER (object)->lock);
  G_OBJECT_CLASS (fake_encoder_parent_class)->finalize (object);
}

static void
fake_encoder_class_init (FakeEncoderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->set_property = fake_encoder_set_property;
  object_class->get_property = fake_encoder_get_property;
  object_class->finalize = fake_encoder_finalize;
  g_object_class_install_property (
      object_class, 1,
      g_param_spec_uint ("bitrate", "Bitrate", "in bits per second", 1000, 50000000, 200000,
                         G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (/* the same, as some call it */
                                   object_class, 2,
                                   g_param_spec_uint ("bps", "Bitrate", "in bits per second", 0,
                                                      50000000, 0,
                                                      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Fake encoder",
                                         "Codec/Encoder/Video", "Writes down its bitrates", "Weir");
}

static GstFlowReturn
fake_encoder_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  (void) pad;
  return gst_pad_push (FAKE_ENCODER (parent)->src, buffer);
}

static void
fake_encoder_init (FakeEncoder *self)
{
  g_mutex_init (&self->lock);
  self->bitrate = 200000;
  self->sink = gst_pad_new ("sink", GST_PAD_SINK);
  self->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_chain_function (self->sink, fake_encoder_chain);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  gst_element_add_pad (GST_ELEMENT (self), self->src);
}

/* A type of its own per factory name: an element knows its factory by its type. */
static inline GType
fake_encoder_type_for (const gchar *factory)
{
  gchar *name = g_strdup_printf ("Fake-%s", factory);
  GType type = g_type_from_name (name);
  if (type == 0) {
    const GTypeInfo info
        = { .class_size = sizeof (FakeEncoderClass), .instance_size = sizeof (FakeEncoder) };
    type = g_type_register_static (fake_encoder_get_type (), name, &info, 0);
    g_assert_true (gst_element_register (NULL, factory, GST_RANK_NONE, type));
  }
  g_free (name);
  return type;
}

/* A new one under a factory name of the test's choice (rows of the table go by that); the caller
 * owns the reference. */
static inline GstElement *
fake_encoder_new (const gchar *factory)
{
  g_assert_cmpuint (fake_encoder_type_for (factory), !=, 0);
  GstElement *element = gst_element_factory_make (factory, NULL);
  g_assert_nonnull (element);
  return gst_object_ref_sink (element);
}

/* As if its codec had been opened: PLAYING, with caps on its sink pad. Any element will do. */
static inline void
fake_encoder_run (GstElement *element)
{
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");
  GstPad *sink = gst_element_get_static_pad (element, "sink");
  gst_element_set_state (element, GST_STATE_PLAYING);
  gst_pad_send_event (sink, gst_event_new_stream_start ("test"));
  gst_pad_send_event (sink, gst_event_new_caps (caps));
  gst_object_unref (sink);
  gst_caps_unref (caps);
}

static inline guint
fake_encoder_n_sets (GstElement *element)
{
  FakeEncoder *self = FAKE_ENCODER (element);
  g_mutex_lock (&self->lock);
  guint n = self->n_sets;
  g_mutex_unlock (&self->lock);
  return n;
}

static inline FakeSet
fake_encoder_last (GstElement *element)
{
  FakeEncoder *self = FAKE_ENCODER (element);
  g_mutex_lock (&self->lock);
  FakeSet last = self->n_sets > 0 ? self->sets[self->n_sets - 1] : (FakeSet){ 0, 0, NULL };
  g_mutex_unlock (&self->lock);
  return last;
}

#endif
