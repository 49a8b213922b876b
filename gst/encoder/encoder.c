/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The set of encoders behind one weirsend: who is in it, and the numbers it is given. The work is
 * done in encoder_worker.c. */
#include "encoder/encoder.h"

#include "common/pipeline_walk.h"
#include "encoder/encoder_property.h"
#include "encoder/encoder_set.h"
#include "weir/units.h"

GST_DEBUG_CATEGORY (gst_weir_encoder_debug);

#define WEIGHT_UNIT 1000
/* Sound added automatically gets at most what it was set to; this when that is unknown. */
#define AUDIO_BPS 64000

static void
ensure_debug_category (void)
{
  static gsize once = 0;
  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_weir_encoder_debug, "weirencoder", 0, "Weir's encoder driver");
    g_once_init_leave (&once, 1);
  }
}

GstWeirEncoders *
gst_weir_encoders_new (GstWeirEncodersWarning warning, gpointer user)
{
  ensure_debug_category ();
  GstWeirEncoders *self = g_new0 (GstWeirEncoders, 1);
  g_mutex_init (&self->lock);
  self->clock = gst_object_ref_sink (g_object_new (GST_TYPE_SYSTEM_CLOCK, NULL));
  gst_weir_worker_init (&self->worker, self->clock, gst_weir_encoders_work, self);
  g_queue_init (&self->warnings);
  self->encoders = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_weir_encoder_unref);
  self->shares = weir_shares_create (NULL);
  self->target_bps = -1;
  self->warning = warning;
  self->user = user;
  return self;
}

/* Encoders that are added from now on ask it before each frame. */
void
gst_weir_encoders_set_skips (GstWeirEncoders *self, GstElement *asked, GstWeirSkipsFrame skips)
{
  self->asked = asked;
  self->skips = skips;
}

void
gst_weir_encoders_free (GstWeirEncoders *self)
{
  if (self == NULL) {
    return;
  }
  gst_weir_encoders_stop (self);
  g_ptr_array_unref (self->encoders);
  weir_shares_destroy (self->shares);
  gst_weir_worker_clear (&self->worker);
  gst_object_unref (self->clock);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static GstWeirEncoder *
find_locked (GstWeirEncoders *self, GstElement *element)
{
  for (guint i = 0; i < self->encoders->len; i++) {
    GstWeirEncoder *encoder = g_ptr_array_index (self->encoders, i);
    if (gst_weir_encoder_is (encoder, element)) {
      return encoder;
    }
  }
  return NULL;
}

/* From now on a worker runs as soon as there is something for it to do. Does nothing when it is
 * running. Not to be called from two threads at once, nor with stop (). */
void
gst_weir_encoders_start (GstWeirEncoders *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->running = TRUE;
  gst_weir_encoders_wake_locked (self);
}

static void
forget_automatic_locked (GstWeirEncoders *self)
{
  for (guint i = self->encoders->len; i-- > 0;) {
    GstWeirEncoder *encoder = g_ptr_array_index (self->encoders, i);
    if (encoder->automatic) {
      gst_weir_encoders_forget_locked (self, encoder);
    } else {
      encoder->set_bps = 0; /* it may be restarted and reconfigured meanwhile */
      encoder->fixed = FALSE;
    }
  }
}

void
gst_weir_encoders_stop (GstWeirEncoders *self)
{
  g_mutex_lock (&self->lock);
  self->running = FALSE;
  g_mutex_unlock (&self->lock);
  gst_weir_worker_stop (&self->worker);
  g_mutex_lock (&self->lock);
  forget_automatic_locked (self);
  g_queue_clear_full (&self->warnings, g_free);
  self->follow = (GstWeirFollow){ 0 };
  self->not_following = FALSE;
  g_mutex_unlock (&self->lock);
}

/* An encoder that is not running yet is set here, so that its first frames are right; it cannot
 * hold anybody up. A running one is left to the worker. Should the worker have set it meanwhile,
 * its value is the newer one and is set again. */
static void
apply_first_target (GstWeirEncoders *self, GstElement *element, GstWeirEncoder *encoder)
{
  gint64 bitrate_bps = 0;
  gint64 done_bps = 0;
  if (gst_weir_encoder_started (element)) {
    return;
  }
  g_mutex_lock (&self->lock);
  gint64 now_ns = gst_weir_worker_now_ns (&self->worker);
  if (gst_weir_encoders_plan_locked (self, encoder, now_ns, &bitrate_bps) <= now_ns) {
    while (encoder->set_bps != done_bps) {
      done_bps = encoder->set_bps;
      g_mutex_unlock (&self->lock);
      gst_weir_encoder_set_bps (element, &encoder->info, done_bps);
      g_mutex_lock (&self->lock);
    }
  }
  g_mutex_unlock (&self->lock);
}

static void
warn_too_late_locked (GstWeirEncoders *self, GstElement *element, const gchar *settings)
{
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (element));
  gst_weir_encoders_warn_locked (
      self,
      g_strdup_printf (
          "%s is already running; to follow its bitrate well it should have been started with: %s",
          name, settings));
}

