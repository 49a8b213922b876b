/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of weirsend share: one element on a test clock, whose time moves only when the
 * element waits for it, a bus that collects its messages, and RTP packets. */
#ifndef SEND_HARNESS_H
#define SEND_HARNESS_H

#include "test_clock.h"
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/gst.h>
#include <string.h>

#define TWCC_URI "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define VIDEO_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96"
#define TWCC_CAPS VIDEO_CAPS ",extmap-3=(string)" TWCC_URI
/* Each packet at its own time. */
#define FIXED_2M "algorithm=fixed params=\"params,rate-bps=2000000\" pacing-quantum=0 "
#define SSRC 0x11223344u
#define MOST 8192
#define EVENT_ID 1000000u

/* What left the src pad: buffers (their sequence number) and events (their type + EVENT_ID) with
 * the clock's time. */
typedef struct
{
  GMutex lock;
  guint n;
  GstClockTime at[MOST];
  guint id[MOST];
  guint number[MOST];   /* transport-wide, of a packet that has one */
  GstFlowReturn answer; /* what pushes return */
  guint n_lists;        /* of the buffers, those that came in lists */
} Seen;

typedef struct
{
  GstTestClock *clock;
  GstElement *send;
  GstHarness *h;
  GstBus *bus;
  Seen seen;
} Rig;

static guint
rtp_seq (GstBuffer *buffer)
{
  guint8 bytes[4] = { 0 };
  gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  return (guint) bytes[2] << 8 | bytes[3];
}

static gint
transport_seq_of (GstBuffer *buffer)
{
  guint8 bytes[20] = { 0 };
  gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  return bytes[17] << 8 | bytes[18];
}

/* number: transport-wide, of what is a packet with one. */
static void
seen_add (Seen *seen, guint id, gint number)
{
  GstClock *clock = gst_system_clock_obtain ();
  if (seen->n < MOST) {
    seen->at[seen->n] = gst_clock_get_time (clock);
    seen->id[seen->n] = id;
    seen->number[seen->n] = (guint) number;
    seen->n++;
  }
  gst_object_unref (clock);
}

static GstPadProbeReturn
rig_probe (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Seen *seen = user;
  gboolean event = (info->type & GST_PAD_PROBE_TYPE_EVENT_BOTH) != 0;
  GstPadProbeReturn result = GST_PAD_PROBE_OK;
  g_mutex_lock (&seen->lock);
  if (event) {
    seen_add (seen, EVENT_ID + (guint) GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)), 0);
  } else if ((info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0) {
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
    for (guint i = 0; i < gst_buffer_list_length (list); i++) {
      GstBuffer *buffer = gst_buffer_list_get (list, i);
      seen_add (seen, rtp_seq (buffer), transport_seq_of (buffer));
    }
    seen->n_lists++;
  } else {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
    seen_add (seen, rtp_seq (buffer), transport_seq_of (buffer));
  }
  if (!event && seen->answer != GST_FLOW_OK) {
    gst_mini_object_unref (GST_PAD_PROBE_INFO_DATA (info));
    GST_PAD_PROBE_INFO_DATA (info) = NULL;
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = seen->answer;
    result = GST_PAD_PROBE_HANDLED;
  }
  g_mutex_unlock (&seen->lock);
  return result;
}

static void
rig_watch (Rig *rig)
{
  GstPad *pad = gst_element_get_static_pad (rig->send, "src");
  gst_pad_add_probe (pad,
                     GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
                         | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     rig_probe, &rig->seen, NULL);
  gst_object_unref (pad);
}

/* A test clock as the system clock; gst_system_clock_set_default (NULL) ends it. */
G_GNUC_UNUSED static GstTestClock *
test_clock_begin (void)
{
  GstTestClock *clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_system_clock_set_default (GST_CLOCK (clock));
  return clock;
}

/* An element described as in gst-launch, not yet in a harness. Statistics are posted once an hour,
 * so that it always waits for the clock (taken). */
static Rig *
rig_new_on (GstTestClock *clock, const gchar *properties)
{
  Rig *rig = g_new0 (Rig, 1);
  GError *error = NULL;
  gchar *text = g_strdup_printf ("weirsend stats-interval=3600000000000 %s", properties);
  g_mutex_init (&rig->seen.lock);
  rig->clock = clock;
  rig->send = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  gst_object_ref_sink (rig->send);
  rig->bus = gst_bus_new ();
  gst_element_set_bus (rig->send, rig->bus);
  rig_watch (rig);
  g_free (text);
  return rig;
}

G_GNUC_UNUSED static Rig *
rig_new_idle (const gchar *properties)
{
  return rig_new_on (test_clock_begin (), properties);
}

/* Playing, with caps. */
G_GNUC_UNUSED static void
rig_play (Rig *rig, const gchar *caps)
{
  rig->h = gst_harness_new_with_element (rig->send, "sink", "src");
  gst_harness_use_systemclock (rig->h);
  gst_harness_set_src_caps_str (rig->h, caps);
}

G_GNUC_UNUSED static Rig *
rig_new (const gchar *properties, const gchar *caps)
{
  Rig *rig = rig_new_idle (properties);
  rig_play (rig, caps);
  return rig;
}

/* Nothing may be left behind: no reference, no thread. */
G_GNUC_UNUSED static void
rig_free (Rig *rig)
{
  if (rig->h != NULL) {
    gst_harness_teardown (rig->h);
  }
  gst_element_set_state (rig->send, GST_STATE_NULL);
  gst_element_set_bus (rig->send, NULL);
  gst_bus_set_flushing (rig->bus, TRUE); /* messages hold references */
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (rig->send), ==, 1);
  gst_object_unref (rig->send);
  gst_object_unref (rig->bus);
  gst_system_clock_set_default (NULL);
  gst_object_unref (rig->clock);
  g_mutex_clear (&rig->seen.lock);
  g_free (rig);
}

