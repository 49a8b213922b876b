/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path through the network that the elements of one group share, and what one of them is to it.
 * A function called ..._locked expects the session lock to be held, which is that of the path. */
#ifndef GST_WEIR_SEND_PATH_H
#define GST_WEIR_SEND_PATH_H

#include "common/waiter.h"
#include "send/weirsend.h"
#include "weir/weir.h"

G_BEGIN_DECLS

/* Most elements of one group. */
#define GST_WEIR_MEMBERS_MAX WEIR_SHARES_MAX
/* Streams of one element that are told apart: as many as a session tells apart. */
#define GST_WEIR_SSRCS_MAX 16

typedef struct _GstWeirMember GstWeirMember;

/* Who writes transport-wide numbers: an RTP session, or a member without one. */
typedef struct
{
  gconstpointer key; /* that session or member, only to compare; NULL: free */
  guint users;       /* members that send through it */
  guint32 results;   /* seqnum of the event whose results were fed last */
} GstWeirTransport;

/* What the elements of one group share: one path through the network, one estimate of it, one lock.
 * An element without a group, or below PAUSED, has its own. */
typedef struct
{
  GMutex lock;
  gchar *group; /* its name; NULL: one element's own. This and users: the registry's */
  guint users;

  GstWeirMember *members[GST_WEIR_MEMBERS_MAX]; /* that run, in the order of joining */
  guint n_members;
  struct weir_sender *sender; /* NULL: no member */
  struct weir_shares *shares; /* NULL: no group */
  guint overhead_bytes;       /* the largest of the members' */
  GstWeirMember *keeper;      /* the member whose task waits for the timers; NULL */
  GstWeirMember *tracer;      /* the member that writes the trace; NULL */
  GstWeirTransport transports[WEIR_TRANSPORTS];
  guint32 transport_newest; /* the one given out last */
} GstWeirPath;

/* What a member tells its element, with the session lock held. */
typedef struct
{
  /* self->output is another than `former`. */
  void (*on_output_locked) (GstWeirMember *self, const struct weir_output *former, gint64 now_ns);
  /* When the element's pacing task has to be awake again. */
  gint64 (*next_due_locked) (GstWeirMember *self, gint64 now_ns);
} GstWeirMemberEvents;

/* One element. The session lock protects it: that of the path, so that all elements of a group have
 * one. */
struct _GstWeirMember
{
  GstWeirSend *send; /* whose it is */
  const GstWeirMemberEvents *events;
  GstWeirPath *path; /* own, or its group's while it runs; changes with both locks held */
  GstWeirPath own;
  GstWeirWaiter waiter;        /* its pacing task */
  GCond room;                  /* what else waits under the lock */
  gint64 queued_bytes;         /* what waits in its send queue */
  struct weir_output output;   /* what the session answered last; target_media_bps is our share */
  gint64 drain_wire_bps;       /* how fast our queue empties */
  guint32 share;               /* our number in path->shares; GST_WEIR_NO_SHARE */
  guint32 transport;           /* our index in path->transports; WEIR_TRANSPORTS: no member */
  gconstpointer transport_key; /* its RTP session, or itself */
  gboolean not_counting_reported;    /* that its transport-wide numbers do not count */
  guint32 ssrcs[GST_WEIR_SSRCS_MAX]; /* that came in, the first so many */
  guint n_ssrcs;
};

void gst_weir_path_init (GstWeirPath *path);
void gst_weir_path_clear (GstWeirPath *path);

/* On its own path. clock (not owned) is what its pacing task waits on. */
void gst_weir_member_init (GstWeirMember *self, GstWeirSend *send, GstClock *clock,
                           const GstWeirMemberEvents *events);
void gst_weir_member_clear (GstWeirMember *self);

/* The session lock. */
void gst_weir_member_lock (GstWeirMember *self);
void gst_weir_member_unlock (GstWeirMember *self);
void gst_weir_member_enter_and_lock (GstWeirMember *self, GstWeirPath *path);
void gst_weir_member_return_locked (GstWeirMember *self);

/* Waits for `room`; the lock is free meanwhile. */
void gst_weir_member_wait_locked (GstWeirMember *self);
/* The pacing task sleeps until until_ns or until it is woken. */
void gst_weir_member_sleep_locked (GstWeirMember *self, gint64 until_ns);
void gst_weir_member_wake_locked (GstWeirMember *self);
/* The same when something is due before what it sleeps for. */
void gst_weir_member_wake_if_due_locked (GstWeirMember *self, gint64 now_ns);

/* What one member does for all. */
gint64 gst_weir_path_timer_ns_locked (const GstWeirPath *path);
void gst_weir_member_keep_timers_locked (GstWeirMember *self);
void gst_weir_member_give_timers_locked (GstWeirMember *self);
gint64 gst_weir_path_queued_bytes_locked (const GstWeirPath *path);
gchar *gst_weir_member_note_ssrc_locked (GstWeirMember *self, guint32 ssrc);

/* Asks the session for its answer and hands each member its share. Call it after anything that may
 * change it. */
void gst_weir_member_update_output_locked (GstWeirMember *self, gint64 now_ns);

/* weirsend_transport.c: whose transport-wide numbers are they? */
/* After the member has joined the path, or its RTP session (NULL: none) is another one. */
void gst_weir_transport_take_locked (GstWeirMember *self, gconstpointer session);
/* Accepts that it has none. */
void gst_weir_transport_put_locked (GstWeirMember *self);
/* FALSE: its transport-wide numbers cannot be told from those of others. */
gboolean gst_weir_transport_counts_locked (const GstWeirMember *self);
/* What to tell of a member that has such numbers, which do not count; free it. NULL: nothing, or it
 * was told. */
gchar *gst_weir_transport_take_complaint_locked (GstWeirMember *self);
/* Several members hear the same session: is it this one who hands on what it says? */
gboolean gst_weir_transport_listens_locked (const GstWeirMember *self);
/* An event with results may come by several members. FALSE: it has come before, or says nothing
 * that counts. */
gboolean gst_weir_transport_takes_results_locked (GstWeirMember *self, guint32 seqnum);

G_END_DECLS

#endif
