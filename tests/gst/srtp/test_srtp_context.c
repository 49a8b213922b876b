/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTCP as RFC 3711 and RFC 7714 define it, and nothing but what was sent gets through. */
#include "srtp/srtp_data.h"

#include <srtp2/srtp.h>
#include <string.h>

#define PACKET_BYTES 2048
#define INDEX_BYTES 4

typedef struct
{
  guint8 bytes[PACKET_BYTES];
  gsize length;
} Packet;

/* libsrtp's own, unless the test plays a libsrtp that lacks a cipher. */
static gboolean refuse_create;
srtp_err_status_t __wrap_srtp_create (srtp_t *session, const srtp_policy_t *policy);
srtp_err_status_t __real_srtp_create (srtp_t *session, const srtp_policy_t *policy);

srtp_err_status_t
__wrap_srtp_create (srtp_t *session, const srtp_policy_t *policy)
{
  return refuse_create ? srtp_err_status_fail : __real_srtp_create (session, policy);
}

static GstWeirSrtpContext *
context_new (GstWeirSrtpCipher cipher, const guint8 *key, gboolean outbound)
{
  gchar *why = NULL;
  GstWeirSrtpContext *context = gst_weir_srtp_context_new (cipher, key, outbound, &why);
  g_assert_cmpstr (why, ==, NULL);
  g_assert_nonnull (context);
  return context;
}

static Packet
packet_of (const guint8 *bytes, gsize length)
{
  Packet packet = { .length = length };
  memcpy (packet.bytes, bytes, length);
  return packet;
}

static Packet
sealed_report (GstWeirSrtpContext *out)
{
  Packet packet = packet_of (plain_report, sizeof plain_report);
  g_assert_cmpint (gst_weir_srtp_context_protect (out, packet.bytes, &packet.length), ==,
                   GST_WEIR_SRTP_OK);
  return packet;
}

/* On a copy: a packet can be tried many times. */
static GstWeirSrtpResult
try_open (GstWeirSrtpContext *in, Packet packet)
{
  return gst_weir_srtp_context_unprotect (in, packet.bytes, &packet.length);
}

static void
assert_hex (const Packet *packet, const gchar *expected)
{
  GString *hex = g_string_new (NULL);
  for (gsize i = 0; i < packet->length; i++) {
    g_string_append_printf (hex, "%02x", packet->bytes[i]);
  }
  g_assert_cmpstr (hex->str, ==, expected);
  g_string_free (hex, TRUE);
}

/* Computed from the RFCs with other means than libsrtp: AES from a general library, the rest by
 * hand. */
static void
test_packets_are_those_of_the_rfcs (void)
{
  static const gchar *const expected[GST_WEIR_SRTP_N_CIPHERS][2] = {
    { "81c90007010203047bcc3a4dc164c57da7c1923deddd1570bbd491095f5dff8380000001"
      "b2cf80235e0c2cbdd4a1",
      "81c9000701020304c2a29a375dd805241b0a764e3557dc76445afc91cb62306880000002"
      "84ca5099d1486100ae85" },
    { "81c90007010203047bcc3a4dc164c57da7c1923deddd1570bbd491095f5dff8380000001"
      "b2cf80235e0c2cbdd4a1",
      "81c9000701020304c2a29a375dd805241b0a764e3557dc76445afc91cb62306880000002"
      "84ca5099d1486100ae85" },
    { "81c90007010203048622ef9d9b3923c48dcaea4ee1a60c602a1eda738cc58022c811b5ceef92502674be271f"
      "199d8f7e80000001",
      "81c90007010203043f028a3c47036ebeeecd03483d4c0db67926dba2e35c621aaca0ef69d2eaf5a71976e458"
      "7bd563b480000002" },
  };
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GstWeirSrtpContext *out = context_new (cipher, key_bytes, TRUE);
    for (guint i = 0; i < 2; i++) {
      Packet packet = sealed_report (out);
      assert_hex (&packet, expected[cipher][i]);
    }
    gst_weir_srtp_context_free (out);
  }
}

static void
test_every_length_makes_the_round_trip (void)
{
  static const gsize added[GST_WEIR_SRTP_N_CIPHERS] = { 14, 14, 20 };
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GstWeirSrtpContext *out = context_new (cipher, key_bytes, TRUE);
    GstWeirSrtpContext *in = context_new (cipher, key_bytes, FALSE);
    for (gsize length = sizeof plain_report; length <= 1500; length += 4) {
      Packet packet = packet_of (plain_report, sizeof plain_report);
      packet.length = length;
      Packet original = packet;
      g_assert_cmpint (gst_weir_srtp_context_protect (out, packet.bytes, &packet.length), ==,
                       GST_WEIR_SRTP_OK);
      g_assert_cmpuint (packet.length, ==, length + added[cipher]);
      g_assert_cmpint (memcmp (packet.bytes + 8, original.bytes + 8, length - 8), !=, 0);
      g_assert_cmpint (gst_weir_srtp_context_unprotect (in, packet.bytes, &packet.length), ==,
                       GST_WEIR_SRTP_OK);
      g_assert_cmpuint (packet.length, ==, length);
      g_assert_cmpint (memcmp (packet.bytes, original.bytes, length), ==, 0);
    }
    gst_weir_srtp_context_free (in);
    gst_weir_srtp_context_free (out);
  }
}

