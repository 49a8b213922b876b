/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where scenarios are found: WEIR_SCENARIOS (folders, ':' between them), the source tree, the
 * folder they are installed in. The first that has a name counts. */
#ifndef WEIR_LAB_SCENARIO_FILES_H
#define WEIR_LAB_SCENARIO_FILES_H

#include "scenario/error.h"

char **lab_scenario_folders(void);
JsonNode *lab_load_scenario(const char *name, char **folder, GError **error);
JsonNode *lab_put_profiles_in(JsonNode *tree, const char *folder, const struct lab_place *file,
                              GError **error);
JsonNode *lab_put_files_in(JsonNode *tree, const char *folder, const struct lab_place *place,
                           GError **error);

#endif
