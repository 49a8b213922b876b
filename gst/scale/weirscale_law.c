/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two things make the picture smaller.
 *
 * The target leaves too few bits per pixel at this step for SHRINK_NS: then the largest step for
 * which it does not. It grows when the target has been 5/3 of what a larger step needs for
 * GROW_NS, so that a capacity that swings by 20 % around any threshold, 1.2 / 0.8 = 1.5 from end to
 * end, does not move it to and fro.
 *
 * The encoder makes more than it was told, because its quantizer ends or its rate control does not
 * care: what it makes beyond 6/5 of the target fills a bucket, which holds half a second of the
 * target. So ten times too much is seen with the first frames, half too much after two seconds, and
 * a key frame, which fits into an encoder's buffer, is not. The step is then chosen from what was
 * measured, as bits in proportion to pixels a second. That measure keeps larger steps from being
 * tried until the target is above it, or for a minute, and then it is tried step by step; twice as
 * long after each trial that failed. */
#include "scale/weirscale_law.h"

#include "weir/units.h"

#define UBITS G_GINT64_CONSTANT (1000000)
#define GROW_N 5
#define GROW_D 3
#define SHRINK_NS WEIR_SECONDS (1)
#define GROW_NS WEIR_SECONDS (3)
#define DWELL_NS WEIR_SECONDS (2)
/* After it shrank: frames of the former step may still be under way. */
#define SETTLE_NS WEIR_MS (300)
#define PEAK_NS WEIR_SECONDS (1)
/* Without frames for so long, nothing that was seen before counts. */
#define GAP_NS WEIR_SECONDS (1)
#define EXCESS_N 6
#define EXCESS_D 5
#define BUCKET_NS WEIR_MS (500)
/* A trial that fails costs about half a second's packets: that is to be 1 % at most. */
#define PATIENCE_NS WEIR_SECONDS (60)
#define MAX_PATIENCE_NS WEIR_SECONDS (960)

static gint64
scale (gint64 value, gint64 n, gint64 d)
{
  return (gint64) gst_util_uint64_scale ((guint64) value, (guint64) n, (guint64) MAX (d, 1));
}

/* It begins with the first step, and knows nothing. */
void
gst_weir_scale_law_init (GstWeirScaleLaw *self, const GstWeirLadder *ladder,
                         gint64 min_ubits_per_pixel)
{
  *self = (GstWeirScaleLaw){ .n = ladder->n };
  for (guint i = 0; i < self->n; i++) {
    self->pixels_per_s[i] = ladder->steps[i].pixels_per_s;
    self->shrink_bps[i] = scale (self->pixels_per_s[i], min_ubits_per_pixel, UBITS);
    self->grow_bps[i] = scale (self->shrink_bps[i], GROW_N, GROW_D);
  }
}

static void
forget_times (GstWeirScaleLaw *self, gint64 now_ns)
{
  self->changed_ns = now_ns;
  self->floor_ns = MIN (self->floor_ns, now_ns);
  self->peak_bps = 0;
  self->excess_bits = 0;
  for (guint i = 0; i < self->n; i++) {
    self->poor_ns[i] = self->rich_ns[i] = WEIR_NEVER_NS;
  }
}

static void
note_target (GstWeirScaleLaw *self, gint64 target_bps)
{
  for (guint i = 0; i < self->n; i++) {
    gboolean poor = target_bps < self->shrink_bps[i], rich = target_bps >= self->grow_bps[i];
    self->poor_ns[i] = poor ? MIN (self->poor_ns[i], self->now_ns) : WEIR_NEVER_NS;
    self->rich_ns[i] = rich ? MIN (self->rich_ns[i], self->now_ns) : WEIR_NEVER_NS;
  }
  if (target_bps >= self->peak_bps || self->now_ns - self->peak_ns > PEAK_NS) {
    self->peak_bps = target_bps;
    self->peak_ns = self->now_ns;
  }
}

/* What the encoder has made since the last frame; a counter that goes back belongs to another run.
 */
static gint64
take_bits (GstWeirScaleLaw *self, guint64 media_bytes)
{
  guint64 bytes = media_bytes > self->media_bytes ? media_bytes - self->media_bytes : 0;
  self->media_bytes = media_bytes;
  return 8 * (gint64) MIN (bytes, (guint64) G_MAXINT32);
}

/* An encoder is a few frames behind its target, hence the peak. */
static void
note_made (GstWeirScaleLaw *self, gint64 bits, gint64 former_ns)
{
  if (!self->grew && self->now_ns - self->changed_ns < SETTLE_NS) {
    return;
  }
  if (self->excess_bits == 0) {
    self->excess_ns = former_ns;
    self->made_bits = 0;
  }
  gint64 allowed_bps = scale (self->peak_bps, EXCESS_N, EXCESS_D);
  gint64 allowed_bits = scale (allowed_bps, self->now_ns - former_ns, WEIR_SECONDS (1));
  self->made_bits += bits;
  self->excess_bits = MAX (self->excess_bits + bits - allowed_bits, 0);
}

static void
change (GstWeirScaleLaw *self, guint step, GstWeirScaleReason reason)
{
  self->grew = step < self->step;
  self->step = step;
  self->reason = step == 0 ? GST_WEIR_SCALE_FULL : reason;
  self->changed_ns = self->now_ns;
  self->excess_bits = 0;
}

static gboolean
has_lasted (const GstWeirScaleLaw *self, gint64 since_ns, gint64 duration_ns)
{
  return since_ns <= self->now_ns && self->now_ns - since_ns >= duration_ns;
}

/* What the encoder makes at least, as far as is known, at step. */
static gint64
floor_at (const GstWeirScaleLaw *self, guint step)
{
  return scale (self->floor_bps, self->pixels_per_s[step], self->pixels_per_s[self->floor_step]);
}

