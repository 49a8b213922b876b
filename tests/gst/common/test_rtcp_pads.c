/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP pads on an element that has nothing else: what comes in is heard and passes on, what is
 * pushed leaves in order, and a sink that blocks holds up nobody. */
#include "common/rtcp_pads.h"

#include <gst/check/gstharness.h>

static const guint8 bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 9 };

/* An element that has these pads and nothing else. */
typedef struct
{
  GstElement parent;
  GstClock *clock;
  GstWeirRtcpPads pads;
  guint n_heard, n_changes;
} Bare;

typedef GstElementClass BareClass;
GType bare_get_type (void);
G_DEFINE_TYPE (Bare, bare, GST_TYPE_ELEMENT)

static void
on_rtcp (GstElement *element, GstBuffer *rtcp)
{
  g_assert_cmpint (gst_buffer_memcmp (rtcp, 0, bye, sizeof bye), ==, 0);
  ((Bare *) element)->n_heard++;
}

static void
on_change (GstElement *element)
{
  ((Bare *) element)->n_changes++;
}

static void
bare_init (Bare *self)
{
  static const GstWeirRtcpEvents events = { .on_rtcp = on_rtcp, .on_change = on_change };
  self->clock = gst_system_clock_obtain ();
  gst_weir_rtcp_pads_init (&self->pads, GST_ELEMENT (self), self->clock, &events);
}

static void
bare_finalize (GObject *object)
{
  Bare *self = (Bare *) object;
  gst_weir_rtcp_pads_clear (&self->pads);
  gst_object_unref (self->clock);
  G_OBJECT_CLASS (bare_parent_class)->finalize (object);
}

static GstPad *
bare_request (GstElement *element, GstPadTemplate *templ, G_GNUC_UNUSED const gchar *name,
              G_GNUC_UNUSED const GstCaps *caps)
{
  return gst_weir_rtcp_pads_request (&((Bare *) element)->pads, templ);
}

static void
bare_release (GstElement *element, GstPad *pad)
{
  gst_weir_rtcp_pads_release (&((Bare *) element)->pads, pad);
}

static GstStateChangeReturn
bare_change_state (GstElement *element, GstStateChange transition)
{
  gchar *why = NULL;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_assert_true (gst_weir_rtcp_pads_start (&((Bare *) element)->pads, &why));
  }
  GstStateChangeReturn result
      = GST_ELEMENT_CLASS (bare_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_weir_rtcp_pads_stop (&((Bare *) element)->pads);
  }
  return result;
}

static void
bare_class_init (BareClass *klass)
{
  gst_element_class_set_static_metadata (klass, "bare", "Test", "has RTCP pads", "-");
  gst_weir_rtcp_pads_add_templates (klass);
  klass->request_new_pad = bare_request;
  klass->release_pad = bare_release;
  klass->change_state = bare_change_state;
  G_OBJECT_CLASS (klass)->finalize = bare_finalize;
}

/* An element with something linked to both pads. */
typedef struct
{
  Bare *bare;
  GstHarness *in, *out;
} Rig;

static Rig
begin (void)
{
  Rig rig = { .bare = gst_object_ref_sink (g_object_new (bare_get_type (), NULL)) };
  GstElement *element = GST_ELEMENT (rig.bare);
  rig.in = gst_harness_new_with_element (element, "rtcp_sink", NULL);
  gst_harness_set_src_caps_str (rig.in, "application/x-rtcp");
  rig.out = gst_harness_new_with_element (element, NULL, "rtcp_src");
  return rig;
}

static void
end (Rig *rig)
{
  gst_harness_teardown (rig->in);
  gst_harness_teardown (rig->out);
  gst_element_set_state (GST_ELEMENT (rig->bare), GST_STATE_NULL);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (rig->bare), ==, 1);
  gst_object_unref (rig->bare);
}

static GstBuffer *
new_bye (void)
{
  return gst_buffer_new_memdup (bye, sizeof bye);
}

