/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/flushed.h"

static GstEvent *
make_caps_event (const gchar *name)
{
  GstCaps *caps = gst_caps_new_empty_simple (name);
  GstEvent *event = gst_event_new_caps (caps);
  gst_caps_unref (caps);
  return event;
}

static GSList *
prepend_all (GstBuffer *buffer)
{
  GstSegment segment;
  GSList *flushed = NULL;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  flushed = g_slist_prepend (flushed, gst_event_new_stream_start ("a"));
  flushed = g_slist_prepend (flushed, make_caps_event ("audio/x-old"));
  flushed = g_slist_prepend (flushed, gst_event_new_segment (&segment));
  flushed = g_slist_prepend (flushed, gst_buffer_ref (buffer));
  flushed = g_slist_prepend (flushed, make_caps_event ("audio/x-new"));
  return g_slist_prepend (flushed, gst_event_new_eos ());
}

static void
test_the_newest_of_what_sticks_is_stored (void)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  GstBuffer *buffer = gst_buffer_new ();
  gst_pad_set_active (pad, TRUE);
  gst_weir_flushed_free (prepend_all (buffer), pad);
  GstEvent *start = gst_pad_get_sticky_event (pad, GST_EVENT_STREAM_START, 0);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  g_assert_nonnull (start);
  g_assert_true (gst_structure_has_name (gst_caps_get_structure (caps, 0), "audio/x-new"));
  g_assert_null (gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0));
  g_assert_null (gst_pad_get_sticky_event (pad, GST_EVENT_EOS, 0));
  g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer), ==, 1);
  gst_caps_unref (caps);
  gst_event_unref (start);
  gst_buffer_unref (buffer);
  gst_object_unref (pad);
}

static void
test_without_a_pad_all_of_it_goes (void)
{
  GstBuffer *buffer = gst_buffer_new ();
  gst_weir_flushed_free (prepend_all (buffer), NULL);
  gst_weir_flushed_free (NULL, NULL);
  g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer), ==, 1);
  gst_buffer_unref (buffer);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/flushed/the_newest_of_what_sticks_is_stored",
                   test_the_newest_of_what_sticks_is_stored);
  g_test_add_func ("/gst/flushed/without_a_pad_all_of_it_goes", test_without_a_pad_all_of_it_goes);
  return g_test_run ();
}
