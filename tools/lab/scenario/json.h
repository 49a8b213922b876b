/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON from files and the command line, as jansson reads it: without extensions, and no name twice
 * in an object. */
#ifndef WEIR_LAB_SCENARIO_JSON_H
#define WEIR_LAB_SCENARIO_JSON_H

#include "scenario/error.h"

#define LAB_LARGEST_FILE_BYTES (16 * 1024 * 1024)

/* `what` names the text in errors. Free with json_decref. */
json_t *lab_json_parse(const char *text, gsize length, const char *what, GError **error);
/* The bytes of a file, at most LAB_LARGEST_FILE_BYTES, NUL-terminated. Free with g_free. */
char *lab_read_file(const char *path, gsize *length, GError **error);
/* The object that a file holds. */
json_t *lab_json_load(const char *path, GError **error);

/* A new number; a whole one looks like one. */
json_t *lab_json_number(double value);

/* Says what becomes of the node at a place: sets *replacement (a new reference), or leaves it NULL,
 * and then the node's parts are visited. */
typedef gboolean lab_visit(void *user, const struct lab_place *place, json_t **replacement);

/* A new tree with the replacements, which shares what has no parts. NULL when a visit failed. */
json_t *lab_json_map(const struct lab_place *place, lab_visit *visit, void *user);

#endif
