/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP pads: they come and go, and with a key only the sender that has it is heard, and what
 * leaves is encrypted. */
#include "recv/recv_harness.h"

#include "srtp/peer.h"

static void
test_rtcp_pads_come_and_go_while_playing (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  for (guint i = 0; i < 50; i++) {
    GstPad *sink = gst_element_request_pad_simple (rig->recv, "rtcp_sink");
    g_assert_nonnull (sink);
    rig_send (rig, (guint16) i, FALSE, FALSE);
    rig_run (rig, MS (1000) + MS (10) * (i + 1));
    gst_element_release_request_pad (rig->recv, sink);
    gst_object_unref (sink);
  }
  gst_harness_teardown (rig->rtcp); /* rtcp_src goes, media goes on */
  rig_send (rig, 50, FALSE, FALSE);
  rig_run (rig, MS (2500));
  rig->rtcp = gst_harness_new_with_element (rig->recv, NULL, "rtcp_src");
  rig->taken = (guint64) rig_stat (rig, "feedback-packets");
  for (guint i = 51; i < 70; i++) {
    rig_send (rig, (guint16) i, FALSE, FALSE);
    rig_run (rig, MS (2500) + MS (10) * (i - 50));
  }
  g_assert_cmpuint (rig_read (rig), >=, 2);
  rig_free (rig);
}

/* --- SRTCP --- */

#ifdef WEIR_HAVE_SRTP

/* What left, opened and given to the sender. Returns how many datagrams; each SSRC and index comes
 * once in numbers (nullable). */
static guint
read_sealed (Rig *rig, Peer *peer, GstWeirSrtpCipher cipher, GHashTable *numbers)
{
  GstBuffer *sealed;
  guint n = 0;
  while ((sealed = rig_pull (rig)) != NULL) {
    GstBuffer *opened = peer_open (peer, sealed);
    guint64 number = peer_number (cipher, sealed);
    GstMapInfo map;
    g_assert_nonnull (opened);
    g_assert_true (gst_buffer_map (opened, &map, GST_MAP_READ));
    g_assert_cmpint (weir_sender_on_rtcp (rig->sender, rig_now (rig), 0, map.data, map.size), ==,
                     WEIR_OK);
    gst_buffer_unmap (opened, &map);
    if (numbers != NULL) {
      g_assert_true (g_hash_table_add (numbers, g_memdup2 (&number, sizeof number)));
    }
    gst_buffer_unref (opened);
    gst_buffer_unref (sealed);
    n++;
  }
  return n;
}

static void
test_feedback_leaves_as_srtcp (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    Rig *rig = rig_new (keyed[cipher], RTP_CAPS);
    Peer peer = peer_new (cipher, key_bytes);
    struct weir_sender_stats stats;
    GstPad *pad = gst_element_get_static_pad (rig->recv, "rtcp_src");
    GstCaps *caps;
    guint n = 0;

    for (guint i = 0; i < 300; i++) {
      rig_send (rig, (guint16) i, FALSE, FALSE);
      rig_run (rig, MS (1000) + MS (10) * (i + 1));
      n += read_sealed (rig, &peer, cipher, NULL);
    }
    weir_sender_get_stats (rig->sender, &stats);
    g_assert_cmpuint (n, >=, 25);
    g_assert_cmpuint (stats.packets_received, >=, 290);
    caps = gst_pad_get_current_caps (pad);
    g_assert_true (
        gst_structure_has_name (gst_caps_get_structure (caps, 0), "application/x-srtcp"));
    gst_caps_unref (caps);
    gst_object_unref (pad);
    peer_free (&peer);
    rig_free (rig);
  }
}

