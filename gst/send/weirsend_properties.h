/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirsend. */
#ifndef GST_WEIR_SEND_PROPERTIES_H
#define GST_WEIR_SEND_PROPERTIES_H

#include "send/weirsend.h"

G_BEGIN_DECLS

void gst_weir_send_install_properties (GObjectClass *klass);

G_END_DECLS

#endif
