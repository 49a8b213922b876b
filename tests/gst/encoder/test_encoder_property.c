/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and setting properties through a row of the table: units, limits, what the user chose,
 * and in which order things are set. With an element of many properties, and real ones. */
#include "encoder/encoder_property.h"

#include "encoder/fake_encoder.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_weir_encoder_debug);

enum
{
  INT = 1,
  UINT,
  INT64,
  UINT64,
  TEXT,
  CONTROLS,
  CEILING, /* the bitrate in INT64 may not exceed it, at no time */
  EARLY,   /* read when the codec is opened */
  LATE,    /* may be set while playing */
  BORN,    /* born with another value than its description says */
  HIDDEN,  /* cannot be read */
  N_PROPERTIES
};

typedef struct
{
  GstElement parent;
  GValue values[N_PROPERTIES];
  guint n_sets[N_PROPERTIES];
} Many;

#define MANY(e) ((Many *) (gpointer) (e))

static gint64
held (Many *many, guint id)
{
  return g_value_get_int64 (&many->values[id]);
}

static void
many_set (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  Many *many = MANY (object);
  (void) spec;
  g_value_copy (value, &many->values[id]);
  many->n_sets[id]++;
  g_assert_cmpint (held (many, INT64), <=, held (many, CEILING));
}

static void
many_get (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  (void) spec;
  g_value_copy (&MANY (object)->values[id], value);
}

static void
many_init (GTypeInstance *instance, gpointer klass)
{
  for (guint id = 1; id < N_PROPERTIES; id++) {
    GValue *value = &MANY (instance)->values[id];
    guint n;
    GParamSpec **specs = g_object_class_list_properties (klass, &n);
    for (guint i = 0; i < n; i++) {
      if (specs[i]->param_id == id && specs[i]->owner_type == G_TYPE_FROM_CLASS (klass)) {
        g_value_init (value, specs[i]->value_type);
        g_param_value_set_default (specs[i], value);
      }
    }
    g_free (specs);
  }
  g_value_set_int (&MANY (instance)->values[BORN], 7);
  gst_element_add_pad (GST_ELEMENT (instance), gst_pad_new ("sink", GST_PAD_SINK));
}

static void
many_finalize (GObject *object)
{
  GObjectClass *parent = g_type_class_peek (GST_TYPE_ELEMENT);
  for (guint id = 1; id < N_PROPERTIES; id++) {
    g_value_unset (&MANY (object)->values[id]);
  }
  parent->finalize (object);
}

static void
many_class_init (gpointer klass, gpointer data)
{
  const GParamFlags both = G_PARAM_READWRITE, live = both | GST_PARAM_MUTABLE_PLAYING;
  GParamSpec *const specs[N_PROPERTIES] = {
    [INT] = g_param_spec_int ("int", "x", "x", -1, 5000, 0, live),
    [UINT] = g_param_spec_uint ("uint", "x", "x", 20, G_MAXUINT, 2048, both),
    [INT64] = g_param_spec_int64 ("int64", "x", "x", 0, G_MAXINT64, 128000, both),
    [UINT64] = g_param_spec_uint64 ("uint64", "x", "x", 3, G_MAXUINT64, G_MAXUINT64, both),
    [TEXT] = g_param_spec_string ("text", "x", "x", "", both),
    [CONTROLS] = g_param_spec_boxed ("controls", "x", "x", GST_TYPE_STRUCTURE, both),
    [CEILING] = g_param_spec_int64 ("ceiling", "x", "x", 0, 9000000, 500000, both),
    [EARLY] = g_param_spec_int ("early", "x", "x", 0, 100, 0, both),
    [LATE] = g_param_spec_int ("late", "x", "x", 0, 100, 0, live),
    [BORN] = g_param_spec_int ("born", "x", "x", 0, 100, 5, both),
    [HIDDEN] = g_param_spec_int ("hidden", "x", "x", 0, 100, 0, G_PARAM_WRITABLE),
  };
  (void) data;
  G_OBJECT_CLASS (klass)->set_property = many_set;
  G_OBJECT_CLASS (klass)->get_property = many_get;
  G_OBJECT_CLASS (klass)->finalize = many_finalize;
  for (guint id = 1; id < N_PROPERTIES; id++) {
    g_object_class_install_property (G_OBJECT_CLASS (klass), id, specs[id]);
  }
  gst_element_class_set_static_metadata (klass, "Many", "Codec/Encoder/Video", "x", "Weir");
}

