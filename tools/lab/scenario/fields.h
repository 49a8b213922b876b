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
    LAB_FIELD_NAME, /* const char *, borrowed from the JSON: 1 to 200 characters, no commas, quotes,
                       control characters */
    LAB_FIELD_TEXT, /* the same: anything */
    LAB_FIELD_OBJECT,   /* with `fields`, read into the struct at `offset`; else its reader reads it
                         */
    LAB_FIELD_OPTIONAL, /* the same; an absent one leaves the struct as it is, without defaults */
    LAB_FIELD_LIST,     /* its reader checks */
    LAB_FIELD_ANY       /* a field that has several forms: its reader checks */
};

struct lab_field {
    const char *name;
    enum lab_field_kind kind;
    gboolean required;
    double scale;    /* SCALED: what 1 of the file is in the library's unit */
    double min, max; /* numbers, in the unit of the file */
    double initial;  /* the default in the unit of the file; BOOL: 0 or 1, CHOICE: an index;
                        INFINITY: never, none */
    const char *const *choices;     /* NULL-terminated */
    const struct lab_field *fields; /* OBJECT */
    gsize n_fields;
    gsize offset; /* of the value in what is read into */
};

#define LAB_NS_PER_S    1e9
#define LAB_NS_PER_MS   1e6
#define LAB_LONGEST_S   1e6
#define LAB_LONGEST_MS  3600000.0
#define LAB_HIGHEST_BPS 1e12

/* Kinds with their ranges, for the rows of tables. */
#define LAB_NUMBER(least, most) .kind = LAB_FIELD_NUMBER, .min = (least), .max = (most)
#define LAB_WHOLE(least, most)  .kind = LAB_FIELD_WHOLE, .min = (least), .max = (most)
#define LAB_SCALED(unit, least, most)                                                              \
    .kind = LAB_FIELD_SCALED, .scale = (unit), .min = (least), .max = (most)
#define LAB_SECONDS(least, most) LAB_SCALED(LAB_NS_PER_S, least, most)
#define LAB_MS(least, most)      LAB_SCALED(LAB_NS_PER_MS, least, most)
#define LAB_BPS                  LAB_SCALED(1.0, 1, LAB_HIGHEST_BPS)
#define LAB_BOOL                 .kind = LAB_FIELD_BOOL
#define LAB_CHOICE(names)        .kind = LAB_FIELD_CHOICE, .choices = (names)
#define LAB_NAME                 .kind = LAB_FIELD_NAME
#define LAB_FIELDS(table)        .fields = (table), .n_fields = G_N_ELEMENTS(table)

/* Objects whose fields depend on one of them: {"model": "bernoulli", "p": 0.01}. */
struct lab_variant {
    const char *name;
    const struct lab_field *fields;
    gsize n_fields;
};
#define LAB_VARIANT(variant, table)                                                                \
    {                                                                                              \
        .name = (variant), LAB_FIELDS(table)                                                       \
    }

/* What stands at the place into a struct; nothing stands for an empty object. */
gboolean lab_fields_read(const struct lab_field *fields, gsize n_fields,
                         const struct lab_place *place, void *into);
char *lab_field_allowed(const struct lab_field *field);
gboolean lab_variant_read(const struct lab_variant *variants, gsize n_variants, const char *key,
                          const struct lab_place *place, void *into, gsize *chosen);
gboolean lab_numbers_read(const struct lab_field *element, const struct lab_place *place,
                          gint64 **values, gsize *n_values);
gboolean lab_fields_check_names(const struct lab_field *fields, gsize n_fields,
                                const struct lab_place *place);

#endif
