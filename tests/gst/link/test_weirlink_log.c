/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "link/weirlink_log.h"
#include "weir/units.h"

#define HEADER "time_s,capacity_bps,offered_bps,delivered_bps,cross_bps,queue_ms,drops\n"

static gchar *
temporary (void)
{
  gchar *name = NULL;
  gint fd = g_file_open_tmp ("weirlink-XXXXXX.csv", &name, NULL);
  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  return name;
}

static void
assert_content (const gchar *name, const gchar *wanted)
{
  gchar *content = NULL;
  g_assert_true (g_file_get_contents (name, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, wanted);
  g_free (content);
}

static void
test_lines_hold_rates_since_the_line_before (void)
{
  gchar *name = temporary ();
  GstWeirLinkLog *log = gst_weir_link_log_open (name, NULL);
  struct weir__path_stats now = { .capacity_bps = 2500000,
                                  .user.offered_bytes = 12500,
                                  .user.delivered_bytes = 6250,
                                  .cross.delivered_bytes = 1250,
                                  .queue_delay_ns = 12345678,
                                  .user.dropped_packets = 1,
                                  .user.lost_packets = 2 };
  g_assert_nonnull (log);
  gst_weir_link_log_write (log, 100000000, &now);
  now.user.offered_bytes += 25000;
  now.user.lost_packets += 1;
  gst_weir_link_log_write (log, 300000000, &now); /* a line was missed: still the right rate */
  assert_content (name, HEADER "0.100,2500000,1000000,500000,100000,12.346,3\n"
                               "0.300,2500000,1000000,0,0,12.346,1\n"); /* before it is closed */
  gst_weir_link_log_close (log);
  g_unlink (name);
  g_free (name);
}

static void
test_queue_is_empty_text_in_an_outage (void)
{
  gchar *name = temporary ();
  GstWeirLinkLog *log = gst_weir_link_log_open (name, NULL);
  struct weir__path_stats now = { .queue_delay_ns = WEIR_NEVER_NS };
  gst_weir_link_log_write (log, 100000000, &now);
  gst_weir_link_log_write (log, 100000000, &now); /* no time has passed: no division by it */
  gst_weir_link_log_close (log);
  assert_content (name, HEADER "0.100,0,0,0,0,,0\n0.100,0,0,0,0,,0\n");
  g_unlink (name);
  g_free (name);
}

static void
test_file_is_emptied_when_opened_again (void)
{
  gchar *name = temporary ();
  for (guint i = 0; i < 2; i++) {
    GstWeirLinkLog *log = gst_weir_link_log_open (name, NULL);
    struct weir__path_stats now = { 0 };
    gst_weir_link_log_write (log, 100000000, &now);
    gst_weir_link_log_close (log);
  }
  assert_content (name, HEADER "0.100,0,0,0,0,0.000,0\n");
  g_unlink (name);
  g_free (name);
}

static void
test_error_names_the_file (void)
{
  GError *error = NULL;
  g_assert_null (gst_weir_link_log_open ("/nowhere/at/all.csv", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "/nowhere/at/all.csv"));
  g_clear_error (&error);
  gst_weir_link_log_close (NULL);
}

static void
test_the_last_reference_closes_the_file (void)
{
  gchar *name = temporary ();
  GstWeirLinkLog *log = gst_weir_link_log_open (name, NULL);
  struct weir__path_stats now = { 0 };
  g_assert_true (gst_weir_link_log_ref (log) == log);
  gst_weir_link_log_close (log);
  gst_weir_link_log_write (log, 100000000, &now);
  assert_content (name, HEADER "0.100,0,0,0,0,0.000,0\n");
  gst_weir_link_log_close (log);
  g_unlink (name);
  g_free (name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirlink_log/lines_hold_rates_since_the_line_before",
                   test_lines_hold_rates_since_the_line_before);
  g_test_add_func ("/gst/weirlink_log/queue_is_empty_text_in_an_outage",
                   test_queue_is_empty_text_in_an_outage);
  g_test_add_func ("/gst/weirlink_log/file_is_emptied_when_opened_again",
                   test_file_is_emptied_when_opened_again);
  g_test_add_func ("/gst/weirlink_log/error_names_the_file", test_error_names_the_file);
  g_test_add_func ("/gst/weirlink_log/the_last_reference_closes_the_file",
                   test_the_last_reference_closes_the_file);
  return g_test_run ();
}
