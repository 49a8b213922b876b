/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element does with its key: checks it, keeps it to itself, goes on with its indices,
 * counts what it drops, and says so, but not too often. */
#include "srtp/srtcp.h"

#include "srtp/srtp_data.h"
#include <string.h>

#define INDEX_BYTES 4
#define TAG_BYTES 10

static void
set_key (GstWeirSrtcp *srtcp, const gchar *hex)
{
  GValue value = G_VALUE_INIT;
  g_value_init (&value, GST_TYPE_BUFFER);
  if (hex != NULL) {
    g_assert_true (gst_value_deserialize (&value, hex));
  }
  gst_weir_srtcp_set_key (srtcp, &value);
  g_value_unset (&value);
}

static void
set_cipher (GstWeirSrtcp *srtcp, GstWeirSrtpCipher cipher)
{
  GValue value = G_VALUE_INIT;
  g_value_init (&value, GST_TYPE_WEIR_SRTP_CIPHER);
  g_value_set_enum (&value, (gint) cipher);
  gst_weir_srtcp_set_cipher (srtcp, &value);
  g_value_unset (&value);
}

static void
start (GstWeirSrtcp *srtcp)
{
  gchar *why = NULL;
  gboolean started = gst_weir_srtcp_start (srtcp, &why);
  g_assert_cmpstr (why, ==, NULL);
  g_assert_true (started);
}

static void
begin (GstWeirSrtcp *srtcp, const gchar *hex)
{
  gst_weir_srtcp_init (srtcp);
  set_key (srtcp, hex);
  start (srtcp);
}

static GstBuffer *
report (void)
{
  return gst_buffer_new_memdup (plain_report, sizeof plain_report);
}

static guint
index_of (GstBuffer *sealed)
{
  guint8 bytes[INDEX_BYTES];
  gst_buffer_extract (sealed, gst_buffer_get_size (sealed) - TAG_BYTES - INDEX_BYTES, bytes,
                      sizeof bytes);
  return GST_READ_UINT32_BE (bytes) & 0x7fffffff;
}

/* TRUE: it passed, and is the report. */
static gboolean
passes (GstWeirSrtcp *srtcp, GstBuffer *buffer)
{
  GstBuffer *opened = gst_weir_srtcp_open (srtcp, buffer);
  gboolean passed = opened != NULL;
  if (passed) {
    g_assert_cmpint (gst_buffer_memcmp (opened, 0, plain_report, sizeof plain_report), ==, 0);
    g_assert_cmpuint (gst_buffer_get_size (opened), ==, sizeof plain_report);
    gst_buffer_unref (opened);
  }
  return passed;
}

static void
expect_counts (GstWeirSrtcp *srtcp, guint64 packets, guint64 failures, guint64 replays)
{
  GstStructure *stats = gst_structure_new_empty ("stats");
  guint64 value = 0;
  gst_weir_srtcp_put_stats (srtcp, stats);
  g_assert_true (gst_structure_get_uint64 (stats, "srtcp-packets", &value));
  g_assert_cmpuint (value, ==, packets);
  g_assert_true (gst_structure_get_uint64 (stats, "srtcp-auth-failures", &value));
  g_assert_cmpuint (value, ==, failures);
  g_assert_true (gst_structure_get_uint64 (stats, "srtcp-replays", &value));
  g_assert_cmpuint (value, ==, replays);
  g_assert_cmpuint (gst_weir_srtcp_get_refused (srtcp), ==, failures + replays);
  gst_structure_free (stats);
}

static void
expect_refusal (GstWeirSrtcp *srtcp, const gchar *words)
{
  gchar *why = NULL;
  gchar **list = g_strsplit (words, "|", -1);
  g_assert_false (gst_weir_srtcp_start (srtcp, &why));
  g_assert_nonnull (why);
  for (guint i = 0; list[i] != NULL; i++) {
    if (strstr (why, list[i]) == NULL) {
      g_error ("\"%s\" is not in: %s", list[i], why);
    }
  }
  g_assert_null (strstr (why, "10111213"));
  g_assert_false (gst_weir_srtcp_is_on (srtcp));
  g_strfreev (list);
  g_free (why);
}

