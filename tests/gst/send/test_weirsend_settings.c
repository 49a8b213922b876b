/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings: any order before the start, checked together then; while playing a wrong one is refused
 * in words and changes nothing. */
#include "send/send_harness.h"
#include "send/weirsend_settings.h"

#define KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d"
#define GCM_KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b"

static guint
get_uint (Rig *rig, const gchar *name)
{
  guint value = 0;
  g_object_get (rig->send, name, &value, NULL);
  return value;
}

static gchar *
get_algorithm (Rig *rig)
{
  gint value = 0;
  g_object_get (rig->send, "algorithm", &value, NULL);
  GEnumClass *klass = g_type_class_peek (
      g_object_class_find_property (G_OBJECT_GET_CLASS (rig->send), "algorithm")->value_type);
  return g_strdup (g_enum_get_value (klass, value)->value_nick);
}

typedef struct
{
  const gchar *properties;
  const gchar *says; /* NULL: it starts */
} Start;

static const Start starts[] = {
  { "", NULL },
  { "min-bitrate=20000000 max-bitrate=30000000 start-bitrate=25000000", NULL },
  { "start-bitrate=25000000 max-bitrate=30000000 min-bitrate=20000000", NULL },
  { "max-bitrate=200000", NULL },  /* below the default start */
  { "min-bitrate=2000000", NULL }, /* above it */
  { "srtp-cipher=aes-128-gcm", "srtp-key is missing|aes-128-gcm|28 bytes" },
#ifdef WEIR_HAVE_SRTP
  { "srtp-key=" KEY, NULL },
  { "srtp-key=" KEY " srtp-cipher=aes-128-icm-hmac-sha1-32", NULL },
  { "srtp-cipher=aes-128-gcm srtp-key=" GCM_KEY, NULL },
  { "srtp-key=1011121314", "srtp-key has 5 bytes|too short|aes-128-icm-hmac-sha1-80 needs 30" },
  { "srtp-key=" GCM_KEY, "srtp-key has 28 bytes|too short|needs 30 (60 hex" },
  { "srtp-key=" KEY " srtp-cipher=aes-128-gcm", "has 30 bytes|too long|aes-128-gcm needs 28" },
#else
  { "srtp-key=" KEY, "built without libsrtp" },
#endif
  { "min-bitrate=500000 max-bitrate=100000", "min-bitrate=500000|max-bitrate=100000" },
  { "max-bitrate=4000", "min-bitrate=30000|max-bitrate=4000|4 Mbit/s is 4000000" },
  { "algorithm=tfrc params=\"params,profile=rfc3448\"", NULL },
  { "algorithm=fixed params=\"params,rate-bps=500000\"", NULL },
  { "params=\"params,rate-bps=500000\" algorithm=fixed", NULL },
  { "params=\"params,rate-bps=(string)500000\" algorithm=fixed", NULL },
  { "algorithm=tfrc params=\"params,sp=true\"", NULL },
  { "algorithm=tfrc params=\"params,sp=(string)yes\"", NULL },
  { "algorithm=tfrc params=\"params,wrong=1\"", "tfrc has no parameter \"wrong\"|profile" },
  { "algorithm=tfrc params=\"params,loss-intervals=0\"", "loss-intervals=0 is out of range" },
  { "algorithm=tfrc params=\"params,profile=nosuch\"", "profile=nosuch|rfc3448" },
  { "algorithm=tfrc params=\"params,loss-intervals=(GstCaps)x/y\"", "loss-intervals is a GstCaps" },
  { "algorithm=fixed params=\"params,profile=rfc3448\"", "fixed has no parameter \"profile\"" },
};

static void
test_settings_are_checked_together_at_the_start (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++) {
    g_test_message ("%s", starts[i].properties);
    Rig *rig = rig_new_idle (starts[i].properties);
    GstStateChangeReturn result = gst_element_set_state (rig->send, GST_STATE_PAUSED);
    if (starts[i].says == NULL) {
      g_assert_cmpint (result, !=, GST_STATE_CHANGE_FAILURE);
      rig_expect_silence (rig);
      guint target = get_uint (rig, "target-bitrate");
      g_assert_cmpuint (target, >=, get_uint (rig, "min-bitrate"));
      g_assert_cmpuint (target, <=, get_uint (rig, "max-bitrate"));
    } else {
      g_assert_cmpint (result, ==, GST_STATE_CHANGE_FAILURE);
      rig_expect_error (rig, starts[i].says);
    }
    rig_free (rig);
  }
}

