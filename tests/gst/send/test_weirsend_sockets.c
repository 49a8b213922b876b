/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN from weirsend to weirrecv and back, over the machine's own network; and what is said where it
 * cannot be. */
#define _GNU_SOURCE /* syscall() */
#include "send/weirsend_sockets.h"
#include "weir/ecn.h"

#include <errno.h>
#include <gio/gio.h>
#include <gmodule.h>
#include <gst/gst.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAIT_US (30 * G_USEC_PER_SEC)
#define SOURCE                                                                                     \
  "videotestsrc is-live=true ! video/x-raw,width=64,height=64,framerate=60/1 ! rtpvrawpay "        \
  "ssrc=77 ! "
#define SEND "weirsend name=s encoders=none stats-interval=0 "
#define CAPS                                                                                       \
  "application/"                                                                                   \
  "x-rtp,media=video,clock-rate=90000,encoding-name=RAW,sampling=YCbCr-4:2:0,depth=(string)8,"     \
  "width=(string)64,height=(string)64,payload=96"

static GstElement *
play (const gchar *line)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
end (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static GstElement *
find (GstElement *pipeline, const gchar *name)
{
  return gst_bin_get_by_name (GST_BIN (pipeline), name);
}

static gchar *
ecn_state (GstElement *send, guint64 *packets_ce)
{
  g_autoptr (GstStructure) stats = NULL;
  g_object_get (send, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets-ecn-ce", packets_ce);
  return g_strdup (gst_structure_get_string (stats, "ecn"));
}

/* Waits for it, however busy the machine is. */
static void
await_state (GstElement *send, const gchar *state)
{
  gint64 end_us = g_get_monotonic_time () + WAIT_US;
  g_autofree gchar *seen = NULL;
  guint64 packets_ce;
  do {
    g_usleep (5000);
    g_free (seen);
    seen = ecn_state (send, &packets_ce);
  } while (!g_str_equal (seen, state) && g_get_monotonic_time () < end_us);
  g_assert_cmpstr (seen, ==, state);
}

/* How many warnings say that no packet is ECN-capable; their texts are added to texts. */
static guint
count_refusals (GstElement *pipeline, GString *texts)
{
  guint n = 0;
  GstMessage *message;
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)) != NULL) {
    g_autoptr (GError) warning = NULL;
    g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_WARNING);
    gst_message_parse_warning (message, &warning, NULL);
    gst_message_unref (message);
    if (g_str_has_prefix (warning->message, "No packet is ECN-capable: ")) {
      g_string_append_printf (texts, "%s\n", warning->message);
      n++;
    }
  }
  return n;
}

static guint64
packets_of (GstElement *element, const gchar *name)
{
  guint64 n = 0;
  g_autoptr (GstStructure) stats = NULL;
  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &n);
  return n;
}

/* So many more that weirsend has looked behind itself meanwhile, and said what it had to. */
static void
await_packets (GstElement *element, const gchar *name)
{
  guint64 enough = packets_of (element, name) + 20;
  gint64 end_us = g_get_monotonic_time () + WAIT_US;
  while (packets_of (element, name) < enough && g_get_monotonic_time () < end_us) {
    g_usleep (5000);
  }
  g_assert_cmpuint (packets_of (element, name), >=, enough);
}

static gint
tos_of (GstElement *sink)
{
  gint tos = -1;
  g_autoptr (GSocket) socket = NULL;
  g_object_get (sink, "used-socket", &socket, NULL);
  g_socket_get_option (socket, IPPROTO_IP, IP_TOS, &tos, NULL);
  return tos;
}

/* In place of the C library's: as where a sandbox refuses the option. */
static gint refuses; /* atomic */

int setsockopt (int fd, int level, int option, const void *value, socklen_t size) G_MODULE_EXPORT;

int
setsockopt (int fd, int level, int option, const void *value, socklen_t size)
{
  if (g_atomic_int_get (&refuses) && level == IPPROTO_IP && option == IP_TOS) {
    errno = EPERM;
    return -1;
  }
  return (int) syscall (SYS_setsockopt, fd, level, option, value, size);
}