static GType
many_type (const gchar *name)
{
  const GTypeInfo info = { .class_size = sizeof (GstElementClass),
                           .class_init = many_class_init,
                           .instance_size = sizeof (Many),
                           .instance_init = many_init };
  GType type = g_type_from_name (name);
  return type != 0 ? type : g_type_register_static (GST_TYPE_ELEMENT, name, &info, 0);
}

static GstElement *
many_new (void)
{
  static gsize registered = 0;
  if (registered++ == 0) {
    g_assert_true (gst_element_register (NULL, "weirmany", GST_RANK_NONE, many_type ("Many")));
  }
  return gst_object_ref_sink (gst_element_factory_make ("weirmany", NULL));
}

static void
drop (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

static gint
int_of (GstElement *element, const gchar *property)
{
  gint value = 0;
  g_object_get (element, property, &value, NULL);
  return value;
}

static void
ranges_of_every_integer_type_are_read (void)
{
  static const struct
  {
    const gchar *property;
    gboolean integer;
    gint64 low, high, preset;
  } cases[] = {
    { "int", TRUE, -1, 5000, 0 },
    { "uint", TRUE, 20, G_MAXUINT, 2048 },
    { "int64", TRUE, 0, G_MAXINT64, 128000 },
    { "uint64", TRUE, 3, G_MAXINT64, G_MAXINT64 },
    { "text", FALSE, -7, -8, -9 }, /* untouched */
    { "controls", FALSE, -7, -8, -9 },
  };
  GstElement *element = many_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 low = -7, high = -8, preset = -9;
    GParamSpec *spec = gst_weir_encoder_find_property (element, cases[i].property);
    g_assert_cmpint (gst_weir_encoder_integer_range (spec, &low, &high, &preset), ==,
                     cases[i].integer);
    g_assert_cmpint (low, ==, cases[i].low);
    g_assert_cmpint (high, ==, cases[i].high);
    g_assert_cmpint (preset, ==, cases[i].preset);
  }
  g_assert_null (gst_weir_encoder_find_property (element, NULL));
  g_assert_null (gst_weir_encoder_find_property (element, "no-such"));
  drop (element);
}

/* A codec is opened at the first caps; they are forgotten from PAUSED to READY. */
static void
it_has_started_when_past_ready_and_with_caps (void)
{
  GstElement *element = many_new ();
  for (guint round = 0; round < 2; round++) {
    for (GstState state = GST_STATE_NULL; state <= GST_STATE_PLAYING; state++) {
      gst_element_set_state (element, state);
      g_assert_false (gst_weir_encoder_started (element));
    }
    fake_encoder_run (element);
    g_assert_true (gst_weir_encoder_started (element));
    gst_element_set_state (element, GST_STATE_PAUSED);
    g_assert_true (gst_weir_encoder_started (element));
    gst_element_set_state (element, GST_STATE_READY);
    g_assert_false (gst_weir_encoder_started (element));
  }
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");
  GstPad *sink = gst_element_get_static_pad (element, "sink");
  gst_pad_set_active (sink, TRUE); /* caps alone do not start it */
  gst_pad_send_event (sink, gst_event_new_stream_start ("test"));
  gst_pad_send_event (sink, gst_event_new_caps (caps));
  g_assert_true (gst_pad_has_current_caps (sink));
  g_assert_false (gst_weir_encoder_started (element));
  gst_object_unref (sink);
  gst_caps_unref (caps);
  drop (element);
}

