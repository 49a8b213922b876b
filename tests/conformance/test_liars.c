/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each algorithm, with a receiver that lies to get more than there is. */
#include "control/controller.h"
#include "liar_rig.h"
#include "session/queue_check.h"

#define CAPACITY_BPS WEIR_MBPS(1)
#define QUEUE_NS     WEIR_SECONDS(3)

static struct liar_case make_case(uint32_t format, enum liar_tale tale)
{
    return (struct liar_case){
        .format = format,
        .tale = tale,
        .seed = 1,
        .capacity_bps = CAPACITY_BPS,
        .queue_ns = QUEUE_NS,
        .max_bps = WEIR_MBPS(10),
        .start_bps = WEIR_KBPS(300),
        .duration_ns = WEIR_SECONDS(40),
    };
}

typedef void (*judge_fn)(struct liar_rig *rig);

static void for_each_algorithm(struct liar_case c, judge_fn judge)
{
    for (size_t i = 0; weir__controller_at(i); i++) {
        c.algorithm = weir__controller_at(i)->name;
        if (g_strcmp0(c.algorithm, "fixed") == 0) {
            continue;
        }
        struct liar_rig *rig = liar_run(&c);
        g_test_message("%s: %.0f kbit/s allowed at the end, %.0f ms queued", c.algorithm,
                       rig->allowed_bps / 1e3, rig->waited_ms);
        judge(rig);
        liar_free(rig);
    }
}

static uint64_t n_invented(const struct liar_rig *rig)
{
    struct weir_sender_stats stats;
    weir_sender_get_stats(rig->sender, &stats);
    return stats.results_invented;
}

static void is_noticed(struct liar_rig *rig)
{
    g_assert_cmpuint(n_invented(rig), >=, 2);
    g_assert_cmpfloat(rig->allowed_bps, <=, (double)CAPACITY_BPS);
    g_assert_cmpfloat(rig->waited_ms, <, 1.0);
}

static void is_believed(struct liar_rig *rig)
{
    g_assert_cmpuint(n_invented(rig), ==, 0);
    g_assert_cmpfloat(rig->allowed_bps, >, 0.0);
}

static void test_numbers_left_out_give_a_liar_away(void)
{
    for (enum liar_tale tale = LIAR_ALL_RECEIVED; tale <= LIAR_EARLY; tale++) {
        for_each_algorithm(make_case(WEIR_FEEDBACK_TWCC, tale), is_noticed);
    }
}

/* An eighth above the 1.1 of the capacity that lib/session/queue_check.h derives, which may be
 * twice the highest for a moment; and a queue that is looked at once a second. */
static void is_held(struct liar_rig *rig)
{
    g_assert_cmpfloat(rig->allowed_bps, <=, 1.25 * 1.1 * (double)CAPACITY_BPS);
    g_assert_cmpfloat(rig->waited_ms, <=,
                      1e-6 * (double)(WEIR__QUEUE_CHECK_DOUBT_NS + WEIR_SECONDS(1)));
}

/* Numbers of a stream cannot be left out: a receiver would ask for the packets. */
static void test_the_round_trip_gives_a_queue_away(void)
{
    for_each_algorithm(make_case(WEIR_FEEDBACK_CCFB, LIAR_FLAT), is_held);
    for_each_algorithm(make_case(WEIR_FEEDBACK_CCFB, LIAR_BENT), is_held);
    for_each_algorithm(make_case(WEIR_FEEDBACK_TWCC, LIAR_CAREFUL), is_held);
}

/* What is queued on the way back is not ours: it is tested, and left alone from then on. */
static void test_a_busy_way_back_is_left_alone(void)
{
    static const char *const blind_to_it[] = {"sluice", "gcc", "nada"};
    for (size_t i = 0; i < G_N_ELEMENTS(blind_to_it); i++) {
        struct liar_case c = make_case(WEIR_FEEDBACK_CCFB, LIAR_HONEST);
        c.algorithm = blind_to_it[i];
        c.duration_ns = WEIR_SECONDS(60);
        c.busy_ns = WEIR_SECONDS(1);
        c.busy_from_ns = WEIR_SECONDS(20);
        c.busy_to_ns = c.duration_ns;
        struct liar_rig *rig = liar_run(&c);
        g_assert_cmpfloat(rig->allowed_bps, >=, 0.8 * (double)CAPACITY_BPS);
        liar_free(rig);
    }
}

static void test_an_honest_receiver_is_believed(void)
{
    for_each_algorithm(make_case(WEIR_FEEDBACK_TWCC, LIAR_HONEST), is_believed);
    for_each_algorithm(make_case(WEIR_FEEDBACK_CCFB, LIAR_HONEST), is_believed);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/numbers_left_out_give_a_liar_away", test_numbers_left_out_give_a_liar_away);
    g_test_add_func("/the_round_trip_gives_a_queue_away", test_the_round_trip_gives_a_queue_away);
    g_test_add_func("/a_busy_way_back_is_left_alone", test_a_busy_way_back_is_left_alone);
    g_test_add_func("/an_honest_receiver_is_believed", test_an_honest_receiver_is_believed);
    return g_test_run();
}
