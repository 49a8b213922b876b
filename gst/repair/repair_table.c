/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "repair/repair_table.h"

#include "common/pipeline_walk.h"

#define NO_PAYLOAD_TYPE 255

static const GstWeirRepairInfo table[] = {
  /* Its percentage takes effect with the next packet, and it says nothing of that in its flags. */
  { .factory = "rtpulpfecenc", .property = "percentage", .payload_type = "pt" },
  { .factory = "opusenc",
    .property = "packet-loss-percentage",
    .on = "inband-fec",
    .within_packets = TRUE },
  /* Rows and columns, which are fixed when it starts. */
  { .factory = "rtpst2022-1-fecenc" },
};

const GstWeirRepairInfo *
gst_weir_repair_info_for (GstElement *element)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (gst_weir_is_made_by (element, table[i].factory)) {
      return &table[i];
    }
  }
  return NULL;
}

static GParamSpec *
find_property (GstElement *element, const gchar *name)
{
  return name == NULL ? NULL : g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
}

/* Of one that says nothing it is tried. */
static gboolean
is_too_late (GstElement *element, const GParamSpec *spec)
{
  GstState state = GST_STATE_NULL;
  gst_element_get_state (element, &state, NULL, 0);
  return ((spec->flags & GST_PARAM_MUTABLE_READY) != 0 && state > GST_STATE_READY)
         || ((spec->flags & GST_PARAM_MUTABLE_PAUSED) != 0 && state > GST_STATE_PAUSED);
}

static gboolean
is_percentage (const GParamSpec *spec)
{
  return (G_IS_PARAM_SPEC_INT (spec) || G_IS_PARAM_SPEC_UINT (spec))
         && (spec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE;
}

gchar *
gst_weir_repair_refuses (GstElement *element, const GstWeirRepairInfo *info)
{
  guint payload_type = 0;
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (element));
  GParamSpec *spec = find_property (element, info->property);
  if (info->property == NULL) {
    return g_strdup_printf ("%s cannot change how much it repairs while playing: use rtpulpfecenc",
                            name);
  }
  if (spec == NULL || !is_percentage (spec)
      || (info->on != NULL && find_property (element, info->on) == NULL)) {
    return g_strdup_printf ("%s has no %s that can be set: its release is too old or too new", name,
                            spec != NULL && info->on != NULL ? info->on : info->property);
  }
  if (is_too_late (element, spec)) {
    return g_strdup_printf ("%s takes no other %s while playing; it stays at %u", name,
                            info->property, gst_weir_repair_get_percent (element, info));
  }
  if (info->payload_type != NULL && find_property (element, info->payload_type) != NULL) {
    g_object_get (element, info->payload_type, &payload_type, NULL);
  }
  return payload_type != NO_PAYLOAD_TYPE
             ? NULL
             : g_strdup_printf ("%s makes no packets: set its %s, the payload type that was agreed "
                                "on for them",
                                name, info->payload_type);
}

guint
gst_weir_repair_get_percent (GstElement *element, const GstWeirRepairInfo *info)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) percent = G_VALUE_INIT;
  gboolean on = TRUE;
  g_value_init (&value, find_property (element, info->property)->value_type);
  g_value_init (&percent, G_TYPE_UINT);
  g_object_get_property (G_OBJECT (element), info->property, &value);
  g_value_transform (&value, &percent);
  if (info->on != NULL) {
    g_object_get (element, info->on, &on, NULL);
  }
  return on ? g_value_get_uint (&percent) : 0;
}

void
gst_weir_repair_set_percent (GstElement *element, const GstWeirRepairInfo *info, guint percent)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) wanted = G_VALUE_INIT;
  GParamSpec *spec = find_property (element, info->property);
  g_value_init (&value, spec->value_type);
  g_value_init (&wanted, G_TYPE_UINT);
  g_value_set_uint (&wanted, percent);
  g_value_transform (&wanted, &value);
  g_param_value_validate (spec, &value);
  g_object_set_property (G_OBJECT (element), info->property, &value);
  if (info->on != NULL) {
    g_object_set (element, info->on, percent > 0, NULL);
  }
}
