/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which encoders does this element drive: those it finds upstream, those the property names, those
 * the application adds. */
#ifndef GST_WEIR_SEND_ENCODERS_H
#define GST_WEIR_SEND_ENCODERS_H

#include "encoder/encoder.h"

G_BEGIN_DECLS

typedef struct
{
  GstWeirEncoders *driven;
  gchar *names; /* that were resolved */
  GPtrArray *added_by_name;
  gboolean none_reported;
} GstWeirSendEncoders;

G_END_DECLS

#endif
