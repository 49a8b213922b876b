/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Beside every pattern of losses that a frame can have, each with its probability. */
#include "../../test.h"
#include "estimators/frame_loss.h"

/* Of the pattern, whose bit i says that packet i is lost. */
static double probability(const struct weir__lossy_channel *channel, unsigned pattern, int packets)
{
    double to_good = 1.0 / channel->burst;
    double to_bad = to_good * channel->loss / (1.0 - channel->loss);
    double product = pattern & 1 ? channel->loss : 1.0 - channel->loss;
    for (int i = 1; i < packets; i++) {
        int was = pattern >> (i - 1) & 1;
        int is = pattern >> i & 1;
        double change = was ? to_good : to_bad;
        product *= was == is ? 1.0 - change : change;
    }
    return product;
}

/* Parts of even size, one repair packet each: at most one packet of part and repair is lost. */
static int is_lost(unsigned pattern, int media, int repair)
{
    for (int i = 0; i < repair; i++) {
        int size = media / repair;
        int lost_media = __builtin_popcount(pattern >> (i * size) & ((1u << size) - 1));
        int lost_repair = pattern >> (media + i) & 1;
        if (lost_media > 1 || (lost_media == 1 && lost_repair)) {
            return 1;
        }
    }
    return repair == 0 && pattern != 0;
}

static double enumerate(const struct weir__lossy_channel *channel, int media, int repair)
{
    double lost = 0.0;
    for (unsigned pattern = 0; pattern < 1u << (media + repair); pattern++) {
        lost += is_lost(pattern, media, repair) ? probability(channel, pattern, media + repair) : 0;
    }
    return lost;
}

static void a_frame_with_one_part_is_exact(void)
{
    static const double losses[] = {0.0, 0.001, 0.01, 0.05, 0.2, 0.5};
    static const double bursts[] = {2.0, 3.0, 5.0, 20.0};
    for (unsigned l = 0; l < G_N_ELEMENTS(losses); l++) {
        for (unsigned b = 0; b < G_N_ELEMENTS(bursts); b++) {
            struct weir__lossy_channel channel = {losses[l], bursts[b]};
            for (int media = 1; media <= 10; media++) {
                for (int repair = 0; repair <= 1; repair++) {
                    assert_near(weir__frame_loss(&channel, media, repair),
                                enumerate(&channel, media, repair), 1e-12);
                }
            }
        }
    }
}

/* Independent losses make independent parts. */
static void losses_of_chance_are_exact_with_any_number_of_parts(void)
{
    for (double loss = 0.0; loss < 0.5; loss += 0.04) {
        struct weir__lossy_channel channel = {loss, 1.0 / (1.0 - loss)};
        struct weir__lossy_channel less = {loss, 1.0};
        for (int repair = 1; repair <= 4; repair++) {
            for (int size = 1; size * repair <= 8; size++) {
                double lost = weir__frame_loss(&channel, size * repair, repair);
                assert_near(lost, enumerate(&channel, size * repair, repair), 1e-12);
                assert_near(weir__frame_loss(&less, size * repair, repair), lost, 1e-12);
            }
        }
    }
}

/* Within a factor: a burst that fills one part goes on in the next, and the sum counts it twice. */
static void bursts_over_several_parts_are_near(void)
{
    struct weir__lossy_channel channel = {0.03, 5.0};
    for (int repair = 2; repair <= 4; repair++) {
        double lost = weir__frame_loss(&channel, 2 * repair, repair);
        double exact = enumerate(&channel, 2 * repair, repair);
        g_test_message("%d parts of 2: %g, exact %g", repair, lost, exact);
        g_assert_cmpfloat(lost, >=, exact * 0.999);
        g_assert_cmpfloat(lost, <=, exact * 2.0);
    }
}

static void numbers_between_are_a_mixture(void)
{
    struct weir__lossy_channel channel = {0.05, 1.0};
    double few = weir__frame_loss(&channel, 4.0, 1.0);
    double many = weir__frame_loss(&channel, 4.0, 2.0);
    assert_near(weir__frame_loss(&channel, 4.0, 1.25), 0.75 * few + 0.25 * many, 1e-12);
    g_assert_cmpfloat(weir__frame_loss(&channel, 1e6, 1e6), <=, 1.0);
    g_assert_cmpfloat(weir__frame_loss(&channel, 1e6, 0.0), >, 0.9);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/frame_loss/a_frame_with_one_part_is_exact", a_frame_with_one_part_is_exact);
    g_test_add_func("/frame_loss/losses_of_chance_are_exact_with_any_number_of_parts",
                    losses_of_chance_are_exact_with_any_number_of_parts);
    g_test_add_func("/frame_loss/bursts_over_several_parts_are_near",
                    bursts_over_several_parts_are_near);
    g_test_add_func("/frame_loss/numbers_between_are_a_mixture", numbers_between_are_a_mixture);
    return g_test_run();
}
