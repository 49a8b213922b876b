/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read from the caps of an RTP stream, and what is said about other caps. */
#include "common/rtp_caps.h"

#include <gst/gst.h>
#include <string.h>

#define URI "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

typedef struct
{
  const gchar *caps;
  GstWeirRtpCaps expected;
} Case;

static const Case cases[] = {
  { "application/x-rtp", { 0 } },
  { "application/x-rtp,clock-rate=90000", { .clock_rate_hz = 90000 } },
  { "application/x-rtp,clock-rate=-5", { 0 } },
  { "application/x-rtp,media=audio,clock-rate=48000",
    { .clock_rate_hz = 48000, .kind = GST_WEIR_KIND_AUDIO } },
  { "application/x-rtp,media=video,ssrc=(uint)4294967295",
    { .ssrc = 4294967295u, .has_ssrc = TRUE, .kind = GST_WEIR_KIND_VIDEO } },
  { "application/x-rtp,media=application", { 0 } },
  { "application/x-rtp,payload=0", { .has_payload_type = TRUE } },
  { "application/x-rtp,payload=127", { .payload_type = 127, .has_payload_type = TRUE } },
  { "application/x-rtp,payload=128", { 0 } },
  { "application/x-rtp,payload=-1", { 0 } },
  { "application/x-rtp,encoding-name=RTX", { .repair = TRUE } },
  { "application/x-rtp,encoding-name=rtx", { .repair = TRUE } },
  { "application/x-rtp,media=audio,encoding-name=ULPFEC",
    { .repair = TRUE, .kind = GST_WEIR_KIND_AUDIO } },
  { "application/x-rtp,encoding-name=flexfec", { .repair = TRUE } },
  { "application/x-rtp,encoding-name=parityfec", { .repair = TRUE } },
  { "application/x-rtp,encoding-name=red", { 0 } },
  { "application/x-rtp,encoding-name=H264", { .key_flags = TRUE } },
  { "application/x-rtp,encoding-name=H265", { .key_flags = TRUE } },
  { "application/x-rtp,encoding-name=VP8", { 0 } },
  { "application/x-rtp,extmap-3=(string)" URI, { .transport_seq_id = 3 } },
  { "application/x-rtp,extmap-255=(string)" URI, { .transport_seq_id = 255 } },
  { "application/x-rtp,extmap-256=(string)" URI, { 0 } },
  { "application/x-rtp,extmap-0=(string)" URI, { 0 } },
  { "application/x-rtp,extmap-=(string)" URI, { 0 } },
  { "application/x-rtp,extmap-3x=(string)" URI, { 0 } },
  { "application/x-rtp,extmap-3=(string)urn:ietf:params:rtp-hdrext:sdes:mid", { 0 } },
  { "application/x-rtp,extmap-3=(string)urn:x,extmap-7=(string)" URI ",extmap-9=(string)urn:y",
    { .transport_seq_id = 7 } },
  { "application/x-rtp,extmap-5=(string)<\"sendonly\",\"" URI "\",\"\">",
    { .transport_seq_id = 5 } },
  { "application/x-rtp,extmap-5=(string)<\"sendonly\">", { 0 } },
  { "application/x-rtp,extmap-5=(int)7", { 0 } },
};

static void
test_every_field_is_read (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = gst_caps_from_string (cases[i].caps);
    GstWeirRtpCaps parsed;
    gchar *why = NULL;
    g_assert_nonnull (caps);
    g_test_message ("%s", cases[i].caps);
    g_assert_true (gst_weir_rtp_caps_parse (caps, &parsed, &why));
    g_assert_null (why);
    g_assert_cmpuint (parsed.clock_rate_hz, ==, cases[i].expected.clock_rate_hz);
    g_assert_cmpuint (parsed.ssrc, ==, cases[i].expected.ssrc);
    g_assert_cmpint (parsed.has_ssrc, ==, cases[i].expected.has_ssrc);
    g_assert_cmpuint (parsed.transport_seq_id, ==, cases[i].expected.transport_seq_id);
    g_assert_cmpint (parsed.has_payload_type, ==, cases[i].expected.has_payload_type);
    g_assert_cmpuint (parsed.payload_type, ==, cases[i].expected.payload_type);
    g_assert_cmpint (parsed.kind, ==, cases[i].expected.kind);
    g_assert_cmpint (parsed.repair, ==, cases[i].expected.repair);
    g_assert_cmpint (parsed.key_flags, ==, cases[i].expected.key_flags);
    gst_caps_unref (caps);
  }
}

static void
test_other_caps_are_refused_with_advice (void)
{
  static const struct
  {
    const gchar *caps, *says, *advises;
  } wrong[] = {
    { "video/x-h264,stream-format=avc", "video/x-h264", "payloader" },
    { "application/x-rtcp", "application/x-rtcp", "payloader" },
    { "application/x-srtp", "application/x-srtp", "before the one that encrypts" },
    { "EMPTY", "empty", "payloader" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GstCaps *caps = gst_caps_from_string (wrong[i].caps);
    GstWeirRtpCaps parsed = { .clock_rate_hz = 77 };
    gchar *why = NULL;
    g_assert_false (gst_weir_rtp_caps_parse (caps, &parsed, &why));
    g_assert_cmpuint (parsed.clock_rate_hz, ==, 77);
    g_assert_false (gst_weir_rtp_caps_parse (caps, &parsed, NULL));
    g_assert_nonnull (strstr (why, wrong[i].says));
    g_assert_nonnull (strstr (why, wrong[i].advises));
    g_free (why);
    gst_caps_unref (caps);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/rtp_caps/every_field_is_read", test_every_field_is_read);
  g_test_add_func ("/gst/rtp_caps/other_caps_are_refused_with_advice",
                   test_other_caps_are_refused_with_advice);
  return g_test_run ();
}
