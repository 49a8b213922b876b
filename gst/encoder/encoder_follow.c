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
start_bucket (GstWeirFollow *self, gint64 start_ns, gint64 target_bps)
{
  self->newest = (self->newest + 1) % GST_WEIR_FOLLOW_BUCKETS;
  self->bytes[self->newest] = 0;
  self->target_bps[self->newest] = target_bps;
  self->bucket_start_ns = start_ns;
  self->n_buckets = MIN (self->n_buckets + 1, GST_WEIR_FOLLOW_BUCKETS);
}

/* Over the complete buckets. */
static void
measure (GstWeirFollow *self)
{
  guint64 bytes = 0;
  self->limit_bps = 0;
  for (guint age = 1; age <= TARGET_BUCKETS; age++) {
    guint i = (self->newest + GST_WEIR_FOLLOW_BUCKETS - age) % GST_WEIR_FOLLOW_BUCKETS;
    bytes += age <= MEASURED_BUCKETS ? self->bytes[i] : 0;
    self->limit_bps = MAX (self->limit_bps, self->target_bps[i]);
  }
  self->measured_bps
      = weir_rate_bps ((gint64) MIN (bytes, (guint64) G_MAXINT64), MEASURED_BUCKETS * BUCKET_NS);
}

/* TRUE: an episode begins. */
static gboolean
judge (GstWeirFollow *self)
{
  double percent = 100.0 * (double) self->measured_bps / (double) MAX (self->limit_bps, 1);
  if (self->reported) {
    self->reported = percent > END_PERCENT;
    return FALSE;
  }
  self->reported = percent > BEGIN_PERCENT;
  return self->reported;
}

/* Bytes that arrived at now_ns while target_bps was in force. TRUE once per episode, when it
 * begins. A gap longer than the window, or a clock that went backwards, starts afresh. Cheap: a
 * few additions, and at most GST_WEIR_FOLLOW_BUCKETS bucket changes. */
gboolean
gst_weir_follow_observe (GstWeirFollow *self, guint64 media_bytes, gint64 target_bps, gint64 now_ns)
{
  gboolean begins = FALSE;
  gint64 ahead_ns = now_ns - self->bucket_start_ns;
  if (self->n_buckets == 0 || ahead_ns < 0 || ahead_ns > TARGET_BUCKETS * BUCKET_NS) {
    gboolean reported = self->reported;
    memset (self, 0, sizeof *self);
    self->reported = reported;
    start_bucket (self, now_ns, target_bps);
  }
  while (now_ns - self->bucket_start_ns >= BUCKET_NS) {
    start_bucket (self, self->bucket_start_ns + BUCKET_NS, target_bps);
    if (self->n_buckets > TARGET_BUCKETS) {
      measure (self);
      begins |= judge (self);
    }
  }
  self->bytes[self->newest] += media_bytes;
  self->target_bps[self->newest] = MAX (self->target_bps[self->newest], target_bps);
  return begins;
}
