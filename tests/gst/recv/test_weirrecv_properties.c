/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recv/recv_harness.h"

static void
test_properties_keep_what_they_are_given (void)
{
  GstElement *recv = gst_element_factory_make ("weirrecv", NULL);
  gint format;
  guint64 interval, stats;
  guint overhead;
  gboolean ecn_counts;
  gst_util_set_object_arg (G_OBJECT (recv), "feedback-format", "remb");
  g_object_set (recv, "feedback-interval", MS (70), "stats-interval", MS (9), "overhead", 48u,
                "ecn-counts", TRUE, NULL);
  g_object_get (recv, "feedback-format", &format, "feedback-interval", &interval, "overhead",
                &overhead, "ecn-counts", &ecn_counts, "stats-interval", &stats, NULL);
  g_assert_cmpint (format, ==, WEIR_FEEDBACK_REMB);
  g_assert_cmpuint (interval, ==, MS (70));
  g_assert_cmpuint (overhead, ==, 48);
  g_assert_true (ecn_counts);
  g_assert_cmpuint (stats, ==, MS (9));
  gst_object_unref (recv);
}

/* What a property says of itself. */
static void
assert_blurb_says (const gchar *name, const gchar *words)
{
  GstElement *recv = gst_element_factory_make ("weirrecv", NULL);
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (recv), name);
  g_assert_nonnull (strstr (g_param_spec_get_blurb (spec), words));
  gst_object_unref (recv);
}

/* As in weir/receiver.h; test_weirrecv_feedback measures them. */
static void
test_properties_describe_what_is_done (void)
{
  assert_blurb_says ("feedback-interval", "20 to 50 ms (rr and remb: 100 ms)");
  assert_blurb_says ("stats", "what an RTP session behind it writes by itself");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirrecv_properties/" #name, test_##name)
  ADD (properties_keep_what_they_are_given);
  ADD (properties_describe_what_is_done);
  return g_test_run ();
}
