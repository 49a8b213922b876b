/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines on stdin that change the running link: "capacity 800k", "reverse-delay 50ms". */
#ifndef WEIR_LINK_CONTROL_H
#define WEIR_LINK_CONTROL_H

#include "direction.h"

#define LINK_LONGEST_LINE 256

struct link_control {
    struct link_direction *directions[2];
    gboolean own_reverse_delay;
    size_t length; /* of the line so far */
    char line[LINK_LONGEST_LINE];
};

gboolean link_control_apply(struct link_control *control, const char *line, GError **error);
gboolean link_control_read(struct link_control *control, int fd);

#endif
