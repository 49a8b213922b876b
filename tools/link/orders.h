/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines on stdin that change the running link: "capacity 800k", "reverse-delay 50ms". */
#ifndef WEIR_LINK_ORDERS_H
#define WEIR_LINK_ORDERS_H

#include "direction.h"

#define LINK_LONGEST_ORDER 256

struct link_orders {
    struct link_direction *directions[2];
    gboolean own_reverse_delay;
    size_t length; /* of the line so far */
    char line[LINK_LONGEST_ORDER];
};

gboolean link_orders_obey(struct link_orders *orders, const char *line, GError **error);
gboolean link_orders_read(struct link_orders *orders, int fd);

#endif
