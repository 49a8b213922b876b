/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the element tells the application. */
#ifndef GST_WEIR_SEND_REPORT_H
#define GST_WEIR_SEND_REPORT_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;   /* not owned */
  GMutex lock;           /* protects all below; nothing is locked under it */
  GPtrArray *complaints; /* until there is a bus to post them on */
} GstWeirReport;

void gst_weir_report_init (GstWeirReport *self, GstElement *element);
void gst_weir_report_clear (GstWeirReport *self);

/* Posts text (taken; nullable) as a warning, at the latest when the element is in a pipeline. */
void gst_weir_report_complain (GstWeirReport *self, gchar *text);
/* Now there is a bus. */
void gst_weir_report_post_complaints (GstWeirReport *self);

G_END_DECLS

#endif
