/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path that settings describe, and what is said of settings that describe none. */
#include "link/weirlink_settings.h"

#include <string.h>

static GstWeirLinkSettings plain = { .queue_packets = 50, .loss_burst = 1.0 };

static void
test_what_makes_no_path_is_named (void)
{
  static const struct
  {
    gchar *schedule, *cross_traffic, *trace_location;
    const gchar *named;
  } cases[] = {
    { "0:2500k,20:fast", NULL, NULL, "fast" },
    { NULL, "reno*2;tahoe", NULL, "tahoe" },
    { NULL, NULL, "/nowhere/at/all", "all" },
    { NULL, NULL, "/dev/null", "/dev/null" },
  };
  gchar why[256];
  g_assert_true (gst_weir_link_settings_check (&plain, why, sizeof why));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstWeirLinkSettings settings = plain;
    settings.path.schedule = cases[i].schedule;
    settings.path.cross_traffic = cases[i].cross_traffic;
    settings.path.trace_name = cases[i].trace_location;
    g_assert_false (gst_weir_link_settings_check (&settings, why, sizeof why));
    g_assert_nonnull (strstr (why, cases[i].named));
  }
}

static void
test_a_copy_has_texts_of_its_own (void)
{
  GstWeirLinkSettings copy, again;
  GstWeirLinkSettings settings = plain;
  settings.path.schedule = g_strdup ("0:1M");
  gst_weir_link_settings_copy (&settings, &copy);
  gst_weir_link_settings_clear (&settings);
  g_assert_cmpstr (copy.path.schedule, ==, "0:1M");
  g_assert_cmpint (copy.path.link.capacity_bps, ==, plain.path.link.capacity_bps);
  gst_weir_link_settings_copy (&copy, &again);
  g_assert_true (again.path.schedule != copy.path.schedule);
  gst_weir_link_settings_clear (&again);
  gst_weir_link_settings_clear (&copy);
}

static void
test_jitter_and_reordering_add_to_the_delay (void)
{
  GstWeirLinkSettings settings = { .path = { .link = { .jitter_ns = 5, .reorder_delay_ns = 30 } } };
  g_assert_cmpint (gst_weir_link_settings_extra_delay_ns (&settings), ==, 5);
  settings.path.link.reorder = 0.1;
  g_assert_cmpint (gst_weir_link_settings_extra_delay_ns (&settings), ==, 35);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  weir__path_config_default (&plain.path);
#define ADD(name) g_test_add_func ("/gst/weirlink_settings/" #name, test_##name)
  ADD (what_makes_no_path_is_named);
  ADD (a_copy_has_texts_of_its_own);
  ADD (jitter_and_reordering_add_to_the_delay);
  return g_test_run ();
}
