/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where scenarios are found: WEIR_SCENARIOS (folders, ':' between them), the source tree, the
 * folder they are installed in. The first that has a name counts. */
#ifndef WEIR_LAB_SCENARIO_FILES_H
#define WEIR_LAB_SCENARIO_FILES_H

#include "scenario/error.h"

#define LAB_MOST_OPPORTUNITIES 1000000 /* of a capacity trace */

json_t *lab_load_scenario(const char *name, char **folder, GError **error);
gboolean lab_put_profiles_in(const struct lab_place *file, const char *folder);
json_t *lab_put_files_in(const struct lab_place *file, char *folder);

GPtrArray *lab_scenario_names(void);
char *lab_scenario_describe(const char *name);
json_t *lab_installed_profiles(GError **error);

#endif