/* The set takes it; its profile has been applied. Replaces an earlier entry for the same element.
 */
static gboolean
insert_locked (GstWeirEncoders *self, GstElement *element, GstWeirEncoder *encoder)
{
  GstWeirEncoder *old = find_locked (self, element);
  if (old == NULL && self->encoders->len >= GST_WEIR_ENCODERS_MAX) {
    return FALSE;
  }
  if (old != NULL) {
    encoder->set_bps = encoder->fixed ? encoder->set_bps : old->set_bps;
    encoder->set_ns = old->set_ns;
    encoder->n_changes = old->n_changes;
    gst_weir_encoders_forget_locked (self, old);
  }
  g_ptr_array_add (self->encoders, gst_weir_encoder_ref (encoder));
  g_atomic_int_set (&self->n_encoders, (gint) self->encoders->len);
  gst_weir_encoders_wake_locked (self);
  return TRUE;
}

/* Applies the profile, inserts, and sets the first bitrate. */
static gboolean
attach (GstWeirEncoders *self, GstElement *element, GstWeirEncoder *encoder)
{
  g_autofree gchar *too_late = NULL;
  gst_weir_encoder_apply_profile (element, &encoder->info, &too_late);
  gst_weir_encoders_check_fixed (self, encoder);
  g_mutex_lock (&self->lock);
  gboolean inserted = insert_locked (self, element, encoder);
  if (too_late != NULL) {
    warn_too_late_locked (self, element, too_late);
  }
  g_mutex_unlock (&self->lock);
  if (inserted && self->skips != NULL) {
    gst_weir_encoder_skip_frames (encoder, element, self->asked, self->skips);
  }
  if (inserted) {
    apply_first_target (self, element, encoder);
  }
  return inserted;
}

static gboolean
add_is_valid (gdouble weight, guint64 min_bps, guint64 max_bps, GError **error)
{
  if (!(weight > 0.0 && weight <= 1000.0)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                 "weight %g is out of range: it must be above 0 and at most 1000", weight);
    return FALSE;
  }
  if (max_bps != 0 && min_bps > max_bps) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                 "the minimum bitrate, %" G_GUINT64_FORMAT
                 ", is above the maximum, %" G_GUINT64_FORMAT,
                 min_bps, max_bps);
    return FALSE;
  }
  return TRUE;
}

/* Drives element with a share in proportion to weight (0 < weight <= 1000), between min_bps and
 * max_bps (0: no limit). Added again, the new numbers count. FALSE with error set: wrong numbers,
 * an element without a bitrate, or GST_WEIR_ENCODERS_MAX are there already. An encoder that cannot
 * change while playing is accepted: its bitrate is taken off the budget, and a warning says so. */