static void
test_wrong_lengths_are_explained (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    gsize needed = gst_weir_srtp_key_bytes (cipher);
    for (gsize n = 0; n <= 64; n++) {
      GString *hex = g_string_new (NULL);
      GstWeirSrtcp srtcp;
      for (gsize i = 0; i < n; i++) {
        g_string_append_printf (hex, "%02x", (guint) (0x10 + i));
      }
      gst_weir_srtcp_init (&srtcp);
      set_cipher (&srtcp, cipher);
      set_key (&srtcp, hex->str);
      if (n == needed) {
        start (&srtcp);
      } else {
        gchar *words = g_strdup_printf (
            "has %u bytes|too %s|%s needs %u|%u hex", (guint) n, n < needed ? "short" : "long",
            gst_weir_srtp_cipher_nick (cipher), (guint) needed, (guint) (2 * needed));
        expect_refusal (&srtcp, words);
        g_free (words);
      }
      gst_weir_srtcp_clear (&srtcp);
      g_string_free (hex, TRUE);
    }
  }
}

/* A cipher without a key would be no protection at all, silently. */
static void
test_a_cipher_without_a_key_is_refused (void)
{
  GstWeirSrtcp srtcp;
  gst_weir_srtcp_init (&srtcp);
  set_cipher (&srtcp, GST_WEIR_SRTP_AES_128_GCM);
  expect_refusal (&srtcp, "srtp-key is missing|aes-128-gcm|28 bytes|56 hex");
  set_key (&srtcp, GCM_KEY_HEX);
  start (&srtcp);
  set_key (&srtcp, NULL);
  expect_refusal (&srtcp, "srtp-key is missing");
  gst_weir_srtcp_clear (&srtcp);
}

static void
test_without_a_key_everything_passes_as_it_is (void)
{
  GstWeirSrtcp srtcp;
  GstBuffer *buffer = report ();
  gst_weir_srtcp_init (&srtcp);
  start (&srtcp);
  g_assert_false (gst_weir_srtcp_is_on (&srtcp));
  buffer = gst_weir_srtcp_seal (&srtcp, buffer);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, sizeof plain_report);
  GstBuffer *opened = gst_weir_srtcp_open (&srtcp, buffer);
  g_assert_true (opened == buffer);
  gst_buffer_unref (opened);
  opened = gst_weir_srtcp_open_bytes (&srtcp, plain_report, sizeof plain_report);
  g_assert_cmpint (gst_buffer_memcmp (opened, 0, plain_report, sizeof plain_report), ==, 0);
  gst_buffer_unref (opened);
  expect_counts (&srtcp, 0, 0, 0);
  gst_buffer_unref (buffer);
  gst_weir_srtcp_clear (&srtcp);
}

static void
test_two_ends_understand_each_other (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GstWeirSrtcp ends[2];
    for (guint i = 0; i < 2; i++) {
      gst_weir_srtcp_init (&ends[i]);
      set_key (&ends[i], cipher == GST_WEIR_SRTP_AES_128_GCM ? GCM_KEY_HEX : KEY_HEX);
      set_cipher (&ends[i], cipher);
      start (&ends[i]);
    }
    for (guint i = 0; i < 20; i++) {
      GstBuffer *sealed = gst_weir_srtcp_seal (&ends[i % 2], report ());
      GstMapInfo map;
      g_assert_true (passes (&ends[1 - i % 2], sealed));
      gst_buffer_map (sealed, &map, GST_MAP_READ);
      g_assert_null (gst_weir_srtcp_open_bytes (&ends[1 - i % 2], map.data, map.size));
      gst_buffer_unmap (sealed, &map);
      gst_buffer_unref (sealed);
    }
    expect_counts (&ends[0], 10, 0, 10);
    expect_counts (&ends[1], 10, 0, 10);
    gst_weir_srtcp_clear (&ends[0]);
    gst_weir_srtcp_clear (&ends[1]);
  }
}

