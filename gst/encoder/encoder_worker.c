/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The worker of a set of encoders: starts with the first encoder or warning, splits the budget,
 * sets properties and delivers warnings. It keeps to the newest numbers, sleeps with a deadline
 * only while a change waits for its turn, and does not hold the lock while an element or a callback
 * runs.
 */
#include "encoder/encoder_set.h"

#include "encoder/encoder_property.h"
#include "weir/units.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_encoder_debug);
#define GST_CAT_DEFAULT gst_weir_encoder_debug

#define MAX_WARNINGS 32

typedef struct
{
  GstWeirEncoder *encoder;
  gint64 bitrate_bps;
} Change;

static gboolean
has_work_locked (GstWeirEncoders *self)
{
  return self->encoders->len > 0 || self->not_following || !g_queue_is_empty (&self->warnings);
}

/* Something changed. A set that drives nothing and has nothing to say needs no thread; a worker
 * that starts looks at everything. */
void
gst_weir_encoders_wake_locked (GstWeirEncoders *self)
{
  if (self->running && has_work_locked (self)) {
    gst_weir_worker_start (&self->worker, "weir-encoders");
  }
  gst_weir_worker_wake (&self->worker);
}

/* Takes text. The oldest is dropped when nobody fetches them (the worker is not running). */
void
gst_weir_encoders_warn_locked (GstWeirEncoders *self, gchar *text)
{
  g_queue_push_tail (&self->warnings, text);
  if (g_queue_get_length (&self->warnings) > MAX_WARNINGS) {
    g_free (g_queue_pop_head (&self->warnings));
  }
  gst_weir_encoders_wake_locked (self);
}

/* The set drives it no more. */
void
gst_weir_encoders_forget_locked (GstWeirEncoders *self, GstWeirEncoder *encoder)
{
  weir_shares_remove (self->shares, encoder->share);
  self->has_strangers = FALSE; /* they may have been its */
  g_ptr_array_remove (self->encoders, encoder);
  g_atomic_int_set (&self->n_encoders, (gint) self->encoders->len);
}

/* One that cannot change is given what it is set to, whatever the budget; the others what was asked
 * for and their property can hold. All is media: packets without headers. */
static void
describe_share (const GstWeirEncoder *encoder, struct weir_share_config *config)
{
  gint64 min_bps = encoder->fixed ? encoder->set_bps : MAX (encoder->min_bps, encoder->low_bps);
  gint64 max_bps = encoder->fixed ? encoder->set_bps : MIN (encoder->max_bps, encoder->high_bps);
  weir_share_config_init (config);
  config->weight = encoder->weight;
  config->packet_bytes = 1;
  config->min_media_bps = CLAMP (min_bps, 0, WEIR_MAX_BPS);
  config->max_media_bps = CLAMP (max_bps, config->min_media_bps, WEIR_MAX_BPS);
}

static void
update_share_locked (GstWeirEncoders *self, GstWeirEncoder *encoder, gint64 now_ns)
{
  struct weir_share_config config;
  describe_share (encoder, &config);
  if (encoder->share == GST_WEIR_NO_SHARE) {
    weir_shares_add (self->shares, now_ns, &config, &encoder->share);
  } else {
    weir_shares_set (self->shares, encoder->share, &config);
  }
}

/* FALSE: there is nothing to split yet. The clock is the worker's own. */
static gboolean
split_locked (GstWeirEncoders *self)
{
  gint64 now_ns = gst_weir_worker_now_ns (&self->worker);
  guint n = self->encoders->len;
  for (guint i = 0; i < n; i++) {
    update_share_locked (self, g_ptr_array_index (self->encoders, i), now_ns);
  }
  if (n == 0 || self->target_bps < 0) {
    return FALSE;
  }
  weir_shares_split (self->shares, now_ns, self->target_bps);
  return TRUE;
}

