/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application may set, and what is wrong with it. Knows nothing of a session. */
#ifndef GST_WEIR_SEND_SETTINGS_H
#define GST_WEIR_SEND_SETTINGS_H

#include "weir/weir.h"
#include <gst/gst.h>

/* Settings that a path has once (weirsend_path_settings.h). */
typedef enum
{
  GST_WEIR_PATH_ALGORITHM,
  GST_WEIR_PATH_PARAMS,
  GST_WEIR_PATH_PACING,
  GST_WEIR_PATH_PACING_QUANTUM,
  GST_WEIR_PATH_FEEDBACK,
  GST_WEIR_PATH_RECEIVERS,
  GST_WEIR_PATH_ECN,
  GST_WEIR_N_PATH_SETTINGS
} GstWeirPathSetting;

/* What packets leave with. */
typedef enum
{
  GST_WEIR_ECN_OFF,
  GST_WEIR_ECN_ECT0,
  GST_WEIR_ECN_ECT1,
  GST_WEIR_ECN_AUTO, /* what the algorithm answers to */
} GstWeirEcn;

typedef struct
{
  guint given;            /* bits of GstWeirPathSetting: the application set it */
  const gchar *algorithm; /* a name of the registry, lives for ever */
  GstStructure *params;   /* or NULL */
  guint min_bps, max_bps, start_bps;
  gboolean pacing;
  guint64 pacing_quantum_ns;
  guint64 max_queue_time_ns;
  guint queue_policy;  /* enum weir_queue_policy */
  guint feedback;      /* enum weir_feedback_format bits */
  guint receivers;     /* enum weir_receivers */
  guint ecn;           /* GstWeirEcn */
  gint overhead;       /* bytes, -1: found out */
  gchar *group;        /* or NULL */
  gdouble priority;    /* the weight of our share in the group */
  guint reporter_ssrc; /* of the receiver; 0: not known */
  guint64 stats_interval_ns;
  gchar *trace_location;
  guint64 trace_max_bytes; /* of a part; 0: one file without end */
  gchar *encoders;
  gboolean repair; /* is driven */
  guint64 repair_wait_ns;
  gboolean fill_probes;
  GObject *rtp_session; /* or NULL */
} GstWeirSendSettings;

/* The defaults. */
void gst_weir_send_settings_init (GstWeirSendSettings *settings);
void gst_weir_send_settings_clear (GstWeirSendSettings *settings);

/* FALSE: the bitrates contradict each other; *why (free it) says how. */
gboolean gst_weir_send_check_limits (const GstWeirSendSettings *settings, gchar **why);
/* A start bitrate outside the bounds starts at the nearest of them. */
void gst_weir_send_get_limits (const GstWeirSendSettings *settings, struct weir_limits *limits);

/* May packets leave as ECT(1) with this algorithm (RFC 9331 4.3)? */
gboolean gst_weir_send_answers_l4s (const GstWeirSendSettings *settings);
/* The codepoint that these settings ask for. */
enum weir_ecn gst_weir_send_get_ecn (const GstWeirSendSettings *settings);

/* Most parameters of an algorithm. */
#define GST_WEIR_PARAMS_MAX 64
/* Fills values, whose names and texts live as long as params (nullable). Returns how many; on a
 * wrong one *why (free it) names it and says what would be right, else it is NULL. */
guint gst_weir_params_read (const GstStructure *params, const gchar *algorithm,
                            struct weir_param_value values[GST_WEIR_PARAMS_MAX], gchar **why);

#endif