static gint
port_of (GstElement *src)
{
  gint port;
  g_object_get (src, "port", &port, NULL);
  return port;
}

/* --- A hop that changes the ECN field --- */

typedef enum
{
  HOP_KEEPS,
  HOP_MARKS_SOME, /* each third packet that is ECN-capable, as a queue may */
  HOP_MARKS_ALL,  /* and what is not ECN-capable, too */
} HopWork;

typedef struct
{
  GSocket *socket; /* what comes there goes on to_port */
  GSocketAddress *to;
  GThread *thread;
  gint work;  /* atomic: HopWork */
  gint ended; /* atomic */
} Hop;

static gint
change_tos (HopWork work, guint n, gint tos)
{
  gboolean marks = work == HOP_MARKS_ALL
                   || (work == HOP_MARKS_SOME && (tos & 3) != WEIR_ECN_NOT_ECT && n % 3 == 0);
  return marks ? tos | WEIR_ECN_CE : tos;
}

static gint
receive_with_tos (GSocket *socket, guint8 *data, gsize size, gint *tos)
{
  union {
    struct cmsghdr header;
    guint8 bytes[64];
  } control;
  struct iovec iov = { data, size };
  struct msghdr message = {
    .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  gssize n = recvmsg (g_socket_get_fd (socket), &message, MSG_DONTWAIT);
  struct cmsghdr *part = n >= 0 ? CMSG_FIRSTHDR (&message) : NULL;
  if (part != NULL && part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_TOS) {
    *tos = *CMSG_DATA (part);
  }
  return (gint) n;
}

static gpointer
hop_run (gpointer user)
{
  Hop *hop = user;
  for (guint n = 0; !g_atomic_int_get (&hop->ended);) {
    guint8 data[2000];
    gint tos = 0;
    g_socket_condition_timed_wait (hop->socket, G_IO_IN, 50000, NULL, NULL);
    gint size = receive_with_tos (hop->socket, data, sizeof data, &tos);
    if (size > 0) {
      tos = change_tos ((HopWork) g_atomic_int_get (&hop->work), n++, tos);
      g_socket_set_option (hop->socket, IPPROTO_IP, IP_TOS, tos, NULL);
      g_socket_send_to (hop->socket, hop->to, (gchar *) data, (gsize) size, NULL, NULL);
    }
  }
  return NULL;
}

/* Returns the port to send to. */
static gint
hop_begin (Hop *hop, gint to_port)
{
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new_from_string ("127.0.0.1", 0);
  hop->socket
      = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_assert_true (g_socket_bind (hop->socket, any, FALSE, NULL));
  g_assert_true (g_socket_set_option (hop->socket, IPPROTO_IP, IP_RECVTOS, 1, NULL));
  hop->to = g_inet_socket_address_new_from_string ("127.0.0.1", (guint) to_port);
  hop->thread = g_thread_new ("hop", hop_run, hop);
  g_autoptr (GSocketAddress) own = g_socket_get_local_address (hop->socket, NULL);
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (own));
}

static void
hop_end (Hop *hop)
{
  g_atomic_int_set (&hop->ended, TRUE);
  g_thread_join (hop->thread);
  g_object_unref (hop->socket);
  g_object_unref (hop->to);
}

/* --- Calls --- */

/* The RTCP's way back: a port that the sender listens on, made first. */
typedef struct
{
  GstElement *receiver, *sender, *send, *sink;
} Call;

/* How the packets go: what receives them, and the sink, with %d where the port belongs. */
typedef struct
{
  const gchar *src, *sink;
  const gchar *recv; /* properties of weirrecv, or NULL */
  Hop *hop;          /* between, or NULL */
} Way;

static const Way plain = { .src = "weirudpsrc name=in address=127.0.0.1 port=0 caps=\"" CAPS "\"",
                           .sink = "udpsink host=127.0.0.1 port=%d" };

