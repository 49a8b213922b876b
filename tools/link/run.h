/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs ip(8) for one thing. */
#ifndef WEIR_LINK_RUN_H
#define WEIR_LINK_RUN_H

#include <glib.h>

gboolean link_run_ip(GError **error, const char *first, ...) G_GNUC_NULL_TERMINATED;

#endif