static gchar *
cannot_change_text (const GstWeirEncoder *encoder)
{
  const GstWeirEncoderInfo *info = &encoder->info;
  GString *text = g_string_new (NULL);
  g_string_printf (text,
                   "%s cannot change its bitrate while playing; it stays at %" G_GINT64_FORMAT
                   " bit/s (its %s): ",
                   encoder->name, encoder->set_bps, info->property);
  if (info->live != GST_WEIR_LIVE_NO && info->live_needs != NULL) {
    g_string_append_printf (text, "set its %s before it starts", info->live_needs);
  } else {
    g_string_append (text, info->remedy != NULL ? info->remedy : "use another encoder");
  }
  return g_string_free (text, FALSE);
}

/* Asks the element whether it can (still) be changed, and says so once when it cannot. Without the
 * lock: an element may take its time to answer. */
void
gst_weir_encoders_check_fixed (GstWeirEncoders *self, GstWeirEncoder *encoder)
{
  g_autoptr (GstElement) element = gst_weir_encoder_get_element (encoder);
  if (element != NULL && !encoder->fixed
      && !gst_weir_encoder_can_change (element, &encoder->info)) {
    gint64 bitrate_bps = gst_weir_encoder_get_bps (element, &encoder->info);
    g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
    encoder->fixed = TRUE;
    encoder->set_bps = bitrate_bps;
    gst_weir_encoders_warn_locked (self, cannot_change_text (encoder));
  }
}

/* When encoder may be given its share of the last split (WEIR_NEVER_NS: not, or not needed). If
 * that time has come, *bitrate_bps is the value to set, and it counts as set. */
static gint64
plan_share_locked (GstWeirEncoders *self, GstWeirEncoder *encoder, gint64 now_ns,
                   gint64 *bitrate_bps)
{
  gint64 share_bps = weir_shares_get_media_bps (self->shares, encoder->share);
  gint64 wanted_bps = gst_weir_encoder_quantise_bps (encoder, share_bps);
  gint64 due_ns = gst_weir_encoder_due_ns (encoder, wanted_bps);
  if (due_ns <= now_ns) {
    encoder->set_bps = *bitrate_bps = wanted_bps;
    encoder->set_ns = now_ns;
    encoder->n_changes++;
  }
  return due_ns;
}

/* The same for one encoder of the set, whatever the others. */
gint64
gst_weir_encoders_plan_locked (GstWeirEncoders *self, GstWeirEncoder *encoder, gint64 now_ns,
                               gint64 *bitrate_bps)
{
  if (!g_ptr_array_find (self->encoders, encoder, NULL) || !split_locked (self)) {
    return WEIR_NEVER_NS;
  }
  return plan_share_locked (self, encoder, now_ns, bitrate_bps);
}

/* Fills changes with what is to be set now; returns when to look again. */
static gint64
plan_all_locked (GstWeirEncoders *self, GArray *changes)
{
  gint64 now_ns = gst_weir_worker_now_ns (&self->worker);
  if (!split_locked (self)) {
    return WEIR_NEVER_NS;
  }
  gint64 next_ns = weir_shares_next_timer_ns (self->shares);
  for (guint i = 0; i < self->encoders->len; i++) {
    Change change = { g_ptr_array_index (self->encoders, i), 0 };
    gint64 due_ns = plan_share_locked (self, change.encoder, now_ns, &change.bitrate_bps);
    if (due_ns <= now_ns) {
      gst_weir_encoder_ref (change.encoder);
      g_array_append_val (changes, change);
    } else {
      next_ns = MIN (next_ns, due_ns);
    }
  }
  return next_ns;
}

/* Empties changes. */
static void
make_changes (GArray *changes)
{
  for (guint i = 0; i < changes->len; i++) {
    Change *change = &g_array_index (changes, Change, i);
    g_autoptr (GstElement) element = gst_weir_encoder_get_element (change->encoder);
    if (element != NULL) {
      gst_weir_encoder_set_bps (element, &change->encoder->info, change->bitrate_bps);
      GST_DEBUG_OBJECT (element, "set to %" G_GINT64_FORMAT " bit/s", change->bitrate_bps);
    }
    gst_weir_encoder_unref (change->encoder);
  }
  g_array_set_size (changes, 0);
}

