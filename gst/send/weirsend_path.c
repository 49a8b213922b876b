/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path: its lock, which is the session lock of each of its members, and what one member does
 * for all of them. */
#include "send/weirsend_path.h"

#include "encoder/encoder.h"

void
gst_weir_path_init (GstWeirPath *path)
{
  *path = (GstWeirPath){ 0 };
  g_mutex_init (&path->lock);
}

/* Without members. */
void
gst_weir_path_clear (GstWeirPath *path)
{
  g_mutex_clear (&path->lock);
}

void
gst_weir_member_init (GstWeirMember *self, GstWeirSend *send, GstClock *clock,
                      const GstWeirMemberEvents *events)
{
  self->send = send;
  self->events = events;
  gst_weir_path_init (&self->own);
  self->path = &self->own;
  self->share = GST_WEIR_NO_SHARE;
  self->transport = WEIR_TRANSPORTS;
  g_cond_init (&self->room);
  gst_weir_waiter_init (&self->waiter, clock);
}

void
gst_weir_member_clear (GstWeirMember *self)
{
  gst_weir_waiter_clear (&self->waiter);
  g_cond_clear (&self->room);
  gst_weir_path_clear (&self->own);
}

/* --- The lock. A path may be left while others wait for its lock, hence the second look; its
 * memory outlives all who may wait (weirsend_group.c). --- */

void
gst_weir_member_lock (GstWeirMember *self)
{
  GstWeirPath *path = g_atomic_pointer_get (&self->path);
  g_mutex_lock (&path->lock);
  while (path != g_atomic_pointer_get (&self->path)) {
    g_mutex_unlock (&path->lock);
    path = g_atomic_pointer_get (&self->path);
    g_mutex_lock (&path->lock);
  }
}

void
gst_weir_member_unlock (GstWeirMember *self)
{
  g_mutex_unlock (&self->path->lock);
}

/* Moves to another path, whose lock, like that of the present one, is held. Whoever waits for a
 * condition moves on to the other lock. */
static void
move_locked (GstWeirMember *self, GstWeirPath *path)
{
  g_atomic_pointer_set (&self->path, path);
  g_cond_broadcast (&self->room);
  gst_weir_waiter_wake (&self->waiter);
}

/* From its own path; afterwards the session lock is held. A group's lock comes before a member's
 * own. */
void
gst_weir_member_enter_and_lock (GstWeirMember *self, GstWeirPath *path)
{
  g_mutex_lock (&path->lock);
  g_mutex_lock (&self->own.lock);
  move_locked (self, path);
  g_mutex_unlock (&self->own.lock);
}

/* Back to its own path, whose lock is the session lock that is held afterwards. */
void
gst_weir_member_return_locked (GstWeirMember *self)
{
  GstWeirPath *path = self->path;
  g_mutex_lock (&self->own.lock);
  move_locked (self, &self->own);
  g_mutex_unlock (&path->lock);
}

/* The condition was waited for with the lock of `path`. */
static void
check_lock (GstWeirMember *self, GstWeirPath *path)
{
  if (path != g_atomic_pointer_get (&self->path)) {
    g_mutex_unlock (&path->lock);
    gst_weir_member_lock (self);
  }
}

void
gst_weir_member_wait_locked (GstWeirMember *self)
{
  GstWeirPath *path = self->path;
  g_cond_wait (&self->room, &path->lock);
  check_lock (self, path);
}

void
gst_weir_member_sleep_locked (GstWeirMember *self, gint64 until_ns)
{
  GstWeirPath *path = self->path;
  gst_weir_waiter_wait (&self->waiter, &path->lock, until_ns);
  check_lock (self, path);
  gst_weir_waiter_done (&self->waiter);
}

void
gst_weir_member_wake_locked (GstWeirMember *self)
{
  gst_weir_waiter_wake (&self->waiter);
}

void
gst_weir_member_wake_if_due_locked (GstWeirMember *self, gint64 now_ns)
{
  if (self->waiter.until_ns != WEIR_UNKNOWN_NS
      && self->events->next_due_locked (self, now_ns) < self->waiter.until_ns) {
    gst_weir_member_wake_locked (self);
  }
}

/* --- Timers. They wait in the task of one member, the keeper; one that pushes, and may be held up
 * by what is behind it, gives them to another that waits. --- */

static gboolean
waits (const GstWeirMember *member)
{
  return member->waiter.until_ns != WEIR_UNKNOWN_NS;
}

/* When those timers are due that all members share. */
gint64
gst_weir_path_timer_ns_locked (const GstWeirPath *path)
{
  gint64 due_ns = weir_sender_next_timer_ns (path->sender);
  return path->shares != NULL ? weir_min_i64 (due_ns, weir_shares_next_timer_ns (path->shares))
                              : due_ns;
}