static void
a_property_is_at_its_default_until_it_is_changed (void)
{
  GstElement *element = many_new (), *other = many_new ();
  g_assert_true (gst_weir_encoder_at_default (element, "early"));
  g_object_set (element, "early", 3, NULL);
  g_assert_false (gst_weir_encoder_at_default (element, "early"));
  g_assert_true (gst_weir_encoder_at_default (other, "early"));
  g_object_set (element, "early", 0, NULL); /* the same as not choosing */
  g_assert_true (gst_weir_encoder_at_default (element, "early"));
  g_assert_true (gst_weir_encoder_at_default (element, "text"));
  g_object_set (element, "text", "x", NULL);
  g_assert_false (gst_weir_encoder_at_default (element, "text"));
  g_assert_false (gst_weir_encoder_at_default (element, "no-such"));
  g_assert_false (gst_weir_encoder_at_default (element, "hidden"));
  drop (element);
  drop (other);
}

/* Some are born with another value than their description says; what has no factory cannot be
 * compared with a new one, and the description must do. */
static void
the_default_is_what_a_new_one_has (void)
{
  GstElement *element = many_new ();
  GstElement *no_factory = gst_object_ref_sink (g_object_new (many_type ("ManyAlone"), NULL));
  g_assert_true (gst_weir_encoder_at_default (element, "born"));
  g_object_set (element, "born", 5, NULL);
  g_assert_false (gst_weir_encoder_at_default (element, "born"));
  g_assert_null (gst_element_get_factory (no_factory));
  g_assert_false (gst_weir_encoder_at_default (no_factory, "born"));
  g_object_set (no_factory, "born", 5, NULL);
  g_assert_true (gst_weir_encoder_at_default (no_factory, "born"));
  drop (element);
  drop (no_factory);
}

static gpointer
ask_for_default (gpointer element)
{
  return GINT_TO_POINTER (gst_weir_encoder_at_default (element, "late"));
}

static void
defaults_may_be_asked_for_by_several_threads_at_once (void)
{
  GThread *threads[8];
  GstElement *element = many_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++) {
    threads[i] = g_thread_new ("ask", ask_for_default, element);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++) {
    g_assert_true (GPOINTER_TO_INT (g_thread_join (threads[i])));
  }
  drop (element);
}

