/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements that repair are told what the losses are worth, on a test clock. */
#include "repair/repair.h"
#include "test_clock.h"

#include <gst/check/gstcheck.h>

typedef struct
{
  GstClock *clock;
  GstElement *bin;
  GstPad *sinkpad; /* what is found before it */
  GstWeirRepair *repair;
  GMutex lock; /* protects the rest */
  gboolean known;
  GstWeirRepairLook look;
  GPtrArray *warnings;
} Rig;

static gboolean
look (gpointer user, GstWeirRepairLook *seen)
{
  Rig *rig = user;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&rig->lock);
  *seen = rig->look;
  seen->now_ns = (gint64) gst_clock_get_time (rig->clock);
  return rig->known;
}

static void
warn (gpointer user, const gchar *text)
{
  Rig *rig = user;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&rig->lock);
  g_ptr_array_add (rig->warnings, g_strdup (text));
}

static const GstWeirRepairEvents events = { .look = look, .warn = warn };

/* launch ends in an element called end. */
static Rig *
rig_new (const gchar *launch)
{
  Rig *rig = g_new0 (Rig, 1);
  rig->clock = gst_test_clock_new ();
  rig->bin = gst_object_ref_sink (gst_parse_bin_from_description (launch, FALSE, NULL));
  g_autoptr (GstElement) end = gst_bin_get_by_name (GST_BIN (rig->bin), "end");
  rig->sinkpad = gst_element_get_static_pad (end, "sink");
  rig->repair = gst_weir_repair_new (rig->clock, &events, rig);
  rig->warnings = g_ptr_array_new_with_free_func (g_free);
  g_mutex_init (&rig->lock);
  rig->known = TRUE;
  rig->look.view = (struct weir_repair_view){ .burst_milli = 1000,
                                              .rtt_ns = WEIR_MS (100),
                                              .target_media_bps = 1000000,
                                              .min_media_bps = 30000 };
  return rig;
}

static void
rig_free (Rig *rig)
{
  gst_weir_repair_free (rig->repair);
  g_ptr_array_unref (rig->warnings);
  gst_object_unref (rig->sinkpad);
  gst_object_unref (rig->bin);
  gst_object_unref (rig->clock);
  g_mutex_clear (&rig->lock);
  g_free (rig);
}

static void
begin (Rig *rig)
{
  gst_weir_repair_start (rig->repair);
  gst_weir_repair_set (rig->repair, TRUE, WEIR_MS (200));
  gst_weir_repair_find (rig->repair, rig->sinkpad, TRUE);
  for (guint i = 0; i < 200; i++) {
    gst_weir_repair_on_media (rig->repair, i % 4 == 3);
  }
}

/* The worker has done all that is due until then. */
static void
pass (Rig *rig, guint seconds)
{
  run_clock (GST_TEST_CLOCK (rig->clock), gst_clock_get_time (rig->clock) + seconds * GST_SECOND);
}

static void
lose (Rig *rig, gint64 loss_ppm, guint seconds)
{
  g_mutex_lock (&rig->lock);
  rig->look.view.loss_ppm = loss_ppm;
  g_mutex_unlock (&rig->lock);
  pass (rig, seconds);
}

static gint
number (Rig *rig, const gchar *element, const gchar *property)
{
  gint value = -1;
  g_autoptr (GstElement) found = gst_bin_get_by_name (GST_BIN (rig->bin), element);
  g_object_get (found, property, &value, NULL);
  return value;
}

#define BOTH                                                                                       \
  "funnel name=f ! identity name=end  identity ! rtpulpfecenc name=fec pt=122 percentage=7 ! f.  " \
  "opusenc name=opus ! rtpopuspay ! f."

static void
test_fec_and_opus_follow_what_is_lost (void)
{
  Rig *rig = rig_new (BOTH);
  begin (rig);
  lose (rig, 30000, 2);
  gint at_three = number (rig, "fec", "percentage");
  g_assert_cmpint (at_three, >, 0);
  g_assert_cmpint (at_three, <=, 50);
  g_assert_cmpint (number (rig, "opus", "packet-loss-percentage"), ==, 3);
  g_assert_cmpint (number (rig, "opus", "inband-fec"), ==, TRUE);
  GstWeirRepairState state = gst_weir_repair_get_state (rig->repair);
  g_assert_true (state.known);
  g_assert_cmpint ((gint) state.advice.percent, ==, at_three);
  g_assert_cmpint (state.advice.reason, ==, WEIR_REPAIR_LOSS);
  g_assert_true (state.drives_fec && state.drives_in_packet);
  lose (rig, 0, 25);
  g_assert_cmpint (number (rig, "fec", "percentage"), ==, 0);
  g_assert_cmpint (number (rig, "opus", "inband-fec"), ==, FALSE);
  g_assert_cmpuint (rig->warnings->len, ==, 0);
  rig_free (rig);
}

