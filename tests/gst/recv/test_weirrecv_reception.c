/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a reception makes of packets, alone: no element, no pads. */
#include "recv/weirrecv_reception.h"

#include <gst/check/gsttestclock.h>

#include <string.h>

#define SSRC 0x11223344u
#define EXTENSION 3

typedef struct
{
  GstTestClock *clock;
  GstWeirReception reception;
  guint16 seq;
} Rig;

static void
begin (Rig *rig, guint format)
{
  *rig = (Rig){ .clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (GST_SECOND)) };
  gst_weir_reception_init (&rig->reception, GST_CLOCK (rig->clock));
  gst_weir_reception_start (&rig->reception, format, 0, FALSE, 28);
}

static void
end (Rig *rig)
{
  gst_weir_reception_stop (&rig->reception);
  gst_weir_reception_clear (&rig->reception);
  gst_object_unref (rig->clock);
}

static void
set_extension (Rig *rig)
{
  GstWeirRtpCaps caps = { .clock_rate_hz = 90000, .transport_seq_id = EXTENSION };
  gst_weir_reception_set_caps (&rig->reception, &caps);
}

/* Time goes on by 10 ms, and a packet comes that arrived age_ns before. */
static void
arrive_as (Rig *rig, gboolean numbered, gint64 age_ns, enum weir_ecn ecn)
{
  guint8 packet[32] = { 0x80, 96 };
  GST_WRITE_UINT16_BE (packet + 2, rig->seq);
  GST_WRITE_UINT32_BE (packet + 4, rig->seq * 900u);
  GST_WRITE_UINT32_BE (packet + 8, SSRC);
  if (numbered) {
    const guint8 extension[]
        = { 0xbe, 0xde, 0, 1, EXTENSION << 4 | 1, (guint8) (rig->seq >> 8), (guint8) rig->seq };
    packet[0] |= 0x10;
    memcpy (packet + 12, extension, sizeof extension);
  }
  rig->seq++;
  gst_test_clock_advance_time (rig->clock, 10 * GST_MSECOND);
  g_assert_true (gst_weir_reception_take_rtp (&rig->reception, age_ns, ecn, packet, sizeof packet));
}

static void
arrive (Rig *rig, gboolean numbered)
{
  arrive_as (rig, numbered, 0, WEIR_ECN_NOT_ECT);
}

static gsize
build (Rig *rig, gboolean in_session)
{
  guint8 bytes[1400];
  return gst_weir_reception_build (&rig->reception, in_session, bytes, sizeof bytes);
}

static void
test_packets_make_feedback (void)
{
  Rig rig;
  begin (&rig, WEIR_FEEDBACK_CCFB);
  g_assert_cmpint (gst_weir_reception_next_ns (&rig.reception, FALSE), ==, WEIR_NEVER_NS);
  g_assert_cmpuint (build (&rig, FALSE), ==, 0);
  arrive (&rig, FALSE);
  g_assert_cmpint (gst_weir_reception_next_ns (&rig.reception, FALSE), <=,
                   (gint64) gst_clock_get_time (GST_CLOCK (rig.clock)));
  gsize whole = build (&rig, FALSE);
  g_assert_cmpuint (whole, >, 0);
  for (guint i = 0; i < 10; i++) {
    arrive (&rig, FALSE);
  }
  gsize part = build (&rig, TRUE); /* without what a session writes around it */
  g_assert_cmpuint (part, >, 0);
  g_assert_cmpuint (part, <, whole);
  end (&rig);
}

/* RFC 8888 3.1: R, ECN in two bits, the time before the report in 13, in 1/1024 s. A packet never
 * arrives before the one that came before it. */
static void
test_ecn_and_times_are_reported (void)
{
  static const struct
  {
    gint64 age_ns;
    enum weir_ecn ecn;
    guint16 offset; /* 1/1024 s before the last one came to us */
  } cases[] = { { 0, WEIR_ECN_ECT0, 30 },
                { 0, WEIR_ECN_CE, 20 },
                { 5 * GST_MSECOND, WEIR_ECN_ECT1, 15 },
                { 50 * GST_MSECOND, WEIR_ECN_NOT_ECT, 15 } };
  guint8 bytes[1400];
  Rig rig;
  begin (&rig, WEIR_FEEDBACK_CCFB);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    arrive_as (&rig, FALSE, cases[i].age_ns, cases[i].ecn);
  }
  g_assert_cmpuint (gst_weir_reception_build (&rig.reception, TRUE, bytes, sizeof bytes), >=, 24);
  g_assert_cmpuint (bytes[0] & 31, ==, 11);
  g_assert_cmpuint (bytes[1], ==, 205);
  g_assert_cmpuint (GST_READ_UINT16_BE (bytes + 14), ==, G_N_ELEMENTS (cases));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint16 block = GST_READ_UINT16_BE (bytes + 16 + 2 * i);
    g_assert_cmpuint (block >> 15, ==, 1);
    g_assert_cmpuint (block >> 13 & 3, ==, cases[i].ecn);
    g_assert_cmpint (ABS ((block & 0x1fff) * 1000 / 1024 - cases[i].offset), <=, 1);
  }
  end (&rig);
}

