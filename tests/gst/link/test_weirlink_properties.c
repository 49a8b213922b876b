/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "link/link_harness.h"

static void
test_wrong_texts_change_nothing_while_playing (void)
{
  Rig *rig = rig_new ("schedule=0:1M cross-traffic=cbr:100k");
  GstBus *bus = gst_bus_new ();
  gchar *text, *schedule, *cross;
  gst_element_set_bus (rig->link, bus);
  g_object_set (rig->link, "schedule", "0:slow", NULL);
  text = next_text (bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "slow"));
  g_free (text);
  g_object_set (rig->link, "cross-traffic", "tahoe", NULL);
  text = next_text (bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "tahoe"));
  g_free (text);
  g_object_get (rig->link, "schedule", &schedule, "cross-traffic", &cross, NULL);
  g_assert_cmpstr (schedule, ==, "0:1M");
  g_assert_cmpstr (cross, ==, "cbr:100k");
  g_free (schedule);
  g_free (cross);
  g_object_set (rig->link, "schedule", "0:2M,5:1M", NULL); /* a right one is kept for later */
  g_assert_null (next_text (bus, GST_MESSAGE_WARNING));
  g_object_get (rig->link, "schedule", &schedule, NULL);
  g_assert_cmpstr (schedule, ==, "0:2M,5:1M");
  g_free (schedule);
  gst_element_set_bus (rig->link, NULL);
  gst_object_unref (bus);
  rig_free (rig);
}

static void
test_every_property_keeps_what_it_is_given (void)
{
  GstElement *link = gst_element_factory_make ("weirlink", NULL);
  GParamSpec **specs;
  guint n, writable = 0;
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (link), &n);
  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT, back = G_VALUE_INIT;
    g_assert_nonnull (g_param_spec_get_blurb (specs[i]));
    if (!(specs[i]->flags & G_PARAM_WRITABLE) || specs[i]->owner_type == GST_TYPE_OBJECT) {
      continue;
    }
    g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (specs[i]));
    g_value_init (&back, G_PARAM_SPEC_VALUE_TYPE (specs[i]));
    if (G_VALUE_HOLDS_UINT64 (&value)) {
      g_value_set_uint64 (&value, 7);
    } else if (G_VALUE_HOLDS_UINT (&value)) {
      g_value_set_uint (&value, 7);
    } else if (G_VALUE_HOLDS_DOUBLE (&value)) {
      g_value_set_double (&value, 1.0);
    } else if (G_VALUE_HOLDS_ENUM (&value)) {
      g_value_set_enum (&value, 1);
    } else if (G_VALUE_HOLDS_STRING (&value)) {
      g_value_set_string (&value, "some text");
    }
    g_object_set_property (G_OBJECT (link), specs[i]->name, &value);
    g_object_get_property (G_OBJECT (link), specs[i]->name, &back);
    g_assert_cmpint (gst_value_compare (&value, &back), ==, GST_VALUE_EQUAL);
    g_value_unset (&value);
    g_value_unset (&back);
    writable++;
  }
  g_assert_cmpuint (writable, ==, 30);
  g_free (specs);
  gst_object_unref (link);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirlink_properties/" #name, test_##name)
  ADD (wrong_texts_change_nothing_while_playing);
  ADD (every_property_keeps_what_it_is_given);
  return g_test_run ();
}
