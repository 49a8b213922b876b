/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirudpsrc takes the place of udpsrc: its properties have the same names, types and defaults. */
#include <gio/gio.h>
#include <gst/gst.h>

/* What udpsrc has and weirudpsrc has not, because it is deprecated or has no use here. */
static const gchar *const left_out[] = {
  "uri", "multicast-group", "skip-first-bytes", "socket-timestamp", "multicast-source", NULL
};

static void
test_as_udpsrc (void)
{
  g_autoptr (GstElement) ours = gst_object_ref_sink (gst_element_factory_make ("weirudpsrc", NULL));
  GstElement *stock = gst_element_factory_make ("udpsrc", NULL);
  guint n;
  if (stock == NULL) {
    g_test_skip ("no udpsrc: gst-plugins-good is not installed");
    return;
  }
  gst_object_ref_sink (stock);
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (stock), &n);
  for (guint i = 0; i < n; i++) {
    GParamSpec *own = g_object_class_find_property (G_OBJECT_GET_CLASS (ours), specs[i]->name);
    if (g_strv_contains (left_out, specs[i]->name) || g_str_equal (specs[i]->name, "name")) {
      continue;
    }
    g_test_message ("%s", specs[i]->name);
    g_assert_nonnull (own);
    g_assert_true (own->value_type == specs[i]->value_type);
    if (specs[i]->owner_type == G_OBJECT_TYPE (stock)
        && !g_str_equal (specs[i]->name, "do-timestamp")) {
      g_assert_cmpint (g_param_values_cmp (own, g_param_spec_get_default_value (own),
                                           g_param_spec_get_default_value (specs[i])),
                       ==, 0);
    }
  }
  gst_object_unref (stock);
}

static void
test_values_are_kept (void)
{
  g_autoptr (GstElement) src = gst_object_ref_sink (gst_element_factory_make ("weirudpsrc", NULL));
  g_autoptr (GstCaps) caps = gst_caps_from_string ("application/x-rtp,payload=96");
  g_autoptr (GstCaps) seen_caps = NULL;
  g_autoptr (GSocket) socket
      = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GSocket) seen_socket = NULL;
  g_autofree gchar *address = NULL;
  gint port;
  g_object_set (src, "caps", caps, "socket", socket, "address", "::1", "port", 7, NULL);
  g_object_get (src, "caps", &seen_caps, "socket", &seen_socket, "address", &address, "port", &port,
                NULL);
  g_assert_true (seen_caps == caps);
  g_assert_true (seen_socket == socket);
  g_assert_cmpstr (address, ==, "::1");
  g_assert_cmpint (port, ==, 7);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weirudpsrc_properties/as_udpsrc", test_as_udpsrc);
  g_test_add_func ("/weirudpsrc_properties/values_are_kept", test_values_are_kept);
  return g_test_run ();
}
