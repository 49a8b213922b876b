/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of encoders under test: what it warned of, and waiting for its worker. Waits poll; their
 * limits are there to end a test that hangs, and no test measures with them. */
#ifndef TESTS_GST_ENCODER_HARNESS_H
#define TESTS_GST_ENCODER_HARNESS_H

#include "encoder/encoder_set.h"
#include "encoder/fake_encoder.h"
#include <string.h>

#define PLAIN "weirfakeenc"
#define COSTLY "nvh264enc" /* a row whose changes make key frames, in kbit/s */
#define FIXED "avenc_weirfake"

#define SETTLED "settled"
#define HANGS_MS 10000
/* What was true once may not be for long: the condition is not asked again. */
#define WAIT_UNTIL(condition)                                                                      \
  do {                                                                                             \
    gboolean came = (condition);                                                                   \
    for (guint waited_ms = 0; waited_ms < HANGS_MS && !came; waited_ms++) {                        \
      g_usleep (1000);                                                                             \
      came = (condition);                                                                          \
    }                                                                                              \
    if (!came) {                                                                                   \
      g_error ("%s: not within %d ms: %s", __func__, HANGS_MS, #condition);                        \
    }                                                                                              \
  } while (0)

typedef struct
{
  GMutex lock;
  GPtrArray *texts;
  GThread *thread;
  gint n_settled; /* atomic */
} Log;

static inline void
on_warning (gpointer user, const gchar *text)
{
  Log *log = user;
  if (strcmp (text, SETTLED) == 0) {
    g_atomic_int_inc (&log->n_settled);
  } else {
    g_mutex_lock (&log->lock);
    g_ptr_array_add (log->texts, g_strdup (text));
    log->thread = g_thread_self ();
    g_mutex_unlock (&log->lock);
    g_test_message ("warning: %s", text);
  }
}

/* How many that say so came. */
static inline guint
n_warnings (Log *log, const gchar *about)
{
  guint n = 0;
  g_mutex_lock (&log->lock);
  for (guint i = 0; i < log->texts->len; i++) {
    n += strstr (g_ptr_array_index (log->texts, i), about) != NULL ? 1 : 0;
  }
  g_mutex_unlock (&log->lock);
  return n;
}

/* Not started. */
static inline GstWeirEncoders *
idle_set (Log *log)
{
  GstWeirEncoders *set = gst_weir_encoders_new (on_warning, log);
  *log = (Log){ .texts = g_ptr_array_new_with_free_func (g_free) };
  return set;
}

static inline GstWeirEncoders *
new_set (Log *log)
{
  GstWeirEncoders *set = idle_set (log);
  gst_weir_encoders_start (set);
  return set;
}

static inline void
free_set (GstWeirEncoders *set, Log *log)
{
  gst_weir_encoders_free (set);
  g_ptr_array_unref (log->texts);
}

static inline gint64
now_ns (void)
{
  return g_get_monotonic_time () * 1000;
}

static inline void
target (GstWeirEncoders *set, gint64 bps)
{
  gst_weir_encoders_set_target (set, bps, now_ns ());
}

static inline gboolean
is_dirty (GstWeirEncoders *set)
{
  g_mutex_lock (&set->worker.lock);
  gboolean dirty = set->worker.woken;
  g_mutex_unlock (&set->worker.lock);
  return dirty;
}

/* Waits until the worker has acted on all that it was told before this call: what it has not done
 * then, it does not do at once. It starts a round when it takes the news, and warnings go out at
 * the end of a round; so ours comes out when that round is complete. */
static inline void
settle (GstWeirEncoders *set)
{
  Log *log = set->user;
  gint before = g_atomic_int_get (&log->n_settled);
  WAIT_UNTIL (!is_dirty (set));
  g_mutex_lock (&set->lock);
  gst_weir_encoders_warn_locked (set, g_strdup (SETTLED));
  g_mutex_unlock (&set->lock);
  WAIT_UNTIL (g_atomic_int_get (&log->n_settled) != before);
}

/* Waits until the encoder is set to value. */
static inline void
assert_becomes (GstElement *element, guint value)
{
  WAIT_UNTIL (fake_encoder_last (element).value == value);
}

static inline void
assert_warned (Log *log, const gchar *about, guint times)
{
  WAIT_UNTIL (n_warnings (log, about) >= times);
  g_assert_cmpuint (n_warnings (log, about), ==, times);
}

/* A running fake that is driven. */
static inline GstElement *
add_running (GstWeirEncoders *set, const gchar *factory, gdouble weight, guint64 min, guint64 max)
{
  GError *error = NULL;
  GstElement *element = fake_encoder_new (factory);
  fake_encoder_run (element);
  g_assert_true (gst_weir_encoders_add (set, element, weight, min, max, &error));
  g_assert_no_error (error);
  return element;
}

static inline void
drop (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

#endif
