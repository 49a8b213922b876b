/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scale/weirscale_ladder.h"

#include "common/properties.h"

/* Smaller pictures are of no use, and many encoders refuse them. */
#define MIN_SIDE_PIXELS 32
#define UNKNOWN_FPS 30

typedef struct
{
  gint size_n, size_d; /* of width and height */
  gint keep_n, keep_d; /* of frames */
} Fraction;

/* Both give way in turn: fewer frames suit a smaller picture. */
static const Fraction balanced[] = {
  { 1, 1, 1, 1 },  { 3, 4, 1, 1 }, { 1, 2, 1, 1 },  { 1, 2, 2, 3 },
  { 3, 8, 2, 3 },  { 3, 8, 1, 2 }, { 1, 4, 1, 2 },  { 3, 16, 1, 2 },
  { 3, 16, 1, 3 }, { 1, 8, 1, 3 }, { 3, 32, 1, 3 }, { 1, 16, 1, 3 },
};
static const Fraction sizes[] = {
  { 1, 1, 1, 1 },  { 3, 4, 1, 1 }, { 1, 2, 1, 1 },  { 3, 8, 1, 1 },  { 1, 4, 1, 1 },
  { 3, 16, 1, 1 }, { 1, 8, 1, 1 }, { 3, 32, 1, 1 }, { 1, 16, 1, 1 },
};
static const Fraction rates[] = { { 1, 1, 1, 1 }, { 1, 1, 2, 3 }, { 1, 1, 1, 2 }, { 1, 1, 1, 3 } };

static const struct
{
  const Fraction *fractions;
  guint n;
} ladders[] = {
  [GST_WEIR_DEGRADATION_BALANCED] = { balanced, G_N_ELEMENTS (balanced) },
  [GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE] = { sizes, G_N_ELEMENTS (sizes) },
  [GST_WEIR_DEGRADATION_MAINTAIN_RESOLUTION] = { rates, G_N_ELEMENTS (rates) },
};

G_STATIC_ASSERT (G_N_ELEMENTS (balanced) <= GST_WEIR_LADDER_MAX);

GST_WEIR_DEFINE_ENUM (GstWeirDegradation, gst_weir_degradation,
                      { GST_WEIR_DEGRADATION_BALANCED, "Size and frame rate give way in turn",
                        "balanced" },
                      { GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, "The size gives way: for motion",
                        "maintain-framerate" },
                      { GST_WEIR_DEGRADATION_MAINTAIN_RESOLUTION,
                        "The frame rate gives way: for text and detail", "maintain-resolution" })

/* The nearest even number: pictures with half as many samples of colour have no odd sides. */
static gint
scale_side (gint pixels, const Fraction *fraction)
{
  if (fraction->size_n == fraction->size_d) {
    return pixels;
  }
  gint64 twice = 2 * (gint64) fraction->size_d;
  return (gint) (((gint64) pixels * fraction->size_n + fraction->size_d) / twice * 2);
}

static GstWeirPicture
scale_picture (const Fraction *fraction, gint width, gint height, gint fps_n, gint fps_d)
{
  GstWeirPicture picture = { .width = scale_side (width, fraction),
                             .height = scale_side (height, fraction),
                             .fps_n = fps_n,
                             .fps_d = fps_d,
                             .keep_n = fraction->keep_n,
                             .keep_d = fraction->keep_d };
  gint n = UNKNOWN_FPS, d = 1;
  if (fps_n > 0) {
    gst_util_fraction_multiply (fps_n, fps_d, fraction->keep_n, fraction->keep_d, &picture.fps_n,
                                &picture.fps_d);
    n = picture.fps_n;
    d = picture.fps_d;
  } else {
    gst_util_fraction_multiply (n, d, fraction->keep_n, fraction->keep_d, &n, &d);
  }
  guint64 pixels = (guint64) picture.width * (guint64) picture.height;
  picture.pixels_per_s = (gint64) gst_util_uint64_scale_int (pixels, n, d);
  return picture;
}

/* Of a source of width x height (at least 1x1) with fps_n/fps_d frames per second (0/1: not known).
 * It has at least that one step. */
void
gst_weir_ladder_build (GstWeirLadder *self, GstWeirDegradation preference, gint width, gint height,
                       gint fps_n, gint fps_d)
{
  self->n = 0;
  for (guint i = 0; i < ladders[preference].n; i++) {
    const Fraction *fraction = &ladders[preference].fractions[i];
    GstWeirPicture picture = scale_picture (fraction, width, height, fps_n, fps_d);
    if (i == 0 || MIN (picture.width, picture.height) >= MIN_SIDE_PIXELS) {
      self->steps[self->n++] = picture;
    }
  }
}
