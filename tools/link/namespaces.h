/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ends of the link: TUN devices in two network namespaces, joined by nothing but the link, or
 * where the program runs. What is made here is removed here. */
#ifndef WEIR_LINK_NAMESPACES_H
#define WEIR_LINK_NAMESPACES_H

#include <glib.h>
#include <stdint.h>

#define LINK_NAMESPACES_DEVICE "weir0" /* the TUN device in each of them */

struct link_end {
    char *name;    /* of the namespace, owned */
    char *address; /* owned */
    char *device;  /* of --tun, without a namespace, owned; NULL: weir0 in the namespace */
    gboolean made; /* and to be removed */
    int tun_fd;    /* -1: none */
};

struct link_namespaces {
    struct link_end ends[2];
    int prefix_bits; /* of the network that both addresses are in */
};

void link_namespaces_init(struct link_namespaces *namespaces);
gboolean link_namespaces_set_names(struct link_namespaces *namespaces, const char *text,
                                   GError **error);
gboolean link_namespaces_set_addresses(struct link_namespaces *namespaces, const char *text,
                                       GError **error);
gboolean link_namespaces_permitted(GError **error);
gboolean link_namespaces_make(struct link_namespaces *namespaces, int64_t mtu_bytes,
                              GError **error);
void link_namespaces_finish(struct link_namespaces *namespaces);
guint link_namespaces_signal(const char *name, int number);
gboolean link_namespaces_run_ip(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
