/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTCP for an element: the properties srtp-key and srtp-cipher, what they lead to at the start,
 * and every RTCP packet that comes in or goes out.
 *
 * The contexts belong to the key, not to a run of the element: as long as the key stays, indices go
 * on where they were, so that no index is used twice with one key and SSRC, and what was received
 * before a restart stays a replay after it. */
#ifndef GST_WEIR_SRTCP_H
#define GST_WEIR_SRTCP_H

#include "common/properties.h"
#include "srtp/srtp_context.h"
#include <gst/gst.h>

typedef struct
{
  GstWeirSrtpCipher cipher;
  guint8 bytes[GST_WEIR_SRTP_MAX_KEY_BYTES];
  gsize n_bytes; /* as given, also when it does not fit */
} GstWeirSrtpKey;

typedef struct
{
  GMutex lock;        /* protects all below; nothing else is locked under it */
  GstWeirSrtpKey key; /* as set: holds from the next start on */
  gboolean has_key, has_cipher;
  GstWeirSrtpKey used; /* by the contexts */
  GstWeirSrtpContext *in, *out;
  gboolean on;

  /* Since the start. */
  guint64 packets;       /* that came in and were right */
  guint64 auth_failures; /* dropped: forged, changed, under another key, or not encrypted */
  guint64 replays;       /* dropped: seen before */
  guint64 replays_together;
  guint64 failures_told, replays_told; /* by warnings */
  gint64 told_ns;                      /* the last one; -1 */
} GstWeirSrtcp;

void gst_weir_srtcp_init (GstWeirSrtcp *self);
void gst_weir_srtcp_clear (GstWeirSrtcp *self);

/* The properties, the same for every element that has them. offset: of its GstWeirSrtcp. */
GstWeirProperty gst_weir_srtcp_key_property (gsize offset);
GstWeirProperty gst_weir_srtcp_cipher_property (gsize offset);
/* What they set: a GstBuffer, a GstWeirSrtpCipher. */
void gst_weir_srtcp_set_key (GstWeirSrtcp *self, const GValue *value);
void gst_weir_srtcp_set_cipher (GstWeirSrtcp *self, const GValue *value);

/* FALSE: *why (free it) says what is wrong with the settings. */
gboolean gst_weir_srtcp_start (GstWeirSrtcp *self, gchar **why);
/* Is there a key? It does not change between two starts. */
gboolean gst_weir_srtcp_is_on (GstWeirSrtcp *self);
/* The caps of RTCP that leaves, by gst_weir_srtcp_is_on (); unref them. */
GstCaps *gst_weir_srtcp_make_caps (GstWeirSrtcp *self);
/* Answers a caps query on the pad where it leaves; FALSE: it is another query. */
gboolean gst_weir_srtcp_answer_caps (GstWeirSrtcp *self, GstQuery *query);

/* What came in. Without a key: itself. With one: its content, in the clear, or NULL when it is
 * dropped and counted. buffer is not taken. */
GstBuffer *gst_weir_srtcp_open (GstWeirSrtcp *self, GstBuffer *buffer);
/* The same for bytes, in a buffer of their own. */
GstBuffer *gst_weir_srtcp_open_bytes (GstWeirSrtcp *self, const guint8 *bytes, gsize length);
/* What goes out, taken. NULL: it cannot go, because the key has been used for 2^31 packets. */
GstBuffer *gst_weir_srtcp_seal (GstWeirSrtcp *self, GstBuffer *buffer);

/* How many packets were dropped. */
guint64 gst_weir_srtcp_get_refused (GstWeirSrtcp *self);
/* Adds the counters. */
void gst_weir_srtcp_put_stats (GstWeirSrtcp *self, GstStructure *stats);
/* What is wrong with what comes in, at most once a minute; NULL, or free it. */
gchar *gst_weir_srtcp_take_warning (GstWeirSrtcp *self, gint64 now_ns);

#endif