static void
call_begin_by (Call *call, const Way *way, const gchar *ecn)
{
  g_autofree gchar *receiving = g_strdup_printf (
      "%s ! weirrecv name=r %s ! fakesink sync=false r.rtcp_src ! udpsink name=back host=127.0.0.1 "
      "port=9 sync=false async=false",
      way->src, way->recv != NULL ? way->recv : "");
  call->receiver = play (receiving);
  g_autoptr (GstElement) in = find (call->receiver, "in");
  gint port = way->hop != NULL ? hop_begin (way->hop, port_of (in)) : port_of (in);
  g_auto (GStrv) sink = g_strsplit (way->sink, "%d", 2);
  g_autofree gchar *sending
      = g_strdup_printf (SOURCE SEND "%s ! %s%d%s name=out qos-dscp=46 sync=false "
                                     "udpsrc name=rtcp address=127.0.0.1 port=0 ! s.rtcp_sink",
                         ecn, sink[0], port, sink[1]);
  call->sender = play (sending);
  g_autoptr (GstElement) rtcp = find (call->sender, "rtcp");
  g_autoptr (GstElement) back = find (call->receiver, "back");
  gst_element_get_state (call->sender, NULL, NULL, 10 * GST_SECOND);
  g_object_set (back, "port", port_of (rtcp), NULL);
  call->send = find (call->sender, "s");
  call->sink = find (call->sender, "out");
}

static void
call_begin (Call *call, const gchar *src, const gchar *ecn)
{
  g_autofree gchar *receiving
      = g_strdup_printf ("%s name=in address=127.0.0.1 port=0 caps=\"" CAPS "\"", src);
  Way way = { .src = receiving, .sink = plain.sink };
  call_begin_by (call, &way, ecn);
}

static void
call_end (Call *call)
{
  gst_object_unref (call->send);
  gst_object_unref (call->sink);
  end (call->sender);
  end (call->receiver);
}

static void
test_end_to_end (void)
{
  static const struct
  {
    const gchar *src, *ecn, *state;
    gint tos;
  } rows[] = { { "weirudpsrc", "ecn=ect0", "capable", 0xb8 | 2 },
               { "weirudpsrc", "ecn=ect1", "capable", 0xb8 | 1 },
               { "weirudpsrc", "", "off", 0xb8 },
               { "udpsrc", "ecn=ect0", "bleached", 0xb8 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Call call;
    call_begin (&call, rows[i].src, rows[i].ecn);
    await_state (call.send, rows[i].state);
    for (guint k = 0; k < 1000 && tos_of (call.sink) != rows[i].tos; k++) {
      g_usleep (5000);
    }
    g_assert_cmpint (tos_of (call.sink), ==, rows[i].tos);
    call_end (&call);
  }
}

#define KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d"
#define SRTP                                                                                       \
  "srtp-key=(buffer)" KEY ",srtp-cipher=(string)aes-128-icm,srtp-auth=(string)hmac-sha1-80,"       \
  "srtcp-cipher=(string)aes-128-icm,srtcp-auth=(string)hmac-sha1-80"

static gboolean
has_ipv6 (void)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new_from_string ("::1", 0);
  g_autoptr (GSocket) socket
      = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  return socket != NULL && g_socket_bind (socket, address, FALSE, NULL);
}

static gboolean
has_element (const gchar *name)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);
  return factory != NULL;
}

