/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path: its lock, which is the session lock of each of its members, and what one member does
 * for all of them. */
#include "send/weirsend_path.h"

/* A timer that claims to be overdue after it ran is asked again this much later. */
#define TIMER_REST_NS WEIR_MS (1)

void
gst_weir_path_init (GstWeirPath *path)
{
  *path = (GstWeirPath){ 0 };
  g_mutex_init (&path->lock);
}

void
gst_weir_member_init (GstWeirMember *self, GstElement *element, GstWeirSendSettings *settings,
                      GstClock *clock, const GstWeirMemberEvents *events)
{
  self->element = element;
  self->settings = settings;
  self->events = events;
  gst_weir_path_init (&self->own);
  self->path = &self->own;
  self->number = GST_WEIR_NO_NUMBER;
  g_cond_init (&self->room);
  gst_weir_waiter_init (&self->waiter, clock);
}

void
gst_weir_member_clear (GstWeirMember *self)
{
  gst_weir_waiter_clear (&self->waiter);
  g_cond_clear (&self->room);
  g_mutex_clear (&self->own.lock);
}

gint64
gst_weir_member_now (const GstWeirMember *self)
{
  return (gint64) gst_clock_get_time (self->waiter.clock);
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
  GstWeirPath *path = self->path;
  GSList *spent = g_steal_pointer (&path->spent);
  g_mutex_unlock (&path->lock);
  g_slist_free_full (spent, (GDestroyNotify) gst_mini_object_unref);
}

void
gst_weir_member_put_aside_locked (GstWeirMember *self, GstMiniObject *object)
{
  if (object != NULL) {
    self->path->spent = g_slist_prepend (self->path->spent, object);
  }
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
  if (path->spent != NULL) { /* goes first; who waits looks again */
    gst_weir_member_unlock (self);
    gst_weir_member_lock (self);
    return;
  }
  g_cond_wait (&self->room, &path->lock);
  check_lock (self, path);
}

void
gst_weir_member_wake_locked (GstWeirMember *self)
{
  gst_weir_waiter_wake (&self->waiter);
}

/* --- Timers. They wait in the task of one member, the keeper; one that pushes, and may be held up
 * by what is behind it, gives them to another that waits. --- */

static gboolean
waits (const GstWeirMember *member)
{
  return member->waiter.until_ns != WEIR_UNKNOWN_NS;
}

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
      if (weir_sender_next_timer_ns (path->sender) < member->waiter.until_ns) {
        gst_weir_member_wake_locked (member);
      }
    }
  }
}

/* When the pacing task has to be awake again. */
static gint64
next_due_locked (GstWeirMember *self, gint64 now_ns)
{
  gint64 due_ns = self->events->next_due_locked (self, now_ns);
  return self->path->keeper == self
             ? weir_min_i64 (due_ns, weir_sender_next_timer_ns (self->path->sender))
             : due_ns;
}

/* It sleeps for the timers, too, when no other task does. */
void
gst_weir_member_sleep_locked (GstWeirMember *self, gint64 now_ns)
{
  GstWeirPath *path = self->path;
  if (path->keeper == NULL || !waits (path->keeper)) {
    path->keeper = self;
  }
  gint64 until_ns = next_due_locked (self, now_ns);
  gst_weir_waiter_wait (&self->waiter, &path->lock,
                        until_ns > now_ns ? until_ns : now_ns + TIMER_REST_NS);
  check_lock (self, path);
  gst_weir_waiter_done (&self->waiter);
}

void
gst_weir_member_wake_if_due_locked (GstWeirMember *self, gint64 now_ns)
{
  if (waits (self) && next_due_locked (self, now_ns) < self->waiter.until_ns) {
    gst_weir_member_wake_locked (self);
  }
}

/* --- Streams --- */

static gchar *
complain_of_stream_locked (GstWeirMember *self, guint32 ssrc, guint32 owner)
{
  const GstWeirPath *path = self->path;
  for (guint i = 0; i < path->n_members && !self->same_ssrc_reported; i++) {
    if (path->members[i]->number == owner) {
      self->same_ssrc_reported = TRUE;
      return g_strdup_printf (
          "group \"%s\": SSRC %u arrives both here and through %s, so neither receivers nor the "
          "group can tell the two streams apart; give their payloaders different values of ssrc",
          path->group, ssrc, GST_OBJECT_NAME (path->members[i]->element));
    }
  }
  return NULL;
}

gchar *
gst_weir_member_note_stream_locked (GstWeirMember *self, guint32 ssrc, guint clock_rate_hz)
{
  const GstWeirPath *path = self->path;
  guint32 owner = self->number;
  gboolean known = weir_sender_find_stream (path->sender, ssrc, &owner);
  if (known && owner != self->number) {
    return complain_of_stream_locked (self, ssrc, owner);
  }
  if (clock_rate_hz > 0) {
    weir_sender_set_clock_rate (path->sender, self->number, ssrc, clock_rate_hz);
  }
  return NULL;
}

void
gst_weir_member_report_locked (GstWeirMember *self, gint64 now_ns)
{
  const GstWeirPath *path = self->path;
  if (weir_sender_next_report_ns (path->sender) <= now_ns) {
    for (guint i = 0; i < path->n_members; i++) {
      path->members[i]->events->report_locked (path->members[i], now_ns);
    }
  }
}

/* --- Members behind one RTP session --- */

gboolean
gst_weir_member_listens_locked (const GstWeirMember *self)
{
  for (guint i = 0; i < self->path->n_members; i++) {
    const GstWeirMember *member = self->path->members[i];
    if (member->rtp_session == self->rtp_session) {
      return member == self;
    }
  }
  return FALSE;
}

gboolean
gst_weir_member_takes_results_locked (GstWeirMember *self, guint32 seqnum)
{
  gboolean repeated = FALSE;
  for (guint i = 0; i < self->path->n_members && self->rtp_session != NULL; i++) {
    const GstWeirMember *member = self->path->members[i];
    repeated
        |= member != self && member->results == seqnum && member->rtp_session == self->rtp_session;
  }
  self->results = seqnum;
  return !repeated;
}

/* --- What the session answers --- */

static void
take_output_locked (GstWeirMember *self, const struct weir_output *output,
                    const struct weir_share *share, gint64 now_ns)
{
  struct weir_output former = self->output;
  self->output = *output;
  self->output.target_media_bps = share->target_media_bps;
  self->drain_wire_bps = share->drain_wire_bps;
  self->events->on_output_locked (self, &former, now_ns);
}

/* Whatever becomes due for the others by that they do in their own tasks. */
void
gst_weir_member_update_output_locked (GstWeirMember *self, gint64 now_ns)
{
  const GstWeirPath *path = self->path;
  struct weir_output output;
  struct weir_share share;
  weir_sender_get_output (path->sender, &output);
  for (guint i = 0; i < path->n_members; i++) {
    GstWeirMember *member = path->members[i];
    if (weir_sender_get_share (path->sender, member->number, &share) == WEIR_OK) {
      take_output_locked (member, &output, &share, now_ns);
    }
    if (member != self) {
      gst_weir_member_wake_if_due_locked (member, now_ns);
    }
  }
}

gint64
gst_weir_member_proved_bps_locked (const GstWeirMember *self)
{
  gboolean running = self->path->sender != NULL && self->number != GST_WEIR_NO_NUMBER;
  return running ? weir_sender_get_proved_bps (self->path->sender, self->number) : self->proved_bps;
}
