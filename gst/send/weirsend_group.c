/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups: which paths there are in this process, and who joins and leaves them. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug
/* More than any session allows. */
#define MAX_BPS INT64_C (100000000000)
#define WEIGHT_UNIT 1000

/* --- The registry. Its lock is taken with no other one held, and no other one under it. --- */

static GMutex registry_lock;
static GPtrArray *registry; /* of GstWeirPath. Those without users wait for the next group: somebody
                               may still be waiting for their lock, so they are not freed */

static GstWeirPath *
find_path (const gchar *group)
{
  GstWeirPath *unused = NULL;
  for (guint i = 0; i < registry->len; i++) {
    GstWeirPath *path = g_ptr_array_index (registry, i);
    if (path->users > 0 && g_str_equal (path->group, group)) {
      return path;
    }
    unused = path->users == 0 ? path : unused;
  }
  return unused;
}

/* The path of a group, which stays it until it is put back. */
static GstWeirPath *
take_path (const gchar *group)
{
  g_mutex_lock (&registry_lock);
  if (registry == NULL) {
    registry = g_ptr_array_new ();
  }
  GstWeirPath *path = find_path (group);
  if (path == NULL) {
    path = g_new (GstWeirPath, 1);
    gst_weir_path_init (path);
    g_ptr_array_add (registry, path);
  }
  if (path->users++ == 0) {
    path->group = g_strdup (group);
  }
  g_mutex_unlock (&registry_lock);
  return path;
}

static void
put_path (GstWeirPath *path)
{
  g_mutex_lock (&registry_lock);
  if (--path->users == 0) {
    g_clear_pointer (&path->group, g_free);
  }
  g_mutex_unlock (&registry_lock);
}

/* --- What a member is to the session --- */

static struct weir_member
describe (const GstWeirSend *self)
{
  struct weir_member member = {
    .weight = (guint32) (self->settings.priority * WEIGHT_UNIT + 0.5),
    .overhead_bytes = gst_weir_send_overhead_bytes (self),
    .rtp_session = (guint64) (guintptr) self->member.rtp_session,
  };
  gst_weir_send_get_limits (&self->settings, &member.limits);
  return member;
}

static gchar *
explain_locked (const GstWeirSend *self, enum weir_status status)
{
  const GstWeirPath *path = self->member.path;
  gint64 sum_bps = 0;
  for (guint i = 0; i < path->n_members; i++) {
    sum_bps += path->members[i]->send->settings.min_bps;
  }
  return status != WEIR_ERROR_RANGE
             ? g_strdup_printf ("group \"%s\": %s", path->group, weir_status_text (status))
             : g_strdup_printf ("group \"%s\": the min-bitrates of its %u members come to "
                                "%" G_GINT64_FORMAT " bit/s, more than the %" G_GINT64_FORMAT
                                " that are possible; lower min-bitrate (here %u)",
                                path->group, path->n_members, sum_bps, MAX_BPS,
                                self->settings.min_bps);
}

static void
settle_locked (GstWeirPath *path)
{
  GstWeirSend *any = path->members[0]->send;
  gst_weir_member_update_output_locked (&any->member, gst_weir_send_now (any));
  for (guint i = 0; i < path->n_members; i++) {
    gst_weir_member_wake_locked (path->members[i]);
  }
}

/* After a change of its limits, priority, overhead or RTP session. FALSE: nothing has changed, and
 * *why (free it) says why. */
gboolean
gst_weir_group_update_locked (GstWeirSend *self, gchar **why)
{
  GstWeirPath *path = self->member.path;
  struct weir_member member = describe (self);
  enum weir_status status = weir_sender_set_member (path->sender, gst_weir_send_now (self),
                                                    self->member.number, &member);
  if (status != WEIR_OK) {
    *why = explain_locked (self, status);
    return FALSE;
  }
  settle_locked (path);
  return TRUE;
}

/* --- Members behind one RTP session --- */

/* What to tell of a member whose transport-wide numbers do not count although it has some; free
 * it. NULL: nothing, or it was told. */