static void
test_other_ways (void)
{
  static const Way ways[] = {
    { .src = "weirudpsrc name=in address=127.0.0.1 port=0 caps=\"" CAPS "\"",
      .sink = "multiudpsink clients=127.0.0.1:%d" },
    { .src = "weirudpsrc name=in address=::1 port=0 caps=\"" CAPS "\"",
      .sink = "udpsink host=::1 port=%d" },
    { .src
      = "weirudpsrc name=in address=127.0.0.1 port=0 caps=\"application/x-srtp,ssrc=(uint)77," SRTP
        "\" ! srtpdec ! capssetter caps=\"" CAPS "\" replace=true",
      .sink = "srtpenc key=" KEY " ! udpsink host=127.0.0.1 port=%d" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    Call call;
    if ((i == 1 && !has_ipv6 ()) || (i == 2 && !has_element ("srtpenc"))) {
      g_test_message ("not on this machine: %s", ways[i].sink);
      continue;
    }
    g_test_message ("%s", ways[i].sink);
    call_begin_by (&call, &ways[i], "ecn=ect1");
    await_state (call.send, "capable");
    call_end (&call);
  }
}

/* On and off while it plays, and taken back when it stops. */
static void
test_it_follows_the_property (void)
{
  Call call;
  call_begin (&call, "weirudpsrc", "ecn=ect0");
  await_state (call.send, "capable");
  gst_util_set_object_arg (G_OBJECT (call.send), "ecn", "off");
  await_state (call.send, "off");
  gst_util_set_object_arg (G_OBJECT (call.send), "ecn", "ect1");
  await_state (call.send, "capable");
  g_autoptr (GSocket) socket = NULL;
  gint tos = -1;
  g_object_get (call.sink, "used-socket", &socket, NULL);
  gst_element_set_locked_state (call.sink, TRUE); /* its socket stays open */
  gst_element_set_state (call.sender, GST_STATE_READY);
  g_socket_get_option (socket, IPPROTO_IP, IP_TOS, &tos, NULL);
  g_assert_cmpint (tos, ==, 0xb8);
  gst_element_set_locked_state (call.sink, FALSE);
  call_end (&call);
}

static GstPadProbeReturn
block (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, G_GNUC_UNUSED gpointer user)
{
  return GST_PAD_PROBE_OK;
}

/* Added to a weirsend that plays; its socket is there when it is linked, or not yet. */
static void
test_a_sink_that_comes_later (void)
{
  static const Way way
      = { .src = "weirudpsrc name=in address=127.0.0.1 port=0 caps=\"" CAPS "\"",
          .sink = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! tee "
                  "name=t allow-not-linked=true udpsink async=false host=127.0.0.1 "
                  "port=%d" };
  for (gint opens_late = 0; opens_late < 2; opens_late++) {
    Call call;
    g_autoptr (GString) said = g_string_new (NULL);
    call_begin_by (&call, &way, "ecn=auto");
    await_packets (call.send, "packets-sent");
    g_assert_cmpuint (count_refusals (call.sender, said), ==, 1);
    g_assert_nonnull (strstr (said->str, "no network sink was found"));
    g_autoptr (GstElement) tee = find (call.sender, "t");
    g_autoptr (GstPad) from = gst_element_request_pad_simple (tee, "src_%u");
    g_autoptr (GstPad) to = gst_element_get_static_pad (call.sink, "sink");
    gulong probe = gst_pad_add_probe (from, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, NULL, NULL);
    gst_element_set_state (call.sink, opens_late ? GST_STATE_NULL : GST_STATE_PLAYING);
    g_assert_cmpint (gst_pad_link (from, to), ==, GST_PAD_LINK_OK);
    await_packets (call.send, "packets-sent");
    gst_element_set_state (call.sink, GST_STATE_PLAYING);
    gst_pad_remove_probe (from, probe);
    await_state (call.send, "capable");
    g_assert_cmpint (tos_of (call.sink) & 3, !=, WEIR_ECN_NOT_ECT);
    g_assert_cmpuint (count_refusals (call.sender, said), ==, 0);
    call_end (&call);
  }
}

/* Who is refused the option goes on without it. */
static void
test_a_socket_that_refuses (void)
{
  Call call;
  g_autoptr (GString) said = g_string_new (NULL);
  call_begin (&call, "weirudpsrc", "ecn=off");
  await_packets (call.send, "packets-received");
  g_atomic_int_set (&refuses, TRUE);
  gst_util_set_object_arg (G_OBJECT (call.send), "ecn", "auto");
  await_packets (call.send, "packets-received");
  await_state (call.send, "off");
  g_assert_cmpuint (count_refusals (call.sender, said), ==, 1);
  g_assert_nonnull (strstr (said->str, "the socket refuses IP_TOS: Operation not permitted; "));
  g_assert_nonnull (strstr (said->str, "another socket, or set ecn=off"));
  await_packets (call.send, "packets-received");
  g_assert_cmpuint (count_refusals (call.sender, said), ==, 0);
  g_atomic_int_set (&refuses, FALSE);
  gst_util_set_object_arg (G_OBJECT (call.send), "ecn", "ect0");
  await_state (call.send, "capable");
  call_end (&call);
}

/* Also when the other one comes later. */
static void
test_other_wishes_for_the_same_socket_are_said (void)
{
  Call call;
  call_begin (&call, "weirudpsrc", "ecn=ect0");
  await_state (call.send, "capable");
  g_autoptr (GSocket) socket = NULL;
  g_object_get (call.sink, "used-socket", &socket, NULL);
  g_autoptr (GError) error = NULL;
  GstElement *other = gst_parse_launch (
      SOURCE SEND "! udpsink name=out host=127.0.0.1 port=9 sync=false", &error);
  g_assert_no_error (error);
  g_autoptr (GstElement) out = find (other, "out");
  g_object_set (out, "socket", socket, "close-socket", FALSE, NULL);
  gst_element_set_state (other, GST_STATE_PLAYING);
  g_autoptr (GstBus) bus = gst_element_get_bus (call.sender);
  g_autofree gchar *said = NULL;
  for (gint64 end_us = g_get_monotonic_time () + WAIT_US;
       said == NULL && g_get_monotonic_time () < end_us;) {
    g_autoptr (GstMessage) message
        = gst_bus_timed_pop_filtered (bus, GST_SECOND, GST_MESSAGE_WARNING);
    g_autoptr (GError) warning = NULL;
    if (message != NULL) {
      gst_message_parse_warning (message, &warning, NULL);
      said = g_strstr_len (warning->message, -1, "another weirsend") ? g_strdup (warning->message)
                                                                     : NULL;
    }
  }
  g_assert_nonnull (said);
  g_assert_cmpint (tos_of (call.sink) & 3, ==, 0);
  end (other);
  call_end (&call);
}

/* Who has looked, and has sent nothing yet, is in nobody's way; who sends with other wishes is. */
static void
test_those_who_agree_share_a_socket (void)
{
  gint tos = -1;
  GstWeirSockets senders[2];
  GstElement *pipelines[2];
  g_autoptr (GSocket) socket
      = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  for (guint i = 0; i < 2; i++) {
    pipelines[i] = gst_parse_launch (
        "identity name=from ! udpsink name=out host=127.0.0.1 port=9 async=false", NULL);
    g_autoptr (GstElement) from = find (pipelines[i], "from");
    g_autoptr (GstElement) out = find (pipelines[i], "out");
    g_autoptr (GstPad) pad = gst_element_get_static_pad (from, "src");
    g_object_set (out, "socket", socket, "close-socket", FALSE, NULL);
    gst_element_set_state (pipelines[i], GST_STATE_PAUSED);
    gst_weir_sockets_init (&senders[i]);
    g_assert_true (gst_weir_sockets_look (&senders[i], pad));
  }
  g_assert_true (gst_weir_sockets_set (&senders[0], WEIR_ECN_ECT1));
  g_assert_true (gst_weir_sockets_set (&senders[1], WEIR_ECN_ECT1));
  g_assert_true (gst_weir_sockets_set (&senders[0], WEIR_ECN_ECT1));
  g_socket_get_option (socket, IPPROTO_IP, IP_TOS, &tos, NULL);
  g_assert_cmpint (tos, ==, WEIR_ECN_ECT1);
  gst_weir_sockets_forget (&senders[1]);
  g_autoptr (GstElement) from = find (pipelines[1], "from");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (from, "src");
  g_assert_true (gst_weir_sockets_look (&senders[1], pad));
  g_assert_true (gst_weir_sockets_set (&senders[1], WEIR_ECN_NOT_ECT));
  g_assert_false (gst_weir_sockets_set (&senders[0], WEIR_ECN_ECT1));
  g_socket_get_option (socket, IPPROTO_IP, IP_TOS, &tos, NULL);
  g_assert_cmpint (tos, ==, WEIR_ECN_NOT_ECT);
  for (guint i = 0; i < 2; i++) {
    gst_weir_sockets_forget (&senders[i]);
    gst_weir_sockets_clear (&senders[i]);
    end (pipelines[i]);
  }
}

/* In one pipeline, where a queue marks. */
static void
test_through_weirlink (void)
{
  GstElement *pipeline = play (
      SOURCE SEND "ecn=ect0 algorithm=fixed min-bitrate=3000000 max-bitrate=3000000 ! weirlink "
                  "capacity=2500000 discipline=codel ecn=true ! weirrecv name=r ! fakesink "
                  "sync=false r.rtcp_src ! s.rtcp_sink");
  g_autoptr (GstElement) send = find (pipeline, "s");
  gint64 end_us = g_get_monotonic_time () + WAIT_US;
  guint64 packets_ce = 0;
  while (packets_ce < 5 && g_get_monotonic_time () < end_us) {
    g_usleep (5000);
    g_free (ecn_state (send, &packets_ce));
  }
  g_autofree gchar *state = ecn_state (send, &packets_ce);
  g_assert_cmpstr (state, ==, "capable");
  g_assert_cmpuint (packets_ce, >=, 5);
  end (pipeline);
}

/* What cannot send it says so, once. */
static void
test_no_socket_is_said (void)
{
  static const gchar *const sinks[] = { "fakesink", "dynudpsink" };
  for (guint i = 0; i < G_N_ELEMENTS (sinks); i++) {
    g_autofree gchar *line = g_strdup_printf (SOURCE SEND "ecn=ect0 ! %s name=sink", sinks[i]);
    GstElement *pipeline = play (line);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autoptr (GstMessage) message
        = gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND, GST_MESSAGE_WARNING);
    g_autoptr (GError) warning = NULL;
    g_assert_nonnull (message);
    gst_message_parse_warning (message, &warning, NULL);
    g_assert_true (g_str_has_prefix (warning->message, "No packet is ECN-capable: "));
    g_assert_nonnull (
        strstr (warning->message, i == 0 ? "no network sink" : "sink shows no socket"));
    end (pipeline);
  }
}

