/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-weirudpsrc
 * @title: weirudpsrc
 * @short_description: UDP packets with their ECN marks and times of arrival
 *
 * Receives UDP as udpsrc does, and attaches to each buffer what the kernel knows of the packet and
 * udpsrc does not hand on:
 *
 * * its TOS byte or traffic class, a #GstNetControlMessageMeta (IP_TOS, IPV6_TCLASS): weirrecv
 * reports the ECN field in it to the sender;
 * * the time at which the kernel got it, a #GstReferenceTimestampMeta with caps `timestamp/x-unix`:
 *   weirrecv measures delays by it, free of the noise of scheduling. Timestamps of buffers (PTS and
 * DTS) are of this time too.
 *
 * Packets that wait are taken from the kernel several by one call. Properties have the names and
 * the meaning they have in udpsrc.
 *
 * |[
 * gst-launch-1.0 \
 *   weirudpsrc port=5004 \
 *     caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96" \
 *     ! weirrecv name=r ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! autovideosink \
 *   r.rtcp_src ! udpsink host=SENDER port=5005 sync=false async=false
 * ]| A receiver that reports ECN marks.
 */
#include "udp/weirudpsrc.h"

#include "common/arrival_time.h"
#include "common/properties.h"

#include <errno.h>
#include <string.h>

GST_DEBUG_CATEGORY (gst_weir_udp_src_debug);
#define GST_CAT_DEFAULT gst_weir_udp_src_debug

static GstStaticPadTemplate src_template
    = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

G_DEFINE_FINAL_TYPE (GstWeirUdpSrc, gst_weir_udp_src, GST_TYPE_PUSH_SRC)
GST_ELEMENT_REGISTER_DEFINE (weirudpsrc, "weirudpsrc", GST_RANK_NONE, GST_TYPE_WEIR_UDP_SRC);

static GstCaps *
get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstWeirUdpSrc *self = GST_WEIR_UDP_SRC (src);
  GST_OBJECT_LOCK (self);
  g_autoptr (GstCaps) caps
      = self->settings.caps != NULL ? gst_caps_ref (self->settings.caps) : gst_caps_new_any ();
  GST_OBJECT_UNLOCK (self);
  return filter != NULL ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST)
                        : g_steal_pointer (&caps);
}

/* --- Start and stop --- */

static GstWeirUdpSettings
copy_settings (GstWeirUdpSrc *self)
{
  GST_OBJECT_LOCK (self);
  GstWeirUdpSettings copy = self->settings;
  copy.address = g_strdup (copy.address);
  copy.multicast_iface = g_strdup (copy.multicast_iface);
  copy.caps = NULL;
  copy.socket = copy.socket != NULL ? g_object_ref (copy.socket) : NULL;
  GST_OBJECT_UNLOCK (self);
  return copy;
}

static void
set_port (GstWeirUdpSrc *self, GstWeirUdpPort port)
{
  GST_OBJECT_LOCK (self);
  self->port = port;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
start (GstBaseSrc *src)
{
  GstWeirUdpSrc *self = GST_WEIR_UDP_SRC (src);
  g_autofree gchar *why = NULL;
  GstWeirUdpPort port;
  GstWeirUdpSettings settings = copy_settings (self);
  gst_weir_properties_check_times (GST_ELEMENT (self));
  gboolean opened = gst_weir_udp_port_open (&port, &settings, &why);
  if (opened) {
    self->batch = gst_weir_udp_batch_new (settings.mtu_bytes, settings.retrieve_sender_address);
    set_port (self, port);
    GST_INFO_OBJECT (self, "receives on port %u", port.number);
  } else {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ, ("%s", why), (NULL));
  }
  gst_weir_udp_settings_clear (&settings);
  return opened;
}

static gboolean
stop (GstBaseSrc *src)
{
  GstWeirUdpSrc *self = GST_WEIR_UDP_SRC (src);
  GstWeirUdpPort port = self->port;
  set_port (self, (GstWeirUdpPort){ 0 });
  gst_weir_udp_port_close (&port);
  g_clear_pointer (&self->batch, gst_weir_udp_batch_free);
  return TRUE;
}

static gboolean
unlock (GstBaseSrc *src)
{
  g_cancellable_cancel (GST_WEIR_UDP_SRC (src)->cancellable);
  return TRUE;
}

static gboolean
unlock_stop (GstBaseSrc *src)
{
  g_cancellable_reset (GST_WEIR_UDP_SRC (src)->cancellable);
  return TRUE;
}

/* --- Packets --- */

/* As udpsrc says it. */
static void
post_timeout (GstWeirUdpSrc *self, guint64 timeout_ns)
{
  gst_element_post_message (
      GST_ELEMENT (self),
      gst_message_new_element (
          GST_OBJECT (self),
          gst_structure_new ("GstUDPSrcTimeout", "timeout", G_TYPE_UINT64, timeout_ns, NULL)));
}