static void
only_some_can_change_while_running (void)
{
  static const struct
  {
    const gchar *property;
    GstWeirLive live;
    const gchar *needs;
    gint early; /* set to that */
    gboolean before, running;
  } cases[] = {
    { "int", GST_WEIR_LIVE_YES, NULL, 0, TRUE, TRUE },
    { "uint", GST_WEIR_LIVE_YES, NULL, 0, TRUE, TRUE }, /* whatever its flags */
    { "int", GST_WEIR_LIVE_IF_FLAGGED, NULL, 0, TRUE, TRUE },
    { "uint", GST_WEIR_LIVE_IF_FLAGGED, NULL, 0, TRUE, FALSE },
    { "int", GST_WEIR_LIVE_NO, NULL, 0, TRUE, FALSE },
    { "int", GST_WEIR_LIVE_YES, "early", 0, TRUE, FALSE },
    { "int", GST_WEIR_LIVE_YES, "early", 1, TRUE, TRUE },
    { "int", GST_WEIR_LIVE_NO, "early", 1, TRUE, FALSE },
    { "int", GST_WEIR_LIVE_YES, "no-such", 0, TRUE, TRUE },
    { "no-such", GST_WEIR_LIVE_YES, NULL, 0, FALSE, FALSE },
    { NULL, GST_WEIR_LIVE_YES, NULL, 0, FALSE, FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const GstWeirEncoderInfo info
        = { .property = cases[i].property, .live = cases[i].live, .live_needs = cases[i].needs };
    GstElement *element = many_new ();
    g_object_set (element, "early", cases[i].early, NULL);
    g_assert_cmpint (gst_weir_encoder_can_change (element, &info), ==, cases[i].before);
    fake_encoder_run (element);
    g_assert_cmpint (gst_weir_encoder_can_change (element, &info), ==, cases[i].running);
    drop (element);
  }
}

/* What is set of a profile of two settings for each kind, by when it is applied. */
static void
a_profile_fills_in_what_the_user_left_and_is_not_too_late (void)
{
  static const struct
  {
    const gchar *profile, *profile_live;
    gboolean running;
    guint n_set;
    gint early, late, born;
    const gchar *too_late;
  } cases[] = {
    { NULL, NULL, FALSE, 0, 0, 0, 7, NULL },
    { "early=1 late=2 born=3", NULL, FALSE, 3, 1, 2, 3, NULL },
    { "early=1 late=2 born=3", NULL, TRUE, 1, 0, 2, 7, "early=1 born=3" },
    { NULL, "early=1 late=2 born=3", TRUE, 3, 1, 2, 3, NULL },
    { "early=1", "born=3", TRUE, 1, 0, 0, 3, "early=1" },
    { "early=1", "early=4", FALSE, 1, 4, 0, 7, NULL }, /* no longer at its default */
    { "no-such=1 hidden=2 late=100", NULL, TRUE, 1, 0, 100, 7, NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const GstWeirEncoderInfo info
        = { .profile = cases[i].profile, .profile_live = cases[i].profile_live };
    gchar *too_late = NULL;
    GstElement *element = many_new ();
    if (cases[i].running) {
      fake_encoder_run (element);
    }
    g_assert_cmpuint (gst_weir_encoder_apply_profile (element, &info, &too_late), ==,
                      cases[i].n_set);
    g_assert_cmpstr (too_late, ==, cases[i].too_late);
    g_assert_cmpint (int_of (element, "early"), ==, cases[i].early);
    g_assert_cmpint (int_of (element, "late"), ==, cases[i].late);
    g_assert_cmpint (int_of (element, "born"), ==, cases[i].born);
    g_assert_cmpuint (MANY (element)->n_sets[HIDDEN], ==, 0);
    g_free (too_late);
    drop (element);
  }
}

static void
what_the_user_set_is_left_alone (void)
{
  const GstWeirEncoderInfo info = { .profile = "early=1 late=2", .profile_live = "born=3" };
  gchar *too_late = NULL;
  GstElement *element = many_new ();
  g_object_set (element, "early", 50, "born", 60, NULL);
  g_assert_cmpuint (gst_weir_encoder_apply_profile (element, &info, &too_late), ==, 1);
  g_assert_cmpint (int_of (element, "early"), ==, 50);
  g_assert_cmpint (int_of (element, "born"), ==, 60);
  g_assert_cmpint (int_of (element, "late"), ==, 2);
  fake_encoder_run (element);
  g_assert_cmpuint (gst_weir_encoder_apply_profile (element, &info, &too_late), ==, 0);
  g_assert_null (too_late); /* it would not have been set, so it is not missing */
  drop (element);
}

static void
limits_are_the_propertys_the_tables_and_the_users (void)
{
  static const struct
  {
    const gchar *property;
    gint64 unit_bps, min_bps;
    gint64 low_bps, high_bps;
  } cases[] = {
    { "int", 1, 0, 0, 5000 },
    { "int", 1000, 10000, 10000, 5000000 },
    { "int", 1024, 10000, 10240, 5120000 }, /* whole units, upwards */
    { "int", 1, 10000, 5000, 5000 },        /* it cannot hold the table's */
    { "uint", 1000, 10000, 20000, G_GINT64_CONSTANT (4294967295000) },
    { "uint64", 1, 0, 3, G_MAXINT64 },
    { "uint64", 1000, 0, 3000, G_MAXINT64 / 1000 * 1000 },
    { "controls", 1, 10000, 10000, G_MAXINT },
    { "no-such", 1000, 10000, 10000, G_MAXINT * G_GINT64_CONSTANT (1000) },
  };
  GstElement *element = many_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const GstWeirEncoderInfo info = { .property = cases[i].property,
                                      .unit_bps = cases[i].unit_bps,
                                      .min_bps = cases[i].min_bps };
    gint64 low_bps = -1, high_bps = -1;
    gst_weir_encoder_get_limits (element, &info, &low_bps, &high_bps);
    g_assert_cmpint (low_bps, ==, cases[i].low_bps);
    g_assert_cmpint (high_bps, ==, cases[i].high_bps);
  }
  drop (element);
}

/* In the property's unit, of any integer type, within its range; and read back in bit/s. */
static void
bitrates_are_converted_and_kept_in_range (void)
{
  static const struct
  {
    const gchar *property;
    gint64 unit_bps, set_bps, value, read_bps;
  } cases[] = {
    { "int", 1, 4321, 4321, 4321 },
    { "int", 1000, 1234999, 1234, 1234000 },
    { "int", 1024, 1024000, 1000, 1024000 },
    { "int", 1, 5001, 5000, 5000 },
    { "int", 1, G_MAXINT64, 5000, 5000 },
    { "int", 1, -1, -1, 0 }, /* below 0: "automatic", no bitrate */
    { "int", 1, -500, -1, 0 },
    { "uint", 1000, 2000000, 2000, 2000000 },
    { "uint", 1000, 0, 20, 20000 },
    { "int64", 1, 300000, 300000, 300000 },
    { "uint64", 1, 1, 3, 3 },
    { "uint64", 1000, G_MAXINT64, G_MAXINT64 / 1000, G_MAXINT64 / 1000 * 1000 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const GstWeirEncoderInfo info
        = { .property = cases[i].property, .unit_bps = cases[i].unit_bps };
    GValue value = G_VALUE_INIT;
    GstElement *element = many_new ();
    g_value_init (&value, G_TYPE_INT64);
    gst_weir_encoder_set_bps (element, &info, cases[i].set_bps);
    g_object_get_property (G_OBJECT (element), cases[i].property, &value);
    g_assert_cmpint (g_value_get_int64 (&value), ==, cases[i].value);
    g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, cases[i].read_bps);
    drop (element);
  }
}

static void
what_is_no_integer_or_not_there_is_not_set (void)
{
  static const gchar *const properties[] = { "text", "no-such" };
  GstElement *element = many_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++) {
    const GstWeirEncoderInfo info = { .property = properties[i], .unit_bps = 1 };
    gst_weir_encoder_set_bps (element, &info, 1000);
  }
  for (guint id = 1; id < N_PROPERTIES; id++) {
    g_assert_cmpuint (MANY (element)->n_sets[id], ==, 0);
  }
  drop (element);
}

