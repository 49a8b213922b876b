/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of encoders against the encoders that are installed: each row's property exists and
 * has the unit it says, each setting of a profile is one the encoder takes, and nothing the user
 * chose is touched. Unknown encoders: what is guessed about them. */
#include "encoder/encoder_driven.h"
#include "encoder/encoder_property.h"

#include "encoder/fake_encoder.h"
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
  { "uvch264src", "average-bitrate", 1, 3000000, GST_WEIR_LIVE_YES, FALSE },
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
    g_assert_cmpint (info.step_ppm, ==, f->key_frames ? 100000 : 5000);
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
    { "mpph265enc", 1, GST_WEIR_LIVE_YES, FALSE },
    { "mppvp8enc", 1, GST_WEIR_LIVE_YES, FALSE },
    { "rpicamsrc", 1, GST_WEIR_LIVE_YES, FALSE },
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

#define ADD(name) g_test_add_func ("/encoder_table/" #name, name)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  GST_DEBUG_CATEGORY_INIT (gst_weir_encoder_debug, "weirencoder", 0, "under test");
  ADD (installed_encoders_are_as_the_table_says);
  ADD (profiles_are_applied_once_and_completely);
  ADD (families_are_matched_by_name);
  ADD (unknown_encoders_are_guessed_with_a_note);
  return g_test_run ();
}
