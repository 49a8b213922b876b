/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watches whether feedback comes as the algorithm needs it, and explains what is wrong when it does
 * not: once per episode, with the cause and what to do about it. No clock, no thread, no element:
 * everything comes in. */
#ifndef GST_WEIR_SEND_WARNINGS_H
#define GST_WEIR_SEND_WARNINGS_H

#include "send/weirsend_streams.h"
#include "weir/weir.h"
#include <glib.h>

typedef enum
{
  GST_WEIR_WARNING_NO_FEEDBACK,
  GST_WEIR_WARNING_RARE_FEEDBACK,
  GST_WEIR_WARNING_CEASED,
  GST_WEIR_WARNING_NO_RTT,
  GST_WEIR_WARNING_UNLINKED,
  GST_WEIR_WARNING_INVENTED,
  GST_WEIR_WARNING_RECEIVERS,
  GST_WEIR_WARNING_SHORT_RTX,
  GST_WEIR_WARNING_DENIED,
  GST_WEIR_WARNING_ECN,
  GST_WEIR_N_WARNINGS
} GstWeirSendWarning;

typedef struct
{
  gint64 look_ns;             /* when to look next; WEIR_NEVER_NS */
  gint64 silent_since_ns;     /* first packet sent since the last feedback; WEIR_UNKNOWN_NS */
  gint64 sent_ns;             /* the last packet */
  gint64 unanswered_ns;       /* how long packets were sent since silent_since_ns */
  gint64 paused_ns;           /* how long none was since the last feedback */
  gint64 pause_ns;            /* the last of those pauses ... */
  gint64 pause_end_ns;        /* ... and its end */
  gint64 feedback_ns;         /* the last feedback known; WEIR_UNKNOWN_NS */
  guint64 feedback_datagrams; /* RTCP datagrams up to then */
  gint64 intervals_ns[2];     /* between the last ones seen, less our pauses, newest first;
                                 WEIR_UNKNOWN_NS */
  gint64 no_rtt_since_ns;     /* reports steer, without a round-trip time; WEIR_UNKNOWN_NS */
  guint32 steering_ssrc;      /* of the receiver that set the rate at the last look, or 0 */
  gboolean sent;              /* since the last look */
  gboolean unlinked;          /* at the start, and nothing was sent since */
  gboolean reported[GST_WEIR_N_WARNINGS];
} GstWeirSendWatch;

enum
{
  GST_WEIR_RECEIVERS_NAMED = 8
};

/* What is known about the session at the moment of looking. */
typedef struct
{
  struct weir_sender_stats stats;
  struct weir_output output;
  enum weir_ecn_path ecn;
  const gchar *algorithm;
  guint32 needs;   /* enum weir_needs of the algorithm */
  guint feedback;  /* enum weir_feedback_format bits that may steer */
  guint receivers; /* enum weir_receivers */
  struct weir_reporter reporters[GST_WEIR_RECEIVERS_NAMED];
  gsize n_reporters;
  guint64 rtcp_datagrams;     /* that reached weirsend, by whatever way */
  guint64 rtcp_refused;       /* that did not, because they failed authentication */
  gboolean has_session;       /* an RTP session was found */
  gboolean has_rtcp_sink;     /* something is linked to rtcp_sink */
  gboolean has_rtcp_src;      /* something is linked to rtcp_src */
  gboolean has_transport_seq; /* the caps name the transport-wide extension */
  gboolean unlinked;          /* nothing is linked to the sink pad */
  gboolean waits;             /* packets wait in the send queue */
  gboolean is_audio;          /* by the caps */
  GstWeirKept kept;           /* to be sent again */
} GstWeirSendView;

void gst_weir_watch_init (GstWeirSendWatch *watch);
void gst_weir_watch_unlinked (GstWeirSendWatch *watch, gint64 now_ns);
void gst_weir_watch_sent (GstWeirSendWatch *watch, gint64 now_ns);
void gst_weir_watch_look (GstWeirSendWatch *watch, const GstWeirSendView *view, gint64 now_ns,
                          gchar *texts[GST_WEIR_N_WARNINGS]);
const gchar *gst_weir_warning_name (GstWeirSendWarning warning);

#endif
