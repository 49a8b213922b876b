/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings that a path has once, because it has one controller. They are those of the first member;
 * set on any member while it runs, they are set on all. */
#ifndef GST_WEIR_SEND_PATH_SETTINGS_H
#define GST_WEIR_SEND_PATH_SETTINGS_H

#include "send/weirsend_path.h"

/* A member that joins others takes over what they have; remarks gets what it loses by that. Returns
 * which have changed, as bits of GstWeirPathSetting. */
guint gst_weir_path_settings_agree_locked (GstWeirMember *self, GPtrArray *remarks);
/* Gives all other members of the path what this one has now, of the settings in the bits of which.
 * Returns their elements, for gst_weir_path_settings_notify_all (). */
GPtrArray *gst_weir_path_settings_spread_locked (GstWeirMember *self, guint which);

/* Without a lock. */
void gst_weir_path_settings_notify (GstElement *element, guint which);
/* Takes elements; accepts NULL. */
void gst_weir_path_settings_notify_all (GPtrArray *elements, guint which);

#endif
