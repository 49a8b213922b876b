/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_sender_reports.h"

#define REPORT_BYTES 1200
/* A member of whose streams nothing has been sent is asked again this much later. */
#define REST_NS WEIR_MS (500)

static gboolean
are_ours (const GstWeirSenderReports *self)
{
  return self->member->rtp_session == NULL && gst_weir_rtcp_pads_linked (self->pads, GST_PAD_SRC);
}

gint64
gst_weir_sender_reports_next_ns (const GstWeirSenderReports *self)
{
  return are_ours (self)
             ? weir_max_i64 (weir_sender_next_report_ns (self->member->path->sender), self->rest_ns)
             : WEIR_NEVER_NS;
}

void
gst_weir_sender_reports_push (GstWeirSenderReports *self, gint64 now_ns)
{
  guint8 bytes[REPORT_BYTES];
  gsize length = 0;
  if (!are_ours (self) || self->rest_ns > now_ns) {
    return;
  }
  guint64 ntp_time = weir_ntp_from_unix_ns (g_get_real_time () * 1000);
  enum weir_status status
      = weir_sender_build_report (self->member->path->sender, now_ns, self->member->number,
                                  ntp_time, bytes, sizeof bytes, &length);
  if (status == WEIR_OK && length > 0) {
    gst_weir_member_put_aside_locked (
        self->member, gst_weir_rtcp_pads_push (self->pads, gst_buffer_new_memdup (bytes, length)));
  }
  self->rest_ns = status == WEIR_OK ? now_ns : weir_time_add_ns (now_ns, REST_NS);
}
