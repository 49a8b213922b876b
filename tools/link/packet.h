/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IP packets: what their headers say, and a log with a row of CSV for each that has left a
 * direction of the link, or been dropped there. */
#ifndef WEIR_LINK_PACKET_H
#define WEIR_LINK_PACKET_H

#include "sim/path/path.h"
#include <glib.h>
#include <stdio.h>

enum link_protocol { LINK_TCP, LINK_UDP, LINK_OTHER, LINK_PROTOCOLS };
extern const char *const link_protocol_names[LINK_PROTOCOLS];

enum link_protocol link_packet_protocol(const uint8_t *packet, size_t size_bytes);
/* The ECN field; WEIR_ECN_NOT_ECT of what is no IP. */
enum weir_ecn link_packet_ecn(const uint8_t *packet, size_t size_bytes);
/* Sets it to CE, and IPv4's checksum as that needs (RFC 1624). What is no IP stays. */
void link_packet_mark(uint8_t *packet, size_t size_bytes);
uint16_t link_packet_flow_hash(const uint8_t *packet, size_t size_bytes);
FILE *link_packet_log_open(const char *location, GError **error);
void link_packet_log_add(FILE *log, const struct weir__path_outcome *outcome, const uint8_t *packet,
                         size_t size_bytes);

#endif
