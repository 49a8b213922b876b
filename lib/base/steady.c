/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/steady.h"

#include <stdbool.h>

int64_t weir__steady_time_ns(const struct weir__steady *steady, int64_t clock_ns)
{
    return (int64_t)((uint64_t)clock_ns + steady->ahead_ns);
}

int64_t weir__steady_now_ns(struct weir__steady *steady, int64_t now_ns, int64_t clock_ns)
{
    int64_t shown_ns = weir__steady_time_ns(steady, clock_ns);
    if (shown_ns >= now_ns) {
        return shown_ns;
    }
    uint64_t back_ns = (uint64_t)now_ns - (uint64_t)shown_ns;
    steady->ahead_ns += back_ns > (uint64_t)WEIR__STEADY_LATE_NS ? back_ns : 0;
    return now_ns;
}

int64_t weir__steady_clock_ns(const struct weir__steady *steady, int64_t at_ns)
{
    bool is_none = at_ns == WEIR_NEVER_NS || at_ns == WEIR_UNKNOWN_NS;
    return is_none ? at_ns : (int64_t)((uint64_t)at_ns - steady->ahead_ns);
}
