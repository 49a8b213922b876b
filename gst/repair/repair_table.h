/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each kind of element that repairs: which property says how much, and what it
 * needs to make any. Nothing here locks or remembers. */
#ifndef GST_WEIR_REPAIR_TABLE_H
#define GST_WEIR_REPAIR_TABLE_H

#include <gst/gst.h>

typedef struct
{
  const gchar *factory;
  const gchar *property;     /* an integer in per cent: how much; NULL: there is none */
  const gchar *on;           /* a boolean property, or NULL */
  const gchar *payload_type; /* that its packets have; 255: it makes none; or NULL */
  gboolean within_packets;   /* it is told what is lost, not how much to add */
} GstWeirRepairInfo;

/* NULL: it does not repair. */
const GstWeirRepairInfo *gst_weir_repair_info_for (GstElement *element);

/* Why it cannot be driven now, as a sentence (free it); NULL: it can. */
gchar *gst_weir_repair_refuses (GstElement *element, const GstWeirRepairInfo *info);

/* Only of one that does not refuse. percent is kept within what the property can hold. */
guint gst_weir_repair_get_percent (GstElement *element, const GstWeirRepairInfo *info);
void gst_weir_repair_set_percent (GstElement *element, const GstWeirRepairInfo *info,
                                  guint percent);

#endif
