/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_report.h"

#include "send/weirsend_network.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
#define MAX_COMPLAINTS 16
/* Applications hear of a change of one percent or more, at most twenty times a second. */
#define NOTIFY_NS WEIR_MS (50)
#define NOTIFY_PERCENT 1

void
gst_weir_report_init (GstWeirReport *self, GstElement *element)
{
  *self = (GstWeirReport){ .element = element,
                           .trace = { .due_ns = WEIR_NEVER_NS },
                           .complaints = g_ptr_array_new_with_free_func (g_free) };
  g_mutex_init (&self->lock);
}

void
gst_weir_report_clear (GstWeirReport *self)
{
  g_ptr_array_unref (self->complaints);
  g_mutex_clear (&self->lock);
}

void
gst_weir_report_begin (GstWeirReport *self, gint64 now_ns, guint64 stats_interval_ns, gboolean fed)
{
  gst_weir_report_set_stats_interval (self, stats_interval_ns, now_ns);
  self->notify_due_ns = WEIR_NEVER_NS;
  self->notified_ns = WEIR_UNKNOWN_NS;
  self->target_bps = 0;
  self->notified_bps = 0;
  self->faults_told = 0;
  gst_weir_watch_init (&self->watch);
  if (!fed) {
    gst_weir_watch_unlinked (&self->watch, now_ns);
  }
}

static void
plan_stats (GstWeirReport *self, gint64 now_ns)
{
  gint64 interval_ns = (gint64) MIN (self->stats_interval_ns, (guint64) G_MAXINT64);
  self->stats_due_ns = interval_ns > 0 ? weir_time_add_ns (now_ns, interval_ns) : WEIR_NEVER_NS;
}

void
gst_weir_report_set_stats_interval (GstWeirReport *self, guint64 interval_ns, gint64 now_ns)
{
  self->stats_interval_ns = interval_ns;
  plan_stats (self, now_ns);
}

void
gst_weir_report_on_target (GstWeirReport *self, gint64 target_bps, gint64 now_ns)
{
  gint64 change_bps = ABS (target_bps - self->notified_bps);
  self->target_bps = target_bps;
  if (change_bps == 0 || change_bps * 100 < self->notified_bps * NOTIFY_PERCENT) {
    self->notify_due_ns = WEIR_NEVER_NS;
  } else if (self->notify_due_ns == WEIR_NEVER_NS) {
    gint64 earliest_ns
        = self->notified_ns == WEIR_UNKNOWN_NS ? now_ns : self->notified_ns + NOTIFY_NS;
    self->notify_due_ns = weir_max_i64 (now_ns, earliest_ns);
  }
}

gboolean
gst_weir_report_on_trace (GstWeirReport *self, const struct weir_trace_record *record)
{
  gboolean first = self->trace.due_ns == WEIR_NEVER_NS;
  gst_weir_trace_record (&self->trace, record);
  return first;
}

gint64
gst_weir_report_next_ns (const GstWeirReport *self)
{
  gint64 due_ns = weir_min_i64 (self->stats_due_ns, self->notify_due_ns);
  return weir_min_i64 (due_ns, weir_min_i64 (self->watch.look_ns, self->trace.due_ns));
}

gboolean
gst_weir_report_take_news (GstWeirReport *self, const GstWeirSendView *view, gint64 now_ns,
                           GstWeirNews *news)
{
  if (self->stats_due_ns <= now_ns) {
    news->stats = TRUE;
    plan_stats (self, now_ns);
  }
  if (self->notify_due_ns <= now_ns) {
    news->target = TRUE;
    self->notify_due_ns = WEIR_NEVER_NS;
    self->notified_ns = now_ns;
    self->notified_bps = self->target_bps;
  }
  if (self->watch.look_ns <= now_ns) {
    gst_weir_watch_look (&self->watch, view, now_ns, news->warnings);
  }
  news->trace = gst_weir_trace_take (&self->trace, now_ns);
  gboolean any = news->stats || news->target || news->trace != NULL;
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    any |= news->warnings[i] != NULL;
  }
  return any;
}

