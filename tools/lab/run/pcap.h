/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The packets of a run as Wireshark reads them: a pcap with nanoseconds and raw IPv4, as if it were
 * captured at the senders: data as it leaves, ACKs and RTCP as they arrive. RTCP is whole, of the
 * rest there are the headers, with the true length.
 *
 * Flow i of the scenario, counted from 1, goes from 10.0.0.0 + i to 10.128.0.0 + i. Media has port
 * 5004 and its RTCP 5005, TCP 5001 and UDP 5002, each of a flow's connections its own source port.
 * Time 0 is the wall clock of the senders' reports, 2023-11-14 22:13:20 UTC. Checksums are 0. */
#ifndef WEIR_LAB_RUN_PCAP_H
#define WEIR_LAB_RUN_PCAP_H

#include "run/world.h"
#include <signal.h>

#define LAB_PCAP_MOST_BYTES ((int64_t)1 << 30)

struct lab_pcap;

/* Of a world at time 0; both must outlive it. At more than most_bytes, when a 16th of them are
 * enough for less than a 64th of the scenario, or when the disk takes no more, it sets *stop. NULL
 * and *error when the file cannot be made. */
struct lab_pcap *lab_pcap_create(const char *path, const struct lab_scenario *scenario,
                                 struct lab_world *world, int64_t most_bytes,
                                 volatile sig_atomic_t *stop, GError **error);
/* Closes and frees it; a file that is not whole is removed. TRUE for NULL. */
gboolean lab_pcap_finish(struct lab_pcap *pcap, GError **error);

#endif