gboolean
gst_weir_encoders_add (GstWeirEncoders *self, GstElement *element, gdouble weight, guint64 min_bps,
                       guint64 max_bps, GError **error)
{
  GstWeirEncoderInfo info;
  g_autofree gchar *note = NULL;
  if (!add_is_valid (weight, min_bps, max_bps, error)) {
    return FALSE;
  }
  if (!gst_weir_encoder_info_for (element, &info, &note)) {
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, note);
    return FALSE;
  }
  g_autoptr (GstWeirEncoder) encoder = gst_weir_encoder_new (element, &info);
  encoder->weight = (guint32) MAX (weight * WEIGHT_UNIT, 1.0);
  encoder->min_bps = MAX ((gint64) MIN (min_bps, (guint64) WEIR_MAX_BPS), info.min_bps);
  encoder->max_bps = max_bps == 0 ? WEIR_MAX_BPS : (gint64) MIN (max_bps, (guint64) WEIR_MAX_BPS);
  gboolean attached = attach (self, element, encoder);
  if (!attached) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                 "%d encoders are already driven", GST_WEIR_ENCODERS_MAX);
  }
  return attached;
}

/* FALSE: it was not there. It keeps the bitrate it has. */
gboolean
gst_weir_encoders_remove (GstWeirEncoders *self, GstElement *element)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GstWeirEncoder *encoder = find_locked (self, element);
  if (encoder != NULL) {
    gst_weir_encoders_forget_locked (self, encoder);
    gst_weir_encoders_wake_locked (self);
  }
  return encoder != NULL;
}

/* What element was set to before we first drove it (or since, if that is more): after a restart its
 * property holds what we set. 0: unknown. */
static gint64
configured_bps (GstElement *element, const GstWeirEncoderInfo *info)
{
  static const gchar key[] = "weir-configured-bitrate";
  GObject *object = G_OBJECT (element);
  gint64 now_bps = MIN (gst_weir_encoder_get_bps (element, info), G_MAXINT);
  gint64 before_bps = GPOINTER_TO_INT (g_object_get_data (object, key));
  if (now_bps > before_bps) {
    g_object_set_data (object, key, GINT_TO_POINTER ((gint) now_bps));
  }
  return MAX (now_bps, before_bps);
}

/* Weight 1 for each; audio gets at most what it was set to, so that it does not compete with video
 * for what it cannot use. */
static void
attach_found (GstWeirEncoders *self, GstElement *element)
{
  GstWeirEncoderInfo info;
  gchar *note = NULL;
  if (gst_weir_encoder_info_for (element, &info, &note)) {
    g_autoptr (GstWeirEncoder) encoder = gst_weir_encoder_new (element, &info);
    gint64 set_bps = configured_bps (element, &info);
    encoder->automatic = TRUE;
    encoder->weight = WEIGHT_UNIT;
    encoder->min_bps = info.min_bps;
    encoder->max_bps = !gst_weir_has_class (element, "Audio")
                           ? WEIR_MAX_BPS
                           : MAX (set_bps > 0 ? set_bps : AUDIO_BPS, info.min_bps);
    attach (self, element, encoder);
  }
  if (note != NULL) {
    g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
    GST_CAT_INFO_OBJECT (gst_weir_encoder_debug, element, "%s", note);
    gst_weir_encoders_warn_locked (self, note);
  }
}

static void
forget_vanished_locked (GstWeirEncoders *self, GPtrArray *found)
{
  for (guint i = self->encoders->len; i-- > 0;) {
    GstWeirEncoder *encoder = g_ptr_array_index (self->encoders, i);
    if (encoder->automatic && !g_ptr_array_find (found, encoder->identity, NULL)) {
      gst_weir_encoders_forget_locked (self, encoder);
    }
  }
}

static gboolean
is_known (GstWeirEncoders *self, GstElement *element)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return find_locked (self, element) != NULL;
}

