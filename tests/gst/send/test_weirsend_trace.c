/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace file: whole JSON lines, on disk within a second, and clear words when that fails. */
#include "send/send_harness.h"
#include "send/weirsend_trace.h"

#include <errno.h>
#include <glib/gstdio.h>

static gchar *
new_path (void)
{
  gchar *directory = g_dir_make_tmp ("weir-trace-XXXXXX", NULL);
  g_assert_nonnull (directory);
  gchar *path = g_build_filename (directory, "trace.jsonl", NULL);
  g_free (directory);
  return path;
}

static void
remove_path (gchar *path)
{
  gchar *directory = g_path_get_dirname (path);
  g_unlink (path);
  g_rmdir (directory);
  g_free (directory);
  g_free (path);
}

static gchar **
read_lines (const gchar *path, guint *n)
{
  gchar *text = NULL;
  gsize length = 0;
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  g_assert_true (length == 0 || text[length - 1] == '\n'); /* no line is cut */
  gchar **lines = g_strsplit (text, "\n", -1);
  *n = g_strv_length (lines);
  *n -= *n > 0; /* what follows the last newline */
  g_free (text);
  return lines;
}

static guint
count_kind (const gchar *path, const gchar *kind)
{
  guint n_lines = 0;
  guint n = 0;
  gchar **lines = read_lines (path, &n_lines);
  for (guint i = 0; i < n_lines; i++) {
    g_assert_cmpint (lines[i][0], ==, '{');
    g_assert_true (g_str_has_suffix (lines[i], "}"));
    n += strstr (lines[i], kind) != NULL;
  }
  g_strfreev (lines);
  return n;
}

static const struct weir_trace_record sent = { .kind = WEIR_TRACE_SENT, .wire_bytes = 1200 };

static void
test_lines_wait_at_most_a_second (void)
{
  GstWeirSendTrace trace = { 0 };
  gchar *path = new_path ();
  struct weir_trace_record record = sent;
  g_assert_true (gst_weir_trace_open (&trace, path, 0, NULL));
  g_assert_cmpint (trace.due_ns, ==, WEIR_NEVER_NS);
  record.now_ns = WEIR_MS (300);
  gst_weir_trace_record (&trace, &record);
  record.now_ns = WEIR_MS (900);
  gst_weir_trace_record (&trace, &record);
  g_assert_cmpint (trace.due_ns, ==, WEIR_MS (1300));
  g_assert_null (gst_weir_trace_take (&trace, WEIR_MS (1299)));
  GString *lines = gst_weir_trace_take (&trace, WEIR_MS (1300));
  g_assert_nonnull (lines);
  g_assert_true (gst_weir_trace_write (&trace, lines, NULL));
  g_assert_cmpuint (count_kind (path, "1200"), ==, 2); /* without closing */
  g_assert_cmpint (trace.due_ns, ==, WEIR_NEVER_NS);
  g_assert_true (gst_weir_trace_close (&trace, NULL));
  remove_path (path);
}

static void
test_much_is_written_earlier (void)
{
  GstWeirSendTrace trace = { 0 };
  gchar *path = new_path ();
  GString *lines = NULL;
  guint n = 0;
  g_assert_true (gst_weir_trace_open (&trace, path, 0, NULL));
  for (; lines == NULL; n++) {
    g_assert_cmpuint (n, <, 10000);
    gst_weir_trace_record (&trace, &sent);
    lines = gst_weir_trace_take (&trace, 0);
  }
  g_assert_cmpuint (lines->len, >=, 65536);
  g_assert_true (gst_weir_trace_write (&trace, lines, NULL));
  g_assert_true (gst_weir_trace_close (&trace, NULL));
  g_assert_cmpuint (count_kind (path, "1200"), ==, n);
  remove_path (path);
}