/* A start that failed can be put right and tried again. */
static void
test_a_failed_start_can_be_repaired (void)
{
  Rig *rig = rig_new_idle ("min-bitrate=500000 max-bitrate=100000");
  for (guint i = 0; i < 5; i++) {
    g_assert_cmpint (gst_element_set_state (rig->send, GST_STATE_PAUSED), ==,
                     GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (rig->send, GST_STATE_NULL);
  }
  g_object_set (rig->send, "max-bitrate", 600000, NULL);
  g_assert_cmpint (gst_element_set_state (rig->send, GST_STATE_PAUSED), !=,
                   GST_STATE_CHANGE_FAILURE);
  rig_free (rig);
}

static void
test_zero_is_no_bitrate (void)
{
  static const gchar *const names[] = { "min-bitrate", "max-bitrate", "start-bitrate" };
  Rig *rig = rig_new_idle ("");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    guint before = get_uint (rig, names[i]);
    g_object_set (rig->send, names[i], 0, NULL);
    g_assert_cmpuint (get_uint (rig, names[i]), ==, before);
    rig_expect_warning (rig, names[i]);
  }
  rig_free (rig);
}

/* gst-launch sets properties before there is a bus: what was wrong is said at the start. */
static void
test_early_complaints_are_not_lost (void)
{
  Rig *rig = rig_new_idle ("min-bitrate=0 max-queue-time=0 pacing-quantum=5000001");
  gst_element_set_state (rig->send, GST_STATE_PAUSED);
  rig_expect_warning (rig, "min-bitrate=0|at least 1 bit/s|stays 30000");
  rig_expect_warning (rig, "max-queue-time=0");
  rig_expect_warning (rig, "pacing-quantum=5000001|at most 5000000 ns|stays 5000000");
  rig_expect_silence (rig);
  rig_free (rig);
}

static void
test_bounds_are_kept_while_playing (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  g_object_set (rig->send, "min-bitrate", 20000000, NULL);
  rig_expect_warning (rig, "min-bitrate=20000000|max-bitrate=10000000|stays 30000");
  g_assert_cmpuint (get_uint (rig, "min-bitrate"), ==, 30000);
  g_object_set (rig->send, "max-bitrate", 20000, NULL);
  rig_expect_warning (rig, "min-bitrate=30000|max-bitrate=20000|stays 10000000");
  g_assert_cmpuint (get_uint (rig, "max-bitrate"), ==, 10000000);
  g_object_set (rig->send, "max-bitrate", 400000, NULL);
  g_assert_cmpuint (get_uint (rig, "target-bitrate"), ==, 400000);
  g_object_set (rig->send, "max-bitrate", 30000000, "min-bitrate", 25000000, NULL);
  g_assert_cmpuint (get_uint (rig, "target-bitrate"), ==, 25000000);
  rig_expect_silence (rig);
  rig_free (rig);
}

static void
test_a_wrong_quantum_changes_nothing (void)
{
  static const guint64 wrong_ns[] = { 5000001, GST_SECOND, G_MAXINT64, G_MAXUINT64 };
  Rig *rig = rig_new ("encoders=none pacing-quantum=3000000", VIDEO_CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (wrong_ns); i++) {
    guint64 quantum_ns = 0;
    g_object_set (rig->send, "pacing-quantum", wrong_ns[i], NULL);
    rig_expect_warning (rig, "pacing-quantum=|at most 5000000 ns|stays 3000000");
    g_object_get (rig->send, "pacing-quantum", &quantum_ns, NULL);
    g_assert_cmpuint (quantum_ns, ==, 3000000);
  }
  g_object_set (rig->send, "pacing-quantum", (guint64) 5000000, NULL);
  g_object_set (rig->send, "pacing-quantum", (guint64) 0, NULL);
  rig_expect_silence (rig);
  rig_free (rig);
}

static void
test_the_algorithm_changes_while_playing (void)
{
  Rig *rig = rig_new ("encoders=none algorithm=tfrc params=\"params,profile=rfc3448\"", VIDEO_CAPS);
  for (guint i = 0; i < 20; i++) {
    gst_harness_push (rig->h, rtp (i, 500));
    gst_util_set_object_arg (G_OBJECT (rig->send), "algorithm", i % 2 == 0 ? "fixed" : "tfrc");
    gchar *name = get_algorithm (rig);
    g_assert_cmpstr (name, ==, i % 2 == 0 ? "fixed" : "tfrc");
    g_free (name);
    rig_run_until (rig, (i + 1) * 20 * GST_MSECOND);
  }
  g_assert_cmpuint (rig_n_buffers (rig), ==, 20);
  GstStructure *params = NULL;
  g_object_get (rig->send, "params", &params, NULL);
  g_assert_null (params); /* they were the first algorithm's */
  rig_expect_silence (rig);
  rig_free (rig);
}

