/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_group.h"

#include "send/weirsend_path_settings.h"

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
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&registry_lock);
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
  return path;
}

static void
put_path (GstWeirPath *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&registry_lock);
  if (--path->users == 0) {
    g_clear_pointer (&path->group, g_free);
  }
}

/* --- What a member is to the session --- */

static struct weir_member
describe (const GstWeirMember *self)
{
  struct weir_member member = {
    .weight = (guint32) (self->settings->priority * WEIGHT_UNIT + 0.5),
    .overhead_bytes = self->overhead_bytes,
    .rtp_session = (guint64) (guintptr) self->rtp_session,
    .reporter_ssrc = self->settings->reporter_ssrc,
  };
  gst_weir_send_get_limits (self->settings, &member.limits);
  return member;
}

static gchar *
explain_locked (const GstWeirMember *self, enum weir_status status)
{
  const GstWeirPath *path = self->path;
  gint64 sum_bps = 0;
  for (guint i = 0; i < path->n_members; i++) {
    sum_bps += path->members[i]->settings->min_bps;
  }
  return status != WEIR_ERROR_RANGE
             ? g_strdup_printf ("group \"%s\": %s", path->group, weir_status_text (status))
             : g_strdup_printf (
                 "group \"%s\": the min-bitrates of its %u members add up to %" G_GINT64_FORMAT
                 " bit/s, more than the possible %" G_GINT64_FORMAT "; lower min-bitrate (here %u)",
                 path->group, path->n_members, sum_bps, WEIR_MAX_BPS, self->settings->min_bps);
}

static void
settle_locked (GstWeirPath *path)
{
  GstWeirMember *any = path->members[0];
  gst_weir_member_update_output_locked (any, gst_weir_member_now (any));
  for (guint i = 0; i < path->n_members; i++) {
    gst_weir_member_wake_locked (path->members[i]);
  }
}

gboolean
gst_weir_group_update_locked (GstWeirMember *self, gchar **why)
{
  GstWeirPath *path = self->path;
  struct weir_member member = describe (self);
  enum weir_status status
      = weir_sender_set_member (path->sender, gst_weir_member_now (self), self->number, &member);
  if (status != WEIR_OK) {
    *why = explain_locked (self, status);
    return FALSE;
  }
  settle_locked (path);
  return TRUE;
}

void
gst_weir_group_refresh_locked (GstWeirMember *self)
{
  if (self->path->sender != NULL) {
    g_autofree gchar *why = NULL; /* the limits, which could be wrong, have not changed */
    gst_weir_group_update_locked (self, &why);
  }
}

/* --- ECN --- */

void
gst_weir_group_update_ecn_locked (GstWeirMember *self, gboolean anew)
{
  GstWeirPath *path = self->path;
  if (path->sender == NULL) {
    return;
  }
  enum weir_ecn ecn = gst_weir_send_get_ecn (self->settings);
  for (guint i = 0; i < path->n_members; i++) {
    ecn = path->members[i]->can_ecn ? ecn : WEIR_ECN_NOT_ECT;
  }
  if (anew || ecn != path->ecn) {
    path->ecn = ecn;
    weir_sender_set_ecn (path->sender, gst_weir_member_now (self), ecn);
  }
}

/* --- Members behind one RTP session --- */

gchar *
gst_weir_group_take_complaint_locked (GstWeirMember *self, gboolean numbered)
{
  struct weir_share share;
  if (!numbered || self->not_counting_reported
      || weir_sender_get_share (self->path->sender, self->number, &share) != WEIR_OK
      || share.numbers_count) {
    return NULL;
  }
  self->not_counting_reported = TRUE;
  return g_strdup_printf (
      "group \"%s\": the transport-wide numbers of at most %u RTP sessions, or members without "
      "one, can be told apart, and this one is beyond them: only its RFC 8888 feedback and "
      "receiver reports are used; use fewer sessions (bundle)",
      self->path->group, WEIR_RTP_SESSIONS);
}

/* --- The trace: of one member for the whole path --- */

static void
on_trace (void *user, const struct weir_trace_record *record)
{
  GstWeirMember *tracer = ((GstWeirPath *) user)->tracer;
  tracer->events->on_trace_locked (tracer, record);
}

/* TRUE: the session, if there is one, is traced by this member from now on. */
static gboolean
claim_trace_locked (GstWeirMember *self, GPtrArray *remarks)
{
  GstWeirPath *path = self->path;
  if (self->trace_location == NULL) {
    return FALSE;
  }
  if (path->tracer != NULL) {
    g_ptr_array_add (remarks, g_strdup_printf ("trace-location: group \"%s\" is already recorded "
                                               "by %s, for all of its members; \"%s\" stays empty",
                                               path->group, GST_OBJECT_NAME (path->tracer->element),
                                               self->trace_location));
    return FALSE;
  }
  path->tracer = self;
  if (path->sender != NULL) {
    weir_sender_set_trace (path->sender, on_trace, path);
  }
  return TRUE;
}

void
gst_weir_group_give_up_trace_locked (GstWeirMember *self)
{
  if (self->path->tracer == self) {
    self->path->tracer = NULL;
    if (self->path->sender != NULL) {
      weir_sender_set_trace (self->path->sender, NULL, NULL);
    }
  }
}

/* --- The session, which is that of all --- */

/* The session of a path that has none, with this member's settings. FALSE with *why (free it) when
 * a setting is wrong. */
