/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/gst.h>
#include <string.h>

/* The elements that are part of the plugin as it was built. */
static GList *
plugin_elements (void)
{
  return gst_registry_get_feature_list_by_plugin (gst_registry_get (), "weir");
}

static void
test_plugin_registers_its_elements (void)
{
  static const gchar *const names[]
      = { "weirsend", "weirrecv", "weirlink", "weirscale", "weirudpsrc" };
  GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (), "weir");

  g_assert_nonnull (plugin);
  g_assert_cmpstr (gst_plugin_get_license (plugin), ==, "LGPL");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *element = gst_element_factory_make (names[i], NULL);
    g_assert_nonnull (element);
    gst_object_unref (element);
  }
  gst_object_unref (plugin);
}

static void
check_metadata (GstElementFactory *factory)
{
  static const gchar *const keys[] = { GST_ELEMENT_METADATA_LONGNAME, GST_ELEMENT_METADATA_KLASS,
                                       GST_ELEMENT_METADATA_DESCRIPTION };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_cmpuint (strlen (gst_element_factory_get_metadata (factory, keys[i])), >, 3);
  g_assert_cmpstr (gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_AUTHOR), ==,
                   "The Weir developers");
}

/* Does the text of a number say in what it is counted? */
static gboolean
names_its_unit (GParamSpec *spec)
{
  static const gchar *const without[] = { "port", "reporter-ssrc", "seed", NULL };
  if (G_PARAM_SPEC_VALUE_TYPE (spec) == G_TYPE_UINT64
      || G_PARAM_SPEC_VALUE_TYPE (spec) == G_TYPE_UINT
      || G_PARAM_SPEC_VALUE_TYPE (spec) == G_TYPE_INT) {
    return g_regex_match_simple ("bit/s|nanoseconds|[Bb]ytes|packets",
                                 g_param_spec_get_blurb (spec), 0, 0)
           || g_strv_contains (without, spec->name);
  }
  return TRUE;
}

/* delay=20 is meant as something else: when the element starts it says what it takes. */
static void
check_time (GstElement *element, GParamSpec *spec)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) warning = NULL;
  g_autofree gchar *text = g_strdup_printf ("%s=20 is 20 nanoseconds", spec->name);
  guint64 before;

  gst_element_set_bus (element, bus);
  g_object_get (element, spec->name, &before, NULL);
  g_object_set (element, spec->name, G_GUINT64_CONSTANT (20), NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (message);
  gst_message_parse_warning (message, &warning, NULL);
  g_assert_true (g_str_has_prefix (warning->message, text));
  gst_element_set_state (element, GST_STATE_NULL);
  g_object_set (element, spec->name, before, NULL);
  gst_element_set_bus (element, NULL);
}

/* Every property explains itself, names its unit, and says when it may be changed. */
static void
check_properties (GstElement *element)
{
  guint n;
  GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++) {
    if (specs[i]->owner_type != G_OBJECT_TYPE (element))
      continue;
    g_assert_cmpuint (strlen (g_param_spec_get_blurb (specs[i])), >, 20);
    if (!names_its_unit (specs[i])) {
      g_error ("%s: in what unit? %s", specs[i]->name, g_param_spec_get_blurb (specs[i]));
    }
    if (strstr (g_param_spec_get_blurb (specs[i]), "nanoseconds") != NULL) {
      check_time (element, specs[i]);
    }
    if (specs[i]->flags & G_PARAM_WRITABLE)
      g_assert_true (specs[i]->flags & (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_MUTABLE_READY));
  }
  g_free (specs);
}

static void
test_elements_describe_themselves (void)
{
  GList *elements = plugin_elements ();

  g_assert_nonnull (elements);
  for (GList *l = elements; l != NULL; l = l->next) {
    GstElementFactory *factory = GST_ELEMENT_FACTORY (l->data);
    GstElement *element = gst_element_factory_create (factory, NULL);
    g_test_message ("%s", GST_OBJECT_NAME (factory));
    check_metadata (factory);
    check_properties (element);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (elements);
}

/* No element starts something it does not end: states up and down, with nothing linked. */
static void
test_elements_survive_states_alone (void)
{
  GList *elements = plugin_elements ();

  for (GList *l = elements; l != NULL; l = l->next) {
    GstElement *element = gst_element_factory_create (GST_ELEMENT_FACTORY (l->data), NULL);
    gst_object_ref_sink (element);
    for (guint i = 0; i < 20; i++) {
      g_assert_cmpint (gst_element_set_state (element, GST_STATE_PLAYING), !=,
                       GST_STATE_CHANGE_FAILURE);
      g_assert_cmpint (gst_element_set_state (element, GST_STATE_NULL), ==,
                       GST_STATE_CHANGE_SUCCESS);
    }
    g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (element), ==, 1);
    gst_object_unref (element);
  }
  gst_plugin_feature_list_free (elements);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/plugin/registers_its_elements", test_plugin_registers_its_elements);
  g_test_add_func ("/gst/plugin/elements_describe_themselves", test_elements_describe_themselves);
  g_test_add_func ("/gst/plugin/elements_survive_states_alone", test_elements_survive_states_alone);
  return g_test_run ();
}
