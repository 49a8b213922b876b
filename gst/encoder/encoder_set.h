/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside the set of encoders: what encoder.c and its worker share. */
#ifndef GST_WEIR_ENCODER_SET_H
#define GST_WEIR_ENCODER_SET_H

#include "common/worker.h"
#include "encoder/encoder.h"
#include "encoder/encoder_driven.h"
#include "encoder/encoder_follow.h"
#include "weir/shares.h"

struct _GstWeirEncoders
{
  GstClock *clock;      /* the machine's, whatever the pipeline's */
  GstWeirWorker worker; /* runs as soon as there is something to do; locks itself */

  GMutex lock;         /* protects everything below; never held while an element is asked or told */
  gboolean running;    /* between start () and stop () */
  GPtrArray *encoders; /* of GstWeirEncoder */
  struct weir_shares *shares;
  gboolean has_strangers; /* media of no known encoder came: nothing is known of who is idle */
  gint n_encoders;        /* atomic: how many there are */
  gint64 target_bps;      /* < 0: none yet */
  guint64 media_bytes;    /* that came so far */
  GstWeirRatePicture
      picture; /* that the encoder gets, if a weirscale says so; width 0: none does */
  GstWeirFollow follow;
  gboolean not_following; /* to be reported */
  GQueue warnings;        /* texts, owned */

  GstWeirEncodersWarning warning; /* nullable; constant, like the next */
  gpointer user;
  GstElement *asked; /* whether frames are left out; not owned; NULL: nobody */
  GstWeirSkipsFrame skips;
};

void gst_weir_encoders_wake_locked (GstWeirEncoders *self);
void gst_weir_encoders_forget_locked (GstWeirEncoders *self, GstWeirEncoder *encoder);
void gst_weir_encoders_warn_locked (GstWeirEncoders *self, gchar *text);
gint64 gst_weir_encoders_plan_locked (GstWeirEncoders *self, GstWeirEncoder *encoder, gint64 now_ns,
                                      gint64 *bitrate_bps);
void gst_weir_encoders_check_fixed (GstWeirEncoders *self, GstWeirEncoder *encoder);
gint64 gst_weir_encoders_work (gpointer encoders);

#endif
