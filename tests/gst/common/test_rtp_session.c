/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An object with the signals of an RTP session: what passes it is heard as long as it is the one.
 */
#include "common/rtp_session.h"

typedef GObject FakeSession;
typedef GObjectClass FakeSessionClass;
GType fake_session_get_type (void);
G_DEFINE_TYPE (FakeSession, fake_session, G_TYPE_OBJECT)

static void
fake_session_init (G_GNUC_UNUSED FakeSession *self)
{
}

static void
fake_session_class_init (FakeSessionClass *klass)
{
  g_signal_new ("on-receiving-rtcp", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                NULL, G_TYPE_NONE, 1, GST_TYPE_BUFFER);
  g_signal_new ("on-sending-rtcp", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                NULL, G_TYPE_BOOLEAN, 2, GST_TYPE_BUFFER, G_TYPE_BOOLEAN);
}

static guint n_heard;
static gboolean is_urgent;

static void
on_rtcp (G_GNUC_UNUSED GstElement *element, G_GNUC_UNUSED GstBuffer *rtcp)
{
  n_heard++;
}

static gboolean
on_sending_rtcp (G_GNUC_UNUSED GstElement *element, G_GNUC_UNUSED GstBuffer *rtcp)
{
  n_heard++;
  return is_urgent;
}

static const GstWeirRtpSessionEvents events
    = { .on_rtcp = on_rtcp, .on_sending_rtcp = on_sending_rtcp };

/* One packet each way. Returns how many were heard. */
static guint
exchange (GObject *session)
{
  GstBuffer *rtcp = gst_buffer_new ();
  gboolean urgent = FALSE;
  n_heard = 0;
  g_signal_emit_by_name (session, "on-receiving-rtcp", rtcp);
  g_signal_emit_by_name (session, "on-sending-rtcp", rtcp, FALSE, &urgent);
  g_assert_cmpint (urgent, ==, n_heard > 0 && is_urgent);
  gst_buffer_unref (rtcp);
  return n_heard;
}

typedef struct
{
  GstElement *element;
  GstWeirRtpSession session;
} Rig;

static Rig *
begin (void)
{
  Rig *rig = g_new0 (Rig, 1);
  rig->element = gst_object_ref_sink (gst_bin_new (NULL));
  gst_weir_rtp_session_init (&rig->session, rig->element, &events);
  g_assert_null (gst_weir_rtp_session_get (&rig->session));
  return rig;
}

/* No reference is left behind. */
static void
end (Rig *rig)
{
  gst_weir_rtp_session_set (&rig->session, NULL);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (rig->element), ==, 1);
  gst_weir_rtp_session_clear (&rig->session);
  gst_object_unref (rig->element);
  g_free (rig);
}

static void
test_only_the_present_session_is_heard (void)
{
  Rig *rig = begin ();
  GObject *sessions[2];
  for (guint i = 0; i < 2; i++) {
    sessions[i] = g_object_new (fake_session_get_type (), NULL);
    g_assert_cmpuint (exchange (sessions[i]), ==, 0);
  }
  for (guint i = 0; i < 4; i++) {
    GObject *present = sessions[i % 2];
    is_urgent = i < 2;
    gst_weir_rtp_session_set (&rig->session, g_object_ref (present));
    GObject *got = gst_weir_rtp_session_get (&rig->session);
    g_assert_true (got == present);
    g_assert_true (gst_weir_rtp_session_key (&rig->session) == present);
    g_object_unref (got);
    g_assert_cmpuint (exchange (present), ==, 2);
    g_assert_cmpuint (exchange (sessions[(i + 1) % 2]), ==, 0);
  }
  gst_weir_rtp_session_set (&rig->session, NULL);
  g_assert_null (gst_weir_rtp_session_key (&rig->session));
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpuint (exchange (sessions[i]), ==, 0);
    g_assert_finalize_object (sessions[i]);
  }
  end (rig);
}

static void
test_a_session_without_signals_is_one_too (void)
{
  Rig *rig = begin ();
  GObject *plain = g_object_new (G_TYPE_OBJECT, NULL);
  gst_weir_rtp_session_set (&rig->session, plain);
  g_assert_true (gst_weir_rtp_session_key (&rig->session) == plain);
  end (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/rtp_session/" #name, test_##name)
  ADD (only_the_present_session_is_heard);
  ADD (a_session_without_signals_is_one_too);
  return g_test_run ();
}