static void
post_warnings (GstWeirReport *self, const GstWeirNews *news)
{
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    if (news->warnings[i] != NULL) {
      GST_ELEMENT_WARNING_WITH_DETAILS (
          self->element, RESOURCE, READ, ("%s", news->warnings[i]), (NULL),
          ("weir-warning", G_TYPE_STRING, gst_weir_warning_name ((GstWeirSendWarning) i), NULL));
      g_free (news->warnings[i]);
    }
  }
}

gboolean
gst_weir_report_open_trace (GstWeirReport *self, const gchar *location, guint64 max_bytes)
{
  g_autoptr (GError) error = NULL;
  self->trace_failed = FALSE;
  if (location == NULL || gst_weir_trace_open (&self->trace, location, max_bytes, &error)) {
    return TRUE;
  }
  GST_ELEMENT_ERROR (self->element, RESOURCE, OPEN_WRITE, ("%s", error->message), (NULL));
  return FALSE;
}

void
gst_weir_report_close_trace (GstWeirReport *self)
{
  g_autoptr (GError) error = NULL;
  if (!gst_weir_trace_close (&self->trace, &error) && !self->trace_failed) {
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE, ("%s", error->message), (NULL));
  }
}

static gboolean
write_trace (GstWeirReport *self, GString *lines)
{
  g_autoptr (GError) error = NULL;
  self->trace_failed = !gst_weir_trace_write (&self->trace, lines, &error);
  if (self->trace_failed) {
    GST_ELEMENT_WARNING (self->element, RESOURCE, WRITE,
                         ("%s; the trace ends here", error->message), (NULL));
  }
  return !self->trace_failed;
}

gboolean
gst_weir_report_tell (GstWeirReport *self, GstWeirNews *news, GstStructure *stats)
{
  if (news->target) {
    g_object_notify (G_OBJECT (self->element), "target-bitrate");
    g_object_notify (G_OBJECT (self->element), "estimated-bitrate");
  }
  if (news->stats) {
    gst_element_post_message (self->element,
                              gst_message_new_element (GST_OBJECT (self->element), stats));
  }
  gboolean ok = news->trace == NULL || write_trace (self, news->trace);
  post_warnings (self, news);
  *news = (GstWeirNews){ 0 };
  return ok;
}

void
gst_weir_report_complain (GstWeirReport *self, gchar *text)
{
  if (text == NULL) {
    return;
  }
  g_autofree gchar *taken = text;
  g_autoptr (GstBus) bus = gst_element_get_bus (self->element);
  if (bus != NULL) {
    GST_ELEMENT_WARNING (self->element, RESOURCE, SETTINGS, ("%s", text), (NULL));
    return;
  }
  GST_WARNING_OBJECT (self->element, "%s", text);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->complaints->len < MAX_COMPLAINTS) {
    g_ptr_array_add (self->complaints, g_steal_pointer (&taken));
  }
}

void
gst_weir_report_network_faults (GstWeirReport *self, guint faults)
{
  static const struct
  {
    const gchar *name, *text;
  } all[GST_WEIR_NETWORK_FAULTS] = {
    { "clear-media",
      "srtp-key protects RTCP only, and the media leaves in the clear: there is no encrypting "
      "srtpenc or dtlssrtpenc behind this element. Put srtpenc key=... there, before the sink" },
    { "sink-waits",
      "The udpsink behind this element waits for the clock (sync=true): it delays packets that "
      "were already paced, and adds noise to every measured delay. Set sync=false on it" },
    { "paced-twice",
      "Another weirsend is behind this one, on the same way: packets wait in both, and the second "
      "one finds no encoder. Remove one; streams that share a path each have a weirsend, with the "
      "same group" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    if ((faults & ~self->faults_told & 1u << i) != 0) {
      GST_ELEMENT_WARNING_WITH_DETAILS (self->element, RESOURCE, SETTINGS, ("%s", all[i].text),
                                        (NULL), ("weir-warning", G_TYPE_STRING, all[i].name, NULL));
    }
  }
  self->faults_told |= faults;
}

void
gst_weir_report_post_complaints (GstWeirReport *self)
{
  g_mutex_lock (&self->lock);
  g_autoptr (GPtrArray) complaints = self->complaints;
  self->complaints = g_ptr_array_new_with_free_func (g_free);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < complaints->len; i++) {
    const gchar *text = g_ptr_array_index (complaints, i);
    GST_ELEMENT_WARNING (self->element, RESOURCE, SETTINGS, ("%s", text), (NULL));
  }
}
