/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-weirscale
 * @title: weirscale
 *
 * Makes the picture smaller, or its frames fewer, while the bitrate that weirsend allows the
 * encoder is too low for the picture that comes in, or the encoder cannot get down to it.
 *
 * It goes before the encoder. Without a weirsend behind that, it passes everything unchanged.
 *
 * ## Example
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! weirscale ! x264enc tune=zerolatency ! rtph264pay \
 *     ! weirsend name=s ! udpsink host=HOST port=5004 sync=false   udpsrc port=5005 ! s.rtcp_sink
 * ]|
 */
/* A bin of videoscale and capsfilter. Everything happens before a frame enters it, in its streaming
 * thread: weirsend is asked, weir/picture.h answers with a step, the filter gets that size, the
 * caps get that frame rate, and frames are left out. A change of the filter makes elements upstream
 * negotiate again, unless that event is dropped: a camera might choose another size by itself. */
#include "scale/weirscale.h"

#include "common/pipeline_walk.h"
#include "common/properties.h"
#include <gst/video/video.h>

GST_DEBUG_CATEGORY_STATIC (gst_weir_scale_debug);
#define GST_CAT_DEFAULT gst_weir_scale_debug

#define DEFAULT_MIN_BITS_PER_PIXEL 0.03
#define UBITS 1e6

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));

G_DEFINE_TYPE_WITH_CODE (GstWeirScale, gst_weir_scale, GST_TYPE_BIN,
                         GST_DEBUG_CATEGORY_INIT (gst_weir_scale_debug, "weirscale", 0,
                                                  "Weir's scaler before an encoder"));
GST_ELEMENT_REGISTER_DEFINE (weirscale, "weirscale", GST_RANK_NONE, GST_TYPE_WEIR_SCALE);

GST_WEIR_DEFINE_ENUM (GstWeirDegradation, gst_weir_degradation,
                      { WEIR_DEGRADATION_BALANCED, "Size and frame rate give way in turn",
                        "balanced" },
                      { WEIR_DEGRADATION_MAINTAIN_FRAMERATE, "The size gives way: for motion",
                        "maintain-framerate" },
                      { WEIR_DEGRADATION_MAINTAIN_RESOLUTION,
                        "The frame rate gives way: for text and detail", "maintain-resolution" })

static const gchar *
reason_name (GstWeirScale *self)
{
  static const gchar *const names[]
      = { [WEIR_PICTURE_FULL] = "full",
          [WEIR_PICTURE_LOW_BITRATE] = "low-bitrate",
          [WEIR_PICTURE_ENCODER_CANNOT_FOLLOW] = "encoder-cannot-follow" };
  return names[weir_pictures_reason (self->pictures)];
}

static const struct weir_picture *
picture_of (GstWeirScale *self, guint step)
{
  return weir_pictures_get (self->pictures, step);
}

/* --- What is shown --- */

/* picture is what the encoder gets from now on. */
static void
show (GstWeirScale *self, const struct weir_picture *picture)
{
  GST_OBJECT_LOCK (self);
  self->n_changes += self->picture.width != 0 ? 1 : 0;
  self->picture = (GstWeirRatePicture){ .width = picture->width_pixels,
                                        .height = picture->height_pixels,
                                        .fps_n = picture->fps_n,
                                        .fps_d = picture->fps_d,
                                        .reason = reason_name (self) };
  GST_OBJECT_UNLOCK (self);
  GST_INFO_OBJECT (self, "the encoder gets %dx%d, %d/%d frames/s: %s", picture->width_pixels,
                   picture->height_pixels, picture->fps_n, picture->fps_d, reason_name (self));
}

static GstStructure *
make_stats (GstWeirScale *self)
{
  GstStructure *stats = gst_structure_new_empty ("weir-scale");
  GST_OBJECT_LOCK (self);
  if (self->picture.width != 0) {
    gst_structure_set (stats, "width", G_TYPE_INT, self->picture.width, "height", G_TYPE_INT,
                       self->picture.height, "framerate", GST_TYPE_FRACTION, self->picture.fps_n,
                       self->picture.fps_d, "reason", G_TYPE_STRING, self->picture.reason,
                       "changes", G_TYPE_UINT, self->n_changes, "target-bitrate", G_TYPE_INT64,
                       self->rate.target_bps, NULL);
  }
  GST_OBJECT_UNLOCK (self);
  return stats;
}