static void
note_floor (GstWeirScaleLaw *self)
{
  gboolean again = self->grew && self->now_ns - self->floor_ns < 4 * self->patience_ns;
  self->patience_ns = again ? MIN (2 * self->patience_ns, MAX_PATIENCE_NS) : PATIENCE_NS;
  self->floor_bps = scale (self->made_bits, WEIR_SECONDS (1), self->now_ns - self->excess_ns);
  self->floor_step = self->step;
  self->floor_ns = self->now_ns;
}

static gboolean
fits_floor (const GstWeirScaleLaw *self, guint step, gint64 target_bps)
{
  return scale (floor_at (self, step), EXCESS_N, EXCESS_D) <= target_bps;
}

/* The largest step from step on for which fits () says so, else the smallest; those that were
 * refused are passed over. */
static guint
find (const GstWeirScaleLaw *self, guint step, gboolean (*fits) (const GstWeirScaleLaw *, guint))
{
  guint found = self->step;
  for (; step < self->n; step++) {
    if (!self->refused[step]) {
      found = step;
      if (fits (self, step)) {
        break;
      }
    }
  }
  return found;
}

static gboolean
carries_floor (const GstWeirScaleLaw *self, guint step)
{
  return floor_at (self, step) <= self->peak_bps;
}

static gboolean
is_not_poor (const GstWeirScaleLaw *self, guint step)
{
  return !has_lasted (self, self->poor_ns[step], SHRINK_NS);
}

static gboolean
is_rich (const GstWeirScaleLaw *self, guint step)
{
  return self->rich_ns[step] != WEIR_NEVER_NS;
}

/* The nearest larger step, or step itself. */
static guint
next_larger (const GstWeirScaleLaw *self, guint step)
{
  guint larger = step;
  while (larger > 0 && self->refused[larger - 1]) {
    larger--;
  }
  return larger > 0 ? larger - 1 : step;
}

/* As far as the target has carried it for long enough and, for all that is known, the encoder can
 * follow; where it could not, one step at a time once that is long ago. */
static guint
largest_to_grow_to (const GstWeirScaleLaw *self, gint64 target_bps)
{
  gboolean forgiven = has_lasted (self, self->floor_ns, self->patience_ns);
  guint found = self->step;
  for (guint step = next_larger (self, found); step != found; step = next_larger (self, step)) {
    gboolean tried = forgiven && found == self->step;
    if (!has_lasted (self, self->rich_ns[step], GROW_NS)
        || !(fits_floor (self, step, target_bps) || tried)) {
      break;
    }
    found = step;
  }
  return found;
}

static void
grow (GstWeirScaleLaw *self, gint64 target_bps)
{
  if (!has_lasted (self, self->changed_ns, DWELL_NS)) {
    return;
  }
  if (self->grew && self->step <= self->floor_step) {
    self->floor_bps = 0; /* it follows where it did not */
  }
  guint step = largest_to_grow_to (self, target_bps);
  if (step != self->step) {
    change (self, step, self->reason);
  }
}

/* The encoder makes too much: less can be asked of it only while there is a smaller step. */
static void
shrink_to_follow (GstWeirScaleLaw *self)
{
  gint64 patience_ns = self->patience_ns;
  note_floor (self);
  guint step = find (self, self->step + 1, carries_floor);
  if (step != self->step) {
    change (self, step, GST_WEIR_SCALE_CANNOT_FOLLOW);
    return;
  }
  self->patience_ns = MAX (patience_ns, PATIENCE_NS);
  self->excess_bits = 0;
}

static void
decide (GstWeirScaleLaw *self, gint64 target_bps)
{
  if (self->excess_bits > scale (self->peak_bps, BUCKET_NS, WEIR_SECONDS (1))) {
    shrink_to_follow (self);
  } else if (has_lasted (self, self->poor_ns[self->step], SHRINK_NS)) {
    guint step = find (self, self->step + 1, is_not_poor);
    if (step != self->step) {
      change (self, step, GST_WEIR_SCALE_LOW_BITRATE);
    }
  } else {
    grow (self, target_bps);
  }
}

/* Before anything is encoded: the first step, by the target alone. */
guint
gst_weir_scale_law_begin (GstWeirScaleLaw *self, gint64 target_bps)
{
  forget_times (self, 0);
  note_target (self, target_bps);
  change (self, find (self, 0, is_rich), GST_WEIR_SCALE_LOW_BITRATE);
  self->begun = TRUE;
  self->timed = FALSE;
  return self->step;
}

/* Before each frame, once begun: target_bps is what the encoder may make, media_bytes what it has
 * made so far, since any moment. now_ns: any clock; one that goes back or leaps makes what was seen
 * meaningless. Returns the step to use. */
guint
gst_weir_scale_law_choose (GstWeirScaleLaw *self, gint64 now_ns, gint64 target_bps,
                           guint64 media_bytes)
{
  gint64 former_ns = self->now_ns;
  gint64 bits = take_bits (self, media_bytes);
  self->now_ns = now_ns;
  if (!self->timed || now_ns < former_ns || now_ns - former_ns > GAP_NS) {
    forget_times (self, now_ns);
    note_target (self, target_bps);
    self->changed_ns -= self->timed ? 0 : SETTLE_NS; /* there is no former step */
    self->timed = TRUE;
    return self->step;
  }
  note_target (self, target_bps);
  note_made (self, bits, former_ns);
  decide (self, target_bps);
  return self->step;
}

/* Downstream does not take the step just chosen: it is never chosen again, and former, the one
 * before, stays. */
void
gst_weir_scale_law_refuse (GstWeirScaleLaw *self, guint former)
{
  self->refused[self->step] = TRUE;
  change (self, former, self->reason);
}
