/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "repair/repair.h"

#include "common/pipeline_walk.h"
#include "common/worker.h"
#include "repair/repair_table.h"

#define LOOK_NS WEIR_SECONDS (1)

/* An element that repairs. Counted by reference, because properties are set without the lock; only
 * the worker, or whoever has stopped it, looks at what is below `info`. */
typedef struct
{
  GWeakRef element;
  const GstWeirRepairInfo *info;

  gboolean driven;
  gboolean refused;       /* and that was told */
  guint percent;          /* last set, while it is driven */
  guint original_percent; /* that it had before */
} Driven;

struct _GstWeirRepair
{
  const GstWeirRepairEvents *events;
  gpointer user;
  gint on; /* atomic: changes under the lock */
  GstWeirWorker worker;

  GMutex lock; /* protects all below; nothing is locked under it but the worker's */
  gboolean running;
  gint64 wait_ns;
  gboolean resends; /* an element upstream sends packets again */
  gboolean none_reported;
  GPtrArray *found; /* of Driven */
  struct weir_repair *policy;
  GstWeirRepairState state;
};

static Driven *
driven_new (GstElement *element, const GstWeirRepairInfo *info)
{
  Driven *driven = g_atomic_rc_box_new0 (Driven);
  g_weak_ref_init (&driven->element, element);
  driven->info = info;
  return driven;
}

static void
driven_clear (gpointer driven)
{
  g_weak_ref_clear (&((Driven *) driven)->element);
}

static void
driven_unref (gpointer driven)
{
  g_atomic_rc_box_release_full (driven, driven_clear);
}

static gpointer
driven_copy (gconstpointer driven, G_GNUC_UNUSED gpointer user)
{
  return g_atomic_rc_box_acquire ((gpointer) (guintptr) driven);
}

/* --- What the worker does --- */

/* TRUE: it can be driven. That it cannot is told once; it may be able to later, as when a payload
 * type has been agreed on. */
static gboolean
take (GstWeirRepair *self, Driven *driven, GstElement *element)
{
  if (driven->driven) {
    return TRUE;
  }
  g_autofree gchar *why = gst_weir_repair_refuses (element, driven->info);
  if (why != NULL && !driven->refused) {
    driven->refused = TRUE;
    self->events->warn (self->user, why);
  }
  if (why != NULL) {
    return FALSE;
  }
  driven->driven = TRUE;
  driven->original_percent = driven->percent = gst_weir_repair_get_percent (element, driven->info);
  return TRUE;
}

static void
drive (GstWeirRepair *self, Driven *driven, const struct weir_repair_advice *advice)
{
  guint percent = driven->info->within_packets ? advice->loss_percent : advice->percent;
  g_autoptr (GstElement) element = g_weak_ref_get (&driven->element);
  if (element != NULL && take (self, driven, element) && driven->percent != percent) {
    gst_weir_repair_set_percent (element, driven->info, percent);
    driven->percent = percent;
    GST_INFO_OBJECT (element, "set to %u %%", percent);
  }
}

static void
set_back (Driven *driven)
{
  g_autoptr (GstElement) element = g_weak_ref_get (&driven->element);
  if (element != NULL && driven->driven && driven->percent != driven->original_percent) {
    gst_weir_repair_set_percent (element, driven->info, driven->original_percent);
  }
  driven->driven = driven->refused = FALSE;
}

/* FALSE: nothing is known yet, or it was switched off. */
static gboolean
ask_policy (GstWeirRepair *self, const GstWeirRepairLook *look, struct weir_repair_advice *advice)
{
  struct weir_repair_config config;
  weir_repair_config_init (&config);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  config.wait_ns = self->resends && look->asked_for ? self->wait_ns : 0;
  weir_repair_set (self->policy, &config);
  weir_repair_update (self->policy, look->now_ns, &look->view, advice);
  self->state.known = g_atomic_int_get (&self->on);
  self->state.advice = *advice;
  return self->state.known;
}

static void
drive_all (GstWeirRepair *self, GPtrArray *found, const struct weir_repair_advice *advice)
{
  gboolean drives[2] = { FALSE, FALSE }; /* those within packets are the second */
  for (guint i = 0; i < found->len; i++) {
    Driven *driven = found->pdata[i];
    drive (self, driven, advice);
    drives[driven->info->within_packets] |= driven->driven;
  }
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->state.drives_fec = drives[0];
  self->state.drives_in_packet = drives[1];
}

static gint64
turn (gpointer user)
{
  GstWeirRepair *self = user;
  GstWeirRepairLook look;
  struct weir_repair_advice advice;
  gint64 now_ns = gst_weir_worker_now_ns (&self->worker);
  g_mutex_lock (&self->lock);
  g_autoptr (GPtrArray) found = g_ptr_array_copy (self->found, driven_copy, NULL);
  g_mutex_unlock (&self->lock);
  gboolean on = g_atomic_int_get (&self->on);
  if (on && self->events->look (self->user, &look) && ask_policy (self, &look, &advice)) {
    drive_all (self, found, &advice);
  } else if (!on) {
    g_ptr_array_foreach (found, (GFunc) (void (*) (void)) set_back, NULL);
  }
  return on ? weir_time_add_ns (now_ns, LOOK_NS) : WEIR_NEVER_NS;
}

