/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flushes from several threads while an element starts and stops. */
#ifndef WEIR_TESTS_FLUSH_RACE_H
#define WEIR_TESTS_FLUSH_RACE_H

#include <gst/gst.h>

typedef struct
{
  GstPad *sinkpad;
  gint stop; /* atomic */
} Flusher;

static gpointer
flush_until_stopped (gpointer user)
{
  Flusher *flusher = user;
  while (!g_atomic_int_get (&flusher->stop)) {
    gst_pad_send_event (flusher->sinkpad, gst_event_new_flush_start ());
    gst_pad_send_event (flusher->sinkpad, gst_event_new_flush_stop (TRUE));
  }
  return NULL;
}

/* A flush that ends while the pad is being stopped must not bring its task back. */
static void
assert_flushes_leave_task_stopped (GstElement *element, GstPad *sinkpad, GstPad *srcpad)
{
  Flusher flusher = { .sinkpad = sinkpad };
  GThread *threads[3];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    threads[i] = g_thread_new ("flusher", flush_until_stopped, &flusher);
  }
  for (guint i = 0; i < 100; i++) {
    g_assert_cmpint (gst_element_set_state (element, GST_STATE_PLAYING), !=,
                     GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (element, GST_STATE_READY);
    g_assert_cmpint (gst_pad_get_task_state (srcpad), ==, GST_TASK_STOPPED);
  }
  g_atomic_int_set (&flusher.stop, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    g_thread_join (threads[i]);
  }
}

static gpointer
flush_often (gpointer sinkpad)
{
  for (guint i = 0; i < 2000; i++) {
    gst_pad_send_event (sinkpad, gst_event_new_flush_start ());
    gst_pad_send_event (sinkpad, gst_event_new_flush_stop (TRUE));
  }
  return NULL;
}

/* A flush that begins waits for the task to pause: it must not run again before that, brought back
 * by the end of another flush, and sleep until something is due. */
static void
assert_flushes_end (GstElement *element, GstPad *sinkpad)
{
  GThread *threads[3];
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PLAYING), !=,
                   GST_STATE_CHANGE_FAILURE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    threads[i] = g_thread_new ("flusher", flush_often, sinkpad);
  }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    g_thread_join (threads[i]);
  }
}

#endif
