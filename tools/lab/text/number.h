/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as text: the same bytes in every locale, the shortest that read back as the same number.
 */
#ifndef WEIR_LAB_TEXT_NUMBER_H
#define WEIR_LAB_TEXT_NUMBER_H

#include <glib.h>
#include <stdint.h>

#define LAB_SECONDS_DECIMALS 9 /* of a time in ns, as seconds */
#define LAB_MS_DECIMALS      6 /* ... as milliseconds */

void lab_append_unsigned(GString *text, uint64_t value);
void lab_append_int(GString *text, int64_t value);
void lab_append_fixed(GString *text, int64_t value, unsigned decimals);
void lab_append_real(GString *text, double value);

#endif