static void
test_audio_alone_is_driven_and_nothing_is_missed (void)
{
  Rig *rig = rig_new ("opusenc name=opus ! rtpopuspay ! identity name=end");
  begin (rig);
  lose (rig, 30000, 2);
  g_assert_cmpint (number (rig, "opus", "packet-loss-percentage"), ==, 3);
  g_assert_cmpint (number (rig, "opus", "inband-fec"), ==, TRUE);
  GstWeirRepairState state = gst_weir_repair_get_state (rig->repair);
  g_assert_true (!state.drives_fec && state.drives_in_packet);
  g_assert_cmpuint (rig->warnings->len, ==, 0);
  rig_free (rig);
}

static void
test_before_feedback_nothing_is_touched (void)
{
  Rig *rig = rig_new (BOTH);
  rig->known = FALSE;
  begin (rig);
  lose (rig, 30000, 5);
  g_assert_cmpint (number (rig, "fec", "percentage"), ==, 7);
  g_assert_false (gst_weir_repair_get_state (rig->repair).known);
  rig_free (rig);
}

static void
count_change (G_GNUC_UNUSED GObject *element, G_GNUC_UNUSED GParamSpec *property, gpointer changes)
{
  g_atomic_int_inc ((gint *) changes);
}

/* Nor set and set back. A worker that should not be there gets a moment to do it. */
static void
test_off_nothing_is_touched (void)
{
  Rig *rig = rig_new (BOTH);
  gint changes = 0;
  g_autoptr (GstElement) fec = gst_bin_get_by_name (GST_BIN (rig->bin), "fec");
  g_signal_connect (fec, "notify::percentage", G_CALLBACK (count_change), &changes);
  rig->look.view.loss_ppm = 50000;
  gst_weir_repair_start (rig->repair);
  gst_weir_repair_find (rig->repair, rig->sinkpad, TRUE);
  gst_weir_repair_on_media (rig->repair, TRUE);
  gst_test_clock_advance_time (GST_TEST_CLOCK (rig->clock), 10 * GST_SECOND);
  for (guint ms = 0; ms < 100 && g_atomic_int_get (&changes) == 0; ms++) {
    g_usleep (1000);
  }
  gst_weir_repair_stop (rig->repair);
  g_assert_cmpint (changes, ==, 0);
  g_assert_cmpuint (rig->warnings->len, ==, 0);
  rig_free (rig);
}

/* TRUE: by its property; else by the end of the run. */
static void
test_the_end_sets_everything_back (gconstpointer by_property)
{
  Rig *rig = rig_new (BOTH);
  begin (rig);
  lose (rig, 50000, 2);
  g_assert_cmpint (number (rig, "fec", "percentage"), >, 7);
  if (by_property != NULL) {
    gst_weir_repair_set (rig->repair, FALSE, 0);
    for (guint ms = 0; ms < 10000 && number (rig, "fec", "percentage") != 7; ms++) {
      g_usleep (1000);
    }
  } else {
    gst_weir_repair_stop (rig->repair);
  }
  g_assert_cmpint (number (rig, "fec", "percentage"), ==, 7);
  g_assert_cmpint (number (rig, "opus", "inband-fec"), ==, FALSE);
  g_assert_false (gst_weir_repair_get_state (rig->repair).known);
  rig_free (rig);
}

/* They come in time, and the receiver asks for them. */
static void
test_packets_that_are_sent_again_need_no_fec (void)
{
  for (guint asks = 0; asks <= 1; asks++) {
    Rig *rig = rig_new ("identity ! rtpulpfecenc name=fec pt=122 ! rtprtxsend ! identity name=end");
    rig->look.asked_for = asks != 0;
    begin (rig);
    lose (rig, 30000, 2);
    g_assert_cmpint (number (rig, "fec", "percentage") > 0, ==, asks == 0);
    rig_free (rig);
  }
}

typedef struct
{
  const gchar *launch, *warning;
} Refused;

