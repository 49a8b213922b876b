/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/rtp_caps.h"

#include "weir/rtcp.h"
#include <string.h>

#define EXTMAP_PREFIX "extmap-"

/* The URI of an extmap field: a string, or an array of direction, URI, attributes. */
static const gchar *
extmap_uri (const GstStructure *structure, const gchar *name)
{
  GType type = gst_structure_get_field_type (structure, name);
  const GValue *value = gst_structure_get_value (structure, name);
  if (type == GST_TYPE_ARRAY) {
    value = gst_value_array_get_size (value) >= 2 ? gst_value_array_get_value (value, 1) : NULL;
  }
  return value != NULL && G_VALUE_HOLDS_STRING (value) ? g_value_get_string (value) : NULL;
}

/* Id of the transport-wide number if the field of that name is its extmap, else 0. */
static guint8
transport_seq_id (const GstStructure *structure, const gchar *name)
{
  gchar *end = NULL;
  if (!g_str_has_prefix (name, EXTMAP_PREFIX)) {
    return 0;
  }
  guint64 id = g_ascii_strtoull (name + strlen (EXTMAP_PREFIX), &end, 10);
  gboolean valid = *end == '\0' && id >= 1 && id <= 255
                   && g_strcmp0 (extmap_uri (structure, name), WEIR_TWCC_URI) == 0;
  return valid ? (guint8) id : 0;
}

static gchar *
explain_wrong_type (const gchar *name)
{
  const gchar *remedy = g_str_has_prefix (name, "application/x-srtp")
                            ? "put this element before the one that encrypts"
                            : "put a payloader (such as rtph264pay) before this element";
  return g_strdup_printf ("application/x-rtp is required here, not %s: %s", name, remedy);
}

static GstWeirKind
read_kind (const GstStructure *structure)
{
  const gchar *media = gst_structure_get_string (structure, "media");
  return g_strcmp0 (media, "audio") == 0   ? GST_WEIR_KIND_AUDIO
         : g_strcmp0 (media, "video") == 0 ? GST_WEIR_KIND_VIDEO
                                           : GST_WEIR_KIND_UNKNOWN;
}

/* RFC 4588, RFC 5109, RFC 8627, SMPTE 2022-1. */
static gboolean
is_repair (const gchar *encoding)
{
  static const gchar *const names[] = { "RTX", "ULPFEC", "FLEXFEC", "PARITYFEC", "2DPARITYFEC" };
  for (gsize i = 0; encoding != NULL && i < G_N_ELEMENTS (names); i++) {
    if (g_ascii_strcasecmp (encoding, names[i]) == 0) {
      return TRUE;
    }
  }
  return FALSE;
}

static void
read_numbers (const GstStructure *structure, GstWeirRtpCaps *parsed)
{
  gint clock_rate = 0;
  gint payload = -1;
  guint ssrc = 0;
  if (gst_structure_get_int (structure, "clock-rate", &clock_rate) && clock_rate > 0) {
    parsed->clock_rate_hz = (guint32) clock_rate;
  }
  parsed->has_ssrc = gst_structure_get_uint (structure, "ssrc", &ssrc);
  parsed->ssrc = ssrc;
  gst_structure_get_int (structure, "payload", &payload);
  parsed->has_payload_type = payload >= 0 && payload <= 127;
  parsed->payload_type = parsed->has_payload_type ? (guint8) payload : 0;
}

gboolean
gst_weir_rtp_caps_parse (const GstCaps *caps, GstWeirRtpCaps *parsed, gchar **why)
{
  const GstStructure *structure
      = gst_caps_get_size (caps) > 0 ? gst_caps_get_structure (caps, 0) : NULL;
  if (structure == NULL || !gst_structure_has_name (structure, "application/x-rtp")) {
    if (why != NULL) {
      *why = explain_wrong_type (structure != NULL ? gst_structure_get_name (structure)
                                                   : "empty caps");
    }
    return FALSE;
  }
  const gchar *encoding = gst_structure_get_string (structure, "encoding-name");
  *parsed = (GstWeirRtpCaps){ .kind = read_kind (structure), .repair = is_repair (encoding) };
  read_numbers (structure, parsed);
  parsed->key_flags = g_strcmp0 (encoding, "H264") == 0 || g_strcmp0 (encoding, "H265") == 0;
  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    guint8 id = transport_seq_id (structure, gst_structure_nth_field_name (structure, (guint) i));
    parsed->transport_seq_id = id != 0 ? id : parsed->transport_seq_id;
  }
  return TRUE;
}