static void
test_there_is_one_of_each (void)
{
  Rig rig = begin ();
  for (GList *link = GST_ELEMENT_GET_CLASS (rig.bare)->padtemplates; link; link = link->next) {
    g_assert_null (gst_weir_rtcp_pads_request (&rig.bare->pads, link->data));
  }
  end (&rig);
}

static void
test_what_comes_in_is_heard_and_passes_unless_told_otherwise (void)
{
  Rig rig = begin ();
  GstWeirRtcpPads *pads = &rig.bare->pads;
  GstBuffer *buffer = new_bye ();
  gst_harness_push (rig.in, gst_buffer_ref (buffer));
  GstBuffer *passed = gst_harness_pull (rig.out);
  g_assert_true (passed == buffer);
  gst_buffer_unref (passed);
  gst_buffer_unref (buffer);
  gst_weir_rtcp_pads_set_passing (pads, FALSE);
  gst_harness_push (rig.in, new_bye ());
  GstBuffer *own = new_bye ();
  g_assert_null (gst_weir_rtcp_pads_push (pads, gst_buffer_ref (own)));
  passed = gst_harness_pull (rig.out);
  g_assert_true (passed == own);
  gst_buffer_unref (passed);
  gst_buffer_unref (own);
  g_assert_cmpuint (rig.bare->n_heard, ==, 2);
  end (&rig);
}

static void
test_links_are_seen (void)
{
  Bare *bare = gst_object_ref_sink (g_object_new (bare_get_type (), NULL));
  GstWeirRtcpPads *pads = &bare->pads;
  gst_element_set_state (GST_ELEMENT (bare), GST_STATE_PLAYING);
  g_assert_null (gst_weir_rtcp_pads_get_srcpad (pads));
  GstPad *out = gst_element_request_pad_simple (GST_ELEMENT (bare), "rtcp_src");
  g_assert_cmpuint (bare->n_changes, ==, 1);
  g_assert_false (gst_weir_rtcp_pads_linked (pads, GST_PAD_SRC));
  GstHarness *sink = gst_harness_new_empty ();
  gst_harness_add_element_src_pad (sink, out);
  g_assert_true (gst_weir_rtcp_pads_linked (pads, GST_PAD_SRC));
  g_assert_false (gst_weir_rtcp_pads_linked (pads, GST_PAD_SINK));
  g_assert_cmpuint (bare->n_changes, ==, 2);
  GstPad *pad = gst_weir_rtcp_pads_get_srcpad (pads);
  g_assert_true (pad == out);
  gst_object_unref (pad);
  gst_element_release_request_pad (GST_ELEMENT (bare), out);
  g_assert_null (gst_weir_rtcp_pads_get_srcpad (pads));
  gst_object_unref (out);
  gst_harness_teardown (sink);
  gst_element_set_state (GST_ELEMENT (bare), GST_STATE_NULL);
  gst_object_unref (bare);
}

static GstPadProbeReturn
block (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, G_GNUC_UNUSED gpointer user)
{
  return GST_PAD_PROBE_OK;
}

/* What has waited longest goes; the end of the stream comes last. */
static void
test_a_blocked_sink_holds_up_nobody (void)
{
  Rig rig = begin ();
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (rig.bare), "rtcp_src");
  gulong id = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, NULL, NULL);
  for (guint i = 0; i < 1000; i++) {
    gst_harness_push (rig.in, new_bye ());
  }
  gst_weir_rtcp_pads_set_ended (&rig.bare->pads, TRUE);
  g_assert_cmpuint (rig.bare->n_heard, ==, 1000);
  gst_pad_remove_probe (pad, id);
  gst_object_unref (pad);
  GstEventType type;
  do {
    GstEvent *event = gst_harness_pull_event (rig.out);
    g_assert_nonnull (event);
    type = GST_EVENT_TYPE (event);
    gst_event_unref (event);
  } while (type != GST_EVENT_EOS);
  guint n = gst_harness_buffers_received (rig.out);
  g_assert_cmpuint (n, >=, 256); /* the queue ... */
  g_assert_cmpuint (n, <=, 257); /* ... and the one that was blocked */
  end (&rig);
}

