/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "srtp/srtcp.h"

#include <string.h>

#define WARNING_INTERVAL_NS (60 * (gint64) GST_SECOND)
/* A network may double a packet; so many replays without anything new are a peer that began anew.
 */
#define MANY_REPLAYS 8

void
gst_weir_srtcp_init (GstWeirSrtcp *self)
{
  memset (self, 0, sizeof *self);
  g_mutex_init (&self->lock);
  self->told_ns = -1;
}

static void
wipe_key (GstWeirSrtpKey *key)
{
  gst_weir_srtp_wipe (key->bytes, sizeof key->bytes);
  key->n_bytes = 0;
}

static void
drop_contexts (GstWeirSrtcp *self)
{
  g_clear_pointer (&self->in, gst_weir_srtp_context_free);
  g_clear_pointer (&self->out, gst_weir_srtp_context_free);
  wipe_key (&self->used);
  self->on = FALSE;
}

void
gst_weir_srtcp_clear (GstWeirSrtcp *self)
{
  drop_contexts (self);
  wipe_key (&self->key);
  g_mutex_clear (&self->lock);
}

/* --- Properties --- */

void
gst_weir_srtcp_set_key (GstWeirSrtcp *self, const GValue *value)
{
  GstBuffer *buffer = gst_value_get_buffer (value);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  wipe_key (&self->key);
  self->has_key = buffer != NULL;
  if (buffer != NULL) {
    self->key.n_bytes = gst_buffer_get_size (buffer);
    gst_buffer_extract (buffer, 0, self->key.bytes, sizeof self->key.bytes);
  }
}

static void
set_key (GObject *element, const GValue *value, GParamSpec *spec)
{
  gst_weir_srtcp_set_key (gst_weir_property_field (element, spec), value);
}

/* Not to be read: neither gst-inspect-1.0 nor a dot file nor an application gets the key back. */
GstWeirProperty
gst_weir_srtcp_key_property (gsize offset)
{
  GParamSpec *spec = g_param_spec_boxed (
      "srtp-key", "SRTP key",
      "Master key and salt that authenticate and encrypt RTCP, 30 bytes (28 for aes-128-gcm), on a "
      "command line in hex. RTCP on rtcp_sink that is not protected with it is dropped and "
      "counted, and rtcp_src sends SRTCP. The media is not affected: use srtpenc and srtpdec for "
      "it. None: RTCP in the clear. Cannot be read back",
      GST_TYPE_BUFFER, G_PARAM_WRITABLE | GST_PARAM_MUTABLE_READY | G_PARAM_STATIC_STRINGS);
  return (GstWeirProperty){ spec, offset, .set = set_key };
}

void
gst_weir_srtcp_set_cipher (GstWeirSrtcp *self, const GValue *value)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->key.cipher = (GstWeirSrtpCipher) g_value_get_enum (value);
  self->has_cipher = TRUE;
}

static void
set_cipher (GObject *element, const GValue *value, GParamSpec *spec)
{
  gst_weir_srtcp_set_cipher (gst_weir_property_field (element, spec), value);
}

static void
get_cipher (GObject *element, GValue *value, GParamSpec *spec)
{
  GstWeirSrtcp *self = gst_weir_property_field (element, spec);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_value_set_enum (value, (gint) self->key.cipher);
}

GstWeirProperty
gst_weir_srtcp_cipher_property (gsize offset)
{
  GParamSpec *spec = g_param_spec_enum (
      "srtp-cipher", "SRTP cipher", "Cipher and authentication of RTCP that srtp-key is for",
      GST_TYPE_WEIR_SRTP_CIPHER, GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_80,
      G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY | G_PARAM_STATIC_STRINGS);
  return (GstWeirProperty){ spec, offset, .set = set_cipher, .get = get_cipher };
}

/* --- Start --- */