/* Before a wait, which is for the timers, too, when no other task waits for them. */
void
gst_weir_member_keep_timers_locked (GstWeirMember *self)
{
  GstWeirPath *path = self->path;
  if (path->keeper == NULL || !waits (path->keeper)) {
    path->keeper = self;
  }
}

/* Before what may take its time, or the end. */
void
gst_weir_member_give_timers_locked (GstWeirMember *self)
{
  GstWeirPath *path = self->path;
  if (path->keeper != self) {
    return;
  }
  path->keeper = NULL;
  for (guint i = 0; i < path->n_members && path->keeper == NULL; i++) {
    GstWeirMember *member = path->members[i];
    if (member != self && waits (member)) {
      path->keeper = member;
      if (gst_weir_path_timer_ns_locked (path) < member->waiter.until_ns) {
        gst_weir_member_wake_locked (member);
      }
    }
  }
}

/* --- What all members have together --- */

/* What waits in their send queues. */
gint64
gst_weir_path_queued_bytes_locked (const GstWeirPath *path)
{
  gint64 sum_bytes = 0;
  for (guint i = 0; i < path->n_members; i++) {
    sum_bytes += path->members[i]->queued_bytes;
  }
  return sum_bytes;
}

static gboolean
has_ssrc (const GstWeirMember *member, guint32 ssrc)
{
  for (guint i = 0; i < member->n_ssrcs; i++) {
    if (member->ssrcs[i] == ssrc) {
      return TRUE;
    }
  }
  return FALSE;
}

/* A stream that comes in here. Returns what is wrong with it when it is new, or NULL; free it. */
gchar *
gst_weir_member_note_ssrc_locked (GstWeirMember *self, guint32 ssrc)
{
  const GstWeirPath *path = self->path;
  if (has_ssrc (self, ssrc) || self->n_ssrcs == GST_WEIR_SSRCS_MAX) {
    return NULL;
  }
  self->ssrcs[self->n_ssrcs++] = ssrc;
  for (guint i = 0; i < path->n_members; i++) {
    if (path->members[i] != self && has_ssrc (path->members[i], ssrc)) {
      return g_strdup_printf (
          "group \"%s\": SSRC %u comes here and through %s, so receivers cannot "
          "tell the two apart, nor can the group; give their payloaders "
          "different values of ssrc",
          path->group, ssrc, GST_OBJECT_NAME (path->members[i]->send));
    }
  }
  return NULL;
}

/* --- What the session answers --- */

static void
take_output_locked (GstWeirMember *self, const struct weir_output *output, gint64 share_bps,
                    gint64 drain_wire_bps, gint64 now_ns)
{
  struct weir_output former = self->output;
  self->output = *output;
  self->output.target_media_bps = share_bps;
  self->drain_wire_bps = drain_wire_bps;
  self->events->on_output_locked (self, &former, now_ns);
}

/* Each member's share, and whatever becomes due for the others by that. */
static void
split_output_locked (GstWeirMember *self, const struct weir_output *output, gint64 now_ns)
{
  GstWeirPath *path = self->path;
  gboolean ceased = (output->state & WEIR_STATE_BREAKER_CEASED) != 0;
  guint64 sum_bps = 0;
  weir_shares_split (path->shares, now_ns, output->target_wire_bps);
  for (guint i = 0; i < path->n_members; i++) {
    sum_bps += (guint64) weir_shares_get_wire_bps (path->shares, path->members[i]->share);
  }
  for (guint i = 0; i < path->n_members; i++) {
    GstWeirMember *member = path->members[i];
    guint64 wire_bps = (guint64) weir_shares_get_wire_bps (path->shares, member->share);
    gint64 share_bps = ceased ? 0 : weir_shares_get_media_bps (path->shares, member->share);
    guint64 drain_wire_bps
        = gst_util_uint64_scale ((guint64) output->pacing_wire_bps, wire_bps, MAX (sum_bps, 1));
    take_output_locked (member, output, share_bps, (gint64) drain_wire_bps, now_ns);
    if (member != self) {
      gst_weir_member_wake_if_due_locked (member, now_ns);
    }
  }
}

void
gst_weir_member_update_output_locked (GstWeirMember *self, gint64 now_ns)
{
  struct weir_output output;
  weir_sender_get_output (self->path->sender, &output);
  if (self->path->shares == NULL) {
    take_output_locked (self, &output, output.target_media_bps, output.pacing_wire_bps, now_ns);
  } else {
    split_output_locked (self, &output, now_ns);
  }
}
