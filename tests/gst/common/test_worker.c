/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A worker on a clock that the test moves. */
#include "common/worker.h"

#include "test_clock.h"
#include "weir/units.h"

typedef struct
{
  GstTestClock *clock;
  GstWeirWorker worker;
  gint64 interval_ns; /* until the next turn */
  gint n_turns;       /* atomic */
  gint hold;          /* atomic: a turn waits until it is 0 */
} Rig;

static gint64
turn (gpointer user)
{
  Rig *rig = user;
  g_atomic_int_inc (&rig->n_turns);
  while (g_atomic_int_get (&rig->hold) != 0) {
    g_thread_yield ();
  }
  return weir_time_add_ns (gst_weir_worker_now_ns (&rig->worker), rig->interval_ns);
}

static void
begin (Rig *rig, gint64 interval_ns)
{
  *rig = (Rig){ .clock = GST_TEST_CLOCK (gst_test_clock_new ()), .interval_ns = interval_ns };
  gst_weir_worker_init (&rig->worker, GST_CLOCK (rig->clock), turn, rig);
}

static void
end (Rig *rig)
{
  gst_weir_worker_stop (&rig->worker);
  gst_weir_worker_clear (&rig->worker);
  gst_object_unref (rig->clock);
}

static void
test_a_turn_comes_when_it_is_due (void)
{
  Rig rig;
  begin (&rig, WEIR_MS (10));
  gst_weir_worker_start (&rig.worker, "worker");
  gst_weir_worker_start (&rig.worker, "not another");
  g_assert_cmpuint (run_clock (rig.clock, 95 * GST_MSECOND), ==, 9);
  g_assert_cmpint (g_atomic_int_get (&rig.n_turns), ==, 10);
  end (&rig);
}

static void
test_it_stops_and_starts (void)
{
  Rig rig;
  begin (&rig, WEIR_SECONDS (1));
  for (gint i = 1; i <= 20; i++) {
    gst_weir_worker_start (&rig.worker, "worker");
    gst_test_clock_wait_for_next_pending_id (rig.clock, NULL);
    g_assert_cmpint (g_atomic_int_get (&rig.n_turns), ==, i);
    gst_weir_worker_stop (&rig.worker);
    gst_weir_worker_stop (&rig.worker);
  }
  end (&rig);
}

static void
wait_for_turns (Rig *rig, gint n)
{
  while (g_atomic_int_get (&rig->n_turns) < n) {
    g_thread_yield ();
  }
}

static void
test_it_can_be_woken (void)
{
  Rig rig;
  begin (&rig, WEIR_SECONDS (1));
  gst_weir_worker_start (&rig.worker, "worker");
  for (gint i = 2; i < 20; i++) {
    gst_test_clock_wait_for_next_pending_id (rig.clock, NULL);
    gst_weir_worker_wake_by (&rig.worker, WEIR_SECONDS (1));
    gst_weir_worker_wake_by (&rig.worker, WEIR_MS (999));
    wait_for_turns (&rig, i);
  }
  gst_test_clock_wait_for_next_pending_id (rig.clock, NULL);
  g_assert_cmpint (g_atomic_int_get (&rig.n_turns), ==, 19);
  end (&rig);
}

/* What is changed while a turn is under way is seen by another one. */
static void
test_a_wake_during_a_turn_is_not_lost (void)
{
  Rig rig;
  begin (&rig, WEIR_NEVER_NS);
  for (gint i = 1; i < 40; i += 2) {
    g_atomic_int_set (&rig.hold, 1);
    gst_weir_worker_start (&rig.worker, "worker");
    wait_for_turns (&rig, i);
    gst_weir_worker_wake (&rig.worker);
    g_atomic_int_set (&rig.hold, 0);
    wait_for_turns (&rig, i + 1);
    gst_weir_worker_stop (&rig.worker);
    g_assert_cmpint (g_atomic_int_get (&rig.n_turns), ==, i + 1);
  }
  end (&rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/worker/" #name, test_##name)
  ADD (a_turn_comes_when_it_is_due);
  ADD (it_stops_and_starts);
  ADD (it_can_be_woken);
  ADD (a_wake_during_a_turn_is_not_lost);
  return g_test_run ();
}
