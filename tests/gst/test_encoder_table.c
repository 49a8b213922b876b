/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of encoders against the encoders that are installed: each row's property exists and
 * has the unit it says, each setting of a profile is one the encoder takes, and nothing the user
 * chose is touched. Unknown encoders: what is guessed about them. */
#include "encoder_driven.h"
#include "encoder_property.h"

#include "fake_encoder.h"
#include "weir/units.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_weir_encoder_debug);

static GstElement *
make (const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);
  return element != NULL ? gst_object_ref_sink (element) : NULL;
}

static void
look_up (GstElement *element, GstWeirEncoderInfo *info)
{
  gchar *note = NULL;
  g_assert_true (gst_weir_encoder_info_for (element, info, &note));
  g_free (note);
}

typedef struct
{
  const gchar *factory;
  const gchar *property;
  gint64 unit_bps;
  gint64 default_bps; /* as gst-inspect-1.0 of release 1.22 shows it, in bit/s */
  GstWeirLive live;
  gboolean key_frames;
} Fact;

static const Fact facts[] = {
  { "x264enc", "bitrate", 1000, 2048000, GST_WEIR_LIVE_YES, FALSE },
  { "x265enc", "bitrate", 1000, 2048000, GST_WEIR_LIVE_YES, TRUE },
  { "vp8enc", "target-bitrate", 1, 256000, GST_WEIR_LIVE_YES, FALSE },
  { "vp9enc", "target-bitrate", 1, 256000, GST_WEIR_LIVE_YES, FALSE },
  { "av1enc", "target-bitrate", 1000, 256000, GST_WEIR_LIVE_YES, FALSE },
  { "openh264enc", "bitrate", 1, 128000, GST_WEIR_LIVE_YES, FALSE },
  { "opusenc", "bitrate", 1, 64000, GST_WEIR_LIVE_YES, FALSE },
  { "theoraenc", "bitrate", 1000, 0, GST_WEIR_LIVE_YES, FALSE },
  { "avenc_mpeg4", "bitrate", 1, 200000, GST_WEIR_LIVE_NO, FALSE },
};

static void
installed_encoders_are_as_the_table_says (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++) {
    const Fact *f = &facts[i];
    GstWeirEncoderInfo info;
    GstElement *element = make (f->factory);
    g_test_message ("%s%s", f->factory, element != NULL ? "" : ": not installed");
    if (element == NULL) {
      continue;
    }
    look_up (element, &info);
    g_assert_cmpstr (info.property, ==, f->property);
    g_assert_cmpint (info.unit_bps, ==, f->unit_bps);
    g_assert_cmpint (info.live, ==, f->live);
    g_assert_cmpint (info.makes_key_frames, ==, f->key_frames);
    g_assert_cmpint (info.step_ppm, ==, f->key_frames ? 100000 : 20000);
    g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, f->default_bps);
    gst_object_unref (element);
  }
}

/* Every setting of a profile reads back as what was asked for. */
static void
assert_profile_is_set (GstElement *element, const gchar *profile)
{
  gchar **settings = g_strsplit (profile != NULL ? profile : "", " ", -1);
  for (gchar **setting = settings; *setting != NULL; setting++) {
    gchar **pair = g_strsplit (*setting, "=", 2);
    GParamSpec *spec = gst_weir_encoder_find_property (element, pair[0]);
    GValue wanted = G_VALUE_INIT, is = G_VALUE_INIT;
    g_assert_nonnull (spec);
    g_value_init (&wanted, spec->value_type);
    g_value_init (&is, spec->value_type);
    g_assert_true (gst_value_deserialize (&wanted, pair[1]));
    g_object_get_property (G_OBJECT (element), pair[0], &is);
    g_assert_cmpint (gst_value_compare (&wanted, &is), ==, GST_VALUE_EQUAL);
    g_value_unset (&wanted);
    g_value_unset (&is);
    g_strfreev (pair);
  }
  g_strfreev (settings);
}

