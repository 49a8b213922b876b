/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was under way in an element when its stream was flushed. */
#ifndef GST_WEIR_FLUSHED_H
#define GST_WEIR_FLUSHED_H

#include <gst/gst.h>

/* Frees what was flushed: GstMiniObject, newest first. Events that stick to a pad, other than
 * SEGMENT and EOS, are stored on pad (nullable) before. With no lock held: both may run foreign
 * code. */
void gst_weir_flushed_free (GSList *newest_first, GstPad *pad);

#endif