static guint64
get_timeout_ns (GstWeirUdpSrc *self)
{
  GST_OBJECT_LOCK (self);
  guint64 timeout_ns = self->settings.timeout_ns;
  GST_OBJECT_UNLOCK (self);
  return timeout_ns;
}

/* Until a packet is there, or an error in the socket. FALSE: *flow says why not. */
static gboolean
wait_for_packets (GstWeirUdpSrc *self, GstFlowReturn *flow)
{
  for (;;) {
    g_autoptr (GError) error = NULL;
    guint64 timeout_ns = get_timeout_ns (self);
    gint64 timeout_us = timeout_ns == 0 ? -1 : (gint64) MAX (timeout_ns / GST_USECOND, 1);
    if (g_socket_condition_timed_wait (self->port.socket, G_IO_IN, timeout_us, self->cancellable,
                                       &error)) {
      return TRUE;
    }
    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)) {
      post_timeout (self, timeout_ns);
      continue;
    }
    *flow = GST_FLOW_FLUSHING;
    if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
      *flow = GST_FLOW_ERROR;
      GST_ELEMENT_ERROR (self, RESOURCE, READ, ("cannot wait for packets: %s", error->message),
                         (NULL));
    }
    return FALSE;
  }
}

/* What a router said of a packet that left by this socket, or nothing: packets may still come. */
static gboolean
is_passing (int error)
{
  return error == EAGAIN || error == EINTR || error == ECONNREFUSED || error == EHOSTUNREACH
         || error == ENETUNREACH || error == EMSGSIZE;
}

/* The time of arrival, as running time. */
static void
set_timestamp (GstWeirUdpSrc *self, GstBuffer *buffer)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));
  if (clock == NULL) {
    return;
  }
  gint64 age_ns = gst_weir_arrival_age_ns (buffer, gst_weir_unix_time_ns);
  gint64 running_ns
      = GST_CLOCK_DIFF (gst_element_get_base_time (GST_ELEMENT (self)), gst_clock_get_time (clock));
  GST_BUFFER_DTS (buffer) = GST_BUFFER_PTS (buffer) = (GstClockTime) MAX (running_ns - age_ns, 0);
}

static GstFlowReturn
create (GstPushSrc *src, GstBuffer **buffer)
{
  GstWeirUdpSrc *self = GST_WEIR_UDP_SRC (src);
  GstFlowReturn flow = GST_FLOW_OK;
  while ((*buffer = gst_weir_udp_batch_take (self->batch)) == NULL) {
    if (!wait_for_packets (self, &flow)) {
      return flow;
    }
    if (!gst_weir_udp_batch_receive (self->batch, self->port.socket) && !is_passing (errno)) {
      GST_ELEMENT_ERROR (self, RESOURCE, READ, ("cannot receive: %s", g_strerror (errno)), (NULL));
      return GST_FLOW_ERROR;
    }
  }
  set_timestamp (self, *buffer);
  return GST_FLOW_OK;
}

/* --- Object --- */

static void
gst_weir_udp_src_init (GstWeirUdpSrc *self)
{
  self->cancellable = g_cancellable_new ();
  gst_weir_udp_settings_init (&self->settings);
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

static void
finalize (GObject *object)
{
  GstWeirUdpSrc *self = GST_WEIR_UDP_SRC (object);
  g_object_unref (self->cancellable);
  gst_weir_udp_settings_clear (&self->settings);
  G_OBJECT_CLASS (gst_weir_udp_src_parent_class)->finalize (object);
}

static void
gst_weir_udp_src_class_init (GstWeirUdpSrcClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);
  GST_DEBUG_CATEGORY_INIT (gst_weir_udp_src_debug, "weirudpsrc", 0, "UDP packets with metadata");
  G_OBJECT_CLASS (klass)->finalize = finalize;
  base_class->get_caps = get_caps;
  base_class->start = start;
  base_class->stop = stop;
  base_class->unlock = unlock;
  base_class->unlock_stop = unlock_stop;
  GST_PUSH_SRC_CLASS (klass)->create = create;
  gst_weir_udp_src_install_properties (G_OBJECT_CLASS (klass));
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (
      element_class, "UDP source with ECN and arrival times", "Source/Network",
      "Receives UDP as udpsrc does and hands on the ECN marks and the kernel's time of arrival of "
      "each packet, which weirrecv reports. Example: weirudpsrc port=5004 "
      "caps=application/x-rtp,... ! weirrecv name=r ! rtpjitterbuffer ! ...",
      "The Weir developers");
}