static void
profiles_are_applied_once_and_completely (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++) {
    GstWeirEncoderInfo info;
    gchar *too_late = NULL;
    GstElement *element = make (facts[i].factory);
    if (element == NULL) {
      continue;
    }
    look_up (element, &info);
    guint n = gst_weir_encoder_apply_profile (element, &info, &too_late);
    g_test_message ("%s: %u settings", facts[i].factory, n);
    g_assert_null (too_late);
    assert_profile_is_set (element, info.profile);
    assert_profile_is_set (element, info.profile_live);
    g_assert_cmpuint (gst_weir_encoder_apply_profile (element, &info, &too_late), ==, 0);
    g_assert_null (too_late);
    gst_object_unref (element);
  }
}

static void
what_the_user_set_is_left_alone (void)
{
  GstWeirEncoderInfo info;
  gchar *too_late = NULL;
  gint size_ms = 0, end_usage = 0;
  GstElement *element = make ("vp8enc");
  if (element == NULL) {
    g_test_skip ("no vp8enc");
    return;
  }
  g_object_set (element, "buffer-size", 1234, NULL);
  look_up (element, &info);
  g_assert_cmpuint (gst_weir_encoder_apply_profile (element, &info, &too_late), ==, 3);
  g_object_get (element, "buffer-size", &size_ms, "end-usage", &end_usage, NULL);
  g_assert_cmpint (size_ms, ==, 1234);
  g_assert_cmpint (end_usage, ==, 1); /* cbr */
  gst_object_unref (element);
}

static void
a_running_encoder_gets_only_what_takes_effect (void)
{
  GstWeirEncoderInfo info = { .profile = "bitrate=300000 no-such=1 name=x" };
  gchar *too_late = NULL;
  GstElement *element = fake_encoder_new ("weirfakeenc");
  g_assert_false (gst_weir_encoder_started (element));
  fake_encoder_run (element);
  g_assert_true (gst_weir_encoder_started (element));
  g_assert_cmpuint (gst_weir_encoder_apply_profile (element, &info, &too_late), ==, 1);
  g_assert_cmpuint (fake_encoder_last (element).value, ==, 300000);
  g_assert_null (too_late);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

/* openh264enc refuses a bitrate above max-bitrate, and a max-bitrate too far above costs a key
 * frame on decreases. */
static void
headroom_is_kept_unless_the_user_chose (void)
{
  GstWeirEncoderInfo info;
  guint max = 0, bps = 0;
  gint64 low, high;
  GstElement *ours = make ("openh264enc");
  if (ours == NULL) {
    g_test_skip ("no openh264enc");
    return;
  }
  look_up (ours, &info);
  for (gint64 wanted_bps = 100000; wanted_bps < 5000000; wanted_bps += 700000) {
    gst_weir_encoder_set_bps (ours, &info, wanted_bps);
    g_object_get (ours, "max-bitrate", &max, "bitrate", &bps, NULL);
    g_assert_cmpint (bps, ==, wanted_bps);
    g_assert_cmpint (max, ==, 2 * wanted_bps);
  }
  gst_weir_encoder_get_limits (ours, &info, &low, &high);
  g_assert_cmpint (high, >, 100000000);
  gst_object_unref (ours);

  GstElement *users = make ("openh264enc");
  g_object_set (users, "max-bitrate", 600000, NULL);
  gst_weir_encoder_get_limits (users, &info, &low, &high);
  g_assert_cmpint (low, ==, 10000);
  g_assert_cmpint (high, ==, 600000);
  gst_weir_encoder_set_bps (users, &info, 500000);
  g_object_get (users, "max-bitrate", &max, NULL);
  g_assert_cmpuint (max, ==, 600000);
  gst_object_unref (users);
}

static void
bitrates_are_rounded_down_to_what_the_property_holds (void)
{
  static const struct
  {
    const gchar *factory;
    gint64 wanted_bps, bps;
  } cases[] = {
    { "x264enc", 1234567, 1234000 },
    { "x264enc", 1, 10000 },
    { "x264enc", -5, 10000 },
    { "opusenc", 1000, 6000 },
    { "opusenc", 900000, 650000 },
    { "opusenc", 64001, 64001 },
    { "vp8enc", 0, 10000 },
    { "x264enc", G_MAXINT64, G_GINT64_CONSTANT (2048000000) },
    { "x265enc", 999999999, 102400000 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstWeirEncoderInfo info;
    GstElement *element = make (cases[i].factory);
    if (element != NULL) {
      look_up (element, &info);
      GstWeirEncoder *encoder = gst_weir_encoder_new (element, &info);
      gint64 bps = gst_weir_encoder_quantise_bps (encoder, cases[i].wanted_bps);
      g_assert_cmpint (bps, ==, cases[i].bps);
      gst_weir_encoder_set_bps (element, &info, bps);
      g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, bps);
      gst_weir_encoder_unref (encoder);
      gst_object_unref (element);
    }
  }
}

/* When a change is due, in ms after the last; -1: never. */
static void
changes_wait_for_their_turn (void)
{
  static const struct
  {
    gint64 set_bps, wanted_bps, due_ms;
    gboolean costly, fixed;
  } cases[] = {
    { 0, 500000, -1000, FALSE, FALSE }, /* the first: at once, whenever */
    { 500000, 500000, -1, FALSE, FALSE },  { 500000, 490001, -1, FALSE, FALSE },
    { 500000, 490000, 0, FALSE, FALSE },   { 500000, 509999, -1, FALSE, FALSE },
    { 500000, 510000, 300, FALSE, FALSE }, { 500000, 450001, -1, TRUE, FALSE },
    { 500000, 450000, 1000, TRUE, FALSE }, { 500000, 550000, 1000, TRUE, FALSE },
    { 500000, 100000, -1, FALSE, TRUE },   { 0, 100000, -1, FALSE, TRUE },
  };
  GstElement *plain = fake_encoder_new ("weirfakeenc");
  GstElement *costly = fake_encoder_new ("nvh264enc");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstWeirEncoderInfo info;
    GstElement *element = cases[i].costly ? costly : plain;
    look_up (element, &info);
    GstWeirEncoder *encoder = gst_weir_encoder_new (element, &info);
    encoder->set_bps = cases[i].set_bps;
    encoder->set_ns = WEIR_SECONDS (1);
    encoder->fixed = cases[i].fixed;
    gint64 due_ns = gst_weir_encoder_due_ns (encoder, cases[i].wanted_bps);
    g_assert_cmpint (due_ns, ==,
                     cases[i].due_ms == -1 ? WEIR_NEVER_NS
                                           : WEIR_SECONDS (1) + WEIR_MS (cases[i].due_ms));
    gst_weir_encoder_unref (encoder);
  }
  gst_object_unref (plain);
  gst_object_unref (costly);
}