/* The element's SSRC is another one after each start, and the indices go on. */
static void
test_no_index_is_used_twice_with_an_ssrc (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    Rig *rig = rig_new (keyed[cipher], RTP_CAPS);
    Peer peer = peer_new (cipher, key_bytes);
    GHashTable *numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    GHashTable *ssrcs = g_hash_table_new (NULL, NULL);
    GHashTableIter iter;
    gpointer number;

    for (guint start = 0; start < 5; start++) {
      for (guint i = 0; i < 50; i++) {
        rig_send (rig, (guint16) (start * 50 + i), FALSE, FALSE);
        rig_run (rig, (GstClockTime) rig_now (rig) + MS (10));
        read_sealed (rig, &peer, cipher, numbers);
      }
      gst_element_set_state (rig->recv, GST_STATE_NULL);
      gst_element_set_state (rig->recv, GST_STATE_PLAYING);
      gst_harness_set_src_caps_str (rig->h, RTP_CAPS);
      rig->taken = 0;
    }
    g_hash_table_iter_init (&iter, numbers);
    while (g_hash_table_iter_next (&iter, &number, NULL)) {
      g_hash_table_add (ssrcs, GUINT_TO_POINTER (*(guint64 *) number >> 32));
    }
    g_assert_cmpuint (g_hash_table_size (ssrcs), ==, 5);
    g_assert_cmpuint (g_hash_table_size (numbers), >=, 25);
    g_hash_table_unref (ssrcs);
    g_hash_table_unref (numbers);
    peer_free (&peer);
    rig_free (rig);
  }
}

/* A sender report, in the clear. */
static gsize
sender_report (Rig *rig, guint8 *bytes, gsize size)
{
  size_t length = 0;
  g_assert_cmpint (weir_sender_build_report (rig->sender, rig_now (rig), 0,
                                             weir_ntp_from_unix_ns (rig_now (rig)), bytes, size,
                                             &length),
                   ==, WEIR_OK);
  return length;
}

static gchar *
state_of (Rig *rig)
{
  GstStructure *stats;
  gchar *text;
  g_object_get (rig->recv, "stats", &stats, NULL);
  gst_structure_remove_fields (stats, "srtcp-auth-failures", "srtcp-replays", NULL);
  text = gst_structure_to_string (stats);
  gst_structure_free (stats);
  return text;
}

static void
push_rtcp (GstBuffer *buffer, gpointer user)
{
  g_assert_cmpint (gst_harness_push (user, buffer), ==, GST_FLOW_OK);
}

static void
test_only_the_sender_with_the_key_is_heard (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    Rig *rig = rig_new (keyed[cipher], RTP_CAPS);
    GstHarness *in = gst_harness_new_with_element (rig->recv, "rtcp_sink", NULL);
    Peer peer = peer_new (cipher, key_bytes);
    guint refused = 0;

    gst_harness_set_src_caps_str (in, "application/x-srtcp");
    for (guint i = 0; i < 5; i++) {
      guint8 bytes[300];
      gchar *before, *after;
      GstBuffer *good;
      gsize length;
      rig_send (rig, (guint16) i, FALSE, FALSE);
      rig_run (rig, (GstClockTime) rig_now (rig) + MS (1000));
      length = sender_report (rig, bytes, sizeof bytes);
      good = peer_seal (&peer, bytes, length);
      push_rtcp (gst_buffer_ref (good), in);
      before = state_of (rig);
      refused += push_everything_wrong (cipher, good, bytes, length, push_rtcp, in);
      after = state_of (rig);
      g_assert_cmpstr (before, ==, after);
      g_assert_cmpfloat (rig_stat (rig, "rtcp-packets"), >=, i + 1);
      g_assert_cmpfloat (rig_stat (rig, "srtcp-packets"), ==, i + 1);
      g_assert_cmpfloat (rig_stat (rig, "srtcp-auth-failures") + rig_stat (rig, "srtcp-replays"),
                         ==, refused);
      g_free (after);
      g_free (before);
      gst_buffer_unref (good);
    }
    peer_free (&peer);
    gst_harness_teardown (in);
    rig_free (rig);
  }
}

