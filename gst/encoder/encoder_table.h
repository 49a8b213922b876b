/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known about each kind of encoder: which property is its bitrate and in which unit, what
 * a change while playing costs, and which settings it needs to follow changes at all. */
#ifndef GST_WEIR_ENCODER_TABLE_H
#define GST_WEIR_ENCODER_TABLE_H

#include <gst/gst.h>

typedef enum
{
  GST_WEIR_LIVE_YES,        /* takes a new bitrate while it runs */
  GST_WEIR_LIVE_IF_FLAGGED, /* when the property has GST_PARAM_MUTABLE_PLAYING */
  GST_WEIR_LIVE_NO,         /* only before it starts */
} GstWeirLive;

typedef struct
{
  const gchar *factory;      /* factory name, may hold * and ? */
  const gchar *property;     /* its bitrate; NULL: none */
  const gchar *field;        /* in that GstStructure property, or NULL */
  gint64 unit_bps;           /* 1 of the property is so many bit/s */
  gint64 min_bps;            /* below this it fails or misbehaves */
  const gchar *headroom;     /* a property to keep at twice the bitrate, or NULL */
  const gchar *profile;      /* "property=value ...", applied where the user set nothing, or NULL */
  const gchar *profile_live; /* the same, for settings that also take effect while it runs */
  const gchar *live_needs;   /* must not be at its default when changed while running, or NULL */
  const gchar *remedy;       /* what to do when it does not follow, or NULL */
  gint64 up_ns;              /* least time between the last change and an increase */
  gint64 down_ns;            /* ... and a decrease */
  gint64 step_ppm;           /* smaller steps are not worth it */
  GstWeirLive live;
  gboolean makes_key_frames; /* each change makes one */
} GstWeirEncoderInfo;

gboolean gst_weir_encoder_info_for (GstElement *element, GstWeirEncoderInfo *info, gchar **note);

#endif
