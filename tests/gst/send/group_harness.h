/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several elements on one test clock, members of a group or not. */
#ifndef GROUP_HARNESS_H
#define GROUP_HARNESS_H

#include "send/send_harness.h"

#define AUDIO_CAPS "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=97"
#define MEMBERS_MAX 32

typedef struct
{
  GstTestClock *clock;
  Rig *rigs[MEMBERS_MAX];
  guint n;
  guint n_stuck; /* of those that run: they do not wait for the clock */
} Group;

static void
group_begin (Group *group)
{
  *group = (Group){ .clock = test_clock_begin () };
}

/* Not playing yet. */
static Rig *
group_add_idle (Group *group, const gchar *properties)
{
  Rig *rig = rig_new_on (gst_object_ref (group->clock), properties);
  group->rigs[group->n++] = rig;
  return rig;
}

G_GNUC_UNUSED static Rig *
group_add (Group *group, const gchar *properties, const gchar *caps)
{
  Rig *rig = group_add_idle (group, properties);
  rig_play (rig, caps);
  return rig;
}

/* How many of them run, each of which waits for the clock when it has nothing to do. */
static guint
group_n_running (Group *group)
{
  guint n = 0;
  for (guint i = 0; i < group->n; i++) {
    n += GST_STATE (group->rigs[i]->send) >= GST_STATE_PAUSED;
  }
  return n;
}

/* Until all have done what they can at the present time. */
static void
group_settle (Group *group)
{
  gst_test_clock_wait_for_multiple_pending_ids (group->clock,
                                                group_n_running (group) - group->n_stuck, NULL);
}

/* Lets time pass up to `until`; returns how often one of them woke up. */
static guint
group_run_until (Group *group, GstClockTime until)
{
  for (guint wakeups = 0;; wakeups++) {
    GstClockID id = NULL;
    group_settle (group);
    gst_test_clock_peek_next_pending_id (group->clock, &id);
    GstClockTime due = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (due > until) {
      if (gst_clock_get_time (GST_CLOCK (group->clock)) < until) {
        gst_test_clock_set_time (group->clock, until);
      }
      return wakeups;
    }
    gst_test_clock_crank (group->clock);
  }
}

G_GNUC_UNUSED static GstClockTime
group_now (Group *group)
{
  return gst_clock_get_time (GST_CLOCK (group->clock));
}

G_GNUC_UNUSED static guint
group_run (Group *group, GstClockTime duration)
{
  return group_run_until (group, group_now (group) + duration);
}

static void
group_end (Group *group)
{
  for (guint i = 0; i < group->n; i++) {
    rig_free (group->rigs[i]);
  }
  gst_object_unref (group->clock);
}

static inline guint
target_of (Rig *rig)
{
  guint bps = 0;
  g_object_get (rig->send, "target-bitrate", &bps, NULL);
  return bps;
}

#endif