/* What the rows for hardware that is not here match. */
static void
families_are_matched_by_name (void)
{
  static const struct
  {
    const gchar *factory;
    gint64 unit_bps;
    GstWeirLive live;
    gboolean key_frames;
  } cases[] = {
    { "nvh265enc", 1000, GST_WEIR_LIVE_YES, TRUE },
    { "nvcudah264enc", 1024, GST_WEIR_LIVE_YES, FALSE },
    { "nvv4l2h264enc", 1, GST_WEIR_LIVE_IF_FLAGGED, FALSE },
    { "vah264enc", 1000, GST_WEIR_LIVE_IF_FLAGGED, FALSE },
    { "varenderD129h264lpenc", 1000, GST_WEIR_LIVE_IF_FLAGGED, FALSE },
    { "vaapih264enc", 1000, GST_WEIR_LIVE_YES, FALSE },
    { "msdkh265enc", 1000, GST_WEIR_LIVE_YES, FALSE },
    { "qsvav1enc", 1000, GST_WEIR_LIVE_YES, FALSE },
    { "amfh264enc", 1000, GST_WEIR_LIVE_YES, FALSE },
    { "mfh264enc", 1000, GST_WEIR_LIVE_YES, FALSE },
    { "vtenc_h264_hw", 1000, GST_WEIR_LIVE_YES, FALSE },
    { "avenc_weirfake", 1, GST_WEIR_LIVE_NO, FALSE },
    { "rav1enc", 1, GST_WEIR_LIVE_NO, FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstWeirEncoderInfo info;
    GstElement *element = fake_encoder_new (cases[i].factory);
    look_up (element, &info);
    g_test_message ("%s: %s", cases[i].factory, info.factory);
    g_assert_cmpint (info.unit_bps, ==, cases[i].unit_bps);
    g_assert_cmpint (info.live, ==, cases[i].live);
    g_assert_cmpint (info.makes_key_frames, ==, cases[i].key_frames);
    g_assert_true (gst_weir_encoder_can_change (element, &info));
    fake_encoder_run (element);
    g_assert_cmpint (gst_weir_encoder_can_change (element, &info), ==,
                     cases[i].live != GST_WEIR_LIVE_NO);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_object_unref (element);
  }
}

/* Elements with one bitrate property of any type, to see what is made of it. */
typedef struct
{
  const gchar *name, *property, *blurb;
  GType type;
  gint64 max, preset;
  gboolean live;
  gint64 unit_bps; /* 0: cannot be driven */
} Unknown;

static const Unknown unknowns[] = {
  { "a", "bitrate", "Bitrate in kbit/sec", G_TYPE_UINT, 100000000, 2000, TRUE, 1000 },
  { "b", "bitrate", "Bit rate (in kbits/s)", G_TYPE_INT, 100000000, 0, TRUE, 1000 },
  { "c", "target-bitrate", "in bits per second", G_TYPE_UINT64, 1000, 500, TRUE, 1 },
  { "d", "bitrate", "Bitrate (bps)", G_TYPE_INT64, 1000, 0, FALSE, 1 },
  { "e", "bitrate", "The rate", G_TYPE_UINT, 100000000, 1500, TRUE, 1000 },
  { "f", "bitrate", "The rate", G_TYPE_UINT, 100000000, 128000, TRUE, 1 },
  { "g", "bitrate", "The rate; 0: automatic", G_TYPE_UINT, G_MAXINT, 0, TRUE, 1 },
  { "h", "bitrate", "The rate; 0: automatic", G_TYPE_UINT, 2048000, 0, TRUE, 1000 },
  { "i", "bitrate", "in words", G_TYPE_STRING, 0, 0, TRUE, 0 },
  { "j", "quality", "in bits per second", G_TYPE_UINT, 100, 50, TRUE, 0 },
};

typedef struct
{
  GstElement parent;
  GValue value;
} Odd;

static void
odd_set (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  Odd *odd = (Odd *) (gpointer) object;
  (void) id;
  if (!G_IS_VALUE (&odd->value)) {
    g_value_init (&odd->value, spec->value_type);
  }
  g_value_copy (value, &odd->value);
}

static void
odd_get (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  Odd *odd = (Odd *) (gpointer) object;
  (void) id;
  if (G_IS_VALUE (&odd->value)) {
    g_value_copy (&odd->value, value);
  } else {
    g_param_value_set_default (spec, value);
  }
}

static GParamSpec *
odd_spec (const Unknown *u)
{
  GParamFlags flags = G_PARAM_READWRITE | (u->live ? GST_PARAM_MUTABLE_PLAYING : 0);
  switch (u->type) {
  case G_TYPE_INT:
    return g_param_spec_int (u->property, "x", u->blurb, 0, (gint) u->max, (gint) u->preset, flags);
  case G_TYPE_UINT:
    return g_param_spec_uint (u->property, "x", u->blurb, 0, (guint) u->max, (guint) u->preset,
                              flags);
  case G_TYPE_INT64:
    return g_param_spec_int64 (u->property, "x", u->blurb, 0, u->max, u->preset, flags);
  case G_TYPE_UINT64:
    return g_param_spec_uint64 (u->property, "x", u->blurb, 0, (guint64) u->max,
                                (guint64) u->preset, flags);
  default:
    return g_param_spec_string (u->property, "x", u->blurb, "", flags);
  }
}

static void
odd_class_init (gpointer klass, gpointer data)
{
  G_OBJECT_CLASS (klass)->set_property = odd_set;
  G_OBJECT_CLASS (klass)->get_property = odd_get;
  g_object_class_install_property (G_OBJECT_CLASS (klass), 1, odd_spec (data));
}

static GstElement *
odd_new (const Unknown *u)
{
  const GTypeInfo type_info = { .class_size = sizeof (GstElementClass),
                                .class_init = odd_class_init,
                                .class_data = u,
                                .instance_size = sizeof (Odd) };
  gchar *name = g_strdup_printf ("Odd-%s", u->name);
  GType type = g_type_register_static (GST_TYPE_ELEMENT, name, &type_info, 0);
  g_free (name);
  return gst_object_ref_sink (g_object_new (type, NULL));
}

static void
unknown_encoders_are_guessed_with_a_note (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (unknowns); i++) {
    const Unknown *u = &unknowns[i];
    GstWeirEncoderInfo info;
    gchar *note = NULL;
    GstElement *element = odd_new (u);
    gboolean known = gst_weir_encoder_info_for (element, &info, &note);
    g_test_message ("%s", note);
    g_assert_cmpint (known, ==, u->unit_bps != 0);
    g_assert_nonnull (note);
    if (known) {
      g_assert_cmpint (info.unit_bps, ==, u->unit_bps);
      g_assert_cmpstr (info.property, ==, u->property);
      gst_weir_encoder_set_bps (element, &info, 400 * info.unit_bps);
      g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, 400 * info.unit_bps);
      gst_element_add_pad (element, gst_pad_new ("sink", GST_PAD_SINK));
      fake_encoder_run (element);
      g_assert_cmpint (gst_weir_encoder_can_change (element, &info), ==, u->live);
      gst_element_set_state (element, GST_STATE_NULL);
    }
    g_free (note);
    gst_object_unref (element);
  }
}

