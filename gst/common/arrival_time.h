/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the kernel got a packet: a GstReferenceTimestampMeta of its buffer with caps
 * timestamp/x-unix, as weirudpsrc attaches it. Unlike the time at which a thread sees the packet it
 * does not depend on when that thread ran. */
#ifndef GST_WEIR_ARRIVAL_TIME_H
#define GST_WEIR_ARRIVAL_TIME_H

#include <gst/gst.h>

/* Nanoseconds since 1970, as the machine's clock has it. */
gint64 gst_weir_unix_time_ns (void);

/* The caps of the metadata; not owned. */
GstCaps *gst_weir_arrival_caps (void);

/* How long ago buffer arrived, in nanoseconds; unix_time_ns is asked only where buffer says when.
 * 0: it does not, or not credibly: later than now, or more than a second ago, because the machine's
 * clock was set meanwhile. */
gint64 gst_weir_arrival_age_ns (GstBuffer *buffer, gint64 (*unix_time_ns) (void));

#endif
