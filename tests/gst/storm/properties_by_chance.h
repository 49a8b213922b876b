/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any property of an element, set to any value that its specification allows, or read. */
#ifndef TESTS_GST_STORM_PROPERTIES_BY_CHANCE_H
#define TESTS_GST_STORM_PROPERTIES_BY_CHANCE_H

#include "packets.h"

static gboolean
put_number (GValue *value, GRand *dice, GParamSpec *spec)
{
  if (G_IS_PARAM_SPEC_INT (spec)) {
    const GParamSpecInt *range = G_PARAM_SPEC_INT (spec);
    g_value_set_int (value, (gint) any_number (dice, range->minimum, range->maximum));
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    const GParamSpecUInt *range = G_PARAM_SPEC_UINT (spec);
    g_value_set_uint (value, (guint) any_number (dice, range->minimum, range->maximum));
  } else if (G_IS_PARAM_SPEC_UINT64 (spec)) {
    const GParamSpecUInt64 *range = G_PARAM_SPEC_UINT64 (spec);
    gdouble high = (gdouble) MIN (range->maximum, (guint64) G_MAXINT64 / 2);
    g_value_set_uint64 (value, (guint64) any_number (dice, (gdouble) range->minimum, high));
  } else if (G_IS_PARAM_SPEC_DOUBLE (spec)) {
    const GParamSpecDouble *range = G_PARAM_SPEC_DOUBLE (spec);
    g_value_set_double (value, any_number (dice, range->minimum, range->maximum));
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
put_choice (GValue *value, GRand *dice, GParamSpec *spec)
{
  if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    g_value_set_boolean (value, one_in (dice, 2));
  } else if (G_IS_PARAM_SPEC_ENUM (spec)) {
    const GEnumClass *klass = G_PARAM_SPEC_ENUM (spec)->enum_class;
    gint i = g_rand_int_range (dice, 0, (gint) klass->n_values);
    g_value_set_enum (value, klass->values[i].value);
  } else if (G_IS_PARAM_SPEC_FLAGS (spec)) {
    g_value_set_flags (value, g_rand_int (dice) & G_PARAM_SPEC_FLAGS (spec)->flags_class->mask);
  } else {
    return FALSE;
  }
  return TRUE;
}

static void
put_boxed (GValue *value, GRand *dice, GParamSpec *spec)
{
  static const guint8 key[30] = { 1, 2, 3 };
  static const gchar *const params[] = { "params", "params,rate-bps=2000000", "params,profile=x" };
  if (spec->value_type == GST_TYPE_BUFFER && !one_in (dice, 4)) {
    g_value_take_boxed (value, gst_buffer_new_memdup (key, one_in (dice, 4) ? 5 : sizeof key));
  } else if (spec->value_type == GST_TYPE_STRUCTURE) {
    const gchar *text = params[g_rand_int_range (dice, 0, G_N_ELEMENTS (params))];
    g_value_take_boxed (value, gst_structure_from_string (text, NULL));
  }
}

static void
set_by_chance (GObject *object, GRand *dice, GParamSpec *spec, const gchar *folder)
{
  GValue value = G_VALUE_INIT;
  g_value_init (&value, spec->value_type);
  if (one_in (dice, 3)) {
    g_param_value_set_default (spec, &value);
  } else if (G_IS_PARAM_SPEC_STRING (spec)) {
    g_value_take_string (&value, any_text (dice, spec->name, folder));
  } else if (G_VALUE_HOLDS_BOXED (&value)) {
    put_boxed (&value, dice, spec);
  } else if (!put_number (&value, dice, spec)) {
    put_choice (&value, dice, spec);
  }
  g_object_set_property (object, spec->name, &value);
  g_value_unset (&value);
}

static void
get_property (GObject *object, const gchar *name)
{
  GValue value = G_VALUE_INIT;
  g_object_get_property (object, name, &value);
  g_value_unset (&value);
}

/* Of those that the element's own class adds. */
static void
touch_a_property (GObject *object, GRand *dice, const gchar *folder)
{
  guint n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
  GParamSpec *spec = all[g_rand_int_range (dice, 0, (gint) n)];
  if (spec->owner_type == G_OBJECT_TYPE (object)) {
    if ((spec->flags & G_PARAM_WRITABLE) != 0 && one_in (dice, 2)) {
      set_by_chance (object, dice, spec, folder);
    } else if ((spec->flags & G_PARAM_READABLE) != 0) {
      get_property (object, spec->name);
    }
  }
  g_free (all);
}

#endif
