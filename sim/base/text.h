/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers in property texts, read the same in every locale, and sentences about what is wrong. */
#ifndef WEIR_SIM_TEXT_H
#define WEIR_SIM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define WEIR__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WEIR__PRINTF(text, first)
#endif

bool weir__text_number(const char **at, int64_t scale, int64_t *value);
bool weir__text_seconds(const char **at, int64_t *value_ns);
bool weir__text_duration(const char **at, int64_t *value_ns);
bool weir__text_rate(const char **at, int64_t *rate_bps);
void weir__text_error(char *error, size_t error_size, const char *format, ...) WEIR__PRINTF(3, 4);

#endif
