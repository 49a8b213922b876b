/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is set on one member while it runs is set on all, and all say so. */
#include "send/group_harness.h"

#define MEMBER "encoders=none group=call"

/* The element's own thread notifies, too. */
static void
count_notification (G_GNUC_UNUSED GObject *object, G_GNUC_UNUSED GParamSpec *pspec, gpointer count)
{
  g_atomic_int_inc ((gint *) count);
}

static gchar *
text_of (GstElement *element, const gchar *name)
{
  GValue value = G_VALUE_INIT;
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  g_value_init (&value, pspec->value_type);
  g_object_get_property (G_OBJECT (element), name, &value);
  gchar *text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

static void
test_a_setting_of_one_is_that_of_all (void)
{
  static const gchar *const settings[][2] = {
    { "algorithm", "gaimd" }, { "pacing", "off" },      { "pacing-quantum", "1000000" },
    { "feedback", "ccfb" },   { "receivers", "first" }, { "params", "params,gaimd-alpha=0.5" }
  };
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    Group group;
    gint n_notified = 0;
    gchar *signal = g_strconcat ("notify::", settings[i][0], NULL);
    group_begin (&group);
    for (guint k = 0; k < 3; k++) {
      group_add (&group,
                 g_str_equal (settings[i][0], "params") ? "algorithm=gaimd " MEMBER : MEMBER,
                 VIDEO_CAPS);
    }
    g_signal_connect (group.rigs[0]->send, signal, G_CALLBACK (count_notification), &n_notified);
    gst_util_set_object_arg (G_OBJECT (group.rigs[1]->send), settings[i][0], settings[i][1]);
    rig_expect_silence (group.rigs[1]);
    gchar *expected = text_of (group.rigs[1]->send, settings[i][0]);
    for (guint k = 0; k < 3; k++) {
      gchar *text = text_of (group.rigs[k]->send, settings[i][0]);
      g_assert_cmpstr (text, ==, expected);
      g_free (text);
    }
    g_assert_cmpint (g_atomic_int_get (&n_notified), >, 0);
    g_free (expected);
    group_end (&group);
    g_free (signal);
  }
}

/* The params were meant for the former algorithm. */
static void
test_another_algorithm_has_its_defaults_everywhere (void)
{
  Group group;
  group_begin (&group);
  for (guint k = 0; k < 2; k++) {
    group_add (&group, "algorithm=tfrc params=\"params,profile=rfc3448\" " MEMBER, VIDEO_CAPS);
  }
  gst_util_set_object_arg (G_OBJECT (group.rigs[1]->send), "algorithm", "gaimd");
  for (guint k = 0; k < 2; k++) {
    GstStructure *params = NULL;
    g_object_get (group.rigs[k]->send, "params", &params, NULL);
    g_assert_null (params);
    rig_expect_silence (group.rigs[k]);
  }
  group_end (&group);
}

static void
test_a_wrong_setting_changes_nothing_anywhere (void)
{
  Group group;
  group_begin (&group);
  for (guint k = 0; k < 2; k++) {
    group_add (&group, MEMBER, VIDEO_CAPS);
  }
  gst_util_set_object_arg (G_OBJECT (group.rigs[1]->send), "params", "params,nonsense=1");
  rig_expect_warning (group.rigs[1], "nonsense");
  for (guint k = 0; k < 2; k++) {
    GstStructure *params = NULL;
    g_object_get (group.rigs[k]->send, "params", &params, NULL);
    g_assert_null (params);
  }
  group_end (&group);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_path_settings/" #name, test_##name)
  ADD (a_setting_of_one_is_that_of_all);
  ADD (another_algorithm_has_its_defaults_everywhere);
  ADD (a_wrong_setting_changes_nothing_anywhere);
  return g_test_run ();
}
