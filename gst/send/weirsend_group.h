/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups: which paths there are in this process, who joins and leaves them, and what a member is to
 * the session of its path. */
#ifndef GST_WEIR_SEND_GROUP_H
#define GST_WEIR_SEND_GROUP_H

#include "send/weirsend_path.h"

/* What the application should know of a start, once no lock is held. */
typedef struct
{
  GPtrArray *texts; /* warnings */
  guint changed;    /* bits of GstWeirPathSetting: properties to be notified */
} GstWeirRemarks;

/* From its own path to that of the group in its settings. remarks gets what the application should
 * know. FALSE: it is on its own path as before, and *why (free it) says what is wrong; the others
 * go on. */
gboolean gst_weir_group_join (GstWeirMember *self, GstWeirRemarks *remarks, gchar **why);
/* Accepts that it has not joined. */
void gst_weir_group_leave (GstWeirMember *self);

/* After a change of its limits, priority, reporter, overhead or RTP session. FALSE: nothing has
 * changed, and *why (free it) says why. */
gboolean gst_weir_group_update_locked (GstWeirMember *self, gchar **why);
/* The same but for the limits; accepts that there is no session. */
void gst_weir_group_refresh_locked (GstWeirMember *self);
/* After a change of ecn, of the algorithm, of who is there or of what their sockets can: the path
 * is tested with what all want, if all can. anew: it is another path; test it again. Accepts that
 * there is no session. */
void gst_weir_group_update_ecn_locked (GstWeirMember *self, gboolean anew);
/* The algorithm starts anew with these parameters (nullable), and with what is known of the path.
 * FALSE: nothing has changed, and *why (free it) says why. */
gboolean gst_weir_group_set_params_locked (GstWeirMember *self, const GstStructure *params,
                                           gchar **why);
/* numbered: it has transport-wide numbers. Returns what to tell when they do not count, once; or
 * NULL; free it. */
gchar *gst_weir_group_take_complaint_locked (GstWeirMember *self, gboolean numbered);
/* Its trace has ended: another member may begin one. */
void gst_weir_group_give_up_trace_locked (GstWeirMember *self);

#endif