static gpointer
copy_reference (gconstpointer encoder, gpointer user)
{
  (void) user;
  return gst_weir_encoder_ref ((GstWeirEncoder *) (guintptr) encoder);
}

/* Drops encoders whose element has gone, and asks the others whether they can be changed. Gives the
 * lock up meanwhile. */
static void
look_at_elements_locked (GstWeirEncoders *self)
{
  g_autoptr (GPtrArray) all = g_ptr_array_copy (self->encoders, copy_reference, NULL);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < all->len; i++) {
    GstWeirEncoder *encoder = g_ptr_array_index (all, i);
    if (gst_weir_encoder_is_gone (encoder)) {
      GST_INFO ("%s is gone", encoder->name);
      g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
      if (g_ptr_array_find (self->encoders, encoder, NULL)) {
        gst_weir_encoders_forget_locked (self, encoder);
      }
    } else {
      gst_weir_encoders_check_fixed (self, encoder);
    }
  }
  g_mutex_lock (&self->lock);
}

/* Appends "name (its property: value bit/s)" for every encoder, or only the fixed ones; *only is it
 * when there is but one. Returns how many. */
static guint
name_suspects_locked (GstWeirEncoders *self, gboolean fixed, GString *text, GstWeirEncoder **only)
{
  guint n = 0;
  for (guint i = 0; i < self->encoders->len; i++) {
    GstWeirEncoder *encoder = g_ptr_array_index (self->encoders, i);
    if (encoder->fixed || !fixed) {
      g_string_append_printf (text, "%s%s (its %s: %" G_GINT64_FORMAT " bit/s)", n > 0 ? ", " : "",
                              encoder->name, encoder->info.property, encoder->set_bps);
      *only = n++ == 0 ? encoder : NULL;
    }
  }
  return n;
}

static const gchar *
remedy_for (const GstWeirEncoder *only)
{
  if (only == NULL) {
    return "lower the frame rate or frame size, or put weirscale before each";
  }
  if (only->fixed) {
    return "it cannot change its bitrate while playing";
  }
  return only->info.remedy != NULL ? only->info.remedy
                                   : "it may have reached its lowest quality: lower the frame rate "
                                     "or frame size, or put weirscale before it";
}

static void
report_not_following_locked (GstWeirEncoders *self)
{
  GString *text = g_string_new (NULL);
  GstWeirEncoder *only = NULL;
  g_string_printf (text,
                   "%" G_GINT64_FORMAT " bit/s of media for a target of %" G_GINT64_FORMAT ": ",
                   self->follow.measured_bps, self->follow.limit_bps);
  self->not_following = FALSE;
  if (name_suspects_locked (self, TRUE, text, &only) == 0
      && name_suspects_locked (self, FALSE, text, &only) == 0) {
    g_string_append (text, "no encoder is driven");
  } else {
    g_string_append_printf (text, " does not follow: %s", remedy_for (only));
  }
  gst_weir_encoders_warn_locked (self, g_string_free (text, FALSE));
}

/* Called and returns with the lock held; gives it up while the callback runs. */
static void
deliver_warnings_locked (GstWeirEncoders *self)
{
  gchar *text;
  while (self->running && (text = g_queue_pop_head (&self->warnings)) != NULL) {
    g_mutex_unlock (&self->lock);
    GST_INFO ("%s", text);
    if (self->warning != NULL) {
      self->warning (self->user, text);
    }
    g_free (text);
    g_mutex_lock (&self->lock);
  }
}

/* A turn of the worker. */
gint64
gst_weir_encoders_work (gpointer user)
{
  GstWeirEncoders *self = user;
  GArray *changes = g_array_new (FALSE, FALSE, sizeof (Change));
  g_mutex_lock (&self->lock);
  look_at_elements_locked (self);
  gint64 next_ns = plan_all_locked (self, changes);
  if (self->not_following) {
    report_not_following_locked (self);
  }
  g_mutex_unlock (&self->lock);
  make_changes (changes);
  g_mutex_lock (&self->lock);
  deliver_warnings_locked (self);
  g_mutex_unlock (&self->lock);
  g_array_unref (changes);
  return next_ns;
}
