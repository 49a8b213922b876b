/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the application is told, and when: changes of the target, statistics, the trace, and
 * complaints, of which none is lost while there is no bus. */
#include "send/weirsend_report.h"

#include <glib/gstdio.h>

GST_DEBUG_CATEGORY (gst_weir_send_debug);

typedef struct
{
  GstElement *element; /* any one */
  GstBus *bus;
  GstWeirReport report;
} Rig;

static Rig *
begin (void)
{
  Rig *rig = g_new0 (Rig, 1);
  rig->element = gst_object_ref_sink (gst_bin_new (NULL));
  rig->bus = gst_bus_new ();
  gst_weir_report_init (&rig->report, rig->element);
  return rig;
}

static void
end (Rig *rig)
{
  gst_element_set_bus (rig->element, NULL);
  gst_weir_report_clear (&rig->report);
  gst_object_unref (rig->bus);
  gst_object_unref (rig->element);
  g_free (rig);
}

static void
expect (Rig *rig, const gchar *text)
{
  GError *error = NULL;
  GstMessage *message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  g_assert_cmpstr (error->message, ==, text);
  g_error_free (error);
  gst_message_unref (message);
}

static void
test_complaints_wait_for_a_bus (void)
{
  Rig *rig = begin ();
  gst_weir_report_complain (&rig->report, g_strdup ("first"));
  gst_weir_report_complain (&rig->report, NULL);
  gst_weir_report_complain (&rig->report, g_strdup ("second"));
  gst_element_set_bus (rig->element, rig->bus);
  gst_weir_report_complain (&rig->report, g_strdup ("at once"));
  expect (rig, "at once");
  gst_weir_report_post_complaints (&rig->report);
  expect (rig, "first");
  expect (rig, "second");
  gst_weir_report_post_complaints (&rig->report);
  g_assert_null (gst_bus_pop (rig->bus));
  end (rig);
}

static void
test_few_of_many_complaints_wait (void)
{
  Rig *rig = begin ();
  for (guint i = 0; i < 1000; i++) {
    gst_weir_report_complain (&rig->report, g_strdup_printf ("%u", i));
  }
  gst_element_set_bus (rig->element, rig->bus);
  gst_weir_report_post_complaints (&rig->report);
  for (guint i = 0; i < 16; i++) {
    gchar *text = g_strdup_printf ("%u", i);
    expect (rig, text);
    g_free (text);
  }
  g_assert_null (gst_bus_pop (rig->bus));
  end (rig);
}

/* --- In time --- */

/* How often the target is news, each 10 ms until to_ns. */
static guint
count_target_news (Rig *rig, gint64 from_ns, gint64 to_ns)
{
  guint n = 0;
  for (gint64 now_ns = from_ns; now_ns < to_ns; now_ns += WEIR_MS (10)) {
    GstWeirNews news = { 0 };
    gst_weir_report_take_news (&rig->report, NULL, now_ns, &news);
    n += news.target ? 1 : 0;
  }
  return n;
}

static void
test_a_changed_target_is_told_at_most_every_50_ms (void)
{
  Rig *rig = begin ();
  gst_weir_report_begin (&rig->report, 0, 0, TRUE);
  g_assert_cmpint (gst_weir_report_next_ns (&rig->report), ==, WEIR_NEVER_NS);
  guint n = 0;
  for (gint i = 0; i < 100; i++) { /* 2 % each 10 ms */
    gint64 now_ns = i * WEIR_MS (10);
    gst_weir_report_on_target (&rig->report, 1000000 + i * 20000, now_ns);
    n += count_target_news (rig, now_ns, now_ns + 1);
  }
  g_assert_cmpuint (n, ==, 20);
  n = count_target_news (rig, WEIR_SECONDS (1), WEIR_SECONDS (2)); /* the last one, too */
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (rig->report.notified_bps, ==, rig->report.target_bps);
  end (rig);
}