/* Walks upstream from sinkpad, adds the encoders it did not know, drops those found before that
 * are no longer there, and leaves those added by hand alone. Call it from READY to PAUSED (the
 * encoders have not been opened then, so their profiles take full effect), at the first caps, and
 * after relinking; not from the pacing or RTCP threads. Returns how many are driven now;
 * *looked_at (nullable; free it) names the elements passed on the way, for the user's eyes. */
guint
gst_weir_encoders_discover (GstWeirEncoders *self, GstPad *sinkpad, gchar **looked_at)
{
  g_autoptr (GPtrArray) found = gst_weir_find_encoders (sinkpad, looked_at);
  g_mutex_lock (&self->lock);
  forget_vanished_locked (self, found);
  gst_weir_encoders_wake_locked (self);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < found->len; i++) {
    if (!is_known (self, g_ptr_array_index (found, i))) {
      attach_found (self, g_ptr_array_index (found, i));
    }
  }
  return gst_weir_encoders_count (self);
}

guint
gst_weir_encoders_count (GstWeirEncoders *self)
{
  return (guint) g_atomic_int_get (&self->n_encoders);
}

static void
observe_locked (GstWeirEncoders *self, guint64 media_bytes, gint64 target_bps, gint64 now_ns)
{
  if (gst_weir_follow_observe (&self->follow, media_bytes, target_bps, now_ns)) {
    self->not_following = TRUE;
    gst_weir_encoders_wake_locked (self);
  }
}

/* What all encoders together may produce from now on, in bit/s of media; negative counts as 0.
 * Only stores and wakes: safe in the pacing and RTCP threads. now_ns: any clock that is also given
 * to observe (). */
void
gst_weir_encoders_set_target (GstWeirEncoders *self, gint64 media_bps, gint64 now_ns)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gint64 old_bps = self->target_bps;
  self->target_bps = MAX (media_bps, 0);
  observe_locked (self, 0, MAX (old_bps, self->target_bps), now_ns);
  if (old_bps != self->target_bps) {
    gst_weir_encoders_wake_locked (self);
  }
}

/* media_bytes (RTP payload, say) entered weirsend since the last call. */
void
gst_weir_encoders_observe (GstWeirEncoders *self, guint64 media_bytes, gint64 now_ns)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->media_bytes += media_bytes;
  if (self->target_bps >= 0) {
    observe_locked (self, media_bytes, self->target_bps, now_ns);
  }
}

/* The same media, where several share the target, by the encoder that made it: what one does not
 * use is lent to the others. NULL: not known. While there is such media nothing is lent. */
void
gst_weir_encoders_observe_from (GstWeirEncoders *self, GstElement *element, guint32 media_bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GstWeirEncoder *encoder = element != NULL ? find_locked (self, element) : NULL;
  self->has_strangers |= element == NULL;
  if (encoder != NULL) {
    encoder->media_bytes += media_bytes;
  }
  if (encoder != NULL && !self->has_strangers
      && weir_shares_on_media (self->shares, gst_weir_worker_now_ns (&self->worker), encoder->share,
                               media_bytes, media_bytes)) {
    gst_weir_encoders_wake_locked (self);
  }
}

/* A frame has come to an encoder, which got it or skipped it. One that is skipped counts as much as
 * the one before: a weirscale is to see what the encoder makes of its frames, not that it got
 * fewer.
 */
void
gst_weir_encoders_on_frame (GstWeirEncoders *self, GstElement *element, gboolean skipped)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GstWeirEncoder *encoder = find_locked (self, element);
  if (encoder == NULL) {
    return;
  }
  guint64 *media_bytes = self->encoders->len == 1 ? &self->media_bytes : &encoder->media_bytes;
  if (*media_bytes > encoder->told_bytes) {
    encoder->frame_bytes = *media_bytes - encoder->told_bytes;
  }
  *media_bytes += skipped ? encoder->frame_bytes : 0;
  encoder->told_bytes = *media_bytes;
}

