/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and setting an encoder's properties as its row in the table says. Nothing here locks or
 * remembers; setting a property may take as long as the encoder takes for a frame. */
#include "encoder/encoder_property.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_encoder_debug);
#define GST_CAT_DEFAULT gst_weir_encoder_debug

GParamSpec *
gst_weir_encoder_find_property (GstElement *element, const gchar *name)
{
  return name == NULL ? NULL : g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
}

/* Limits and default of an integer property as gint64; FALSE: not an integer. */
gboolean
gst_weir_encoder_integer_range (GParamSpec *spec, gint64 *low, gint64 *high, gint64 *preset)
{
  if (G_IS_PARAM_SPEC_INT (spec)) {
    const GParamSpecInt *s = G_PARAM_SPEC_INT (spec);
    *low = s->minimum, *high = s->maximum, *preset = s->default_value;
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    const GParamSpecUInt *s = G_PARAM_SPEC_UINT (spec);
    *low = s->minimum, *high = s->maximum, *preset = s->default_value;
  } else if (G_IS_PARAM_SPEC_INT64 (spec)) {
    const GParamSpecInt64 *s = G_PARAM_SPEC_INT64 (spec);
    *low = s->minimum, *high = s->maximum, *preset = s->default_value;
  } else if (G_IS_PARAM_SPEC_UINT64 (spec)) {
    const GParamSpecUInt64 *s = G_PARAM_SPEC_UINT64 (spec);
    *low = (gint64) MIN (s->minimum, (guint64) G_MAXINT64);
    *high = (gint64) MIN (s->maximum, (guint64) G_MAXINT64);
    *preset = (gint64) MIN (s->default_value, (guint64) G_MAXINT64);
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
has_caps (GstElement *element, GstPad *pad, gpointer user)
{
  (void) element;
  (void) user;
  return !gst_pad_has_current_caps (pad); /* FALSE ends the loop */
}

/* Whether its codec has been opened: it is past READY and knows its input format. */
gboolean
gst_weir_encoder_started (GstElement *element)
{
  return GST_STATE (element) > GST_STATE_READY
         && !gst_element_foreach_sink_pad (element, has_caps, NULL);
}

/* The property's value in element, to be unset and freed. */
static GValue *
read_value (GstElement *element, GParamSpec *spec)
{
  GValue *value = g_new0 (GValue, 1);
  g_value_init (value, spec->value_type);
  g_object_get_property (G_OBJECT (element), spec->name, value);
  return value;
}

static void
free_value (gpointer data)
{
  g_value_unset (data);
  g_free (data);
}

/* The value of the property in a new element of the same kind, which need not be the default that
 * its description states; NULL: none can be made. Remembered with the description for good; if two
 * threads ask at once, the first answer stays. */
static const GValue *
pristine_value (GstElement *element, GParamSpec *spec)
{
  G_LOCK_DEFINE_STATIC (pristine);
  GQuark quark = g_quark_from_static_string ("weir-pristine-value");
  GValue *value = g_param_spec_get_qdata (spec, quark);
  GstElementFactory *factory = gst_element_get_factory (element);
  if (value != NULL || factory == NULL) {
    return value;
  }
  g_autoptr (GstElement) fresh = gst_element_factory_create (factory, NULL);
  if (fresh == NULL) {
    return NULL;
  }
  value = read_value (gst_object_ref_sink (fresh), spec);
  G_LOCK (pristine);
  if (g_param_spec_get_qdata (spec, quark) == NULL) {
    g_param_spec_set_qdata_full (spec, quark, g_steal_pointer (&value), free_value);
  }
  G_UNLOCK (pristine);
  g_clear_pointer (&value, free_value);
  return g_param_spec_get_qdata (spec, quark);
}

/* Whether property has the value it was born with: then the user did not choose it (or chose the
 * same). FALSE when there is no such property. */
gboolean
gst_weir_encoder_at_default (GstElement *element, const gchar *property)
{
  GParamSpec *spec = gst_weir_encoder_find_property (element, property);
  if (spec == NULL || (spec->flags & G_PARAM_READABLE) == 0) {
    return FALSE;
  }
  GValue *value = read_value (element, spec);
  const GValue *pristine = pristine_value (element, spec);
  gboolean at_default = pristine != NULL ? g_param_values_cmp (spec, pristine, value) == 0
                                         : g_param_value_defaults (spec, value);
  free_value (value);
  return at_default;
}

/* Whether its bitrate may be set now: always before it starts; afterwards when the kind allows it
 * and what it needs for that is in place. */
gboolean
gst_weir_encoder_can_change (GstElement *element, const GstWeirEncoderInfo *info)
{
  GParamSpec *spec = gst_weir_encoder_find_property (element, info->property);
  if (spec == NULL || !gst_weir_encoder_started (element)) {
    return spec != NULL;
  }
  if (info->live_needs != NULL && gst_weir_encoder_at_default (element, info->live_needs)) {
    return FALSE;
  }
  return info->live == GST_WEIR_LIVE_YES
         || (info->live == GST_WEIR_LIVE_IF_FLAGGED
             && (spec->flags & GST_PARAM_MUTABLE_PLAYING) != 0);
}

/* Sets one "property=value" unless the user did or it is too late; TRUE: it was set. live: it also
 * takes effect while the encoder runs, whatever its flags say. */
static gboolean
apply_setting (GstElement *element, const gchar *setting, gboolean live, GString *too_late)
{
  g_auto (GStrv) pair = g_strsplit (setting, "=", 2);
  GParamSpec *spec = gst_weir_encoder_find_property (element, pair[0]);
  if (spec == NULL || !gst_weir_encoder_at_default (element, pair[0])) {
    GST_INFO_OBJECT (element, "%s was set by the user", pair[0]);
    return FALSE;
  }
  if (!live && (spec->flags & GST_PARAM_MUTABLE_PLAYING) == 0
      && gst_weir_encoder_started (element)) {
    GST_INFO_OBJECT (element, "too late for %s: it is already running", setting);
    g_string_append_printf (too_late, "%s%s", too_late->len > 0 ? " " : "", setting);
    return FALSE;
  }
  gst_util_set_object_arg (G_OBJECT (element), pair[0], pair[1]);
  GST_INFO_OBJECT (element, "set %s, so that it follows its bitrate", setting);
  return TRUE;
}

static guint
apply_settings (GstElement *element, const gchar *list, gboolean live, GString *too_late)
{
  guint n_set = 0;
  g_auto (GStrv) settings = g_strsplit (list != NULL ? list : "", " ", -1);
  for (gchar **setting = settings; *setting != NULL; setting++) {
    n_set += apply_setting (element, *setting, live, too_late) ? 1 : 0;
  }
  return n_set;
}

/* Applies the profile of element's kind where the user set nothing. To be called as early as
 * possible: most settings are read when the codec is opened, at the first caps. Returns how many
 * settings were made; *too_late (free it) lists those that should have been, or is NULL. */
guint
gst_weir_encoder_apply_profile (GstElement *element, const GstWeirEncoderInfo *info,
                                gchar **too_late)
{
  GString *missed = g_string_new (NULL);
  guint n_set = apply_settings (element, info->profile_live, TRUE, missed)
                + apply_settings (element, info->profile, FALSE, missed);
  *too_late = g_string_free (missed, missed->len == 0);
  return n_set;
}

static gint64
get_integer (GstElement *element, const gchar *property)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_value_init (&value, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (element), property, &value);
  return g_value_get_int64 (&value);
}

/* The property kept above the bitrate, unless the user chose its value: NULL then, and *cap is that
 * value (in the property's unit), which the bitrate may not exceed. The mark tells our own setting
 * from the user's when the element is found again. */
static const gchar *
headroom_of (GstElement *element, const GstWeirEncoderInfo *info, gint64 *cap)
{
  static const gchar mark[] = "weir-keeps-headroom";
  *cap = G_MAXINT64;
  if (gst_weir_encoder_find_property (element, info->headroom) == NULL) {
    return NULL;
  }
  if (gst_weir_encoder_at_default (element, info->headroom)) {
    g_object_set_data (G_OBJECT (element), mark, GINT_TO_POINTER (TRUE));
  }
  if (g_object_get_data (G_OBJECT (element), mark) != NULL) {
    return info->headroom;
  }
  *cap = get_integer (element, info->headroom);
  return NULL;
}

/* The least and the largest bitrate the property can hold: its own range, not below the table's
 * minimum unless its maximum is, and not above a maximum that the user chose. */
void
gst_weir_encoder_get_limits (GstElement *element, const GstWeirEncoderInfo *info, gint64 *low_bps,
                             gint64 *high_bps)
{
  gint64 low = 0, high = G_MAXINT, preset = 0, cap;
  GParamSpec *spec = gst_weir_encoder_find_property (element, info->property);
  if (spec != NULL) {
    gst_weir_encoder_integer_range (spec, &low, &high, &preset);
  }
  headroom_of (element, info, &cap);
  high = MAX (MIN (high, cap), 1);
  low = MAX (low, (info->min_bps + info->unit_bps - 1) / info->unit_bps);
  *low_bps = MIN (low, high) * info->unit_bps;
  *high_bps = MIN (high, G_MAXINT64 / info->unit_bps) * info->unit_bps;
}

/* The property's range is honoured; it may have any integer type. */
static void
set_integer (GstElement *element, const gchar *property, gint64 value)
{
  gint64 low, high, preset;
  GParamSpec *spec = gst_weir_encoder_find_property (element, property);
  if (spec != NULL && gst_weir_encoder_integer_range (spec, &low, &high, &preset)) {
    g_auto (GValue) boxed = G_VALUE_INIT;
    g_value_init (&boxed, G_TYPE_INT64);
    g_value_set_int64 (&boxed, CLAMP (value, low, high));
    g_object_set_property (G_OBJECT (element), property, &boxed);
  }
}

/* The bitrate element is set to, or 0: unknown. */
gint64
gst_weir_encoder_get_bps (GstElement *element, const GstWeirEncoderInfo *info)
{
  gint value = 0;
  g_autoptr (GstStructure) controls = NULL;
  if (info->field == NULL) {
    return MAX (get_integer (element, info->property), 0) * info->unit_bps;
  }
  g_object_get (element, info->property, &controls, NULL);
  if (controls != NULL) {
    gst_structure_get_int (controls, info->field, &value);
  }
  return MAX (value, 0) * info->unit_bps;
}

/* The user's other controls are kept. */
static void
set_field (GstElement *element, const GstWeirEncoderInfo *info, gint64 value)
{
  g_autoptr (GstStructure) controls = NULL;
  g_object_get (element, info->property, &controls, NULL);
  if (controls == NULL) {
    controls = gst_structure_new_empty ("controls");
  }
  gst_structure_set (controls, info->field, G_TYPE_INT, (gint) MIN (value, G_MAXINT), NULL);
  g_object_set (element, info->property, controls, NULL);
}

/* Sets it, and what must stay above it: first when raising, last when lowering, since an encoder
 * refuses a maximum below its bitrate. */
void
gst_weir_encoder_set_bps (GstElement *element, const GstWeirEncoderInfo *info, gint64 bitrate_bps)
{
  gint64 cap, value = bitrate_bps / info->unit_bps;
  if (info->field != NULL) {
    set_field (element, info, value);
    return;
  }
  const gchar *headroom = headroom_of (element, info, &cap);
  if (headroom != NULL && get_integer (element, headroom) < 2 * value) {
    set_integer (element, headroom, 2 * value);
  }
  set_integer (element, info->property, value);
  if (headroom != NULL) {
    set_integer (element, headroom, 2 * value);
  }
}
