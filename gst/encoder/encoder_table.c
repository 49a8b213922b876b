/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of encoders. "Measured" is with GStreamer 1.22.0 as Debian 12 packages it, 320x240 or
 * 640x360 at 30 frames/s, a moving zone plate, a step from 1000 to 300 kbit/s and back; times are
 * until the new rate is reached, counted in encoded frames. How fast real video follows is measured
 * by tools/demonstrate/encoder_lag.py. Rows marked "from its source" were not run: no such
 * hardware.
 *
 * A profile holds only what an encoder needs to follow. It never changes the trade between speed
 * and quality (speed-preset, cpu-used, deadline) or the distance of key frames. */
#include "encoder/encoder_table.h"
#include "encoder/encoder_property.h"

#include "weir/units.h"
#include <string.h>

/* Ordinary encoders, for which a change costs nothing: it is seen with the next frame. */
#define UP_NS WEIR_MS (33)
#define STEP_PPM 5000
/* Encoders that pay for each change with a key frame. */
#define KEY_FRAME_INTERVAL_NS WEIR_SECONDS (1)
#define KEY_FRAME_STEP_PPM 100000

#define VPX_BUFFERS "end-usage=cbr buffer-size=300 buffer-initial-size=150 buffer-optimal-size=200"
#define AOM_BUFFERS "end-usage=cbr buf-sz=300 buf-initial-sz=150 buf-optimal-sz=200"
/* How a row begins: its property, the bit/s in 1 of it, and the least bit/s it works with. */
#define ENCODER(pattern, name, unit, min)                                                          \
  .factory = pattern, .property = name, .unit_bps = unit, .min_bps = min
#define CHEAP .up_ns = UP_NS, .step_ppm = STEP_PPM
#define COSTLY                                                                                     \
  .up_ns = KEY_FRAME_INTERVAL_NS, .down_ns = KEY_FRAME_INTERVAL_NS,                                \
  .step_ppm = KEY_FRAME_STEP_PPM, .makes_key_frames = TRUE

