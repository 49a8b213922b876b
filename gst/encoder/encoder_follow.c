/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measured rate over the last 2 s is compared with the highest target of those 2 s and the
 * 1.5 s before, so that neither a target that moves all the time nor an encoder that needs its
 * table row's time to settle is taken for one that does not follow. Above 1.3 times it, an episode
 * begins; below 1.1 times it ends. All in steps of a quarter of a second. */
#include "encoder/encoder_follow.h"

#include "weir/units.h"
#include <string.h>

#define BUCKET_NS WEIR_MS (250)
#define MEASURED_BUCKETS 8 /* 2 s */
#define TARGET_BUCKETS 14  /* 3.5 s */
#define BEGIN_PERCENT 130
#define END_PERCENT 110

G_STATIC_ASSERT (TARGET_BUCKETS < GST_WEIR_FOLLOW_BUCKETS);

static void
start_bucket (GstWeirFollow *follow, gint64 start_ns, gint64 target_bps)
{
  follow->newest = (follow->newest + 1) % GST_WEIR_FOLLOW_BUCKETS;
  follow->bytes[follow->newest] = 0;
  follow->target_bps[follow->newest] = target_bps;
  follow->bucket_start_ns = start_ns;
  follow->n_buckets = MIN (follow->n_buckets + 1, GST_WEIR_FOLLOW_BUCKETS);
}

/* Over the complete buckets. */
static void
measure (GstWeirFollow *follow)
{
  guint64 bytes = 0;
  follow->limit_bps = 0;
  for (guint age = 1; age <= TARGET_BUCKETS; age++) {
    guint i = (follow->newest + GST_WEIR_FOLLOW_BUCKETS - age) % GST_WEIR_FOLLOW_BUCKETS;
    bytes += age <= MEASURED_BUCKETS ? follow->bytes[i] : 0;
    follow->limit_bps = MAX (follow->limit_bps, follow->target_bps[i]);
  }
  follow->measured_bps
      = weir_rate_bps ((gint64) MIN (bytes, (guint64) G_MAXINT64), MEASURED_BUCKETS * BUCKET_NS);
}

/* TRUE: an episode begins. */
static gboolean
judge (GstWeirFollow *follow)
{
  double percent = 100.0 * (double) follow->measured_bps / (double) MAX (follow->limit_bps, 1);
  if (follow->reported) {
    follow->reported = percent > END_PERCENT;
    return FALSE;
  }
  follow->reported = percent > BEGIN_PERCENT;
  return follow->reported;
}

/* Bytes that arrived at now_ns while target_bps was in force. TRUE once per episode, when it
 * begins. A gap longer than the window, or a clock that went backwards, starts afresh. Cheap: a
 * few additions, and at most GST_WEIR_FOLLOW_BUCKETS bucket changes. */
gboolean
gst_weir_follow_observe (GstWeirFollow *follow, guint64 media_bytes, gint64 target_bps,
                         gint64 now_ns)
{
  gboolean begins = FALSE;
  gint64 ahead_ns = now_ns - follow->bucket_start_ns;
  if (follow->n_buckets == 0 || ahead_ns < 0 || ahead_ns > TARGET_BUCKETS * BUCKET_NS) {
    gboolean reported = follow->reported;
    memset (follow, 0, sizeof *follow);
    follow->reported = reported;
    start_bucket (follow, now_ns, target_bps);
  }
  while (now_ns - follow->bucket_start_ns >= BUCKET_NS) {
    start_bucket (follow, follow->bucket_start_ns + BUCKET_NS, target_bps);
    if (follow->n_buckets > TARGET_BUCKETS) {
      measure (follow);
      begins |= judge (follow);
    }
  }
  follow->bytes[follow->newest] += media_bytes;
  follow->target_bps[follow->newest] = MAX (follow->target_bps[follow->newest], target_bps);
  return begins;
}