/* --- Making it --- */

/* A policy without memory of the path that was. */
static void
forget_locked (GstWeirRepair *self)
{
  struct weir_repair_config config;
  weir_repair_config_init (&config);
  weir_repair_destroy (self->policy);
  self->policy = weir_repair_create (&config, NULL);
  self->state = (GstWeirRepairState){ 0 };
}

GstWeirRepair *
gst_weir_repair_new (GstClock *clock, const GstWeirRepairEvents *events, gpointer user)
{
  GstWeirRepair *self = g_new0 (GstWeirRepair, 1);
  self->events = events;
  self->user = user;
  self->found = g_ptr_array_new_with_free_func (driven_unref);
  g_mutex_init (&self->lock);
  forget_locked (self);
  gst_weir_worker_init (&self->worker, clock, turn, self);
  return self;
}

void
gst_weir_repair_free (GstWeirRepair *self)
{
  if (self == NULL) {
    return;
  }
  gst_weir_repair_stop (self);
  gst_weir_worker_clear (&self->worker);
  g_ptr_array_unref (self->found);
  weir_repair_destroy (self->policy);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
wake_locked (GstWeirRepair *self)
{
  if (self->running && g_atomic_int_get (&self->on)) {
    gst_weir_worker_start (&self->worker, "weir-repair");
  }
  gst_weir_worker_wake (&self->worker);
}

void
gst_weir_repair_start (GstWeirRepair *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->running = TRUE;
  self->none_reported = FALSE;
  wake_locked (self);
}

void
gst_weir_repair_stop (GstWeirRepair *self)
{
  g_mutex_lock (&self->lock);
  self->running = FALSE;
  g_mutex_unlock (&self->lock);
  gst_weir_worker_stop (&self->worker);
  g_mutex_lock (&self->lock);
  g_autoptr (GPtrArray) found = g_steal_pointer (&self->found);
  self->found = g_ptr_array_new_with_free_func (driven_unref);
  forget_locked (self);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < found->len; i++) {
    set_back (found->pdata[i]);
  }
}

void
gst_weir_repair_set (GstWeirRepair *self, gboolean on, gint64 wait_ns)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->wait_ns = wait_ns;
  if (g_atomic_int_get (&self->on) != on) {
    g_atomic_int_set (&self->on, on);
    forget_locked (self);
  }
  wake_locked (self);
}

typedef struct
{
  GPtrArray *found;
  gboolean resends;
} Search;

static GstWeirWalkNext
visit (G_GNUC_UNUSED GstPad *pad, GstElement *element, gpointer user)
{
  Search *search = user;
  const GstWeirRepairInfo *info = gst_weir_repair_info_for (element);
  if (info != NULL) {
    g_ptr_array_add (search->found, driven_new (element, info));
  }
  search->resends |= gst_weir_is_made_by (element, "rtprtxsend");
  return gst_weir_has_class (element, "Encoder") && (info == NULL || info->within_packets)
             ? GST_WEIR_WALK_NOT_PAST
             : GST_WEIR_WALK_ON;
}

/* By the elements, not by their addresses: one that has gone may have left its own to another. */
static gboolean
is_same (Driven *one, Driven *other)
{
  g_autoptr (GstElement) element = g_weak_ref_get (&one->element);
  g_autoptr (GstElement) other_element = g_weak_ref_get (&other->element);
  return element != NULL && element == other_element;
}

/* Those that were there before are kept as they are; those that have gone are let go. */
static void
keep_known (GPtrArray *found, GPtrArray *known)
{
  for (guint i = 0; i < found->len; i++) {
    for (guint k = 0; k < known->len; k++) {
      Driven *one = found->pdata[i];
      Driven *other = known->pdata[k];
      if (is_same (one, other)) {
        found->pdata[i] = g_atomic_rc_box_acquire (other);
        driven_unref (one);
        break;
      }
    }
  }
}

void
gst_weir_repair_find (GstWeirRepair *self, GstPad *sinkpad, gboolean media_flow)
{
  if (!g_atomic_int_get (&self->on)) {
    return;
  }
  Search search = { g_ptr_array_new_with_free_func (driven_unref), FALSE };
  gst_weir_walk (sinkpad, visit, &search);
  g_mutex_lock (&self->lock);
  gboolean warns = search.found->len == 0 && media_flow && !self->none_reported;
  self->none_reported |= warns;
  keep_known (search.found, self->found);
  g_autoptr (GPtrArray) former = self->found;
  self->found = search.found;
  self->resends = search.resends;
  wake_locked (self);
  g_mutex_unlock (&self->lock);
  if (warns) {
    self->events->warn (self->user,
                        "repair=auto, but nothing repairs: put rtpulpfecenc behind the payloader, "
                        "or use opusenc");
  }
}

void
gst_weir_repair_on_media (GstWeirRepair *self, gboolean ends_frame)
{
  if (g_atomic_int_get (&self->on)) {
    g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
    weir_repair_on_media (self->policy, ends_frame);
  }
}

GstWeirRepairState
gst_weir_repair_get_state (GstWeirRepair *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->state;
}