/* RTCP on the media's port passes on in any case, but is believed only under the key. */
static void
test_rtcp_among_the_media_needs_the_key_too (void)
{
  Rig *rig = rig_new (keyed[0], RTP_CAPS);
  Peer peer = peer_new (0, key_bytes);
  guint8 bytes[300];
  gsize length;
  rig_send (rig, 0, FALSE, FALSE);
  rig_run (rig, MS (2000));
  length = sender_report (rig, bytes, sizeof bytes);
  gst_harness_push (rig->h, gst_buffer_new_memdup (bytes, length));
  g_assert_cmpfloat (rig_stat (rig, "rtcp-packets"), ==, 0);
  g_assert_cmpfloat (rig_stat (rig, "srtcp-auth-failures"), ==, 1);
  gst_harness_push (rig->h, peer_seal (&peer, bytes, length));
  g_assert_cmpfloat (rig_stat (rig, "rtcp-packets"), >, 0);
  g_assert_cmpuint (gst_harness_buffers_received (rig->h), ==, 3);
  peer_free (&peer);
  rig_free (rig);
}

static gchar *
pop_text (GstBus *bus, GstMessageType type)
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
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

static void
test_wrong_settings_are_explained (void)
{
  static const struct
  {
    const gchar *properties, *says;
  } cases[] = {
    { "srtp-cipher=aes-128-gcm", "srtp-key is missing" },
    { "srtp-key=1011", "srtp-key has 2 bytes, which is too short" },
    { "srtp-cipher=aes-128-gcm srtp-key=" KEY_HEX, "srtp-key has 30 bytes, which is too long" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *line = g_strdup_printf ("weirrecv %s", cases[i].properties);
    GstElement *recv = gst_object_ref_sink (gst_parse_launch (line, NULL));
    GstBus *bus = gst_bus_new ();
    gchar *text;
    gst_element_set_bus (recv, bus);
    g_assert_cmpint (gst_element_set_state (recv, GST_STATE_PLAYING), ==, GST_STATE_CHANGE_FAILURE);
    text = pop_text (bus, GST_MESSAGE_ERROR);
    g_assert_nonnull (text);
    g_assert_nonnull (strstr (text, cases[i].says));
    gst_element_set_state (recv, GST_STATE_NULL);
    gst_element_set_bus (recv, NULL);
    gst_object_unref (bus);
    gst_object_unref (recv);
    g_free (text);
    g_free (line);
  }
}

static void
test_a_wrong_key_is_said_once_a_minute (void)
{
  Rig *rig = rig_new (keyed[0], RTP_CAPS);
  GstHarness *in = gst_harness_new_with_element (rig->recv, "rtcp_sink", NULL);
  GstBus *bus = gst_bus_new ();
  gchar *text;
  guint n = 0;
  gst_harness_set_src_caps_str (in, "application/x-srtcp");
  gst_element_set_bus (rig->recv, bus);
  for (guint i = 0; i < 119; i++) {
    rig_run (rig, MS (1000) * (i + 1));
    push_rtcp (gst_buffer_new_memdup (plain_report, sizeof plain_report), in);
  }
  while ((text = pop_text (bus, GST_MESSAGE_WARNING)) != NULL) {
    g_assert_nonnull (strstr (text, "RTCP packets fail authentication"));
    g_free (text);
    n++;
  }
  g_assert_cmpuint (n, ==, 2);
  gst_element_set_bus (rig->recv, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (in);
  rig_free (rig);
}

#endif

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirrecv_rtcp/" #name, test_##name)
  ADD (rtcp_pads_come_and_go_while_playing);
#ifdef WEIR_HAVE_SRTP
  ADD (feedback_leaves_as_srtcp);
  ADD (no_index_is_used_twice_with_an_ssrc);
  ADD (only_the_sender_with_the_key_is_heard);
  ADD (rtcp_among_the_media_needs_the_key_too);
  ADD (wrong_settings_are_explained);
  ADD (a_wrong_key_is_said_once_a_minute);
#endif
  return g_test_run ();
}