/* What it would have made of a frame of another picture is not known before it has made one. */
static void
note_picture (GstWeirEncoder *encoder, const GstWeirRatePicture *picture, guint64 media_bytes)
{
  if (picture->width != encoder->width || picture->height != encoder->height) {
    encoder->width = picture->width;
    encoder->height = picture->height;
    encoder->frame_bytes = 0;
    encoder->told_bytes = media_bytes;
  }
}

/* picture is what an encoder gets; rate is what it may make and has made. FALSE: of several it is
 * none that is known, or it cannot change its bitrate, or there is no target yet. */
gboolean
gst_weir_encoders_exchange (GstWeirEncoders *self, const GstWeirRatePicture *picture,
                            GstWeirRate *rate)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GstWeirEncoder *only = self->encoders->len == 1 ? g_ptr_array_index (self->encoders, 0) : NULL;
  GstWeirEncoder *asks = picture->encoder != NULL ? find_locked (self, picture->encoder) : NULL;
  GstWeirEncoder *encoder = only != NULL ? only : asks;
  if (self->target_bps < 0 || (encoder == NULL && self->encoders->len > 0)
      || (encoder != NULL && encoder->fixed)) {
    return FALSE;
  }
  self->picture = *picture;
  self->picture.encoder = NULL; /* it may go */
  gboolean shares = self->encoders->len > 1;
  rate->target_bps = shares ? encoder->set_bps : self->target_bps;
  rate->media_bytes = shares ? encoder->media_bytes : self->media_bytes;
  if (encoder != NULL) {
    note_picture (encoder, picture, rate->media_bytes);
  }
  return TRUE;
}

static GstStructure *
stats_of (const GstWeirEncoder *encoder)
{
  return gst_structure_new (
      "weir-encoder", "name", G_TYPE_STRING, encoder->name, "property", G_TYPE_STRING,
      encoder->info.property, "bitrate", G_TYPE_INT64, encoder->set_bps, "weight", G_TYPE_DOUBLE,
      (gdouble) encoder->weight / WEIGHT_UNIT, "min-bitrate", G_TYPE_INT64, encoder->min_bps,
      "max-bitrate", G_TYPE_INT64, encoder->max_bps, "changes", G_TYPE_UINT, encoder->n_changes,
      "automatic", G_TYPE_BOOLEAN, encoder->automatic, "can-change", G_TYPE_BOOLEAN,
      !encoder->fixed, NULL);
}

/* weir-encoders: target-bitrate, measured-bitrate (bit/s; -1 and 0: not known yet), following,
 * encoders, a GstValueArray of weir-encoder structures, and, as a weirscale says, picture and
 * picture-reason. */
GstStructure *
gst_weir_encoders_get_stats (GstWeirEncoders *self)
{
  GValue list = G_VALUE_INIT;
  g_value_init (&list, GST_TYPE_ARRAY);
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->encoders->len; i++) {
    GValue item = G_VALUE_INIT;
    g_value_init (&item, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&item, stats_of (g_ptr_array_index (self->encoders, i)));
    gst_value_array_append_and_take_value (&list, &item);
  }
  GstStructure *stats
      = gst_structure_new ("weir-encoders", "target-bitrate", G_TYPE_INT64, self->target_bps,
                           "measured-bitrate", G_TYPE_INT64, self->follow.measured_bps, "following",
                           G_TYPE_BOOLEAN, !self->follow.reported, NULL);
  const GstWeirRatePicture *picture = &self->picture;
  if (picture->width != 0) {
    g_autofree gchar *text = gst_weir_rate_picture_text (picture);
    gst_structure_set (stats, "picture", G_TYPE_STRING, text, "picture-reason", G_TYPE_STRING,
                       picture->reason, NULL);
  }
  g_mutex_unlock (&self->lock);
  gst_structure_take_value (stats, "encoders", &list);
  return stats;
}