static void
test_every_algorithm_can_be_chosen (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GEnumClass *klass = g_type_class_peek (
      g_object_class_find_property (G_OBJECT_GET_CLASS (rig->send), "algorithm")->value_type);
  g_assert_cmpuint (klass->n_values, >=, 2);
  for (guint i = 0; i < klass->n_values; i++) {
    g_object_set (rig->send, "algorithm", klass->values[i].value, NULL);
    gchar *name = get_algorithm (rig);
    g_assert_cmpstr (name, ==, klass->values[i].value_nick);
    g_free (name);
  }
  rig_free (rig);
}

static void
test_wrong_params_change_nothing_while_playing (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstStructure *wrong = gst_structure_new ("params", "rate", G_TYPE_INT, 5, NULL);
  g_object_set (rig->send, "params", wrong, NULL);
  gst_structure_free (wrong);
  rig_expect_warning (rig, "fixed has no parameter \"rate\"|rate-bps");
  GstStructure *params = NULL;
  gint rate = 0;
  g_object_get (rig->send, "params", &params, NULL);
  g_assert_true (gst_structure_get_int (params, "rate-bps", &rate));
  g_assert_cmpint (rate, ==, 2000000);
  gst_structure_set (params, "rate-bps", G_TYPE_INT, 1000000, NULL);
  g_object_set (rig->send, "params", params, NULL);
  gst_structure_free (params);
  rig_expect_silence (rig);
  g_assert_cmpuint (rig_stat (rig, "allowed-bitrate"), ==, 1000000);
  g_object_set (rig->send, "params", NULL, NULL); /* the defaults */
  rig_expect_silence (rig);
  rig_free (rig);
}

static void
test_many_params_are_refused_not_overrun (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstStructure *many = gst_structure_new_empty ("params");
  for (guint i = 0; i < 200; i++) {
    gchar *name = g_strdup_printf ("rate-bps%u", i);
    gst_structure_set (many, name, G_TYPE_INT, 1, NULL);
    g_free (name);
  }
  g_object_set (rig->send, "params", many, NULL);
  gst_structure_free (many);
  rig_expect_warning (rig, "params");
  rig_free (rig);
}

static void
test_settings_may_change_from_any_thread_while_playing (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  static const gchar *const policies[] = { "drop-newest", "drop-oldest", "drop-frame" };
  for (guint i = 0; i < 300; i++) {
    gst_util_set_object_arg (G_OBJECT (rig->send), "queue-policy", policies[i % 3]);
    g_object_set (rig->send, "pacing", (gint) (i % 2), "overhead", (gint) (i % 60) - 1,
                  "max-queue-time", (guint64) (i + 1) * GST_MSECOND, "start-bitrate", 100000 + i,
                  "feedback", i % 32, "stats-interval", (guint64) (3600 + i) * GST_SECOND, NULL);
    gst_harness_push (rig->h, rtp (i, 100));
  }
  guint64 time = 0;
  g_object_get (rig->send, "max-queue-time", &time, NULL);
  g_assert_cmpuint (time, ==, 300 * GST_MSECOND);
  rig_expect_silence (rig);
  rig_free (rig);
}

/* --- By themselves, without an element --- */

static void
test_the_start_is_kept_within_the_bounds (void)
{
  static const guint cases[][4] = { /* minimum, maximum, start, what it starts with */
                                    { 1000, 9000, 5000, 5000 },
                                    { 1000, 9000, 500, 1000 },
                                    { 1000, 9000, 10000, 9000 },
                                    { 7000, 7000, 1, 7000 }
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstWeirSendSettings settings;
    struct weir_limits limits;
    gchar *why = NULL;
    gst_weir_send_settings_init (&settings);
    settings.min_bps = cases[i][0];
    settings.max_bps = cases[i][1];
    settings.start_bps = cases[i][2];
    g_assert_true (gst_weir_send_check_limits (&settings, &why));
    gst_weir_send_get_limits (&settings, &limits);
    g_assert_cmpint (limits.start_bps, ==, cases[i][3]);
    settings.min_bps = settings.max_bps + 1;
    g_assert_false (gst_weir_send_check_limits (&settings, &why));
    g_assert_nonnull (strstr (why, "min-bitrate"));
    g_free (why);
    gst_weir_send_settings_clear (&settings);
  }
}

