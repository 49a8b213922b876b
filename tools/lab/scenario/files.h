/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where scenarios are found: WEIR_SCENARIOS (folders, ':' between them), the source tree, the
 * folder they are installed in. The first that has a name counts. */
#ifndef WEIR_LAB_SCENARIO_FILES_H
#define WEIR_LAB_SCENARIO_FILES_H

#include "scenario/error.h"

/* Folders with scenarios, in the order of search; some may be "" or not exist. Free with
 * g_strfreev. */
char **lab_scenario_folders(void);
/* The file that a name stands for; NULL and *error. A name with '/' or ending in ".json" is a file,
 * relative to `folder` (NULL = the current one); any other is an installed one, in `subfolder`
 * ("profiles", or "" for scenarios). Free with g_free. */
char *lab_find_file(const char *name, const char *subfolder, const char *folder,
                    const struct lab_place *place, GError **error);
/* The file as JSON. */
JsonNode *lab_load_file(const char *path, GError **error);
/* The scenario with `base` and a named `profiles` put in; *folder, free with g_free, is where its
 * file is. */
JsonNode *lab_load_scenario(const char *name, char **folder, GError **error);
/* A new tree in which a `profiles` that is a name has become what that file says. */
JsonNode *lab_put_profiles_in(JsonNode *tree, const char *folder, const struct lab_place *file,
                              GError **error);
/* A new tree in which the files of schedules and frames are lists; names are relative to `folder`.
 */
JsonNode *lab_put_files_in(JsonNode *tree, const char *folder, const struct lab_place *place,
                           GError **error);

#endif