/* --- Marks on the way --- */

/* Its reports reach weirrecv, which answers them: that makes a round-trip time. */
static void
send_reports (Call *call)
{
  g_autoptr (GstElement) to = find (call->receiver, "reports");
  GstElement *sink = gst_element_factory_make ("udpsink", NULL);
  g_object_set (sink, "host", "127.0.0.1", "port", port_of (to), "sync", FALSE, "async", FALSE,
                NULL);
  gst_bin_add (GST_BIN (call->sender), sink);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  g_assert_true (gst_element_link_pads (call->send, "rtcp_src", sink, "sink"));
}

#define RECEIVE                                                                                    \
  "udpsrc name=reports address=127.0.0.1 port=0 ! r.rtcp_sink weirudpsrc name=in "                 \
  "address=127.0.0.1 port=0 caps=\"" CAPS "\""
#define COUNTS "feedback-format=rr ecn-counts=true"

static guint
target_of (Call *call)
{
  guint bps = 0;
  g_object_get (call->send, "target-bitrate", &bps, NULL);
  return bps;
}

static void
begin_with_hop (Call *call, Hop *hop, const gchar *ecn, const gchar *recv)
{
  Way way = { RECEIVE, plain.sink, recv, hop };
  g_autofree gchar *properties
      = g_strdup_printf ("algorithm=rap min-bitrate=50000 max-bitrate=2000000 ecn=%s", ecn);
  call_begin_by (call, &way, properties);
  send_reports (call);
}