/* Who pushes may hold a lock, under which no buffer is freed. */
static void
test_what_is_displaced_is_given_back (void)
{
  Rig rig = begin ();
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (rig.bare), "rtcp_src");
  gulong id = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, NULL, NULL);
  GstMiniObject *pushed[300];
  guint n_displaced = 0;
  for (guint i = 0; i < G_N_ELEMENTS (pushed); i++) {
    GstBuffer *buffer = new_bye ();
    pushed[i] = GST_MINI_OBJECT_CAST (buffer);
    GstMiniObject *displaced = gst_weir_rtcp_pads_push (&rig.bare->pads, buffer);
    if (displaced != NULL) {
      guint n_blocked = i - 256 - n_displaced; /* taken out of the queue before it was full */
      g_assert_cmpuint (n_blocked, <=, 1);
      g_assert_true (displaced == pushed[n_blocked + n_displaced]);
      gst_mini_object_unref (displaced);
      n_displaced++;
    }
  }
  g_assert_cmpuint (n_displaced, >=, 300 - 257);
  gst_pad_remove_probe (pad, id);
  gst_object_unref (pad);
  end (&rig);
}

/* The types of the next n events. */
static void
check_events (GstHarness *h, const GstEventType *types, guint n)
{
  for (guint i = 0; i < n; i++) {
    GstEvent *event = gst_harness_pull_event (h);
    g_assert_nonnull (event);
    g_assert_cmpint (GST_EVENT_TYPE (event), ==, types[i]);
    gst_event_unref (event);
  }
}

static void
test_after_the_end_nothing_leaves_until_a_new_stream (void)
{
  static const GstEventType all[]
      = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_EOS };
  Rig rig = begin ();
  for (guint i = 0; i < 3; i++) {
    gst_weir_rtcp_pads_set_ended (&rig.bare->pads, FALSE);
    g_assert_null (gst_weir_rtcp_pads_push (&rig.bare->pads, new_bye ()));
    gst_weir_rtcp_pads_set_ended (&rig.bare->pads, TRUE);
    gst_weir_rtcp_pads_set_ended (&rig.bare->pads, TRUE);
    GstMiniObject *late = gst_weir_rtcp_pads_push (&rig.bare->pads, new_bye ());
    g_assert_nonnull (late);
    gst_mini_object_unref (late);
    check_events (rig.out, all, G_N_ELEMENTS (all));
    g_assert_cmpuint (gst_harness_buffers_received (rig.out), ==, i + 1);
  }
  end (&rig);
}

/* A sink that waited for an EOS in vain would hold up the end of the pipeline. */
static void
test_a_pad_that_comes_after_the_end_ends_too (void)
{
  static const GstEventType all[]
      = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_EOS };
  Rig rig = begin ();
  gst_harness_teardown (rig.out);
  gst_weir_rtcp_pads_set_ended (&rig.bare->pads, TRUE);
  rig.out = gst_harness_new_with_element (GST_ELEMENT (rig.bare), NULL, "rtcp_src");
  check_events (rig.out, all, G_N_ELEMENTS (all));
  end (&rig);
}

/* A sink whose chain waits until it may go on. */
typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean entered, may_go;
} Gate;

static GstFlowReturn
wait_at_gate (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstBuffer *buffer)
{
  Gate *gate = gst_pad_get_element_private (pad);
  gst_buffer_unref (buffer);
  g_mutex_lock (&gate->lock);
  gate->entered = TRUE;
  g_cond_broadcast (&gate->changed);
  while (!gate->may_go) {
    g_cond_wait (&gate->changed, &gate->lock);
  }
  g_mutex_unlock (&gate->lock);
  return GST_FLOW_OK;
}

