/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes that are in a network namespace. */
#ifndef WEIR_LINK_RESIDENTS_H
#define WEIR_LINK_RESIDENTS_H

#include <glib.h>

guint link_residents_signal(const char *name, int number);

#endif
