/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of an element as one table: what gst-inspect-1.0 shows of each, and the field that
 * holds its value or the functions that set and get it. No set_property with a case for each. */
#ifndef GST_WEIR_PROPERTIES_H
#define GST_WEIR_PROPERTIES_H

#include <gst/gst.h>

typedef struct
{
  GParamSpec *spec;
  /* The field of the element that holds the value: set and get it under the element's lock. A guint
   * for flags, a gint for an enumeration; texts and boxed values are owned. 0: no field. */
  gsize offset;
  gboolean in_ns;                  /* a guint64: a time in nanoseconds */
  void (*changed) (gpointer self); /* once the field is set; nullable */
  void (*set) (GObject *self, const GValue *value, GParamSpec *spec); /* in place of the field */
  void (*get) (GObject *self, GValue *value, GParamSpec *spec);
} GstWeirProperty;

/* Defines type_name_get_type (): an enumeration TypeName of these GEnumValue, whose texts appear in
 * gst-inspect-1.0. (GLib has the like from 2.74 on.) */
#define GST_WEIR_DEFINE_ENUM(TypeName, type_name, ...)                                             \
  GType type_name##_get_type (void)                                                                \
  {                                                                                                \
    static gsize type = 0;                                                                         \
    static const GEnumValue values[] = { __VA_ARGS__, { 0, NULL, NULL } };                         \
    if (g_once_init_enter (&type)) {                                                               \
      g_once_init_leave (&type, g_enum_register_static (#TypeName, values));                       \
    }                                                                                              \
    return type;                                                                                   \
  }

/* The lock of an element's fields, NULL: that of the GstObject. No function of a property is called
 * with it held. */
typedef void (*GstWeirLockFunc) (gpointer self);

/* Gives klass these properties, beside those it has. The table is copied. */
void gst_weir_properties_install (GObjectClass *klass, const GstWeirProperty *properties, guint n,
                                  GstWeirLockFunc lock, GstWeirLockFunc unlock);

/* Posts a warning for each time in nanoseconds that is set to less than a microsecond: it was meant
 * in another unit. When element starts, because what it posts before that is lost. */
void gst_weir_properties_check_times (GstElement *element);

/* The property's field, to be used under the lock. */
gpointer gst_weir_property_field (GObject *self, GParamSpec *spec);
/* Puts value into the property's field, under the lock: for a set function that has checked it. */
void gst_weir_property_store (GObject *self, const GValue *value, GParamSpec *spec);

#endif
