/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/tcp_equation.h"

#include <math.h>

#define INVERSE_STEPS 50

struct weir__tcp_equation weir__tcp_equation_rfc(void)
{
    return (struct weir__tcp_equation){.b = 1.0, .rto_per_rtt = 4.0, .g = 0.5, .capped = false};
}

double weir__tcp_equation_f(const struct weir__tcp_equation *equation, double p)
{
    double g = equation->g;
    double limited = p > WEIR__P_MIN ? fmin(p, 1.0) : WEIR__P_MIN;
    double bp = equation->b * limited;
    double recovery = sqrt(2.0 * bp * (1.0 - g) / (1.0 + g));
    double timeouts = 3.0 * sqrt(bp * (1.0 - g * g) / 2.0);
    if (equation->capped) {
        timeouts = fmin(timeouts, 1.0);
    }
    return recovery + equation->rto_per_rtt * timeouts * limited * (1.0 + 32.0 * limited * limited);
}

double weir__tcp_equation_rate(const struct weir__tcp_equation *equation, double packet_bytes,
                               double rtt_s, double p)
{
    return packet_bytes / (rtt_s * weir__tcp_equation_f(equation, p));
}

double weir__tcp_equation_inverse(const struct weir__tcp_equation *equation, double packets_per_rtt)
{
    double low = log(WEIR__P_MIN);
    double high = 0.0;
    for (int step = 0; step < INVERSE_STEPS; step++) {
        double middle = 0.5 * (low + high);
        if (packets_per_rtt * weir__tcp_equation_f(equation, exp(middle)) < 1.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return exp(0.5 * (low + high));
}
