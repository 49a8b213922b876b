/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sender reports, which are ours to send when no RTP session does. */
#include "send/weirsend_private.h"

#define REPORT_BYTES 1200
/* A member of whose streams nothing has been sent is asked again this much later. */
#define REPORT_REST_NS WEIR_MS (500)

static gboolean
reports_locked (GstWeirSend *self)
{
  return self->member.rtp_session == NULL && gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SRC);
}

/* A group's member reports on its own streams. */
static void
push_report_locked (GstWeirSend *self, gint64 now_ns)
{
  guint8 bytes[REPORT_BYTES];
  gsize length = 0;
  guint64 ntp_time = weir_ntp_from_unix_ns (g_get_real_time () * 1000);
  enum weir_status status
      = weir_sender_build_report (self->member.path->sender, now_ns, self->member.number, ntp_time,
                                  bytes, sizeof bytes, &length);
  if (status == WEIR_OK && length > 0) {
    gst_weir_rtcp_pads_push (&self->rtcp, gst_buffer_new_memdup (bytes, length));
  }
  self->report_rest_ns = status == WEIR_OK ? now_ns : weir_time_add_ns (now_ns, REPORT_REST_NS);
}

/* When this member's next one is due; WEIR_NEVER_NS. */
gint64
gst_weir_send_next_report_ns_locked (GstWeirSend *self)
{
  return reports_locked (self) ? weir_max_i64 (
             weir_sender_next_report_ns (self->member.path->sender), self->report_rest_ns)
                               : WEIR_NEVER_NS;
}

/* Those that are due, of all members: they are due together. */
void
gst_weir_send_push_reports_locked (GstWeirSend *self, gint64 now_ns)
{
  GstWeirPath *path = self->member.path;
  if (weir_sender_next_report_ns (path->sender) > now_ns) {
    return;
  }
  for (guint i = 0; i < path->n_members; i++) {
    GstWeirSend *member = path->members[i]->send;
    if (reports_locked (member) && member->report_rest_ns <= now_ns) {
      push_report_locked (member, now_ns);
    }
  }
}
