/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two network namespaces, joined by nothing but the link. What is made here is removed here. */
#ifndef WEIR_LINK_SPACES_H
#define WEIR_LINK_SPACES_H

#include <glib.h>
#include <stdint.h>

#define LINK_SPACES_DEVICE "weir0" /* the TUN device in each of them */

struct link_end {
    char *name;    /* of the namespace, owned */
    char *address; /* owned */
    gboolean made; /* and to be removed */
    int tun_fd;    /* -1: none */
};

struct link_spaces {
    struct link_end ends[2];
    int prefix_bits; /* of the network that both addresses are in */
};

void link_spaces_init(struct link_spaces *spaces);
gboolean link_spaces_set_names(struct link_spaces *spaces, const char *text, GError **error);
gboolean link_spaces_set_addresses(struct link_spaces *spaces, const char *text, GError **error);
gboolean link_spaces_permitted(GError **error);
gboolean link_spaces_make(struct link_spaces *spaces, int64_t mtu_bytes, GError **error);
void link_spaces_finish(struct link_spaces *spaces);

#endif
