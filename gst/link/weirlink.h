/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirlink: pairs of pads (sink_%u, src_%u) through one emulated bottleneck, in real time.
 *
 * Threads: upstream's threads offer packets to the engine in chain; each src pad has a task that
 * pushes what has arrived on that pad, and one of them leads (weirlink_engine.h).
 * Lock: the engine's guards everything below it; it is never held while pushing, posting or writing
 * the log. */
#ifndef GST_WEIR_LINK_H
#define GST_WEIR_LINK_H

#include "link/weirlink_engine.h"

#define GST_TYPE_WEIR_LINK (gst_weir_link_get_type ())
G_DECLARE_FINAL_TYPE (GstWeirLink, gst_weir_link, GST, WEIR_LINK, GstElement)

#define GST_TYPE_WEIR_LINK_DISCIPLINE (gst_weir_link_discipline_get_type ())
GType gst_weir_link_discipline_get_type (void);

struct _GstWeirLink
{
  GstElement parent;
  GstClock *clock; /* the system clock, as it was when the element was made */

  GstWeirLinkEngine engine;
  GstWeirLinkSettings settings;
  guint overhead_bytes;
  gboolean arrival_time;
  gchar *log_location;

  gboolean playing;
  GList *pairs; /* GstWeirLinkPair, owned */
  guint next_id;
  gboolean size_warned;
};

/* weirlink_properties.c */
void gst_weir_link_install_properties (GObjectClass *klass);

/* weirlink_pads.c: the pairs and their pads. */
void gst_weir_link_add_pad_templates (GstElementClass *klass);
GstPad *gst_weir_link_request_pad (GstElement *element, GstPadTemplate *templ, const gchar *name,
                                   const GstCaps *caps);
void gst_weir_link_release_pad (GstElement *element, GstPad *pad);
void gst_weir_link_release_all (GstWeirLink *self);
/* As described in weirlink.c. */
GstStructure *gst_weir_link_make_stats (GstWeirLink *self);

#endif
