/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The algorithm of a plugin in a real pipeline, over real feedback: it moves the rate with the
 * capacity; one whose answers are impossible is held at the minimum, and the pipeline goes on. */
#include "pipeline_run.h"

#define LEAST_BPS  100000
#define START_BPS  300000
#define RISEN_BPS  600000
#define NARROW_BPS 400000
#define N_PACKETS  20

#define PIPELINE                                                                                   \
    VIDEO("300")                                                                                   \
    " ! " PAY " ! application/x-rtp," X " ! weirsend name=s algorithm=%s min-bitrate=%d "          \
    "start-bitrate=%d max-bitrate=2000000 ! queue ! "                                              \
    "weirlink name=l capacity=1500000 delay=20000000 queue-time=200000000 seed=1 ! "               \
    "weirrecv name=r ! " END " r.rtcp_src ! queue ! s.rtcp_sink s.rtcp_src ! queue ! r.rtcp_sink"

static void begin(Run *run, const gchar *algorithm)
{
    g_autofree gchar *line = g_strdup_printf(PIPELINE, algorithm, LEAST_BPS, START_BPS);
    run_begin(run, NULL, line);
}

static gboolean has_risen(gpointer run)
{
    return uint_of(((Run *)run)->send, "target-bitrate") >= RISEN_BPS;
}

static gboolean has_fallen(gpointer run)
{
    return uint_of(((Run *)run)->send, "target-bitrate") < NARROW_BPS;
}

static void test_moves_the_rate_with_the_capacity(void)
{
    Run run;
    begin(&run, "example");
    g_assert_true(run_until(&run, has_risen, &run));
    g_test_message("from %d to %u", START_BPS, uint_of(run.send, "target-bitrate"));
    GstElement *link = gst_bin_get_by_name(GST_BIN(run.pipeline), "l");
    g_object_set(link, "capacity", (guint64)NARROW_BPS, NULL);
    gst_object_unref(link);
    g_assert_true(run_until(&run, has_fallen, &run));
    report(&run);
    g_assert_cmpint(stat_of(&run, "packets-received"), >, N_PACKETS);
    g_assert_cmpstr(run.warnings->str, ==, "");
    run_end(&run);
}

static gboolean goes_on(gpointer run)
{
    return stat_of(run, "packets-received") >= N_PACKETS;
}

static void test_impossible_answers_are_held_at_the_minimum(void)
{
    Run run;
    begin(&run, "broken");
    g_assert_true(run_until(&run, goes_on, &run));
    report(&run);
    g_assert_cmpuint(uint_of(run.send, "target-bitrate"), ==, LEAST_BPS);
    run_end(&run);
}

int main(int argc, char **argv)
{
    gst_init(&argc, &argv);
    g_test_init(&argc, &argv, NULL);
    g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
    g_log_set_handler("GStreamer", G_LOG_LEVEL_WARNING, on_log, NULL);
#define TEST(function) g_test_add_func("/live/" #function, test_##function)
    TEST(moves_the_rate_with_the_capacity);
    TEST(impossible_answers_are_held_at_the_minimum);
    return g_test_run();
}