/* Who names a cipher wants SRTP: without a key RTCP would silently be in the clear. */
static gchar *
check_key (const GstWeirSrtcp *self)
{
  const gchar *cipher = gst_weir_srtp_cipher_nick (self->key.cipher);
  gsize needed = gst_weir_srtp_key_bytes (self->key.cipher);
  if (!self->has_key) {
    return g_strdup_printf (
        "srtp-cipher=%s is set, but srtp-key is missing: give a key of %" G_GSIZE_FORMAT
        " bytes (%" G_GSIZE_FORMAT " hex digits), or no cipher",
        cipher, needed, 2 * needed);
  }
  if (self->key.n_bytes != needed) {
    return g_strdup_printf ("srtp-key has %" G_GSIZE_FORMAT " bytes, which is too %s: "
                            "srtp-cipher=%s needs %" G_GSIZE_FORMAT " (%" G_GSIZE_FORMAT
                            " hex digits), 16 of key and %" G_GSIZE_FORMAT " of salt",
                            self->key.n_bytes, self->key.n_bytes < needed ? "short" : "long",
                            cipher, needed, 2 * needed, needed - 16);
  }
  return NULL;
}

static gboolean
is_in_use (const GstWeirSrtcp *self)
{
  return self->in != NULL && self->used.cipher == self->key.cipher
         && self->used.n_bytes == self->key.n_bytes
         && memcmp (self->used.bytes, self->key.bytes, self->key.n_bytes) == 0;
}

static void
make_contexts (GstWeirSrtcp *self, gchar **why)
{
  const GstWeirSrtpKey *key = &self->key;
  drop_contexts (self);
  self->in = gst_weir_srtp_context_new (key->cipher, key->bytes, FALSE, why);
  if (self->in != NULL) {
    self->out = gst_weir_srtp_context_new (key->cipher, key->bytes, TRUE, why);
  }
  if (self->out == NULL) {
    drop_contexts (self);
    return;
  }
  self->used = *key;
}

static void
reset_counters (GstWeirSrtcp *self)
{
  self->packets = self->auth_failures = self->replays = 0;
  self->replays_together = self->failures_told = self->replays_told = 0;
  self->told_ns = -1;
}

gboolean
gst_weir_srtcp_start (GstWeirSrtcp *self, gchar **why)
{
  *why = NULL;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  reset_counters (self);
  if (!self->has_key && !self->has_cipher) {
    drop_contexts (self);
  } else {
    *why = check_key (self);
    if (*why == NULL && !is_in_use (self)) {
      make_contexts (self, why);
    }
    self->on = *why == NULL;
  }
  return *why == NULL;
}

gboolean
gst_weir_srtcp_is_on (GstWeirSrtcp *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->on;
}

GstCaps *
gst_weir_srtcp_make_caps (GstWeirSrtcp *self)
{
  return gst_caps_new_empty_simple (gst_weir_srtcp_is_on (self) ? "application/x-srtcp"
                                                                : "application/x-rtcp");
}

/* What matters is the key that will hold: links are made before the start. */
gboolean
gst_weir_srtcp_answer_caps (GstWeirSrtcp *self, GstQuery *query)
{
  GstCaps *filter = NULL;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS) {
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  GstCaps *caps = gst_caps_from_string (self->has_key ? "application/x-srtcp(ANY)"
                                                      : "application/x-rtcp(ANY)");
  g_mutex_unlock (&self->lock);
  gst_query_parse_caps (query, &filter);
  if (filter != NULL) {
    gst_caps_take (&caps, gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST));
  }
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

/* --- Packets --- */

static void
count_locked (GstWeirSrtcp *self, GstWeirSrtpResult result)
{
  switch (result) {
  case GST_WEIR_SRTP_OK:
    self->packets++;
    self->replays_together = 0;
    break;
  case GST_WEIR_SRTP_REPLAYED:
    self->replays++;
    self->replays_together++;
    break;
  default:
    self->auth_failures++;
    break;
  }
}

/* Takes bytes, which it decrypts in place. */
static GstBuffer *
open_in_place (GstWeirSrtcp *self, guint8 *bytes, gsize length)
{
  g_mutex_lock (&self->lock);
  GstWeirSrtpResult result = gst_weir_srtp_context_unprotect (self->in, bytes, &length);
  count_locked (self, result);
  g_mutex_unlock (&self->lock);
  if (result == GST_WEIR_SRTP_OK) {
    return gst_buffer_new_wrapped (bytes, length);
  }
  g_free (bytes);
  return NULL;
}