/* Until the element has done all it can at the present time and waits. */
G_GNUC_UNUSED static void
rig_settle (Rig *rig)
{
  gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
}

G_GNUC_UNUSED static GstClockTime
rig_now (Rig *rig)
{
  return gst_clock_get_time (GST_CLOCK (rig->clock));
}

/* Time goes on to `time`, stopping at everything the element waits for. */
G_GNUC_UNUSED static void
rig_run_until (Rig *rig, GstClockTime time)
{
  run_clock (rig->clock, time);
}

/* The `n`th buffer that left; -1 when there is none. */
G_GNUC_UNUSED static gint
rig_buffer_index (Rig *rig, guint n)
{
  gint index = -1;
  g_mutex_lock (&rig->seen.lock);
  for (guint i = 0; i < rig->seen.n && index < 0; i++) {
    if (rig->seen.id[i] < EVENT_ID && n-- == 0) {
      index = (gint) i;
    }
  }
  g_mutex_unlock (&rig->seen.lock);
  return index;
}

/* The transport-wide number of the `n`th buffer that left; n when there is none. */
G_GNUC_UNUSED static guint
rig_number (Rig *rig, guint n)
{
  gint index = rig_buffer_index (rig, n);
  return index < 0 ? n : rig->seen.number[index];
}

G_GNUC_UNUSED static guint
rig_n_buffers (Rig *rig)
{
  guint n = 0;
  g_mutex_lock (&rig->seen.lock);
  for (guint i = 0; i < rig->seen.n; i++) {
    n += rig->seen.id[i] < EVENT_ID;
  }
  g_mutex_unlock (&rig->seen.lock);
  return n;
}

G_GNUC_UNUSED static void
rig_forget_seen (Rig *rig)
{
  g_mutex_lock (&rig->seen.lock);
  rig->seen.n = 0;
  g_mutex_unlock (&rig->seen.lock);
}

/* An RTP packet of size_bytes in all. transport_seq < 0: without the extension (id 3). */
static GstBuffer *
rtp_full (guint seq, guint32 timestamp, gboolean marker, gsize size_bytes, guint32 ssrc,
          gint transport_seq)
{
  guint8 *bytes = g_malloc0 (size_bytes);
  g_assert_cmpuint (size_bytes, >=, transport_seq < 0 ? 12 : 20);
  bytes[0] = transport_seq < 0 ? 0x80 : 0x90;
  bytes[1] = (guint8) (96 | (marker ? 0x80 : 0));
  GST_WRITE_UINT16_BE (bytes + 2, (guint16) seq);
  GST_WRITE_UINT32_BE (bytes + 4, timestamp);
  GST_WRITE_UINT32_BE (bytes + 8, ssrc);
  if (transport_seq >= 0) {
    const guint8 extension[] = { 0xbe, 0xde, 0, 1, 0x31, 0, 0, 0 };
    memcpy (bytes + 12, extension, sizeof extension);
    bytes[17] = (guint8) (transport_seq >> 8);
    bytes[18] = (guint8) transport_seq;
  }
  return gst_buffer_new_wrapped (bytes, size_bytes);
}

G_GNUC_UNUSED static GstBuffer *
rtp (guint seq, gsize size_bytes)
{
  return rtp_full (seq, seq * 3000, TRUE, size_bytes, SSRC, -1);
}

G_GNUC_UNUSED static guint64
rig_stat (Rig *rig, const gchar *name)
{
  GstStructure *stats = NULL;
  guint64 value = 0;
  g_object_get (rig->send, "stats", &stats, NULL);
  g_assert_nonnull (stats);
  if (!gst_structure_get_uint64 (stats, name, &value)) {
    gint64 number = 0;
    guint small = 0;
    if (gst_structure_get_int64 (stats, name, &number)) {
      value = (guint64) number;
    } else if (gst_structure_get_uint (stats, name, &small)) {
      value = small;
    } else {
      g_error ("no %s in %" GST_PTR_FORMAT, name, (void *) stats);
    }
  }
  gst_structure_free (stats);
  return value;
}

/* The text of the next warning or error on the bus (free it), or NULL. */
static gchar *
bus_pop_text (GstBus *bus, GstMessageType types)
{
  GError *error = NULL;
  GstMessage *message = gst_bus_pop_filtered (bus, types);
  if (message == NULL) {
    return NULL;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
  } else {
    gst_message_parse_warning (message, &error, NULL);
  }
  gchar *text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

/* The next warning or error must contain each of the words (separated by '|'). */
G_GNUC_UNUSED static void
bus_expect (GstBus *bus, GstMessageType type, const gchar *words)
{
  gchar *text = bus_pop_text (bus, type);
  gchar **list = g_strsplit (words, "|", -1);
  g_assert_nonnull (text);
  for (guint i = 0; list[i] != NULL; i++) {
    if (strstr (text, list[i]) == NULL) {
      g_error ("\"%s\" is not in: %s", list[i], text);
    }
  }
  g_strfreev (list);
  g_free (text);
}

G_GNUC_UNUSED static void
bus_expect_nothing (GstBus *bus)
{
  gchar *text = bus_pop_text (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_assert_cmpstr (text, ==, NULL);
}

#define rig_expect_warning(rig, words) bus_expect ((rig)->bus, GST_MESSAGE_WARNING, words)
#define rig_expect_error(rig, words) bus_expect ((rig)->bus, GST_MESSAGE_ERROR, words)
#define rig_expect_silence(rig) bus_expect_nothing ((rig)->bus)

#endif
