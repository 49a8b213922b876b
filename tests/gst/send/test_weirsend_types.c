/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The enumerations of the properties: named as documented, and the algorithms are the registry's.
 */
#include "send/send_harness.h"
#include "weir/weir.h"

static GParamSpec *
find (GstElement *send, const gchar *name)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (send), name);
  g_assert_nonnull (spec);
  return spec;
}

static void
test_algorithms_are_those_of_the_library (void)
{
  GstElement *send = gst_element_factory_make ("weirsend", NULL);
  GEnumClass *klass = g_type_class_ref (find (send, "algorithm")->value_type);
  g_assert_cmpuint (klass->n_values, ==, weir_algorithm_count ());
  for (guint i = 0; i < klass->n_values; i++) {
    struct weir_algorithm_info info;
    g_assert_cmpstr (klass->values[i].value_nick, ==, weir_algorithm_name (i));
    g_assert_cmpint (weir_algorithm_get_info (klass->values[i].value_nick, &info), ==, WEIR_OK);
    g_assert_nonnull (strstr (klass->values[i].value_name, info.description));
    g_assert_cmpint (g_str_has_prefix (klass->values[i].value_name, "Research: "), !=,
                     info.for_live_media);
  }
  gint value = -1;
  g_object_get (send, "algorithm", &value, NULL);
  g_assert_cmpstr (g_enum_get_value (klass, value)->value_nick, ==, "sluice");
  g_type_class_unref (klass);
  gst_object_unref (send);
}

typedef struct
{
  const gchar *property, *nick;
  gint value;
} Named;

static void
test_names_are_as_documented (void)
{
  static const Named named[] = {
    { "pacing", "off", 0 },
    { "pacing", "on", 1 },
    { "queue-policy", "drop-newest", WEIR_QUEUE_DROP_NEWEST },
    { "queue-policy", "drop-oldest", WEIR_QUEUE_DROP_OLDEST },
    { "queue-policy", "drop-frame", WEIR_QUEUE_DROP_FRAME },
    { "receivers", "first", WEIR_RECEIVERS_FIRST },
    { "receivers", "worst", WEIR_RECEIVERS_WORST },
    { "repair", "off", FALSE },
    { "repair", "auto", TRUE },
    { "feedback", "auto", WEIR_FEEDBACK_ALL },
    { "feedback", "ccfb+rr", WEIR_FEEDBACK_CCFB | WEIR_FEEDBACK_RR },
  };
  GstElement *send = gst_element_factory_make ("weirsend", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (named); i++) {
    gint value = -1;
    gst_util_set_object_arg (G_OBJECT (send), named[i].property, named[i].nick);
    g_object_get (send, named[i].property, &value, NULL);
    g_assert_cmpint (value, ==, named[i].value);
  }
  struct weir_feedback_info info;
  for (gsize i = 0; weir_feedback_get_info (i, &info); i++) {
    guint formats = 0;
    gst_util_set_object_arg (G_OBJECT (send), "feedback", info.name);
    g_object_get (send, "feedback", &formats, NULL);
    g_assert_cmpuint (formats, ==, info.format);
  }
  gst_object_unref (send);
}

/* gst-inspect-1.0 is the manual: every value says what it does. */
static void
test_every_value_is_described (void)
{
  static const gchar *const names[]
      = { "algorithm", "pacing", "queue-policy", "feedback", "receivers", "repair" };
  GstElement *send = gst_element_factory_make ("weirsend", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GType type = find (send, names[i])->value_type;
    gpointer klass = g_type_class_ref (type);
    guint n = G_IS_ENUM_CLASS (klass) ? G_ENUM_CLASS (klass)->n_values
                                      : G_FLAGS_CLASS (klass)->n_values;
    for (guint k = 0; k < n; k++) {
      const gchar *text = G_IS_ENUM_CLASS (klass) ? G_ENUM_CLASS (klass)->values[k].value_name
                                                  : G_FLAGS_CLASS (klass)->values[k].value_name;
      g_assert_cmpuint (strlen (text), >, 10);
    }
    g_type_class_unref (klass);
  }
  gst_object_unref (send);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_types/" #name, test_##name)
  ADD (algorithms_are_those_of_the_library);
  ADD (names_are_as_documented);
  ADD (every_value_is_described);
  return g_test_run ();
}
