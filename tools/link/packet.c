/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "packet.h"
#include "error.h"
#include <errno.h>

#define IP_TCP            6
#define IP_UDP            17
#define IPV4_HEADER_BYTES 20
#define IPV6_HEADER_BYTES 40

const char *const link_protocol_names[LINK_PROTOCOLS] = {"tcp", "udp", "other"};

/* 4, 6, or 0 when it is neither or cut short. */
static int ip_version(const uint8_t *packet, size_t size_bytes)
{
    int version = size_bytes > 0 ? packet[0] >> 4 : 0;
    return version == 4 && size_bytes >= IPV4_HEADER_BYTES   ? 4
           : version == 6 && size_bytes >= IPV6_HEADER_BYTES ? 6
                                                             : 0;
}

/* By the protocol field of IPv4 or the first next header of IPv6. */
enum link_protocol link_packet_protocol(const uint8_t *packet, size_t size_bytes)
{
    int version = ip_version(packet, size_bytes);
    uint8_t protocol = version == 4 ? packet[9] : version == 6 ? packet[6] : 0;
    return protocol == IP_TCP ? LINK_TCP : protocol == IP_UDP ? LINK_UDP : LINK_OTHER;
}

enum weir_ecn link_packet_ecn(const uint8_t *packet, size_t size_bytes)
{
    int version = ip_version(packet, size_bytes);
    return (enum weir_ecn)(version == 4   ? packet[1] & 3
                           : version == 6 ? packet[1] >> 4 & 3
                                          : WEIR_ECN_NOT_ECT);
}

/* The checksum is the complement of a sum of 16-bit words in one's complement; the field stands in
 * the lower half of the first. */
static void mark_ipv4(uint8_t *packet)
{
    uint32_t sum = (uint16_t) ~(packet[10] << 8 | packet[11]) + (uint32_t)(3 - (packet[1] & 3));
    sum = ~((sum & 0xffff) + (sum >> 16));
    packet[1] |= 3;
    packet[10] = (uint8_t)(sum >> 8);
    packet[11] = (uint8_t)sum;
}

void link_packet_mark(uint8_t *packet, size_t size_bytes)
{
    int version = ip_version(packet, size_bytes);
    if (version == 4) {
        mark_ipv4(packet);
    } else if (version == 6) {
        packet[1] |= 0x30;
    }
}

/* Where the ports of TCP or UDP are; NULL where the packet does not have them. */
static const uint8_t *find_ports(const uint8_t *packet, size_t size_bytes)
{
    size_t at = IPV6_HEADER_BYTES;
    if (link_packet_protocol(packet, size_bytes) == LINK_OTHER) {
        return NULL;
    }
    if (packet[0] >> 4 == 4) {
        bool later_fragment = (packet[6] & 0x1f) != 0 || packet[7] != 0;
        at = later_fragment ? size_bytes : 4 * (size_t)(packet[0] & 0x0f);
    }
    return at + 4 <= size_bytes ? packet + at : NULL;
}

/* FNV-1a */
static uint32_t hash_bytes(uint32_t hash, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    }
    return hash;
}

/* A hash of addresses, protocol and, when every fragment has them, ports: what makes a connection.
 * Packets that are no IP have 0. */
uint16_t link_packet_flow_hash(const uint8_t *packet, size_t size_bytes)
{
    int version = ip_version(packet, size_bytes);
    uint32_t hash = UINT32_C(2166136261);
    if (version == 0) {
        return 0;
    }
    const uint8_t *ports = find_ports(packet, size_bytes);
    bool more_fragments = version == 4 && (packet[6] & 0x20) != 0;
    hash = version == 4 ? hash_bytes(hash, packet + 12, 8) : hash_bytes(hash, packet + 8, 32);
    hash = hash_bytes(hash, version == 4 ? packet + 9 : packet + 6, 1);
    if (ports && !more_fragments) {
        hash = hash_bytes(hash, ports, 4);
    }
    return (uint16_t)(hash ^ hash >> 16);
}

/* Empties the file and writes its header. NULL: the error says why. */
FILE *link_packet_log_open(const char *location, GError **error)
{
    FILE *log = fopen(location, "we");
    if (!log) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED, "the packet log cannot be written: %s: %s",
                    location, g_strerror(errno));
        return NULL;
    }
    fputs("time_s,kind,port,bytes,queue_ms,delay_ms,fate\n", log);
    return log;
}

static const char *fate(enum weir__path_verdict verdict)
{
    return verdict == WEIR__PATH_DELIVERED ? "delivered"
           : verdict == WEIR__PATH_DROPPED ? "dropped"
           : verdict == WEIR__PATH_LOST    ? "lost"
                                           : "discarded";
}

/* Times are the path's. */
void link_packet_log_add(FILE *log, const struct weir__path_outcome *outcome, const uint8_t *packet,
                         size_t size_bytes)
{
    const uint8_t *ports = find_ports(packet, size_bytes);
    fprintf(log, "%.6f,%s,%d,%zu,%.3f,%.3f,%s\n", (double)(outcome->at_ns / 1000) / 1e6,
            link_protocol_names[link_packet_protocol(packet, size_bytes)],
            ports ? ports[2] << 8 | ports[3] : 0, size_bytes,
            (double)(outcome->queue_ns / 1000) / 1e3, (double)(outcome->delay_ns / 1000) / 1e3,
            fate(outcome->verdict));
}