static void
test_closing_writes_the_rest_and_may_be_repeated (void)
{
  GstWeirSendTrace trace = { 0 };
  gchar *path = new_path ();
  g_assert_true (gst_weir_trace_open (&trace, path, 0, NULL));
  gst_weir_trace_record (&trace, &sent);
  g_assert_true (gst_weir_trace_close (&trace, NULL));
  g_assert_true (gst_weir_trace_close (&trace, NULL));
  gst_weir_trace_record (&trace, &sent); /* nobody listens any more */
  g_assert_null (gst_weir_trace_take (&trace, WEIR_SECONDS (10)));
  g_assert_cmpuint (count_kind (path, "1200"), ==, 1);
  remove_path (path);
}

static gchar *
part_path (const gchar *path, guint age)
{
  return age == 0 ? g_strdup (path) : g_strdup_printf ("%s.%u", path, age);
}

/* Ten parts' worth of lines: the five newest parts are there, whole, in order, none too large. */
static void
test_a_full_file_becomes_an_old_part (void)
{
  GstWeirSendTrace trace = { 0 };
  gchar *path = new_path ();
  struct weir_trace_record record = sent;
  const guint64 max_bytes = 4000;
  gint64 expected = -1;
  g_assert_true (gst_weir_trace_open (&trace, path, max_bytes, NULL));
  while (trace.part < 10) {
    record.seq++;
    gst_weir_trace_record (&trace, &record);
    GString *lines = gst_weir_trace_take (&trace, WEIR_SECONDS (100));
    g_assert_true (gst_weir_trace_write (&trace, lines, NULL));
  }
  g_assert_true (gst_weir_trace_close (&trace, NULL));
  for (gint age = 5; age >= 0; age--) {
    gchar *name = part_path (path, (guint) age);
    g_assert_true (g_file_test (name, G_FILE_TEST_EXISTS) == (age < 5));
    if (age < 5) {
      guint n = 0;
      gchar **lines = read_lines (name, &n);
      gchar *head = g_strdup_printf (
          "{\"kind\":\"part\",\"now_ns\":100000000000,\"version\":3,\"part\":%d}", 10 - age);
      GStatBuf status;
      g_assert_cmpstr (lines[0], ==, head);
      g_assert_cmpint (g_stat (name, &status), ==, 0);
      g_assert_cmpuint ((guint64) status.st_size, <=, max_bytes);
      for (guint i = 1; i < n; i++) {
        gint64 seq = g_ascii_strtoll (strstr (lines[i], "\"seq\":") + 6, NULL, 10);
        g_assert_true (expected < 0 || seq == expected);
        expected = seq + 1;
      }
      g_free (head);
      g_strfreev (lines);
      if (age > 0) {
        g_unlink (name);
      }
    }
    g_free (name);
  }
  g_assert_cmpint (expected, ==, record.seq + 1);
  remove_path (path);
}

/* What an earlier run left does not look like a part of this one. */
static void
test_a_new_trace_removes_old_parts (void)
{
  GstWeirSendTrace trace = { 0 };
  gchar *path = new_path ();
  gchar *old = part_path (path, 2);
  g_assert_true (g_file_set_contents (old, "{}\n", -1, NULL));
  g_assert_true (gst_weir_trace_open (&trace, path, 1000, NULL));
  g_assert_false (g_file_test (old, G_FILE_TEST_EXISTS));
  g_assert_true (gst_weir_trace_close (&trace, NULL));
  g_free (old);
  remove_path (path);
}

/* The directory is gone: no new part can begin, and the error names the file. */
static void
test_a_part_that_cannot_begin_is_an_error (void)
{
  GstWeirSendTrace trace = { 0 };
  GError *error = NULL;
  gchar *path = new_path ();
  gchar *directory = g_path_get_dirname (path);
  g_assert_true (gst_weir_trace_open (&trace, path, 10, NULL));
  g_assert_true (gst_weir_trace_write (&trace, g_string_new ("{\"kind\":0}\n"), NULL));
  g_unlink (path);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
  g_assert_false (gst_weir_trace_write (&trace, g_string_new ("{\"kind\":1}\n"), &error));
  g_assert_nonnull (strstr (error->message, path));
  g_error_free (error);
  g_assert_true (gst_weir_trace_close (&trace, NULL));
  g_free (directory);
  g_free (path);
}

