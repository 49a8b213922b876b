/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures to choose from: fractions of what the source makes, largest first, each with fewer
 * pixels a second than the one before. */
#ifndef WEIR_PICTURE_LADDER_H
#define WEIR_PICTURE_LADDER_H

#include "weir/picture.h"

enum { WEIR__LADDER_MAX = 12 };

struct weir__ladder {
    uint32_t n_steps;
    struct weir_picture steps[WEIR__LADDER_MAX]; /* the first is the source's */
};

void weir__ladder_build(struct weir__ladder *ladder, const struct weir_picture_source *source);

#endif
