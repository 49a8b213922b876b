/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reporter.h"

#include <stddef.h>

#include "weir/units.h"

/* After so many older blocks, each newer than the one before, the stream has started anew; a
 * replayed report does not get there. */
enum { MAX_OLDER_BLOCKS = 3 };

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

/* A free entry, or the one that has been silent longest, if that is long enough. */
static struct weir__reporter *find_place(struct weir__reporters *reporters, int64_t now_ns)
{
    struct weir__reporter *place = &reporters->entries[0];
    for (int i = 0; i < WEIR__REPORTERS; i++) {
        struct weir__reporter *entry = &reporters->entries[i];
        if (!entry->in_use) {
            return entry;
        }
        if (entry->heard_ns < place->heard_ns) {
            place = entry;
        }
    }
    return now_ns - place->heard_ns >= WEIR__REPORTER_SILENT_NS ? place : NULL;
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

static void set_base(struct weir__report_base *base, const struct weir__history_stream *stream,
                     const struct weir__report_block *block, int64_t highest_rtp)
{
    *base = (struct weir__report_base){
        .ssrc = block->ssrc,
        .known = true,
        .cumulative_lost = block->cumulative_lost,
        .skipped_packets = weir__gaps_before(&stream->gaps, highest_rtp),
        .highest_rtp = highest_rtp,
        .older_rtp = INT64_MIN,
    };
}

/* Whether an older block shows that the numbers of the stream have started anew. */
static bool has_restarted(struct weir__report_base *base, int64_t highest_rtp)
{
    if (highest_rtp <= base->older_rtp) {
        return false;
    }
    base->older_rtp = highest_rtp;
    base->n_older++;
    return base->n_older >= MAX_OLDER_BLOCKS;
}

/* Differences of two blocks of a stream. Numbers that were never sent are taken from both: to the
 * receiver they are expected and lost. The highest one did arrive. */
static void measure(const struct weir__report_base *before, const struct weir__report_base *now,
                    struct weir__interval_loss *loss)
{
    uint32_t skipped = now->skipped_packets - before->skipped_packets;
    int64_t skipped_packets = weir_max_i64((int32_t)skipped, 0);
    int64_t expected = weir_max_i64(now->highest_rtp - before->highest_rtp - skipped_packets, 1);
    int64_t lost = (int64_t)now->cumulative_lost - before->cumulative_lost - skipped_packets;
    loss->expected_packets = (uint32_t)expected;
    loss->lost_packets = (uint32_t)weir_clamp_i64(lost, 0, expected);
}

/* RFC 3550 6.4. The cycles of the highest sequence number are the receiver's; what counts is where
 * its low bits lie among the packets really sent. */
enum weir__report_kind weir__reporter_on_block(struct weir__reporter *reporter,
                                               const struct weir__history *history,
                                               const struct weir__report_block *block,
                                               struct weir__interval_loss *loss)
{
    unsigned index = weir__history_find_stream(history, block->ssrc);
    if (index == WEIR__STREAM_OTHER) {
        return WEIR__REPORT_NOT_OURS;
    }
    const struct weir__history_stream *stream = &history->streams[index];
    int64_t highest_rtp = weir__unwrap_not_newer(stream->last_rtp, block->highest_seq & 0xffff, 16);
    if (highest_rtp < stream->first_rtp) {
        return WEIR__REPORT_NOT_OURS;
    }

    struct weir__report_base *base = &reporter->bases[index];
    bool restarted = base->highest_rtp < stream->first_rtp;
    if (!base->known || base->ssrc != block->ssrc || restarted) {
        set_base(base, stream, block, highest_rtp);
        return WEIR__REPORT_FIRST;
    }
    if (highest_rtp < base->highest_rtp) {
        if (!has_restarted(base, highest_rtp)) {
            return WEIR__REPORT_OLD;
        }
        set_base(base, stream, block, highest_rtp);
        return WEIR__REPORT_FIRST;
    }
    if (highest_rtp == base->highest_rtp) {
        return WEIR__REPORT_UNCHANGED;
    }
    struct weir__report_base before = *base;
    set_base(base, stream, block, highest_rtp);
    measure(&before, base, loss);
    return WEIR__REPORT_ADVANCED;
}