static void
let_in (Gate *gate)
{
  g_mutex_lock (&gate->lock);
  gate->may_go = TRUE;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

static gpointer
release_it (gpointer pad)
{
  GstElement *element = gst_pad_get_parent_element (pad);
  gst_element_release_request_pad (element, pad);
  gst_object_unref (element);
  return NULL;
}

static gpointer
activate_it (gpointer pad)
{
  gst_pad_set_active (pad, TRUE);
  return NULL;
}

/* While the task of a pad that is being released still pushes, there is no other pad, which would
 * have the same queue; and a state change that meets it does not bring its task back. */
static void
test_a_released_pad_has_stopped (void)
{
  Gate gate = { .entered = FALSE };
  GstElement *bare = gst_object_ref_sink (g_object_new (bare_get_type (), NULL));
  GstPad *sink = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_element_private (sink, &gate);
  gst_pad_set_chain_function (sink, wait_at_gate);
  gst_pad_set_active (sink, TRUE);
  gst_element_set_state (bare, GST_STATE_PLAYING);
  GstPad *first = gst_element_request_pad_simple (bare, "rtcp_src");
  g_assert_cmpint (gst_pad_link_full (first, sink, GST_PAD_LINK_CHECK_NOTHING), ==,
                   GST_PAD_LINK_OK);
  g_assert_null (gst_weir_rtcp_pads_push (&((Bare *) bare)->pads, new_bye ()));
  g_mutex_lock (&gate.lock);
  while (!gate.entered) {
    g_cond_wait (&gate.changed, &gate.lock);
  }
  g_mutex_unlock (&gate.lock);
  GThread *thread = g_thread_new ("release", release_it, first);
  while (gst_pad_is_active (first)) {
    g_thread_yield ();
  }
  g_assert_null (gst_weir_rtcp_pads_request (&((Bare *) bare)->pads, first->padtemplate));
  GThread *state_change = g_thread_new ("activate", activate_it, first);
  g_usleep (20000); /* time to get there; without it the test cannot fail, with it it can */
  let_in (&gate);
  g_thread_join (thread);
  g_thread_join (state_change);
  g_assert_cmpint (gst_pad_get_task_state (first), ==, GST_TASK_STOPPED);
  GstPad *second = gst_element_request_pad_simple (bare, "rtcp_src");
  g_assert_nonnull (second);
  gst_element_release_request_pad (bare, second);
  gst_object_unref (second);
  gst_object_unref (first);
  gst_object_unref (sink);
  gst_element_set_state (bare, GST_STATE_NULL);
  gst_object_unref (bare);
}

/* One that is requested during a state change may be active before it, or after. */
static void
test_the_task_runs_no_longer_than_the_element (void)
{
  GstElement *bare = gst_object_ref_sink (g_object_new (bare_get_type (), NULL));
  GstWeirRtcpPads *pads = &((Bare *) bare)->pads;
  gst_element_set_state (bare, GST_STATE_READY);
  GstPad *pad = gst_element_request_pad_simple (bare, "rtcp_src");
  gst_pad_set_active (pad, TRUE);
  g_assert_cmpint (gst_pad_get_task_state (pad), ==, GST_TASK_STOPPED);
  for (guint i = 0; i < 2; i++) {
    gchar *why = NULL;
    g_assert_true (gst_weir_rtcp_pads_start (pads, &why));
    g_assert_cmpint (gst_pad_get_task_state (pad), ==, GST_TASK_STARTED);
    gst_weir_rtcp_pads_stop (pads);
    g_assert_cmpint (gst_pad_get_task_state (pad), ==, GST_TASK_STOPPED);
  }
  gst_object_unref (pad);
  gst_element_set_state (bare, GST_STATE_NULL);
  gst_object_unref (bare);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/rtcp_pads/" #name, test_##name)
  ADD (there_is_one_of_each);
  ADD (what_comes_in_is_heard_and_passes_unless_told_otherwise);
  ADD (links_are_seen);
  ADD (a_blocked_sink_holds_up_nobody);
  ADD (what_is_displaced_is_given_back);
  ADD (after_the_end_nothing_leaves_until_a_new_stream);
  ADD (a_pad_that_comes_after_the_end_ends_too);
  ADD (a_released_pad_has_stopped);
  ADD (the_task_runs_no_longer_than_the_element);
  return g_test_run ();
}