static void
test_less_than_a_percent_is_no_news (void)
{
  Rig *rig = begin ();
  gst_weir_report_begin (&rig->report, 0, 0, TRUE);
  gst_weir_report_on_target (&rig->report, 1000000, 0);
  g_assert_cmpuint (count_target_news (rig, 0, 1), ==, 1);
  for (gint64 bps = 990001; bps < 1010000; bps += 99) {
    gst_weir_report_on_target (&rig->report, bps, WEIR_SECONDS (1));
    g_assert_cmpint (gst_weir_report_next_ns (&rig->report), ==, WEIR_NEVER_NS);
  }
  gst_weir_report_on_target (&rig->report, 1010000, WEIR_SECONDS (1));
  g_assert_cmpint (gst_weir_report_next_ns (&rig->report), ==, WEIR_SECONDS (1));
  end (rig);
}

static void
test_statistics_come_in_their_interval (void)
{
  static const struct
  {
    guint64 interval_ns;
    guint n;
  } cases[] = { { 0, 0 }, { GST_SECOND, 10 }, { 2 * GST_SECOND, 5 }, { G_MAXUINT64, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = begin ();
    guint n = 0;
    gst_weir_report_begin (&rig->report, 0, cases[i].interval_ns, TRUE);
    for (gint64 now_ns = 0; now_ns <= WEIR_SECONDS (10); now_ns += WEIR_MS (1)) {
      GstWeirNews news = { 0 };
      gboolean due = rig->report.stats_due_ns <= now_ns;
      g_assert_cmpint (gst_weir_report_take_news (&rig->report, NULL, now_ns, &news), ==, due);
      g_assert_cmpint (news.stats, ==, due);
      n += due ? 1 : 0;
    }
    g_assert_cmpuint (n, ==, cases[i].n);
    end (rig);
  }
}

static void
test_news_are_told_once_each (void)
{
  Rig *rig = begin ();
  GstWeirNews news = { .stats = TRUE };
  news.warnings[GST_WEIR_WARNING_CEASED] = g_strdup ("it ceased");
  gst_element_set_bus (rig->element, rig->bus);
  g_assert_true (
      gst_weir_report_tell (&rig->report, &news, gst_structure_new_empty ("weir-stats")));
  g_assert_null (news.warnings[GST_WEIR_WARNING_CEASED]);
  GstMessage *message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ELEMENT);
  g_assert_true (gst_message_has_name (message, "weir-stats"));
  gst_message_unref (message);
  expect (rig, "it ceased");
  g_assert_null (gst_bus_pop (rig->bus));
  end (rig);
}

/* The first line that waits sets the time, and the others go with it. */
static void
test_the_trace_is_told_within_a_second (void)
{
  Rig *rig = begin ();
  gchar *name = g_build_filename (g_get_tmp_dir (), "weir-report-XXXXXX", NULL);
  g_close (g_mkstemp (name), NULL);
  gst_weir_report_begin (&rig->report, 0, 0, TRUE);
  g_assert_true (gst_weir_trace_open (&rig->report.trace, name, 0, NULL));
  for (gint i = 0; i < 3; i++) {
    const struct weir_trace_record record = { .kind = WEIR_TRACE_PART, .now_ns = WEIR_MS (i) };
    g_assert_cmpint (gst_weir_report_on_trace (&rig->report, &record), ==, i == 0);
  }
  g_assert_cmpint (gst_weir_report_next_ns (&rig->report), ==, WEIR_SECONDS (1));
  GstWeirNews news = { 0 };
  g_assert_false (gst_weir_report_take_news (&rig->report, NULL, WEIR_SECONDS (1) - 1, &news));
  g_assert_true (gst_weir_report_take_news (&rig->report, NULL, WEIR_SECONDS (1), &news));
  g_assert_true (gst_weir_report_tell (&rig->report, &news, NULL));
  g_assert_true (gst_weir_trace_close (&rig->report.trace, NULL));
  gchar *text = NULL;
  g_assert_true (g_file_get_contents (name, &text, NULL, NULL));
  gchar **lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 4); /* three, and nothing behind the last */
  g_strfreev (lines);
  g_free (text);
  g_unlink (name);
  g_free (name);
  end (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_report/" #name, test_##name)
  ADD (complaints_wait_for_a_bus);
  ADD (few_of_many_complaints_wait);
  ADD (a_changed_target_is_told_at_most_every_50_ms);
  ADD (less_than_a_percent_is_no_news);
  ADD (statistics_come_in_their_interval);
  ADD (news_are_told_once_each);
  ADD (the_trace_is_told_within_a_second);
  return g_test_run ();
}
