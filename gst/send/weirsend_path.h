/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path through the network that the elements of one group share, and what one of them is to it.
 * A function called ..._locked expects the session lock to be held, which is that of the path. */
#ifndef GST_WEIR_SEND_PATH_H
#define GST_WEIR_SEND_PATH_H

#include "common/waiter.h"
#include "send/weirsend_settings.h"
#include "weir/weir.h"

/* Most elements of one group. */
#define GST_WEIR_MEMBERS_MAX WEIR_MEMBERS
/* The number of an element that takes no part. */
#define GST_WEIR_NO_NUMBER G_MAXUINT32

typedef struct _GstWeirMember GstWeirMember;

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
  GstWeirMember *keeper;      /* the member whose task waits for the timers; NULL */
  GstWeirMember *tracer;      /* the member that writes the trace; NULL */
  enum weir_ecn ecn;          /* that the sender was told to test the path with */
  GSList *spent; /* GstMiniObject, newest first; there is none while the lock is free */
} GstWeirPath;

/* What a member tells its element, with the session lock held. */
typedef struct
{
  /* self->output is another than `former`. */
  void (*on_output_locked) (GstWeirMember *self, const struct weir_output *former, gint64 now_ns);
  /* When the element's pacing task has to be awake again, but for the timers of the path. */
  gint64 (*next_due_locked) (GstWeirMember *self, gint64 now_ns);
  /* It records for all. */
  void (*on_trace_locked) (GstWeirMember *self, const struct weir_trace_record *record);
  /* Sender reports are due. */
  void (*report_locked) (GstWeirMember *self, gint64 now_ns);
} GstWeirMemberEvents;

/* One element. The session lock protects it: that of the path, so that all elements of a group have
 * one. */
struct _GstWeirMember
{
  GstElement *element; /* whose it is; not owned */
  GstWeirSendSettings *settings;
  const GstWeirMemberEvents *events;
  GstWeirPath *path; /* own, or its group's while it runs; changes with both locks held */
  GstWeirPath own;
  GstWeirWaiter waiter;        /* its pacing task */
  GCond room;                  /* what else waits under the lock */
  struct weir_output output;   /* what the session answered last; target_media_bps is our share */
  gint64 drain_wire_bps;       /* how fast our queue empties */
  guint32 number;              /* as which path->sender knows it; GST_WEIR_NO_NUMBER */
  const gchar *trace_location; /* it would record there; NULL: nowhere */
  guint overhead_bytes;        /* that the network adds to each of its packets */
  gconstpointer rtp_session;   /* that it sends through, only to compare; NULL: none */
  guint32 results;             /* seqnum of the event whose results were fed last */
  guint64 rtcp_datagrams;      /* that came in, by whatever way */
  gboolean can_ecn;            /* its sockets can send ECN-capable packets */
  gint64 proved_bps;           /* of the session before, when there is none; 0: not known */
  gboolean not_counting_reported, same_ssrc_reported;
};

void gst_weir_path_init (GstWeirPath *path);

/* On its own path. clock (not owned) is what its pacing task waits on. */
void gst_weir_member_init (GstWeirMember *self, GstElement *element, GstWeirSendSettings *settings,
                           GstClock *clock, const GstWeirMemberEvents *events);
void gst_weir_member_clear (GstWeirMember *self);

/* The session lock. */
void gst_weir_member_lock (GstWeirMember *self);
/* Then frees what was put aside: that may run foreign code. */
void gst_weir_member_unlock (GstWeirMember *self);
/* Takes object (nullable). */
void gst_weir_member_put_aside_locked (GstWeirMember *self, GstMiniObject *object);
void gst_weir_member_enter_and_lock (GstWeirMember *self, GstWeirPath *path);
void gst_weir_member_return_locked (GstWeirMember *self);

gint64 gst_weir_member_now (const GstWeirMember *self);
/* Waits for `room`; the lock is free meanwhile. */
void gst_weir_member_wait_locked (GstWeirMember *self);
/* The pacing task sleeps until something is due or it is woken. */
void gst_weir_member_sleep_locked (GstWeirMember *self, gint64 now_ns);
void gst_weir_member_wake_locked (GstWeirMember *self);
/* The same when something is due before what it sleeps for. */
void gst_weir_member_wake_if_due_locked (GstWeirMember *self, gint64 now_ns);

/* Before what may take its time, or the end: another member waits for the timers of the path. */
void gst_weir_member_give_timers_locked (GstWeirMember *self);

/* A stream that comes in here. Returns what is wrong with it, once, or NULL; free it. */
gchar *gst_weir_member_note_stream_locked (GstWeirMember *self, guint32 ssrc, guint clock_rate_hz);

/* Sender reports of all members that are due now: they are due together. */
void gst_weir_member_report_locked (GstWeirMember *self, gint64 now_ns);

/* Several members hear the same RTP session: is it this one who hands on what it says? */
gboolean gst_weir_member_listens_locked (const GstWeirMember *self);
/* An event with results may come by several members. FALSE: it has come before. */
gboolean gst_weir_member_takes_results_locked (GstWeirMember *self, guint32 seqnum);

/* Asks the session for its answer and hands each member its share. Call it after anything that may
 * change it. */
void gst_weir_member_update_output_locked (GstWeirMember *self, gint64 now_ns);

/* What the path was proved to carry of our media, bit/s; 0: not known. After the session, what it
 * was at its end. */
gint64 gst_weir_member_proved_bps_locked (const GstWeirMember *self);

#endif