/* Every bit of a packet counts, and trying changes nothing: the true one still passes. */
static void
test_every_changed_bit_is_refused (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GstWeirSrtpContext *out = context_new (cipher, key_bytes, TRUE);
    GstWeirSrtpContext *in = context_new (cipher, key_bytes, FALSE);
    Packet packet = sealed_report (out);
    for (gsize bit = 0; bit < 8 * packet.length; bit++) {
      Packet changed = packet;
      changed.bytes[bit / 8] ^= (guint8) (1 << bit % 8);
      g_assert_cmpint (try_open (in, changed), !=, GST_WEIR_SRTP_OK);
    }
    g_assert_cmpint (try_open (in, packet), ==, GST_WEIR_SRTP_OK);
    gst_weir_srtp_context_free (in);
    gst_weir_srtp_context_free (out);
  }
}

static void
test_every_other_length_is_refused (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GstWeirSrtpContext *out = context_new (cipher, key_bytes, TRUE);
    GstWeirSrtpContext *in = context_new (cipher, key_bytes, FALSE);
    Packet packet = sealed_report (out);
    for (gsize length = 0; length <= packet.length + 64; length++) {
      Packet cut = packet;
      cut.length = length;
      if (length != packet.length) {
        g_assert_cmpint (try_open (in, cut), ==, GST_WEIR_SRTP_REFUSED);
      }
    }
    g_assert_cmpint (try_open (in, packet), ==, GST_WEIR_SRTP_OK);
    gst_weir_srtp_context_free (in);
    gst_weir_srtp_context_free (out);
  }
}

static void
test_absurd_lengths_are_refused (void)
{
  static guint8 large[GST_WEIR_SRTCP_MAX_BYTES + 1 + GST_WEIR_SRTCP_MAX_TRAILER_BYTES];
  static const gsize lengths[] = { 0, 1, 7, GST_WEIR_SRTCP_MAX_BYTES + 1, G_MAXSIZE };
  GstWeirSrtpContext *out = context_new (0, key_bytes, TRUE);
  GstWeirSrtpContext *in = context_new (0, key_bytes, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    gsize length = lengths[i];
    g_assert_cmpint (gst_weir_srtp_context_protect (out, large, &length), ==,
                     GST_WEIR_SRTP_REFUSED);
    g_assert_cmpint (gst_weir_srtp_context_unprotect (in, large, &length), ==,
                     GST_WEIR_SRTP_REFUSED);
    g_assert_cmpuint (length, ==, lengths[i]);
  }
  gst_weir_srtp_context_free (in);
  gst_weir_srtp_context_free (out);
}

/* In any order within the window of 128, each once. */
static void
test_a_packet_passes_once_in_any_order (void)
{
  Packet packets[200];
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GstWeirSrtpContext *out = context_new (cipher, key_bytes, TRUE);
    GstWeirSrtpContext *in = context_new (cipher, key_bytes, FALSE);
    for (guint i = 0; i < G_N_ELEMENTS (packets); i++) {
      packets[i] = sealed_report (out);
    }
    for (guint i = 100; i > 0; i--) {
      g_assert_cmpint (try_open (in, packets[i - 1]), ==, GST_WEIR_SRTP_OK);
    }
    for (guint i = 0; i < 100; i++) {
      g_assert_cmpint (try_open (in, packets[i]), ==, GST_WEIR_SRTP_REPLAYED);
    }
    g_assert_cmpint (try_open (in, packets[199]), ==, GST_WEIR_SRTP_OK);
    g_assert_cmpint (try_open (in, packets[120]), ==, GST_WEIR_SRTP_OK);
    g_assert_cmpint (try_open (in, packets[10]), ==, GST_WEIR_SRTP_REPLAYED); /* too old to tell */
    gst_weir_srtp_context_free (in);
    gst_weir_srtp_context_free (out);
  }
}

/* Each sender has indices of its own. */
static void
test_senders_are_told_apart (void)
{
  GstWeirSrtpContext *out = context_new (0, key_bytes, TRUE);
  GstWeirSrtpContext *in = context_new (0, key_bytes, FALSE);
  for (guint ssrc = 0; ssrc < 50; ssrc++) {
    Packet packet = packet_of (plain_report, sizeof plain_report);
    packet.bytes[7] = (guint8) ssrc;
    gst_weir_srtp_context_protect (out, packet.bytes, &packet.length);
    g_assert_cmpuint (packet.bytes[sizeof plain_report + INDEX_BYTES - 1], ==, 1);
    g_assert_cmpint (try_open (in, packet), ==, GST_WEIR_SRTP_OK);
    g_assert_cmpint (try_open (in, packet), ==, GST_WEIR_SRTP_REPLAYED);
  }
  gst_weir_srtp_context_free (in);
  gst_weir_srtp_context_free (out);
}

