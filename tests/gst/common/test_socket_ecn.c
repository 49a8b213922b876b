/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which ECN field a socket sends with, when one or several elements want it. */
#include "common/socket_ecn.h"

#include <netinet/in.h>
#include <string.h>

#define DSCP_EF 0xb8

static GSocket *
make_socket (gboolean ipv6)
{
  GSocket *socket = g_socket_new (ipv6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4,
                                  G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  return socket;
}

static gint
tos_of (GSocket *socket)
{
  gint tos = -1;
  gboolean ipv6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;
  g_socket_get_option (socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_TCLASS : IP_TOS, &tos,
                       NULL);
  return tos;
}

/* The DSCP stays, and the field goes when the owner does. */
static void
test_one_owner (void)
{
  for (gint ipv6 = 0; ipv6 < 2; ipv6++) {
    g_autoptr (GSocket) socket = make_socket (ipv6);
    if (socket == NULL) {
      continue; /* no IPv6 here */
    }
    g_socket_set_option (socket, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_TCLASS : IP_TOS,
                         DSCP_EF, NULL);
    for (enum weir_ecn ecn = WEIR_ECN_NOT_ECT; ecn <= WEIR_ECN_ECT0; ecn++) {
      gchar *why = NULL;
      g_assert_cmpint (gst_weir_socket_want_ecn (socket, &tos_of, ecn, &why), ==, ecn);
      g_assert_null (why);
      g_assert_cmpint (tos_of (socket), ==, DSCP_EF | (gint) ecn);
    }
    gst_weir_socket_forget_ecn (socket, &tos_of);
    g_assert_cmpint (tos_of (socket), ==, DSCP_EF);
  }
}

/* Every pair of wishes: what both want, or none; and the first one's again when the other has gone.
 */
static void
test_two_owners (void)
{
  for (enum weir_ecn a = WEIR_ECN_NOT_ECT; a <= WEIR_ECN_ECT0; a++) {
    for (enum weir_ecn b = WEIR_ECN_NOT_ECT; b <= WEIR_ECN_ECT0; b++) {
      gint first, second;
      g_autofree gchar *why = NULL;
      g_autoptr (GSocket) socket = make_socket (FALSE);
      gst_weir_socket_want_ecn (socket, &first, a, NULL);
      enum weir_ecn got = gst_weir_socket_want_ecn (socket, &second, b, &why);
      g_assert_cmpint (got, ==, a == b ? a : WEIR_ECN_NOT_ECT);
      g_assert_cmpint (tos_of (socket), ==, got);
      g_assert_cmpint (why != NULL, ==, got != b);
      gst_weir_socket_forget_ecn (socket, &second);
      g_assert_cmpint (tos_of (socket), ==, a);
      gst_weir_socket_forget_ecn (socket, &first);
      g_assert_cmpint (tos_of (socket), ==, WEIR_ECN_NOT_ECT);
    }
  }
}

/* Where nobody wants ECN, what an application set is left alone. */
static void
test_an_application_s_own (void)
{
  gint owner;
  g_autoptr (GSocket) socket = make_socket (FALSE);
  g_socket_set_option (socket, IPPROTO_IP, IP_TOS, DSCP_EF | WEIR_ECN_ECT1, NULL);
  gst_weir_socket_want_ecn (socket, &owner, WEIR_ECN_NOT_ECT, NULL);
  gst_weir_socket_forget_ecn (socket, &owner);
  g_assert_cmpint (tos_of (socket), ==, DSCP_EF | WEIR_ECN_ECT1);
}

static void
test_a_socket_that_refuses (void)
{
  gint owner;
  g_autofree gchar *why = NULL;
  g_autoptr (GSocket) socket = make_socket (FALSE);
  g_socket_close (socket, NULL);
  g_assert_cmpint (gst_weir_socket_want_ecn (socket, &owner, WEIR_ECN_ECT0, &why), ==,
                   WEIR_ECN_NOT_ECT);
  g_assert_nonnull (strstr (why, "the socket refuses IP_TOS: "));
  gst_weir_socket_forget_ecn (socket, &owner);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/socket_ecn/one_owner", test_one_owner);
  g_test_add_func ("/socket_ecn/two_owners", test_two_owners);
  g_test_add_func ("/socket_ecn/an_application_s_own", test_an_application_s_own);
  g_test_add_func ("/socket_ecn/a_socket_that_refuses", test_a_socket_that_refuses);
  return g_test_run ();
}
