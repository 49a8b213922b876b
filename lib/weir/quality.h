/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures of quality: voice, smoothness, fairness. */
#ifndef WEIR_QUALITY_H
#define WEIR_QUALITY_H

#include <stddef.h>

#include "status.h"

WEIR_BEGIN_DECLS

/* Impairment of a codec by loss: Ie = intercept + slope ln(1 + knee e), where e is the loss ratio
 * (Cole and Rosenbluth 2001). */
struct weir_codec_impairment {
    double intercept;
    double slope;
    double knee;
};

/* G.711 with random loss: 0, 30, 15. */
WEIR_API extern const struct weir_codec_impairment weir_impairment_g711;

/* R-score 94.2 - Ie - Id (simplified G.107). loss_ratio is in [0, 1]; delay_ms is one way, mouth to
 * ear, >= 0. The result is in [0, 94.2]. */
WEIR_API double weir_r_score(const struct weir_codec_impairment *codec, double loss_ratio,
                             double delay_ms);

/* Mean opinion score of an R-score (G.107 annex B): 1 .. 4.5. */
WEIR_API double weir_mos(double r_score);

/* Coefficient of variation (standard deviation / mean, population) of n >= 1 rates; 0 when the mean
 * is 0. */
WEIR_API double weir_cov(const double *values, size_t n);

/* Jain's fairness index (sum x)^2 / (n sum x^2), in [1/n, 1]; 1 when all are 0 or n = 0. */
WEIR_API double weir_jain(const double *values, size_t n);

WEIR_END_DECLS
#endif
