/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of weirlink share: one element on a test clock, whose time moves only when the
 * element waits for it. */
#ifndef LINK_HARNESS_H
#define LINK_HARNESS_H

#include "test_clock.h"
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/gst.h>

#define RTP_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
#define MS(x) ((GstClockTime) (x) *GST_MSECOND)
#define MOST 4096

/* What left a src pad: buffers with the clock time of the push, and events. */
typedef struct
{
  GMutex lock;
  guint n;
  GstClockTime at[MOST];
  guint id[MOST]; /* of the buffer: its offset; events: their type + EVENT_ID */
} Seen;
#define EVENT_ID 1000000u

typedef struct
{
  GstTestClock *clock;
  GstElement *link;
  GstHarness *h;
  GstHarness *h2;
  Seen seen[2];
} Rig;

static GstPadProbeReturn
rig_probe (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Seen *seen = user;
  GstClock *clock = gst_system_clock_obtain ();
  g_mutex_lock (&seen->lock);
  if (seen->n < MOST) {
    gboolean event = (info->type & GST_PAD_PROBE_TYPE_EVENT_BOTH) != 0;
    seen->at[seen->n] = gst_clock_get_time (clock);
    seen->id[seen->n] = event ? EVENT_ID + (guint) GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
                              : (guint) GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));
    seen->n++;
  }
  g_mutex_unlock (&seen->lock);
  gst_object_unref (clock);
  return GST_PAD_PROBE_OK;
}

static void
rig_watch (Rig *rig, guint pair, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (rig->link, name);
  g_assert_nonnull (pad);
  gst_pad_add_probe (pad,
                     GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
                         | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
                     rig_probe, &rig->seen[pair], NULL);
  gst_object_unref (pad);
}

/* An element described as in gst-launch, with one pair in a harness, playing. Statistics are posted
 * every second, so that the element always waits for something. */
static Rig *
rig_new (const gchar *properties)
{
  Rig *rig = g_new0 (Rig, 1);
  gchar *text = g_strdup_printf ("weirlink name=link stats-interval=1000000000 %s", properties);
  GError *error = NULL;
  rig->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_system_clock_set_default (GST_CLOCK (rig->clock));
  rig->link = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  gst_object_ref_sink (rig->link);
  g_free (text);
  rig->h = gst_harness_new_with_element (rig->link, "sink_0", "src_0");
  gst_harness_use_systemclock (rig->h);
  rig_watch (rig, 0, "src_0");
  gst_harness_set_src_caps_str (rig->h, RTP_CAPS);
  return rig;
}

G_GNUC_UNUSED static void
rig_add_pair (Rig *rig)
{
  rig->h2 = gst_harness_new_with_element (rig->link, "sink_1", "src_1");
  rig_watch (rig, 1, "src_1");
  gst_harness_set_src_caps_str (rig->h2, RTP_CAPS);
}

static void
rig_free (Rig *rig)
{
  if (rig->h2 != NULL) {
    gst_harness_teardown (rig->h2);
  }
  gst_harness_teardown (rig->h);
  gst_element_set_state (rig->link, GST_STATE_NULL);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (rig->link), ==, 1);
  gst_object_unref (rig->link);
  gst_system_clock_set_default (NULL);
  gst_object_unref (rig->clock);
  g_free (rig);
}

/* A packet of size_bytes on the wire (28 of them IP and UDP), recognised by its offset. */
static GstBuffer *
rig_packet (guint id, gsize size_bytes)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size_bytes - 28, NULL);
  gst_buffer_memset (buffer, 0, 0, size_bytes - 28);
  GST_BUFFER_OFFSET (buffer) = id;
  return buffer;
}

G_GNUC_UNUSED static void
rig_offer (Rig *rig, guint from, guint n, gsize size_bytes)
{
  for (guint i = 0; i < n; i++) {
    g_assert_cmpint (gst_harness_push (rig->h, rig_packet (from + i, size_bytes)), ==, GST_FLOW_OK);
  }
}

G_GNUC_UNUSED static void
rig_run (Rig *rig, GstClockTime until)
{
  run_clock (rig->clock, until);
}

/* How many buffers (not events) left the pair. */
G_GNUC_UNUSED static guint
rig_count (Rig *rig, guint pair)
{
  Seen *seen = &rig->seen[pair];
  guint n = 0;
  g_mutex_lock (&seen->lock);
  for (guint i = 0; i < seen->n; i++) {
    n += seen->id[i] < EVENT_ID;
  }
  g_mutex_unlock (&seen->lock);
  return n;
}

/* The i-th buffer that left: its id, and when. */
G_GNUC_UNUSED static guint
rig_buffer (Rig *rig, guint pair, guint i, GstClockTime *at)
{
  Seen *seen = &rig->seen[pair];
  for (guint k = 0; k < seen->n; k++) {
    if (seen->id[k] < EVENT_ID && i-- == 0) {
      if (at != NULL) {
        *at = seen->at[k];
      }
      return seen->id[k];
    }
  }
  g_assert_not_reached ();
}

/* Place of an id among all that left, -1: it did not. */
G_GNUC_UNUSED static gint
rig_place (Rig *rig, guint pair, guint id)
{
  Seen *seen = &rig->seen[pair];
  for (guint k = 0; k < seen->n; k++) {
    if (seen->id[k] == id) {
      return (gint) k;
    }
  }
  return -1;
}

/* Waits until id has left: with several pads, the time may go on before each task has pushed. */
G_GNUC_UNUSED static void
rig_await (Rig *rig, guint pair, guint id)
{
  gint place = -1;
  for (guint i = 0; i < 10000 && place < 0; i++) {
    g_mutex_lock (&rig->seen[pair].lock);
    place = rig_place (rig, pair, id);
    g_mutex_unlock (&rig->seen[pair].lock);
    if (place < 0) {
      g_usleep (1000);
    }
  }
  g_assert_cmpint (place, >=, 0);
}

/* A number from the statistics: "offered-packets", or "sink_0/offered-packets". */
G_GNUC_UNUSED static gint64
rig_stat (Rig *rig, const gchar *name)
{
  GstStructure *stats;
  const GstStructure *in;
  gchar **parts = g_strsplit (name, "/", 2);
  gint64 value = -1;
  g_object_get (rig->link, "stats", &stats, NULL);
  in = stats;
  if (parts[1] != NULL) {
    in = gst_value_get_structure (gst_structure_get_value (stats, parts[0]));
  }
  g_assert_true (gst_structure_get_int64 (in, parts[1] != NULL ? parts[1] : parts[0], &value));
  gst_structure_free (stats);
  g_strfreev (parts);
  return value;
}

/* The text of the next error or warning on the bus, NULL when there is none. */
G_GNUC_UNUSED static gchar *
next_text (GstBus *bus, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);
  GError *error = NULL;
  gchar *text;
  if (message == NULL) {
    return NULL;
  }
  if (type == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
  } else {
    gst_message_parse_warning (message, &error, NULL);
  }
  text = g_strdup (error->message);
  g_clear_error (&error);
  gst_message_unref (message);
  return text;
}

#endif
