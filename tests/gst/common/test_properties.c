/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of properties of every kind: fields, functions, and the lock. */
#include "common/properties.h"

#include <gst/gst.h>

#define TEST_TYPE_THING (test_thing_get_type ())
G_DECLARE_FINAL_TYPE (TestThing, test_thing, TEST, THING, GObject)

struct _TestThing
{
  GObject parent;
  guint locks, unlocks; /* taken, given */
  guint changes;        /* of the number */
  gboolean flag;
  gint number;
  guint count;
  guint64 time_ns;
  gdouble ratio;
  gint choice;
  guint several;
  gchar *text;
  GstStructure *params;
};

G_DEFINE_FINAL_TYPE (TestThing, test_thing, G_TYPE_OBJECT)

static void
lock (gpointer self)
{
  TestThing *thing = self;
  g_assert_cmpuint (thing->locks, ==, thing->unlocks);
  thing->locks++;
}

static void
unlock (gpointer self)
{
  TestThing *thing = self;
  g_assert_cmpuint (thing->locks, ==, thing->unlocks + 1);
  thing->unlocks++;
}

static void
number_changed (gpointer self)
{
  TestThing *thing = self;
  g_assert_cmpuint (thing->locks, ==, thing->unlocks);
  thing->changes++;
}

/* Texts in capitals are refused. */
static void
set_text (GObject *self, const GValue *value, GParamSpec *spec)
{
  const gchar *text = g_value_get_string (value);
  g_assert_cmpuint (TEST_THING (self)->locks, ==, TEST_THING (self)->unlocks);
  if (text == NULL || !g_ascii_isupper (text[0])) {
    gst_weir_property_store (self, value, spec);
  }
}

static void
get_twice (GObject *self, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  g_value_set_int (value, 2 * TEST_THING (self)->number);
}

static void
test_thing_init (TestThing *thing)
{
  thing->params = gst_structure_new ("params", "x", G_TYPE_INT, 7, NULL);
}

static void
finalize (GObject *object)
{
  TestThing *thing = TEST_THING (object);
  g_free (thing->text);
  gst_structure_free (thing->params);
  G_OBJECT_CLASS (test_thing_parent_class)->finalize (object);
}

static void
test_thing_class_init (TestThingClass *klass)
{
#define FIELD(member) .offset = G_STRUCT_OFFSET (TestThing, member)
  const GstWeirProperty properties[] = {
    { g_param_spec_boolean ("flag", "", "", TRUE, G_PARAM_READWRITE | G_PARAM_CONSTRUCT),
      FIELD (flag) },
    { g_param_spec_int ("number", "", "", -5, 5, 1, G_PARAM_READWRITE), FIELD (number),
      .changed = number_changed },
    { g_param_spec_int ("twice", "", "", -10, 10, 1, G_PARAM_READABLE), .get = get_twice },
    { g_param_spec_uint ("count", "", "", 0, 9, 1, G_PARAM_READWRITE), FIELD (count) },
    { g_param_spec_uint64 ("time", "", "", 0, G_MAXUINT64, 1, G_PARAM_READWRITE), FIELD (time_ns) },
    { g_param_spec_double ("ratio", "", "", 0.0, 1.0, 0.5, G_PARAM_READWRITE), FIELD (ratio) },
    { g_param_spec_enum ("choice", "", "", GST_TYPE_STATE, GST_STATE_NULL, G_PARAM_READWRITE),
      FIELD (choice) },
    { g_param_spec_flags ("several", "", "", GST_TYPE_SEEK_FLAGS, 0, G_PARAM_READWRITE),
      FIELD (several) },
    { g_param_spec_string ("text", "", "", NULL, G_PARAM_READWRITE), FIELD (text),
      .set = set_text },
    { g_param_spec_boxed ("params", "", "", GST_TYPE_STRUCTURE, G_PARAM_READABLE), FIELD (params) },
  };
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_weir_properties_install (G_OBJECT_CLASS (klass), properties, G_N_ELEMENTS (properties), lock,
                               unlock);
}

static void
test_every_kind_of_value_is_kept (void)
{
  TestThing *thing = g_object_new (TEST_TYPE_THING, NULL);
  GstStructure *params;
  gboolean flag;
  gint number, twice, choice;
  guint count, several;
  guint64 time_ns;
  gdouble ratio;
  gchar *text;

  g_object_get (thing, "flag", &flag, NULL);
  g_assert_true (flag);
  g_object_set (thing, "flag", FALSE, "number", -4, "count", 8, "time", G_MAXUINT64, "ratio", 0.25,
                "choice", GST_STATE_PAUSED, "several", GST_SEEK_FLAG_FLUSH, "text", "a", NULL);
  g_object_get (thing, "flag", &flag, "number", &number, "twice", &twice, "count", &count, "time",
                &time_ns, "ratio", &ratio, "choice", &choice, "several", &several, "text", &text,
                "params", &params, NULL);
  g_assert_false (flag);
  g_assert_cmpint (number, ==, -4);
  g_assert_cmpint (twice, ==, -8);
  g_assert_cmpuint (count, ==, 8);
  g_assert_cmpuint (time_ns, ==, G_MAXUINT64);
  g_assert_cmpfloat (ratio, ==, 0.25);
  g_assert_cmpint (choice, ==, GST_STATE_PAUSED);
  g_assert_cmpuint (several, ==, GST_SEEK_FLAG_FLUSH);
  g_assert_cmpstr (text, ==, "a");
  g_assert_true (gst_structure_is_equal (params, thing->params));
  g_assert_cmpuint (thing->locks, ==, thing->unlocks);
  g_free (text);
  gst_structure_free (params);
  g_object_unref (thing);
}

static void
test_a_change_is_told_after_the_fact (void)
{
  TestThing *thing = g_object_new (TEST_TYPE_THING, NULL);

  g_object_set (thing, "count", 3, NULL);
  g_assert_cmpuint (thing->changes, ==, 0);
  g_object_set (thing, "number", 3, NULL);
  g_assert_cmpuint (thing->changes, ==, 1);
  g_object_unref (thing);
}

static void
test_what_its_function_refuses_is_not_stored (void)
{
  TestThing *thing = g_object_new (TEST_TYPE_THING, NULL);

  g_object_set (thing, "text", "old", NULL);
  g_object_set (thing, "text", "NEW", NULL);
  g_assert_cmpstr (thing->text, ==, "old");
  g_object_set (thing, "text", NULL, NULL);
  g_assert_null (thing->text);
  g_object_unref (thing);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/properties/" #name, test_##name)
  ADD (every_kind_of_value_is_kept);
  ADD (a_change_is_told_after_the_fact);
  ADD (what_its_function_refuses_is_not_stored);
  return g_test_run ();
}