static const GstWeirEncoderInfo with_ceiling
    = { .property = "int64", .unit_bps = 1, .min_bps = 10000, .headroom = "ceiling" };

/* Up and down by any step: at twice the bitrate, and the element checks that it is never below. */
static void
headroom_is_made_before_a_rise_and_taken_after_a_fall (void)
{
  gint64 low_bps, high_bps;
  GstElement *element = many_new ();
  GRand *random = g_rand_new_with_seed (7);
  for (guint i = 0; i < 1000; i++) {
    gint64 bps = g_rand_int_range (random, 10000, 4500000);
    gst_weir_encoder_set_bps (element, &with_ceiling, bps);
    g_assert_cmpint (held (MANY (element), INT64), ==, bps);
    g_assert_cmpint (held (MANY (element), CEILING), ==, 2 * bps);
  }
  gst_weir_encoder_set_bps (element, &with_ceiling, 8000000);
  g_assert_cmpint (held (MANY (element), CEILING), ==, 9000000); /* as much as it can be */
  gst_weir_encoder_get_limits (element, &with_ceiling, &low_bps, &high_bps);
  g_assert_cmpint (high_bps, ==, G_MAXINT64); /* ours is no limit */
  g_rand_free (random);
  drop (element);
}

static void
a_ceiling_that_the_user_chose_is_a_limit_and_stays (void)
{
  gint64 low_bps, high_bps;
  GstElement *element = many_new ();
  g_object_set (element, "ceiling", G_GINT64_CONSTANT (600000), NULL);
  gst_weir_encoder_get_limits (element, &with_ceiling, &low_bps, &high_bps);
  g_assert_cmpint (low_bps, ==, 10000);
  g_assert_cmpint (high_bps, ==, 600000);
  gst_weir_encoder_set_bps (element, &with_ceiling, 550000);
  g_assert_cmpint (held (MANY (element), INT64), ==, 550000);
  g_assert_cmpint (held (MANY (element), CEILING), ==, 600000);
  g_object_set (element, "int64", G_GINT64_CONSTANT (0), "ceiling", G_GINT64_CONSTANT (0), NULL);
  gst_weir_encoder_get_limits (element, &with_ceiling, &low_bps, &high_bps);
  g_assert_cmpint (low_bps, ==, 1);
  g_assert_cmpint (high_bps, ==, 1);
  drop (element);
}

