/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plugin `weir`: congestion control for live RTP media. */
#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (weirsend);
GST_ELEMENT_REGISTER_DECLARE (weirrecv);
GST_ELEMENT_REGISTER_DECLARE (weirlink);

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean ok = GST_ELEMENT_REGISTER (weirsend, plugin);
  ok = GST_ELEMENT_REGISTER (weirrecv, plugin) && ok;
  ok = GST_ELEMENT_REGISTER (weirlink, plugin) && ok;
  return ok;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, weir,
                   "Congestion control for live RTP media: pacing, feedback, an emulated link",
                   plugin_init, PACKAGE_VERSION, "LGPL", PACKAGE, "Unknown package origin")