static gboolean
create_sender_locked (GstWeirMember *self, const struct weir_member *member, gchar **why)
{
  const GstWeirSendSettings *settings = self->settings;
  GstWeirPath *path = self->path;
  struct weir_param_value values[GST_WEIR_PARAMS_MAX];
  struct weir_sender_config config;
  enum weir_status status = WEIR_OK;
  weir_sender_config_init (&config);
  config.n_params = gst_weir_params_read (settings->params, settings->algorithm, values, why);
  if (*why != NULL) {
    return FALSE;
  }
  g_autofree gchar *cname = g_strdup_printf ("weir-%08x", g_random_int ());
  config.params = values;
  config.algorithm = settings->algorithm;
  config.limits = member->limits;
  config.overhead_bytes = member->overhead_bytes;
  config.feedback_formats = settings->feedback;
  config.receivers = (enum weir_receivers) settings->receivers;
  config.pacing = settings->pacing;
  config.pacing_quantum_ns = (gint64) settings->pacing_quantum_ns;
  config.local_ssrc = g_random_int ();
  config.cname = cname;
  config.seed = (guint64) g_random_int () << 32 | g_random_int ();
  config.on_trace = path->tracer != NULL ? on_trace : NULL;
  config.trace_user = path;
  path->sender = weir_sender_create (&config, gst_weir_member_now (self), &status);
  if (path->sender == NULL) {
    *why = g_strdup_printf ("algorithm=%s: %s", settings->algorithm, weir_status_text (status));
  } else {
    self->number = 0;
    path->ecn = WEIR_ECN_NOT_ECT;
    weir_sender_set_member (path->sender, gst_weir_member_now (self), 0, member);
  }
  return path->sender != NULL;
}

gboolean
gst_weir_group_set_params_locked (GstWeirMember *self, const GstStructure *params, gchar **why)
{
  struct weir_param_value values[GST_WEIR_PARAMS_MAX];
  guint n = gst_weir_params_read (params, self->settings->algorithm, values, why);
  enum weir_status status = WEIR_OK;
  if (*why == NULL) {
    status = weir_sender_set_params (self->path->sender, gst_weir_member_now (self), values, n);
  }
  if (status != WEIR_OK) {
    *why = g_strdup_printf ("params: %s", weir_status_text (status));
  }
  return *why == NULL;
}

/* --- Members --- */

/* A member that is there begins the session, or takes part in that of the others, whose algorithm
 * starts anew for its trace, which has to begin with a start. FALSE: *why (free it) says what is
 * wrong. */
static gboolean
begin_locked (GstWeirMember *self, GstWeirRemarks *remarks, gchar **why)
{
  GstWeirPath *path = self->path;
  struct weir_member member = describe (self);
  if (path->sender == NULL) {
    claim_trace_locked (self, remarks->texts);
    return create_sender_locked (self, &member, why);
  }
  enum weir_status status
      = weir_sender_add_member (path->sender, gst_weir_member_now (self), &member, &self->number);
  if (status != WEIR_OK) {
    *why = explain_locked (self, status);
    return FALSE;
  }
  remarks->changed = gst_weir_path_settings_agree_locked (self, remarks->texts);
  return !claim_trace_locked (self, remarks->texts)
         || gst_weir_group_set_params_locked (self, self->settings->params, why);
}

static void
forget_member_locked (GstWeirMember *self)
{
  GstWeirPath *path = self->path;
  guint n = 0;
  for (guint i = 0; i < path->n_members; i++) {
    if (path->members[i] != self) {
      path->members[n++] = path->members[i];
    }
  }
  path->n_members = n;
  gst_weir_member_give_timers_locked (self);
  gst_weir_group_give_up_trace_locked (self);
}

/* Leaves the path to the others, whose shares grow. Session lock held; back on its own path. */
static void
leave_locked (GstWeirMember *self)
{
  GstWeirPath *path = self->path;
  self->proved_bps = gst_weir_member_proved_bps_locked (self);
  forget_member_locked (self);
  if (path->n_members == 0) {
    g_clear_pointer (&path->sender, weir_sender_destroy);
  } else if (self->number != GST_WEIR_NO_NUMBER) {
    weir_sender_remove_member (path->sender, gst_weir_member_now (self), self->number);
    gst_weir_group_update_ecn_locked (path->members[0], FALSE);
    settle_locked (path);
  }
  self->number = GST_WEIR_NO_NUMBER;
  if (path != &self->own) {
    gst_weir_member_return_locked (self);
  }
}

static void
enter_and_lock (GstWeirMember *self)
{
  gst_weir_member_lock (self);
  g_autofree gchar *group = g_strdup (self->settings->group);
  gst_weir_member_unlock (self);
  if (group != NULL && group[0] != '\0') {
    gst_weir_member_enter_and_lock (self, take_path (group));
  } else {
    gst_weir_member_lock (self);
  }
}

gboolean
gst_weir_group_join (GstWeirMember *self, GstWeirRemarks *remarks, gchar **why)
{
  enter_and_lock (self);
  GstWeirPath *path = self->path;
  if (path->n_members == GST_WEIR_MEMBERS_MAX) {
    *why = g_strdup_printf ("group \"%s\" already has %u members, the maximum; use another group",
                            path->group, path->n_members);
  } else {
    path->members[path->n_members++] = self;
  }
  if (*why == NULL && begin_locked (self, remarks, why)) {
    gst_weir_group_update_ecn_locked (self, FALSE); /* not before its sockets are known */
    settle_locked (path);
  } else {
    leave_locked (self);
  }
  gst_weir_member_unlock (self);
  if (*why != NULL && path != &self->own) {
    put_path (path);
  }
  return *why == NULL;
}

void
gst_weir_group_leave (GstWeirMember *self)
{
  gst_weir_member_lock (self);
  GstWeirPath *path = self->path;
  gboolean joined = path->n_members > 0;
  if (joined) {
    leave_locked (self);
  }
  gst_weir_member_unlock (self);
  if (joined && path != &self->own) {
    put_path (path);
  }
}
