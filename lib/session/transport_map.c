/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/transport_map.h"

#include <stddef.h>

/* How many packets before the moment are looked at: a bound, not a tuning. */
enum { MAX_CANDIDATES = 64 };

/* The newest packet sent at sent_ns or before; -1 when there is none. Send times never decrease. */
static int64_t newest_until(const struct weir__history *history, int64_t sent_ns)
{
    int64_t low = history->ring.oldest_seq;
    int64_t high = history->ring.next_seq;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (weir__history_peek(history, middle)->sent_ns <= sent_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

static bool has_payload(const struct weir__sent_record *record, uint32_t overhead_bytes,
                        uint32_t payload_bytes)
{
    unsigned words = weir__history_header_words(record);
    uint32_t wire_bytes = overhead_bytes + words * 4u + payload_bytes;
    return payload_bytes == 0 ||
           (words == WEIR__HISTORY_MANY_WORDS ? record->wire_bytes >= wire_bytes
                                              : record->wire_bytes == wire_bytes);
}

/* The packet of that transport and size whose send time is closest to and not later than sent_ns.
 */
static const struct weir__sent_record *find_by_time(const struct weir__history *history,
                                                    uint32_t overhead_bytes,
                                                    const struct weir__transport_view *view)
{
    int64_t seq = newest_until(history, view->sent_ns);
    for (int i = 0; i < MAX_CANDIDATES; i++, seq--) {
        const struct weir__sent_record *record = weir__history_peek(history, seq);
        if (!record || record->sent_ns < view->sent_ns - WEIR__TRANSPORT_MAP_MAX_LAG_NS) {
            return NULL;
        }
        if (weir__history_transport(record) == view->transport &&
            has_payload(record, overhead_bytes, view->payload_bytes)) {
            return record;
        }
    }
    return NULL;
}

/* Three observations in a row that agree set the offset, the first time and after a change. A
 * packet that carried the number teaches nothing: such are found by it. */
void weir__transport_map_learn(struct weir__transport_map *map, const struct weir__history *history,
                               uint32_t overhead_bytes, const struct weir__transport_view *view)
{
    const struct weir__sent_record *record = find_by_time(history, overhead_bytes, view);
    if (!record ||
        (weir__history_has_carried(record) && record->transport_seq == view->transport_seq)) {
        return;
    }
    uint16_t offset = (uint16_t)(view->transport_seq - record->transport_seq);
    if (offset != map->candidate) {
        map->candidate = offset;
        map->n_agreeing = 0;
    }
    if (map->n_agreeing < WEIR__TRANSPORT_MAP_AGREEMENTS) {
        map->n_agreeing++;
    }
    if (map->n_agreeing == WEIR__TRANSPORT_MAP_AGREEMENTS) {
        map->offset = offset;
        map->latched = true;
    }
}

int64_t weir__transport_map_find(const struct weir__transport_map *map,
                                 const struct weir__history *history, uint32_t transport,
                                 uint16_t transport_seq)
{
    uint16_t counted = (uint16_t)(transport_seq - map->offset);
    return map->latched ? weir__history_find_transport(history, transport, counted, false) : -1;
}
