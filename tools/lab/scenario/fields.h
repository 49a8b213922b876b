/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects of a scenario as tables of their fields: one reader for all of them, one place where a
 * name, its unit, its range and its default stand. */
#ifndef WEIR_LAB_SCENARIO_FIELDS_H
#define WEIR_LAB_SCENARIO_FIELDS_H

#include "scenario/error.h"

enum lab_field_kind {
    LAB_FIELD_NUMBER, /* double */
    LAB_FIELD_WHOLE,  /* int64_t; whole numbers only */
    LAB_FIELD_SCALED, /* int64_t, the value times `scale`, rounded half up: times, rates */
    LAB_FIELD_BOOL,   /* bool */
    LAB_FIELD_CHOICE, /* int: index into `choices` */
    LAB_FIELD_NAME, /* char *, a copy: 1 to 200 characters, no commas, quotes, control characters */
    LAB_FIELD_TEXT, /* char *, a copy: anything */
    LAB_FIELD_OBJECT, /* JsonNode *, not a copy */
    LAB_FIELD_LIST,
    LAB_FIELD_ANY /* a field that has several forms: its reader checks */
};

struct lab_field {
    const char *name;
    enum lab_field_kind kind;
    gboolean required;
    double scale;    /* SCALED: what 1 of the file is in the library's unit */
    double min, max; /* numbers, in the unit of the file */
    double initial;  /* the default in the unit of the file; BOOL: 0 or 1, CHOICE: an index;
                        INFINITY: never, none */
    const char *const *choices; /* NULL-terminated */
    gsize offset;               /* of the value in what is read into */
};

#define LAB_NS_PER_S  1e9
#define LAB_NS_PER_MS 1e6

/* Objects whose fields depend on one of them: {"model": "bernoulli", "p": 0.01}. */
struct lab_variant {
    const char *name;
    const struct lab_field *fields;
    gsize n_fields;
};

/* node: NULL = an empty object. */
gboolean lab_fields_read(const struct lab_field *fields, gsize n_fields,
                         const struct lab_place *place, JsonNode *node, void *into, GError **error);
char *lab_field_allowed(const struct lab_field *field);
gboolean lab_variant_read(const struct lab_variant *variants, gsize n_variants, const char *key,
                          const struct lab_place *place, JsonNode *node, void *into, gsize *chosen,
                          GError **error);
gboolean lab_numbers_read(const struct lab_field *element, const struct lab_place *place,
                          JsonNode *node, gint64 **values, gsize *n_values, GError **error);
gboolean lab_fields_check_names(const struct lab_field *fields, gsize n_fields,
                                const struct lab_place *place, JsonNode *node, GError **error);

#endif
