/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties: names, defaults, what is read back, and what gst-inspect-1.0 says. */
#include "send/send_harness.h"

typedef struct
{
  const gchar *name;
  GType type;
  gboolean writable;
  const gchar *initial; /* as gst-launch writes it; NULL: not compared */
} Property;

static void
test_properties_are_those_of_the_design (void)
{
  GstElement *send = gst_element_factory_make ("weirsend", NULL);
  const Property properties[] = {
    { "algorithm", G_TYPE_ENUM, TRUE, "sluice" },
    { "params", GST_TYPE_STRUCTURE, TRUE, NULL },
    { "min-bitrate", G_TYPE_UINT, TRUE, "30000" },
    { "max-bitrate", G_TYPE_UINT, TRUE, "10000000" },
    { "start-bitrate", G_TYPE_UINT, TRUE, "300000" },
    { "target-bitrate", G_TYPE_UINT, FALSE, "300000" },
    { "estimated-bitrate", G_TYPE_UINT, TRUE, "300000" },
    { "proved-bitrate", G_TYPE_UINT, FALSE, "0" },
    { "encoders", G_TYPE_STRING, TRUE, "auto" },
    { "pacing", G_TYPE_ENUM, TRUE, "on" },
    { "pacing-quantum", G_TYPE_UINT64, TRUE, "5000000" },
    { "max-queue-time", G_TYPE_UINT64, TRUE, "250000000" },
    { "queue-policy", G_TYPE_ENUM, TRUE, "drop-frame" },
    { "feedback", G_TYPE_FLAGS, TRUE, NULL },
    { "rtp-session", G_TYPE_OBJECT, TRUE, NULL },
    { "overhead", G_TYPE_INT, TRUE, "-1" },
    { "srtp-cipher", G_TYPE_ENUM, TRUE, "aes-128-icm-hmac-sha1-80" },
    { "stats", GST_TYPE_STRUCTURE, FALSE, NULL },
    { "stats-interval", G_TYPE_UINT64, TRUE, "1000000000" },
    { "trace-location", G_TYPE_STRING, TRUE, NULL },
    { "trace-max-size", G_TYPE_UINT64, TRUE, "100000000" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++) {
    const Property *expected = &properties[i];
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (send), expected->name);
    g_test_message ("%s", expected->name);
    g_assert_nonnull (spec);
    g_assert_true (g_type_is_a (spec->value_type, expected->type));
    g_assert_true ((spec->flags & G_PARAM_READABLE) != 0);
    g_assert_cmpint ((spec->flags & G_PARAM_WRITABLE) != 0, ==, expected->writable);
    const gchar *blurb = g_param_spec_get_blurb (spec);
    g_assert_cmpuint (strlen (blurb), >, 40);
    g_assert_null (strchr (blurb, '?'));
    if (expected->initial != NULL) {
      GValue value = G_VALUE_INIT;
      g_object_get_property (G_OBJECT (send), expected->name, &value);
      gchar *text = gst_value_serialize (&value);
      g_assert_cmpstr (text, ==, expected->initial);
      g_free (text);
      g_value_unset (&value);
    }
  }
  gst_object_unref (send);
}

/* Every property that can be written keeps what was written. */
static void
test_what_is_written_is_read_back (void)
{
  static const struct
  {
    const gchar *name, *value;
  } written[] = {
    { "algorithm", "fixed" },
    { "min-bitrate", "40000" },
    { "max-bitrate", "5000000" },
    { "start-bitrate", "400000" },
    { "estimated-bitrate", "450000" },
    { "start-bitrate", "400000" },
    { "encoders", "a,b" },
    { "pacing", "off" },
    { "max-queue-time", "1000" },
    { "queue-policy", "drop-oldest" },
    { "overhead", "48" },
    { "srtp-cipher", "aes-128-gcm" },
    { "stats-interval", "5" },
    { "trace-location", "/tmp/x" },
    { "trace-max-size", "12345" },
    { "pacing-quantum", "2000000" },
  };
  GstElement *send = gst_element_factory_make ("weirsend", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (written); i++) {
    GValue value = G_VALUE_INIT;
    gst_util_set_object_arg (G_OBJECT (send), written[i].name, written[i].value);
    g_object_get_property (G_OBJECT (send), written[i].name, &value);
    gchar *text = gst_value_serialize (&value);
    gchar *plain = g_strcompress (text);
    g_strdelimit (plain, "\"", ' ');
    g_assert_cmpstr (g_strstrip (plain), ==, written[i].value);
    g_free (plain);
    g_free (text);
    g_value_unset (&value);
  }
  gst_object_unref (send);
}

/* As with rtpgccbwe, where it is what to start with until it is an estimate. */
static void
test_estimated_bitrate_sets_the_start (void)
{
  g_autoptr (GstElement) send = gst_element_factory_make ("weirsend", NULL);
  guint start_bps = 0, estimated_bps = 0;
  g_object_set (send, "estimated-bitrate", 450000u, NULL);
  g_object_get (send, "start-bitrate", &start_bps, "estimated-bitrate", &estimated_bps, NULL);
  g_assert_cmpuint (start_bps, ==, 450000);
  g_assert_cmpuint (estimated_bps, ==, 450000);
}

