/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats of feedback that a receiving session writes, for tests that are of each. */
#ifndef TESTS_FORMATS_H
#define TESTS_FORMATS_H

#include "weir/rtcp.h"

static inline size_t written_formats(struct weir_feedback_info formats[WEIR_FEEDBACK_FORMATS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; weir_feedback_get_info(i, &formats[n]); i++) {
        n += formats[n].is_written;
    }
    return n;
}

#endif
