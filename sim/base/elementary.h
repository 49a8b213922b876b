/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exp, log and powers from + - * / only. C libraries differ in the last bit of theirs, and one bit
 * is enough to make two runs of a simulation part. */
#ifndef WEIR_SIM_ELEMENTARY_H
#define WEIR_SIM_ELEMENTARY_H

#include <stdint.h>

double weir__log(double x);
double weir__exp(double x);
double weir__power(double base, int64_t exponent);

#endif
