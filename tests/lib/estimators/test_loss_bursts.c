/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/loss_bursts.h"

static void bursts_of_one_length_have_that_length(void)
{
    for (int64_t length = 1; length <= 200; length++) {
        struct weir__loss_bursts state = {0};
        for (int64_t seq = 0; seq < 100 * length; seq++) {
            if (seq / length % 3 == 1) {
                weir__loss_bursts_on_lost(&state, seq);
            }
        }
        assert_near(weir__loss_bursts_milli(&state), length * 1000, length * 20);
    }
}

static void it_follows_a_path_that_changes(void)
{
    struct weir__loss_bursts state = {0};
    int64_t seq = 0;
    g_assert_cmpint(weir__loss_bursts_milli(&state), ==, 1000);
    for (int i = 0; i < 1000; i++, seq += 10) {
        weir__loss_bursts_on_lost(&state, seq);
    }
    g_assert_cmpint(weir__loss_bursts_milli(&state), ==, 1000);
    for (int i = 0; i < 500; i++) {
        seq += i % 5 == 0 ? 20 : 1;
        weir__loss_bursts_on_lost(&state, seq);
    }
    assert_near(weir__loss_bursts_milli(&state), 5000, 300);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/loss_bursts/bursts_of_one_length_have_that_length",
                    bursts_of_one_length_have_that_length);
    g_test_add_func("/loss_bursts/it_follows_a_path_that_changes", it_follows_a_path_that_changes);
    return g_test_run();
}