/* --- The picture in force --- */

/* What leaves at that step. */
static GstCaps *
caps_of (GstWeirScale *self, const struct weir_picture *picture, gboolean scaled)
{
  GstCaps *caps = gst_caps_copy (self->source);
  if (scaled) {
    gst_caps_set_simple (caps, "width", G_TYPE_INT, picture->width_pixels, "height", G_TYPE_INT,
                         picture->height_pixels, NULL);
  }
  if (picture->fps_n > 0) {
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, picture->fps_n, picture->fps_d,
                         NULL);
  }
  return caps;
}

/* Of the first step: anything, so that it is as if we were not there. */
static GstCaps *
filter_caps_of (GstWeirScale *self, const struct weir_picture *picture)
{
  const GstStructure *source = gst_caps_get_structure (self->source, 0);
  gint par_n = 1, par_d = 1;
  if (picture->width_pixels == picture_of (self, 0)->width_pixels) {
    return gst_caps_new_any ();
  }
  gst_structure_get_fraction (source, "pixel-aspect-ratio", &par_n, &par_d);
  return gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT, picture->width_pixels, "height",
                              G_TYPE_INT, picture->height_pixels, "pixel-aspect-ratio",
                              GST_TYPE_FRACTION, par_n, par_d, NULL);
}

/* The filter lets that step through. Nobody upstream hears of it. */
static void
set_filter (GstWeirScale *self)
{
  g_autoptr (GstCaps) caps = filter_caps_of (self, picture_of (self, self->step));
  g_atomic_pointer_set (&self->changing, g_thread_self ());
  g_object_set (self->filter, "caps", caps, NULL);
  g_atomic_pointer_set (&self->changing, NULL);
  self->kept = picture_of (self, self->step)->keep_d - picture_of (self, self->step)->keep_n;
}

/* The size is changed by the scaler, the frame rate by the caps that enter it. */
static GstEvent *
caps_event (GstWeirScale *self)
{
  g_autoptr (GstCaps) caps = caps_of (self, picture_of (self, self->step), FALSE);
  return gst_event_new_caps (caps);
}

static void
send_in (GstWeirScale *self, GstEvent *event)
{
  g_atomic_pointer_set (&self->changing, g_thread_self ());
  gst_pad_send_event (self->entry, event);
  g_atomic_pointer_set (&self->changing, NULL);
}

/* Some encoders say that they take it, and fail when they get it: then they get back what they had.
 * Those that do not will see the same caps again, with the frame. */
static gboolean
downstream_takes (GstWeirScale *self, const struct weir_picture *picture)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (self->srcpad);
  g_autoptr (GstCaps) caps = caps_of (self, picture, TRUE);
  if (peer == NULL) {
    return TRUE;
  }
  g_autoptr (GstCaps) former = gst_pad_get_current_caps (peer);
  if (!gst_pad_query_accept_caps (peer, caps)) {
    return FALSE;
  }
  gboolean taken = gst_pad_send_event (peer, gst_event_new_caps (caps));
  if (!taken && former != NULL) {
    gst_pad_send_event (peer, gst_event_new_caps (former));
  }
  return taken;
}

/* Once for each source. */
static void
warn_refused (GstWeirScale *self, const struct weir_picture *refused)
{
  const struct weir_picture *kept = picture_of (self, self->step);
  if (self->refused_told) {
    return;
  }
  self->refused_told = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
                       ("What is behind takes no picture of %dx%d with %d/%d frames per second; it "
                        "stays at %dx%d with %d/%d. Caps with a fixed size behind this element, or "
                        "an encoder with a smallest size, are the usual cause",
                        refused->width_pixels, refused->height_pixels, refused->fps_n,
                        refused->fps_d, kept->width_pixels, kept->height_pixels, kept->fps_n,
                        kept->fps_d),
                       (NULL));
}

/* FALSE: it is flushed, or the run ends, and it takes nothing: then the next frame asks again. */
static gboolean
note_refusal (GstWeirScale *self, guint step)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (self->srcpad);
  if (peer != NULL && GST_PAD_IS_FLUSHING (peer)) {
    return FALSE;
  }
  weir_pictures_refuse (self->pictures, self->step);
  warn_refused (self, picture_of (self, step));
  return TRUE;
}

