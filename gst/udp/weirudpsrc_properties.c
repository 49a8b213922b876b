/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirudpsrc: names, meanings and defaults of udpsrc. */
#include "udp/weirudpsrc.h"

#include "common/properties.h"

#define ANY_ADDRESS "0.0.0.0"
#define DEFAULT_PORT 5004
#define DEFAULT_MTU_BYTES 1492

void
gst_weir_udp_settings_init (GstWeirUdpSettings *settings)
{
  *settings = (GstWeirUdpSettings){ .address = g_strdup (ANY_ADDRESS),
                                    .port = DEFAULT_PORT,
                                    .close_socket = TRUE,
                                    .mtu_bytes = DEFAULT_MTU_BYTES,
                                    .reuse = TRUE,
                                    .auto_multicast = TRUE,
                                    .loop = TRUE,
                                    .retrieve_sender_address = TRUE };
}

void
gst_weir_udp_settings_clear (GstWeirUdpSettings *settings)
{
  g_clear_pointer (&settings->address, g_free);
  g_clear_pointer (&settings->multicast_iface, g_free);
  gst_clear_caps (&settings->caps);
  g_clear_object (&settings->socket);
}

static void
set_caps (GObject *object, const GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirUdpSrc *self = (GstWeirUdpSrc *) object;
  GstCaps *caps = g_value_dup_boxed (value);
  GST_OBJECT_LOCK (self);
  GstCaps *former = self->settings.caps;
  self->settings.caps = caps;
  GST_OBJECT_UNLOCK (self);
  gst_clear_caps (&former);
  gst_pad_mark_reconfigure (GST_BASE_SRC_PAD (self));
}

static void
set_socket (GObject *object, const GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirUdpSrc *self = (GstWeirUdpSrc *) object;
  GSocket *given = g_value_dup_object (value);
  GST_OBJECT_LOCK (self);
  GSocket *former = self->settings.socket;
  self->settings.socket = given;
  GST_OBJECT_UNLOCK (self);
  g_clear_object (&former);
}

static void
get_socket (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirUdpSrc *self = (GstWeirUdpSrc *) object;
  GST_OBJECT_LOCK (self);
  g_value_set_object (value, self->settings.socket);
  GST_OBJECT_UNLOCK (self);
}

static void
get_used_socket (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirUdpSrc *self = (GstWeirUdpSrc *) object;
  GST_OBJECT_LOCK (self);
  g_value_set_object (value, self->port.socket);
  GST_OBJECT_UNLOCK (self);
}

/* While it is open, the one that the kernel gave. */
static void
get_port (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirUdpSrc *self = (GstWeirUdpSrc *) object;
  GST_OBJECT_LOCK (self);
  g_value_set_int (value, self->port.socket != NULL ? self->port.number : self->settings.port);
  GST_OBJECT_UNLOCK (self);
}

static void
set_port (GObject *object, const GValue *value, GParamSpec *spec)
{
  gst_weir_property_store (object, value, spec);
}

#define FIELD(member) .offset = G_STRUCT_OFFSET (GstWeirUdpSrc, settings.member)
#define LIVE (G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | G_PARAM_STATIC_STRINGS)
#define EARLY (G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY | G_PARAM_STATIC_STRINGS)
#define READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

void
gst_weir_udp_src_install_properties (GObjectClass *klass)
{
  const GstWeirProperty properties[] = {
    { g_param_spec_string ("address", "Address",
                           "Address to receive on: of an interface, a multicast group, 0.0.0.0 or "
                           ":: for all",
                           ANY_ADDRESS, EARLY),
      FIELD (address) },
    { g_param_spec_int ("port", "Port", "UDP port to receive on; 0: the kernel chooses, read it", 0,
                        G_MAXUINT16, DEFAULT_PORT, EARLY),
      FIELD (port), .set = set_port, .get = get_port },
    { g_param_spec_boxed ("caps", "Caps",
                          "What the packets are, for example application/x-rtp,media=video,"
                          "clock-rate=90000,encoding-name=H264,payload=96",
                          GST_TYPE_CAPS, LIVE),
      FIELD (caps), .set = set_caps },
    { g_param_spec_object ("socket", "Socket", "Socket to receive on, in place of address and port",
                           G_TYPE_SOCKET, EARLY),
      .set = set_socket, .get = get_socket },
    { g_param_spec_boolean ("close-socket", "Close socket",
                            "Close the socket given when the element stops", TRUE, EARLY),
      FIELD (close_socket) },
    { g_param_spec_object ("used-socket", "Socket in use", "Socket received on; none when stopped",
                           G_TYPE_SOCKET, READ),
      .get = get_used_socket },
    { g_param_spec_int ("buffer-size", "Buffer size",
                        "Kernel's receive buffer in bytes; 0: the system's default", 0, G_MAXINT, 0,
                        EARLY),
      FIELD (buffer_bytes) },
    { g_param_spec_uint ("mtu", "Largest packet expected",
                         "Bytes of memory for a packet; larger ones, up to 64 KiB, cost a copy", 64,
                         65536, DEFAULT_MTU_BYTES, EARLY),
      FIELD (mtu_bytes) },
    { g_param_spec_uint64 ("timeout", "Timeout",
                           "Post an element message GstUDPSrcTimeout when no packet came for that "
                           "many nanoseconds; 0: never",
                           0, G_MAXINT64, 0, LIVE),
      FIELD (timeout_ns), .in_ns = TRUE },
    { g_param_spec_boolean ("reuse", "Reuse", "Let others receive on the same port", TRUE, EARLY),
      FIELD (reuse) },
    { g_param_spec_boolean ("auto-multicast", "Join groups",
                            "Join the group that address is, and leave it", TRUE, EARLY),
      FIELD (auto_multicast) },
    { g_param_spec_string ("multicast-iface", "Interface of the group",
                           "Network interface to join the group on; none: the system's choice",
                           NULL, EARLY),
      FIELD (multicast_iface) },
    { g_param_spec_boolean ("loop", "Loop", "Receive what this machine sends to the group", TRUE,
                            EARLY),
      FIELD (loop) },
    { g_param_spec_boolean ("retrieve-sender-address", "Sender's address",
                            "Attach the sender's address to each buffer (GstNetAddressMeta)", TRUE,
                            EARLY),
      FIELD (retrieve_sender_address) },
  };
  gst_weir_properties_install (klass, properties, G_N_ELEMENTS (properties), NULL, NULL);
}