/* The buffer may be shared and in pieces; it is only read. Its times stay. */
static void
test_buffers_are_only_read (void)
{
  GstWeirSrtcp srtcp, far;
  begin (&srtcp, KEY_HEX);
  begin (&far, KEY_HEX);
  GstBuffer *sealed = gst_weir_srtcp_seal (&far, report ());
  gsize size = gst_buffer_get_size (sealed);
  GstBuffer *pieces = gst_buffer_copy_region (sealed, GST_BUFFER_COPY_ALL, 0, 10);
  pieces = gst_buffer_append (
      pieces, gst_buffer_copy_region (sealed, GST_BUFFER_COPY_MEMORY, 10, size - 10));
  GST_BUFFER_PTS (pieces) = 17;
  gst_buffer_ref (pieces);
  GstBuffer *opened = gst_weir_srtcp_open (&srtcp, pieces);
  g_assert_nonnull (opened);
  g_assert_cmpuint (GST_BUFFER_PTS (opened), ==, 17);
  g_assert_cmpuint (gst_buffer_n_memory (pieces), ==, 2);
  g_assert_false (passes (&srtcp, sealed)); /* what was in pieces was this */
  expect_counts (&srtcp, 1, 0, 1);
  gst_buffer_unref (opened);
  gst_buffer_unref (pieces);
  gst_buffer_unref (pieces);
  gst_buffer_unref (sealed);
  gst_weir_srtcp_clear (&far);
  gst_weir_srtcp_clear (&srtcp);
}

static void
test_empty_and_huge_buffers_are_refused (void)
{
  GstWeirSrtcp srtcp;
  begin (&srtcp, KEY_HEX);
  GstBuffer *empty = gst_buffer_new ();
  GstBuffer *huge = gst_buffer_new_allocate (NULL, 200000, NULL);
  gst_buffer_memset (huge, 0, 0x81, 200000);
  g_assert_false (passes (&srtcp, empty));
  g_assert_false (passes (&srtcp, huge));
  g_assert_null (gst_weir_srtcp_seal (&srtcp, huge));
  g_assert_null (gst_weir_srtcp_seal (&srtcp, empty));
  expect_counts (&srtcp, 0, 2, 0);
  gst_weir_srtcp_clear (&srtcp);
}

/* Two packets under the same key, SSRC and index would give their contents away, and with AES-GCM
 * the means to forge. */
static void
test_indices_go_on_over_restarts_and_begin_anew_with_a_key (void)
{
  GstWeirSrtcp srtcp;
  begin (&srtcp, KEY_HEX);
  for (guint i = 1; i <= 30; i++) {
    GstBuffer *sealed = gst_weir_srtcp_seal (&srtcp, report ());
    g_assert_cmpuint (index_of (sealed), ==, i);
    gst_buffer_unref (sealed);
    if (i % 10 == 0) {
      set_key (&srtcp, i % 20 == 0 ? OTHER_KEY_HEX : KEY_HEX);
      set_key (&srtcp, KEY_HEX); /* which is the same */
    }
    start (&srtcp);
  }
  set_key (&srtcp, OTHER_KEY_HEX);
  GstBuffer *sealed = gst_weir_srtcp_seal (&srtcp, report ());
  g_assert_cmpuint (index_of (sealed), ==, 31); /* holds from the next start on */
  gst_buffer_unref (sealed);
  start (&srtcp);
  sealed = gst_weir_srtcp_seal (&srtcp, report ());
  g_assert_cmpuint (index_of (sealed), ==, 1);
  gst_buffer_unref (sealed);
  gst_weir_srtcp_clear (&srtcp);
}

static void
test_replays_stay_replays_over_restarts (void)
{
  GstWeirSrtcp srtcp, far;
  begin (&srtcp, KEY_HEX);
  begin (&far, KEY_HEX);
  GstBuffer *sealed = gst_weir_srtcp_seal (&far, report ());
  g_assert_true (passes (&srtcp, sealed));
  for (guint i = 0; i < 5; i++) {
    start (&srtcp);
    expect_counts (&srtcp, 0, 0, 0);
    g_assert_false (passes (&srtcp, sealed));
    expect_counts (&srtcp, 0, 0, 1);
  }
  gst_buffer_unref (sealed);
  gst_weir_srtcp_clear (&far);
  gst_weir_srtcp_clear (&srtcp);
}

static gboolean
contains_key (gconstpointer memory, gsize length)
{
  const guint8 *bytes = memory;
  for (gsize i = 0; i + 8 <= length; i++) {
    if (memcmp (bytes + i, key_bytes, 8) == 0) {
      return TRUE;
    }
  }
  return FALSE;
}

