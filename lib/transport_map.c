/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport_map.h"

#include <stddef.h>

#include "unwrap.h"

/* How many packets before the moment are looked at: a bound, not a tuning. */
enum { MAX_CANDIDATES = 64 };

/* The newest packet sent at sent_ns or before; -1 when there is none. Send times never decrease. */
static int64_t newest_until(const struct weir__history *history, int64_t sent_ns)
{
    int64_t low = weir_max_i64(history->next_seq - WEIR__HISTORY_PACKETS, 0);
    int64_t high = history->next_seq;
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
    return payload_bytes == 0 ||
           record->wire_bytes == overhead_bytes + record->header_words * 4u + payload_bytes;
}

/* The packet of that size whose send time is closest to and not later than sent_ns. */
static int64_t find_by_time(const struct weir__history *history, uint32_t overhead_bytes,
                            int64_t sent_ns, uint32_t payload_bytes)
{
    int64_t seq = newest_until(history, sent_ns);
    for (int i = 0; i < MAX_CANDIDATES; i++, seq--) {
        const struct weir__sent_record *record = weir__history_peek(history, seq);
        if (!record || record->sent_ns < sent_ns - WEIR__TRANSPORT_MAP_MAX_LAG_NS) {
            return -1;
        }
        if (has_payload(record, overhead_bytes, payload_bytes)) {
            return seq;
        }
    }
    return -1;
}

/* Three observations in a row that agree set the offset, the first time and after a change. */
void weir__transport_map_learn(struct weir__transport_map *map, const struct weir__history *history,
                               uint32_t overhead_bytes, uint16_t transport_seq, int64_t sent_ns,
                               uint32_t payload_bytes)
{
    int64_t seq = find_by_time(history, overhead_bytes, sent_ns, payload_bytes);
    if (seq < 0) {
        return;
    }
    uint16_t offset = (uint16_t)(transport_seq - (uint64_t)seq);
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
                                 const struct weir__history *history, uint16_t transport_seq)
{
    if (!map->latched || history->next_seq == 0) {
        return -1;
    }
    uint16_t wire = (uint16_t)(transport_seq - map->offset);
    int64_t seq = weir__unwrap_not_newer(history->next_seq - 1, wire, 16);
    return weir__history_peek(history, seq) ? seq : -1;
}
