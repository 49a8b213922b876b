/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Their texts appear in gst-inspect-1.0. */
#include "send/weirsend_types.h"

#include "common/properties.h"
#include "send/weirsend_settings.h"
#include "weir/weir.h"

/* The values live as long as the type, which is for ever. */
static GEnumValue *
algorithm_values (void)
{
  gsize n = weir_algorithm_count ();
  GEnumValue *values = g_new0 (GEnumValue, n + 1);
  for (gsize i = 0; i < n; i++) {
    struct weir_algorithm_info info;
    const gchar *name = weir_algorithm_name (i);
    values[i].value = (gint) i;
    values[i].value_nick = name;
    values[i].value_name = name;
    if (weir_algorithm_get_info (name, &info) == WEIR_OK) {
      values[i].value_name = g_strdup_printf (
          "%s%s [%s]", info.for_live_media ? "" : "Research: ", info.description, info.spec);
    }
  }
  return values;
}

/* One value per algorithm of the library, in its order: those for live media come first. */
GType
gst_weir_algorithm_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    g_once_init_leave (&type, g_enum_register_static ("GstWeirAlgorithm", algorithm_values ()));
  }
  return type;
}

gint
gst_weir_algorithm_index (const gchar *name)
{
  for (gsize i = 0; i < weir_algorithm_count (); i++) {
    if (g_strcmp0 (weir_algorithm_name (i), name) == 0) {
      return (gint) i;
    }
  }
  return 0;
}

GST_WEIR_DEFINE_ENUM (GstWeirPacing, gst_weir_pacing,
                      { FALSE, "Packets leave as they arrive; a full window still holds them back",
                        "off" },
                      { TRUE, "Packets leave evenly spaced, at the rate that the network carries",
                        "on" })

GST_WEIR_DEFINE_ENUM (GstWeirQueuePolicy, gst_weir_queue_policy,
                      { WEIR_QUEUE_DROP_NEWEST, "Refuse the arriving packet", "drop-newest" },
                      { WEIR_QUEUE_DROP_OLDEST, "Drop the packets that have waited longest",
                        "drop-oldest" },
                      { WEIR_QUEUE_DROP_FRAME,
                        "Drop whole video frames, audio last, and ask for a key frame",
                        "drop-frame" })

/* One value per format of the library, and one for all. */
GType
gst_weir_feedback_get_type (void)
{
  static gsize type = 0;
  static GFlagsValue values[WEIR_FEEDBACK_FORMATS_MAX + 2];
  if (g_once_init_enter (&type)) {
    struct weir_feedback_info info;
    gsize n = 0;
    for (; weir_feedback_get_info (n, &info); n++) {
      values[n] = (GFlagsValue){ info.format, info.description, info.name };
    }
    values[n] = (GFlagsValue){ WEIR_FEEDBACK_ALL, "Whatever comes", "auto" };
    g_once_init_leave (&type, g_flags_register_static ("GstWeirFeedback", values));
  }
  return type;
}

GST_WEIR_DEFINE_ENUM (GstWeirReceivers, gst_weir_receivers,
                      { WEIR_RECEIVERS_WORST,
                        "The one to which the least gets through, so that all can follow",
                        "worst" },
                      { WEIR_RECEIVERS_FIRST,
                        "The first that reports, until it falls silent; others may lose more",
                        "first" })

GST_WEIR_DEFINE_ENUM (GstWeirRepairMode, gst_weir_repair_mode,
                      { FALSE, "The elements stay as they are set", "off" },
                      { TRUE, "As much as the losses are worth", "auto" })

GST_WEIR_DEFINE_ENUM (
    GstWeirEcn, gst_weir_ecn, { GST_WEIR_ECN_OFF, "Packets are not ECN-capable", "off" },
    { GST_WEIR_ECN_ECT0, "ECT(0): a mark counts nearly as a loss (RFC 3168)", "ect0" },
    { GST_WEIR_ECN_ECT1,
      "ECT(1): for L4S queues (RFC 9331); only with an algorithm that answers as they need",
      "ect1" },
    { GST_WEIR_ECN_AUTO, "ect1 where the algorithm answers as L4S needs, else ect0", "auto" })

const gchar *
gst_weir_ecn_nick (guint ecn)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (gst_weir_ecn_get_type ());
  return g_enum_get_value (klass, (gint) ecn)->value_nick; /* a static text */
}
