/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ECN field of what a socket sends, beside the DSCP that is there. Several elements may send by
 * one socket: each says what it wants, and where they differ packets are not ECN-capable. The
 * option is written when what all want changes, so what an application set itself stays as long as
 * none does. */
#ifndef GST_WEIR_SOCKET_ECN_H
#define GST_WEIR_SOCKET_ECN_H

#include "weir/ecn.h"
#include <gio/gio.h>

/* owner (only to compare) wants ecn; forget it before it goes. Returns what the socket's packets
 * carry from now on. *why (nullable; free it) says why that is something else than was wanted, or
 * NULL. */
enum weir_ecn gst_weir_socket_want_ecn (GSocket *socket, gconstpointer owner, enum weir_ecn ecn,
                                        gchar **why);
/* The last one to go leaves the field as not ECN-capable. */
void gst_weir_socket_forget_ecn (GSocket *socket, gconstpointer owner);

/* A number that is another one when what some socket's packets carry has changed, by whomever. */
gint gst_weir_socket_ecn_changes (void);

#endif
