/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pacing task does besides packets: timers, sender reports, news for the application, a
 * look at what lies around us. */
#ifndef GST_WEIR_SEND_TASK_H
#define GST_WEIR_SEND_TASK_H

#include "send/weirsend.h"
#include "send/weirsend_stats.h"

extern const GstWeirPacerEvents gst_weir_send_pacer_events;
/* When it has something to do, but for the timers of the path. */
gint64 gst_weir_send_next_due_locked (GstWeirMember *member, gint64 now_ns);

/* One moment of the session, for statistics; clear it. */
void gst_weir_send_take_moment (GstWeirSend *self, GstWeirMoment *moment);
/* What counts of the overhead: as set, or as found. */
void gst_weir_send_note_overhead_locked (GstWeirSend *self);
/* When the task is gone. */
void gst_weir_send_forget_surroundings (GstWeirSend *self);

#endif
