/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be wrong, and the exit status that says so. */
#ifndef WEIR_LINK_ERROR_H
#define WEIR_LINK_ERROR_H

#include <glib.h>

#define LINK_ERROR (g_quark_from_static_string("weir-link"))

/* Codes of LINK_ERROR are exit statuses. */
enum link_exit {
    LINK_EXIT_OK = 0,
    LINK_EXIT_FAILED = 1,
    LINK_EXIT_WRONG = 2,         /* an option, a value */
    LINK_EXIT_NOT_PERMITTED = 77 /* no root, or the machine lacks what is needed */
};

#endif
