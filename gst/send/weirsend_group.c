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

/* --- Limits and shares --- */

/* The members' limits, summed. FALSE: they cannot be honoured together; *why (free it) says so. */
gboolean
gst_weir_group_get_limits_locked (GstWeirSend *self, struct weir_limits *limits, gchar **why)
{
  const GstWeirPath *path = self->member.path;
  *limits = (struct weir_limits){ 0 };
  for (guint i = 0; i < path->n_members; i++) {
    struct weir_limits own;
    gst_weir_send_get_limits (&path->members[i]->send->settings, &own);
    limits->min_bps += own.min_bps;
    limits->max_bps += own.max_bps;
    limits->start_bps += own.start_bps;
  }
  if (limits->min_bps > MAX_BPS) {
    *why = g_strdup_printf ("group \"%s\": the min-bitrates of its %u members come to "
                            "%" G_GINT64_FORMAT " bit/s, more than the %" G_GINT64_FORMAT
                            " that are possible; lower min-bitrate (here %u)",
                            path->group, path->n_members, limits->min_bps, MAX_BPS,
                            self->settings.min_bps);
    return FALSE;
  }
  limits->max_bps = weir_min_i64 (limits->max_bps, MAX_BPS);
  limits->start_bps = weir_min_i64 (limits->start_bps, limits->max_bps);
  return TRUE;
}

static void
describe_share (const GstWeirSendSettings *settings, struct weir_share_config *config)
{
  weir_share_config_init (config);
  config->weight = (guint32) (settings->priority * WEIGHT_UNIT + 0.5);
  config->min_media_bps = settings->min_bps;
  config->max_media_bps = settings->max_bps;
}

/* After a change of this member's limits or priority. */
void
gst_weir_group_update_share_locked (GstWeirSend *self)
{
  struct weir_share_config config;
  if (self->member.share != GST_WEIR_NO_SHARE) {
    describe_share (&self->settings, &config);
    weir_shares_set (self->member.path->shares, self->member.share, &config);
  }
}

static gboolean
add_share_locked (GstWeirSend *self, gchar **why)
{
  GstWeirPath *path = self->member.path;
  struct weir_share_config config;
  enum weir_status status = WEIR_OK;
  if (path->group == NULL) {
    return TRUE;
  }
  if (path->shares == NULL) {
    path->shares = weir_shares_create (&status);
  }
  if (path->shares != NULL) {
    describe_share (&self->settings, &config);
    status = weir_shares_add (path->shares, gst_weir_send_now (self), &config, &self->member.share);
  }
  if (status != WEIR_OK) {
    *why = g_strdup_printf ("group \"%s\": %s", path->group, weir_status_text (status));
  }
  return status == WEIR_OK;
}

static void
remove_share_locked (GstWeirSend *self)
{
  GstWeirPath *path = self->member.path;
  if (self->member.share != GST_WEIR_NO_SHARE) {
    weir_shares_remove (path->shares, self->member.share);
    self->member.share = GST_WEIR_NO_SHARE;
  }
  if (path->n_members == 0) {
    g_clear_pointer (&path->shares, weir_shares_destroy);
  }
}

/* --- Members --- */

/* What the members' settings and limits together mean for the session that runs. */
void
gst_weir_group_settle_locked (GstWeirSend *self, const struct weir_limits *limits)
{
  GstWeirPath *path = self->member.path;
  gint64 now_ns = gst_weir_send_now (self);
  guint overhead_bytes = 0;
  for (guint i = 0; i < path->n_members; i++) {
    overhead_bytes = MAX (overhead_bytes, gst_weir_send_overhead_bytes (path->members[i]->send));
  }
  if (overhead_bytes != path->overhead_bytes) {
    path->overhead_bytes = overhead_bytes;
    weir_sender_set_overhead (path->sender, overhead_bytes);
  }
  weir_sender_set_limits (path->sender, now_ns, limits);
  weir_sender_on_queue (path->sender, now_ns, gst_weir_path_queued_bytes_locked (path));
  gst_weir_member_update_output_locked (&self->member, now_ns);
  for (guint i = 0; i < path->n_members; i++) {
    gst_weir_member_wake_locked (path->members[i]);
  }
}

/* A member that is there begins its session, or takes over that of the others. While nothing has
 * been sent the algorithm starts anew with the start bitrates of all, and it does for a trace,
 * which has to begin with a start. FALSE: *why (free it) says what is wrong. */
static gboolean
begin_locked (GstWeirSend *self, GstWeirRemarks *remarks, gchar **why)
{
  GstWeirPath *path = self->member.path;
  struct weir_limits limits;
  struct weir_sender_stats stats;
  if (!gst_weir_group_get_limits_locked (self, &limits, why) || !add_share_locked (self, why)) {
    return FALSE;
  }
  gboolean traces = gst_weir_send_claim_trace_locked (self, remarks->texts);
  if (path->sender == NULL) {
    return gst_weir_send_create_sender_locked (self, &limits, why);
  }
  remarks->changed = gst_weir_common_agree_locked (self, remarks->texts);
  gst_weir_group_settle_locked (self, &limits);
  weir_sender_get_stats (path->sender, &stats);
  return (stats.packets_sent > 0 && !traces) || gst_weir_send_restart_locked (self, why);
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
  gst_weir_transport_put_locked (&self->member);
  remove_share_locked (self);
  gst_weir_send_give_up_trace_locked (self);
}

/* Leaves the path to the others, whose shares grow. Session lock held; back on its own path. */
static void
leave_locked (GstWeirSend *self)
{
  GstWeirPath *path = self->member.path;
  struct weir_limits limits;
  gchar *why = NULL;
  forget_member_locked (self);
  if (path->n_members == 0) {
    g_clear_pointer (&path->sender, weir_sender_destroy);
  } else if (gst_weir_group_get_limits_locked (path->members[0]->send, &limits, &why)) {
    gst_weir_group_settle_locked (path->members[0]->send, &limits);
  }
  g_free (why);
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
    gst_weir_transport_take_locked (&self->member, NULL);
    gst_weir_member_update_output_locked (&self->member, gst_weir_send_now (self));
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
