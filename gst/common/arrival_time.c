/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/arrival_time.h"

#include <time.h>

#define AGE_MAX_NS ((gint64) GST_SECOND)

gint64
gst_weir_unix_time_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  return (gint64) GST_TIMESPEC_TO_TIME (now);
}

GstCaps *
gst_weir_arrival_caps (void)
{
  static GstStaticCaps caps = GST_STATIC_CAPS ("timestamp/x-unix");
  static gsize parsed = 0; /* of GstStaticCaps: each get is a reference */
  if (g_once_init_enter (&parsed)) {
    g_once_init_leave (&parsed, (gsize) gst_static_caps_get (&caps));
  }
  return (GstCaps *) parsed;
}

gint64
gst_weir_arrival_age_ns (GstBuffer *buffer, gint64 (*unix_time_ns) (void))
{
  GstReferenceTimestampMeta *meta
      = gst_buffer_get_reference_timestamp_meta (buffer, gst_weir_arrival_caps ());
  gint64 age_ns = meta != NULL ? unix_time_ns () - (gint64) meta->timestamp : 0;
  return age_ns >= 0 && age_ns <= AGE_MAX_NS ? age_ns : 0;
}
