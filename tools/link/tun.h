/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TUN devices: a network interface on one side, IP packets to read and write on the other. */
#ifndef WEIR_LINK_TUN_H
#define WEIR_LINK_TUN_H

#include <glib.h>

gboolean link_tun_check_name(const char *name, GError **error);
int link_tun_open(const char *name, GError **error);

#endif