/* Before a frame: it is the first of that step, and a key frame. FALSE: nobody answered. */
static gboolean
change_to (GstWeirScale *self, guint step)
{
  const struct weir_picture *picture = picture_of (self, step);
  if (!downstream_takes (self, picture)) {
    return note_refusal (self, step);
  }
  self->step = step;
  set_filter (self);
  send_in (self, caps_event (self));
  send_in (self, gst_video_event_new_downstream_force_key_unit (
                     GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, TRUE, 0));
  show (self, picture);
  return TRUE;
}

/* --- Which picture --- */

static gboolean
ask (GstWeirScale *self, GstWeirRate *rate)
{
  GST_OBJECT_LOCK (self);
  GstWeirRatePicture picture = self->picture;
  GST_OBJECT_UNLOCK (self);
  g_autoptr (GstElement) encoder = g_weak_ref_get (&self->encoder);
  picture.encoder = encoder;
  if (!gst_weir_rate_query_ask (self->srcpad, &picture, rate)) {
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->rate = *rate;
  GST_OBJECT_UNLOCK (self);
  return rate->target_bps > 0;
}

/* The scaler reads pictures in the machine's memory only. */
static gboolean
can_be_scaled (const GstCaps *caps)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  return features == NULL
         || gst_caps_features_is_equal (features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
}

/* The source has this picture now, or the settings are others. FALSE: one that no ladder has. */
static gboolean
build_ladder (GstWeirScale *self, gint width, gint height, gint fps_n, gint fps_d)
{
  struct weir_picture_source source;
  weir_picture_source_init (&source);
  source.width_pixels = width;
  source.height_pixels = height;
  source.fps_n = fps_n;
  source.fps_d = fps_d;
  GST_OBJECT_LOCK (self);
  source.degradation = (enum weir_degradation) self->preference;
  source.min_ubits_per_pixel = (gint64) (self->min_bits_per_pixel * UBITS);
  self->settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (!can_be_scaled (self->source) && source.degradation != WEIR_DEGRADATION_MAINTAIN_RESOLUTION) {
    GST_INFO_OBJECT (self, "pictures outside the machine's memory keep their size");
    source.degradation = WEIR_DEGRADATION_MAINTAIN_RESOLUTION;
  }
  self->step = 0;
  self->refused_told = FALSE;
  return weir_pictures_set_source (self->pictures, &source) == WEIR_OK;
}

/* Of several encoders behind one weirsend it is to be known which is ours. */
static void
find_encoder (GstWeirScale *self)
{
  g_autoptr (GstElement) encoder = gst_weir_find_encoder_behind (self->srcpad);
  g_weak_ref_set (&self->encoder, encoder);
}

/* The first step, as far as the target is known yet. */
static guint
begin_pictures (GstWeirScale *self)
{
  GstWeirRate rate;
  return ask (self, &rate) ? weir_pictures_begin (self->pictures, rate.target_bps) : 0;
}

static void
settings_changed (gpointer object)
{
  GstWeirScale *self = object;
  GST_OBJECT_LOCK (self);
  self->settings_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
}

/* Settings were changed: as if the source had just begun. */
static void
begin_anew (GstWeirScale *self)
{
  struct weir_picture source = *picture_of (self, 0);
  build_ladder (self, source.width_pixels, source.height_pixels, source.fps_n, source.fps_d);
  guint step = begin_pictures (self);
  gboolean answered = change_to (self, step);
  if (answered && self->step != step) {
    change_to (self, self->step); /* refused: it is not that of the former ladder */
  }
  if (!answered) {
    settings_changed (self);
  }
}

/* TRUE: the frame is one of those that are kept. */
static gboolean
keep_frame (GstWeirScale *self)
{
  const struct weir_picture *picture = picture_of (self, self->step);
  self->kept += picture->keep_n;
  if (self->kept < picture->keep_d) {
    return FALSE;
  }
  self->kept -= picture->keep_d;
  return TRUE;
}

static void
look (GstWeirScale *self, GstClockTime running_time)
{
  GstWeirRate rate;
  GST_OBJECT_LOCK (self);
  gboolean settings_changed = self->settings_changed;
  GST_OBJECT_UNLOCK (self);
  if (g_atomic_int_compare_and_exchange (&self->relinked, TRUE, FALSE)) {
    find_encoder (self);
  }
  if (settings_changed) {
    begin_anew (self);
  }
  if (!ask (self, &rate)) {
    return;
  }
  guint step = weir_pictures_choose (self->pictures, (gint64) running_time, rate.target_bps,
                                     rate.media_bytes);
  if (step != self->step) {
    change_to (self, step);
  }
}

/* --- What comes in --- */

/* A file of raw frames has a segment of bytes. */
static GstClockTime
running_time_of (GstWeirScale *self, GstBuffer *buffer)
{
  return self->segment.format == GST_FORMAT_TIME ? gst_segment_to_running_time (
             &self->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer))
                                                 : GST_CLOCK_TIME_NONE;
}

