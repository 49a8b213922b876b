/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/properties.h"

#include <gobject/gvaluecollector.h>

/* A row of the table, which the property's specification keeps. */
typedef struct
{
  GstWeirProperty property;
  GstWeirLockFunc lock, unlock;
} Row;

static void
lock_object (gpointer self)
{
  GST_OBJECT_LOCK (self);
}

static void
unlock_object (gpointer self)
{
  GST_OBJECT_UNLOCK (self);
}

static GQuark
row_quark (void)
{
  return g_quark_from_static_string ("weir-property");
}

static const Row *
row_of (GParamSpec *spec)
{
  return g_param_spec_get_qdata (spec, row_quark ());
}

/* As g_object_get () writes a value where its caller wants it. */
static void
write_value (const GValue *value, ...)
{
  va_list field;
  gchar *why = NULL;
  va_start (field, value);
  G_VALUE_LCOPY (value, field, 0, &why);
  va_end (field);
  g_assert (why == NULL);
}

static void
store (gpointer field, const GValue *value)
{
  g_assert (!G_VALUE_HOLDS_BOXED (value)); /* such a property has a function */
  if (G_VALUE_HOLDS_STRING (value)) {
    g_free (*(gchar **) field);
  }
  write_value (value, field);
}

static void
load (gconstpointer field, GValue *value)
{
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
  case G_TYPE_BOOLEAN:
    g_value_set_boolean (value, *(const gboolean *) field);
    break;
  case G_TYPE_INT:
    g_value_set_int (value, *(const gint *) field);
    break;
  case G_TYPE_UINT:
    g_value_set_uint (value, *(const guint *) field);
    break;
  case G_TYPE_UINT64:
    g_value_set_uint64 (value, *(const guint64 *) field);
    break;
  case G_TYPE_DOUBLE:
    g_value_set_double (value, *(const gdouble *) field);
    break;
  case G_TYPE_ENUM:
    g_value_set_enum (value, *(const gint *) field);
    break;
  case G_TYPE_FLAGS:
    g_value_set_flags (value, *(const guint *) field);
    break;
  case G_TYPE_STRING:
    g_value_set_string (value, *(gchar *const *) field);
    break;
  case G_TYPE_BOXED:
    g_value_set_boxed (value, *(const gconstpointer *) field);
    break;
  default:
    g_assert_not_reached ();
  }
}

gpointer
gst_weir_property_field (GObject *self, GParamSpec *spec)
{
  return G_STRUCT_MEMBER_P (self, row_of (spec)->property.offset);
}

void
gst_weir_property_store (GObject *self, const GValue *value, GParamSpec *spec)
{
  const Row *row = row_of (spec);
  row->lock (self);
  store (gst_weir_property_field (self, spec), value);
  row->unlock (self);
}

static void
set_property (GObject *self, G_GNUC_UNUSED guint id, const GValue *value, GParamSpec *spec)
{
  const GstWeirProperty *property = &row_of (spec)->property;
  if (property->set != NULL) {
    property->set (self, value, spec);
    return;
  }
  gst_weir_property_store (self, value, spec);
  if (property->changed != NULL) {
    property->changed (self);
  }
}

static void
get_property (GObject *self, G_GNUC_UNUSED guint id, GValue *value, GParamSpec *spec)
{
  const Row *row = row_of (spec);
  if (row->property.get != NULL) {
    row->property.get (self, value, spec);
    return;
  }
  row->lock (self);
  load (G_STRUCT_MEMBER_P (self, row->property.offset), value);
  row->unlock (self);
}

void
gst_weir_properties_check_times (GstElement *element)
{
  guint n;
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (guint i = 0; i < n; i++) {
    const Row *row = row_of (specs[i]);
    guint64 ns = 0;
    if (row != NULL && row->property.in_ns) {
      g_object_get (element, specs[i]->name, &ns, NULL);
    }
    if (ns > 0 && ns < GST_USECOND) {
      GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
                           ("%s=%" G_GUINT64_FORMAT " is %" G_GUINT64_FORMAT
                            " nanoseconds: write %" G_GUINT64_FORMAT "000000 for %" G_GUINT64_FORMAT
                            " ms",
                            specs[i]->name, ns, ns, ns, ns),
                           ("Times are in nanoseconds, and GStreamer takes no units"));
    }
  }
}

/* A mistake in the table shows when the class is made. */
static void
check_row (const GstWeirProperty *property)
{
  GParamFlags flags = property->spec->flags;
  g_assert ((flags & G_PARAM_WRITABLE) == 0 || property->set != NULL || property->offset != 0);
  g_assert ((flags & G_PARAM_READABLE) == 0 || property->get != NULL || property->offset != 0);
}

void
gst_weir_properties_install (GObjectClass *klass, const GstWeirProperty *properties, guint n,
                             GstWeirLockFunc lock, GstWeirLockFunc unlock)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  for (guint i = 0; i < n; i++) {
    Row *row = g_new (Row, 1); /* lives as long as the class, which is for ever */

    check_row (&properties[i]);
    *row = (Row){ properties[i], lock != NULL ? lock : lock_object,
                  unlock != NULL ? unlock : unlock_object };
    g_param_spec_set_qdata (row->property.spec, row_quark (), row);
    g_object_class_install_property (klass, i + 1, row->property.spec);
  }
}