gchar *
gst_weir_group_take_complaint_locked (GstWeirSend *self)
{
  struct weir_share share;
  gboolean numbered = self->member.rtp_session != NULL
                      || g_atomic_int_get (&self->rtp_session.transport_seq_id) != 0;
  if (!numbered || self->member.not_counting_reported
      || weir_sender_get_share (self->member.path->sender, self->member.number, &share) != WEIR_OK
      || share.numbers_count) {
    return NULL;
  }
  self->member.not_counting_reported = TRUE;
  return g_strdup_printf (
      "group \"%s\": the transport-wide numbers of %u RTP sessions, or members without one, can "
      "be told apart, and this one comes after them: only its RFC 8888 feedback and receiver "
      "reports count; use fewer sessions (bundle)",
      self->member.path->group, WEIR_RTP_SESSIONS);
}

/* --- Members --- */

/* A member that is there begins the session, or takes part in that of the others, whose algorithm
 * starts anew for its trace, which has to begin with a start. FALSE: *why (free it) says what is
 * wrong. */
static gboolean
begin_locked (GstWeirSend *self, GstWeirRemarks *remarks, gchar **why)
{
  GstWeirPath *path = self->member.path;
  struct weir_member member = describe (self);
  if (path->sender == NULL) {
    gst_weir_send_claim_trace_locked (self, remarks->texts);
    return gst_weir_send_create_sender_locked (self, &member, why);
  }
  enum weir_status status = weir_sender_add_member (path->sender, gst_weir_send_now (self), &member,
                                                    &self->member.number);
  if (status != WEIR_OK) {
    *why = explain_locked (self, status);
    return FALSE;
  }
  remarks->changed = gst_weir_common_agree_locked (self, remarks->texts);
  return !gst_weir_send_claim_trace_locked (self, remarks->texts)
         || gst_weir_send_restart_locked (self, why);
}

static void
forget_member_locked (GstWeirSend *self)
{
  GstWeirPath *path = self->member.path;
  guint n = 0;
  for (guint i = 0; i < path->n_members; i++) {
    if (path->members[i] != &self->member) {
      path->members[n++] = path->members[i];
    }
  }
  path->n_members = n;
  gst_weir_member_give_timers_locked (&self->member);
  gst_weir_send_give_up_trace_locked (self);
}

/* Leaves the path to the others, whose shares grow. Session lock held; back on its own path. */
static void
leave_locked (GstWeirSend *self)
{
  GstWeirPath *path = self->member.path;
  forget_member_locked (self);
  if (path->n_members == 0) {
    g_clear_pointer (&path->sender, weir_sender_destroy);
  } else if (self->member.number != GST_WEIR_NO_NUMBER) {
    weir_sender_remove_member (path->sender, gst_weir_send_now (self), self->member.number);
    settle_locked (path);
  }
  self->member.number = GST_WEIR_NO_NUMBER;
  if (path != &self->member.own) {
    gst_weir_member_return_locked (&self->member);
  }
}

static void
enter_and_lock (GstWeirSend *self)
{
  gst_weir_send_lock (self);
  gchar *group = g_strdup (self->settings.group);
  gst_weir_send_unlock (self);
  if (group != NULL && group[0] != '\0') {
    gst_weir_member_enter_and_lock (&self->member, take_path (group));
  } else {
    gst_weir_send_lock (self);
  }
  g_free (group);
}

/* From its own path, with its queue made. remarks gets what the application should know. FALSE: it
 * is on its own path as before, and *why (free it) says what is wrong; the others go on. */
gboolean
gst_weir_group_join (GstWeirSend *self, GstWeirRemarks *remarks, gchar **why)
{
  enter_and_lock (self);
  GstWeirPath *path = self->member.path;
  if (path->n_members == GST_WEIR_MEMBERS_MAX) {
    *why = g_strdup_printf ("group \"%s\" has %u members, which is the most; use another one",
                            path->group, path->n_members);
  } else {
    path->members[path->n_members++] = &self->member;
  }
  if (*why == NULL && begin_locked (self, remarks, why)) {
    settle_locked (path);
  } else {
    leave_locked (self);
  }
  gst_weir_send_unlock (self);
  if (*why != NULL && path != &self->member.own) {
    put_path (path);
  }
  return *why == NULL;
}

/* Accepts that it has not joined. The queue is still there and empty afterwards. */
void
gst_weir_group_leave (GstWeirSend *self)
{
  gst_weir_send_lock (self);
  GstWeirPath *path = self->member.path;
  gboolean joined = path->n_members > 0;
  if (joined) {
    leave_locked (self);
  }
  gst_weir_send_unlock (self);
  if (joined && path != &self->member.own) {
    put_path (path);
  }
}
