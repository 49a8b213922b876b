/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The installed profiles: names that papers give to settings of flows. */
#ifndef WEIR_LAB_SCENARIO_PROFILE_LIST_H
#define WEIR_LAB_SCENARIO_PROFILE_LIST_H

#include <glib.h>

struct lab_profile {
    char *name;
    char *file; /* what a scenario calls it: "profiles": FILE */
    char *algorithm;
};

gboolean lab_profiles_load(struct lab_profile **profiles, guint *n_profiles, GError **error);
void lab_profiles_free(struct lab_profile *profiles, guint n_profiles);

#endif
