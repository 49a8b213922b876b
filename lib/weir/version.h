/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which version a program was compiled for, and which it runs with. */
#ifndef WEIR_VERSION_H
#define WEIR_VERSION_H

#include "status.h"

WEIR_BEGIN_DECLS

/* Of these headers. The build refuses numbers that are not those of the file VERSION. */
#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_MICRO 0

/* One number that compares, of parts from 0 to 255. */
#define WEIR_VERSION_NUMBER(major, minor, micro) ((major) << 16 | (minor) << 8 | (micro))

/* For the preprocessor: these headers are of that version or newer. */
#define WEIR_VERSION_AT_LEAST(major, minor, micro)                                                 \
    (WEIR_VERSION_NUMBER(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_MICRO) >=            \
     WEIR_VERSION_NUMBER(major, minor, micro))

/* Of the library that was loaded: "0.1.0", and as WEIR_VERSION_NUMBER(0, 1, 0).
 *
 * A program runs with any library of the soversion that it was linked with (libweir.so.0) and of
 * the same version or a newer one. What would break programs raises the soversion, and they are
 * compiled anew: a function that is gone or has other parameters, or a public struct whose size or
 * fields change, also one that only grows, because programs allocate them. */
WEIR_API const char *weir_version(void);
WEIR_API int weir_version_number(void);

WEIR_END_DECLS
#endif
