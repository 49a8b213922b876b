/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/flushed.h"

static gboolean
is_kept (GstMiniObject *object)
{
  return GST_IS_EVENT (object) && GST_EVENT_IS_STICKY (object)
         && GST_EVENT_TYPE (object) != GST_EVENT_SEGMENT
         && GST_EVENT_TYPE (object) != GST_EVENT_EOS;
}

void
gst_weir_flushed_free (GSList *newest_first, GstPad *pad)
{
  GSList *flushed = g_slist_reverse (newest_first);
  for (const GSList *link = flushed; link != NULL && pad != NULL; link = link->next) {
    if (is_kept (link->data)) {
      gst_pad_store_sticky_event (pad, link->data);
    }
  }
  g_slist_free_full (flushed, (GDestroyNotify) gst_mini_object_unref);
}
