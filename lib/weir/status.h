/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One error enum: zero is success, negative is failure. */
#ifndef WEIR_STATUS_H
#define WEIR_STATUS_H

#include <stddef.h>

#if defined _WIN32 && !defined WEIR_STATIC
#define WEIR_API __declspec(dllexport)
#elif defined __GNUC__
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

#ifdef __cplusplus
#define WEIR_BEGIN_DECLS extern "C" {
#define WEIR_END_DECLS   }
#else
#define WEIR_BEGIN_DECLS
#define WEIR_END_DECLS
#endif

WEIR_BEGIN_DECLS

enum weir_status {
    WEIR_OK = 0,
    WEIR_ERROR_ARGUMENT = -1,          /* a NULL, a wrong struct size, min > max */
    WEIR_ERROR_NO_MEMORY = -2,         /* only create functions */
    WEIR_ERROR_UNKNOWN_ALGORITHM = -3, /* not in the registry */
    WEIR_ERROR_UNKNOWN_PARAM = -4,     /* the algorithm has no parameter of that name */
    WEIR_ERROR_RANGE = -5,             /* a value outside the documented range */
    WEIR_ERROR_NO_SPACE = -6,          /* the output buffer is too small, the queue is full */
    WEIR_ERROR_TRUNCATED = -7,         /* wire data ends before the packet does */
    WEIR_ERROR_MALFORMED = -8,         /* wire data contradicts its format */
    WEIR_ERROR_UNSUPPORTED = -9,       /* well-formed, but not a packet this function reads */
    WEIR_ERROR_REJECTED = -10,         /* well-formed feedback that the guard does not believe */
    WEIR_ERROR_NEEDS_FEEDBACK = -11    /* the algorithm cannot run from the available feedback */
};

/* An English sentence for a status, never NULL; unknown values give "unknown status". */
WEIR_API const char *weir_status_text(enum weir_status status);

WEIR_END_DECLS
#endif
