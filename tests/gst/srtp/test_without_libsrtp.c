/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin that was built without libsrtp has the properties, runs without a key, and says what is
 * missing when there is one. */
#include "srtp/srtcp.h"

#include "srtp/srtp_data.h"
#include <string.h>

static void
test_a_key_is_refused_with_the_reason (void)
{
  GValue value = G_VALUE_INIT;
  GstWeirSrtcp srtcp;
  gchar *why = NULL;
  gst_weir_srtcp_init (&srtcp);
  g_assert_true (gst_weir_srtcp_start (&srtcp, &why));
  g_value_init (&value, GST_TYPE_BUFFER);
  g_assert_true (gst_value_deserialize (&value, KEY_HEX));
  gst_weir_srtcp_set_key (&srtcp, &value);
  g_value_unset (&value);
  g_assert_false (gst_weir_srtcp_start (&srtcp, &why));
  g_assert_nonnull (strstr (why, "built without libsrtp"));
  g_assert_null (strstr (why, "10111213"));
  g_assert_false (gst_weir_srtcp_is_on (&srtcp));
  g_free (why);
  gst_weir_srtcp_clear (&srtcp);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/without_libsrtp/a_key_is_refused_with_the_reason",
                   test_a_key_is_refused_with_the_reason);
  return g_test_run ();
}