static void
test_what_cannot_be_driven_is_told_once (void)
{
  static const Refused rows[] = {
    { "identity ! rtpulpfecenc ! identity name=end", "set its pt" },
    { "identity ! identity name=end", "nothing repairs" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Rig *rig = rig_new (rows[i].launch);
    begin (rig);
    lose (rig, 30000, 5);
    gst_weir_repair_find (rig->repair, rig->sinkpad, TRUE);
    pass (rig, 5);
    g_assert_cmpuint (rig->warnings->len, ==, 1);
    g_assert_nonnull (strstr (rig->warnings->pdata[0], rows[i].warning));
    rig_free (rig);
  }
}

/* As webrtcbin does, when the peers have agreed on one. */
static void
test_a_payload_type_may_come_later (void)
{
  Rig *rig = rig_new ("identity ! rtpulpfecenc name=fec ! identity name=end");
  begin (rig);
  lose (rig, 30000, 2);
  g_assert_cmpint (number (rig, "fec", "percentage"), ==, 0);
  g_autoptr (GstElement) fec = gst_bin_get_by_name (GST_BIN (rig->bin), "fec");
  g_object_set (fec, "pt", 122, NULL);
  lose (rig, 30000, 2);
  g_assert_cmpint (number (rig, "fec", "percentage"), >, 0);
  rig_free (rig);
}

/* An element that goes is let go; one that stays is as it was before us, whoever comes. */
static void
test_elements_come_and_go (void)
{
  Rig *rig = rig_new (BOTH);
  begin (rig);
  lose (rig, 30000, 2);
  g_autoptr (GstElement) opus = gst_bin_get_by_name (GST_BIN (rig->bin), "opus");
  gst_bin_remove (GST_BIN (rig->bin), opus);
  gst_weir_repair_find (rig->repair, rig->sinkpad, TRUE);
  lose (rig, 60000, 2);
  GstWeirRepairState state = gst_weir_repair_get_state (rig->repair);
  g_assert_true (state.drives_fec && !state.drives_in_packet);
  gint loss = 0;
  g_object_get (opus, "packet-loss-percentage", &loss, NULL);
  g_assert_cmpint (loss, ==, 3);
  gst_weir_repair_stop (rig->repair);
  g_assert_cmpint (number (rig, "fec", "percentage"), ==, 7);
  rig_free (rig);
}

/* The next one is often made at the address of the one that was freed. */
static void
test_one_put_in_place_of_another_is_driven (void)
{
  Rig *rig = rig_new ("identity name=begin ! rtpulpfecenc name=fec pt=122 ! identity name=end");
  GstBin *bin = GST_BIN (rig->bin);
  g_autoptr (GstElement) first = gst_bin_get_by_name (bin, "begin");
  g_autoptr (GstElement) end = gst_bin_get_by_name (bin, "end");
  begin (rig);
  lose (rig, 30000, 2);
  for (guint i = 0; i < 20; i++) {
    GstElement *old = gst_bin_get_by_name (bin, "fec");
    gst_bin_remove (bin, old);
    gst_object_unref (old);
    GstElement *fresh = gst_element_factory_make ("rtpulpfecenc", "fec");
    g_object_set (fresh, "pt", 122, NULL);
    gst_bin_add (bin, fresh);
    g_assert_true (gst_element_link_many (first, fresh, end, NULL));
    gst_weir_repair_find (rig->repair, rig->sinkpad, TRUE);
    pass (rig, 2);
    guint percent = gst_weir_repair_get_state (rig->repair).advice.percent;
    g_assert_cmpuint (percent, >, 0);
    g_assert_cmpint (number (rig, "fec", "percentage"), ==, (gint) percent);
  }
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/repair/fec_and_opus_follow_what_is_lost",
                   test_fec_and_opus_follow_what_is_lost);
  g_test_add_func ("/repair/audio_alone_is_driven_and_nothing_is_missed",
                   test_audio_alone_is_driven_and_nothing_is_missed);
  g_test_add_func ("/repair/before_feedback_nothing_is_touched",
                   test_before_feedback_nothing_is_touched);
  g_test_add_func ("/repair/off_nothing_is_touched", test_off_nothing_is_touched);
  g_test_add_data_func ("/repair/the_end_sets_everything_back", NULL,
                        test_the_end_sets_everything_back);
  g_test_add_data_func ("/repair/off_sets_everything_back", "", test_the_end_sets_everything_back);
  g_test_add_func ("/repair/packets_that_are_sent_again_need_no_fec",
                   test_packets_that_are_sent_again_need_no_fec);
  g_test_add_func ("/repair/what_cannot_be_driven_is_told_once",
                   test_what_cannot_be_driven_is_told_once);
  g_test_add_func ("/repair/a_payload_type_may_come_later", test_a_payload_type_may_come_later);
  g_test_add_func ("/repair/elements_come_and_go", test_elements_come_and_go);
  g_test_add_func ("/repair/one_put_in_place_of_another_is_driven",
                   test_one_put_in_place_of_another_is_driven);
  return g_test_run ();
}
