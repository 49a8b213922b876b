/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario_resolve.h"
#include "scenario_json.h"

JsonNode *lab_resolve(const char *name, const struct lab_overrides *overrides, GError **error)
{
    gsize length = 0;
    char *text = lab_read_file(name, &length, error);
    (void)overrides;
    JsonNode *node = text != NULL ? lab_json_parse(text, length, name, error) : NULL;
    g_free(text);
    return node;
}