static void
test_a_full_disk_is_an_error (void)
{
  GstWeirSendTrace trace = { 0 };
  GError *error = NULL;
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip ("no /dev/full");
    return;
  }
  g_assert_true (gst_weir_trace_open (&trace, "/dev/full", 0, NULL));
  gst_weir_trace_record (&trace, &sent);
  g_assert_false (gst_weir_trace_close (&trace, &error));
  g_assert_nonnull (strstr (error->message, "/dev/full"));
  g_error_free (error);
}

static void
test_a_path_that_cannot_be_written_stops_the_start (void)
{
  Rig *rig = rig_new_idle ("trace-location=/nowhere/at/all.jsonl");
  g_assert_cmpint (gst_element_set_state (rig->send, GST_STATE_READY), !=,
                   GST_STATE_CHANGE_FAILURE);
  g_assert_cmpint (gst_element_set_state (rig->send, GST_STATE_PAUSED), ==,
                   GST_STATE_CHANGE_FAILURE);
  rig_expect_error (rig, "trace-location|/nowhere/at/all.jsonl|No such file");
  rig_free (rig);
}

static void
test_a_run_is_recorded_from_its_start (void)
{
  gchar *path = new_path ();
  gchar *text = g_strdup_printf ("encoders=none trace-location=%s", path);
  Rig *rig = rig_new (text, VIDEO_CAPS);
  for (guint i = 0; i < 20; i++) {
    gst_harness_push (rig->h, rtp (i, 200));
    rig_run_until (rig, (i + 1) * 10 * GST_MSECOND);
  }
  rig_run_until (rig, 1500 * GST_MSECOND); /* no need to stop to read it */
  g_assert_cmpuint (count_kind (path, "start"), >=, 1);
  g_assert_cmpuint (count_kind (path, "sluice"), >=, 1);
  g_assert_cmpuint (count_kind (path, "sent"), >=, 20);
  gst_util_set_object_arg (G_OBJECT (rig->send), "algorithm", "fixed");
  gst_harness_push (rig->h, rtp (20, 200));
  rig_settle (rig);
  rig_free (rig);
  g_assert_cmpuint (count_kind (path, "fixed"), >=, 1);
  g_assert_cmpuint (count_kind (path, "sent"), >=, 21);
  g_free (text);
  remove_path (path);
}

/* The disk fills up while playing: one warning, and media goes on. */
static void
test_a_trace_that_fails_does_not_stop_the_media (void)
{
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip ("no /dev/full");
    return;
  }
  Rig *rig = rig_new ("encoders=none trace-location=/dev/full", VIDEO_CAPS);
  for (guint i = 0; i < 20; i++) {
    gst_harness_push (rig->h, rtp (i, 200));
    rig_run_until (rig, (i + 1) * 100 * GST_MSECOND);
  }
  g_assert_cmpuint (rig_n_buffers (rig), ==, 20);
  rig_expect_warning (rig, "/dev/full|the trace ends here");
  rig_expect_silence (rig);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_trace/" #name, test_##name)
  ADD (lines_wait_at_most_a_second);
  ADD (much_is_written_earlier);
  ADD (closing_writes_the_rest_and_may_be_repeated);
  ADD (a_full_file_becomes_an_old_part);
  ADD (a_new_trace_removes_old_parts);
  ADD (a_part_that_cannot_begin_is_an_error);
  ADD (a_full_disk_is_an_error);
  ADD (a_path_that_cannot_be_written_stops_the_start);
  ADD (a_run_is_recorded_from_its_start);
  ADD (a_trace_that_fails_does_not_stop_the_media);
  return g_test_run ();
}
