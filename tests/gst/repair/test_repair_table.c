/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the installed elements have is what the table says of them, and what cannot be driven says
 * so. */
#include "repair/repair_table.h"

#include <gst/check/gstcheck.h>

typedef struct
{
  const gchar *launch;
  const gchar *refusal; /* a part of it; NULL: it can be driven */
  gboolean within_packets;
} Row;

static const Row rows[] = {
  { "rtpulpfecenc pt=122", NULL, FALSE },
  { "rtpulpfecenc", "set its pt", FALSE },
  { "opusenc", NULL, TRUE },
  { "rtpst2022-1-fecenc", "use rtpulpfecenc", FALSE },
};

static void
test_installed_elements_are_as_the_table_says (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstElement) element = gst_parse_launch (rows[i].launch, NULL);
    if (element == NULL) {
      g_test_message ("%s is not installed", rows[i].launch);
      continue;
    }
    const GstWeirRepairInfo *info = gst_weir_repair_info_for (element);
    g_assert_nonnull (info);
    g_autofree gchar *why = gst_weir_repair_refuses (element, info);
    g_test_message ("%s: %s", rows[i].launch, why != NULL ? why : "can be driven");
    g_assert_true ((why != NULL) == (rows[i].refusal != NULL));
    g_assert_true (why == NULL || strstr (why, rows[i].refusal) != NULL);
    g_assert_true (info->within_packets == rows[i].within_packets);
    gst_object_ref_sink (element);
  }
}

static void
test_what_is_set_is_what_is_read (void)
{
  static const guint percents[] = { 1, 50, 100, 0 };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstElement) element
        = rows[i].refusal == NULL ? gst_parse_launch (rows[i].launch, NULL) : NULL;
    if (element == NULL) {
      continue;
    }
    gst_object_ref_sink (element);
    const GstWeirRepairInfo *info = gst_weir_repair_info_for (element);
    for (guint k = 0; k < G_N_ELEMENTS (percents); k++) {
      gst_weir_repair_set_percent (element, info, percents[k]);
      g_assert_cmpuint (gst_weir_repair_get_percent (element, info), ==, percents[k]);
    }
    gst_weir_repair_set_percent (element, info, 1000);
    g_assert_cmpuint (gst_weir_repair_get_percent (element, info), ==, 100);
  }
}

static void
test_other_elements_do_not_repair (void)
{
  g_autoptr (GstElement) element
      = gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  g_assert_null (gst_weir_repair_info_for (element));
}

/* A release whose element lacks the property, or takes it only before it starts. */
static void
test_a_property_that_cannot_be_set_is_named (void)
{
  static const GstWeirRepairInfo lacking = { .factory = "identity", .property = "percentage" };
  static const GstWeirRepairInfo wrong = { .factory = "identity", .property = "silent" };
  static const GstWeirRepairInfo half
      = { .factory = "queue", .property = "max-size-buffers", .on = "no-such" };
  g_autoptr (GstElement) identity
      = gst_object_ref_sink (gst_element_factory_make ("identity", "it"));
  g_autoptr (GstElement) queue = gst_object_ref_sink (gst_element_factory_make ("queue", "it"));
  g_autofree gchar *lacks = gst_weir_repair_refuses (identity, &lacking);
  g_autofree gchar *is_wrong = gst_weir_repair_refuses (identity, &wrong);
  g_autofree gchar *has_half = gst_weir_repair_refuses (queue, &half);
  g_assert_nonnull (strstr (lacks, "it has no percentage"));
  g_assert_nonnull (strstr (is_wrong, "it has no silent"));
  g_assert_nonnull (strstr (has_half, "it has no no-such"));
}

static void
test_one_that_is_fixed_while_playing_stays (void)
{
  g_autoptr (GstElement) sink = gst_object_ref_sink (gst_element_factory_make ("fakesink", "it"));
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (sink), "num-buffers");
  GParamFlags flags = spec->flags;
  const GstWeirRepairInfo info = { .factory = "fakesink", .property = "num-buffers" };
  g_assert_null (gst_weir_repair_refuses (sink, &info));
  spec->flags |= GST_PARAM_MUTABLE_READY;
  g_assert_null (gst_weir_repair_refuses (sink, &info));
  g_object_set (sink, "async", FALSE, "num-buffers", 7, NULL);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  g_autofree gchar *why = gst_weir_repair_refuses (sink, &info);
  g_assert_cmpstr (why, ==, "it takes no other num-buffers while playing; it stays at 7");
  gst_element_set_state (sink, GST_STATE_NULL);
  spec->flags = flags;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/repair_table/installed_elements_are_as_the_table_says",
                   test_installed_elements_are_as_the_table_says);
  g_test_add_func ("/repair_table/what_is_set_is_what_is_read", test_what_is_set_is_what_is_read);
  g_test_add_func ("/repair_table/other_elements_do_not_repair", test_other_elements_do_not_repair);
  g_test_add_func ("/repair_table/a_property_that_cannot_be_set_is_named",
                   test_a_property_that_cannot_be_set_is_named);
  g_test_add_func ("/repair_table/one_that_is_fixed_while_playing_stays",
                   test_one_that_is_fixed_while_playing_stays);
  return g_test_run ();
}
