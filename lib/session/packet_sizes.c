/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/packet_sizes.h"

#include <math.h>

#include "weir/sender.h"

#define RTP_HEADER_BYTES 12u
/* Gain of the means. */
#define GAIN (1.0 / 64)

static void expect(struct weir__packet_sizes *sizes)
{
    uint32_t bytes = sizes->expected_bytes;
    sizes->wire_mean_bytes = bytes + sizes->overhead_bytes;
    sizes->payload_mean_bytes = bytes > RTP_HEADER_BYTES ? bytes - RTP_HEADER_BYTES : 1;
    sizes->media_mean_bytes = sizes->payload_mean_bytes;
}

void weir__packet_sizes_init(struct weir__packet_sizes *sizes, uint32_t expected_bytes,
                             uint32_t overhead_bytes)
{
    *sizes = (struct weir__packet_sizes){.expected_bytes = expected_bytes,
                                         .overhead_bytes = overhead_bytes};
    expect(sizes);
}

void weir__packet_sizes_set_overhead(struct weir__packet_sizes *sizes, uint32_t overhead_bytes)
{
    sizes->wire_mean_bytes += (double)overhead_bytes - (double)sizes->overhead_bytes;
    sizes->overhead_bytes = overhead_bytes;
}

/* Returns whether the packet is the first of its kind. */
static bool start(struct weir__packet_sizes *sizes, int64_t wire_bytes, int64_t payload_bytes,
                  bool is_audio, bool is_first)
{
    if (is_audio && is_first) {
        sizes->is_audio_only = true;
        sizes->wire_mean_bytes = (double)wire_bytes;
        sizes->payload_mean_bytes = (double)payload_bytes;
        sizes->media_mean_bytes = (double)payload_bytes;
        return true;
    }
    if (!is_audio && sizes->is_audio_only) {
        sizes->is_audio_only = false;
        expect(sizes);
        return true;
    }
    return false;
}

static void follow(struct weir__packet_sizes *sizes, int64_t wire_bytes, int64_t payload_bytes,
                   int64_t media_bytes)
{
    sizes->wire_mean_bytes += ((double)wire_bytes - sizes->wire_mean_bytes) * GAIN;
    sizes->payload_mean_bytes += ((double)payload_bytes - sizes->payload_mean_bytes) * GAIN;
    sizes->media_mean_bytes += ((double)media_bytes - sizes->media_mean_bytes) * GAIN;
}

/* A probe is beyond the rate that the encoder has a share of, and over soon: it takes nothing from
 * that share. Packets of audio after a pause tell the noise of silence, a few bytes, or begin to
 * speak. */
bool weir__packet_sizes_on_sent(struct weir__packet_sizes *sizes, int64_t wire_bytes,
                                int64_t payload_bytes, uint32_t flags, int64_t pause_ns)
{
    bool is_first = pause_ns == WEIR_UNKNOWN_NS;
    bool started = start(sizes, wire_bytes, payload_bytes, flags & WEIR_SENT_AUDIO, is_first);
    bool is_after_pause = !is_first && pause_ns >= WEIR__SPEECH_PAUSE_NS;
    if (!(flags & WEIR_SENT_PROBE) && !(sizes->is_audio_only && is_after_pause)) {
        follow(sizes, wire_bytes, payload_bytes, flags & WEIR_SENT_REPAIR ? 0 : payload_bytes);
    }
    return started;
}

static double ratio_of(double part_bytes, double whole_bytes)
{
    return fmin(fmax(part_bytes / whole_bytes, 0.05), 1.0);
}

double weir__packet_sizes_payload_ratio(const struct weir__packet_sizes *sizes)
{
    return ratio_of(sizes->payload_mean_bytes, sizes->wire_mean_bytes);
}

double weir__packet_sizes_media_ratio(const struct weir__packet_sizes *sizes)
{
    return ratio_of(sizes->media_mean_bytes, sizes->wire_mean_bytes);
}