static GstPadProbeReturn
on_buffer (GstWeirScale *self, GstBuffer *buffer)
{
  GstClockTime running_time = running_time_of (self, buffer);
  if (self->source == NULL) {
    return GST_PAD_PROBE_OK;
  }
  if (GST_CLOCK_TIME_IS_VALID (running_time)) {
    look (self, running_time);
  }
  return keep_frame (self) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* The source has another picture. FALSE: one that cannot be scaled. */
static gboolean
begin_source (GstWeirScale *self, gint width, gint height, gint fps_n, gint fps_d)
{
  find_encoder (self);
  if (!build_ladder (self, width, height, fps_n, fps_d)) {
    g_object_set (self->filter, "caps", NULL, NULL);
    return FALSE;
  }
  guint step = begin_pictures (self);
  if (step == 0 || downstream_takes (self, picture_of (self, step))) {
    self->step = step;
  } else {
    note_refusal (self, step);
  }
  set_filter (self);
  show (self, picture_of (self, self->step));
  return TRUE;
}

/* Caps with another frame rate leave in place of those that came. */
static void
on_caps (GstWeirScale *self, GstPadProbeInfo *info)
{
  GstVideoInfo video;
  GstCaps *caps = NULL;
  gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
  if (!gst_video_info_from_caps (&video, caps)) {
    gst_clear_caps (&self->source);
    return;
  }
  const struct weir_picture *source = picture_of (self, 0);
  gint fps_n = MAX (video.fps_n, 0), fps_d = MAX (video.fps_d, 1);
  gboolean same = self->source != NULL && can_be_scaled (self->source) == can_be_scaled (caps)
                  && source->width_pixels == video.width && source->height_pixels == video.height
                  && source->fps_n == fps_n && source->fps_d == fps_d;
  gst_caps_replace (&self->source, caps);
  if (!same && !begin_source (self, video.width, video.height, fps_n, fps_d)) {
    gst_clear_caps (&self->source);
    return;
  }
  gst_event_unref (GST_PAD_PROBE_INFO_EVENT (info));
  info->data = caps_event (self);
}

/* Others may relink what is behind meanwhile. */
static gboolean
is_ours (GstWeirScale *self)
{
  return g_atomic_pointer_get (&self->changing) == g_thread_self ();
}

static GstPadProbeReturn
on_event_downstream (GstWeirScale *self, GstPadProbeInfo *info)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  if (is_ours (self)) {
    return GST_PAD_PROBE_OK;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    on_caps (self, info);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &self->segment);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_entry (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstWeirScale *self = user;
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    return on_buffer (self, GST_PAD_PROBE_INFO_BUFFER (info));
  }
  if ((info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) != 0) {
    return on_event_downstream (self, info);
  }
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_RECONFIGURE) {
    return GST_PAD_PROBE_OK;
  }
  if (is_ours (self)) {
    return GST_PAD_PROBE_DROP; /* ours */
  }
  g_atomic_int_set (&self->relinked, TRUE);
  return GST_PAD_PROBE_OK;
}

/* --- Making it --- */

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstWeirScale *self = GST_WEIR_SCALE (element);
  if (self->entry == NULL) {
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
                       ("weirscale needs videoscale and capsfilter; install gst-plugins-base"),
                       (NULL));
    return GST_STATE_CHANGE_FAILURE;
  }
  GstStateChangeReturn result
      = GST_ELEMENT_CLASS (gst_weir_scale_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_clear_caps (&self->source);
    gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  }
  return result;
}

static void
add_ghost_pad (GstWeirScale *self, GstElement *inner, const gchar *name)
{
  g_autoptr (GstPadTemplate) templ
      = gst_static_pad_template_get (g_str_equal (name, "sink") ? &sink_template : &src_template);
  g_autoptr (GstPad) target = inner != NULL ? gst_element_get_static_pad (inner, name) : NULL;
  GstPad *pad = target != NULL ? gst_ghost_pad_new_from_template (name, target, templ)
                               : gst_ghost_pad_new_no_target_from_template (name, templ);
  gst_element_add_pad (GST_ELEMENT (self), pad);
}

