/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers, events, queries and values of properties by chance: good ones and bad ones. */
#ifndef TESTS_GST_STORM_PACKETS_H
#define TESTS_GST_STORM_PACKETS_H

#include <gst/gst.h>
#include <string.h>
#include <weir/weir.h>

#define TWCC_EXTENSION "extmap-3=(string)" WEIR_TWCC_URI

static gboolean
one_in (GRand *dice, gint n)
{
  return g_rand_int_range (dice, 0, n) == 0;
}

#define PICTURE "video/x-raw,format=GRAY8,width=64,height=64"

/* With those caps; their time runs ten times as fast. */
static GstBuffer *
any_picture (GRand *dice)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 64, NULL);
  gst_buffer_memset (buffer, 0, (guint8) g_rand_int (dice), 64 * 64);
  if (!one_in (dice, 8)) {
    GST_BUFFER_PTS (buffer) = (GstClockTime) g_get_monotonic_time () * 10 * GST_USECOND;
  }
  return buffer;
}

/* RTP of a few streams, RTCP that names them, pictures, or noise. */
static GstBuffer *
any_buffer (GRand *dice)
{
  static const guint8 report[]
      = { 0x81, 201, 0, 7, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9 };
  if (one_in (dice, 4)) {
    return any_picture (dice);
  }
  gsize size = one_in (dice, 8)     ? (gsize) g_rand_int_range (dice, 0, 20)
               : one_in (dice, 200) ? 70000
                                    : (gsize) g_rand_int_range (dice, 20, 1400);
  guint8 *bytes = g_malloc (size + 1);
  for (gsize i = 0; i < size; i++) {
    bytes[i] = (guint8) g_rand_int (dice);
  }
  if (size >= sizeof report && one_in (dice, 4)) {
    memcpy (bytes, report, sizeof report);
    bytes[1] = (guint8) g_rand_int_range (dice, 200, 208);
  } else if (size >= 20 && !one_in (dice, 8)) {
    const guint8 start[] = { one_in (dice, 2) ? 0x90 : 0x80, 96 };
    memcpy (bytes, start, sizeof start);
    GST_WRITE_UINT32_BE (bytes + 8, (guint32) g_rand_int_range (dice, 1, 4));
    GST_WRITE_UINT32_BE (bytes + 12, 0xbede0001);
    bytes[16] = 0x31;
  }
  GstBuffer *buffer = gst_buffer_new_wrapped (bytes, size);
  if (one_in (dice, 8)) {
    GstBuffer *more = gst_buffer_new_memdup (&report, sizeof report);
    buffer = gst_buffer_append (buffer, more);
  }
  return buffer;
}

static GstBufferList *
any_list (GRand *dice)
{
  GstBufferList *list = gst_buffer_list_new ();
  for (gint n = g_rand_int_range (dice, 0, 6); n > 0; n--) {
    gst_buffer_list_add (list, any_buffer (dice));
  }
  return list;
}

static GstCaps *
any_caps (GRand *dice)
{
  static const gchar *const all[] = {
    "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96",
    "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96," TWCC_EXTENSION,
    "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=97",
    "application/x-rtp,clock-rate=-1",
    "application/x-rtcp",
    PICTURE,
    PICTURE ",framerate=30/1"
  };
  return gst_caps_from_string (all[g_rand_int_range (dice, 0, G_N_ELEMENTS (all))]);
}

static GstEvent *
caps_event (GRand *dice)
{
  GstCaps *caps = any_caps (dice);
  GstEvent *event = gst_event_new_caps (caps);
  gst_caps_unref (caps);
  return event;
}

static GstEvent *
segment_event (GRand *dice)
{
  GstSegment segment;
  gst_segment_init (&segment, one_in (dice, 8) ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
  return gst_event_new_segment (&segment);
}

static GstEvent *
any_downstream_event (GRand *dice)
{
  switch (g_rand_int_range (dice, 0, 7)) {
  case 0:
    return gst_event_new_stream_start ("storm");
  case 1:
    return gst_event_new_eos ();
  case 2:
    return gst_event_new_gap (0, GST_SECOND);
  case 3:
    return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
                                 gst_structure_new_empty ("GstRTPPacketLost"));
  case 4:
    return segment_event (dice);
  default:
    return caps_event (dice);
  }
}

static GstEvent *
any_upstream_event (GRand *dice)
{
  switch (g_rand_int_range (dice, 0, 4)) {
  case 0:
    return gst_event_new_reconfigure ();
  case 1:
    return gst_event_new_latency (GST_MSECOND);
  case 2:
    return gst_event_new_qos (GST_QOS_TYPE_OVERFLOW, 1.0, 0, 0);
  default:
    return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                                 gst_structure_new_empty ("GstForceKeyUnit"));
  }
}

static GstQuery *
any_query (GRand *dice)
{
  GstCaps *caps = any_caps (dice);
  GstQuery *query = NULL;
  switch (g_rand_int_range (dice, 0, 4)) {
  case 0:
    query = gst_query_new_latency ();
    break;
  case 1:
    query = gst_query_new_caps (one_in (dice, 2) ? caps : NULL);
    break;
  case 2:
    query = gst_query_new_accept_caps (caps);
    break;
  default:
    query = gst_query_new_allocation (caps, FALSE);
    break;
  }
  gst_caps_unref (caps);
  return query;
}

/* From low to high, of any order of magnitude. */
static gdouble
any_number (GRand *dice, gdouble low, gdouble high)
{
  gdouble range = g_rand_double (dice);
  for (gint halvings = g_rand_int_range (dice, 0, 40); halvings > 0; halvings--) {
    range /= 2;
  }
  return low + range * (high - low);
}

/* Files go into the folder. No TCP as cross traffic: at some of the capacities it takes longer to
 * simulate than it lasts. */
static gchar *
any_text (GRand *dice, const gchar *property, const gchar *folder)
{
  static const gchar *const texts[]
      = { "", "a", "b", "auto", "none", "0:1M,1:2M", "0:10ms,1:1ms", "cbr:100k", "nonsense" };
  if (g_str_has_suffix (property, "-location")) {
    return one_in (dice, 4) ? NULL
                            : g_strdup_printf ("%s/%d", folder, g_rand_int_range (dice, 0, 4));
  }
  return one_in (dice, 8) ? NULL
                          : g_strdup (texts[g_rand_int_range (dice, 0, G_N_ELEMENTS (texts))]);
}

#endif
