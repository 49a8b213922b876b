/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin `weir`: congestion control for live RTP media. */
#include "loader/loader.h"
#include "weir/version.h"

#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (weirsend);
GST_ELEMENT_REGISTER_DECLARE (weirrecv);
GST_ELEMENT_REGISTER_DECLARE (weirlink);
GST_ELEMENT_REGISTER_DECLARE (weirscale);
#ifdef WEIR_HAVE_UDP_SRC
GST_ELEMENT_REGISTER_DECLARE (weirudpsrc);
#endif

/* Before 1.0 a minor version may change structs; the loader sees to the soname only. */
static gboolean
fits_libweir (void)
{
  if (weir_version_number () >> 8
      == WEIR_VERSION_NUMBER (WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, 0) >> 8)
    return TRUE;
  g_warning ("the GStreamer plugin weir " PACKAGE_VERSION
             " was built for libweir %d.%d, but libweir "
             "%s was loaded: install both from the same release",
             WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, weir_version ());
  return FALSE;
}

/* Algorithms that the user brings. One that cannot be had is told of, and the others are there. */
static void
load_algorithms (void)
{
  const gchar *list = g_getenv ("WEIR_PLUGIN_PATH");
  g_autofree gchar *wrong = list != NULL ? weir_loader_load_list (list) : NULL;
  if (wrong != NULL) {
    g_warning ("WEIR_PLUGIN_PATH: %s", wrong);
  }
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  if (!fits_libweir ()) {
    return FALSE;
  }
  load_algorithms ();
  gboolean ok = GST_ELEMENT_REGISTER (weirsend, plugin);
  ok = GST_ELEMENT_REGISTER (weirrecv, plugin) && ok;
  ok = GST_ELEMENT_REGISTER (weirlink, plugin) && ok;
  ok = GST_ELEMENT_REGISTER (weirscale, plugin) && ok;
#ifdef WEIR_HAVE_UDP_SRC
  ok = GST_ELEMENT_REGISTER (weirudpsrc, plugin) && ok;
#endif
  return ok;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, weir,
                   "Congestion control for live RTP media: pacing, feedback, an emulated link",
                   plugin_init, PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