static void
test_params_of_any_type_are_read (void)
{
  struct weir_param_value values[GST_WEIR_PARAMS_MAX];
  gchar *why = NULL;
  GstStructure *params = gst_structure_new ("params", "rate-bps", G_TYPE_INT, 500000, NULL);
  g_assert_cmpuint (gst_weir_params_read (NULL, "fixed", values, &why), ==, 0);
  g_assert_null (why);
  g_assert_cmpuint (gst_weir_params_read (params, "fixed", values, &why), ==, 1);
  g_assert_null (why);
  g_assert_cmpstr (values[0].name, ==, "rate-bps");
  g_assert_cmpfloat (values[0].value, ==, 500000);
  gst_structure_set (params, "rate-bps", G_TYPE_STRING, "400000", NULL);
  g_assert_cmpuint (gst_weir_params_read (params, "fixed", values, &why), ==, 1);
  g_assert_cmpstr (values[0].value_text, ==, "400000"); /* for the library to read */
  g_assert_cmpuint (gst_weir_params_read (params, "tfrc", values, &why), ==, 0);
  g_assert_nonnull (strstr (why, "rate-bps"));
  g_free (why);
  gst_structure_free (params);
}

/* Which codepoint each choice of ecn means, for each algorithm: ECT(1) by itself only where it is
 * answered as RFC 9331 asks. */
static void
test_ecn_means_what_the_algorithm_answers (void)
{
  guint n_l4s = 0;
  for (gsize i = 0; i < weir_algorithm_count (); i++) {
    GstWeirSendSettings settings;
    struct weir_algorithm_info info;
    gst_weir_send_settings_init (&settings);
    g_assert_cmpint (gst_weir_send_get_ecn (&settings), ==, WEIR_ECN_NOT_ECT);
    settings.algorithm = weir_algorithm_name (i);
    weir_algorithm_get_info (settings.algorithm, &info);
    gboolean l4s = (info.needs & WEIR_ANSWERS_L4S) != 0;
    n_l4s += l4s ? 1 : 0;
    g_assert_cmpint (gst_weir_send_answers_l4s (&settings), ==, l4s);
    settings.ecn = GST_WEIR_ECN_AUTO;
    g_assert_cmpint (gst_weir_send_get_ecn (&settings), ==, l4s ? WEIR_ECN_ECT1 : WEIR_ECN_ECT0);
    settings.ecn = GST_WEIR_ECN_ECT0;
    g_assert_cmpint (gst_weir_send_get_ecn (&settings), ==, WEIR_ECN_ECT0);
    settings.ecn = GST_WEIR_ECN_ECT1;
    g_assert_cmpint (gst_weir_send_get_ecn (&settings), ==, WEIR_ECN_ECT1);
    gst_weir_send_settings_clear (&settings);
  }
  g_assert_cmpuint (n_l4s, >, 0);
}

/* ECT(1) with an algorithm that is not for it is set, and warned of, whichever comes last. */
static void
test_ect1_is_warned_of (void)
{
  Rig *rig = rig_new_idle ("algorithm=tfrc");
  gst_element_set_state (rig->send, GST_STATE_PAUSED); /* before there are packets to mark */
  gst_util_set_object_arg (G_OBJECT (rig->send), "ecn", "ect1");
  rig_expect_warning (rig, "ecn=ect1|tfrc does not answer|ecn=auto");
  rig_free (rig);
  rig = rig_new_idle ("algorithm=sluice ecn=ect1");
  gst_element_set_state (rig->send, GST_STATE_PAUSED);
  rig_expect_silence (rig);
  rig_free (rig);
  rig = rig_new_idle ("algorithm=sluice ecn=ect1");
  gst_util_set_object_arg (G_OBJECT (rig->send), "algorithm", "gcc");
  gst_element_set_state (rig->send, GST_STATE_PAUSED);
  rig_expect_warning (rig, "ecn=ect1|gcc does not answer|ecn=auto");
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_settings/" #name, test_##name)
  ADD (settings_are_checked_together_at_the_start);
  ADD (a_failed_start_can_be_repaired);
  ADD (zero_is_no_bitrate);
  ADD (early_complaints_are_not_lost);
  ADD (bounds_are_kept_while_playing);
  ADD (a_wrong_quantum_changes_nothing);
  ADD (the_algorithm_changes_while_playing);
  ADD (every_algorithm_can_be_chosen);
  ADD (wrong_params_change_nothing_while_playing);
  ADD (many_params_are_refused_not_overrun);
  ADD (settings_may_change_from_any_thread_while_playing);
  ADD (the_start_is_kept_within_the_bounds);
  ADD (params_of_any_type_are_read);
  ADD (ecn_means_what_the_algorithm_answers);
  ADD (ect1_is_warned_of);
  return g_test_run ();
}
