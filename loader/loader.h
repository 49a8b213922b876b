/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algorithms from shared objects (struct weir_plugin of weir/contract.h), for weir-lab and the
 * elements. What is loaded stays for the life of the process. */
#ifndef WEIR_LOADER_H
#define WEIR_LOADER_H

#include <glib.h>

/* Registers the algorithms of a shared object; one that was loaded before is left alone. NULL:
 * done; else a sentence that names the file and what is wrong, to be freed with g_free. Of several
 * algorithms those before the one that is wrong are registered. Before the first session, from one
 * thread. */
char *weir_loader_load(const char *file);

/* The files of a list like PATH, of which each may be a directory: then every *.so in it, by name.
 * NULL, or a sentence for each that was not loaded, a line each. */
char *weir_loader_load_list(const char *list);

#endif
