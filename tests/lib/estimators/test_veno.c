/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random or congestive: the backlog decides, and g is the mean over the intervals in use. */
#include "../../test.h"
#include "estimators/veno.h"

static void backlog_of_three_packets_is_the_border(void)
{
    struct weir__veno veno = {0};
    assert_near(weir__veno_g(&veno, 8), 0.5, 1e-12);
    weir__veno_on_loss_event(&veno, 10.0, 0.125, 0.0875); /* backlog 3.0 */
    assert_near(weir__veno_g(&veno, 8), 0.5, 1e-12);
    weir__veno_on_loss_event(&veno, 9.9, 0.125, 0.0875);
    assert_near(weir__veno_g(&veno, 1), 0.8, 1e-12);
    assert_near(weir__veno_g(&veno, 8), 0.65, 1e-12);
}

static void only_the_newest_events_count(void)
{
    for (unsigned n = 1; n <= 32; n++) {
        struct weir__veno veno = {0};
        for (int i = 0; i < 40; i++) {
            weir__veno_on_loss_event(&veno, 1.0, 0.1, 0.1);
        }
        for (unsigned i = 0; i < n / 2; i++) {
            weir__veno_on_loss_event(&veno, 100.0, 0.2, 0.1);
        }
        double random = (double)(n - n / 2) / (double)n;
        assert_near(weir__veno_g(&veno, n), 0.5 + 0.3 * random, 1e-12);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/veno/" #name, name)
    ADD(backlog_of_three_packets_is_the_border);
    ADD(only_the_newest_events_count);
    return g_test_run();
}
