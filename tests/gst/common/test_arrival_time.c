/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long ago a packet arrived, by its metadata. */
#include "common/arrival_time.h"

#define NOW_NS ((gint64) 1800000000 * (gint64) GST_SECOND)

static gint64
now (void)
{
  return NOW_NS;
}

static gint64
not_asked (void)
{
  g_assert_not_reached ();
}

static void
test_age (void)
{
  static const struct
  {
    gint64 arrived_ns, age_ns;
  } cases[] = { { NOW_NS, 0 },
                { NOW_NS - 1, 1 },
                { NOW_NS - 5000000, 5000000 },
                { NOW_NS - 1000000000, 1000000000 },
                { NOW_NS - 1000000001, 0 }, /* not credible */
                { NOW_NS + 1, 0 },
                { 0, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new ();
    gst_buffer_add_reference_timestamp_meta (
        buffer, gst_weir_arrival_caps (), (GstClockTime) cases[i].arrived_ns, GST_CLOCK_TIME_NONE);
    g_assert_cmpint (gst_weir_arrival_age_ns (buffer, now), ==, cases[i].age_ns);
  }
}

/* Another clock's time, or none. */
static void
test_other_metadata (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstCaps) ntp = gst_caps_new_empty_simple ("timestamp/x-ntp");
  g_assert_cmpint (gst_weir_arrival_age_ns (buffer, not_asked), ==, 0);
  gst_buffer_add_reference_timestamp_meta (buffer, ntp, NOW_NS - 5, GST_CLOCK_TIME_NONE);
  g_assert_cmpint (gst_weir_arrival_age_ns (buffer, not_asked), ==, 0);
}

static void
test_unix_time (void)
{
  gint64 before_ns = g_get_real_time () * 1000;
  gint64 now_ns = gst_weir_unix_time_ns ();
  g_assert_cmpint (now_ns, >=, before_ns);
  g_assert_cmpint (now_ns, <=, (g_get_real_time () + 1) * 1000);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arrival_time/age", test_age);
  g_test_add_func ("/arrival_time/other_metadata", test_other_metadata);
  g_test_add_func ("/arrival_time/unix_time", test_unix_time);
  return g_test_run ();
}