static void
await_target (Call *call, guint least_bps, guint most_bps)
{
  gint64 end_us = g_get_monotonic_time () + WAIT_US;
  guint bps;
  while (bps = target_of (call),
         (bps < least_bps || bps > most_bps) && g_get_monotonic_time () < end_us) {
    g_usleep (5000);
  }
  g_assert_cmpuint (bps, >=, least_bps);
  g_assert_cmpuint (bps, <=, most_bps);
}

#define HIGH_BPS 800000
#define LOW_BPS 200000

/* RFC 6679: from a queue on the way by receiver reports to the rate. */
static void
test_marks_in_receiver_reports_lower_the_rate (void)
{
  Call call;
  Hop hop = { .work = HOP_KEEPS };
  begin_with_hop (&call, &hop, "auto", COUNTS);
  await_state (call.send, "capable");
  await_target (&call, HIGH_BPS, G_MAXUINT);
  g_assert_cmpuint (packets_of (call.send, "packets-ecn-ce"), ==, 0);
  g_atomic_int_set (&hop.work, HOP_MARKS_SOME);
  await_packets (call.send, "packets-ecn-ce");
  await_target (&call, 0, LOW_BPS);
  await_state (call.send, "capable");
  g_assert_cmpuint (packets_of (call.send, "feedback-ccfb"), ==, 0);
  g_assert_cmpuint (packets_of (call.send, "packets-lost"), ==, 0);
  g_assert_cmpuint (packets_of (call.send, "packets-ecn-wrong"), ==, 0);
  g_atomic_int_set (&hop.work, HOP_KEEPS);
  await_target (&call, HIGH_BPS, G_MAXUINT);
  call_end (&call);
  hop_end (&hop);
}

