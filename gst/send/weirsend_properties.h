/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirsend. */
#ifndef GST_WEIR_SEND_PROPERTIES_H
#define GST_WEIR_SEND_PROPERTIES_H

#include "send/weirsend.h"

void gst_weir_send_install_properties (GObjectClass *klass);

#endif
