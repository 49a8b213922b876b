/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The encoders behind one weirsend: found by walking upstream or added by hand, each given the
 * settings it needs to follow (encoder_table.h), and driven to a share of one media bitrate.
 *
 * Threads: every function may be called from any thread unless it says otherwise.
 * gst_weir_encoders_set_target () and _observe () never touch an encoder: they store numbers and
 * wake the worker, so that the pacing and RTCP threads cannot be held up by an encoder's lock. */
#ifndef GST_WEIR_ENCODER_H
#define GST_WEIR_ENCODER_H

#include "common/rate_query.h"
#include <gst/gst.h>

typedef struct _GstWeirEncoders GstWeirEncoders;

/* Whether an encoder shall leave out the frame that comes now; in its streaming thread, with no
 * lock held. */
typedef gboolean (*GstWeirSkipsFrame) (GstElement *asked, GstElement *encoder);

/* text: an English sentence, which names the encoder or its kind. Runs in the worker thread with no
 * lock held; it must not call gst_weir_encoders_stop () or _free (). */
typedef void (*GstWeirEncodersWarning) (gpointer user, const gchar *text);

/* Most encoders one set drives. */
#define GST_WEIR_ENCODERS_MAX 64
/* No number of a share (weir/shares.h). */
#define GST_WEIR_NO_SHARE G_MAXUINT32

GstWeirEncoders *gst_weir_encoders_new (GstWeirEncodersWarning warning, gpointer user);
void gst_weir_encoders_set_skips (GstWeirEncoders *self, GstElement *asked,
                                  GstWeirSkipsFrame skips);
void gst_weir_encoders_free (GstWeirEncoders *self); /* stops; accepts NULL */

/* The worker thread, which starts with the first encoder or warning. stop () joins it and drops the
 * encoders that discover () found; those added by hand stay for the next start (). */
void gst_weir_encoders_start (GstWeirEncoders *self);
void gst_weir_encoders_stop (GstWeirEncoders *self);

gboolean gst_weir_encoders_add (GstWeirEncoders *self, GstElement *element, gdouble weight,
                                guint64 min_bps, guint64 max_bps, GError **error);
gboolean gst_weir_encoders_remove (GstWeirEncoders *self, GstElement *element);
guint gst_weir_encoders_discover (GstWeirEncoders *self, GstPad *sinkpad, gchar **looked_at);
guint gst_weir_encoders_count (GstWeirEncoders *self);

void gst_weir_encoders_set_target (GstWeirEncoders *self, gint64 media_bps, gint64 now_ns);
void gst_weir_encoders_observe (GstWeirEncoders *self, guint64 media_bytes, gint64 now_ns);
void gst_weir_encoders_observe_from (GstWeirEncoders *self, GstElement *element,
                                     guint32 media_bytes);
void gst_weir_encoders_on_frame (GstWeirEncoders *self, GstElement *element, gboolean skipped);
gboolean gst_weir_encoders_exchange (GstWeirEncoders *self, const GstWeirRatePicture *picture,
                                     GstWeirRate *rate);
GstStructure *gst_weir_encoders_get_stats (GstWeirEncoders *self);

#endif
