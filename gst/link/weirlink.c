/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-weirlink
 * @title: weirlink
 * @short_description: an emulated bottleneck inside a pipeline
 *
 * Everything that enters on the pads sink_N crosses one emulated bottleneck in real time and
 * leaves on src_N: a queue, a capacity that may follow a schedule, loss, propagation delay. TCP
 * flows and constant bit rate sources can compete in the same queue. No root is needed.
 *
 * Inline, as `... ! weirlink ! ...`, the pads are made by themselves. Several pairs share the
 * bottleneck: `a ! l.sink_0  l.src_0 ! b  c ! l.sink_1  l.src_1 ! d`. RTCP that travels the other
 * way goes through a weirlink of its own that has only a delay.
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! weirsend
 * name=s \
 *   ! weirlink schedule="0:2500k,20:1M,40:2500k" delay=50000000 queue-time=200000000 \
 *       cross-traffic="reno*2,start=60" log-location=link.csv \
 *   ! weirrecv name=r ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! autovideosink \
 *   r.rtcp_src ! weirlink delay=50000000 ! s.rtcp_sink
 * ]| Video over a link that loses more than half of its capacity for 20 seconds, and later has to
 * be shared with two TCP flows.
 *
 * Statistics (the property #weirlink:stats) are a structure `weir-stats`,
 * all values gint64 and sums since the start unless said otherwise: `time` (ns since the start),
 * `capacity` (bit/s now), `offered-packets`, `offered-bytes`, `delivered-packets`,
 * `delivered-bytes` (copies of duplicated packets included), `dropped-packets` (by the queue),
 * `dropped-at-end` (given up because an EOS waited behind them for 2 s in an outage),
 * `lost-packets` (all that will never arrive: these two, and what was lost on the link),
 * `queue-packets`, `queue-bytes` (now, all traffic), `queue-delay` (ns, what a packet that comes
 * now waits; G_MAXINT64 in an outage), `cross-bytes` (cross traffic that arrived),
 * `cross-dropped-packets`, `cross-goodput-bytes` (without retransmissions), and for each pair a
 * structure `sink_N` with `offered-packets`, `offered-bytes`, `delivered-packets`,
 * `delivered-bytes`, `dropped-packets`, `dropped-at-end`, `lost-packets`. Bytes count the size on
 * the wire. Element messages `weir-stats` have the same but for the pairs.
 */
#include "link/weirlink.h"

#include "common/properties.h"

GST_DEBUG_CATEGORY (gst_weir_link_debug);
#define GST_CAT_DEFAULT gst_weir_link_debug

G_DEFINE_FINAL_TYPE (GstWeirLink, gst_weir_link, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (weirlink, "weirlink", GST_RANK_NONE, GST_TYPE_WEIR_LINK);

static gboolean
open_log (GstWeirLink *self, const gchar *location, GstWeirLinkLog **log)
{
  g_autoptr (GError) error = NULL;
  *log = NULL;
  if (location == NULL || location[0] == '\0') {
    return TRUE;
  }
  *log = gst_weir_link_log_open (location, &error);
  if (*log == NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE,
                       ("The log cannot be written: %s", error->message),
                       ("property log-location"));
  }
  return *log != NULL;
}

/* FALSE: an error was posted. */
static gboolean
start (GstWeirLink *self)
{
  GstWeirLinkLog *log;
  gchar why[256];
  gst_weir_properties_check_times (GST_ELEMENT (self));
  gst_weir_link_engine_lock (&self->engine);
  self->size_warned = FALSE;
  g_autofree gchar *location = g_strdup (self->log_location);
  gst_weir_link_engine_unlock (&self->engine);
  if (!open_log (self, location, &log)) {
    return FALSE;
  }
  if (!gst_weir_link_engine_start (&self->engine, log, why, sizeof why)) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", why),
                       ("The emulated link cannot be created"));
    return FALSE;
  }
  return TRUE;
}

static void
set_playing (GstWeirLink *self, gboolean playing)
{
  gst_weir_link_engine_lock (&self->engine);
  self->playing = playing;
  gst_weir_link_engine_unlock (&self->engine);
}

static GstStateChangeReturn
gst_weir_link_change_state (GstElement *element, GstStateChange transition)
{
  GstWeirLink *self = GST_WEIR_LINK (element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self)) {
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    set_playing (self, TRUE);
  }
  GstStateChangeReturn result
      = GST_ELEMENT_CLASS (gst_weir_link_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    set_playing (self, FALSE);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)) {
    gst_weir_link_engine_stop (&self->engine);
  }
  return result;
}

static void
gst_weir_link_init (GstWeirLink *self)
{
  self->clock = gst_system_clock_obtain ();
  weir__path_config_default (&self->settings.path);
  gst_weir_link_engine_init (&self->engine, GST_ELEMENT (self), self->clock, &self->settings);
}

static void
gst_weir_link_dispose (GObject *object)
{
  gst_weir_link_release_all (GST_WEIR_LINK (object));
  G_OBJECT_CLASS (gst_weir_link_parent_class)->dispose (object);
}

static void
gst_weir_link_finalize (GObject *object)
{
  GstWeirLink *self = GST_WEIR_LINK (object);
  gst_weir_link_settings_clear (&self->settings);
  g_free (self->log_location);
  gst_weir_link_engine_clear (&self->engine);
  gst_object_unref (self->clock);
  G_OBJECT_CLASS (gst_weir_link_parent_class)->finalize (object);
}

static void
gst_weir_link_class_init (GstWeirLinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GST_DEBUG_CATEGORY_INIT (gst_weir_link_debug, "weirlink", 0, "emulated bottleneck");
  object_class->dispose = gst_weir_link_dispose;
  object_class->finalize = gst_weir_link_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_weir_link_change_state);
  element_class->request_new_pad = GST_DEBUG_FUNCPTR (gst_weir_link_request_pad);
  element_class->release_pad = GST_DEBUG_FUNCPTR (gst_weir_link_release_pad);
  gst_weir_link_install_properties (object_class);
  gst_weir_link_add_pad_templates (element_class);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_LINK_DISCIPLINE, 0);
  gst_element_class_set_static_metadata (
      element_class, "Emulated bottleneck link", "Filter/Network",
      "Sends packets through an emulated bottleneck in real time: capacity schedule, queue, delay, "
      "loss, competing TCP. Pads come in pairs sink_N and src_N that share the bottleneck; inline "
      "use needs no names. Example: ... ! rtph264pay ! weirlink schedule=\"0:2500k,20:1M\" "
      "delay=50000000 cross-traffic=\"reno*2\" ! rtpjitterbuffer ! ...",
      "The Weir developers");
}
