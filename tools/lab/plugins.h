/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algorithms that the user brings: --plugin FILE, and WEIR_PLUGIN_PATH. */
#ifndef WEIR_LAB_PLUGINS_H
#define WEIR_LAB_PLUGINS_H

#include <glib.h>

/* The files, and those of the environment. FALSE and *error: one could not be loaded. */
gboolean lab_plugins_load(char *const *files, GError **error);

/* Whether an algorithm is none of the library's own. */
gboolean lab_plugins_have(const char *algorithm);

#endif
