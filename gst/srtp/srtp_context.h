/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP of one direction through libsrtp: encrypted and signed, or checked and decrypted. No lock,
 * no element. A build without libsrtp has no context to give, and says so. */
#ifndef GST_WEIR_SRTP_CONTEXT_H
#define GST_WEIR_SRTP_CONTEXT_H

#include <glib-object.h>

/* By the names of RFC 4568 and RFC 7714. The first two differ in the media's tag alone: that of
 * SRTCP has 80 bits in both (RFC 3711 5.2). */
typedef enum
{
  GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_80,
  GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_32,
  GST_WEIR_SRTP_AES_128_GCM,
  GST_WEIR_SRTP_N_CIPHERS
} GstWeirSrtpCipher;

#define GST_TYPE_WEIR_SRTP_CIPHER (gst_weir_srtp_cipher_get_type ())
GType gst_weir_srtp_cipher_get_type (void);
const gchar *gst_weir_srtp_cipher_nick (GstWeirSrtpCipher cipher);

/* Master key and salt together. */
#define GST_WEIR_SRTP_MAX_KEY_BYTES 30
gsize gst_weir_srtp_key_bytes (GstWeirSrtpCipher cipher);

/* What protecting adds at most; so much room must be behind the packet. */
#define GST_WEIR_SRTCP_MAX_TRAILER_BYTES 160
/* The largest packet that is looked at. */
#define GST_WEIR_SRTCP_MAX_BYTES 65535

typedef enum
{
  GST_WEIR_SRTP_OK,
  GST_WEIR_SRTP_REFUSED,  /* not ours: another key, changed, cut short, not encrypted */
  GST_WEIR_SRTP_REPLAYED, /* seen before, or too old to tell */
} GstWeirSrtpResult;

typedef struct srtp_ctx_t_ GstWeirSrtpContext; /* libsrtp's own */

/* key has gst_weir_srtp_key_bytes (). NULL with *why (free it) when this build cannot do it. */
GstWeirSrtpContext *gst_weir_srtp_context_new (GstWeirSrtpCipher cipher, const guint8 *key,
                                               gboolean outbound, gchar **why);
/* NULL is allowed. The keys in it are wiped. */
void gst_weir_srtp_context_free (GstWeirSrtpContext *self);

/* In place; bytes is aligned like memory from g_malloc () and has room for the trailer. Unless the
 * result is OK the bytes are of no use. */
GstWeirSrtpResult gst_weir_srtp_context_protect (GstWeirSrtpContext *self, guint8 *bytes,
                                                 gsize *length);
GstWeirSrtpResult gst_weir_srtp_context_unprotect (GstWeirSrtpContext *self, guint8 *bytes,
                                                   gsize *length);

/* Overwrites key material, in a way that the compiler cannot leave out. */
void gst_weir_srtp_wipe (guint8 *bytes, gsize length);

#endif
