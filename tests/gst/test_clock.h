/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time for elements that wait on a test clock. */
#ifndef WEIR_TESTS_TEST_CLOCK_H
#define WEIR_TESTS_TEST_CLOCK_H

#include <gst/check/gsttestclock.h>

/* Lets time pass up to `until`, stopping at everything that is waited for: an element always waits
 * for something. How often it woke up. */
G_GNUC_UNUSED static guint
run_clock (GstTestClock *clock, GstClockTime until)
{
  for (guint wakeups = 0;; wakeups++) {
    GstClockID id = NULL;
    gst_test_clock_wait_for_next_pending_id (clock, &id);
    GstClockTime due = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (due > until) {
      if (gst_clock_get_time (GST_CLOCK (clock)) < until) {
        gst_test_clock_set_time (clock, until);
      }
      return wakeups;
    }
    gst_test_clock_crank (clock);
  }
}

#endif