/* The first row that matches wins. */
static const GstWeirEncoderInfo table[] = {
  /* The default buffer of 600 ms lets 0.2-0.5 s of the old rate through after a decrease; with
   * 120 ms: 0-0.1 s down, 0.1-0.5 s up. No key frame. Look-ahead (without tune=zerolatency) delays
   * frames, not the change. */
  { ENCODER ("x264enc", "bitrate", 1000, 10000), CHEAP, .profile = "vbv-buf-capacity=120",
    .remedy = "its qp-max or complex content at this size keeps it above: lower the frame rate or "
              "size, or put weirscale before it" },
  /* Every change opens a new encoder: a key frame, and the frames in its look-ahead are lost
   * (11 per change with the default tune, none with zerolatency). Follows at once. */
  { ENCODER ("x265enc", "bitrate", 1000, 10000), COSTLY, .profile = "tune=zerolatency",
    .remedy = "each change costs a key frame and it has no buffer limit: set "
              "option-string=vbv-bufsize=...:vbv-maxrate=..." },
  /* With the default buffers (6 s) it starves for over 3 s after an increase; with these: down in
   * 0.1-0.3 s, up in 0.2-0.5 s. A target of 0 means "choose by frame size". */
  { ENCODER ("vp8enc", "target-bitrate", 1, 10000), CHEAP, .profile_live = VPX_BUFFERS,
    .remedy = "its max-quantizer is reached: lower the frame rate or size, put weirscale before "
              "it, or allow it to drop "
              "frames with dropframe-threshold" },
  /* The default look-ahead of 25 frames delays each by 0.8 s. Down 0.2-0.5 s, up 0.3 s; a large
   * decrease drops one frame. */
  { ENCODER ("vp9enc", "target-bitrate", 1, 10000), CHEAP, .profile = "lag-in-frames=0",
    .profile_live = VPX_BUFFERS,
    .remedy
    = "its max-quantizer is reached: lower the frame rate or size, or put weirscale before it" },
  /* With max-quantizer at its default of 0 it is lossless whatever the bitrate, and with
   * end-usage=cbr aborts the process (an assertion in libaom 3.6), change or no change: hence
   * live_needs. It rounds time stamps down to whole frames, so that at 24 or 30 frames/s, whose
   * frame duration is no whole number of nanoseconds, it sees gaps and produces 1.4 to 2.0 times
   * its target; at 25, 40 and 50, or with all time stamps 100 ns later, it keeps to it. */
  { ENCODER ("av1enc", "target-bitrate", 1000, 10000), CHEAP,
    .profile = AOM_BUFFERS " min-quantizer=4 max-quantizer=56 usage-profile=realtime",
    .live_needs = "max-quantizer",
    .remedy = "it exceeds its target at frame rates such as 30/1 whose frame duration is not a "
              "whole number of nanoseconds: use 25/1 or 50/1" },
  /* The default rate-control, quality, misses targets. A decrease without max-bitrate, or with one
   * that changes the H.264 level (100 Mbit/s), makes a key frame of 20 kB; at twice the bitrate
   * there is none, and both directions settle within 0.1 s. */
  { ENCODER ("openh264enc", "bitrate", 1, 10000), CHEAP, .headroom = "max-bitrate",
    .profile = "rate-control=bitrate",
    .remedy = "set rate-control=bitrate before it starts, enable-frame-skip=true, or lower the "
              "frame rate or size" },
  /* From the next packet on. */
  { ENCODER ("opusenc", "bitrate", 1, 6000), CHEAP,
    .remedy = "set bitrate-type=cbr for an exact rate" },
  /* Bitrate 0, the default, is its quality mode; it needs one before it starts. The default
   * rate-buffer takes 2 s down and 2-3 s up; with 12 frames: 0.3 s and 0.2 s. */
  { ENCODER ("theoraenc", "bitrate", 1000, 10000), CHEAP, .profile = "rate-buffer=12",
    .remedy = "give it a bitrate before it starts, else it stays in its quality mode" },
  /* Measured with avenc_mpeg4: the property changes, the bitrate does not. */
  { ENCODER ("avenc_*", "bitrate", 1, 1000), CHEAP, .live = GST_WEIR_LIVE_NO,
    .remedy = "use x264enc, vp8enc or another encoder that can" },

  /* From here on: from its source. */
  { ENCODER ("rav1enc", "bitrate", 1, 1000), CHEAP, .live = GST_WEIR_LIVE_NO,
    .remedy = "use av1enc, or a hardware encoder" },
  { ENCODER ("svtav1enc", "target-bitrate", 1000, 10000), CHEAP, .live = GST_WEIR_LIVE_IF_FLAGGED,
    .remedy = "use av1enc, or a hardware encoder" },
  /* A newer interface of the same hardware: an update of the rate alone where it can. */
  { ENCODER ("nvcuda*enc", "bitrate", 1024, 10000), CHEAP },
  { ENCODER ("nvd3d11*enc", "bitrate", 1024, 10000), CHEAP },
  { ENCODER ("nvauto*enc", "bitrate", 1024, 10000), CHEAP },
  { ENCODER ("nvv4l2*enc", "bitrate", 1, 10000), CHEAP, .live = GST_WEIR_LIVE_IF_FLAGGED },
  /* The older one resets with a forced IDR. */
  { ENCODER ("nvh26?enc", "bitrate", 1000, 10000), COSTLY, .remedy = "set rc-mode=cbr" },
  { ENCODER ("nvav1enc", "bitrate", 1024, 10000), CHEAP },
  /* Its default rate-control, cqp, has no bitrate. */
  { ENCODER ("vaapi*enc", "bitrate", 1000, 10000), CHEAP, .profile = "rate-control=cbr",
    .remedy = "set rate-control=cbr before it starts" },
  { ENCODER ("va*enc", "bitrate", 1000, 10000), CHEAP, .live = GST_WEIR_LIVE_IF_FLAGGED,
    .remedy = "set rate-control=cbr before it starts" },
  { ENCODER ("msdk*enc", "bitrate", 1000, 10000), CHEAP },
  { ENCODER ("qsv*enc", "bitrate", 1000, 10000), CHEAP },
  { ENCODER ("amf*enc", "bitrate", 1000, 10000), CHEAP },
  { ENCODER ("mf*enc", "bitrate", 1000, 10000), CHEAP },
  { ENCODER ("vtenc_*", "bitrate", 1000, 10000), CHEAP },
  /* Rockchip's MPP: the next frame is encoded with it. 0, the default, is chosen by frame size. */
  { ENCODER ("mpph26?enc", "bps", 1, 10000), CHEAP, .remedy = "set rc-mode=cbr" },
  { ENCODER ("mppvp8enc", "bps", 1, 10000), CHEAP, .remedy = "set rc-mode=cbr" },
  /* Cameras that encode. The one tells its camera at once, with a peak that must not be lower. The
   * other changes its encoder's port with the next frame; 0 is its quality mode, 25 Mbit/s its
   * limit. */
  { ENCODER ("uvch264src", "average-bitrate", 1, 10000), CHEAP, .headroom = "peak-bitrate",
    .remedy = "set rate-control=cbr" },
  { ENCODER ("rpicamsrc", "bitrate", 1, 10000), CHEAP,
    .remedy = "give it a bitrate before it starts, else it stays in its quality mode" },
  { ENCODER ("omx*enc", "target-bitrate", 1, 10000), CHEAP, .live = GST_WEIR_LIVE_IF_FLAGGED },
  /* The driver's own control; whether it may change while playing depends on the release. */
  { ENCODER ("v4l2*enc", "extra-controls", 1, 10000), CHEAP, .field = "video_bitrate",
    .live = GST_WEIR_LIVE_IF_FLAGGED,
    .remedy = "it takes extra-controls while playing from release 1.28 on" },
};

