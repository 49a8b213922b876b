/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weir/status.h"

#include <stdbool.h>

const char *weir_status_text(enum weir_status status)
{
    static const char *const texts[] = {
        [WEIR_OK] = "success",
        [-WEIR_ERROR_ARGUMENT] = "invalid argument",
        [-WEIR_ERROR_NO_MEMORY] = "out of memory",
        [-WEIR_ERROR_UNKNOWN_ALGORITHM] = "no such algorithm",
        [-WEIR_ERROR_UNKNOWN_PARAM] = "the algorithm has no such parameter",
        [-WEIR_ERROR_RANGE] = "value out of range",
        [-WEIR_ERROR_NO_SPACE] = "no space left",
        [-WEIR_ERROR_TRUNCATED] = "data ends before the packet does",
        [-WEIR_ERROR_MALFORMED] = "data contradicts its format",
        [-WEIR_ERROR_UNSUPPORTED] = "not a packet this function reads",
        [-WEIR_ERROR_REJECTED] = "feedback rejected as implausible",
        [-WEIR_ERROR_NEEDS_FEEDBACK] = "the algorithm needs feedback that is not available",
    };
    bool is_known = status <= 0 && status >= WEIR_ERROR_NEEDS_FEEDBACK;
    return is_known ? texts[-status] : "unknown status";
}
