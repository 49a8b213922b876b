/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Voice quality from loss and delay: the E-model (ITU-T G.107) as Cole and Rosenbluth simplified it
 * for voice over IP ("Voice over IP performance monitoring", ACM CCR 31(2), 2001).
 *
 * The constants were compared with about a dozen independent public implementations (monitoring
 * tools, test beds, a published thesis): delay terms 0.024, 0.11 and 177.3, the loss curve
 * 30 ln(1 + 15 e) and the polynomial of MOS agree in all that use this model. Three variations
 * exist and are not used here: a start of 93.2, the default of later editions of G.107, where the
 * paper has 94.2; the curve 11 + 40 ln(1 + 10 e), which is G.729's; and the sign of the second
 * delay term negated, which is an error. The paper itself was not at hand. */
#include "weir/quality.h"

#include <math.h>

#define R_UNIMPAIRED     94.2 /* R_0 - I_s with the default values of G.107 */
#define DELAY_SLOPE      0.024
#define LONG_DELAY_SLOPE 0.11
#define LONG_DELAY_MS    177.3
#define MOS_CUBIC        7e-6
#define MOS_LINEAR       0.035
#define MOS_WORST        1.0
#define MOS_BEST         4.5
#define R_MAX            100.0

const struct weir_codec_impairment weir_impairment_g711 = {
    .intercept = 0.0, .slope = 30.0, .knee = 15.0};

/* value limited to [low, high]; what is not a number counts as low. */
static double clamp(double value, double low, double high)
{
    if (!(value > low)) {
        return low;
    }
    return value < high ? value : high;
}

/* I_e: what coding and loss take away. loss_ratio in [0, 1]. */
static double loss_impairment(const struct weir_codec_impairment *codec, double loss_ratio)
{
    return codec->intercept + codec->slope * log1p(codec->knee * loss_ratio);
}

/* I_d: what delay takes away; conversation suffers much more beyond 177.3 ms. */
static double delay_impairment(double delay_ms)
{
    double beyond_ms = delay_ms > LONG_DELAY_MS ? delay_ms - LONG_DELAY_MS : 0.0;
    return DELAY_SLOPE * delay_ms + LONG_DELAY_SLOPE * beyond_ms;
}

/* Out of range loss and delay count as the nearest bound; the result is never NaN. */
double weir_r_score(const struct weir_codec_impairment *codec, double loss_ratio, double delay_ms)
{
    double loss = loss_impairment(codec, clamp(loss_ratio, 0.0, 1.0));
    double delay = delay_impairment(clamp(delay_ms, 0.0, INFINITY));
    return clamp(R_UNIMPAIRED - loss - delay, 0.0, R_UNIMPAIRED);
}

/* The polynomial dips a little below 1 for 0 < R < 6.5; G.107 calls those 1 as well. */
double weir_mos(double r_score)
{
    double r = clamp(r_score, 0.0, R_MAX);
    double mos = 1.0 + MOS_LINEAR * r + MOS_CUBIC * r * (r - 60.0) * (R_MAX - r);
    return clamp(mos, MOS_WORST, MOS_BEST);
}
