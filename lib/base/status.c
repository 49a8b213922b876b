/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weir/status.h"

const char *weir_status_text(enum weir_status status)
{
    switch (status) {
    case WEIR_OK:
        return "success";
    case WEIR_ERROR_ARGUMENT:
        return "invalid argument";
    case WEIR_ERROR_NO_MEMORY:
        return "out of memory";
    case WEIR_ERROR_UNKNOWN_ALGORITHM:
        return "no such algorithm";
    case WEIR_ERROR_UNKNOWN_PARAM:
        return "the algorithm has no such parameter";
    case WEIR_ERROR_RANGE:
        return "value out of range";
    case WEIR_ERROR_NO_SPACE:
        return "no space left";
    case WEIR_ERROR_TRUNCATED:
        return "data ends before the packet does";
    case WEIR_ERROR_MALFORMED:
        return "data contradicts its format";
    case WEIR_ERROR_UNSUPPORTED:
        return "not a packet this function reads";
    case WEIR_ERROR_REJECTED:
        return "feedback rejected as implausible";
    case WEIR_ERROR_NEEDS_FEEDBACK:
        return "the algorithm needs feedback that is not available";
    }
    return "unknown status";
}