static void
test_the_key_is_wiped (void)
{
  GstWeirSrtcp srtcp;
  begin (&srtcp, KEY_HEX);
  g_assert_true (contains_key (&srtcp, sizeof srtcp));
  set_key (&srtcp, NULL);
  start (&srtcp);
  g_assert_false (contains_key (&srtcp, sizeof srtcp));
  set_key (&srtcp, KEY_HEX);
  start (&srtcp);
  gst_weir_srtcp_clear (&srtcp);
  g_assert_false (contains_key (&srtcp, sizeof srtcp));
}

static void
expect_warning (GstWeirSrtcp *srtcp, gint64 now_ns, const gchar *word)
{
  gchar *text = gst_weir_srtcp_take_warning (srtcp, now_ns);
  if (word == NULL) {
    g_assert_cmpstr (text, ==, NULL);
  } else {
    g_assert_nonnull (text);
    g_assert_nonnull (strstr (text, word));
  }
  g_free (text);
}

static void
test_failures_are_told_once_a_minute (void)
{
  GstWeirSrtcp srtcp;
  guint n = 0;
  begin (&srtcp, KEY_HEX);
  GstBuffer *plain = report ();
  expect_warning (&srtcp, 0, NULL);
  for (gint64 now_ns = 0; now_ns < 600 * (gint64) GST_SECOND; now_ns += GST_SECOND) {
    g_assert_false (passes (&srtcp, plain));
    gchar *text = gst_weir_srtcp_take_warning (&srtcp, now_ns);
    n += text != NULL;
    if (text != NULL) {
      g_assert_nonnull (strstr (text, "wrong srtp-key or srtp-cipher"));
    }
    g_free (text);
  }
  g_assert_cmpuint (n, ==, 10);
  expect_warning (&srtcp, 700 * (gint64) GST_SECOND, "600 RTCP packets");
  expect_warning (&srtcp, 1400 * (gint64) GST_SECOND, NULL); /* nothing new */
  gst_buffer_unref (plain);
  gst_weir_srtcp_clear (&srtcp);
}

/* A network doubles packets; a peer that began anew is heard of after some. */
static void
test_only_many_replays_are_told (void)
{
  GstWeirSrtcp srtcp, far, anew;
  GstBuffer *sealed = NULL;
  begin (&srtcp, KEY_HEX);
  begin (&far, KEY_HEX);
  for (guint i = 0; i < 100; i++) {
    sealed = gst_weir_srtcp_seal (&far, report ());
    g_assert_true (passes (&srtcp, sealed));
    g_assert_false (passes (&srtcp, sealed));
    expect_warning (&srtcp, i, NULL);
    gst_buffer_unref (sealed);
  }
  begin (&anew, KEY_HEX);
  for (guint i = 0; i < 20; i++) {
    sealed = gst_weir_srtcp_seal (&anew, report ());
    g_assert_false (passes (&srtcp, sealed));
    expect_warning (&srtcp, 100 + i, i == 6 ? "new srtp-key" : NULL); /* one replay came before */
    gst_buffer_unref (sealed);
  }
  expect_counts (&srtcp, 100, 0, 120);
  gst_weir_srtcp_clear (&anew);
  gst_weir_srtcp_clear (&far);
  gst_weir_srtcp_clear (&srtcp);
}

static void
expect_caps (GstWeirSrtcp *srtcp, const gchar *filter, const gchar *expected)
{
  GstCaps *asked = filter != NULL ? gst_caps_from_string (filter) : NULL;
  GstQuery *query = gst_query_new_caps (asked);
  GstCaps *answer = NULL;
  g_assert_true (gst_weir_srtcp_answer_caps (srtcp, query));
  gst_query_parse_caps_result (query, &answer);
  gchar *text = gst_caps_to_string (answer);
  g_assert_cmpstr (text, ==, expected);
  g_free (text);
  gst_query_unref (query);
  gst_clear_caps (&asked);
}

