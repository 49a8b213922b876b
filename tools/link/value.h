/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values with units, as people write them: "2.5M", "20ms". The same in every locale. */
#ifndef WEIR_LINK_VALUE_H
#define WEIR_LINK_VALUE_H

#include <glib.h>
#include <stdint.h>

gboolean link_value_rate(const char *text, int64_t *rate_bps);
gboolean link_value_time(const char *text, int64_t *time_ns);
gboolean link_value_whole(const char *text, int64_t *value);
gboolean link_value_real(const char *text, double *value);

#endif
