/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lies between the src pad and the network: how many bytes IP, UDP and the srtpenc behind us,
 * be it the application's or the one in a dtlssrtpenc of a webrtcbin, add to each packet. */
#ifndef GST_WEIR_SEND_NETWORK_H
#define GST_WEIR_SEND_NETWORK_H

#include <gst/gst.h>

/* What is wrong behind us, as bits. */
typedef enum
{
  GST_WEIR_MEDIA_IN_CLEAR = 1 << 0, /* RTCP has a key */
  GST_WEIR_SINK_WAITS = 1 << 1,     /* for the clock: it paces once more */
  GST_WEIR_PACED_TWICE = 1 << 2,    /* by another weirsend */
} GstWeirNetworkFault;
#define GST_WEIR_NETWORK_FAULTS 3

typedef struct
{
  GstElement *element;                     /* not owned; a callback holds a reference */
  void (*on_change) (GstElement *element); /* look again: that srtpenc is set otherwise */
  GstElement *srtpenc;                     /* owned; NULL: none */
  gulong srtpenc_id;
  guint faults;        /* as of the last look; of the thread that looks */
  gint overhead_bytes; /* atomic: as far as one can see; IPv4 and UDP before the first look */
} GstWeirNetwork;

void gst_weir_network_init (GstWeirNetwork *self, GstElement *element,
                            void (*on_change) (GstElement *element));

/* One thread at a time looks and forgets, with no lock that on_change takes. */

/* TRUE: the overhead is another. */
gboolean gst_weir_network_look (GstWeirNetwork *self, GstPad *srcpad);
/* Does the srtpenc that was seen last encrypt? */
gboolean gst_weir_network_is_encrypted (GstWeirNetwork *self);
/* As before the first look. Accepts that there was none. */
void gst_weir_network_forget (GstWeirNetwork *self);

/* Does srcpad lead to a network sink, one element after the other? */
gboolean gst_weir_leads_to_network (GstPad *srcpad);

#endif
