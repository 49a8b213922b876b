/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "srtp/srtp_context.h"

#ifdef WEIR_HAVE_SRTP
#include <srtp2/srtp.h>
#endif

static const GEnumValue ciphers[]
    = { { GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_80,
          "AES in counter mode, tags of 80 bits; a key of 30 bytes", "aes-128-icm-hmac-sha1-80" },
        { GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_32,
          "The same with tags of 32 bits in the media; those of RTCP keep 80; a key of 30 bytes",
          "aes-128-icm-hmac-sha1-32" },
        { GST_WEIR_SRTP_AES_128_GCM, "AES-GCM, RFC 7714; a key of 28 bytes", "aes-128-gcm" },
        { 0, NULL, NULL } };

GType
gst_weir_srtp_cipher_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    g_once_init_leave (&type, g_enum_register_static ("GstWeirSrtpCipher", ciphers));
  }
  return type;
}

const gchar *
gst_weir_srtp_cipher_nick (GstWeirSrtpCipher cipher)
{
  return ciphers[cipher].value_nick;
}

/* 128 bits of key, and of salt 112 (RFC 3711) or 96 (RFC 7714). */
gsize
gst_weir_srtp_key_bytes (GstWeirSrtpCipher cipher)
{
  return cipher == GST_WEIR_SRTP_AES_128_GCM ? 28 : 30;
}

void
gst_weir_srtp_wipe (guint8 *bytes, gsize length)
{
  volatile guint8 *place = bytes;
  for (gsize i = 0; i < length; i++) {
    place[i] = 0;
  }
}

#ifdef WEIR_HAVE_SRTP

#define RTCP_HEADER_BYTES 8

/* libsrtp answers bad_param when another user of it in this process (srtpenc) was first: it runs.
 */
static gpointer
init_once (G_GNUC_UNUSED gpointer user)
{
  srtp_err_status_t status = srtp_init ();
  return GINT_TO_POINTER (status == srtp_err_status_ok || status == srtp_err_status_bad_param);
}

static void
fill_policy (srtp_policy_t *policy, GstWeirSrtpCipher cipher)
{
  switch (cipher) {
  case GST_WEIR_SRTP_AES_128_GCM:
    srtp_crypto_policy_set_aes_gcm_128_16_auth (&policy->rtp);
    srtp_crypto_policy_set_aes_gcm_128_16_auth (&policy->rtcp);
    break;
  case GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_32:
    srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32 (&policy->rtp);
    srtp_crypto_policy_set_rtcp_default (&policy->rtcp);
    break;
  default:
    srtp_crypto_policy_set_rtp_default (&policy->rtp);
    srtp_crypto_policy_set_rtcp_default (&policy->rtcp);
    break;
  }
}

static srtp_err_status_t
create (srtp_t *srtp, GstWeirSrtpCipher cipher, const guint8 *key, gboolean outbound)
{
  guint8 copy[GST_WEIR_SRTP_MAX_KEY_BYTES]; /* libsrtp takes no const */
  srtp_policy_t policy
      = { .ssrc.type = outbound ? ssrc_any_outbound : ssrc_any_inbound, .key = copy };
  fill_policy (&policy, cipher);
  for (gsize i = 0; i < gst_weir_srtp_key_bytes (cipher); i++) {
    copy[i] = key[i];
  }
  srtp_err_status_t status = srtp_create (srtp, &policy);
  gst_weir_srtp_wipe (copy, sizeof copy);
  return status;
}

GstWeirSrtpContext *
gst_weir_srtp_context_new (GstWeirSrtpCipher cipher, const guint8 *key, gboolean outbound,
                           gchar **why)
{
  static GOnce once = G_ONCE_INIT;
  srtp_t srtp = NULL;
  g_once (&once, init_once, NULL);
  if (once.retval == NULL) {
    *why = g_strdup_printf ("libsrtp (%s) did not start: its self-tests fail on this machine",
                            srtp_get_version_string ());
    return NULL;
  }
  srtp_err_status_t status = create (&srtp, cipher, key, outbound);
  if (status != srtp_err_status_ok) {
    *why = g_strdup_printf (
        "srtp-cipher=%s: the libsrtp of this machine (%s) was built without it (error %d); choose "
        "another (%s is always available), or install a libsrtp built with OpenSSL or NSS",
        gst_weir_srtp_cipher_nick (cipher), srtp_get_version_string (), (gint) status,
        ciphers[0].value_nick);
    return NULL;
  }
  return srtp;
}

void
gst_weir_srtp_context_free (GstWeirSrtpContext *self)
{
  if (self != NULL) {
    srtp_dealloc (self);
  }
}

/* A packet too short for a header is none of libsrtp's. */
static gboolean
has_sane_length (gsize length)
{
  return length >= RTCP_HEADER_BYTES && length <= GST_WEIR_SRTCP_MAX_BYTES;
}

GstWeirSrtpResult
gst_weir_srtp_context_protect (GstWeirSrtpContext *self, guint8 *bytes, gsize *length)
{
  int n = (int) *length;
  if (!has_sane_length (*length) || srtp_protect_rtcp (self, bytes, &n) != srtp_err_status_ok) {
    return GST_WEIR_SRTP_REFUSED;
  }
  *length = (gsize) n;
  return GST_WEIR_SRTP_OK;
}

GstWeirSrtpResult
gst_weir_srtp_context_unprotect (GstWeirSrtpContext *self, guint8 *bytes, gsize *length)
{
  int n = (int) *length;
  if (!has_sane_length (*length)) {
    return GST_WEIR_SRTP_REFUSED;
  }
  srtp_err_status_t status = srtp_unprotect_rtcp (self, bytes, &n);
  if (status == srtp_err_status_replay_fail || status == srtp_err_status_replay_old) {
    return GST_WEIR_SRTP_REPLAYED;
  }
  if (status != srtp_err_status_ok) {
    return GST_WEIR_SRTP_REFUSED;
  }
  *length = (gsize) n;
  return GST_WEIR_SRTP_OK;
}

#else

GstWeirSrtpContext *
gst_weir_srtp_context_new (G_GNUC_UNUSED GstWeirSrtpCipher cipher, G_GNUC_UNUSED const guint8 *key,
                           G_GNUC_UNUSED gboolean outbound, gchar **why)
{
  *why = g_strdup ("srtp-key: this plugin was built without libsrtp; build it with libsrtp2 "
                   "(meson configure -Dsrtp=enabled), or decrypt RTCP with srtpdec");
  return NULL;
}

void
gst_weir_srtp_context_free (G_GNUC_UNUSED GstWeirSrtpContext *self)
{
}

GstWeirSrtpResult
gst_weir_srtp_context_protect (G_GNUC_UNUSED GstWeirSrtpContext *self, G_GNUC_UNUSED guint8 *bytes,
                               G_GNUC_UNUSED gsize *length)
{
  return GST_WEIR_SRTP_REFUSED;
}

GstWeirSrtpResult
gst_weir_srtp_context_unprotect (G_GNUC_UNUSED GstWeirSrtpContext *self,
                                 G_GNUC_UNUSED guint8 *bytes, G_GNUC_UNUSED gsize *length)
{
  return GST_WEIR_SRTP_REFUSED;
}

#endif
