/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the application is told: no complaint is lost while there is no bus, and each is posted
 * once. */
#include "send/weirsend_report.h"

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

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_report/" #name, test_##name)
  ADD (complaints_wait_for_a_bus);
  ADD (few_of_many_complaints_wait);
  return g_test_run ();
}
