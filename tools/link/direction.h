/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of the link: packets are read from one descriptor, cross an emulated path, and are
 * written to another. Nothing is allocated per packet. */
#ifndef WEIR_LINK_DIRECTION_H
#define WEIR_LINK_DIRECTION_H

#include "packet.h"
#include "settings.h"
#include "sim/base/datagram_pool.h"
#include "sim/path/path.h"
#include <glib.h>

#define LINK_LARGEST_PACKET 65535

/* How late packets leave, against the time the path says: a histogram of 10 us steps. */
#define LINK_LATENESS_STEP_NS INT64_C(10000)
#define LINK_LATENESS_STEPS   2000 /* the last one holds everything from 20 ms on */

struct link_lateness {
    int64_t counts[LINK_LATENESS_STEPS];
    int64_t n;
    int64_t most_ns;
};

struct link_direction {
    struct weir__path *path;
    struct weir__datagram_pool pool;
    struct link_settings settings;  /* owned */
    uint32_t flows[LINK_PROTOCOLS]; /* of the path, so that the link knows who got what */
    int in_fd, out_fd;              /* not owned */
    int64_t origin_ns;              /* when the path's time began, on the monotonic clock */
    int64_t too_large;              /* packets longer than the MTU that was agreed */
    int64_t unwritten;              /* packets the other end did not take */
    struct link_lateness lateness;
    FILE *packet_log;                     /* owned, NULL: none */
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
int64_t link_clock_ns(void);
void link_lateness_add(struct link_lateness *lateness, int64_t late_ns);
int64_t link_lateness_quantile_ns(const struct link_lateness *lateness, double quantile);

#endif