/* So that a link that would carry SRTCP into a plain session fails at once. */
static void
test_caps_follow_the_key (void)
{
  GstWeirSrtcp srtcp;
  GstQuery *other = gst_query_new_latency ();
  gst_weir_srtcp_init (&srtcp);
  expect_caps (&srtcp, NULL, "application/x-rtcp(ANY)");
  expect_caps (&srtcp, "application/x-srtcp", "EMPTY");
  set_key (&srtcp, KEY_HEX);
  expect_caps (&srtcp, NULL, "application/x-srtcp(ANY)");
  expect_caps (&srtcp, "application/x-rtcp", "EMPTY");
  start (&srtcp);
  GstCaps *caps = gst_weir_srtcp_make_caps (&srtcp);
  gchar *text = gst_caps_to_string (caps);
  g_assert_cmpstr (text, ==, "application/x-srtcp");
  g_assert_false (gst_weir_srtcp_answer_caps (&srtcp, other));
  g_free (text);
  gst_caps_unref (caps);
  gst_query_unref (other);
  gst_weir_srtcp_clear (&srtcp);
}

/* Changes some bytes, cuts, or lengthens. FALSE: it came out as it was. */
static gboolean
mutate (GRand *rand, guint8 *bytes, gsize *length, gsize most)
{
  gint n = g_rand_int_range (rand, 0, 4);
  gsize before = *length;
  gboolean changed = FALSE;
  if (g_rand_boolean (rand)) {
    *length = (gsize) g_rand_int_range (rand, 0, (gint32) most);
    for (gsize i = before; i < *length; i++) {
      bytes[i] = (guint8) g_rand_int (rand);
    }
    changed = *length != before;
  }
  for (gint i = 0; i<n && * length> 0; i++) {
    gsize place = (gsize) g_rand_int_range (rand, 0, (gint32) *length);
    bytes[place] ^= (guint8) g_rand_int_range (rand, 1, 256);
    changed = TRUE;
  }
  return changed;
}

/* 100 000 packets, each different from what was sent (two changes of one byte may cancel out, so
 * the bytes are compared): none gets through, and none hides the true one. */
static void
test_mutated_packets_never_pass (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GRand *rand = g_rand_new_with_seed (20 + cipher);
    GstWeirSrtcp srtcp, far;
    GstWeirSrtcp *ends[] = { &srtcp, &far };
    for (guint i = 0; i < 2; i++) {
      gst_weir_srtcp_init (ends[i]);
      set_key (ends[i], cipher == GST_WEIR_SRTP_AES_128_GCM ? GCM_KEY_HEX : KEY_HEX);
      set_cipher (ends[i], cipher);
      start (ends[i]);
    }
    GstBuffer *sealed = gst_weir_srtcp_seal (&far, report ());
    gsize size = gst_buffer_get_size (sealed);
    guint64 n = 0;
    for (guint i = 0; i < 34000; i++) {
      guint8 bytes[200] = { 0 };
      guint8 original[200] = { 0 };
      gsize length = size;
      gst_buffer_extract (sealed, 0, bytes, sizeof bytes);
      memcpy (original, bytes, sizeof original);
      if (mutate (rand, bytes, &length, sizeof bytes)
          && (length != size || memcmp (bytes, original, size) != 0)) {
        g_assert_null (gst_weir_srtcp_open_bytes (&srtcp, bytes, length));
        n++;
      }
    }
    g_assert_cmpuint (gst_weir_srtcp_get_refused (&srtcp), ==, n);
    g_assert_cmpuint (n, >, 28000);
    g_assert_true (passes (&srtcp, sealed));
    gst_buffer_unref (sealed);
    gst_weir_srtcp_clear (&far);
    gst_weir_srtcp_clear (&srtcp);
    g_rand_free (rand);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/srtcp/" #name, test_##name)
  ADD (wrong_lengths_are_explained);
  ADD (a_cipher_without_a_key_is_refused);
  ADD (without_a_key_everything_passes_as_it_is);
  ADD (two_ends_understand_each_other);
  ADD (buffers_are_only_read);
  ADD (empty_and_huge_buffers_are_refused);
  ADD (indices_go_on_over_restarts_and_begin_anew_with_a_key);
  ADD (replays_stay_replays_over_restarts);
  ADD (the_key_is_wiped);
  ADD (failures_are_told_once_a_minute);
  ADD (only_many_replays_are_told);
  ADD (caps_follow_the_key);
  ADD (mutated_packets_never_pass);
  return g_test_run ();
}
