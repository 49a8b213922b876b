/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of the link: packets are read from one descriptor, cross an emulated path, and are
 * written to another. Nothing is allocated per packet. */
#ifndef WEIR_LINK_DIRECTION_H
#define WEIR_LINK_DIRECTION_H

#include "lateness.h"
#include "packet_log.h"
#include "settings.h"
#include "sim/datagram_pool.h"
#include "sim/path.h"
#include <glib.h>

#define LINK_LARGEST_PACKET 65535

/* Whose packets: each kind is a flow of the path, so that the link knows who got what. */
enum link_kind { LINK_TCP, LINK_UDP, LINK_OTHER, LINK_KINDS };
extern const char *const link_kind_names[LINK_KINDS];

struct link_direction {
    struct weir__path *path;
    struct weir__datagram_pool pool;
    struct link_settings settings; /* owned */
    uint32_t flows[LINK_KINDS];
    int in_fd, out_fd; /* not owned */
    int64_t origin_ns; /* when the path's time began, on the monotonic clock */
    int64_t too_large; /* packets longer than the MTU that was agreed */
    int64_t unwritten; /* packets the other end did not take */
    struct link_lateness lateness;
    struct link_packet_log packet_log;    /* owned */
    uint8_t buffer[LINK_LARGEST_PACKET];  /* what is read */
    uint8_t damaged[LINK_LARGEST_PACKET]; /* what is written instead of a packet */
};

gboolean link_direction_init(struct link_direction *direction, struct link_settings *settings,
                             int64_t mtu_bytes, GError **error);
void link_direction_finish(struct link_direction *direction);
void link_direction_start(struct link_direction *direction, int in_fd, int out_fd,
                          int64_t origin_ns);
gboolean link_direction_read(struct link_direction *direction, guint most, GError **error);
void link_direction_run(struct link_direction *direction, int64_t now_ns);
int64_t link_direction_next_ns(const struct link_direction *direction);
gboolean link_direction_set(struct link_direction *direction, const struct link_setting *setting,
                            const char *text, GError **error);
uint16_t link_direction_subflow(const uint8_t *packet, size_t size_bytes);
enum link_kind link_direction_kind(const uint8_t *packet, size_t size_bytes);

#endif
