/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a scenario, in one line: "FILE: PATH.OF.FIELD = VALUE: what is allowed". */
#ifndef WEIR_LAB_SCENARIO_ERROR_H
#define WEIR_LAB_SCENARIO_ERROR_H

#include <glib.h>
#include <json-glib/json-glib.h>

#define LAB_ERROR lab_error_quark()
enum { LAB_ERROR_INPUT };
GQuark lab_error_quark(void);

/* Where something stands: a chain of names on the stack, of which the last is the file. */
struct lab_place {
    const struct lab_place *up; /* NULL = this is the file */
    const char *name;
};

char *lab_place_text(const struct lab_place *place);
/* value: NULL = there is none. Always FALSE. */
gboolean lab_fail(GError **error, const struct lab_place *place, JsonNode *value,
                  const char *format, ...) G_GNUC_PRINTF(4, 5);

/* The name that `name` was probably meant to be; NULL when none is near. */
const char *lab_nearest_name(const char *name, const char *const *names, gsize n_names);
char *lab_join_names(const char *const *names, gsize n_names);

#endif
