/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two rtpbins "a" and "b" in one pipeline, in real time and without sockets: what a sends goes
 * through one emulated bottleneck, what b sends through another. */
#ifndef TESTS_GST_RTPBIN_CALL_H
#define TESTS_GST_RTPBIN_CALL_H

#include "pipeline_run.h"

/* What one session's media pass inside an rtpbin: user data of aux_bin (). */
typedef struct
{
  guint session;
  const gchar *line;
} Aux;

typedef struct
{
  Run run;
  GstElement *a, *b, *there, *back;
  gint n_received; /* atomic: packets that left b's jitterbuffers */
} Call;

static inline GstElement *
part (Call *call, const gchar *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (call->run.pipeline), name);
  g_assert_nonnull (element);
  gst_object_unref (element); /* the pipeline keeps it */
  return element;
}

static inline void
join (GstElement *from, const gchar *from_pad, GstElement *to, const gchar *to_pad)
{
  g_assert_true (gst_element_link_pads (from, from_pad, to, to_pad));
}

/* Elements by themselves, with one open sink and one open src pad. */
static inline GstElement *
add_parts (Call *call, const gchar *line)
{
  GError *error = NULL;
  GstElement *bin = gst_parse_bin_from_description (line, TRUE, &error);
  g_assert_no_error (error);
  g_assert_true (gst_bin_add (GST_BIN (call->run.pipeline), bin));
  return bin;
}

/* from -> network -> to. */
static inline void
join_through (GstElement *network, GstElement *from, const gchar *from_pad, GstElement *to,
              const gchar *to_pad)
{
  GstPad *sinkpad = gst_element_request_pad_simple (network, "sink_%u");
  gchar *srcname = g_strdup_printf ("src_%s", GST_PAD_NAME (sinkpad) + strlen ("sink_"));
  join (from, from_pad, network, GST_PAD_NAME (sinkpad));
  join (network, srcname, to, to_pad);
  gst_object_unref (sinkpad);
  g_free (srcname);
}

static inline GstPadProbeReturn
count_received (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, gpointer user)
{
  g_atomic_int_inc (&((Call *) user)->n_received);
  return GST_PAD_PROBE_OK;
}

/* What b received goes to an end of its own, for video through a depayloader that asks for key
 * frames. */
static inline void
end_pad (GstElement *rtpbin, GstPad *pad, gpointer user)
{
  Call *call = user;
  if (!g_str_has_prefix (GST_PAD_NAME (pad), "recv_rtp_src_")) {
    return;
  }
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const gchar *encoding
      = caps != NULL ? gst_structure_get_string (gst_caps_get_structure (caps, 0), "encoding-name")
                     : NULL;
  gboolean h264 = g_strcmp0 (encoding, "H264") == 0;
  GstElement *end = gst_parse_bin_from_description (
      h264 ? "rtph264depay request-keyframe=true ! fakesink sync=false async=false"
           : "fakesink sync=false async=false",
      TRUE, NULL);
  gst_bin_add (GST_BIN (call->run.pipeline), end);
  gst_element_sync_state_with_parent (end);
  if (rtpbin == call->b) {
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_received, call, NULL);
  }
  GstPad *sinkpad = gst_element_get_static_pad (end, "sink");
  g_assert_cmpint (gst_pad_link (pad, sinkpad), ==, GST_PAD_LINK_OK);
  gst_object_unref (sinkpad);
  g_clear_pointer (&caps, gst_caps_unref);
}

/* there, back: properties of the weirlink each way. a, b: properties of the rtpbins. */
static inline void
call_begin (Call *call, const gchar *a, const gchar *b, const gchar *there, const gchar *back)
{
  gchar *text = g_strdup_printf ("rtpbin name=a %s rtpbin name=b %s weirlink name=there seed=1 %s "
                                 "weirlink name=back seed=2 %s",
                                 a, b, there, back);
  *call = (Call){ .n_received = 0 };
  run_prepare (&call->run, text);
  call->a = part (call, "a");
  call->b = part (call, "b");
  call->there = part (call, "there");
  call->back = part (call, "back");
  g_signal_connect (call->a, "pad-added", G_CALLBACK (end_pad), call);
  g_signal_connect (call->b, "pad-added", G_CALLBACK (end_pad), call);
  g_free (text);
}

static inline void
pad_name (gchar name[32], const gchar *format, guint session)
{
  g_snprintf (name, 32, format, session);
}

/* Media of one session: source -> from -> network -> before (or NULL) -> to. Returns the source. */
static inline GstElement *
call_media (Call *call, GstElement *from, GstElement *network, GstElement *to, guint session,
            const gchar *line, const gchar *before)
{
  GstElement *source = add_parts (call, line);
  gchar sink[32], src[32], recv[32];
  pad_name (sink, "send_rtp_sink_%u", session);
  pad_name (src, "send_rtp_src_%u", session);
  pad_name (recv, "recv_rtp_sink_%u", session);
  join (source, "src", from, sink);
  if (before != NULL) {
    GstElement *entry = add_parts (call, before);
    join_through (network, from, src, entry, "sink");
    join (entry, "src", to, recv);
  } else {
    join_through (network, from, src, to, recv);
  }
  return source;
}

/* RTCP of one session, both ways. */
static inline void
call_rtcp (Call *call, guint session)
{
  gchar src[32], sink[32];
  pad_name (src, "send_rtcp_src_%u", session);
  pad_name (sink, "recv_rtcp_sink_%u", session);
  join_through (call->there, call->a, src, call->b, sink);
  join_through (call->back, call->b, src, call->a, sink);
}

/* One session from a to b. */
static inline GstElement *
call_session (Call *call, guint session, const gchar *line, const gchar *before)
{
  GstElement *source = call_media (call, call->a, call->there, call->b, session, line, before);
  call_rtcp (call, session);
  return source;
}

static inline void
call_end (Call *call)
{
  report (&call->run);
  run_end (&call->run);
}

/* The bin an rtpbin asks for: its pads have the session's number. As in docs/elements.md. */
static inline GstElement *
aux_bin (G_GNUC_UNUSED GstElement *rtpbin, guint session, gpointer user)
{
  const Aux *aux = user;
  GError *error = NULL;
  if (aux->session != session) {
    return NULL;
  }
  GstElement *bin = gst_parse_bin_from_description (aux->line, FALSE, &error);
  g_assert_no_error (error);
  GstPadDirection sides[] = { GST_PAD_SINK, GST_PAD_SRC };
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    GstPad *inner = gst_bin_find_unlinked_pad (GST_BIN (bin), sides[i]);
    gchar *name = g_strdup_printf (sides[i] == GST_PAD_SINK ? "sink_%u" : "src_%u", session);
    gst_element_add_pad (bin, gst_ghost_pad_new (name, inner));
    gst_object_unref (inner);
    g_free (name);
  }
  return bin;
}

#endif
