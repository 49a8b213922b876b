/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reporter.h"

#include <stddef.h>

#include "weir/units.h"

#define REPLAYED_MID32 (INT64_C(600) * 65536)

struct weir__reporter *weir__reporters_find(struct weir__reporters *reporters, uint32_t transport,
                                            uint32_t ssrc)
{
    for (int i = 0; i < WEIR__REPORTERS; i++) {
        struct weir__reporter *entry = &reporters->entries[i];
        if (entry->in_use && entry->ssrc == ssrc && entry->transport == transport) {
            return entry;
        }
    }
    return NULL;
}

/* A free entry; or one that has proved nothing, or else was silent for long enough, and of those
 * the one that was silent longest. */
static struct weir__reporter *find_place(struct weir__reporters *reporters, int64_t now_ns)
{
    struct weir__reporter *place = NULL;
    for (int i = 0; i < WEIR__REPORTERS; i++) {
        struct weir__reporter *entry = &reporters->entries[i];
        if (!entry->in_use) {
            return entry;
        }
        bool goes = !entry->has_proved || now_ns - entry->heard_ns >= WEIR__REPORTER_SILENT_NS;
        bool rather = !place || (!entry->has_proved && place->has_proved) ||
                      (entry->has_proved == place->has_proved && entry->heard_ns < place->heard_ns);
        place = goes && rather ? entry : place;
    }
    return place;
}

struct weir__reporter *weir__reporters_get(struct weir__reporters *reporters, uint32_t transport,
                                           uint32_t ssrc, int64_t now_ns)
{
    struct weir__reporter *entry = weir__reporters_find(reporters, transport, ssrc);
    if (!entry) {
        entry = find_place(reporters, now_ns);
        if (!entry) {
            return NULL;
        }
        *entry =
            (struct weir__reporter){.ssrc = ssrc, .transport = (uint8_t)transport, .in_use = true};
    }
    entry->heard_ns = now_ns;
    return entry;
}

void weir__reporter_on_rrtr(struct weir__reporter *reporter, uint32_t mid32, int64_t now_ns)
{
    int64_t step = weir__serial_diff(mid32, reporter->rrtr_mid32, 32);
    if (reporter->had_rrtr && step <= 0 && step > -REPLAYED_MID32) {
        return;
    }
    reporter->rrtr_mid32 = mid32;
    reporter->rrtr_ns = now_ns;
    reporter->has_rrtr = true;
    reporter->had_rrtr = true;
}