/* openh264enc refuses a bitrate above max-bitrate, and a max-bitrate too far above costs a key
 * frame on decreases. */
static void
openh264enc_has_twice_its_bitrate_as_the_maximum (void)
{
  GstWeirEncoderInfo info;
  guint max = 0, bps = 0;
  gchar *note = NULL;
  GstElement *element = gst_element_factory_make ("openh264enc", NULL);
  if (element == NULL) {
    g_test_skip ("no openh264enc");
    return;
  }
  gst_object_ref_sink (element);
  g_assert_true (gst_weir_encoder_info_for (element, &info, &note));
  for (guint wanted_bps = 100000; wanted_bps < 5000000; wanted_bps += 700000) {
    gst_weir_encoder_set_bps (element, &info, wanted_bps);
    g_object_get (element, "max-bitrate", &max, "bitrate", &bps, NULL);
    g_assert_cmpuint (bps, ==, wanted_bps);
    g_assert_cmpuint (max, ==, 2 * wanted_bps);
  }
  gst_object_unref (element);
}

/* A structure-valued property, as v4l2 encoders have: other controls are kept. */
static void
controls_in_a_structure_are_merged (void)
{
  const GstWeirEncoderInfo info
      = { .property = "controls", .field = "video_bitrate", .unit_bps = 1000, .min_bps = 10000 };
  gint gop = 0, bitrate = 0;
  GstElement *element = many_new ();
  g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, 0);
  gst_weir_encoder_set_bps (element, &info, 250000);
  g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, 250000);
  GstStructure *controls = gst_structure_new ("c", "video_gop_size", G_TYPE_INT, 60, NULL);
  g_object_set (element, "controls", controls, NULL);
  gst_structure_free (controls);
  g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, 0);
  gst_weir_encoder_set_bps (element, &info, 750000);
  g_object_get (element, "controls", &controls, NULL);
  g_assert_true (gst_structure_get (controls, "video_gop_size", G_TYPE_INT, &gop, "video_bitrate",
                                    G_TYPE_INT, &bitrate, NULL));
  g_assert_cmpint (gop, ==, 60);
  g_assert_cmpint (bitrate, ==, 750);
  gst_structure_free (controls);
  gst_weir_encoder_set_bps (element, &info, G_MAXINT64); /* more than the field can hold */
  g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==,
                   G_MAXINT * G_GINT64_CONSTANT (1000));
  drop (element);
}

#define ADD(name) g_test_add_func ("/encoder_property/" #name, name)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  GST_DEBUG_CATEGORY_INIT (gst_weir_encoder_debug, "weirencoder", 0, "under test");
  ADD (ranges_of_every_integer_type_are_read);
  ADD (it_has_started_when_past_ready_and_with_caps);
  ADD (a_property_is_at_its_default_until_it_is_changed);
  ADD (the_default_is_what_a_new_one_has);
  ADD (defaults_may_be_asked_for_by_several_threads_at_once);
  ADD (only_some_can_change_while_running);
  ADD (a_profile_fills_in_what_the_user_left_and_is_not_too_late);
  ADD (what_the_user_set_is_left_alone);
  ADD (limits_are_the_propertys_the_tables_and_the_users);
  ADD (bitrates_are_converted_and_kept_in_range);
  ADD (what_is_no_integer_or_not_there_is_not_set);
  ADD (headroom_is_made_before_a_rise_and_taken_after_a_fall);
  ADD (a_ceiling_that_the_user_chose_is_a_limit_and_stays);
  ADD (openh264enc_has_twice_its_bitrate_as_the_maximum);
  ADD (controls_in_a_structure_are_merged);
  return g_test_run ();
}