static void
test_other_keys_ciphers_and_plain_packets_are_refused (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    GstWeirSrtpContext *out = context_new (cipher, key_bytes, TRUE);
    GstWeirSrtpContext *own = context_new (cipher, key_bytes, FALSE);
    Packet packet = sealed_report (out);
    for (gsize bit = 0; bit < 8 * gst_weir_srtp_key_bytes (cipher); bit++) {
      guint8 key[GST_WEIR_SRTP_MAX_KEY_BYTES];
      memcpy (key, key_bytes, sizeof key);
      key[bit / 8] ^= (guint8) (1 << bit % 8);
      GstWeirSrtpContext *in = context_new (cipher, key, FALSE);
      g_assert_cmpint (try_open (in, packet), ==, GST_WEIR_SRTP_REFUSED);
      gst_weir_srtp_context_free (in);
    }
    gboolean is_gcm = cipher == GST_WEIR_SRTP_AES_128_GCM;
    GstWeirSrtpContext *other
        = context_new (is_gcm ? GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_80 : GST_WEIR_SRTP_AES_128_GCM,
                       key_bytes, FALSE);
    g_assert_cmpint (try_open (other, packet), ==, GST_WEIR_SRTP_REFUSED);
    g_assert_cmpint (try_open (own, packet_of (plain_report, sizeof plain_report)), ==,
                     GST_WEIR_SRTP_REFUSED);
    gst_weir_srtp_context_free (other);
    gst_weir_srtp_context_free (own);
    gst_weir_srtp_context_free (out);
  }
}

static void
test_a_missing_cipher_is_named (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    gchar *why = NULL;
    refuse_create = TRUE;
    g_assert_null (gst_weir_srtp_context_new (cipher, key_bytes, TRUE, &why));
    refuse_create = FALSE;
    g_assert_nonnull (strstr (why, gst_weir_srtp_cipher_nick (cipher)));
    g_assert_nonnull (strstr (why, "built without it"));
    g_assert_nonnull (strstr (why, "choose another"));
    g_free (why);
  }
}

/* As when another plugin uses libsrtp as well. */
static void
test_another_user_of_libsrtp_does_no_harm (void)
{
  srtp_init ();
  GstWeirSrtpContext *out = context_new (0, key_bytes, TRUE);
  srtp_init ();
  GstWeirSrtpContext *in = context_new (0, key_bytes, FALSE);
  g_assert_cmpint (try_open (in, sealed_report (out)), ==, GST_WEIR_SRTP_OK);
  gst_weir_srtp_context_free (in);
  gst_weir_srtp_context_free (out);
}

static void
test_names_and_key_lengths (void)
{
  static const struct
  {
    const gchar *nick;
    gsize bytes;
  } expected[] = { { "aes-128-icm-hmac-sha1-80", 30 },
                   { "aes-128-icm-hmac-sha1-32", 30 },
                   { "aes-128-gcm", 28 } };
  GEnumClass *klass = g_type_class_ref (GST_TYPE_WEIR_SRTP_CIPHER);
  g_assert_cmpuint (klass->n_values, ==, GST_WEIR_SRTP_N_CIPHERS);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_assert_cmpstr (gst_weir_srtp_cipher_nick (i), ==, expected[i].nick);
    g_assert_cmpuint (gst_weir_srtp_key_bytes (i), ==, expected[i].bytes);
    g_assert_cmpint (g_enum_get_value_by_nick (klass, expected[i].nick)->value, ==, (gint) i);
  }
  g_type_class_unref (klass);
}

static void
test_wiping_leaves_nothing (void)
{
  guint8 secret[GST_WEIR_SRTP_MAX_KEY_BYTES];
  memcpy (secret, key_bytes, sizeof secret);
  gst_weir_srtp_wipe (secret, sizeof secret);
  for (gsize i = 0; i < sizeof secret; i++) {
    g_assert_cmpuint (secret[i], ==, 0);
  }
  gst_weir_srtp_context_free (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/srtp_context/" #name, test_##name)
  ADD (another_user_of_libsrtp_does_no_harm); /* the first, or it would not come before ours */
  ADD (packets_are_those_of_the_rfcs);
  ADD (every_length_makes_the_round_trip);
  ADD (every_changed_bit_is_refused);
  ADD (every_other_length_is_refused);
  ADD (absurd_lengths_are_refused);
  ADD (a_packet_passes_once_in_any_order);
  ADD (senders_are_told_apart);
  ADD (other_keys_ciphers_and_plain_packets_are_refused);
  ADD (a_missing_cipher_is_named);
  ADD (names_and_key_lengths);
  ADD (wiping_leaves_nothing);
  return g_test_run ();
}