static const GstWeirEncoderInfo *
find_row (const gchar *factory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (g_pattern_match_simple (table[i].factory, factory)) {
      return &table[i];
    }
  }
  return NULL;
}

static gboolean
mentions (const gchar *text, const gchar *const *words)
{
  for (; *words != NULL; words++) {
    if (strstr (text, *words) != NULL) {
      return TRUE;
    }
  }
  return FALSE;
}

/* The unit of a bitrate property nobody described to us: what its own description says, else what
 * its default (or, with a default of "automatic", its largest value) makes plausible. Kilobits are
 * looked for first, since "kbits/s" holds "bits/s". */
static gint64
guess_unit_bps (GParamSpec *spec)
{
  static const gchar *const kilo[] = { "kbit", "kbps", "kb/s", "kilobit", "kilo bit", NULL };
  static const gchar *const plain[] = { "bps", "bit/s", "bits/s", "bits per", "bit per", NULL };
  gint64 low = 0, high = 0, preset = 0;
  const gchar *blurb = g_param_spec_get_blurb (spec);
  g_autofree gchar *text = g_ascii_strdown (blurb != NULL ? blurb : "", -1);
  if (mentions (text, kilo) || mentions (text, plain)) {
    return mentions (text, kilo) ? 1000 : 1;
  }
  gst_weir_encoder_integer_range (spec, &low, &high, &preset);
  return (preset > 0 ? preset < 20000 : high <= 4000000) ? 1000 : 1;
}

static gboolean
guess_row (GstElement *element, const gchar *kind, GstWeirEncoderInfo *info, gchar **note)
{
  static const gchar *const names[] = { "bitrate", "target-bitrate" };
  gint64 low, high, preset;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    GParamSpec *spec = gst_weir_encoder_find_property (element, names[i]);
    if (spec != NULL && (spec->flags & G_PARAM_WRITABLE) != 0
        && (spec->flags & G_PARAM_READABLE) != 0
        && gst_weir_encoder_integer_range (spec, &low, &high, &preset)) {
      *info = (GstWeirEncoderInfo){ .factory = "",
                                    .property = names[i],
                                    .unit_bps = guess_unit_bps (spec),
                                    .min_bps = 1000,
                                    .live = GST_WEIR_LIVE_IF_FLAGGED,
                                    CHEAP };
      *note = g_strdup_printf ("%s is not known; taking its %s to be in %sbit/s", kind, names[i],
                               info->unit_bps == 1 ? "" : "k");
      return TRUE;
    }
  }
  *note = g_strdup_printf ("%s has no bitrate that can be driven", kind);
  return FALSE;
}

/* What is known about element, in info. FALSE: it has nothing to drive. *note (free it) is a
 * sentence for the user when something had to be guessed or is missing, else NULL. */
gboolean
gst_weir_encoder_info_for (GstElement *element, GstWeirEncoderInfo *info, gchar **note)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *kind = factory != NULL ? GST_OBJECT_NAME (factory) : G_OBJECT_TYPE_NAME (element);
  const GstWeirEncoderInfo *row = find_row (kind);
  *note = NULL;
  if (row == NULL || gst_weir_encoder_find_property (element, row->property) == NULL) {
    return guess_row (element, kind, info, note);
  }
  *info = *row;
  return TRUE;
}
