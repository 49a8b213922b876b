/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The throughput equation against printed values (computed apart from this code), its growth, its
 * inverse, the capped model and the general decrease of TCP Veno. */
#include "../../test.h"
#include "estimators/tcp_equation.h"

#include <math.h>

struct known {
    double p;
    double f;
    double packets_per_rtt;
    double rate; /* s = 1000, R = 0.1 */
    double f_capped;
};

static const struct known known_values[] = {
    {0.0001, 0.00817231, 122.36436, 1223643.59, 0.00817231},
    {0.001, 0.02605228, 38.38436, 383843.63, 0.02605228},
    {0.005, 0.06033518, 16.57408, 165740.78, 0.06033518},
    {0.01, 0.08902164, 11.23322, 112332.23, 0.08902164},
    {0.02, 0.13652071, 7.32490, 73248.96, 0.13652071},
    {0.05, 0.27130524, 3.68589, 36858.85, 0.27130524},
    {0.1, 0.56493917, 1.77010, 17701.02, 0.56493917},
    {0.2, 1.86371729, 0.53656, 5365.62, 1.86371729},
    {0.3, 5.13222322, 0.19485, 1948.47, 5.10321360},
    {0.5, 23.96003617, 0.04174, 417.36, 18.57735027},
    {1.0, 243.31598112, 0.00411, 41.10, 132.81649658},
};

static void printed_values_are_met_to_their_last_digit(void)
{
    struct weir__tcp_equation rfc = weir__tcp_equation_rfc();
    struct weir__tcp_equation capped = rfc;
    capped.capped = true;
    for (size_t i = 0; i < G_N_ELEMENTS(known_values); i++) {
        const struct known *k = &known_values[i];
        assert_near(weir__tcp_equation_f(&rfc, k->p), k->f, 0.6e-8);
        assert_near(1.0 / weir__tcp_equation_f(&rfc, k->p), k->packets_per_rtt, 0.6e-5);
        assert_near(weir__tcp_equation_rate(&rfc, 1000.0, 0.1, k->p), k->rate, 0.6e-2);
        assert_near(weir__tcp_equation_f(&capped, k->p), k->f_capped, 0.6e-8);
    }
    assert_near(weir__tcp_equation_rate(&rfc, 1460.0, 0.1, 0.01), 164005.06, 0.6e-2);
    assert_near(weir__tcp_equation_rate(&rfc, 1460.0, 0.05, 0.001), 1120823.40, 0.6e-2);
    assert_near(weir__tcp_equation_rate(&rfc, 1500.0, 0.25, 0.02), 43949.38, 0.6e-2);
}

static void cap_acts_above_8_in_27_only(void)
{
    struct weir__tcp_equation rfc = weir__tcp_equation_rfc();
    struct weir__tcp_equation capped = rfc;
    capped.capped = true;
    for (double p = 0.001; p <= 1.0; p += 0.001) {
        double difference = weir__tcp_equation_f(&rfc, p) - weir__tcp_equation_f(&capped, p);
        g_assert_true(p < 8.0 / 27.0 ? fabs(difference) < 1e-15 : difference > 0.0);
    }
}

static void inverse_meets_printed_values(void)
{
    static const double values[][3] = {
        {0.5, 0.2064289, 4.8443},       {1.0, 0.14586997, 6.8554},
        {2.0, 0.090779083, 11.0158},    {4.0, 0.045454636, 22.0000},
        {10.0, 0.012172716, 82.1509},   {20.0, 0.0035229638, 283.8519},
        {100.0, 0.0001495969, 6684.63},
    };
    struct weir__tcp_equation rfc = weir__tcp_equation_rfc();
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        double p = weir__tcp_equation_inverse(&rfc, values[i][0]);
        assert_near(p / values[i][1], 1.0, 1e-6);
        assert_near(1.0 / p / values[i][2], 1.0, 1.1e-5);
    }
}

static void f_grows_and_the_inverse_undoes_it(void)
{
    for (int variant = 0; variant < 8; variant++) {
        struct weir__tcp_equation eq = weir__tcp_equation_rfc();
        eq.capped = variant & 1;
        eq.b = variant & 2 ? 2.0 : 1.0;
        eq.g = variant & 4 ? 0.8 : 0.5;
        double last = 0.0;
        for (double exponent = -9.99; exponent < 0.0; exponent += 0.01) {
            double p = pow(10.0, exponent);
            double f = weir__tcp_equation_f(&eq, p);
            g_assert_cmpfloat(f, >, last);
            assert_near(weir__tcp_equation_inverse(&eq, 1.0 / f) / p, 1.0, 1e-9);
            last = f;
        }
    }
}

static void extreme_arguments_stay_in_range(void)
{
    struct weir__tcp_equation rfc = weir__tcp_equation_rfc();
    assert_near(weir__tcp_equation_f(&rfc, 0.0), weir__tcp_equation_f(&rfc, WEIR__P_MIN), 1e-12);
    assert_near(weir__tcp_equation_f(&rfc, -1.0), weir__tcp_equation_f(&rfc, WEIR__P_MIN), 1e-12);
    assert_near(weir__tcp_equation_f(&rfc, 7.0), weir__tcp_equation_f(&rfc, 1.0), 1e-12);
    assert_near(weir__tcp_equation_f(&rfc, NAN), weir__tcp_equation_f(&rfc, WEIR__P_MIN), 1e-12);
    assert_near(weir__tcp_equation_inverse(&rfc, 0.0), 1.0, 1e-12);
    assert_near(weir__tcp_equation_inverse(&rfc, 1e30) / WEIR__P_MIN, 1.0, 1e-12);
}

/* sqrt(2p/9) instead of sqrt(2p/3): +73 % where timeouts do not count. */
static void veno_gains_a_factor_of_root_three_at_low_loss(void)
{
    struct weir__tcp_equation reno = weir__tcp_equation_rfc();
    struct weir__tcp_equation veno = reno;
    veno.g = 0.8;
    double gain = weir__tcp_equation_f(&reno, 1e-9) / weir__tcp_equation_f(&veno, 1e-9);
    assert_near(gain, sqrt(3.0), 1e-4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tcp_equation/printed_values_are_met_to_their_last_digit",
                    printed_values_are_met_to_their_last_digit);
    g_test_add_func("/tcp_equation/cap_acts_above_8_in_27_only", cap_acts_above_8_in_27_only);
    g_test_add_func("/tcp_equation/inverse_meets_printed_values", inverse_meets_printed_values);
    g_test_add_func("/tcp_equation/f_grows_and_the_inverse_undoes_it",
                    f_grows_and_the_inverse_undoes_it);
    g_test_add_func("/tcp_equation/extreme_arguments_stay_in_range",
                    extreme_arguments_stay_in_range);
    g_test_add_func("/tcp_equation/veno_gains_a_factor_of_root_three_at_low_loss",
                    veno_gains_a_factor_of_root_three_at_low_loss);
    return g_test_run();
}
