/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin `weir`: congestion control for live RTP media. */
#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (weirsend);
GST_ELEMENT_REGISTER_DECLARE (weirrecv);
GST_ELEMENT_REGISTER_DECLARE (weirlink);

static gboolean
plugin_init (G_GNUC_UNUSED GstPlugin *plugin)
{
  gboolean ok = FALSE;

#ifdef HAVE_WEIRSEND
  ok |= GST_ELEMENT_REGISTER (weirsend, plugin);
#endif
#ifdef HAVE_WEIRRECV
  ok |= GST_ELEMENT_REGISTER (weirrecv, plugin);
#endif
#ifdef HAVE_WEIRLINK
  ok |= GST_ELEMENT_REGISTER (weirlink, plugin);
#endif
  return ok;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, weir,
                   "Congestion control for live RTP media: pacing, feedback, an emulated link",
                   plugin_init, PACKAGE_VERSION, "LGPL", PACKAGE, "Unknown package origin")