static void
gst_weir_scale_init (GstWeirScale *self)
{
  self->scaler = gst_element_factory_make ("videoscale", "scaler");
  self->filter = gst_element_factory_make ("capsfilter", "filter");
  g_weak_ref_init (&self->encoder, NULL);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->picture = (GstWeirRatePicture){ .fps_d = 1, .reason = "full" };
  self->pictures = weir_pictures_create (NULL);
  if (self->scaler != NULL && self->filter != NULL) {
    gst_bin_add_many (GST_BIN (self), self->scaler, self->filter, NULL);
    gst_element_link (self->scaler, self->filter);
    /* Not the default, which looks at 2 by 2 pixels whatever the scale. */
    gst_util_set_object_arg (G_OBJECT (self->scaler), "method", "bilinear2");
    g_object_set (self->scaler, "add-borders", FALSE, NULL);
    self->entry = gst_element_get_static_pad (self->scaler, "sink");
    gst_pad_add_probe (self->entry,
                       GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
                           | GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
                       on_entry, self, NULL);
  }
  add_ghost_pad (self, self->scaler, "sink");
  add_ghost_pad (self, self->filter, "src");
  self->srcpad = gst_element_get_static_pad (GST_ELEMENT (self), "src");
}

static void
gst_weir_scale_dispose (GObject *object)
{
  GstWeirScale *self = GST_WEIR_SCALE (object);
  gst_clear_caps (&self->source);
  gst_clear_object (&self->entry);
  gst_clear_object (&self->srcpad);
  G_OBJECT_CLASS (gst_weir_scale_parent_class)->dispose (object);
}

static void
gst_weir_scale_finalize (GObject *object)
{
  GstWeirScale *self = GST_WEIR_SCALE (object);
  g_weak_ref_clear (&self->encoder);
  weir_pictures_destroy (self->pictures);
  G_OBJECT_CLASS (gst_weir_scale_parent_class)->finalize (object);
}

static void
get_stats (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  g_value_take_boxed (value, make_stats ((GstWeirScale *) object));
}

#define FIELD(member) .offset = G_STRUCT_OFFSET (GstWeirScale, member)
#define LIVE                                                                                       \
  (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

static void
install_properties (GObjectClass *klass)
{
  const GstWeirProperty properties[] = {
    { g_param_spec_enum ("degradation-preference", "Degradation preference",
                         "What gives way when the bitrate is too low: the size, the frame rate, or "
                         "both in turn. The names are those of WebRTC's RTCDegradationPreference",
                         GST_TYPE_WEIR_DEGRADATION, WEIR_DEGRADATION_BALANCED, LIVE),
      FIELD (preference), .changed = settings_changed },
    { g_param_spec_double (
          "min-bits-per-pixel", "Least bits per pixel",
          "The picture becomes smaller when the encoder's target leaves fewer bits "
          "for each pixel, and larger when the larger one would have 5/3 of it. "
          "0: only when the encoder cannot follow its target",
          0.0, 10.0, DEFAULT_MIN_BITS_PER_PIXEL, LIVE),
      FIELD (min_bits_per_pixel), .changed = settings_changed },
    { g_param_spec_boxed ("stats", "Statistics",
                          "A structure weir-scale with width, height and framerate of the picture "
                          "that the encoder gets, reason (full, low-bitrate, "
                          "encoder-cannot-follow), changes, target-bitrate (bit/s); empty before "
                          "there are caps",
                          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS),
      .get = get_stats },
  };
  gst_weir_properties_install (klass, properties, G_N_ELEMENTS (properties), NULL, NULL);
}

static void
gst_weir_scale_class_init (GstWeirScaleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  object_class->dispose = gst_weir_scale_dispose;
  object_class->finalize = gst_weir_scale_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (change_state);
  install_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_DEGRADATION, 0);
  gst_element_class_set_static_metadata (
      element_class, "Picture for the bitrate", "Filter/Converter/Video/Scaler",
      "Before an encoder that weirsend drives: makes the picture smaller or its frames fewer while "
      "the bitrate is too low for it, or the encoder cannot get down to it. Example: v4l2src ! "
      "videoconvert ! weirscale ! x264enc tune=zerolatency ! rtph264pay ! weirsend ! ...",
      "The Weir developers");
}
