/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/socket_ecn.h"

#include <netinet/in.h>

typedef struct
{
  gconstpointer owner;
  enum weir_ecn ecn;
} Wish;

/* Of all sockets; no other lock is taken under it. The wishes of a socket go with it. */
static GMutex wishes_lock;

/* How often a socket's field has changed; atomic. */
static gint changes;

static GArray *
wishes_of (GSocket *socket)
{
  static GQuark quark;
  if (quark == 0) {
    quark = g_quark_from_static_string ("weir-ecn-wishes");
  }
  GArray *wishes = g_object_get_qdata (G_OBJECT (socket), quark);
  if (wishes == NULL) {
    wishes = g_array_new (FALSE, FALSE, sizeof (Wish));
    g_object_set_qdata_full (G_OBJECT (socket), quark, wishes, (GDestroyNotify) g_array_unref);
  }
  return wishes;
}

static void
remove_wish (GArray *wishes, gconstpointer owner)
{
  for (guint i = wishes->len; i-- > 0;) {
    if (g_array_index (wishes, Wish, i).owner == owner) {
      g_array_remove_index_fast (wishes, i);
    }
  }
}

/* What all want. */
static enum weir_ecn
common_wish (const GArray *wishes)
{
  enum weir_ecn ecn = wishes->len > 0 ? g_array_index (wishes, Wish, 0).ecn : WEIR_ECN_NOT_ECT;
  for (guint i = 1; i < wishes->len; i++) {
    ecn = g_array_index (wishes, Wish, i).ecn == ecn ? ecn : WEIR_ECN_NOT_ECT;
  }
  return ecn;
}

/* Leaves the DSCP, the upper six bits, as it is. */
static gboolean
write_field (GSocket *socket, gint level, gint option, enum weir_ecn ecn, GError **error)
{
  gint tos = 0;
  return g_socket_get_option (socket, level, option, &tos, error)
         && g_socket_set_option (socket, level, option, (tos & ~3) | (gint) ecn, error);
}

/* A socket of IPv6 may send to IPv4 addresses, too, where the system allows it. */
static gboolean
write_fields (GSocket *socket, enum weir_ecn ecn, GError **error)
{
  if (g_socket_get_family (socket) != G_SOCKET_FAMILY_IPV6) {
    return write_field (socket, IPPROTO_IP, IP_TOS, ecn, error);
  }
  write_field (socket, IPPROTO_IP, IP_TOS, ecn, NULL);
  return write_field (socket, IPPROTO_IPV6, IPV6_TCLASS, ecn, error);
}

enum weir_ecn
gst_weir_socket_want_ecn (GSocket *socket, gconstpointer owner, enum weir_ecn ecn, gchar **why)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&wishes_lock);
  GArray *wishes = wishes_of (socket);
  Wish wish = { owner, ecn };
  enum weir_ecn former = common_wish (wishes);
  remove_wish (wishes, owner);
  g_array_append_val (wishes, wish);
  enum weir_ecn common = common_wish (wishes);
  if (common != ecn && why != NULL) {
    *why = g_strdup ("another weirsend that sends by the same socket has other wishes: give all of "
                     "them the same ecn");
  }
  g_atomic_int_add (&changes, common != former);
  if (common != former && !write_fields (socket, common, &error)) {
    if (why != NULL) {
      g_free (*why);
      *why = g_strdup_printf (
          "the socket refuses %s: %s; allow it (a sandbox may forbid it), give the sink another "
          "socket, or set ecn=off",
          g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6 ? "IPV6_TCLASS" : "IP_TOS",
          error->message);
    }
    return WEIR_ECN_NOT_ECT;
  }
  return common;
}

void
gst_weir_socket_forget_ecn (GSocket *socket, gconstpointer owner)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&wishes_lock);
  GArray *wishes = wishes_of (socket);
  enum weir_ecn former = common_wish (wishes);
  remove_wish (wishes, owner);
  g_atomic_int_add (&changes, common_wish (wishes) != former);
  if (common_wish (wishes) != former && !g_socket_is_closed (socket)) {
    write_fields (socket, common_wish (wishes), NULL);
  }
}

gint
gst_weir_socket_ecn_changes (void)
{
  return g_atomic_int_get (&changes);
}
