/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON from files and the command line: what json-glib reads, less what JSON is not. Trees are
 * never changed once read; what changes is a new tree that shares its unchanged parts. */
#ifndef WEIR_LAB_SCENARIO_JSON_H
#define WEIR_LAB_SCENARIO_JSON_H

#include "scenario/error.h"

#define LAB_LARGEST_FILE_BYTES (16 * 1024 * 1024)

/* `what` names the text in errors. Free with json_node_unref. */
JsonNode *lab_json_parse(const char *text, gsize length, const char *what, GError **error);
/* The bytes of a file, at most LAB_LARGEST_FILE_BYTES, NUL-terminated. Free with g_free. */
char *lab_read_file(const char *path, gsize *length, GError **error);

JsonNode *lab_json_text(const char *text);
JsonNode *lab_json_number(double value);
gboolean lab_json_is_text(JsonNode *node);
gboolean lab_json_is_number(JsonNode *node);
JsonNode *lab_json_copy_object(JsonNode *node);
void lab_json_set(JsonNode *object, const char *name, JsonNode *value);
JsonNode *lab_json_get(JsonNode *node, const char *name);
const char *lab_element_name(JsonNode *element, guint i, char number[16]);

/* Says what becomes of a node: sets *replacement (a new reference), or leaves it NULL, and then the
 * node's parts are visited. */
struct lab_visitor {
    gboolean (*visit)(void *user, const struct lab_place *place, JsonNode *node,
                      JsonNode **replacement, GError **error);
    void *user;
};

JsonNode *lab_json_map(JsonNode *node, const struct lab_place *place,
                       const struct lab_visitor *visitor, GError **error);

#endif
