/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where something stands in a scenario, and what is wrong with it, in one line:
 * "FILE: PATH.OF.FIELD = VALUE: what is allowed". */
#ifndef WEIR_LAB_SCENARIO_ERROR_H
#define WEIR_LAB_SCENARIO_ERROR_H

#include <glib.h>
#include <jansson.h>

#define LAB_ERROR lab_error_quark()
enum { LAB_ERROR_INPUT };
GQuark lab_error_quark(void);

/* A chain of names on the stack, of which the last is the file. */
struct lab_place {
    const struct lab_place *up; /* NULL = this is the file */
    const char *name;
    json_t *node;   /* what stands there, borrowed; NULL = nothing */
    GError **error; /* of the file: gets the first error of all that is in it */
};

/* A member of the object at `up`, whether it is there or not. */
struct lab_place lab_at(const struct lab_place *up, const char *name);
/* An element of the list at `up`; its name is its member `name`, or its number from 0. */
struct lab_place lab_element(const struct lab_place *up, size_t i, char number[16]);
const struct lab_place *lab_file_of(const struct lab_place *place);
char *lab_place_text(const struct lab_place *place);

/* Always FALSE, so that a reader can return it. */
gboolean lab_fail(const struct lab_place *place, const char *format, ...) G_GNUC_PRINTF(2, 3);
gboolean lab_fail_at(const struct lab_place *up, const char *name, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* The place's name, or what is said there, is none of these. */
gboolean lab_fail_unknown(const struct lab_place *place, const char *sentence, const char *given,
                          const GPtrArray *names);

/* The name that `name` was probably meant to be; NULL when none is near. */
const char *lab_nearest_name(const char *name, const GPtrArray *names);
char *lab_join_names(const GPtrArray *names);
GPtrArray *lab_member_names(json_t *object);

#endif
