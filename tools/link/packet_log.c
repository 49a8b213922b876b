/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "packet_log.h"
#include "direction.h"
#include "error.h"
#include <errno.h>
#include <inttypes.h>

#define IPV6_HEADER_BYTES 40

/* Empties the file and writes its header. */
gboolean link_packet_log_open(struct link_packet_log *log, const char *location, GError **error)
{
    log->file = fopen(location, "we");
    if (!log->file) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED, "the packet log cannot be written: %s: %s",
                    location, g_strerror(errno));
        return FALSE;
    }
    fputs("time_s,kind,port,bytes,queue_ms,delay_ms,fate\n", log->file);
    return TRUE;
}

/* Accepts a zeroed log. */
void link_packet_log_finish(struct link_packet_log *log)
{
    if (log->file) {
        fclose(log->file);
        log->file = NULL;
    }
}

/* The port to which a TCP or UDP packet goes; 0 where the packet does not have one. */
static int destination_port(const uint8_t *packet, size_t size_bytes)
{
    size_t at = IPV6_HEADER_BYTES;
    if (link_direction_kind(packet, size_bytes) == LINK_OTHER) {
        return 0;
    }
    if (packet[0] >> 4 == 4) {
        bool later_fragment = (packet[6] & 0x1f) != 0 || packet[7] != 0;
        at = later_fragment ? size_bytes : 4 * (size_t)(packet[0] & 0x0f);
    }
    return at + 4 <= size_bytes ? packet[at + 2] << 8 | packet[at + 3] : 0;
}

static const char *fate(enum weir__path_verdict verdict)
{
    return verdict == WEIR__PATH_DELIVERED ? "delivered"
           : verdict == WEIR__PATH_DROPPED ? "dropped"
           : verdict == WEIR__PATH_LOST    ? "lost"
                                           : "discarded";
}

/* Times are the path's; integers, so that the user's locale has no say in the decimal point. */
void link_packet_log_add(struct link_packet_log *log, const struct weir__path_outcome *outcome,
                         const uint8_t *packet, size_t size_bytes)
{
    int64_t at_us = outcome->at_ns / 1000;
    int64_t queue_us = outcome->queue_ns / 1000;
    int64_t delay_us = outcome->delay_ns / 1000;
    fprintf(log->file, "%" PRId64 ".%06d,%s,%d,%zu,%" PRId64 ".%03d,%" PRId64 ".%03d,%s\n",
            at_us / 1000000, (int)(at_us % 1000000),
            link_kind_names[link_direction_kind(packet, size_bytes)],
            destination_port(packet, size_bytes), size_bytes, queue_us / 1000,
            (int)(queue_us % 1000), delay_us / 1000, (int)(delay_us % 1000),
            fate(outcome->verdict));
}