GstBuffer *
gst_weir_srtcp_open_bytes (GstWeirSrtcp *self, const guint8 *bytes, gsize length)
{
  if (!gst_weir_srtcp_is_on (self)) {
    return gst_buffer_new_memdup (bytes, length);
  }
  gsize size = MIN (length, GST_WEIR_SRTCP_MAX_BYTES + 1); /* more is refused all the same */
  return open_in_place (self, g_memdup2 (bytes, size), size);
}

GstBuffer *
gst_weir_srtcp_open (GstWeirSrtcp *self, GstBuffer *buffer)
{
  if (!gst_weir_srtcp_is_on (self)) {
    return gst_buffer_ref (buffer);
  }
  gsize size = MIN (gst_buffer_get_size (buffer), GST_WEIR_SRTCP_MAX_BYTES + 1);
  guint8 *bytes = g_malloc (size + 1); /* not NULL when there is nothing in it */
  gst_buffer_extract (buffer, 0, bytes, size);
  GstBuffer *opened = open_in_place (self, bytes, size);
  if (opened != NULL) {
    gst_buffer_copy_into (opened, buffer, GST_BUFFER_COPY_METADATA, 0, (gsize) -1);
  }
  return opened;
}

GstBuffer *
gst_weir_srtcp_seal (GstWeirSrtcp *self, GstBuffer *buffer)
{
  if (!gst_weir_srtcp_is_on (self)) {
    return buffer;
  }
  gsize length = gst_buffer_get_size (buffer);
  guint8 *bytes = g_malloc (length + GST_WEIR_SRTCP_MAX_TRAILER_BYTES);
  gst_buffer_extract (buffer, 0, bytes, length);
  gst_buffer_unref (buffer);
  g_mutex_lock (&self->lock);
  GstWeirSrtpResult result = gst_weir_srtp_context_protect (self->out, bytes, &length);
  g_mutex_unlock (&self->lock);
  if (result == GST_WEIR_SRTP_OK) {
    return gst_buffer_new_wrapped (bytes, length);
  }
  g_free (bytes);
  return NULL;
}

/* --- What is said --- */

guint64
gst_weir_srtcp_get_refused (GstWeirSrtcp *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->auth_failures + self->replays;
}

void
gst_weir_srtcp_put_stats (GstWeirSrtcp *self, GstStructure *stats)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gst_structure_set (stats, "srtcp-packets", G_TYPE_UINT64, self->packets, "srtcp-auth-failures",
                     G_TYPE_UINT64, self->auth_failures, "srtcp-replays", G_TYPE_UINT64,
                     self->replays, NULL);
}

static gchar *
explain (const GstWeirSrtcp *self, gboolean failures)
{
  if (failures) {
    return g_strdup_printf ("%" G_GUINT64_FORMAT
                            " RTCP packets fail authentication (%" G_GUINT64_FORMAT
                            " passed): wrong srtp-key or srtp-cipher at one of the two ends, or "
                            "the peer sends plain RTCP, or it is forged. They were dropped",
                            self->auth_failures, self->packets);
  }
  return g_strdup_printf ("%" G_GUINT64_FORMAT
                          " RTCP packets in a row are replays: the peer restarted with the same "
                          "srtp-key and SSRC, or someone replays what it sent. They were dropped; "
                          "a peer that restarts needs a new srtp-key, at both ends",
                          self->replays_together);
}

gchar *
gst_weir_srtcp_take_warning (GstWeirSrtcp *self, gint64 now_ns)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gboolean failures = self->auth_failures > self->failures_told;
  gboolean replays = self->replays > self->replays_told && self->replays_together >= MANY_REPLAYS;
  gboolean rested = self->told_ns < 0 || now_ns - self->told_ns >= WARNING_INTERVAL_NS;
  if (!rested || (!failures && !replays)) {
    return NULL;
  }
  self->failures_told = self->auth_failures;
  self->replays_told = self->replays;
  self->told_ns = now_ns;
  return explain (self, failures);
}