/* Marks of packets that were not ECN-capable do not count, and others for as long as the test of
 * the path takes. */
static void
test_marks_of_all_do_not_keep_the_rate_low (void)
{
  static const struct
  {
    const gchar *ecn, *recv, *state;
    guint64 most_ce;
  } rows[] = { { "off", NULL, "off", 0 },
               { "off", COUNTS, "off", 0 },
               { "auto", NULL, "mangled", 200 },
               { "auto", COUNTS, "mangled", 200 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Call call;
    Hop hop = { .work = HOP_MARKS_ALL };
    g_test_message ("%s, %s", rows[i].ecn, rows[i].recv != NULL ? rows[i].recv : "ccfb");
    begin_with_hop (&call, &hop, rows[i].ecn, rows[i].recv);
    await_state (call.send, rows[i].state);
    await_packets (call.send, "packets-ecn-wrong");
    await_target (&call, HIGH_BPS, G_MAXUINT);
    await_state (call.send, rows[i].state);
    g_test_message ("%u marks", (guint) packets_of (call.send, "packets-ecn-ce"));
    g_assert_cmpuint (packets_of (call.send, "packets-ecn-ce"), <=, rows[i].most_ce);
    call_end (&call);
    hop_end (&hop);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK
                          | G_LOG_LEVEL_CRITICAL); /* not that both ends make a loop */
  g_test_add_func ("/weirsend_sockets/end_to_end", test_end_to_end);
  g_test_add_func ("/weirsend_sockets/other_ways", test_other_ways);
  g_test_add_func ("/weirsend_sockets/it_follows_the_property", test_it_follows_the_property);
  g_test_add_func ("/weirsend_sockets/a_sink_that_comes_later", test_a_sink_that_comes_later);
  g_test_add_func ("/weirsend_sockets/a_socket_that_refuses", test_a_socket_that_refuses);
  g_test_add_func ("/weirsend_sockets/other_wishes_for_the_same_socket_are_said",
                   test_other_wishes_for_the_same_socket_are_said);
  g_test_add_func ("/weirsend_sockets/those_who_agree_share_a_socket",
                   test_those_who_agree_share_a_socket);
  g_test_add_func ("/weirsend_sockets/through_weirlink", test_through_weirlink);
  g_test_add_func ("/weirsend_sockets/no_socket_is_said", test_no_socket_is_said);
  g_test_add_func ("/weirsend_sockets/marks_in_receiver_reports_lower_the_rate",
                   test_marks_in_receiver_reports_lower_the_rate);
  g_test_add_func ("/weirsend_sockets/marks_of_all_do_not_keep_the_rate_low",
                   test_marks_of_all_do_not_keep_the_rate_low);
  return g_test_run ();
}