/* A structure-valued property, as v4l2 encoders have: other controls are kept. */
static void
controls_in_a_structure_are_merged (void)
{
  const Unknown u = { "controls", "bitrate", "", G_TYPE_STRING, 0, 0, TRUE, 0 };
  GstElement *element = odd_new (&u);
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  GstWeirEncoderInfo info;
  gint gop = 0;
  gchar *note;
  g_object_class_install_property (
      klass, 2,
      g_param_spec_boxed ("extra-controls", "x", "x", GST_TYPE_STRUCTURE, G_PARAM_READWRITE));
  g_assert_false (gst_weir_encoder_info_for (element, &info, &note)); /* by its kind, no row */
  g_free (note);
  info = (GstWeirEncoderInfo){
    .property = "extra-controls", .field = "video_bitrate", .unit_bps = 1, .min_bps = 10000
  };
  g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, 0);
  gst_weir_encoder_set_bps (element, &info, 250000);
  g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, 250000);
  GstStructure *controls = gst_structure_new ("c", "video_gop_size", G_TYPE_INT, 60, NULL);
  g_object_set (element, "extra-controls", controls, NULL);
  gst_structure_free (controls);
  gst_weir_encoder_set_bps (element, &info, 750000);
  g_object_get (element, "extra-controls", &controls, NULL);
  g_assert_true (gst_structure_get_int (controls, "video_gop_size", &gop));
  g_assert_cmpint (gop, ==, 60);
  g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, 750000);
  gst_structure_free (controls);
  g_value_unset (&((Odd *) (gpointer) element)->value);
  gst_object_unref (element);
}

#define ADD(name) g_test_add_func ("/encoder_table/" #name, name)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  GST_DEBUG_CATEGORY_INIT (gst_weir_encoder_debug, "weirencoder", 0, "under test");
  ADD (installed_encoders_are_as_the_table_says);
  ADD (profiles_are_applied_once_and_completely);
  ADD (what_the_user_set_is_left_alone);
  ADD (a_running_encoder_gets_only_what_takes_effect);
  ADD (headroom_is_kept_unless_the_user_chose);
  ADD (bitrates_are_rounded_down_to_what_the_property_holds);
  ADD (changes_wait_for_their_turn);
  ADD (families_are_matched_by_name);
  ADD (unknown_encoders_are_guessed_with_a_note);
  ADD (controls_in_a_structure_are_merged);
  return g_test_run ();
}