/* The blurb of params names every parameter of every algorithm. */
static void
test_parameters_are_listed (void)
{
  GstElement *send = gst_element_factory_make ("weirsend", NULL);
  const gchar *blurb
      = g_param_spec_get_blurb (g_object_class_find_property (G_OBJECT_GET_CLASS (send), "params"));
  g_assert_nonnull (strstr (blurb, "fixed (rate-bps)"));
  g_assert_nonnull (strstr (blurb, "tfrc (profile, "));
  gst_object_unref (send);
}

/* --- The key is a secret --- */

#ifdef WEIR_HAVE_SRTP

#define KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d"
#define KEY_PART "1112131415161718"

static GMutex spy_lock;
static guint n_lines, n_leaks;

static void
spy (GstDebugCategory *category, G_GNUC_UNUSED GstDebugLevel level, G_GNUC_UNUSED const gchar *file,
     G_GNUC_UNUSED const gchar *function, G_GNUC_UNUSED gint line, G_GNUC_UNUSED GObject *object,
     GstDebugMessage *message, G_GNUC_UNUSED gpointer user)
{
  const gchar *text = gst_debug_message_get (message);
  g_mutex_lock (&spy_lock);
  n_lines++;
  if (text != NULL && strstr (text, KEY_PART) != NULL) {
    g_printerr ("# %s: %s\n", gst_debug_category_get_name (category), text);
    n_leaks++;
  }
  g_mutex_unlock (&spy_lock);
}

/* What an application, gst-inspect-1.0, a dot file and gst-launch-1.0 -v can see of an element. */
static void
expect_secret (GstElement *element)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "srtp-key");
  g_assert_nonnull (spec);
  g_assert_cmpint ((gint) spec->value_type, ==, (gint) GST_TYPE_BUFFER);
  g_assert_true ((spec->flags & G_PARAM_WRITABLE) != 0);
  g_assert_true ((spec->flags & G_PARAM_READABLE) == 0);
  GstElement *pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (pipeline), element);
  gchar *dot = gst_debug_bin_to_dot_data (GST_BIN (pipeline), GST_DEBUG_GRAPH_SHOW_VERBOSE);
  g_assert_null (strstr (dot, KEY_PART));
  g_assert_null (strstr (dot, "srtp-key"));
  g_assert_nonnull (strstr (dot, GST_OBJECT_NAME (element)));
  g_free (dot);
  GstStructure *stats = NULL;
  g_object_get (element, "stats", &stats, NULL);
  gchar *text = gst_structure_to_string (stats);
  g_assert_null (strstr (text, KEY_PART));
  g_free (text);
  gst_structure_free (stats);
  gst_object_unref (pipeline);
}

/* At the highest log level, over a life with good and bad settings. */
static void
test_the_key_is_told_nobody (void)
{
  static const struct
  {
    const gchar *element, *key, *cipher;
  } cases[] = {
    { "weirsend", KEY, "aes-128-icm-hmac-sha1-80" },
    { "weirsend", KEY "00", "aes-128-gcm" },
    { "weirsend", KEY, "aes-128-gcm" },
    { "weirrecv", KEY, "aes-128-icm-hmac-sha1-32" },
    { "weirrecv", KEY "00", "aes-128-gcm" },
  };
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (spy, NULL, NULL);
  gst_debug_set_active (TRUE);
  gst_debug_set_default_threshold (GST_LEVEL_MEMDUMP);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *element = gst_object_ref_sink (gst_element_factory_make (cases[i].element, NULL));
    GstBus *bus = gst_bus_new ();
    gchar *text = NULL;
    gst_util_set_object_arg (G_OBJECT (element), "srtp-cipher", cases[i].cipher);
    gst_util_set_object_arg (G_OBJECT (element), "srtp-key", cases[i].key);
    gst_element_set_bus (element, bus);
    gst_element_set_state (element, GST_STATE_PLAYING);
    gst_element_set_state (element, GST_STATE_NULL);
    while ((text = bus_pop_text (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) != NULL) {
      g_assert_null (strstr (text, KEY_PART));
      g_free (text);
    }
    gst_element_set_bus (element, NULL);
    gst_object_unref (bus);
    expect_secret (element);
    gst_object_unref (element);
  }
  gst_debug_set_default_threshold (GST_LEVEL_NONE);
  gst_debug_set_active (FALSE);
  gst_debug_remove_log_function (spy);
  g_assert_cmpuint (n_lines, >, 100);
  g_assert_cmpuint (n_leaks, ==, 0);
}

#endif

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_properties/" #name, test_##name)
  ADD (properties_are_those_of_the_design);
  ADD (what_is_written_is_read_back);
  ADD (estimated_bitrate_sets_the_start);
  ADD (parameters_are_listed);
#ifdef WEIR_HAVE_SRTP
  ADD (the_key_is_told_nobody);
#endif
  return g_test_run ();
}
