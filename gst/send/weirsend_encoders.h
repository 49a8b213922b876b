/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which encoders does this element drive: those it finds upstream, those the property names, those
 * the application adds. */
#ifndef GST_WEIR_SEND_ENCODERS_H
#define GST_WEIR_SEND_ENCODERS_H

#include "encoder/encoder.h"
#include "send/weirsend_report.h"

typedef struct
{
  GstElement *element; /* not owned, nor the next two */
  GstPad *sinkpad;     /* what feeds us is found from here */
  GstWeirReport *report;
  GstWeirEncoders *driven; /* locks itself */

  /* One thread at a time: that which starts or stops, or the streaming thread. */
  gchar *names; /* that were resolved */
  GPtrArray *added_by_name;
  gboolean none_reported;
} GstWeirSendEncoders;

void gst_weir_send_encoders_init (GstWeirSendEncoders *self, GstElement *element, GstPad *sinkpad,
                                  GstWeirReport *report);
void gst_weir_send_encoders_clear (GstWeirSendEncoders *self);

void gst_weir_send_encoders_start (GstWeirSendEncoders *self);
void gst_weir_send_encoders_stop (GstWeirSendEncoders *self);
/* What feeds us may be another. names: as the property has them. As long as no media flow an
 * encoder may still be linked. */
void gst_weir_send_encoders_find (GstWeirSendEncoders *self, const gchar *names,
                                  gboolean media_flows);

/* By the application. min and max in bit/s of media; 0 is no bound. FALSE: it cannot be driven. */
gboolean gst_weir_send_encoders_add (GstWeirSendEncoders *self, GstElement *encoder, gdouble weight,
                                     guint64 min_bps, guint64 max_bps);

#endif