/* rr and twcc the session writes itself. */
static void
test_a_session_needs_what_it_does_not_write (void)
{
  static const struct
  {
    guint format;
    gboolean wanted;
  } cases[] = { { WEIR_FEEDBACK_CCFB, TRUE },
                { WEIR_FEEDBACK_REMB, TRUE },
                { WEIR_FEEDBACK_TWCC, FALSE },
                { WEIR_FEEDBACK_RR, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig rig;
    begin (&rig, cases[i].format);
    set_extension (&rig);
    for (guint k = 0; k < 20; k++) {
      arrive (&rig, FALSE);
    }
    gint64 due_ns = gst_weir_reception_next_ns (&rig.reception, TRUE);
    g_assert_cmpint (due_ns != WEIR_NEVER_NS, ==, cases[i].wanted);
    g_assert_cmpint (build (&rig, TRUE) > 0, ==, cases[i].wanted);
    end (&rig);
  }
}

/* Packets with numbers are the session's to report, unless it does not for a second while they
 * come; a pause is no such second. */
static void
test_a_session_that_reports_numbers_is_left_to_it (void)
{
  Rig rig;
  begin (&rig, WEIR_FEEDBACK_CCFB);
  set_extension (&rig);
  for (guint i = 0; i < 99; i++) {
    arrive (&rig, TRUE);
    g_assert_cmpint (gst_weir_reception_next_ns (&rig.reception, TRUE), ==, WEIR_NEVER_NS);
  }
  gst_weir_reception_note_session_report (&rig.reception);
  for (guint i = 0; i < 50; i++) {
    arrive (&rig, TRUE);
  }
  gst_test_clock_advance_time (rig.clock, 5 * GST_SECOND);
  for (guint i = 0; i < 100; i++) {
    arrive (&rig, TRUE);
    g_assert_cmpint (gst_weir_reception_next_ns (&rig.reception, TRUE), ==, WEIR_NEVER_NS);
  }
  arrive (&rig, TRUE);
  g_assert_cmpint (gst_weir_reception_next_ns (&rig.reception, TRUE), !=, WEIR_NEVER_NS);
  g_assert_cmpuint (build (&rig, TRUE), >, 0);
  end (&rig);
}

static void
test_numbers_are_missed_when_the_format_needs_them (void)
{
  Rig rig;
  begin (&rig, WEIR_FEEDBACK_CCFB);
  g_assert_false (gst_weir_reception_lacks_numbers (&rig.reception));
  gst_weir_reception_set_format (&rig.reception, WEIR_FEEDBACK_TWCC, 0, FALSE);
  g_assert_true (gst_weir_reception_lacks_numbers (&rig.reception));
  set_extension (&rig);
  g_assert_false (gst_weir_reception_lacks_numbers (&rig.reception));
  end (&rig);
}

static void
test_a_session_gives_its_ssrc (void)
{
  Rig rig;
  guint8 bytes[1400];
  begin (&rig, WEIR_FEEDBACK_CCFB);
  gst_weir_reception_set_ssrc (&rig.reception, 0xcafe);
  arrive (&rig, FALSE);
  g_assert_cmpuint (gst_weir_reception_build (&rig.reception, TRUE, bytes, sizeof bytes), >, 8);
  g_assert_cmpuint (GST_READ_UINT32_BE (bytes + 4), ==, 0xcafe);
  end (&rig);
}

static void
test_nothing_is_done_when_stopped (void)
{
  Rig rig;
  begin (&rig, WEIR_FEEDBACK_CCFB);
  arrive (&rig, FALSE);
  gst_weir_reception_stop (&rig.reception);
  arrive (&rig, FALSE);
  gst_weir_reception_take_rtcp (&rig.reception, (const guint8 *) "", 0);
  g_assert_cmpint (gst_weir_reception_next_ns (&rig.reception, FALSE), ==, WEIR_NEVER_NS);
  g_assert_cmpuint (build (&rig, FALSE), ==, 0);
  GstStructure *stats = gst_weir_reception_make_stats (&rig.reception);
  g_assert_false (gst_structure_has_field (stats, "rtt")); /* not known */
  gst_structure_free (stats);
  end (&rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirrecv_reception/" #name, test_##name)
  ADD (packets_make_feedback);
  ADD (a_session_needs_what_it_does_not_write);
  ADD (a_session_that_reports_numbers_is_left_to_it);
  ADD (numbers_are_missed_when_the_format_needs_them);
  ADD (a_session_gives_its_ssrc);
  ADD (nothing_is_done_when_stopped);
  ADD (ecn_and_times_are_reported);
  return g_test_run ();
}
