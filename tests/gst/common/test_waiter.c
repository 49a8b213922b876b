/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The waiter returns in time, or when it is woken, on whatever clock. */
#include "common/waiter.h"
#include "test_clock.h"
#include "weir/units.h"

typedef struct
{
  GMutex lock;
  GstWeirWaiter waiter;
  gint64 until_ns;
  gboolean returned;
} Sleeper;

static gpointer
sleep_once (gpointer user)
{
  Sleeper *sleeper = user;
  g_mutex_lock (&sleeper->lock);
  gst_weir_waiter_wait (&sleeper->waiter, &sleeper->lock, sleeper->until_ns);
  sleeper->returned = TRUE;
  gst_weir_waiter_done (&sleeper->waiter);
  g_mutex_unlock (&sleeper->lock);
  return NULL;
}

static GThread *
sleeper_start (Sleeper *sleeper, GstClock *clock, gint64 until_ns)
{
  g_mutex_init (&sleeper->lock);
  gst_weir_waiter_init (&sleeper->waiter, clock);
  sleeper->until_ns = until_ns;
  sleeper->returned = FALSE;
  return g_thread_new ("sleeper", sleep_once, sleeper);
}

/* Until it waits; then what it waits for. */
static gint64
sleeper_waits_until (Sleeper *sleeper)
{
  for (;;) {
    g_mutex_lock (&sleeper->lock);
    gint64 until_ns = sleeper->waiter.until_ns;
    g_mutex_unlock (&sleeper->lock);
    if (until_ns != WEIR_UNKNOWN_NS) {
      return until_ns;
    }
    g_thread_yield ();
  }
}

static void
sleeper_end (Sleeper *sleeper, GThread *thread)
{
  g_thread_join (thread);
  g_assert_true (sleeper->returned);
  g_assert_cmpint (sleeper->waiter.until_ns, ==, WEIR_UNKNOWN_NS);
  gst_weir_waiter_clear (&sleeper->waiter);
  g_mutex_clear (&sleeper->lock);
}

static void
wake (Sleeper *sleeper)
{
  g_mutex_lock (&sleeper->lock);
  gst_weir_waiter_wake (&sleeper->waiter);
  g_assert_cmpint (sleeper->waiter.until_ns, ==, WEIR_UNKNOWN_NS); /* at once */
  g_mutex_unlock (&sleeper->lock);
}

static void
test_waits_until_the_time_of_a_test_clock (void)
{
  Sleeper sleeper;
  GstTestClock *clock = GST_TEST_CLOCK (gst_test_clock_new ());
  GThread *thread = sleeper_start (&sleeper, GST_CLOCK (clock), 5 * GST_SECOND);
  gst_test_clock_wait_for_next_pending_id (clock, NULL);
  gst_test_clock_set_time (clock, 4 * GST_SECOND);
  g_assert_cmpint (sleeper_waits_until (&sleeper), ==, 5 * GST_SECOND);
  g_assert_true (gst_test_clock_crank (clock));
  sleeper_end (&sleeper, thread);
  gst_object_unref (clock);
}

static void
test_is_woken_on_any_clock (void)
{
  GstClock *clocks[] = { gst_test_clock_new (), gst_system_clock_obtain () };
  const gint64 times_ns[] = { G_MAXINT64 / 2, WEIR_NEVER_NS };
  for (guint i = 0; i < G_N_ELEMENTS (clocks); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (times_ns); k++) {
      Sleeper sleeper;
      GThread *thread = sleeper_start (&sleeper, clocks[i], times_ns[k]);
      g_assert_cmpint (sleeper_waits_until (&sleeper), ==, times_ns[k]);
      wake (&sleeper);
      sleeper_end (&sleeper, thread);
    }
    gst_object_unref (clocks[i]);
  }
}

/* A wake-up is for the wait at hand: one that finds nobody is not kept for later. */
static void
test_waking_nobody_changes_nothing (void)
{
  Sleeper sleeper;
  GstTestClock *clock = GST_TEST_CLOCK (gst_test_clock_new ());
  GThread *thread = sleeper_start (&sleeper, GST_CLOCK (clock), GST_SECOND);
  gst_test_clock_wait_for_next_pending_id (clock, NULL);
  g_assert_true (gst_test_clock_crank (clock));
  g_thread_join (thread);
  wake (&sleeper);
  sleeper.until_ns = 2 * GST_SECOND;
  thread = g_thread_new ("sleeper", sleep_once, &sleeper);
  gst_test_clock_wait_for_next_pending_id (clock, NULL);
  g_assert_true (gst_test_clock_crank (clock));
  sleeper_end (&sleeper, thread);
  gst_object_unref (clock);
}

static void
test_a_time_that_has_passed_is_not_waited_for (void)
{
  Sleeper sleeper;
  GstClock *clock = gst_system_clock_obtain ();
  GThread *thread = sleeper_start (&sleeper, clock, (gint64) gst_clock_get_time (clock) - 1);
  sleeper_end (&sleeper, thread);
  gst_object_unref (clock);
}

#define ADD(name) g_test_add_func ("/gst/waiter/" #name, test_##name)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  ADD (waits_until_the_time_of_a_test_clock);
  ADD (is_woken_on_any_clock);
  ADD (waking_nobody_changes_nothing);
  ADD (a_time_that_has_passed_is_not_waited_for);
  return g_test_run ();
}
