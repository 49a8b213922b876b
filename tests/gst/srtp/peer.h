/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The other end of SRTCP: seals RTCP for an element, opens what it sent, and knows every way to get
 * a packet wrong. */
#ifndef SRTP_PEER_H
#define SRTP_PEER_H

#include "srtp/srtp_context.h"
#include "srtp/srtp_data.h"
#include <gst/gst.h>
#include <string.h>

#define KEYED(cipher, hex) "srtp-cipher=" cipher " srtp-key=" hex " "

/* As properties, by GstWeirSrtpCipher. */
static const gchar *const keyed[GST_WEIR_SRTP_N_CIPHERS] = {
  KEYED ("aes-128-icm-hmac-sha1-80", KEY_HEX),
  KEYED ("aes-128-icm-hmac-sha1-32", KEY_HEX),
  KEYED ("aes-128-gcm", GCM_KEY_HEX),
};

typedef struct
{
  GstWeirSrtpContext *in, *out;
} Peer;

static inline Peer
peer_new (GstWeirSrtpCipher cipher, const guint8 *key)
{
  gchar *why = NULL;
  Peer peer = { gst_weir_srtp_context_new (cipher, key, FALSE, &why),
                gst_weir_srtp_context_new (cipher, key, TRUE, &why) };
  g_assert_cmpstr (why, ==, NULL);
  return peer;
}

static inline void
peer_free (Peer *peer)
{
  gst_weir_srtp_context_free (peer->in);
  gst_weir_srtp_context_free (peer->out);
}

static inline GstBuffer *
peer_seal (Peer *peer, const guint8 *bytes, gsize length)
{
  guint8 *copy = g_malloc (length + GST_WEIR_SRTCP_MAX_TRAILER_BYTES);
  memcpy (copy, bytes, length);
  g_assert_cmpint (gst_weir_srtp_context_protect (peer->out, copy, &length), ==, GST_WEIR_SRTP_OK);
  return gst_buffer_new_wrapped (copy, length);
}

/* NULL: it is not from the other end. */
static inline GstBuffer *
peer_open (Peer *peer, GstBuffer *buffer)
{
  gsize length = gst_buffer_get_size (buffer);
  guint8 *copy = g_malloc (length + 1);
  gst_buffer_extract (buffer, 0, copy, length);
  if (gst_weir_srtp_context_unprotect (peer->in, copy, &length) == GST_WEIR_SRTP_OK) {
    return gst_buffer_new_wrapped (copy, length);
  }
  g_free (copy);
  return NULL;
}

/* SSRC and index, which together must never come twice under one key. */
static inline guint64
peer_number (GstWeirSrtpCipher cipher, GstBuffer *sealed)
{
  guint8 bytes[8];
  gsize length = gst_buffer_get_size (sealed);
  gst_buffer_extract (sealed, 4, bytes, 4);
  gst_buffer_extract (sealed, length - (cipher == GST_WEIR_SRTP_AES_128_GCM ? 4 : 14), bytes + 4,
                      4);
  return GST_READ_UINT64_BE (bytes);
}

typedef void (*PushFunc) (GstBuffer *buffer, gpointer user);

/* Pushes everything that must not pass: each byte of a good packet changed, each part of it, the
 * packet in the clear, under another key and another cipher, and (when it was pushed before) again.
 * plain is what good contains. Returns how many. */
static inline guint
push_everything_wrong (GstWeirSrtpCipher cipher, GstBuffer *good, const guint8 *plain,
                       gsize plain_length, PushFunc push, gpointer user)
{
  guint8 other_key[GST_WEIR_SRTP_MAX_KEY_BYTES];
  gsize length = gst_buffer_get_size (good);
  guint n = 0;
  memcpy (other_key, key_bytes, sizeof other_key);
  other_key[0] ^= 1;
  for (gsize i = 0; i < length; i++, n++) {
    GstMapInfo map;
    GstBuffer *changed = gst_buffer_copy_deep (good);
    gst_buffer_map (changed, &map, GST_MAP_READWRITE);
    map.data[i] ^= (guint8) (1 + i % 255);
    gst_buffer_unmap (changed, &map);
    push (changed, user);
  }
  for (gsize i = 0; i < length; i++, n++) {
    push (gst_buffer_copy_region (good, GST_BUFFER_COPY_ALL, 0, i), user);
  }
  Peer strangers[] = {
    peer_new (cipher, other_key),
    peer_new (cipher == GST_WEIR_SRTP_AES_128_GCM ? GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_80
                                                  : GST_WEIR_SRTP_AES_128_GCM,
              key_bytes),
  };
  for (guint i = 0; i < G_N_ELEMENTS (strangers); i++, n++) {
    push (peer_seal (&strangers[i], plain, plain_length), user);
    peer_free (&strangers[i]);
  }
  push (gst_buffer_new_memdup (plain, plain_length), user);
  push (gst_buffer_ref (good), user);
  return n + 2;
}

#endif
